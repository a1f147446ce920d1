package openapi

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// JSONSize returns the number of bytes of the schema in JSON without spaces, as encoding/json writes it.
func (s *Schema) JSONSize() int {
	j := &sizer{}
	j.schema(s)
	return j.bytes
}

// textSize returns the number of bytes of a string in JSON, as encoding/json writes it.
func textSize(text string) int {
	size := len(text) + len(`""`)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r' || c == '\b' || c == '\f':
			size++
		case c < ' ' || c == '<' || c == '>' || c == '&':
			size += len(`\u0000`) - 1
		case c == 0xE2 && i+2 < len(text) && text[i+1] == 0x80 && text[i+2]&^1 == 0xA8: // separators of lines and paragraphs
			size += len(`\u2028`) - utf8.RuneLen('\u2028')
		}
	}
	return size
}

// sizer adds up what is written.
type sizer struct{ bytes int }

// key counts a key with what separates it from others and from its value.
func (j *sizer) key(name string) { j.bytes += textSize(name) + len(`:,`) }

func (j *sizer) text(name, text string) {
	if text != "" {
		j.key(name)
		j.bytes += textSize(text)
	}
}

func (j *sizer) texts(name string, texts []string) {
	if len(texts) > 0 {
		j.key(name)
		j.bytes++
		for _, text := range texts {
			j.bytes += textSize(text) + len(`,`)
		}
	}
}

func (j *sizer) boolean(name string, b bool) {
	if b {
		j.key(name)
		j.bytes += len("true")
	}
}

func (j *sizer) integer(name string, n *int64) {
	if n != nil {
		j.key(name)
		j.bytes += len(strconv.FormatInt(*n, 10))
	}
}

func (j *sizer) value(name string, value any) {
	text, _ := json.Marshal(value)
	j.key(name)
	j.bytes += len(text)
}

func (j *sizer) number(name string, f *float64) {
	if f != nil {
		j.value(name, *f)
	}
}

func (j *sizer) schemas(name string, all []*Schema) {
	if len(all) > 0 {
		j.key(name)
		j.bytes++
		for _, s := range all {
			j.schema(s)
			j.bytes++
		}
	}
}

// object counts an object whose keys were counted with a comma each.
func (j *sizer) object(keys func()) {
	before := j.bytes
	if keys(); j.bytes == before {
		j.bytes += len(`{}`)
	} else {
		j.bytes += len(`{}`) - len(`,`)
	}
}

func (j *sizer) schema(s *Schema) {
	j.object(func() {
		switch {
		case s.AdditionalProperties != nil:
			j.key("additionalProperties")
			j.schema(s.AdditionalProperties)
		case s.AnyProperties:
			j.boolean("additionalProperties", true)
		}
		j.schemas("allOf", s.AllOf)
		j.schemas("anyOf", s.AnyOf)
		if s.Default != nil && s.Default.JSON != nil {
			j.value("default", s.Default.JSON)
		}
		j.text("description", s.Description)
		if len(s.Enum) > 0 {
			values := make([]any, len(s.Enum))
			for i, v := range s.Enum {
				values[i] = v.JSON
			}
			j.value("enum", values)
		}
		if s.Example != nil && s.Example.JSON != nil {
			j.value("example", s.Example.JSON)
		}
		j.boolean("exclusiveMaximum", s.ExclusiveMaximum)
		j.boolean("exclusiveMinimum", s.ExclusiveMinimum)
		if s.ExternalDocs != nil {
			j.key("externalDocs")
			j.object(func() {
				j.text("description", s.ExternalDocs.Description)
				j.text("url", s.ExternalDocs.URL)
			})
		}
		j.text("format", s.Format)
		if s.Items != nil {
			j.key("items")
			j.schema(s.Items)
		}
		j.integer("maxItems", s.MaxItems)
		j.integer("maxLength", s.MaxLength)
		j.integer("maxProperties", s.MaxProperties)
		j.number("maximum", s.Maximum)
		j.integer("minItems", s.MinItems)
		j.integer("minLength", s.MinLength)
		j.integer("minProperties", s.MinProperties)
		j.number("minimum", s.Minimum)
		j.number("multipleOf", s.MultipleOf)
		j.boolean("nullable", s.Nullable)
		j.text("pattern", s.Pattern)
		if len(s.Properties) > 0 {
			j.key("properties")
			j.object(func() {
				for _, p := range s.Properties {
					j.key(p.Name)
					j.schema(p.Schema)
				}
			})
		}
		j.texts("required", s.Required)
		j.text("title", s.Title)
		j.text("type", s.Type)
		j.boolean("uniqueItems", s.UniqueItems)
		j.boolean("x-kubernetes-embedded-resource", s.EmbeddedResource)
		j.boolean("x-kubernetes-int-or-string", s.IntOrString)
		j.texts("x-kubernetes-list-map-keys", s.ListMapKeys)
		j.text("x-kubernetes-list-type", s.ListType)
		j.text("x-kubernetes-map-type", s.MapType)
		j.boolean("x-kubernetes-preserve-unknown-fields", s.PreserveUnknownFields)
		if len(s.Validations) > 0 {
			j.key("x-kubernetes-validations")
			j.bytes++
			for _, rule := range s.Validations {
				j.object(func() { j.rule(rule) })
				j.bytes++
			}
		}
	})
}

func (j *sizer) rule(r Rule) {
	j.text("fieldPath", r.FieldPath)
	j.text("message", r.Message)
	j.text("messageExpression", r.MessageExpression)
	if r.OptionalOldSelf != nil {
		j.value("optionalOldSelf", *r.OptionalOldSelf)
	}
	j.text("reason", r.Reason)
	j.key("rule")
	j.bytes += textSize(r.Rule)
}
