package openapi

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/text/gofile"
)

// literal is a composite literal: its type, which is "" where Go infers it, and its elements in order.
type literal struct {
	typ      gofile.Code
	elements []element
}

// element is an element of a literal, whose key is "" in a list. One of code and inner is set.
type element struct {
	key, code gofile.Code
	inner     *literal
}

func (l *literal) set(key, code gofile.Code) *literal {
	l.elements = append(l.elements, element{key, code, nil})
	return l
}

// add adds a literal. within does so unless it has no elements.
func (l *literal) add(key gofile.Code, inner *literal) *literal {
	l.elements = append(l.elements, element{key, "", inner})
	return l
}

func (l *literal) within(key gofile.Code, inner *literal) *literal {
	if len(inner.elements) > 0 {
		l.add(key, inner)
	}
	return l
}

// schemaOf returns a spec.Schema.
func schemaOf(typ gofile.Code, props, extensions *literal) *literal {
	extensible := (&literal{typ: "spec.VendorExtensible"}).within("Extensions", extensions)
	return (&literal{typ: typ}).within("VendorExtensible", extensible).within("SchemaProps", props)
}

// elements returns what lists or maps have for the schema of their elements.
func elements(isList bool, schema *literal) *literal {
	all := &literal{typ: "&spec.SchemaOrArray"}
	if !isList {
		all = (&literal{typ: "&spec.SchemaOrBool"}).set("Allows", "true")
	}
	return all.add("Schema", schema)
}

// write writes the literal with line breaks between its elements.
func (l *literal) write(b *gofile.Builder, indent gofile.Code) {
	b.Add(l.typ, "{")
	for i, e := range l.elements {
		if i == 0 {
			b.Add("\n")
		}
		b.Add(indent, "\t")
		if e.key != "" {
			b.Add(e.key, ": ")
		}
		if b.Add(e.code); e.inner != nil {
			e.inner.write(b, indent+"\t")
		}
		b.Add(",\n")
	}
	if len(l.elements) > 0 {
		b.Add(indent)
	}
	b.Add("}")
}

// list returns a slice of texts on one line.
func list(typ gofile.Code, texts []string) gofile.Code {
	var all []gofile.Code
	for _, text := range texts {
		all = append(all, gofile.Quote(text))
	}
	return typ + "{" + gofile.Join(all, ", ") + "}"
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
		digits, negative := strings.CutPrefix(fmt.Sprintf("%#v", v), "-")
		if negative {
			return "-" + gofile.Literal(digits)
		}
		return gofile.Literal(digits)
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
