package typecopy

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// needs is what a declaration needs to be copied.
type needs struct {
	decls    []*decl         // without those that are imported where they are
	uses     map[string]bool // local names of imports
	calls    map[string]bool // names of methods or fields that it selects, or of methods in its interfaces
	problems diag.List       // the reasons why it cannot be copied
	opaque   bool            // a type that protoc-gen-go generated; nothing else about it matters
}

// scanner finds what a declaration needs.
type scanner struct {
	*copier
	*decl
	*needs
}

// needsOf finds what a declaration needs, once.
func (c *copier) needsOf(d *decl) *needs {
	if d.needs != nil {
		return d.needs
	}
	s := &scanner{c, d, &needs{uses: map[string]bool{}, calls: map[string]bool{}}}
	if d.needs = s.needs; d.file.excluded {
		return d.needs
	}
	if c.kinds[d] {
		for _, line := range c.markersOf(d) {
			for _, found := range typesInMarker(line.Text) {
				s.need(cmp.Or(found.Path, d.in.Path), found.Name, d.spec.Pos(), false)
			}
		}
	}
	for _, name := range d.names() {
		if d.typ() == nil && slices.Contains(hiding, name) {
			s.refuse(d.node().Pos(), s.keepHint(s.in.Path), "%s hides the predeclared %s in generated code", d, name)
		}
	}
	switch spec := d.spec.(type) {
	case *ast.TypeSpec:
		if spec.TypeParams != nil {
			s.any(spec.TypeParams)
		}
		switch typ := spec.Type.(type) {
		case *ast.InterfaceType, *ast.FuncType:
			s.any(typ)
		case *ast.SelectorExpr:
			s.requiresKept(typ)
			s.typeOf(typ)
		default:
			s.typeOf(typ)
		}
	case *ast.ValueSpec:
		if !d.isConstant() {
			if bytes.Contains(d.file.Text[d.before-d.file.syntax.FileStart:spec.Pos()-d.file.syntax.FileStart], []byte("//go:embed")) {
				s.refuse(spec.Pos(), s.keepHint(s.in.Path), "%s embeds a file, which is not copied", s.name)
			}
			s.reportValues(spec)
		}
		s.any(spec)
	default:
		if d.fn.Recv != nil {
			s.any(d.fn.Recv)
		}
		if s.any(d.fn.Type); d.fn.Body == nil {
			s.refuse(d.fn.Pos(), diag.Text{}, "%s has no body in Go", d)
			break
		}
		s.any(d.fn.Body)
	}
	return d.needs
}

// methodTypes matches the types of a method in a marker of a kind.
var methodTypes = regexp.MustCompile(`\b(?:input|result)=(?:([\w./~-]+)\.)?(\w+)`)

// typesInMarker returns the types that a marker names for methods of clients. Their path is "" in the kind's package.
func typesInMarker(line string) (found []model.TypeRef) {
	if strings.HasPrefix(line, "+genclient:method=") {
		for _, match := range methodTypes.FindAllStringSubmatch(line, -1) {
			found = append(found, model.TypeRef{Path: match[1], Name: match[2]})
		}
	}
	return found
}

func (s *scanner) refuse(pos token.Pos, hint diag.Text, format string, args ...any) {
	if s.opaque {
		return
	}
	s.problems.Errorf(s.position(pos), format, args...).Suggest("%s", hint)
}

// need adds the declaration of a name in a package, unless it is not copied. value tells that it is the type of a
// value, not of a constraint or in a function.
func (s *scanner) need(importPath, name string, pos token.Pos, value bool) {
	if s.isKept(importPath) {
		return
	}
	src, keep := s.in, s.keepHint(importPath)
	if importPath != src.Path {
		if src = s.source(s.file, importPath); src == nil {
			s.refuse(pos, diag.Text{}, "%s needs %s, which cannot be read: %s", s.decl, importPath, s.l.Remedy(importPath))
			return
		}
	}
	target, why := src.decls[name], ""
	switch {
	case src.refused:
		return
	case target == nil:
		keep, why = diag.Text{}, "needs "+importPath+"."+name+", which is not declared"
	case s.isRegistration(target, name):
		return
	case s.clashes(target, name):
		why = "needs " + name + ", which the registration of the copy declares in another way"
	case target.typ() == nil && !target.isConstant():
		_, of := src.module()
		if _, here := s.in.module(); of != here {
			why = "needs " + importPath + "." + name + " of another module, which is not a type"
		}
	case target.typ() != nil && value:
		switch typ := target.typ().Type.(type) {
		case *ast.InterfaceType:
			if typ.Methods.NumFields() > 0 {
				why = "has a value of interface " + name + ", which has no form in JSON"
			}
		case *ast.FuncType:
			why = "has a function of type " + name + ", which has no form in JSON"
		}
	}
	if why != "" {
		s.refuse(pos, keep, "%s %s", s.decl, why)
		return
	}
	s.decls = append(s.decls, target)
}

// typeOf finds the references of the type of a value.
func (s *scanner) typeOf(expr ast.Expr) {
	switch expr := ast.Unparen(expr).(type) {
	case *ast.StarExpr:
		s.typeOf(expr.X)
	case *ast.ArrayType:
		if expr.Len != nil {
			s.any(expr.Len)
		}
		s.typeOf(expr.Elt)
	case *ast.MapType:
		s.typeOf(expr.Key)
		s.typeOf(expr.Value)
	case *ast.StructType:
		for _, f := range expr.Fields.List {
			if !s.isLost(s.decl, f) {
				s.typeOf(f.Type)
			}
		}
	case *ast.IndexExpr:
		s.typeOf(expr.X)
		s.typeOf(expr.Index)
	case *ast.IndexListExpr:
		s.typeOf(expr.X)
		for _, arg := range expr.Indices {
			s.typeOf(arg)
		}
	case *ast.InterfaceType:
		if expr.Methods.NumFields() > 0 {
			s.refuse(expr.Pos(), s.keepHint(s.in.Path), "%s has a value of an interface, which has no form in JSON", s.name)
		}
	case *ast.FuncType, *ast.ChanType:
		s.refuse(expr.Pos(), s.keepHint(s.in.Path), "%s has a function or channel, which has no form in JSON", s.name)
	case *ast.Ident:
		s.ident(expr, true)
	case *ast.SelectorExpr:
		s.selector(expr, true)
	default:
		s.any(expr)
	}
}

// leaveOut is what users can do about mistakes in a package of kinds.
var leaveOut = diag.Textf("leave out the kind with %s, or import the package without %s", diag.Setting("kinds"), diag.Setting("copy"))

// keepHint suggests to import the package of a declaration instead of copying it.
func (c *copier) keepHint(importPath string) diag.Text {
	if c.roots[importPath] {
		return leaveOut
	}
	return diag.Textf("import the package where it is with %s %s", diag.Setting("keep"), importPath)
}

// any finds the references of any syntax.
func (s *scanner) any(node ast.Node) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			s.any(n.Type)
			return false
		case *ast.InterfaceType:
			for _, f := range n.Methods.List {
				for _, name := range f.Names {
					s.calls[name.Name] = true
				}
			}
		case *ast.SelectorExpr:
			s.selector(n, false)
			return false
		case *ast.CompositeLit:
			if n.Type != nil {
				s.any(n.Type)
			}
			s.elements(n, s.file, n.Type)
			return false
		case *ast.Ident:
			s.ident(n, false)
		}
		return true
	})
}

// isLocal reports whether an identifier denotes a declaration in a function, or a type parameter.
func (f *file) isLocal(ident *ast.Ident) bool {
	return ident.Obj != nil && f.syntax.Scope.Lookup(ident.Name) != ident.Obj
}

func (s *scanner) ident(ident *ast.Ident, value bool) {
	switch name := ident.Name; {
	case name == "_" || s.file.isLocal(ident):
	case s.in.decls[name] != nil:
		s.need(s.in.Path, name, ident.Pos(), value)
	case name == "error":
		s.calls["Error"] = true
	case types.Universe.Lookup(name) != nil:
	default:
		for _, importPath := range s.file.dotImports() {
			if src := s.source(s.file, importPath); model.IsStandard(importPath) || src == nil || src.decls[name] != nil {
				s.refuse(ident.Pos(), s.keepHint(s.in.Path), "%s needs %s of %s, which its file imports without a name", s.decl, name, importPath)
				return
			}
		}
		if value {
			s.refuse(ident.Pos(), diag.Text{}, "%s needs %s, which is not declared", s.decl, name)
		}
	}
}

func (s *scanner) selector(expr *ast.SelectorExpr, value bool) {
	importPath, ok := s.packageOf(s.file, expr)
	if !ok {
		s.calls[expr.Sel.Name] = true
		s.any(expr.X)
		return
	}
	name := expr.X.(*ast.Ident).Name
	switch {
	case importPath == "C":
		s.refuse(expr.Pos(), s.keepHint(s.in.Path), "%s refers to C code", s.decl)
		return
	case importPath == "unsafe" && value:
		s.refuse(expr.Pos(), s.keepHint(s.in.Path), "%s has a pointer without a type", s.decl)
	case strings.HasPrefix(importPath, "google.golang.org/protobuf/") && value && !s.isKept(importPath) && !s.opaque:
		_, module := s.in.module()
		s.problems = nil
		s.refuse(expr.Pos(), diag.Textf("import its module where it is with %s %s", diag.Setting("keep"), module),
			"%s is generated by protoc-gen-go, and works only with its methods", s.decl)
		s.opaque = true
		return
	case slices.Contains(acting, importPath):
		s.refuse(
			expr.Pos(), s.keepHint(s.in.Path), "%s needs %s, which changes what a program serves or accepts when it starts", s.decl, importPath,
		)
		return
	case importPath == "":
		s.refuse(expr.Pos(), diag.Text{}, "%s: no import has the name %s", s.decl, name)
		return
	}
	if !value {
		s.requiresKept(expr)
	}
	s.uses[name] = true
	s.need(importPath, expr.Sel.Name, expr.Pos(), value)
}
