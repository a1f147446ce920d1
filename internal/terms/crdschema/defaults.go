package crdschema

// Defaults returns the part of the schema with defaults in JSON, as a schema with only default, nullable, properties,
// items and additionalProperties, or "" if it has no defaults.
func (s *Schema) Defaults() string {
	if part := s.withDefaults(); part != nil {
		return part.JSON()
	}
	return ""
}

func (s *Schema) withDefaults() *Schema {
	if s == nil {
		return nil
	}
	part := &Schema{
		Default: s.Default, Nullable: s.Nullable, Items: s.Items.withDefaults(), AdditionalProperties: s.AdditionalProperties.withDefaults(),
	}
	for _, p := range s.Properties {
		if of := p.withDefaults(); of != nil {
			part.Properties = append(part.Properties, Property{p.Name, of})
		}
	}
	if part.Default == nil && part.Items == nil && part.AdditionalProperties == nil && len(part.Properties) == 0 {
		return nil
	}
	return part
}
