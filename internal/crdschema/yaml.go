package crdschema

import (
	"slices"

	"github.com/kubegen/kubegen/internal/yamltext"
)

// sorted holds the keywords in the order of manifests.
var sorted = slices.SortedFunc(slices.Values(Keywords), func(a, b *Keyword) int { return yamltext.CompareKeys(a.Name, b.Name) })

// Write writes the keywords of the schema as entries of a mapping at an indent. It reports whether there are any.
func (s *Schema) Write(w *yamltext.Writer, indent int) bool {
	y := &writer{w, indent}
	wrote := false
	for _, k := range sorted {
		if k.has(s) {
			k.write(y, s)
			wrote = true
		}
	}
	return wrote
}

// JSONSize returns the size in bytes of the schema as compact JSON, as encoding/json writes it.
func (s *Schema) JSONSize() int {
	var w yamltext.Writer
	if !s.Write(&w, 0) {
		return len("{}")
	}
	return w.JSONSize()
}

func (d *ExternalDocs) write(y *writer) {
	y.text("description", d.Description)
	y.text("url", d.URL)
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

// writer writes the entries of a mapping.
type writer struct {
	*yamltext.Writer
	indent int
}

// inner returns a writer for a mapping inside this one.
func (y *writer) inner() *writer { return &writer{y.Writer, y.indent + 2} }

func (y *writer) key(name string) { y.Key(y.indent, name) }

// text writes an entry with a text unless it is empty.
func (y *writer) text(name, text string) {
	if text != "" {
		y.key(name)
		y.String(y.indent, text)
	}
}

// items writes a list of n elements.
func (y *writer) items(n int, write func(i int)) {
	for i := range n {
		y.Item(y.indent)
		write(i)
	}
}

// schema writes a schema as the value of an entry, or as an element.
func (y *writer) schema(s *Schema) {
	if !s.Write(y.Writer, y.indent+2) {
		y.Plain("{}")
	}
}
