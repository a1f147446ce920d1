package openapi

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kubegen/kubegen/internal/text/gofile"
)

// literal is a composite literal: its type, which is "" where Go infers it, and its elements in order.
type literal struct {
	typ      gofile.Code
	elements []gofile.Code
}

// with adds an element, whose key is "" in a list.
func (l *literal) with(key, value gofile.Code) *literal {
	if key != "" {
		value = key + ": " + value
	}
	l.elements = append(l.elements, value)
	return l
}

// within adds a literal unless it has no elements.
func (l *literal) within(key gofile.Code, inner *literal) *literal {
	if len(inner.elements) == 0 {
		return l
	}
	return l.with(key, inner.code())
}

// code returns the literal with its elements on lines of their own, without indentation.
func (l *literal) code() gofile.Code {
	if len(l.elements) == 0 {
		return l.typ + "{}"
	}
	return l.typ + "{\n" + gofile.Join(l.elements, ",\n") + ",\n}"
}

// schema consists of the properties and extensions of a spec.Schema.
type schema struct{ props, extensions literal }

func newSchema() *schema {
	return &schema{literal{typ: "spec.SchemaProps"}, literal{typ: "spec.Extensions"}}
}

// code returns a spec.Schema.
func (s *schema) code(typ gofile.Code) gofile.Code {
	extensible := (&literal{typ: "spec.VendorExtensible"}).within("Extensions", &s.extensions)
	return (&literal{typ: typ}).within("VendorExtensible", extensible).within("SchemaProps", &s.props).code()
}

// elements returns what lists or maps have for the schema of their elements.
func elements(isList bool, of *schema) gofile.Code {
	all := &literal{typ: "&spec.SchemaOrArray"}
	if !isList {
		all = (&literal{typ: "&spec.SchemaOrBool"}).with("Allows", "true")
	}
	return all.with("Schema", of.code("&spec.Schema")).code()
}

// list returns a slice of texts on one line.
func list(typ gofile.Code, texts []string) gofile.Code {
	return typ + "{" + gofile.QuoteAll(texts) + "}"
}

// valueOf returns a JSON value as code. As for openapi-gen, numbers are untyped constants.
func valueOf(value any) gofile.Code {
	var elements []gofile.Code
	switch v := value.(type) {
	case string:
		return gofile.Quote(v)
	case bool:
		return gofile.Codef("%t", v)
	case float64:
		return gofile.Literal(fmt.Sprintf("%#v", v))
	case []any:
		for _, element := range v {
			elements = append(elements, valueOf(element))
		}
		return "[]interface{}{" + gofile.Join(elements, ", ") + "}"
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			elements = append(elements, gofile.Quote(key)+": "+valueOf(v[key]))
		}
		return "map[string]interface{}{" + gofile.Join(elements, ", ") + "}"
	}
	return "nil"
}
