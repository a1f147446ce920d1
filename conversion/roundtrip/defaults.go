package roundtrip

import "encoding/json"

// defaults is the part of a schema that has defaults.
type defaults struct {
	Properties           map[string]*defaults `json:"properties"`
	Items                *defaults            `json:"items"`
	AdditionalProperties *defaults            `json:"additionalProperties"`
	Default              *json.RawMessage     `json:"default"`
	Nullable             bool                 `json:"nullable"`
}

// newDefaults reads a schema. It returns nil for "".
func newDefaults(t reporter, text string) *defaults {
	t.Helper()
	if text == "" {
		return nil
	}
	d := new(defaults)
	if err := json.Unmarshal([]byte(text), d); err != nil {
		t.Fatalf("the schema with defaults cannot be read: %v: %s", err, text)
	}
	return d
}

// apply sets the defaults of a value as API servers do: of each object in it, the fields that are missing, or null
// although they must not be.
func (d *defaults) apply(value any) {
	if d == nil {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for name, field := range d.Properties {
			if old, ok := v[name]; field.Default != nil && (!ok || old == nil && !field.Nullable) {
				var set any
				_ = json.Unmarshal(*field.Default, &set) // it is part of a valid text
				v[name] = set
			}
			field.apply(v[name])
		}
		if d.AdditionalProperties != nil {
			for name, element := range v {
				if d.Properties[name] == nil {
					d.AdditionalProperties.apply(element)
				}
			}
		}
	case []any:
		for _, element := range v {
			d.Items.apply(element)
		}
	}
}
