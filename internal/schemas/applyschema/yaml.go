package applyschema

import (
	"encoding/json"
	"fmt"
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

// parts returns the YAML entries of a type in the form "key: value".
func (a atom) parts() []string {
	var parts []string
	if a.scalar != "" {
		parts = append(parts, "scalar: "+a.scalar)
	}
	if l := a.list; l != nil {
		list := []string{"elementType: " + flow(l.elem.parts()), "elementRelationship: " + l.relationship}
		if len(l.keys) > 0 {
			var keys []string
			for _, key := range l.keys {
				keys = append(keys, yamlString(key))
			}
			list = append(list, "keys: ["+strings.Join(keys, ", ")+"]")
		}
		parts = append(parts, "list: "+flow(list))
	}
	if o := a.object; o != nil {
		var object []string
		if len(o.fields) > 0 {
			var fields []string
			for _, f := range o.fields {
				fields = append(fields, f.yaml())
			}
			object = append(object, "fields: ["+strings.Join(fields, ", ")+"]")
		}
		parts = append(parts, "map: "+flow(append(object, o.parts()...)))
	}
	return parts
}

// parts returns the YAML entries of an object, without its fields.
func (o *objectAtom) parts() []string {
	var parts []string
	if len(o.unions) > 0 {
		var unions []string
		for _, u := range o.unions {
			unions = append(unions, u.yaml())
		}
		parts = append(parts, "unions: ["+strings.Join(unions, ", ")+"]")
	}
	if o.elem != nil {
		parts = append(parts, "elementType: "+flow(o.elem.parts()))
	}
	if o.relationship != "" {
		parts = append(parts, "elementRelationship: "+o.relationship)
	}
	return parts
}

func (r typeRef) parts() []string {
	var parts []string
	if r.named != "" {
		parts = append(parts, "namedType: "+yamlString(r.named))
	}
	parts = append(parts, r.atom.parts()...)
	if r.relationship != "" {
		parts = append(parts, "elementRelationship: "+r.relationship)
	}
	return parts
}

func (f structField) yaml() string {
	parts := []string{"name: " + yamlString(f.name), "type: " + flow(f.typ.parts())}
	if f.value != "" {
		parts = append(parts, "default: "+yamlValue(f.value))
	}
	return flow(parts)
}

func (u union) yaml() string {
	var parts, fields []string
	if u.discriminator != "" {
		parts = append(parts, "discriminator: "+yamlString(u.discriminator))
	}
	for _, m := range u.members {
		fields = append(fields, flow([]string{"fieldName: " + yamlString(m.field), "discriminatorValue: " + yamlString(m.value)}))
	}
	return flow(append(parts, "fields: ["+strings.Join(fields, ", ")+"]"))
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
