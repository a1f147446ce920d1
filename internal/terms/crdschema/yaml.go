package crdschema

import (
	"maps"
	"slices"

	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// sorted holds the keywords in the order of manifests.
var sorted = slices.SortedFunc(slices.Values(Keywords), func(a, b *Keyword) int { return yamltext.CompareKeys(a.Name, b.Name) })

// Write implements yamltext.Mapping. The entries are the keywords of the schema.
func (s *Schema) Write(w *yamltext.Writer, indent int) bool {
	wrote := false
	for _, k := range sorted {
		if k.has(s) {
			w.Key(indent, k.Name)
			w.Value(indent, k.value(s))
			wrote = true
		}
	}
	return wrote
}

// properties are the schemas of the properties of an object.
type properties []Property

// Write implements yamltext.Mapping.
func (all properties) Write(w *yamltext.Writer, indent int) bool {
	for _, p := range slices.SortedFunc(slices.Values(all), func(a, b Property) int { return yamltext.CompareKeys(a.Name, b.Name) }) {
		w.Key(indent, p.Name)
		w.Value(indent, p.Schema)
	}
	return len(all) > 0
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
