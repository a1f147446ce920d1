package typecopy

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// ref is a reference to a declaration of a package.
type ref struct {
	path, name string
	pos        token.Pos
	value      bool // it is the type of a value, not of a constraint or in a function
}

// problem is a reason why a declaration cannot be copied.
type problem struct {
	pos     token.Position
	message string
	hint    diag.Text
	related token.Position // the zero Position if there is none
}

// scanner finds the references of a declaration.
type scanner struct {
	*copier
	*decl
}

// scan finds the references of a declaration, once.
func (c *copier) scan(d *decl) {
	if d.scanned {
		return
	}
	d.scanned, d.uses, d.calls = true, map[string]bool{}, map[string]bool{}
	s := &scanner{c, d}
	if c.kinds[d] {
		for _, line := range c.markersOf(d) {
			for _, found := range typesInMarker(line.Text) {
				if d.refs = append(d.refs, ref{path: found.Path, name: found.Name, pos: d.spec.Pos()}); found.Path == "" {
					d.refs[len(d.refs)-1].path = d.in.Path
				}
			}
		}
	}
	for _, name := range d.names() {
		if d.typ() == nil && slices.Contains(hiding, name) {
			s.refuse(d.node().Pos(), s.keepHint(s.in.Path), "%s hides the predeclared %s in generated code", d, name)
		}
	}
	s.requires(d.node())
	switch spec := d.spec.(type) {
	case *ast.TypeSpec:
		if spec.TypeParams != nil {
			s.any(spec.TypeParams)
		}
		switch spec.Type.(type) {
		case *ast.InterfaceType, *ast.FuncType:
			s.any(spec.Type)
		default:
			s.typeOf(spec.Type)
		}
	case *ast.ValueSpec:
		if !d.isConstant() {
			if bytes.Contains(d.textAbove(), []byte("//go:embed")) {
				s.refuse(spec.Pos(), s.keepHint(s.in.Path), "%s embeds a file, which is not copied", s.name)
			}
			s.reportValues(spec)
		}
		s.any(spec)
	default:
		s.any(d.fn)
	}
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
	s.problems = append(s.problems, problem{pos: s.position(pos), message: fmt.Sprintf(format, args...), hint: hint})
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
		case *ast.FuncDecl:
			if n.Recv != nil {
				s.any(n.Recv)
			}
			s.any(n.Type)
			if n.Body != nil {
				s.any(n.Body)
			} else {
				s.refuse(n.Pos(), diag.Text{}, "%s has no body in Go", s.decl)
			}
			return false
		case *ast.ValueSpec:
			if n.Type != nil {
				s.any(n.Type)
			}
			for _, value := range n.Values {
				s.any(value)
			}
			return false
		case *ast.SelectorExpr:
			s.selector(n, false)
			return false
		case *ast.CompositeLit:
			if n.Type != nil {
				s.any(n.Type)
			}
			s.literal(n, scope{s.in, s.file}, n.Type)
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
		s.refs = append(s.refs, ref{s.in.Path, name, ident.Pos(), value})
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
	importPath, ok := s.packageOf(scope{s.in, s.file}, expr)
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
	case strings.HasPrefix(importPath, "google.golang.org/protobuf/") && value && !s.isKept(importPath):
		if s.opaque {
			return
		}
		s.opaque = true
		_, module := s.in.module()
		s.refuse(expr.Pos(), diag.Textf("import its module where it is with %s %s", diag.Setting("keep"), module),
			"%s is generated by protoc-gen-go, and works only with its methods", s.decl)
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
	s.refs = append(s.refs, ref{importPath, expr.Sel.Name, expr.Pos(), value})
}
