package crdschema

import (
	"cmp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// field is the field of Schema that holds a keyword.
type field struct {
	in   func(s *Schema) any  // a pointer to the field
	has  func(s *Schema) bool // reports whether the keyword is present
	copy func(to, from *Schema)
	same func(a, b *Schema) bool // reports whether the values are equal; always false for lists
}

// one returns a field whose values can be compared.
func one[T comparable](of func(*Schema) *T) field {
	var zero T
	return field{
		in:   func(s *Schema) any { return of(s) },
		has:  func(s *Schema) bool { return *of(s) != zero },
		copy: func(to, from *Schema) { *of(to) = *of(from) },
		same: func(a, b *Schema) bool { return *of(a) == *of(b) },
	}
}

// many returns a field with a list of values.
func many[T any](of func(*Schema) *[]T) field {
	return field{
		in:   func(s *Schema) any { return of(s) },
		has:  func(s *Schema) bool { return len(*of(s)) > 0 },
		copy: func(to, from *Schema) { *of(to) = *of(from) },
		same: func(a, b *Schema) bool { return false },
	}
}

// additional is a schema with a value of additionalProperties: a schema, true or false.
type additional struct{ *Schema }

var additionalProperties = field{
	in:  func(s *Schema) any { return additional{s} },
	has: func(s *Schema) bool { return s.AdditionalProperties != nil || s.AnyProperties || s.NoProperties },
	copy: func(to, from *Schema) {
		to.AdditionalProperties = cmp.Or(from.AdditionalProperties, to.AdditionalProperties)
		to.AnyProperties, to.NoProperties = to.AnyProperties || from.AnyProperties, to.NoProperties || from.NoProperties
	},
}

// each parses the elements of a list.
func each[T any](p *schemaParser, n *yaml.Node, parse func(*yaml.Node) T) (found []T) {
	for _, element := range p.elements(n) {
		found = append(found, parse(element))
	}
	return found
}

// parse reads the value of a keyword.
func (k *Keyword) parse(p *schemaParser, n *yaml.Node, s *Schema) {
	switch in := k.in(s).(type) {
	case *string:
		*in = p.oneOf(n, k.among...)
	case *bool:
		*in = p.boolean(n)
	case **int64:
		*in = p.integer(n)
	case **float64:
		*in = p.number(n)
	case **Value:
		if value := p.value(n, 0); value != nil {
			*in = &Value{value}
		}
	case *[]Value:
		*in = append(*in, each(p, n, func(element *yaml.Node) Value { return Value{p.value(element, 0)} })...)
	case *[]string:
		*in = each(p, n, p.text)
	case **ExternalDocs:
		*in = p.docs(n)
	case *[]Rule:
		*in = append(*in, each(p, n, p.rule)...)
	case **Schema:
		*in = p.schema(n)
	case *[]*Schema:
		*in = each(p, n, p.schema)
	case *[]Property:
		p.entries(n, func(key, value *yaml.Node) {
			inner := p.schema(value)
			inner.Line, inner.Column = key.Line, key.Column
			*in = append(*in, Property{key.Value, inner})
		})
	case additional:
		if n.Kind == yaml.ScalarNode {
			in.AnyProperties = p.boolean(n)
			in.NoProperties = !in.AnyProperties
		} else {
			in.AdditionalProperties = p.schema(n)
		}
	}
}

// value returns the value of the keyword, which is present, for Object.
func (k *Keyword) value(s *Schema) any {
	switch in := k.in(s).(type) {
	case *string:
		return *in
	case **int64:
		return **in
	case **float64:
		return **in
	case **Value:
		return (*in).JSON
	case *[]Value:
		return list(*in, func(v Value) any { return v.JSON })
	case *[]string:
		return list(*in, func(text string) any { return text })
	case **ExternalDocs:
		return (*in).object()
	case *[]Rule:
		return list(*in, func(r Rule) any { return r.object() })
	case **Schema:
		return *in
	case *[]*Schema:
		return list(*in, func(part *Schema) any { return part })
	case *[]Property:
		return *in
	case additional:
		if in.AdditionalProperties != nil {
			return in.AdditionalProperties
		}
		return in.AnyProperties
	}
	return true
}

// list converts the elements of a list.
func list[T any](all []T, convert func(T) any) []any {
	converted := make([]any, len(all))
	for i, element := range all {
		converted[i] = convert(element)
	}
	return converted
}

// set sets the keyword to the value of a marker, which is nil if the marker has no value.
func (k *Keyword) set(s *Schema, value any) {
	switch in := k.in(s).(type) {
	case *string:
		*in = value.(string)
	case *bool:
		*in = value != false
	case **int64:
		n := int64(value.(int))
		*in = &n
	case **float64:
		n := value.(float64)
		*in = &n
	case *[]Value:
		*in = nil
		for _, v := range value.([]any) {
			*in = append(*in, Value{Exact(v)})
		}
	}
}

// valueText returns the text after the name of the marker. ok is false if the marker cannot have the value.
func (k *Keyword) valueText(s *Schema) (text string, ok bool) {
	switch in := k.in(s).(type) {
	case *string:
		return "=" + strconv.Quote(*in), true
	case *bool:
		return map[bool]string{false: "=true"}[k.bare], true
	case **int64:
		return "=" + strconv.FormatInt(**in, 10), true
	case **float64:
		return "=" + strconv.FormatFloat(**in, 'f', -1, 64), true
	case *[]Value:
		var texts []string
		for _, v := range *in {
			switch v := v.JSON.(type) {
			case string:
				texts = append(texts, strconv.Quote(v))
			case bool:
				texts = append(texts, strconv.FormatBool(v))
			case int64:
				texts = append(texts, strconv.FormatInt(v, 10))
			default:
				return "", false
			}
		}
		return "={" + strings.Join(texts, ",") + "}", true
	}
	return "", false
}
