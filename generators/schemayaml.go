package generators

import (
	"encoding/json"
	"strings"
)

// schemaWriter writes a schema as YAML, in the order and layout that Kubernetes' own have.
type schemaWriter struct{ strings.Builder }

func (w *schemaWriter) line(depth int, parts ...string) {
	for range depth {
		w.WriteString("  ")
	}
	for _, part := range parts {
		w.WriteString(part)
	}
	w.WriteByte('\n')
}

func (w *schemaWriter) definition(name string, a atom) {
	w.line(0, "- name: ", yamlString(name))
	w.atom(1, a)
}

func (w *schemaWriter) atom(depth int, a atom) {
	if a.scalar != "" {
		w.line(depth, "scalar: ", a.scalar)
	}
	if l := a.list; l != nil {
		w.line(depth, "list:")
		w.ref(depth+1, "elementType:", l.elem)
		w.line(depth+1, "elementRelationship: ", l.relationship)
		if len(l.keys) > 0 {
			w.line(depth+1, "keys:")
		}
		for _, key := range l.keys {
			w.line(depth+1, "- ", yamlString(key))
		}
	}
	if o := a.object; o != nil {
		w.object(depth, o)
	}
}

func (w *schemaWriter) object(depth int, o *objectAtom) {
	w.line(depth, "map:")
	depth++
	if len(o.fields) > 0 {
		w.line(depth, "fields:")
	}
	for _, f := range o.fields {
		w.line(depth, "- name: ", yamlString(f.name))
		w.ref(depth+1, "type:", f.typ)
		if f.value != "" {
			w.line(depth+1, "default: ", yamlValue(f.value))
		}
	}
	if len(o.unions) > 0 {
		w.line(depth, "unions:")
	}
	for _, u := range o.unions {
		dash := "- "
		if u.discriminator != "" {
			w.line(depth, dash, "discriminator: ", yamlString(u.discriminator))
			dash = "  "
		}
		w.line(depth, dash, "fields:")
		for _, m := range u.members {
			w.line(depth+1, "- fieldName: ", yamlString(m.field))
			w.line(depth+1, "  discriminatorValue: ", yamlString(m.value))
		}
	}
	if o.elem != nil {
		w.ref(depth, "elementType:", *o.elem)
	}
	if o.relationship != "" {
		w.line(depth, "elementRelationship: ", o.relationship)
	}
}

func (w *schemaWriter) ref(depth int, label string, r typeRef) {
	w.line(depth, label)
	if r.named != "" {
		w.line(depth+1, "namedType: ", yamlString(r.named))
	}
	w.atom(depth+1, r.atom)
	if r.relationship != "" {
		w.line(depth+1, "elementRelationship: ", r.relationship)
	}
}

// yamlValue writes a value that is given in JSON, which is YAML as well. Its strings, and nothing else in it, may hold
// backquotes.
func yamlValue(value string) string {
	var s string
	if json.Unmarshal([]byte(value), &s) == nil && value != "null" {
		return yamlString(s)
	}
	return strings.ReplaceAll(value, "`", `\u0060`)
}

// yamlString writes a string plainly where YAML reads it back as one, and as in JSON otherwise.
func yamlString(s string) string {
	if isPlain(s) {
		return s
	}
	quoted, _ := json.Marshal(s)
	return strings.ReplaceAll(string(quoted), "`", `\u0060`)
}

// isPlain reports whether a string starts with a letter or the like, has no sign in it that YAML knows, and is no word
// that some version of YAML takes for something else.
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
