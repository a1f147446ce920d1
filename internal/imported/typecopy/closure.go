package typecopy

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// wireMethods determine how a value is encoded. Without them, a copy would have another form.
var wireMethods = []string{"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText"}

// otherMethods are copied if that is possible.
var otherMethods = []string{
	"String", "GoString", "Error", "IsZero", "MarshalCBOR", "UnmarshalCBOR", "MarshalYAML", "UnmarshalYAML", "ToUnstructured",
	"OpenAPISchemaType", "OpenAPISchemaFormat", "OpenAPIV3OneOfTypes",
}

// deepCopyMethods are copied if they are written by hand, and generated otherwise.
var deepCopyMethods = []string{"DeepCopy", "DeepCopyInto", "DeepCopyObject"}

// isKept reports whether a package is imported where it is.
func (c *copier) isKept(importPath string) bool {
	return model.IsStandard(importPath) || importPath == "C" || !c.roots[importPath] && slices.ContainsFunc(c.Keep, func(keep string) bool {
		return strings.HasPrefix(importPath+"/", strings.TrimSuffix(keep, "/...")+"/")
	})
}

// take copies declarations and all that they need. It returns what it added, and the reasons why some of that cannot be
// copied.
func (c *copier) take(roots ...*decl) (added []*decl, problems diag.List) {
	sequences := map[*ast.GenDecl]bool{} // that are added
	need := func(d *decl) {
		if d != nil && !c.needed[d] {
			c.needed[d] = true
			added = append(added, d)
		}
	}
	needMethod := func(m *decl) {
		if of := m.in.decls[m.recv]; c.needed[of] && !c.needsOf(of).opaque && !m.isDeepCopy() {
			need(m)
		}
	}
	for _, root := range roots {
		need(root)
	}
	for i := 0; i < len(added); i++ {
		d := added[i]
		needs := c.needsOf(d)
		problems = append(append(problems, needs.problems...), c.constraints(d)...)
		if needs.opaque {
			continue
		}
		for _, other := range needs.decls {
			need(other)
		}
		for name := range needs.calls {
			if c.called[name]++; c.called[name] == 1 {
				for _, m := range c.methods[name] {
					needMethod(m)
				}
			}
		}
		switch {
		case d.typ() != nil:
			if typ := c.reader.Declared(d.in.Package, d.name); typ != nil {
				for _, constant := range c.reader.Constants(typ) {
					need(d.in.decls[constant.Name])
				}
			}
			for _, m := range d.in.methods[d.name] {
				if c.called[m.name] > 0 {
					needMethod(m)
				}
				isKept := m.isDeepCopy() && !m.isGenerated() && !c.isSliced(d)
				if isKept || slices.Contains(wireMethods, m.name) || slices.Contains(c.Methods, m.String()) {
					need(m)
				}
			}
		case d.recv != "":
			need(d.in.decls[d.recv])
		case d.inSequence && !sequences[d.gen]:
			sequences[d.gen] = true
			for _, other := range d.file.all {
				if other.gen == d.gen {
					need(other)
				}
			}
		}
	}
	slices.SortStableFunc(problems, func(a, b *diag.Diagnostic) int {
		return cmp.Or(strings.Compare(a.Pos.Filename, b.Pos.Filename), a.Pos.Offset-b.Pos.Offset, strings.Compare(a.Message, b.Message))
	})
	return added, problems
}

// undo leaves out what take added last.
func (c *copier) undo(added []*decl) {
	for _, d := range added {
		delete(c.needed, d)
		for name := range d.needs.calls {
			c.called[name]--
		}
	}
}

// isRegistration reports whether the registration that is generated for a package of kinds declares a name in the same
// way. Such declarations are not copied.
func (c *copier) isRegistration(d *decl, name string) bool {
	value, _ := d.spec.(*ast.ValueSpec)
	isText := func(expr ast.Expr) bool { return gotypes.StringOf(c.l, d.in.Package, d.file.File, expr) != nil }
	isObject := value != nil && d.gen.Tok == token.VAR && !slices.ContainsFunc(value.Values, isText)
	switch name {
	case "GroupName":
		return c.roots[d.in.Path] && value != nil
	case "SchemeGroupVersion", "GroupVersion":
		return c.roots[d.in.Path] && isObject
	case "SchemeBuilder", "AddToScheme", "Install":
		return c.roots[d.in.Path] && (isObject || d.fn != nil)
	case "Kind", "Resource":
		return c.roots[d.in.Path] && d.fn != nil
	}
	return false
}

// clashes reports whether the registration cannot do without a name that a package of kinds declares in another way.
func (c *copier) clashes(d *decl, name string) bool {
	return c.roots[d.in.Path] && slices.Contains([]string{"GroupName", "SchemeGroupVersion", "SchemeBuilder", "AddToScheme"}, name) &&
		!c.isRegistration(d, name)
}

// isSequence reports whether the values of constants depend on the constants around them: they use iota, or repeat a
// value.
func isSequence(gen *ast.GenDecl) bool {
	return gen.Tok == token.CONST && slices.ContainsFunc(gen.Specs, func(spec ast.Spec) bool {
		for ident := range load.Nodes[*ast.Ident](spec) {
			if ident.Name == "iota" {
				return true
			}
		}
		return len(spec.(*ast.ValueSpec).Values) == 0
	})
}

// isDeepCopy reports whether a method copies its receiver.
func (d *decl) isDeepCopy() bool { return slices.Contains(deepCopyMethods, d.name) }

// takeOptional copies the optional methods of the types that are copied, as far as possible. It returns the methods
// that are left out.
func (c *copier) takeOptional() (left []Left) {
	for seen := map[*decl]bool{}; ; {
		var next []*decl
		for d := range c.needed {
			if d.typ() == nil || seen[d] {
				continue
			}
			seen[d] = true
			next = append(next, d.in.methods[d.name]...)
		}
		if len(next) == 0 {
			return left
		}
		slices.SortFunc(next, func(a, b *decl) int { return strings.Compare(a.in.Path+" "+a.String(), b.in.Path+" "+b.String()) })
		for _, m := range next {
			out := Left{Pos: c.position(m.fn.Name.Pos()), Name: m.String()}
			switch {
			case c.needed[m] || m.isDeepCopy():
				continue
			case c.isSliced(m.in.decls[m.recv]):
				out.Why = "its type lost fields"
			case slices.Contains(otherMethods, m.name), !ast.IsExported(m.recv):
				added, problems := c.take(m)
				if len(problems) > 0 {
					out.Why = problems[0].Message
				} else if len(c.slicedIn(added)) > 0 {
					out.Why = "it needs types that lost fields"
				} else {
					continue
				}
				c.undo(added)
			case !ast.IsExported(m.name) || m.isGenerated():
				continue
			}
			left = append(left, out)
		}
	}
}
