package gotypes

import (
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// Fields holds the fields of a struct type, including fields promoted from embedded structs of the same package.
type Fields struct {
	List     []Field
	IsStruct bool
	Opaque   bool // there may be more fields, of a type in a package that was not read
}

// Field is one field. Only names in the same package are resolved in its type.
type Field struct {
	*model.Field
	Within []*model.Field // embedded structs that contain it, outermost first
}

// ByName returns the field with a name in Go, if there is one.
func (f Fields) ByName(name string) (Field, bool) {
	for _, field := range f.List {
		if field.Name == name {
			return field, true
		}
	}
	return Field{}, false
}

// Meta returns the embedded field whose type is the struct TypeMeta, ObjectMeta or ListMeta of metav1, or a pointer to
// it. It may be promoted, and an alias may give it another name.
func (f Fields) Meta(name string) (Field, bool) {
	for _, field := range f.List {
		if t := field.Type.Deref(); field.Embedded && t.Name.Name == name && isMeta(t) {
			return field, true
		}
	}
	return Field{}, false
}

// MetaApart reports whether TypeMeta and ObjectMeta are promoted from different depths.
func (f Fields) MetaApart() bool {
	typeMeta, ok := f.Meta("TypeMeta")
	objectMeta, also := f.Meta("ObjectMeta")
	return ok && also && len(typeMeta.Within) != len(objectMeta.Within)
}

// embedsMeta reports whether a struct embeds the TypeMeta of metav1 directly.
func (f Fields) embedsMeta() bool {
	meta, ok := f.Meta("TypeMeta")
	return ok && len(meta.Within) == 0
}

// InPointer returns the outermost of the field and the embedded structs around it whose type is a pointer.
func (f Field) InPointer() (*model.Field, bool) {
	return f.outermost(func(part *model.Field) bool { return part.Type.IsPointer() })
}

// Nested returns the outermost embedded struct around the field that has a name in JSON, so that its fields are not
// fields of the struct.
func (f Field) Nested() (*model.Field, bool) {
	return Field{Within: f.Within}.outermost(func(part *model.Field) bool {
		name, _, _ := strings.Cut(part.Tag.Get("json"), ",")
		return name != ""
	})
}

func (f Field) outermost(is func(*model.Field) bool) (*model.Field, bool) {
	for _, part := range append(slices.Clip(f.Within), f.Field) {
		if part != nil && is(part) {
			return part, true
		}
	}
	return nil, false
}

// FieldsOf returns the fields of a type. A type that is declared as another type, as an alias, or as an instance of a
// generic type has the fields of that type. Types of other packages are read only if their packages are already loaded;
// see AllFieldsOf.
func (r *Reader) FieldsOf(src *load.Package, d load.Decl) Fields {
	return r.fieldsOf(src, d, func(importPath string) *load.Package { return r.Known[importPath] })
}

// AllFieldsOf is like FieldsOf, but loads the packages of embedded types.
func (r *Reader) AllFieldsOf(src *load.Package, d load.Decl) Fields {
	return r.fieldsOf(src, d, func(importPath string) *load.Package { return r.Loader.Imported(d.File, importPath) })
}

func (r *Reader) fieldsOf(src *load.Package, d load.Decl, known func(importPath string) *load.Package) Fields {
	t := r.followed(r.Named(src, d, nil).Deref(), known)
	if isForeign(t) && t.Name.Path != src.Path {
		return Fields{IsStruct: true, Opaque: true}
	}
	return r.promoted(t, known)
}

// followed replaces a type of a package that an outline has not read by its declaration there. The structs of metav1
// are not replaced.
func (r *Reader) followed(t *model.Type, known func(importPath string) *load.Package) *model.Type {
	for range 16 {
		if t = innermost(t); !isForeign(t) || isMeta(t) {
			break
		}
		src := known(t.Name.Path)
		if src == nil {
			break
		}
		d, ok := r.Lookup(src, t.Name.Name)
		if !ok || d.Type == nil || (d.Type.TypeParams == nil) != (len(t.Args) == 0) {
			break
		}
		next := r.Named(src, d, t.Args).Deref()
		if next.Kind == model.Unknown && next.Name == t.Name && next.Elem == nil {
			break
		}
		t = next
	}
	return t
}

// innermost returns the type that a type of unknown kind is declared as.
func innermost(t *model.Type) *model.Type {
	for range 16 { // it may be declared as itself
		if t.Kind == model.Unknown && t.Elem != nil {
			t = t.Elem
		}
	}
	return t
}

// isForeign reports whether a type belongs to a package that was not read.
func isForeign(t *model.Type) bool {
	return t.Kind == model.Unknown && t.Name.Name != "" && t.Elem == nil
}

// level is a struct, and the embedded structs around it.
type level struct {
	typ    *model.Type
	within []*model.Field
}

// promoted returns the fields of a struct, including promoted ones, but without the fields of TypeMeta, ObjectMeta or
// ListMeta of metav1.
func (r *Reader) promoted(t *model.Type, known func(importPath string) *load.Package) Fields {
	found := Fields{IsStruct: t.Kind == model.Struct}
	seen := map[*model.StructType]bool{}
	levels := []level{{typ: t}}
	for depth := 0; len(levels) > 0; depth++ { // level by level, because shallower fields hide deeper ones
		if depth > model.MaxEmbedded {
			found.Opaque = true
			break
		}
		var next []level
		for _, l := range levels {
			if l.typ.Struct != nil && seen[l.typ.Struct] {
				continue // it embeds itself
			}
			seen[l.typ.Struct] = true
			for _, f := range r.StructFields(l.typ) {
				inner := f.Type.Deref()
				if f.Embedded {
					inner = r.followed(inner, known)
				}
				found.List = append(found.List, Field{withTarget(f, inner), l.within})
				if f.Embedded && !isMeta(inner) {
					found.Opaque = found.Opaque || inner.Kind == model.Unknown
					next = append(next, level{inner, append(slices.Clip(l.within), f)})
				}
			}
		}
		levels = next
	}
	return found
}

// isMeta reports whether a type is the TypeMeta, ObjectMeta or ListMeta of metav1, or of an unknown package.
func isMeta(t *model.Type) bool {
	return (t.Name.Path == model.MetaV1 || t.Name.Path == "") && slices.Contains([]string{"TypeMeta", "ObjectMeta", "ListMeta"}, t.Name.Name)
}

// withTarget returns the field with another type, or with a pointer to it.
func withTarget(f *model.Field, target *model.Type) *model.Field {
	if f.Type.Deref() == target {
		return f
	}
	other := *f
	if other.Type = target; f.Type.IsPointer() {
		other.Type = &model.Type{Kind: model.Pointer, Elem: target}
	}
	return &other
}

// ElementOf returns the name of the element type of a slice, or "" for other types, and whether the elements are
// pointers. known is false if the type is declared in another package.
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
