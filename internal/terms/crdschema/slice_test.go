package crdschema

import (
	"testing"

	"go.yaml.in/yaml/v3"
)

func TestSlice(t *testing.T) {
	const whole = `
type: object
required: [spec]
properties:
  metadata: {type: object}
  spec:
    type: object
    required: [b, c]
    minProperties: 1
    default: {b: x}
    x-kubernetes-validations: [{rule: self.b != self.c}]
    properties:
      b: {type: string, pattern: x}
      c: {type: string}
      list: {type: array, maxItems: 3, items: {type: object, properties: {x: {type: string}, y: {type: string}}}}
      keyed: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, x: {type: string}, y: {type: string}}}}
      nested: {type: object, additionalProperties: {type: array, items: {type: array, items: {type: object, properties: {x: {type: string}, y: {type: string}}}}}}
      atomic: {type: object, x-kubernetes-map-type: atomic, properties: {x: {type: string}, y: {type: string}}}
  status: {type: object, minProperties: 1, properties: {x: {type: string}}}
`
	for _, test := range []struct {
		paths    []string
		want     string // in JSON
		replaces string // the property of spec that server-side apply would replace, or ""
	}{
		{[]string{"status"}, `{"properties":{"metadata":{"type":"object"},"status":{"minProperties":1,"properties":{"x":{"type":"string"}},"type":"object"}},"type":"object"}`, ""},
		{[]string{"spec.b"}, `{"properties":{"metadata":{"type":"object"},"spec":{"properties":{"b":{"pattern":"x","type":"string"}},"required":["b"],"type":"object"}},"required":["spec"],"type":"object"}`, ""},
		{[]string{"spec.list.x"}, `{"properties":{"metadata":{"type":"object"},"spec":{"properties":{"list":{"items":{"properties":{"x":{"type":"string"}},"type":"object"},"type":"array"}},"type":"object"}},"required":["spec"],"type":"object"}`, "list"},
		{[]string{"spec.keyed.x"}, `{"properties":{"metadata":{"type":"object"},"spec":{"properties":{"keyed":{"items":{"properties":{"k":{"type":"string"},"x":{"type":"string"}},"required":["k"],"type":"object"},"type":"array","x-kubernetes-list-map-keys":["k"],"x-kubernetes-list-type":"map"}},"type":"object"}},"required":["spec"],"type":"object"}`, ""},
		{[]string{"spec.nested.y"}, `{"properties":{"metadata":{"type":"object"},"spec":{"properties":{"nested":{"additionalProperties":{"items":{"items":{"properties":{"y":{"type":"string"}},"type":"object"},"type":"array"},"type":"array"},"type":"object"}},"type":"object"}},"required":["spec"],"type":"object"}`, "nested"},
		{[]string{"spec.atomic.y"}, `{"properties":{"metadata":{"type":"object"},"spec":{"properties":{"atomic":{"properties":{"y":{"type":"string"}},"type":"object","x-kubernetes-map-type":"atomic"}},"type":"object"}},"required":["spec"],"type":"object"}`, "atomic"},
		{[]string{"spec.atomic", "spec.atomic.y"}, `{"properties":{"metadata":{"type":"object"},"spec":{"properties":{"atomic":{"properties":{"x":{"type":"string"},"y":{"type":"string"}},"type":"object","x-kubernetes-map-type":"atomic"}},"type":"object"}},"required":["spec"],"type":"object"}`, ""},
	} {
		var document yaml.Node
		if err := yaml.Unmarshal([]byte(whole), &document); err != nil {
			t.Fatal(err)
		}
		s, errs := Parse(document.Content[0])
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		tree := &PathTree{}
		for _, text := range test.paths {
			path, err := ParsePath(text)
			if err != nil {
				t.Fatal(err)
			}
			if i, in := s.Missing(path); in != nil {
				t.Errorf("%s misses %s in %s", text, path[i], path[:i])
			}
			tree.Add(path)
		}
		before := s.JSON()
		slice := s.Slice(tree)
		if got := slice.JSON(); got != test.want {
			t.Errorf("%q: %s\nwant %s", test.paths, got, test.want)
		}
		if s.JSON() != before {
			t.Errorf("%q changed the original", test.paths)
		}
		if spec := slice.Property("spec"); spec != nil {
			for _, p := range spec.Properties {
				if p.ReplacesSliced() != (p.Name == test.replaces) {
					t.Errorf("%q: %s replaces fields: %v", test.paths, p.Name, p.ReplacesSliced())
				}
			}
		}
	}
}
