package openapi

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/kubegen/kubegen/internal/yamltext"
)

// Write writes the keywords of the schema as entries of a mapping at an indent. It reports whether there are any.
func (s *Schema) Write(w *yamltext.Writer, indent int) bool {
	y := &writer{Writer: w, indent: indent}
	switch {
	case s.AdditionalProperties != nil:
		y.schema("additionalProperties", s.AdditionalProperties)
	case s.AnyProperties:
		y.boolean("additionalProperties", true)
	}
	y.schemas("allOf", s.AllOf)
	y.schemas("anyOf", s.AnyOf)
	y.value("default", s.Default)
	y.text("description", s.Description)
	if len(s.Enum) > 0 {
		y.key("enum")
		for _, v := range s.Enum {
			w.Item(indent)
			w.Value(indent, v.JSON)
		}
	}
	y.value("example", s.Example)
	y.boolean("exclusiveMaximum", s.ExclusiveMaximum)
	y.boolean("exclusiveMinimum", s.ExclusiveMinimum)
	if s.ExternalDocs != nil {
		y.key("externalDocs")
		inner := &writer{Writer: w, indent: indent + 2}
		inner.text("description", s.ExternalDocs.Description)
		inner.text("url", s.ExternalDocs.URL)
	}
	y.text("format", s.Format)
	if s.Items != nil {
		y.schema("items", s.Items)
	}
	y.integer("maxItems", s.MaxItems)
	y.integer("maxLength", s.MaxLength)
	y.integer("maxProperties", s.MaxProperties)
	y.number("maximum", s.Maximum)
	y.integer("minItems", s.MinItems)
	y.integer("minLength", s.MinLength)
	y.integer("minProperties", s.MinProperties)
	y.number("minimum", s.Minimum)
	y.number("multipleOf", s.MultipleOf)
	if s.Not != nil {
		y.schema("not", s.Not)
	}
	y.boolean("nullable", s.Nullable)
	y.schemas("oneOf", s.OneOf)
	y.text("pattern", s.Pattern)
	if len(s.Properties) > 0 {
		y.key("properties")
		inner := &writer{Writer: w, indent: indent + 2}
		sorted := slices.Clone(s.Properties)
		slices.SortFunc(sorted, func(a, b Property) int { return yamltext.CompareKeys(a.Name, b.Name) })
		for _, p := range sorted {
			inner.schema(p.Name, p.Schema)
		}
	}
	y.texts("required", s.Required)
	y.text("title", s.Title)
	y.text("type", s.Type)
	y.boolean("uniqueItems", s.UniqueItems)
	y.boolean("x-kubernetes-embedded-resource", s.EmbeddedResource)
	y.boolean("x-kubernetes-int-or-string", s.IntOrString)
	y.texts("x-kubernetes-list-map-keys", s.ListMapKeys)
	y.text("x-kubernetes-list-type", s.ListType)
	y.text("x-kubernetes-map-type", s.MapType)
	y.boolean("x-kubernetes-preserve-unknown-fields", s.PreserveUnknownFields)
	if len(s.Validations) > 0 {
		y.key("x-kubernetes-validations")
		for _, rule := range s.Validations {
			w.Item(indent)
			rule.write(&writer{Writer: w, indent: indent + 2})
		}
	}
	return y.wrote
}

// JSONSize returns the size in bytes of the schema as compact JSON, as encoding/json writes it.
func (s *Schema) JSONSize() int {
	var w yamltext.Writer
	if !s.Write(&w, 0) {
		return len("{}")
	}
	return w.JSONSize()
}

func (r Rule) write(y *writer) {
	y.text("fieldPath", r.FieldPath)
	y.text("message", r.Message)
	y.text("messageExpression", r.MessageExpression)
	if r.OptionalOldSelf != nil {
		y.key("optionalOldSelf")
		y.Bool(*r.OptionalOldSelf)
	}
	y.text("reason", r.Reason)
	y.key("rule")
	y.String(y.indent, r.Rule)
}

// writer writes the nonzero entries of a mapping.
type writer struct {
	*yamltext.Writer
	indent int
	wrote  bool
}

func (y *writer) key(name string) {
	y.wrote = true
	y.Key(y.indent, name)
}

func (y *writer) text(name, text string) {
	if text != "" {
		y.key(name)
		y.String(y.indent, text)
	}
}

func (y *writer) texts(name string, texts []string) {
	if len(texts) == 0 {
		return
	}
	y.key(name)
	for _, text := range texts {
		y.Item(y.indent)
		y.String(y.indent, text)
	}
}

func (y *writer) boolean(name string, b bool) {
	if b {
		y.key(name)
		y.Bool(true)
	}
}

func (y *writer) integer(name string, n *int64) {
	if n != nil {
		y.key(name)
		y.Plain(strconv.FormatInt(*n, 10))
	}
}

func (y *writer) number(name string, f *float64) {
	if f != nil {
		y.key(name)
		text, _ := json.Marshal(*f) // as in JSON
		y.Number(string(text))
	}
}

func (y *writer) value(name string, v *Value) {
	if v != nil && v.JSON != nil {
		y.key(name)
		y.Value(y.indent, v.JSON)
	}
}

func (y *writer) schema(name string, s *Schema) {
	y.key(name)
	if !s.Write(y.Writer, y.indent+2) {
		y.Plain("{}")
	}
}

func (y *writer) schemas(name string, all []*Schema) {
	if len(all) == 0 {
		return
	}
	y.key(name)
	for _, s := range all {
		y.Item(y.indent)
		if !s.Write(y.Writer, y.indent+2) {
			y.Plain("{}")
		}
	}
}
