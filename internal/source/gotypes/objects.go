package gotypes

import (
	"bytes"
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// Objects returns the fields of the types of a package that represent API objects, by type name: exported structs that
// embed metav1.TypeMeta, and marked kinds and their lists if they embed a struct that does. A struct that only provides
// its metadata to such types is not an object.
func (r *Reader) Objects(src *load.Package) map[string]Fields {
	if !mayHoldObjects(src) {
		return nil
	}
	r.ParseWhere(src, func(f *load.File) bool { // not for their DeepCopy methods
		return bytes.Contains(f.Text, []byte("TypeMeta")) && bytes.Contains(f.Text, []byte("\ntype "))
	})
	found, lent := map[string]Fields{}, map[string]bool{}
	for _, name := range DeclaredTypes(src) {
		if d := src.Decls[name]; mayBeObject(d) {
			if in := r.FieldsOf(src, d); in.embedsMeta() {
				found[name] = in
			}
		}
	}
	add := func(name string) {
		d, ok := r.Lookup(src, name)
		if _, known := found[name]; known || !ok || !mayBeObject(d) {
			return
		}
		in := r.AllFieldsOf(src, d)
		meta, ok := in.Meta("TypeMeta")
		if !ok {
			return
		}
		found[name] = in
		for _, outer := range meta.Within {
			if base := outer.Type.Deref(); base.Name.Path == src.Path {
				lent[base.Name.Name] = true
			}
		}
	}
	for _, name := range DeclaredTypes(src) {
		if r.IsMarked(src.Decls[name]) {
			add(name)
			add(name + "List")
		}
	}
	for base := range lent {
		if r.lendsOnly(src, base) {
			delete(found, base)
		}
	}
	return found
}

// mayHoldObjects reports whether a package may declare objects: it mentions TypeMeta, or has markers for kinds.
func mayHoldObjects(src *load.Package) bool {
	return src.Mentions("TypeMeta") || src.Mentions(markers.Genclient) || src.Mentions("+kubebuilder:")
}

// mayBeObject reports whether a declaration is an exported type that is neither an alias nor generic.
func mayBeObject(d load.Decl) bool {
	return d.Type != nil && token.IsExported(d.Type.Name.Name) && !d.Type.Assign.IsValid() && d.Type.TypeParams == nil
}

// lendsOnly reports whether a struct that others embed for its metadata is not a kind itself: it is not marked as one,
// and has no list.
func (r *Reader) lendsOnly(src *load.Package, name string) bool {
	_, hasList := src.Decls[name+"List"]
	return !hasList && !strings.HasSuffix(name, "List") && !r.IsMarked(src.Decls[name])
}

// IsMarked reports whether markers above a type declare it as a kind or another object.
func (r *Reader) IsMarked(d load.Decl) bool {
	return d.Type != nil && r.HasMarker(d, func(line string) bool {
		return markers.MeansGenclient(line) || IsObjectMarker(line) || strings.HasPrefix(line, "+kubebuilder:resource")
	})
}

// HasMarker reports whether a line with a marker above a type fulfils a condition.
func (r *Reader) HasMarker(d load.Decl, is func(line string) bool) bool {
	return slices.ContainsFunc(markers.Lines(r.Fset, r.Above(d.File, d.Type)...), func(line markers.Line) bool { return is(line.Text) })
}

// IsObjectMarker reports whether a marker requests the method DeepCopyObject.
func IsObjectMarker(line string) bool {
	if value, ok := strings.CutPrefix(line, "+"+model.ObjectMarker+":root"); ok {
		return value != "=false"
	}
	value, ok := strings.CutPrefix(line, "+"+model.DeepCopyMarker+":interfaces=")
	return ok && strings.Contains(value, "k8s.io/apimachinery/pkg/runtime.Object")
}

// Kinds returns the kinds of a package, ordered by name: structs that embed TypeMeta and ObjectMeta, and marked ones
// that embed a struct that does. Structs that only provide metadata to kinds are left out.
func (r *Reader) Kinds(src *load.Package) []*Declaration {
	if !mayHoldObjects(src) {
		return nil
	}
	var found []*Declaration
	outline := r.Outline()
	objects := outline.Objects(src)
	for _, name := range DeclaredTypes(src) {
		in, isObject := objects[name]
		if !isObject && !token.IsExported(name) {
			in = outline.FieldsOf(src, src.Decls[name])
		}
		meta, ok := in.Meta("ObjectMeta")
		if !ok {
			continue
		}
		pointer, _ := meta.InPointer()
		d := r.Declared(src, name)
		if d.embedsMeta("TypeMeta") && d.embedsMeta("ObjectMeta") || isObject && pointer == nil && r.IsMarked(src.Decls[name]) {
			found = append(found, d)
		}
	}
	return found
}

// embedsMeta reports whether a declared struct embeds a struct of metav1 by value.
func (d *Declaration) embedsMeta(name string) bool {
	return slices.ContainsFunc(d.Fields, func(f *DeclaredField) bool {
		return f.Name == "" && f.Type.Form == NamedForm && f.Type.Name == model.TypeRef{Path: model.MetaV1, Name: name}
	})
}
