package crdschema

import (
	"encoding/json"
	"go/token"
	"math"
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

// with returns the schema with the strictest limits of itself and of schemas for the same values, which are its allOf.
func (s *Schema) with(parts []*Schema) *Schema {
	if len(parts) == 0 {
		return s
	}
	whole, integers := *s, s.Type == "integer"
	whole.AllOf = parts
	for _, part := range parts {
		if minimum.in(part, integers) > minimum.in(&whole, integers) {
			whole.Minimum, whole.ExclusiveMinimum = part.Minimum, part.ExclusiveMinimum
		}
		if maximum.in(part, integers) > maximum.in(&whole, integers) {
			whole.Maximum, whole.ExclusiveMaximum = part.Maximum, part.ExclusiveMaximum
		}
		for _, k := range Keywords {
			switch k.in(part).(type) {
			case **int64, **float64:
				if k.Narrowed(&whole, []*Schema{&whole}, part) != "" {
					k.copy(&whole, part)
				}
			}
		}
		if len(whole.Enum) == 0 {
			whole.Enum = part.Enum
		}
		if part.SetBy.IsValid() {
			whole.SetBy = part.SetBy
		}
	}
	return &whole
}

// never reports keywords of a schema and of the parts in n that no value, or not an intended one, satisfies.
func (c *checker) never(s *Schema, n node) {
	whole := s.with(n.parts)
	for _, size := range []struct {
		of, what    string
		least, most *int64
	}{
		{"Length", "length", whole.MinLength, whole.MaxLength},
		{"Items", "number of elements", whole.MinItems, whole.MaxItems},
		{"Properties", "number of keys", whole.MinProperties, whole.MaxProperties},
	} {
		switch names := []string{"Max" + size.of, "max" + size.of}; {
		case size.most == nil:
		case *size.most < 0:
			c.neverf(n, whole, names, "the greatest %s is %d, so no value is valid", size.what, *size.most).Suggest("correct the marker")
		case size.least != nil && *size.least > *size.most:
			c.neverf(n, whole, append(names, "Min"+size.of), "the least %s, %d, is above the greatest, %d, so no value is valid", size.what,
				*size.least, *size.most).Suggest("correct one of them")
		}
	}
	c.numbers(whole, n)
	c.enum(s, whole, n)
	c.required(whole, n)
}

// numbers reports contradictory limits of numbers.
func (c *checker) numbers(s *Schema, n node) {
	if s.MultipleOf != nil && *s.MultipleOf <= 0 {
		c.neverf(n, s, []string{"MultipleOf"}, "no number is a multiple of %v", *s.MultipleOf).Suggest("use a number above 0")
	}
	if s.Minimum == nil || s.Maximum == nil {
		return
	}
	names := []string{"Minimum", "minimum", "Maximum", "maximum"}
	least, most := minimum.in(s, s.Type == "integer"), -maximum.in(s, s.Type == "integer")
	switch excluded := []string{"ExclusiveMinimum", "ExclusiveMaximum"}; {
	case *s.Minimum > *s.Maximum:
		c.neverf(n, s, names, "the minimum, %v, is above the maximum, %v, so no value is valid", *s.Minimum, *s.Maximum).
			Suggest("correct one of them")
	case least > most && *s.Minimum == *s.Maximum:
		c.neverf(n, s, excluded, "the minimum and maximum are both %v, and excluded, so no value is valid", *s.Minimum).
			Suggest("correct one of them")
	case least > most:
		c.neverf(n, s, append(names, excluded...), "no integer is between %v and %v, so no value is valid", *s.Minimum, *s.Maximum).
			Suggest("correct one of them")
	case s.Type == "integer" && s.MultipleOf != nil && *s.MultipleOf >= 1 && math.Ceil(least / *s.MultipleOf)**s.MultipleOf > most:
		c.neverf(n, s, append(names, "MultipleOf"), "no multiple of %v is between %v and %v, so no value is valid", *s.MultipleOf, least, most).
			Suggest("correct one of them")
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

// required reports required fields without a schema, which servers remove before they miss them.
func (c *checker) required(s *Schema, n node) {
	var lost []GatedField
	for _, part := range append([]*Schema{s}, s.AllOf...) {
		lost = slices.Concat(lost, s.lost(part.Required), s.lostInEach(part.AnyOf), s.lostInEach(part.OneOf))
	}
	for _, field := range lost {
		switch {
		case n.inMeta, n.level == atRoot && slices.Contains(ResourceFields, field.Name):
		case field.Edit.IsValid():
			c.errorf(n, editedBy(field.Edit), nil, "allOf, anyOf or oneOf requires the dropped field %s", field.Name).
				Suggest("keep the field, or drop the alternatives by drop: [validation]")
		default:
			c.neverf(n, s, nil, "no value is valid, because the field %s is required and has no schema", field.Name).
				Suggest("change required, or give the field a schema in properties")
		}
	}
}

// lost returns the required fields that servers remove because they have no schema.
func (s *Schema) lost(required []string) (fields []GatedField) {
	if s.Type != "object" || s.PreserveUnknownFields || s.EmbeddedResource || s.AnyProperties || s.AdditionalProperties != nil {
		return nil
	}
	for _, name := range required {
		if field := s.LeftOut(name); field != nil {
			fields = append(fields, *field)
		} else if s.Index(name) < 0 {
			fields = append(fields, GatedField{Name: name})
		}
	}
	return fields
}

// lostIn returns the fields that a condition requires, and servers remove.
func (s *Schema) lostIn(condition *Schema) []GatedField {
	fields := slices.Concat(s.lost(condition.Required), s.lostInEach(condition.AnyOf), s.lostInEach(condition.OneOf))
	for _, p := range condition.Properties {
		if inner := s.Property(p.Name); inner != nil {
			fields = append(fields, inner.lostIn(p.Schema)...)
		}
	}
	for _, part := range condition.AllOf {
		fields = append(fields, s.lostIn(part)...)
	}
	return fields
}

// lostInEach is like lostIn for alternatives, if none of them can do without.
func (s *Schema) lostInEach(alternatives []*Schema) (fields []GatedField) {
	for _, alternative := range alternatives {
		found := s.lostIn(alternative)
		if len(found) == 0 {
			return nil
		}
		fields = append(fields, found...)
	}
	return fields
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
