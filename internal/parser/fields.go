package parser

import (
	"go/ast"
	"slices"

	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/model"
)

// fields are the fields of a struct type, including those promoted from embedded structs of the same package.
type fields struct {
	list     []field
	isStruct bool
	opaque   bool // there may be more fields: it embeds, or is declared as, a type of another package that was not read
}

// field is one field. Only names in the same package are resolved in its type.
type field struct {
	*model.Field
	depth int // number of embedded structs around it
}

func (f fields) byName(name string) (field, bool) {
	for _, field := range f.list {
		if field.Name == name {
			return field, true
		}
	}
	return field{}, false
}

// embedsMeta reports whether a field embeds a struct of the package metav1, with the name of the field.
func (f field) embedsMeta() bool {
	t := f.Type.Behind()
	return f.Embedded && (t.Struct == nil || t.Name.Path == model.MetaV1)
}

// kindMeta returns the embedded TypeMeta that makes a struct the object of a kind.
func (f fields) kindMeta() (field, bool) {
	meta, ok := f.byName("TypeMeta")
	isKind := func(f field) bool { return f.Name == "TypeMeta" && f.embedsMeta() } // meta may be a struct that embeds it
	return meta, ok && meta.Embedded && meta.depth == 0 && slices.ContainsFunc(f.list, isKind)
}

// fieldsOf returns the fields of a type. A type that is declared as another type of the same package, as an alias, or
// as an instance of a generic type has the fields of that type, and so does one declared as a type of another package
// that was read.
func (p *parser) fieldsOf(src *load.Package, d load.Decl) fields {
	for range 16 {
		r := p.sharedOutline()
		t := innermost(r.named(src, d, nil).Behind())
		if !isForeign(src, t) {
			return r.promoted(t)
		}
		if src = p.Known[t.Name.Path]; src == nil {
			break
		}
		var ok bool
		if d, ok = p.Lookup(src, t.Name.Name); !ok || d.Type == nil || d.Type.TypeParams != nil {
			break
		}
	}
	return fields{isStruct: true, opaque: true}
}

// innermost returns what a type that cannot be read is declared as.
func innermost(t *model.Type) *model.Type {
	for range 16 { // it may be declared as itself
		if t.Kind == model.Unknown && t.Elem != nil {
			t = t.Elem
		}
	}
	return t
}

// isForeign reports whether a type is one of another package that was not read.
func isForeign(src *load.Package, t *model.Type) bool {
	return t.Kind == model.Unknown && t.Name.Name != "" && t.Name.Path != src.Path
}

// promoted returns the fields of a struct. The TypeMeta, ObjectMeta or ListMeta of metav1 is not looked into.
func (r *typeReader) promoted(t *model.Type) fields {
	found := fields{isStruct: t.Kind == model.Struct}
	seen := map[*model.StructType]bool{}
	level := []*model.Type{t}
	for depth := 0; len(level) > 0; depth++ { // level by level, since shallower fields hide deeper ones
		if depth > model.MaxEmbedded {
			found.opaque = true
			break
		}
		var next []*model.Type
		for _, t := range level {
			if t.Struct != nil && seen[t.Struct] {
				continue // it embeds itself
			}
			seen[t.Struct] = true
			for _, f := range r.direct(t) {
				found.list = append(found.list, field{f, depth})
				isMeta := slices.Contains([]string{"TypeMeta", "ObjectMeta", "ListMeta"}, f.Name) && field{f, depth}.embedsMeta()
				if inner := f.Type.Behind(); f.Embedded && !isMeta {
					found.opaque = found.opaque || inner.Kind == model.Unknown
					next = append(next, inner)
				}
			}
		}
		level = next
	}
	return found
}

// sharedOutline returns the outline for all types, since the set of files last changed.
func (p *parser) sharedOutline() *typeReader {
	if p.outlined == nil {
		p.outlined = p.newTypeReader().outline()
	}
	return p.outlined
}

// direct returns the fields of a struct that are declared in it, nil for other types.
func (r *typeReader) direct(t *model.Type) []*model.Field {
	switch s := r.pending()[t.Struct]; {
	case s == nil:
		return t.Fields
	case s.Like != nil:
		return r.direct(s.Like)
	default:
		return r.fieldsIn(s.scope, s.fields, true)
	}
}

// baseName returns the name of an embedded field.
func baseName(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.Ident:
		return expr.Name
	case *ast.StarExpr:
		return baseName(expr.X)
	case *ast.SelectorExpr:
		return expr.Sel.Name
	case *ast.IndexExpr:
		return baseName(expr.X)
	case *ast.IndexListExpr:
		return baseName(expr.X)
	}
	return ""
}

// elementOf returns the name of the element type of a slice, "" for other types, and whether the elements are pointers. known
// is false if the type is declared in another package.
func elementOf(src *load.Package, t *model.Type) (element string, pointers, known bool) {
	elem := innermost(t.Underlying())
	if elem.Kind == model.Slice {
		if elem = elem.Elem; elem.Kind == model.Pointer {
			elem, pointers = elem.Elem, true
		}
	} else if elem.Kind != model.Unknown {
		return "", false, true
	}
	switch {
	case elem.Kind == model.Interface:
		return "any", pointers, true
	case elem.Kind == model.Basic, elem.Name.Path == src.Path && (elem.Kind != model.Unknown || elem.Elem == nil):
		return elem.Name.Name, pointers, true
	}
	return "", pointers, false
}
