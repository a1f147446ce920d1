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

// Derive derives the schema by which server-side apply merges objects and tracks who owns which field, for those of the
// structs that are kinds with apply verbs, and all that these lead to. It is YAML text, as
// sigs.k8s.io/structured-merge-diff reads it with typed.NewParser, and holds no backquote. Equal input gives equal text.
//
// The rules are those of Kubernetes' OpenAPI documents, where most such schemas come from: see the Kubernetes API
// conventions and KEP-555 (server-side apply) for listType, listMapKey, mapType and structType, KEP-1929 (defaults) for
// default. A marker counts with the prefixes "k8s:" and "kubebuilder:" too, but the plain one comes first. Types that
// nothing is known of take any value: interfaces, structs of packages that were not looked into, and types that write
// their own JSON, unless they have an OpenAPISchemaType method or a +kubebuilder:validation:Type marker.
//
// Markers of a field or type that contradict each other, or what they are above, are errors at the field or type. The schema
// is then what it would be without them.
func Derive(structs []*model.StructType) ([]byte, diag.List) {
	d := deriver{types: map[string]atom{}, within: map[string]bool{}}
	for _, s := range structs {
		if s.Resource != nil && s.Resource.IsRoot() {
			d.define(s)
		}
	}
	var w writer
	w.line(0, "types:")
	for _, name := range slices.Sorted(maps.Keys(d.types)) {
		w.definition(name, d.types[name])
	}
	w.definition(untypedAtomic, anything(untypedAtomic, "atomic"))
	w.definition(untypedDeduced, anything(untypedDeduced, "separable"))
	return []byte(w.String()), d.mistakes
}

// Roots returns the names of the kinds that objects of are merged.
func Roots(structs []*model.StructType) []string {
	var names []string
	for _, s := range structs {
		if s.Resource != nil && s.Resource.IsRoot() {
			names = append(names, Name(s))
		}
	}
	return names
}

// Name returns what a struct is called in the schema, as in Kubernetes' OpenAPI documents: example.com/api/v1.Foo
// is com.example.api.v1.Foo.
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

// argumentName tells type arguments apart.
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
