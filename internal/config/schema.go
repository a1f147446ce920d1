package config

import (
	"bytes"
	"encoding/json"
)

// SchemaID is the URL at which the JSON schema of the file is published.
const SchemaID = "https://raw.githubusercontent.com/kubegen/kubegen/main/docs/kubegen.schema.json"

// object is a JSON schema or a part of one. Its fields are the keywords that the schema of the file uses.
type object struct {
	Schema      string     `json:"$schema,omitempty"`
	ID          string     `json:"$id,omitempty"`
	Title       string     `json:"title,omitempty"`
	Description string     `json:"description,omitempty"`
	Type        any        `json:"type,omitempty"` // a string, or a list of strings
	Const       any        `json:"const,omitempty"`
	Default     any        `json:"default,omitempty"`
	Enum        []string   `json:"enum,omitempty"`
	Required    []string   `json:"required,omitempty"`
	Properties  properties `json:"properties,omitempty"`
	Additional  any        `json:"additionalProperties,omitempty"`
	Items       *object    `json:"items,omitempty"`
	MinItems    int        `json:"minItems,omitempty"`
}

// properties holds the properties of an object, in the order that editors use for proposals.
type properties []property

type property struct {
	name string
	object
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
		value, err := json.Marshal(one.object)
		if err != nil {
			return nil, err
		}
		b.Write(append(append(name, ':'), value...))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Schema returns the JSON schema (draft 7) of a file with the given settings of outputs and imports.
func Schema(settings, ofImports []Setting) ([]byte, error) {
	each, imports := propertiesOf(settings), propertiesOf(ofImports)
	const closed = false
	all := append(properties{
		{"version", object{Description: "version of the format of this file", Const: 1}},
		{"outputs", object{
			Description: "what to generate; without it, there is one output with the settings of the file", Type: "array", MinItems: 1,
			Items: &object{Type: "object", Properties: each, Additional: closed},
		}},
		{"imports", object{
			Description: "CustomResourceDefinitions to generate Go types and clients for", Type: "array", MinItems: 1,
			Items: &object{Type: "object", Required: []string{Manifests, "output-dir"}, Properties: imports, Additional: closed},
		}},
	}, each...)
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(object{
		Schema: "http://json-schema.org/draft-07/schema#", ID: SchemaID, Title: Name,
		Description: "what kubegen generates; a setting at the top applies to all outputs that do not override it",
		Type:        "object", Required: []string{"version"}, Properties: all, Additional: closed,
	})
	return b.Bytes(), err
}

func propertiesOf(settings []Setting) (each properties) {
	for _, s := range settings {
		each = append(each, property{s.Name, s.schema()})
	}
	return each
}

// schema returns the JSON schema of the value of a setting.
func (s Setting) schema() object {
	o := object{Description: s.Help, Type: "string", Enum: s.Values}
	switch s.Kind {
	case Bool:
		o.Type, o.Default = "boolean", s.Default == "true"
	case BoolOrString:
		o.Type = []string{"boolean", "string"}
	case List:
		o = object{Description: s.Help, Type: "array", Items: &object{Type: "string", Enum: s.Values}}
		if s.Name == Packages || s.Name == Manifests {
			o.MinItems = 1
		}
	case Map:
		o = object{Description: s.Help, Type: "object", Additional: &object{Type: "string"}}
	default:
		if s.Default != "" {
			o.Default = s.Default
		}
	}
	return o
}
