// Package schema says how server-side apply merges the objects of an API: it derives the schema that
// sigs.k8s.io/structured-merge-diff works with from Go types and their markers, and lets an OpenAPI document override it.
package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/model"
)

// A Schema determines how server-side apply merges objects and tracks the owners of fields. Its zero value has only the
// types that accept any value.
type Schema struct{ types map[string]atom }

// Derive derives the schema of the structs that are kinds with apply verbs, and of all types that they consist of. It
// depends only on the input.
//
// The rules are those of Kubernetes' OpenAPI documents, where most such schemas come from: see the Kubernetes API
// conventions and KEP-555 (server-side apply) for listType, listMapKey, mapType and structType, KEP-1929 (defaults) for
// default. A marker may have the prefix "k8s:" or "kubebuilder:", but one without a prefix takes precedence. Unknown
// types accept any value: interfaces, structs of packages that were not read, and types that write their own JSON,
// unless they have an OpenAPISchemaType method or a +kubebuilder:validation:Type marker.
//
// Markers that contradict each other, or the field or type below them, are errors at the field or type, and have no
// effect on the schema.
func Derive(structs []*model.StructType) (*Schema, diag.List) {
	d := deriver{types: map[string]atom{}, within: map[string]bool{}, own: map[*model.StructType]ownForm{}}
	for _, s := range structs {
		if s.Resource != nil && s.Resource.IsRoot() {
			d.define(s)
		}
	}
	return &Schema{d.types}, d.mistakes
}

// String returns the schema as YAML for typed.NewParser of sigs.k8s.io/structured-merge-diff, without backquotes. The
// types are in the order of their names, and after them come those that accept any value.
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

// Roots returns the names of the kinds whose objects are merged.
func Roots(structs []*model.StructType) []string {
	var names []string
	for _, s := range structs {
		if s.Resource != nil && s.Resource.IsRoot() {
			names = append(names, Name(s))
		}
	}
	return names
}

// Name returns the name of a struct in the schema, as in Kubernetes' OpenAPI documents: example.com/api/v1.Foo is
// com.example.api.v1.Foo.
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

// argumentName returns a name that differs for different type arguments.
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
