package applyschema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// columns is the width of a line that ends between the entries of a type.
const columns = 140

// writer writes a schema as compact YAML, with one line for each field, which continues on the next one if it is long.
type writer struct{ strings.Builder }

func (w *writer) line(depth int, parts ...string) {
	text := strings.Repeat("  ", depth) + strings.Join(parts, "")
	for {
		at := lineEnd(text)
		w.WriteString(text[:at] + "\n")
		if at == len(text) {
			return
		}
		text = strings.Repeat("  ", depth+1) + text[at+len(" "):]
	}
}

// lineEnd returns the length of the first line of a text, which a blank follows, or the length of the text.
func lineEnd(text string) int {
	if len(text) <= columns {
		return len(text)
	}
	const between = ", "
	for at := columns; at > 0; {
		if at = strings.LastIndex(text[:at], between); at >= 0 && text[at+len(between)] != ' ' { // YAML drops more blanks
			return at + len(between) - len(" ")
		}
	}
	return len(text)
}

func (w *writer) definition(name string, a atom) {
	parts := []string{"name: " + yamlString(name)}
	o := a.object
	if o == nil || len(o.fields) == 0 {
		w.line(0, "- ", flow(append(parts, a.parts()...)))
		return
	}
	a.object = nil
	w.line(0, "- {", strings.Join(append(append(parts, a.parts()...), "map: {fields: ["), ", "))
	last := len(o.fields) - 1
	for _, f := range o.fields[:last] {
		w.line(1, f.yaml(), ",")
	}
	w.line(1, strings.Join(append([]string{o.fields[last].yaml() + "]"}, o.parts()...), ", "), "}}")
}

// entries returns the YAML entries of pairs of keys and values, in the form "key: value". It leaves out empty values.
func entries(pairs ...string) (all []string) {
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			all = append(all, pair[0]+": "+pair[1])
		}
	}
	return all
}

// sequence returns a list as YAML, or "" if it is empty.
func sequence[T any](all []T, yaml func(T) string) string {
	var texts []string
	for _, one := range all {
		texts = append(texts, yaml(one))
	}
	if len(texts) == 0 {
		return ""
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// named returns a name as YAML, or "" if there is none.
func named(name string) string {
	if name == "" {
		return ""
	}
	return yamlString(name)
}

// parts returns the YAML entries of a type.
func (a atom) parts() []string {
	list, object := "", ""
	if l := a.list; l != nil {
		list = flow(entries(
			"elementType", flow(l.elem.parts()), "elementRelationship", l.relationship, "keys", sequence(l.keys, yamlString),
		))
	}
	if o := a.object; o != nil {
		object = flow(append(entries("fields", sequence(o.fields, structField.yaml)), o.parts()...))
	}
	return entries("scalar", a.scalar, "list", list, "map", object)
}

// parts returns the YAML entries of an object, without its fields.
func (o *objectAtom) parts() []string {
	elem := ""
	if o.elem != nil {
		elem = flow(o.elem.parts())
	}
	return entries("unions", sequence(o.unions, union.yaml), "elementType", elem, "elementRelationship", o.relationship)
}

func (r typeRef) parts() []string {
	return slices.Concat(entries("namedType", named(r.named)), r.atom.parts(), entries("elementRelationship", r.relationship))
}

func (f structField) yaml() string {
	value := ""
	if f.value != "" {
		value = yamlValue(f.value)
	}
	return flow(entries("name", yamlString(f.name), "type", flow(f.typ.parts()), "default", value))
}

func (u union) yaml() string {
	fields := sequence(u.members, func(m unionMember) string {
		return flow(entries("fieldName", yamlString(m.field), "discriminatorValue", yamlString(m.value)))
	})
	return flow(entries("discriminator", named(u.discriminator), "fields", cmp.Or(fields, "[]")))
}

func flow(parts []string) string { return "{" + strings.Join(parts, ", ") + "}" }

// yamlValue returns a JSON value as YAML. JSON is valid YAML, but strings may contain backquotes, which must be
// escaped.
func yamlValue(value string) string {
	var s string
	if json.Unmarshal([]byte(value), &s) == nil && value != "null" {
		return yamlString(s)
	}
	return escaped(value)
}

// escaped returns JSON that a raw string in a Go file can contain: without backquotes, and without characters that are
// illegal or invisible there.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '`' || !unicode.IsPrint(r) && r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// yamlString returns a string as YAML: plain if possible, otherwise quoted as in JSON.
func yamlString(s string) string {
	if isPlain(s) {
		return s
	}
	quoted, _ := json.Marshal(s)
	return escaped(string(quoted))
}

// isPlain reports whether a string can be plain in YAML: it begins with a letter or similar character, has no special
// characters, and is not a special word in any version of YAML.
func isPlain(s string) bool {
	for i, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_', c == '/', c == '$':
		case i > 0 && ('0' <= c && c <= '9' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	switch strings.ToLower(s) {
	case "", "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return false
	}
	return true
}
