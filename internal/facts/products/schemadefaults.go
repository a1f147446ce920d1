package products

import "github.com/kubegen/kubegen/internal/terms/crdschema"

// defaultsIn returns the part of a schema with defaults in JSON, as a schema with only default, nullable, properties,
// items and additionalProperties, or "" if it has no defaults.
func defaultsIn(s *crdschema.Schema) string {
	if part := withDefaults(s); part != nil {
		return part.JSON()
	}
	return ""
}

func withDefaults(s *crdschema.Schema) *crdschema.Schema {
	if s == nil {
		return nil
	}
	part := &crdschema.Schema{
		Default: s.Default, Nullable: s.Nullable, Items: withDefaults(s.Items), AdditionalProperties: withDefaults(s.AdditionalProperties),
	}
	for _, p := range s.Properties {
		if of := withDefaults(p.Schema); of != nil {
			part.Properties = append(part.Properties, crdschema.Property{Name: p.Name, Schema: of})
		}
	}
	if part.Default == nil && part.Items == nil && part.AdditionalProperties == nil && len(part.Properties) == 0 {
		return nil
	}
	return part
}
