// Package gotypes reads Go types from syntax: declared types and the types that they refer to, with fields, tags, JSON
// and DeepCopy methods, markers and comments. It does not type-check, and reads a package when it needs the first of
// its types, so it also reads types that do not compile yet.
package gotypes

import (
	"go/ast"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Reader resolves declared types and all types that they refer to. It reads a package when it needs the first of its
// types.
type Reader struct {
	names
	Packages map[*load.Package]*model.Package // for StructType.Package; set by the caller
	// ModelNames returns the result of a method OpenAPIModelName that the run writes for a type, or "". It reports whether
	// that takes the place of a method in files. It may be nil.
	ModelNames func(*Declaration) (name string, written bool)
	policy     model.Policy
	source     *source
	found      found
	limits     limits
	copies     *copyReader // nil unless types are read for DeepCopy methods
	outline    *Reader     // result of Outline; for an outline, itself
	library    *Reader     // reader of the standard library; for that reader, itself
}

// source holds the parts of files that were read, for a reader and its outline.
type source struct {
	comments      map[*load.File]Comments
	withMethods   map[*load.Package]bool                    // packages whose methods are read; see methods
	withConstants map[*load.Package]bool                    // packages whose constants are read; see Constants
	declarations  map[*load.Package]map[string]*Declaration // by name; see Declared
}

// found holds the types that were read.
type found struct {
	named   map[string]*model.Type // by path, name and type arguments
	unnamed map[unnamed]*model.Type
	structs []*pendingStruct
	byType  map[*model.StructType]*pendingStruct // see pending
	renamed []*model.StructType                  // structs with DefinedAs
	read    int                                  // number of structs whose fields readFields has read
}

func newFound() found {
	return found{named: map[string]*model.Type{}, unnamed: map[unnamed]*model.Type{}, byType: map[*model.StructType]*pendingStruct{}}
}

// pendingStruct is a struct whose fields have not been read yet.
type pendingStruct struct {
	scope
	*model.StructType
	fields *ast.FieldList // nil if it is declared as another struct
}

// NewReader returns a Reader of the packages of a Loader. The policy determines which fields it follows, and which
// comments belong to a type.
func NewReader(l *load.Loader, policy model.Policy) *Reader {
	return &Reader{
		names: names{Loader: l}, Packages: map[*load.Package]*model.Package{}, policy: policy,
		source: &source{
			map[*load.File]Comments{}, map[*load.Package]bool{}, map[*load.Package]bool{}, map[*load.Package]map[string]*Declaration{},
		},
		found: newFound(), limits: newLimits(l.Fset),
	}
}

// Outline returns a reader that reads no other packages, no structs and no comments. It resolves types only within
// their own package.
func (r *Reader) Outline() *Reader {
	if r.outline == nil {
		outline := *r
		outline.near, outline.found, outline.limits = true, newFound(), newLimits(nil)
		outline.outline = &outline
		r.outline = &outline
	}
	return r.outline
}

// Structs returns the structs that types with the given names refer to, except for structs that were returned before,
// or nil if types are refused.
func (r *Reader) Structs(types ...model.TypeRef) (found []*model.StructType) {
	before := len(r.found.structs)
	r.readAll(types)
	if r.reportRecursive(); len(r.limits.refused) > 0 {
		return nil
	}
	for _, s := range r.found.structs[before:] {
		found = append(found, s.StructType)
	}
	return found
}

// Refused returns errors about the declared types that are infinite or too large, among the types read so far.
func (r *Reader) Refused() diag.List { return r.limits.refused }

// readAll reads the types with the given names, and all types that they refer to.
func (r *Reader) readAll(types []model.TypeRef) {
	next := len(r.found.structs)
	for _, ref := range types {
		if src := r.imported(nil, ref.Path); src != nil {
			if d, ok := r.Lookup(src, ref.Name); ok && d.Type != nil {
				r.Named(src, d, nil)
			}
		}
	}
	for ; next < len(r.found.structs); next++ {
		r.fieldsOfStruct(r.found.structs[next], r.policy.AllFields)
	}
	r.found.copyRenamedFields()
}
