package crdschema

import "encoding/json"

// Defaults returns the part of the schema with defaults in JSON, as a schema with only default, nullable, properties,
// items and additionalProperties, or "" if it has no defaults.
func (s *Schema) Defaults() string {
	part := s.withDefaults()
	if part == nil {
		return ""
	}
	text, err := json.Marshal(part)
	if err != nil {
		return ""
	}
	return string(text)
}

func (s *Schema) withDefaults() map[string]any {
	if s == nil {
		return nil
	}
	part, properties := map[string]any{}, map[string]any{}
	for _, p := range s.Properties {
		if of := p.withDefaults(); of != nil {
			properties[p.Name] = of
		}
	}
	if len(properties) > 0 {
		part["properties"] = properties
	}
	if of := s.Items.withDefaults(); of != nil {
		part["items"] = of
	}
	if of := s.AdditionalProperties.withDefaults(); of != nil {
		part["additionalProperties"] = of
	}
	if s.Default != nil {
		part["default"] = s.Default.JSON
	}
	if len(part) == 0 {
		return nil
	}
	if s.Nullable {
		part["nullable"] = true
	}
	return part
}
