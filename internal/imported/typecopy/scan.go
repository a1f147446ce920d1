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
				s.need(cmp.Or(found.Path, d.in.Path), found.Name, d.spec.Pos())
			}
		}
	}
	if value, ok := d.spec.(*ast.ValueSpec); ok && !d.isConstant() {
		if bytes.Contains(d.file.Text[d.before-d.file.syntax.FileStart:value.Pos()-d.file.syntax.FileStart], []byte("//go:embed")) {
			s.refuse(value.Pos(), s.keepHint(s.in.Path), "%s embeds a file, which is not copied", s.name)
		}
		s.reportValues(value)
	}
	if d.fn == nil {
		s.any(d.spec)
		return d.needs
	}
	if d.fn.Recv != nil {
		s.any(d.fn.Recv)
	}
	if s.any(d.fn.Type); d.fn.Body == nil {
		s.refuse(d.fn.Pos(), diag.Text{}, "%s has no body in Go", d)
	} else {
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

// need adds the declaration of a name in a package, unless it is not copied.
func (s *scanner) need(importPath, name string, pos token.Pos) {
	if s.isKept(importPath) {
		return
	}
	src := s.in
	if importPath != src.Path {
		if src = s.source(s.file, importPath); src == nil {
			s.refuse(pos, diag.Text{}, "%s needs %s, which cannot be read: %s", s.decl, importPath, s.l.Remedy(importPath))
			return
		}
	}
	_, of := src.module()
	_, here := s.in.module()
	switch target := src.decls[name]; {
	case src.refused, target != nil && s.isRegistration(target, name):
	case target == nil:
		s.refuse(pos, diag.Text{}, "%s needs %s.%s, which is not declared", s.decl, importPath, name)
	case s.clashes(target, name):
		s.refuse(pos, s.keepHint(importPath), "%s needs %s, which the registration of the copy declares in another way", s.decl, name)
	case target.typ() == nil && !target.isConstant() && of != here:
		s.refuse(pos, s.keepHint(importPath), "%s needs %s.%s of another module, which is not a type", s.decl, importPath, name)
	default:
		s.decls = append(s.decls, target)
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
			if !s.isLost(s.decl, n) {
				s.any(n.Type)
			}
			return false
		case *ast.InterfaceType:
			for _, f := range n.Methods.List {
				for _, name := range f.Names {
					s.calls[name.Name] = true
				}
			}
		case *ast.SelectorExpr:
			s.selector(n)
			return false
		case *ast.CompositeLit:
			if n.Type != nil {
				s.any(n.Type)
			}
			s.elements(n, s.file, n.Type)
			return false
		case *ast.Ident:
			s.ident(n)
		}
		return true
	})
}

// isLocal reports whether an identifier denotes a declaration in a function, or a type parameter.
func (f *file) isLocal(ident *ast.Ident) bool {
	return ident.Obj != nil && f.syntax.Scope.Lookup(ident.Name) != ident.Obj
}

func (s *scanner) ident(ident *ast.Ident) {
	switch name := ident.Name; {
	case name == "_" || s.file.isLocal(ident):
	case s.in.decls[name] != nil:
		s.need(s.in.Path, name, ident.Pos())
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
	}
}

func (s *scanner) selector(expr *ast.SelectorExpr) {
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
	case strings.HasPrefix(importPath, "google.golang.org/protobuf/") && s.typ() != nil && !s.isKept(importPath) && !s.opaque:
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
	s.requiresKept(expr)
	s.uses[name] = true
	s.need(importPath, expr.Sel.Name, expr.Pos())
}
