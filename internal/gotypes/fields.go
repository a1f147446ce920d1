package gotypes

import (
	"go/ast"
	"slices"

	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/model"
)

// Fields are the fields of a struct type, including those promoted from embedded structs of the same package.
type Fields struct {
	List     []Field
	IsStruct bool
	Opaque   bool // there may be more fields: it embeds, or is declared as, a type of another package that was not read
}

// Field is one field. Only names in the same package are resolved in its type.
type Field struct {
	*model.Field
	Depth int // number of embedded structs around it
}

func (f Fields) ByName(name string) (Field, bool) {
	for _, field := range f.List {
		if field.Name == name {
			return field, true
		}
	}
	return Field{}, false
}

// embedsMeta reports whether a field embeds a struct of the package metav1, with the name of the field.
func (f Field) embedsMeta() bool {
	t := f.Type.Deref()
	return f.Embedded && (t.Struct == nil || t.Name.Path == model.MetaV1)
}

// KindMeta returns the embedded TypeMeta that makes a struct the object of a kind.
func (f Fields) KindMeta() (Field, bool) {
	meta, ok := f.ByName("TypeMeta")
	isKind := func(f Field) bool { return f.Name == "TypeMeta" && f.embedsMeta() } // meta may be a struct that embeds it
	return meta, ok && meta.Embedded && meta.Depth == 0 && slices.ContainsFunc(f.List, isKind)
}

// FieldsOf returns the fields of a type. A type that is declared as another type of the same package, as an alias, or
// as an instance of a generic type has the fields of that type, and so does one declared as a type of another package
// that was read.
func (r *Reader) FieldsOf(src *load.Package, d load.Decl) Fields {
	for range 16 {
		t := innermost(r.Named(src, d, nil).Deref())
		if !isForeign(src, t) {
			return r.promoted(t)
		}
		if src = r.Known[t.Name.Path]; src == nil {
			break
		}
		var ok bool
		if d, ok = r.Lookup(src, t.Name.Name); !ok || d.Type == nil || d.Type.TypeParams != nil {
			break
		}
	}
	return Fields{IsStruct: true, Opaque: true}
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
func (r *Reader) promoted(t *model.Type) Fields {
	found := Fields{IsStruct: t.Kind == model.Struct}
	seen := map[*model.StructType]bool{}
	level := []*model.Type{t}
	for depth := 0; len(level) > 0; depth++ { // level by level, since shallower fields hide deeper ones
		if depth > model.MaxEmbedded {
			found.Opaque = true
			break
		}
		var next []*model.Type
		for _, t := range level {
			if t.Struct != nil && seen[t.Struct] {
				continue // it embeds itself
			}
			seen[t.Struct] = true
			for _, f := range r.direct(t) {
				found.List = append(found.List, Field{f, depth})
				isMeta := slices.Contains([]string{"TypeMeta", "ObjectMeta", "ListMeta"}, f.Name) && Field{f, depth}.embedsMeta()
				if inner := f.Type.Deref(); f.Embedded && !isMeta {
					found.Opaque = found.Opaque || inner.Kind == model.Unknown
					next = append(next, inner)
				}
			}
		}
		level = next
	}
	return found
}

// direct returns the fields of a struct that are declared in it, nil for other types.
func (r *Reader) direct(t *model.Type) []*model.Field {
	switch s := r.pending()[t.Struct]; {
	case s == nil:
		return t.Fields
	case s.DefinedAs != nil:
		return r.direct(s.DefinedAs)
	default:
		return r.fieldsIn(s.scope, s.fields, true)
	}
}

// BaseName returns the name of an embedded field.
func BaseName(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.Ident:
		return expr.Name
	case *ast.StarExpr:
		return BaseName(expr.X)
	case *ast.SelectorExpr:
		return expr.Sel.Name
	case *ast.IndexExpr:
		return BaseName(expr.X)
	case *ast.IndexListExpr:
		return BaseName(expr.X)
	}
	return ""
}

// ElementOf returns the name of the element type of a slice, "" for other types, and whether the elements are pointers. known
// is false if the type is declared in another package.
func ElementOf(src *load.Package, t *model.Type) (element string, pointers, known bool) {
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
