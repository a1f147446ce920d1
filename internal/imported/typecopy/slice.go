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
	used := map[string]bool{}
	byName := func(a, b *decl) int { return strings.Compare(a.in.Path+"."+a.name, b.in.Path+"."+b.name) }
	for _, kind := range slices.SortedFunc(maps.Keys(c.kinds), byName) {
		tree := &crdschema.PathTree{}
		group := c.placeOf(kind.in).Group
		for _, f := range c.Fields {
			if f.Kind != "" && f.Kind != kind.name && f.Kind != kind.name+"."+group {
				continue
			}
			used[f.Kind] = true
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
	for _, f := range c.Fields {
		if f.Kind != "" && !used[f.Kind] && !c.Others {
			c.diags.Errorf(token.Position{}, "%s: %s: no kind %s is copied", diag.Setting("fields"), diag.Value(f.Text), f.Kind).
				Suggest("write a kind as in Pod:spec.nodeName")
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
	switch expr := expr.(type) {
	case *ast.IndexExpr:
		c.restrictType(d, expr.X, whole)
		c.restrictType(d, expr.Index, whole)
	case *ast.IndexListExpr:
		for _, part := range slices.Concat([]ast.Expr{expr.X}, expr.Indices) {
			c.restrictType(d, part, whole)
		}
	case *ast.StructType:
		for _, f := range expr.Fields.List {
			of := tree
			name, inline := inJSON(f)
			if !inline {
				of = tree.Field(name)
			}
			if of == nil || inline && !c.keepsAny(d, f.Type, tree, map[*ast.StructType]bool{}) {
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
	if target := c.typeAt(d, expr); target != nil {
		c.restrict(target, tree)
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
	switch expr := expr.(type) {
	case *ast.ParenExpr:
		return element(expr.X)
	case *ast.StarExpr:
		return element(expr.X)
	case *ast.ArrayType:
		return element(expr.Elt)
	case *ast.MapType:
		return element(expr.Value)
	}
	return expr
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

// mapKeys returns the keys of a list of type map, or of one that a strategic merge patch merges by a key.
func mapKeys(fset *token.FileSet, f *ast.Field) (keys []string) {
	for _, line := range markers.Lines(fset, f.Doc) {
		for _, prefix := range []string{"+listMapKey=", "+kubebuilder:validation:ListMapKey=", "+k8s:listMapKey="} {
			if key, ok := strings.CutPrefix(line.Text, prefix); ok {
				keys = append(keys, strings.Trim(key, `"`))
			}
		}
	}
	if key := gotypes.StructTag(f).Get("patchMergeKey"); key != "" && !slices.Contains(keys, key) {
		keys = append(keys, key)
	}
	return keys
}

// reportMissing reports a path that does not exist in a kind.
func (c *copier) reportMissing(kind *decl, f importer.Field) {
	of, expr := kind, ast.Expr(kind.typ().Type)
	for i, name := range f.Path {
		names, nextOf, next := c.field(of, expr, name, map[*ast.StructType]bool{})
		if next == nil {
			related := c.position(of.node().Pos())
			if len(names) == 0 {
				related = token.Position{}
			}
			f.ReportMissing(kind.name, i, names, related, &c.diags)
			return
		}
		of, expr = nextOf, next
	}
}

// structure returns the struct in an expression, through pointers, lists, maps and named types, and the declaration
// that contains it. It returns nil for other types, and for types with a form of their own.
func (c *copier) structure(d *decl, expr ast.Expr) (of *decl, found *ast.StructType) {
	expr = element(expr)
	for range maxAliases {
		target := c.typeAt(d, expr)
		if target == nil {
			break
		}
		if c.hasForm(target) {
			return nil, nil
		}
		d, expr = target, element(target.typ().Type)
	}
	found, _ = expr.(*ast.StructType)
	return d, found
}

// keepsAny reports whether a tree has a field of an inline type, apart from the structs that were seen.
func (c *copier) keepsAny(d *decl, expr ast.Expr, tree *crdschema.PathTree, seen map[*ast.StructType]bool) bool {
	of, structure := c.structure(d, expr)
	if structure == nil || seen[structure] {
		return structure == nil
	}
	seen[structure] = true
	return slices.ContainsFunc(structure.Fields.List, func(f *ast.Field) bool {
		name, inline := inJSON(f)
		return inline && c.keepsAny(of, f.Type, tree, seen) || !inline && tree.Field(name) != nil
	})
}

// field returns the type of a field, and the declaration that contains the type. If there is no such field apart from
// the structs that were seen, the type is nil, and names are all fields.
func (c *copier) field(d *decl, expr ast.Expr, wanted string, seen map[*ast.StructType]bool) (names []string, of *decl, found ast.Expr) {
	d, structure := c.structure(d, expr)
	if structure == nil || seen[structure] {
		return nil, nil, nil
	}
	seen[structure] = true
	for _, f := range structure.Fields.List {
		switch name, inline := inJSON(f); {
		case inline:
			inner, innerOf, innerFound := c.field(d, f.Type, wanted, seen)
			if innerFound != nil {
				return nil, innerOf, innerFound
			}
			names = append(names, inner...)
		case name == wanted:
			return nil, d, f.Type
		case name != "-":
			names = append(names, name)
		}
	}
	return names, nil, nil
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
		if d.fn != nil {
			found = append(found, slices.DeleteFunc(slices.Clone(d.needs.decls), func(d *decl) bool { return !c.isSliced(d) })...)
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
	for {
		switch x := expr.(type) {
		case *ast.StarExpr:
			expr = x.X
		case *ast.ParenExpr:
			expr = x.X
		default:
			return expr
		}
	}
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
