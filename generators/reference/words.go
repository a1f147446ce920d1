package reference

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// words returns the constraints of a schema in words, without those of its properties, but with those of the declared
// type that it refers to, unless its values are objects or this type is in p.within, the types that contain the schema.
// Constraints of elements and values of maps begin with "each".
func (p *Page) words(s *crdschema.Schema) (all []Markdown) {
	all = own(s)
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

// own returns the constraints of a schema in words, without those in rules and in other schemas. The page shows the
// type, the default and the documentation elsewhere.
func own(s *crdschema.Schema) (all []Markdown) {
	say := func(holds bool, text Markdown) {
		if holds {
			all = append(all, text)
		}
	}
	number := func(text string, n *float64) {
		if n != nil {
			all = append(all, Markdown(text+" "+strconv.FormatFloat(*n, 'f', -1, 64)))
		}
	}
	count := func(thing string, least, most *int64) {
		of := func(n *int64) Markdown { return Markdown(diag.Count(int(*n), thing)) }
		switch {
		case least != nil && most != nil && *least == *most:
			say(true, "Exactly "+of(least))
		case least != nil && most != nil:
			say(true, Markdown(strconv.FormatInt(*least, 10))+" to "+of(most))
		case least != nil:
			say(true, "At least "+of(least))
		case most != nil:
			say(true, "At most "+of(most))
		}
	}
	var values, keys []string
	for _, v := range s.Enum {
		values = append(values, string(valueCode(v.JSON)))
	}
	for _, key := range s.ListMapKeys {
		keys = append(keys, string(code(key)))
	}
	say(len(values) > 0, Markdown("One of "+strings.Join(values, ", ")))
	number(map[bool]string{false: "At least", true: "More than"}[s.ExclusiveMinimum], s.Minimum)
	number(map[bool]string{false: "At most", true: "Less than"}[s.ExclusiveMaximum], s.Maximum)
	number("A multiple of", s.MultipleOf)
	count("character", s.MinLength, s.MaxLength)
	count("element", s.MinItems, s.MaxItems)
	count("key", s.MinProperties, s.MaxProperties)
	say(s.Pattern != "", "Matches "+code(s.Pattern))
	isInType := s.Ref == nil && !s.IntOrString && s.Type != "array" && s.Type != "object" // the type on the page
	say(s.Format != "" && !isInType, "Format "+code(s.Format))
	say(s.UniqueItems || s.ListType == "set", "No two elements are equal")
	say(s.ListType == "map" && len(keys) > 0, Markdown("No two elements have the same "+strings.Join(keys, " and ")))
	say(s.Nullable, "May be null")
	say(s.EmbeddedResource, "An object with `apiVersion`, `kind` and `metadata`")
	say(s.PreserveUnknownFields && s.IsAny(), "The server accepts any value")
	say(s.PreserveUnknownFields && !s.IsAny(), "Other fields are kept")
	say(s.MapType == "atomic" || s.ListType == "atomic", "Server-side apply replaces it as a whole")
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
