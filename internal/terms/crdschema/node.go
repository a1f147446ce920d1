package crdschema

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// The keys of schemas and of rules in the order of the fields in package apiextensions/v1.
var (
	fieldOrder = []string{
		"description", "type", "format", "title", "default", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength",
		"minLength", "pattern",
		"maxItems", "minItems", "uniqueItems", "multipleOf", "enum", "maxProperties", "minProperties", "required", "items", "allOf", "oneOf",
		"anyOf", "not",
		"properties", "additionalProperties", "externalDocs", "example", "nullable", "x-kubernetes-preserve-unknown-fields",
		"x-kubernetes-embedded-resource",
		"x-kubernetes-int-or-string", "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type", "x-kubernetes-validations",
	}
	ruleOrder = []string{"rule", "message", "messageExpression", "reason", "fieldPath", "optionalOldSelf"}
)

// Node returns the schema as a YAML node, with keywords in the order of the fields in package apiextensions/v1. Other
// keys are sorted.
func (s *Schema) Node() *yaml.Node {
	documents, _ := yamltext.Read([]byte(s.JSON())) // cannot fail
	n := documents[0].Content[0]
	clearStyle(n)
	sortSchema(n)
	return n
}

// clearStyle lets the encoder choose the style of a node and all nodes in it.
func clearStyle(n *yaml.Node) {
	n.Style = 0
	for _, inner := range n.Content {
		clearStyle(inner)
	}
}

// sortSchema sorts the keys of a schema and of all schemas in it.
func sortSchema(n *yaml.Node) {
	sortKeys(n, fieldOrder)
	for key, value := range yamltext.Entries(n) {
		switch key.Value {
		case "items", "not", "additionalProperties":
			sortSchema(value)
		case "properties", "allOf", "oneOf", "anyOf": // scalars, such as the keys of properties, stay
			for _, inner := range value.Content {
				sortSchema(inner)
			}
		case "x-kubernetes-validations":
			for _, rule := range value.Content {
				sortKeys(rule, ruleOrder)
			}
		}
	}
}

// sortKeys sorts the entries of a mapping by the index of their keys.
func sortKeys(n *yaml.Node, order []string) {
	if n.Kind != yaml.MappingNode {
		return
	}
	entries := slices.Collect(slices.Chunk(n.Content, 2))
	slices.SortStableFunc(entries, func(a, b []*yaml.Node) int {
		return slices.Index(order, a[0].Value) - slices.Index(order, b[0].Value)
	})
	n.Content = slices.Concat(entries...)
}
