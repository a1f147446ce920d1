package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
)

// words returns the constraints of a schema in words, without those of its properties, but with those of the declared
// type that it refers to, unless its values are objects or this type is in p.within, the types that contain the schema.
// Constraints of elements and values of maps begin with "each".
func (p *Page) words(s *crdschema.Schema) (all []Markdown) {
	add := func(format string, args ...any) { all = append(all, Markdown(fmt.Sprintf(format, args...))) }
	if len(s.Enum) > 0 {
		var values []string
		for _, v := range s.Enum {
			values = append(values, string(valueCode(v.JSON)))
		}
		add("One of %s", strings.Join(values, ", "))
	}
	if s.Minimum != nil {
		add("%s %s", map[bool]string{false: "At least", true: "More than"}[s.ExclusiveMinimum], number(*s.Minimum))
	}
	if s.Maximum != nil {
		add("%s %s", map[bool]string{false: "At most", true: "Less than"}[s.ExclusiveMaximum], number(*s.Maximum))
	}
	if s.MultipleOf != nil {
		add("A multiple of %s", number(*s.MultipleOf))
	}
	for _, count := range []struct {
		least, most *int64
		one, many   string
	}{
		{s.MinLength, s.MaxLength, "character", "characters"}, {s.MinItems, s.MaxItems, "element", "elements"},
		{s.MinProperties, s.MaxProperties, "key", "keys"},
	} {
		of := func(n int64) string {
			if n == 1 {
				return "1 " + count.one
			}
			return fmt.Sprintf("%d %s", n, count.many)
		}
		switch {
		case count.least != nil && count.most != nil && *count.least == *count.most:
			add("Exactly %s", of(*count.least))
		case count.least != nil && count.most != nil:
			add("%d to %s", *count.least, of(*count.most))
		case count.least != nil:
			add("At least %s", of(*count.least))
		case count.most != nil:
			add("At most %s", of(*count.most))
		}
	}
	if s.Pattern != "" {
		add("Matches %s", code(s.Pattern))
	}
	if s.Format != "" && (s.Ref != nil || s.IntOrString || s.Type == "array" || s.Type == "object") { // otherwise, the type names it
		add("Format %s", code(s.Format))
	}
	if s.UniqueItems || s.ListType == "set" {
		add("No two elements are equal")
	}
	if s.ListType == "map" && len(s.ListMapKeys) > 0 {
		var keys []string
		for _, key := range s.ListMapKeys {
			keys = append(keys, string(code(key)))
		}
		add("No two elements have the same %s", strings.Join(keys, " and "))
	}
	if s.Nullable {
		add("May be null")
	}
	if s.EmbeddedResource {
		add("An object with `apiVersion`, `kind` and `metadata`")
	}
	switch {
	case s.PreserveUnknownFields && isAny(s):
		add("The server accepts any value")
	case s.PreserveUnknownFields:
		add("Other fields are kept")
	}
	if s.MapType == "atomic" || s.ListType == "atomic" {
		add("Server-side apply replaces it as a whole")
	}
	for _, r := range s.Validations {
		all = append(all, rule(r))
	}
	for _, group := range []struct {
		name  string
		parts []*crdschema.Schema
	}{{"All of", s.AllOf}, {"Any of", s.AnyOf}, {"Exactly one of", s.OneOf}} {
		all = append(all, p.combined(group.name, group.parts)...)
	}
	if s.Not != nil {
		all = append(all, p.combined("Not", []*crdschema.Schema{s.Not})...)
	}
	for _, inner := range []*crdschema.Schema{s.Items, s.AdditionalProperties} {
		if inner == nil {
			continue
		}
		what := map[bool]string{true: "Each element: ", false: "Each value: "}[inner == s.Items]
		for _, constraint := range p.words(inner) {
			if rest, ok := strings.CutPrefix(string(constraint), "Each "); ok {
				constraint = Markdown("each " + rest)
			}
			all = append(all, Markdown(what)+constraint)
		}
	}
	if of := goschema.RefOf(s); of != nil && documentation(of) == "" && !p.isStruct(of) && !slices.Contains(p.within, of) {
		p.within = append(p.within, of)
		defer func() { p.within = p.within[:len(p.within)-1] }()
		named := *p.reader.Declared(of)
		if len(s.Enum) > 0 {
			named.Enum = nil // the values of the field are among these
		}
		for _, constraint := range p.words(&named) {
			if !slices.Contains(all, constraint) {
				all = append(all, constraint)
			}
		}
	}
	return all
}

// combined returns the alternatives of a combination of schemas, in words or, if these have other keywords, as JSON.
func (p *Page) combined(name string, parts []*crdschema.Schema) (all []Markdown) {
	same := func(a, b *crdschema.Schema) bool { return a.JSON() == b.JSON() }
	if len(parts) == 0 || slices.EqualFunc(parts, crdschema.IntOrString, same) {
		return nil // the type says it
	}
	var texts []string
	for _, part := range parts {
		alone := *part
		alone.Properties, alone.Required, alone.Type = nil, nil, ""
		said := p.words(&alone)
		if name == "All of" {
			all = append(all, said...)
			if len(part.Properties)+len(part.Required) == 0 {
				continue
			}
			said = nil
		}
		if len(said) == 0 || len(part.Properties)+len(part.Required) > 0 || part.Type != "" {
			texts = append(texts, string(code(part.JSON())))
			continue
		}
		var joined []string
		for _, constraint := range said {
			joined = append(joined, string(constraint))
		}
		texts = append(texts, strings.Join(joined, "; "))
	}
	if len(texts) > 0 {
		all = append(all, Markdown(name+": "+strings.Join(texts, ", or ")))
	}
	return all
}

// rule returns a validation rule: its message and its expression.
func rule(r crdschema.Rule) Markdown {
	text := code(r.Rule)
	switch {
	case r.Message != "":
		text = markdown(r.Message) + ": " + text
	case r.MessageExpression != "":
		text += ", with the message " + code(r.MessageExpression)
	}
	if r.FieldPath != "" {
		text += " (of " + code(r.FieldPath) + ")"
	}
	return text
}

// plain matches strings that need no quotes in YAML, or are numbers.
var plain = regexp.MustCompile(`^[\w/](.*[\w/*])?$`)

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// valueCode returns a value in JSON, without quotes if it is a string with letters at both ends.
func valueCode(value any) Markdown {
	if s, ok := value.(string); ok && plain.MatchString(s) {
		return code(s)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return ""
	}
	return code(strings.TrimSpace(text.String()))
}
