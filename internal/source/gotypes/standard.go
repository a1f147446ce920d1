package gotypes

import (
	"slices"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// plainStandard lists packages of the standard library that need not be read: their types have no fields and a known
// form in JSON, or they declare no types.
var plainStandard = []string{"C", "encoding/json", "time", "unsafe"}

// looksInto reports whether types of a package of the standard library are read.
func (r *Reader) looksInto(importPath string) bool {
	return r.copies != nil && hasSource(importPath) || r.library == r && !slices.Contains(plainStandard, importPath)
}

// standard returns a type of the standard library with its fields, or nil if it is unknown or need not be read.
func (r *Reader) standard(f *load.File, name model.TypeRef) *model.Type {
	if r.near || r.copies != nil || slices.Contains(plainStandard, name.Path) {
		return nil
	}
	if r.library == nil {
		r.library = NewReader(r.Loader, r.policy)
		r.library.library = r.library
	}
	src := r.Imported(f, name.Path)
	if src == nil {
		return nil
	}
	d, ok := r.Lookup(src, name.Name)
	if !ok || d.Type == nil || d.Type.TypeParams != nil {
		return nil
	}
	t := r.library.Named(src, d, nil)
	r.library.readFields()
	return t
}

// maxStandard limits the number of structs of the standard library that are read. API types need few.
const maxStandard = 256

// readFields reads the fields of the structs found so far, and the structs that they refer to.
func (r *Reader) readFields() {
	for ; r.found.read < min(len(r.found.structs), maxStandard); r.found.read++ {
		if s := r.found.structs[r.found.read]; s.Fields == nil {
			r.fieldsOfStruct(s, true)
		}
	}
	r.found.copyRenamedFields()
}
