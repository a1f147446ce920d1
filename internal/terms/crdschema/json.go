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
	var w yamltext.Writer
	var value any
	if !s.Write(&w, 0) || yaml.Unmarshal(w.Bytes(), &value) != nil {
		return "{}"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "{}"
	}
	return string(text)
}
