package cli

import (
	"bytes"
	"encoding/json"

	"github.com/kubegen/kubegen/internal/plan"
)

// schemaObject is a JSON schema or a part of one. Its fields are the keywords that the schema of the file uses.
type schemaObject struct {
	Schema      string         `json:"$schema,omitempty"`
	ID          string         `json:"$id,omitempty"`
	Title       string         `json:"title,omitempty"`
	Description string         `json:"description,omitempty"`
	Type        any            `json:"type,omitempty"` // a string, or a list of strings
	Const       any            `json:"const,omitempty"`
	Default     any            `json:"default,omitempty"`
	Enum        []string       `json:"enum,omitempty"`
	Required    []string       `json:"required,omitempty"`
	AnyOf       []schemaObject `json:"anyOf,omitempty"`
	Properties  properties     `json:"properties,omitempty"`
	Additional  any            `json:"additionalProperties,omitempty"`
	Items       *schemaObject  `json:"items,omitempty"`
	MinItems    int            `json:"minItems,omitempty"`
}

// properties holds the properties of an object, in the order that editors use for proposals.
type properties []property

type property struct {
	name string
	schemaObject
}

// MarshalJSON writes the properties as a JSON object, in order.
func (p properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, one := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(one.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(one.schemaObject)
		if err != nil {
			return nil, err
		}
		b.Write(append(append(name, ':'), value...))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// configSchema returns the JSON schema (draft 7) of kubegen.yaml with the given settings of outputs and imports.
func configSchema(settings, ofImports []plan.Setting) ([]byte, error) {
	each, imports := propertiesOf(settings), propertiesOf(ofImports)
	const closed = false
	all := append(properties{
		{"version", schemaObject{Description: "version of the format of this file", Const: 1}},
		{"outputs", schemaObject{
			Description: "what to generate; without it, there is one output with the settings of the file", Type: "array", MinItems: 1,
			Items: &schemaObject{Type: "object", Properties: each, Additional: closed},
		}},
		{"imports", schemaObject{
			Description: "types of others to generate clients for: CustomResourceDefinitions, for which Go types are generated as well, and Go packages", Type: "array", MinItems: 1,
			Items: &schemaObject{
				Type: "object", Required: []string{"output-dir"}, AnyOf: []schemaObject{{Required: []string{plan.ManifestsKey}}, {Required: []string{plan.PackagesKey}}},
				Properties: imports, Additional: closed,
			},
		}},
	}, each...)
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(schemaObject{
		Schema: "http://json-schema.org/draft-07/schema#", ID: plan.SchemaID, Title: plan.ConfigName,
		Description: "what kubegen generates; a setting at the top applies to all outputs that do not override it",
		Type:        "object", Required: []string{"version"}, Properties: all, Additional: closed,
	})
	return b.Bytes(), err
}

func propertiesOf(settings []plan.Setting) (each properties) {
	for _, s := range settings {
		each = append(each, property{s.Name, settingSchema(s)})
	}
	return each
}

// settingSchema returns the JSON schema of the value of a setting.
func settingSchema(s plan.Setting) schemaObject {
	o := schemaObject{Description: s.Help, Type: "string", Enum: s.Values}
	switch s.Type {
	case plan.BoolValue:
		o.Type, o.Default = "boolean", s.Default == "true"
	case plan.BoolOrStringValue:
		o.Type = []string{"boolean", "string"}
	case plan.ListValue:
		o = schemaObject{Description: s.Help, Type: "array", Items: &schemaObject{Type: "string", Enum: s.Values}}
		if s.Name == plan.PackagesKey || s.Name == plan.ManifestsKey {
			o.MinItems = 1
		}
	case plan.MapValue:
		o = schemaObject{Description: s.Help, Type: "object", Additional: &schemaObject{Type: "string"}}
	case plan.EditsValue:
		o = schemaObject{Description: s.Help, Type: "array", MinItems: 1, Items: editSchema()}
	case plan.ListsValue:
		list := schemaObject{Type: "array", Items: &schemaObject{Type: "string"}}
		o = schemaObject{Description: s.Help, Type: []string{"array", "object"}, Items: list.Items, Additional: &list}
	default:
		if s.Default != "" {
			o.Default = s.Default
		}
	}
	return o
}

// editSchema returns the JSON schema of an edit.
func editSchema() *schemaObject {
	names := func(help string, among ...string) schemaObject {
		return schemaObject{Description: help, Type: "array", MinItems: 1, Items: &schemaObject{Type: "string", Enum: among}}
	}
	return &schemaObject{Type: "object", Additional: false, AnyOf: []schemaObject{{Required: []string{"type"}}, {Required: []string{"kind"}}}, Properties: properties{
		{"type", schemaObject{Description: "Go type whose schema is edited wherever it is, such as k8s.io/api/core/v1.PodSpec", Type: "string"}},
		{"kind", schemaObject{Description: "kind: KIND, KIND.VERSION, KIND.GROUP or KIND.VERSION.GROUP", Type: "string"}},
		{"paths", names("fields below the type or kind, such as spec.containers, or spec.hosts[] for elements (default the type or kind itself)")},
		{"keep-fields", names("fields that stay; all others are dropped")},
		{"drop-fields", names("fields that are dropped")},
		{"drop", names("what is dropped from the schema and all schemas in it", "defaults", "descriptions", "list-types", "required", "validation")},
		{"descriptions", schemaObject{Description: "shortens descriptions in the schema and all schemas in it", Type: "string", Enum: []string{"first-sentence"}}},
		{"preserve-unknown-fields", schemaObject{Description: "any fields are accepted and kept, and none has a schema", Const: true}},
		{"replace", schemaObject{Description: "schema in place of the other one", Type: "object"}},
		{"set", schemaObject{Description: "keywords of the schema, without those in it; null removes one", Type: "object"}},
	}}
}
