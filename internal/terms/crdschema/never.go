package crdschema

import (
	"cmp"
	"encoding/json"
	"go/token"
	"slices"
)

// flattened returns the parts of allOf, the parts in these, and so on.
func flattened(allOf []*Schema) (parts []*Schema) {
	for _, part := range allOf {
		parts = append(append(parts, part), flattened(part.AllOf)...)
	}
	return parts
}

// inParts returns the schemas that parts of allOf have for a value in theirs.
func inParts(parts []*Schema, inner func(*Schema) *Schema) (found []*Schema) {
	for _, part := range parts {
		if in := inner(part); in != nil {
			found = append(found, in)
		}
	}
	return found
}

// never reports keywords of a schema and of the parts in n that no value, or not an intended one, satisfies.
func (c *checker) never(s *Schema, n node) {
	if len(n.parts) == 0 && !slices.ContainsFunc(Keywords, func(k *Keyword) bool { return k.Asked != Never && k.has(s) }) {
		return // every value satisfies most schemas
	}
	whole, before := *s, len(c.diags)
	whole.AllOf = n.parts
	for _, part := range n.parts {
		if len(whole.Enum) == 0 {
			whole.Enum = part.Enum
		}
		whole.SetBy = cmp.Or(part.SetBy, whole.SetBy)
	}
	if c.enum(s, &whole, n); c.file == "" && len(c.diags) == before {
		c.together(s, &whole, n)
	}
}

// enum reports duplicates, and values that the rest of the schema excludes. s is without parts for the same values.
func (c *checker) enum(s, whole *Schema, n node) {
	if len(whole.Enum) == 0 {
		return
	}
	names := []string{"Enum", "enum"}
	own, without, seen := *s, *whole, map[string]bool{}
	own.Enum, own.AllOf, without.Enum = nil, nil, nil
	isNull := func(v Value) bool { return v.JSON == nil && s.Nullable }
	some := slices.ContainsFunc(whole.Enum, func(v Value) bool { return isNull(v) || without.fits(v.JSON) == nil })
	for _, v := range whole.Enum {
		text, _ := json.Marshal(v.JSON)
		twice := seen[string(text)]
		seen[string(text)] = true
		if p := without.fits(v.JSON); twice {
			c.warnf(n, whole, names, "%s is listed twice among the allowed values", InJSON(v.JSON)).Suggest("delete one of them")
		} else if p != nil && !isNull(v) {
			reportf := c.neverf
			if some && own.fits(v.JSON) == nil { // parts exclude some values
				reportf = c.warnf
			}
			reportf(n, whole, names, "the value %s is never valid, because %s", InJSON(v.JSON), p.text).
				Suggest("correct the value, or the type and its other markers")
		}
	}
}

// LeftOut returns the field of a name that feature gates or an edit leave out of a schema, or nil.
func (s *Schema) LeftOut(name string) *GatedField {
	i := slices.IndexFunc(s.Off, func(off GatedField) bool { return off.Name == name })
	if i < 0 || s.Index(name) >= 0 {
		return nil
	}
	return &s.Off[i]
}

// editedBy returns a schema with nothing but the position of an edit, for messages.
func editedBy(edit token.Position) *Schema {
	return &Schema{Origin: Origin{Changes: Changes{Edits: []token.Position{edit}}}}
}
