package typecopy

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
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
	return model.IsStandard(importPath) || importPath == "C" || !c.roots[importPath] && c.kept(importPath)
}

// closure returns declarations and all that they need, except for what is copied already, and the reasons why some of
// them cannot be copied.
func (c *copier) closure(roots ...*decl) (added map[*decl]bool, problems []problem) {
	added = map[*decl]bool{}
	called := map[string]bool{}          // names of methods that functions and interfaces among them need
	sequences := map[*ast.GenDecl]bool{} // that are needed
	methods := map[string][]*decl{}      // of types among them, by name
	var queue []*decl
	need := func(d *decl) {
		if d != nil && !c.needed[d] && !added[d] {
			added[d] = true
			queue = append(queue, d)
		}
	}
	needMethod := func(m *decl) {
		if !m.isDeepCopy() {
			need(m)
		}
	}
	for _, root := range roots {
		need(root)
	}
	for len(queue) > 0 {
		d := queue[0]
		queue = queue[1:]
		if !d.file.excluded {
			c.scan(d)
		}
		problems = append(problems, d.problems...)
		problems = append(problems, c.constraints(d)...)
		if d.opaque {
			continue
		}
		for _, r := range d.refs {
			target, p := c.target(d, r)
			if p != nil {
				problems = append(problems, *p)
				continue
			}
			need(target)
		}
		switch {
		case d.typ() != nil:
			if typ := c.reader.Declared(d.in.Package, d.name); typ != nil {
				for _, constant := range c.reader.Constants(typ) {
					need(d.in.decls[constant.Name])
				}
			}
			for _, m := range d.in.methods[d.name] {
				methods[m.name] = append(methods[m.name], m)
				if called[m.name] || c.called[m.name] {
					needMethod(m)
				}
				isKept := m.isDeepCopy() && !m.isGenerated() && !c.isSliced(d)
				if isKept || slices.Contains(wireMethods, m.name) || slices.Contains(c.Methods, m.String()) {
					need(m)
				}
			}
		case d.recv != "":
			need(d.in.decls[d.recv])
		case d.isConstant() && !sequences[d.gen] && d.inSequence():
			sequences[d.gen] = true
			for _, other := range d.file.specs[d.gen] {
				need(other)
			}
		}
		if d.fn != nil || d.typ() != nil {
			for name := range d.calls {
				if called[name] || c.called[name] {
					continue
				}
				called[name] = true
				for _, m := range slices.Concat(c.reached[name], methods[name]) {
					needMethod(m)
				}
			}
		}
	}
	slices.SortFunc(problems, func(a, b problem) int {
		return cmp.Or(strings.Compare(a.pos.Filename, b.pos.Filename), a.pos.Offset-b.pos.Offset, strings.Compare(a.message, b.message))
	})
	return added, problems
}

// take copies what closure returned.
func (c *copier) take(added map[*decl]bool) {
	for d := range added {
		c.needed[d] = true
		switch {
		case d.fn != nil:
			maps.Copy(c.called, d.calls)
		case d.typ() != nil:
			maps.Copy(c.called, d.calls)
			c.fresh = append(c.fresh, d)
			for _, m := range d.in.methods[d.name] {
				c.reached[m.name] = append(c.reached[m.name], m)
			}
		}
	}
}

// target returns the declaration that a reference denotes, or nil if it is not copied. p tells why it cannot be.
func (c *copier) target(from *decl, r ref) (target *decl, p *problem) {
	if c.isKept(r.path) {
		return nil, nil
	}
	refuse := func(hint diag.Text, format string, args ...any) (*decl, *problem) {
		return nil, &problem{pos: c.position(r.pos), message: fmt.Sprintf(format, args...), hint: hint}
	}
	keep := c.keepHint(r.path)
	src := from.in
	if r.path != src.Path {
		if src = c.source(from.file, r.path); src == nil {
			return refuse(diag.Text{}, "%s needs %s, which cannot be read: %s", from, r.path, c.l.Remedy(r.path))
		}
	}
	target = src.decls[r.name]
	switch {
	case src.refused:
		return nil, nil
	case target == nil:
		return refuse(diag.Text{}, "%s needs %s.%s, which is not declared", from, r.path, r.name)
	case c.isRegistration(target, r.name):
		return nil, nil
	case c.clashes(target, r.name):
		return refuse(keep, "%s needs %s, which the registration of the copy declares in another way", from, r.name)
	case target.typ() == nil && !target.isConstant():
		_, of := src.module()
		if _, here := from.in.module(); of != here {
			return refuse(keep, "%s needs %s.%s of another module, which is not a type", from, r.path, r.name)
		}
	case target.typ() != nil && r.value:
		switch typ := target.typ().Type.(type) {
		case *ast.InterfaceType:
			if typ.Methods.NumFields() > 0 {
				return refuse(keep, "%s has a value of interface %s, which has no form in JSON", from, r.name)
			}
		case *ast.FuncType:
			return refuse(keep, "%s has a function of type %s, which has no form in JSON", from, r.name)
		}
	}
	return target, nil
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

// inSequence reports whether the value of a constant depends on the constants around it: they use iota, or repeat a
// value.
func (d *decl) inSequence() bool {
	if found, known := d.file.sequences[d.gen]; known {
		return found
	}
	found := false
	for _, spec := range d.gen.Specs {
		found = found || len(spec.(*ast.ValueSpec).Values) == 0
		for ident := range load.Nodes[*ast.Ident](spec) {
			found = found || ident.Name == "iota"
		}
	}
	d.file.sequences[d.gen] = found
	return found
}

// isDeepCopy reports whether a method copies its receiver.
func (d *decl) isDeepCopy() bool { return slices.Contains(deepCopyMethods, d.name) }

// takeOptional copies the optional methods of the types that are copied, as far as possible. It returns the methods
// that are left out.
func (c *copier) takeOptional() (left []Left) {
	for len(c.fresh) > 0 {
		var next []*decl
		for _, typ := range c.fresh {
			next = append(next, typ.in.methods[typ.name]...)
		}
		c.fresh = nil
		slices.SortFunc(next, func(a, b *decl) int { return strings.Compare(a.in.Path+" "+a.String(), b.in.Path+" "+b.String()) })
		for _, m := range next {
			out := Left{Pos: c.position(m.fn.Name.Pos()), Name: m.String()}
			switch {
			case c.needed[m] || m.isDeepCopy():
				continue
			case c.isSliced(m.in.decls[m.recv]):
				out.Why = "its type lost fields"
			case slices.Contains(otherMethods, m.name), !ast.IsExported(m.recv):
				added, problems := c.closure(m)
				if len(problems) > 0 {
					out.Why = problems[0].message
				} else if len(c.slicedIn(added)) > 0 {
					out.Why = "it needs types that lost fields"
				} else {
					c.take(added)
					continue
				}
			case !ast.IsExported(m.name) || m.isGenerated():
				continue
			}
			left = append(left, out)
		}
	}
	return left
}
