package typecopy

import (
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/imported/importer"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// slice restricts kinds to the fields that were selected for them, if there are any. It reports fields that do not
// exist. A type at several paths keeps the fields of all of them.
func (c *copier) slice() {
	byName := func(a, b *decl) int { return strings.Compare(a.in.Path+"."+a.name, b.in.Path+"."+b.name) }
	for _, kind := range slices.SortedFunc(maps.Keys(c.kinds), byName) {
		tree := &crdschema.PathTree{}
		group := kind.in.place.Group
		for _, f := range c.Fields {
			if f.Kind != "" && f.Kind != kind.name && f.Kind != kind.name+"."+group {
				continue
			}
			tree.Add(f.Path)
			if !slices.Contains([]string{"apiVersion", "kind"}, f.Path[0]) {
				c.reportMissing(kind, f)
			}
		}
		if len(tree.Paths()) > 0 {
			c.paths[kind] = tree.Paths()
			c.keepsManaged[kind] = tree.Field("metadata").Field("managedFields") != nil
			for _, name := range crdschema.ResourceFields {
				tree.Add(crdschema.Path{name})
			}
			c.restrict(kind, tree)
		}
	}
}

// isSliced reports whether a type lost fields.
func (c *copier) isSliced(d *decl) bool { return c.trees[d] != nil && !c.trees[d].Whole() }

// isLost reports whether a type lost a field.
func (c *copier) isLost(d *decl, f *ast.Field) bool { return c.isSliced(d) && !c.fields[f] }

// restrict adds a tree of fields that a type keeps, and the trees of all types of its fields.
func (c *copier) restrict(d *decl, tree *crdschema.PathTree) {
	if c.hasForm(d) {
		tree = whole
	}
	if c.trees[d] == nil {
		c.trees[d] = &crdschema.PathTree{}
	}
	if !c.trees[d].Merge(tree) {
		return
	}
	d.needs = nil // it needs less, or more
	c.restrictType(d, d.typ().Type, c.trees[d])
}

var whole = crdschema.PathTreeOf(nil)

// hasForm reports whether methods determine the form of a type's values, or it has type parameters: it is kept as a
// whole.
func (c *copier) hasForm(d *decl) bool {
	return d.typ().TypeParams != nil ||
		slices.ContainsFunc(d.in.methods[d.name], func(m *decl) bool { return slices.Contains(wireMethods, m.name) })
}

// restrictType restricts the types in an expression in the declaration of d.
func (c *copier) restrictType(d *decl, expr ast.Expr, tree *crdschema.PathTree) {
	expr = element(expr)
	if target := c.typeAt(d, expr); target != nil {
		c.restrict(target, tree)
	}
	var fields []*ast.Field
	switch expr := expr.(type) {
	case *ast.StructType:
		fields = expr.Fields.List
	case *ast.IndexExpr:
		c.restrictType(d, expr.X, whole)
		c.restrictType(d, expr.Index, whole)
	case *ast.IndexListExpr:
		for _, part := range slices.Concat([]ast.Expr{expr.X}, expr.Indices) {
			c.restrictType(d, part, whole)
		}
	}
	for _, f := range fields {
		of := tree
		name, inline := inJSON(f)
		if !inline {
			of = tree.Field(name)
		}
		if of == nil || inline && !c.keepsAny(d, f.Type, tree) {
			continue
		}
		if c.fields[f] = true; !inline {
			c.noteWhole(d, f, name, of)
		}
		c.restrictType(d, f.Type, of)
		for _, key := range mapKeys(c.l.Fset, f) {
			if !of.Whole() && key != "" {
				c.restrictType(d, f.Type, crdschema.PathTreeOf(crdschema.Path{key}))
			}
		}
	}
}

// noteWhole notes a field that is kept as a whole although paths lead into it, because its type stays imported or its
// methods determine its form.
func (c *copier) noteWhole(d *decl, f *ast.Field, name string, of *crdschema.PathTree) {
	target := c.typeAt(d, element(f.Type))
	if of.Whole() || target == nil || c.isKept(d.in.Path) {
		return
	}
	const format = "%s: the slice keeps everything in field %s of %s, because its type %s"
	switch setting := diag.Setting("fields"); {
	case c.isKept(target.in.Path):
		c.diags.Notef(token.Position{}, format, setting, name, d.name, "stays imported").
			Suggest("copy a kind of %s, too, or end the paths there", target.in.Path)
	case c.hasForm(target):
		c.diags.Notef(token.Position{}, format, setting, name, d.name, "has type parameters, or methods for JSON or text").
			Suggest("end the paths there")
	}
}

// element returns the type of the elements of lists, maps and pointers.
func element(expr ast.Expr) ast.Expr {
	switch expr := unpointed(expr).(type) {
	case *ast.ArrayType:
		return element(expr.Elt)
	case *ast.MapType:
		return element(expr.Value)
	default:
		return expr
	}
}

// typeAt returns the declaration of a named type, or nil if it cannot be read or is in the standard library.
func (c *copier) typeAt(from *decl, expr ast.Expr) *decl {
	if qualified, ok := expr.(*ast.SelectorExpr); ok {
		if importPath, _ := c.packageOf(from.file, qualified); model.IsStandard(importPath) {
			return nil
		}
	}
	return c.named(from.file, expr)
}

// inJSON returns the name of a field in JSON, or whether the fields of its type take its place.
func inJSON(f *ast.Field) (name string, inline bool) {
	name, options, _ := strings.Cut(gotypes.StructTag(f).Get("json"), ",")
	if name != "" || len(f.Names) == 0 {
		return name, name == ""
	}
	return f.Names[0].Name, slices.Contains(strings.Split(options, ","), "inline")
}

var mapKey = regexp.MustCompile(`^\+(?:listMapKey|kubebuilder:validation:ListMapKey|k8s:listMapKey)="*([^"]*)`)

// mapKeys returns the keys of a list of type map, or of one that a strategic merge patch merges by a key.
func mapKeys(fset *token.FileSet, f *ast.Field) (keys []string) {
	for _, line := range markers.Lines(fset, f.Doc) {
		if found := mapKey.FindStringSubmatch(line.Text); found != nil {
			keys = append(keys, found[1])
		}
	}
	return append(keys, gotypes.StructTag(f).Get("patchMergeKey"))
}

// reportMissing reports a path that does not exist in a kind.
func (c *copier) reportMissing(kind *decl, f importer.Field) {
	at := member{of: kind, typ: kind.typ().Type}
	for i, name := range f.Path {
		var names []string
		members, _ := c.members(at.of, at.typ, map[*ast.StructType]bool{})
		found := slices.IndexFunc(members, func(m member) bool { return m.typ != nil && m.name == name })
		if found >= 0 {
			at = members[found]
			continue
		}
		for _, m := range members {
			if m.typ != nil && m.name != "-" {
				names = append(names, m.name)
			}
		}
		related := token.Position{}
		if len(names) > 0 {
			related = c.position(at.of.node().Pos())
		}
		f.ReportMissing(kind.name, i, names, related, &c.diags)
		return
	}
}

// member is a field of a struct in JSON, whose type is in the declaration of. A member without a type stands for the
// fields of an inline type that are unknown.
type member struct {
	name string
	of   *decl
	typ  ast.Expr
}

// members returns the fields in JSON of the struct in an expression, through pointers, lists, maps and named types, and
// in declaration d. Structs that were seen have none. known is false for other types, and for types with a form of
// their own.
func (c *copier) members(d *decl, expr ast.Expr, seen map[*ast.StructType]bool) (all []member, known bool) {
	expr = element(expr)
	for range maxAliases {
		target := c.typeAt(d, expr)
		if target == nil {
			break
		}
		if c.hasForm(target) {
			return nil, false
		}
		d, expr = target, element(target.typ().Type)
	}
	structure, ok := expr.(*ast.StructType)
	if !ok || seen[structure] {
		return nil, ok
	}
	seen[structure] = true
	for _, f := range structure.Fields.List {
		name, inline := inJSON(f)
		if !inline {
			all = append(all, member{name, d, f.Type})
			continue
		}
		inner, known := c.members(d, f.Type, seen)
		if all = append(all, inner...); !known {
			all = append(all, member{})
		}
	}
	return all, true
}

// keepsAny reports whether a tree has a field of an inline type in the declaration of d.
func (c *copier) keepsAny(d *decl, expr ast.Expr, tree *crdschema.PathTree) bool {
	members, known := c.members(d, expr, map[*ast.StructType]bool{})
	return !known || slices.ContainsFunc(members, func(m member) bool { return m.typ == nil || tree.Field(m.name) != nil })
}

// maxAliases bounds the named types that have each other as their types.
const maxAliases = 1000

// widen keeps types as a whole that copied functions refer to, because the functions may use any field. It reports
// whether there are such types, and then undoes take.
func (c *copier) widen(added []*decl) bool {
	types := c.slicedIn(added)
	if len(types) > 0 {
		c.undo(added)
	}
	for _, d := range types {
		c.restrict(d, whole)
	}
	return len(types) > 0
}

// slicedIn returns the types that functions refer to and that lost fields.
func (c *copier) slicedIn(added []*decl) (found []*decl) {
	for _, d := range added {
		for _, other := range d.needs.decls {
			if d.fn != nil && c.isSliced(other) {
				found = append(found, other)
			}
		}
	}
	return found
}

// replacesSliced reports whether server-side apply merges the values of a field as a whole, so that applying a slice
// would remove the fields that it lost.
func (c *copier) replacesSliced(d *decl, f *ast.Field) bool {
	target := c.typeAt(d, element(f.Type))
	if target == nil || !c.isSliced(target) || c.isKept(target.in.Path) || !c.loses(target, map[*decl]bool{}) {
		return false
	}
	lines := markers.Lines(c.l.Fset, f.Doc)
	if doc := target.gen.Doc; doc != nil {
		lines = append(lines, markers.Lines(c.l.Fset, doc)...)
	}
	is := func(values ...string) bool {
		return slices.ContainsFunc(lines, func(line markers.Line) bool { return slices.Contains(values, line.Text) })
	}
	switch unpointed(f.Type).(type) {
	case *ast.ArrayType:
		return !is("+listType=map", "+k8s:listType=map") || is("+structType=atomic")
	case *ast.MapType:
		return is("+mapType=atomic", "+structType=atomic")
	}
	return is("+structType=atomic", "+mapType=atomic")
}

// loses reports whether a struct, or a struct in it, loses a field, apart from the types that were seen.
func (c *copier) loses(d *decl, seen map[*decl]bool) bool {
	structure, ok := d.typ().Type.(*ast.StructType)
	if !ok || seen[d] {
		return false
	}
	seen[d] = true
	return slices.ContainsFunc(structure.Fields.List, func(f *ast.Field) bool {
		if c.isLost(d, f) {
			return true
		}
		target := c.typeAt(d, element(f.Type))
		return target != nil && c.isSliced(target) && !c.isKept(target.in.Path) && c.loses(target, seen)
	})
}

// unpointed returns the type that pointers of a type point to.
func unpointed(expr ast.Expr) ast.Expr {
	if pointer, ok := ast.Unparen(expr).(*ast.StarExpr); ok {
		return unpointed(pointer.X)
	}
	return ast.Unparen(expr)
}

var (
	writes     = regexp.MustCompile(`^\+genclient:method=[^,]*,verb=(create|update)\b`)
	columns    = regexp.MustCompile(`^\+kubebuilder:printcolumn:`)
	selectable = regexp.MustCompile("^\\+kubebuilder:selectablefield:JSONPath=[\"`]?\\.?([^\"`]*)")
)

// losesMarker reports whether a marker does not fit a type that lost fields.
func (c *copier) losesMarker(d *decl, marker string) bool {
	if path := selectable.FindStringSubmatch(marker); path != nil {
		parsed, err := crdschema.ParsePath(path[1])
		return err != nil || !c.trees[d].Has(parsed)
	}
	return c.kinds[d] && columns.MatchString(marker) || writes.MatchString(marker) && !strings.Contains(marker, ",input=")
}
