package apitest

import (
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Definition is a CustomResourceDefinition with all that a comparison looks at.
const Definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.org}
spec:
  group: example.org
  names: {kind: Foo, plural: foos, singular: foo, listKind: FooList, shortNames: [f], categories: [all]}
  scope: Namespaced
  preserveUnknownFields: false
  conversion: {strategy: None}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns: [{name: A, type: string, jsonPath: .spec.a}]
    selectableFields: [{jsonPath: .spec.a}]
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.n, statusReplicasPath: .status.n, labelSelectorPath: .status.s}
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          metadata: {type: object, properties: {name: {type: string, maxLength: 8}}}
          spec:
            type: object
            x-kubernetes-validations: [{rule: "!has(self.a)", message: a is not allowed}]
            oneOf: [{required: [a]}, {properties: {n: {maximum: 3}}}]
            properties:
              a: {type: string, default: x, enum: [x, y], nullable: true}
              n: {type: integer, format: int32, minimum: 1, multipleOf: 2}
              p: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], pattern: a}
              l:
                {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k],
                  items: {type: object, required: [k], properties: {k: {type: string}}}}
              m: {type: object, additionalProperties: {type: string}, x-kubernetes-map-type: atomic}
              o: {type: object, x-kubernetes-preserve-unknown-fields: true, not: {required: [x]}}
          status: {type: object, properties: {n: {type: integer}, s: {type: string}}}
  - name: v2
    served: true
    storage: false
    deprecated: true
    deprecationWarning: old
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {a: {type: string}, l: {type: array, items: {type: string}}}}}
`

// Odd is a document with one value missing or replaced.
type Odd struct {
	Change string // what differs
	Text   []byte
}

// oddValues replace values of a document.
var oddValues = []any{
	nil, "", "x", "v1", ".spec", 7, -1.5, true, []any{}, map[string]any{}, []any{nil}, []any{"x", "x"}, map[string]any{"x": nil},
}

// OddDocuments returns documents that differ in one value from a YAML document: for each value in it, one without the
// value, one for each odd value, and for elements of lists one with the element twice.
func OddDocuments(text []byte) (all []Odd) {
	var root map[string]any
	if err := yaml.Unmarshal(text, &root); err != nil {
		panic(err)
	}
	add := func(path, what string) {
		changed, err := yaml.Marshal(root)
		if err != nil {
			panic(err)
		}
		all = append(all, Odd{path + " " + what, changed})
	}
	var visit func(value any, path string, set func(any))
	visit = func(value any, path string, set func(any)) {
		for _, odd := range oddValues {
			set(odd)
			add(path, fmt.Sprintf("is %v", odd))
		}
		set(value)
		switch value := value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(value)) {
				inner := value[key]
				delete(value, key)
				add(path+"."+key, "is missing")
				visit(inner, path+"."+key, func(v any) { value[key] = v })
			}
		case []any:
			for i, inner := range value {
				at := fmt.Sprintf("%s[%d]", path, i)
				set(slices.Concat(value[:i], value[i+1:]))
				add(at, "is missing")
				set(slices.Insert(slices.Clone(value), i, inner))
				add(at, "is there twice")
				set(value)
				visit(inner, at, func(v any) { value[i] = v })
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(root)) {
		visit(root[key], "."+key, func(v any) { root[key] = v })
	}
	return all
}
