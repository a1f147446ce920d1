package crdschema

import (
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// FromJSON parses a schema decoded by encoding/json, with numbers as float64 or json.Number.
func FromJSON(value any) (*Schema, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(yamltext.AsYAML(text), &document); err != nil {
		return nil, err
	}
	s, errs := Parse(document.Content[0])
	for _, e := range errs {
		return nil, fmt.Errorf("%s at column %d of its value in JSON without spaces", e.Message, e.Column)
	}
	return s, nil
}

// JSON returns the schema as JSON in one line.
func (s *Schema) JSON() string {
	text, _ := json.Marshal(s) // cannot fail
	return string(text)
}

// MarshalJSON implements json.Marshaler.
func (s *Schema) MarshalJSON() ([]byte, error) { return json.Marshal(objectOf("", s)) }

// objectOf returns a schema as an object of JSON.
func objectOf(_ string, s *Schema) any { return s.Object(objectOf) }

// Object returns the schema as an object of JSON. of returns the values of schemas in it, by their keywords.
func (s *Schema) Object(of func(keyword string, s *Schema) any) map[string]any {
	object := map[string]any{}
	for _, k := range Keywords {
		if !k.has(s) {
			continue
		}
		switch value := k.value(s).(type) {
		case *Schema:
			object[k.Name] = of(k.Name, value)
		case properties:
			all := map[string]any{}
			for _, p := range value {
				all[p.Name] = of(k.Name, p.Schema)
			}
			object[k.Name] = all
		case []any:
			for i, element := range value {
				if part, ok := element.(*Schema); ok {
					value[i] = of(k.Name, part)
				}
			}
			object[k.Name] = value
		default:
			object[k.Name] = value
		}
	}
	return object
}
