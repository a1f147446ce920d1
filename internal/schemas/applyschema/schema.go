// Package applyschema derives the merge schema of an API from Go types and their markers.
// sigs.k8s.io/structured-merge-diff uses the schema to merge objects in server-side apply.
package applyschema

import (
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// A Schema determines how server-side apply merges objects and tracks the owners of fields. The zero Schema only
// contains the types that accept any value.
type Schema struct{ types map[string]atom }

// Derive derives the schema of the structs: kinds with apply verbs, and all structs that they contain. The result only
// depends on the input.
//
// The rules are the same as for Kubernetes' OpenAPI documents, the usual source of such schemas. For listType,
// listMapKey, mapType and structType, see the Kubernetes API conventions and KEP-555 (server-side apply); for default,
// see KEP-1929 (defaults). A marker may have the prefix "k8s:" or "kubebuilder:", but a marker without a prefix takes
// precedence. Types of unknown form accept any value: interfaces, structs of packages that were not read, and types
// with their own JSON form, unless they have an OpenAPISchemaType method or a +kubebuilder:validation:Type marker.
//
// If markers contradict each other, or the field or type that they belong to, there is an error at that field or type,
// and the markers have no effect.
func Derive(structs []*model.StructType) (*Schema, diag.List) {
	d := deriver{types: map[string]atom{}, within: map[string]bool{}, own: map[*model.StructType]ownForm{}}
	for _, s := range structs {
		if s.Resource != nil && s.Resource.IsRoot() {
			name := d.define(s)
			for _, m := range s.Resource.Merging {
				d.types[name], _ = d.follow(d.types[name], m.Path, m)
			}
		}
	}
	return &Schema{d.types}, d.mistakes
}

// Deduce adds kinds without apply verbs to the schema, unless it has them. Their objects may have any fields, each with
// its own owners. Fake clientsets that track ownership reject objects of kinds that are not in the schema.
func (s *Schema) Deduce(kinds ...model.TypeRef) {
	for _, kind := range kinds {
		name := nameOf(kind, nil)
		if _, ok := s.types[name]; !ok {
			s.types[name] = atom{object: &objectAtom{elem: &typeRef{named: untypedDeduced}}}
		}
	}
}

// NameOf returns the name of a kind in the schema. See Name.
func NameOf(kind model.TypeRef) string { return nameOf(kind, nil) }

// String returns the schema as YAML for typed.NewParser of sigs.k8s.io/structured-merge-diff, without backquotes. Types
// are ordered by name, followed by the types that accept any value.
func (s *Schema) String() string {
	var w writer
	w.line(0, "types:")
	for _, name := range slices.Sorted(maps.Keys(s.types)) {
		w.definition(name, s.types[name])
	}
	w.definition(untypedAtomic, anything(untypedAtomic, "atomic"))
	w.definition(untypedDeduced, anything(untypedDeduced, "separable"))
	return w.String()
}

// ModelName returns the result of the method OpenAPIModelName of a struct, or "". The method may be promoted from an
// embedded struct. If there are two at the same depth, Go promotes neither.
func ModelName(s *model.StructType) string {
	seen := map[*model.StructType]bool{s: true}
	for level := map[*model.StructType]int{s: 1}; len(level) > 0; {
		name, found, next := "", 0, map[*model.StructType]int{}
		for s, times := range level {
			if s.ModelName != "" {
				name, found = s.ModelName, found+times
			}
			for _, f := range s.Fields {
				if inner := f.Type.Deref().Struct; f.Embedded && inner != nil && !seen[inner] {
					next[inner] = min(2, next[inner]+times)
				}
			}
		}
		switch {
		case found == 1:
			return name
		case found > 1:
			return ""
		}
		for s := range next {
			seen[s] = true
		}
		level = next
	}
	return ""
}

// Name returns the name of a struct in the schema, in the form used by Kubernetes' OpenAPI documents:
// example.com/api/v1.Foo becomes com.example.api.v1.Foo.
func Name(s *model.StructType) string { return nameOf(s.TypeRef, s.Args) }

func nameOf(ref model.TypeRef, args []*model.Type) string {
	name := ref.Name
	if ref.Path != "" {
		host, rest, _ := strings.Cut(ref.Path+"."+ref.Name, "/")
		if rest == "" {
			host, rest = ref.Path, ref.Name
		}
		labels := strings.Split(host, ".")
		slices.Reverse(labels)
		name = strings.Join(labels, ".") + "." + strings.ReplaceAll(rest, "/", ".")
	}
	if len(args) == 0 {
		return name
	}
	names := make([]string, len(args))
	for i, arg := range args {
		names[i] = argumentName(arg)
	}
	return name + "[" + strings.Join(names, ",") + "]"
}

// argumentName returns a name for a type argument. Different types have different names.
func argumentName(t *model.Type) string {
	switch t.Kind {
	case model.Pointer:
		return "*" + argumentName(t.Elem)
	case model.Slice, model.Array:
		return "[" + t.Len + "]" + argumentName(t.Elem)
	case model.Map:
		return "map[" + argumentName(t.Key) + "]" + argumentName(t.Elem)
	case model.Struct:
		if t.Name.Name == "" {
			name := "struct{"
			for _, f := range t.JSONFields() {
				name += f.JSON() + " " + argumentName(f.Type) + ";"
			}
			return name + "}"
		}
	}
	return nameOf(t.Name, t.Args)
}
