package crdschema

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// FromJSON parses a schema decoded by encoding/json, with numbers as float64 or json.Number.
func FromJSON(value any) (*Schema, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	documents, err := yamltext.Read(text)
	if err != nil {
		return nil, err
	}
	s, errs := Parse(documents[0].Content[0])
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
func (s *Schema) MarshalJSON() ([]byte, error) { return json.Marshal(s.Object(nil)) }

// Object returns the schema as an object of JSON. of returns the values of schemas in it, by their keywords. If it is
// nil, they are objects, too.
func (s *Schema) Object(of func(keyword string, s *Schema) any) map[string]any {
	if of == nil {
		of = func(_ string, s *Schema) any { return s.Object(nil) }
	}
	object := map[string]any{}
	for _, k := range Keywords {
		if !k.has(s) {
			continue
		}
		switch value := k.value(s).(type) {
		case *Schema:
			object[k.Name] = of(k.Name, value)
		case []Property:
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

func (d *ExternalDocs) object() map[string]any {
	return withoutEmpty(map[string]any{"description": d.Description, "url": d.URL})
}

func (r Rule) object() map[string]any {
	object := withoutEmpty(map[string]any{
		"fieldPath": r.FieldPath, "message": r.Message, "messageExpression": r.MessageExpression, "reason": r.Reason,
	})
	if r.OptionalOldSelf != nil {
		object["optionalOldSelf"] = *r.OptionalOldSelf
	}
	object["rule"] = r.Rule
	return object
}

// withoutEmpty removes empty texts from an object.
func withoutEmpty(object map[string]any) map[string]any {
	maps.DeleteFunc(object, func(_ string, text any) bool { return text == "" })
	return object
}
