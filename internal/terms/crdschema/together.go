package crdschema

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// verdict says whether a schema may accept, and may refuse, the values of a form.
type verdict struct{ accepts, refuses bool }

func (v verdict) and(accepts, refuses bool) verdict {
	return verdict{v.accepts && accepts, v.refuses || refuses}
}

// form is a form of values. Together, the forms of a schema cover all of its values.
type form struct {
	of        *Schema         // of the values
	single    bool            // value is the only one
	value     any             // of a number
	multiples bool            // other numbers of the form are multiples of the same numbers
	size      int64           // number of characters, elements or keys
	has       map[string]bool // the fields that are present or absent; others may be present
}

// apply calls visit for the schema, and for those in it that are about the same values.
func (s *Schema) apply(visit func(*Schema)) {
	visit(s)
	for _, part := range slices.Concat(s.AllOf, s.alternatives(false)) {
		part.apply(visit)
	}
}

// conjuncts returns what a schema and its parts say of values, without what they say of elements and of fields, except
// for fields that they forbid.
func conjuncts(s *Schema, parts []*Schema) (all []*Schema) {
	for _, part := range append([]*Schema{s}, parts...) {
		own := *part
		own.Properties, own.Items, own.AllOf = nil, nil, nil
		for _, p := range part.Properties {
			if p.forbids() {
				own.AllOf = append(own.AllOf, &Schema{Not: &Schema{Required: []string{p.Name}}})
			}
		}
		all = append(all, &own)
	}
	return all
}

// forbids reports whether a schema says not: {}, which is meant for fields and elements that must be absent.
func (s *Schema) forbids() bool {
	return s.Not != nil && !slices.ContainsFunc(Keywords, func(k *Keyword) bool { return k.has(s.Not) }) ||
		slices.ContainsFunc(s.AllOf, (*Schema).forbids)
}

// meets returns the verdict of a condition about the values of s that fit all schemas. present are fields that all
// values have.
func (s *Schema) meets(all []*Schema, condition *Schema, present []string) verdict {
	forms, known := s.forms(append(slices.Clip(all), &Schema{AllOf: []*Schema{condition}}), present) // not all values meet it
	v := verdict{!known, !known}
	for _, f := range forms {
		if !slices.ContainsFunc(all, func(one *Schema) bool { return !f.judge(one).accepts }) {
			by := f.judge(condition)
			v = verdict{v.accepts || by.accepts, v.refuses || by.refuses}
		}
	}
	return v
}

// inner returns the verdict of a condition about values inside of others, which have a schema or nil.
func inner(s, condition *Schema) verdict {
	if s == nil {
		return verdict{true, true}
	}
	return s.meets(conjuncts(s, flattened(s.AllOf)), condition, nil)
}

// judge returns the verdict of a schema about values of the form. Two schemas about the value of one field are judged
// apart.
func (f *form) judge(s *Schema) verdict {
	if f.single {
		fits := s.fits(f.value) == nil
		return verdict{fits, !fits}
	}
	v := verdict{accepts: true}
	for _, k := range Keywords {
		if !k.has(s) || !k.For.include(f.of) {
			continue
		}
		switch limit := k.in(s).(type) {
		case **int64:
			fits := f.size == **limit || f.size < **limit == strings.HasPrefix(k.Name, "max")
			v = v.and(fits, !fits)
		case **float64:
			fits, known := k.fits(k, s, f.value) == nil, f.multiples || k.Name != "multipleOf" || **limit <= 0
			v = v.and(fits || !known, !fits || !known)
		case *[]Value: // each has a form of its own
			v = v.and(f.of.Type == "array" || f.of.Type == "object", true)
		default:
			v = v.and(true, k.Restricts() && k.For != Numbers)
		}
	}
	for _, name := range s.Required {
		present, known := f.has[name]
		v = v.and(present || !known, !present)
	}
	for _, p := range s.Properties {
		if present, known := f.has[p.Name]; present || !known {
			in := inner(f.of.Property(p.Name), p.Schema)
			v = v.and(in.accepts || !known, in.refuses)
		}
	}
	if s.Items != nil && f.size > 0 {
		in := inner(f.of.Items, s.Items)
		v = v.and(in.accepts, in.refuses)
	}
	for _, junctor := range []struct {
		parts       []*Schema
		least, most int // of them accept a value
	}{{s.AllOf, len(s.AllOf), len(s.AllOf)}, {s.AnyOf, 1, len(s.AnyOf)}, {s.OneOf, 1, 1}, {(&Schema{Not: s.Not}).alternatives(true), 0, 0}} {
		may, must := 0, 0
		for _, part := range junctor.parts {
			by := f.judge(part)
			if by.accepts {
				may++
			}
			if !by.refuses {
				must++
			}
		}
		if len(junctor.parts) > 0 {
			v = v.and(may >= junctor.least && must <= junctor.most, must < junctor.least || may > junctor.most)
		}
	}
	return v
}

// forms returns the forms of values with the type and fields of s that schemas tell apart, if these are known.
func (s *Schema) forms(schemas []*Schema, present []string) (forms []*form, known bool) {
	limits, multiples := []float64{0}, map[float64]bool{}
	for _, one := range schemas {
		one.apply(func(part *Schema) {
			for _, k := range Keywords {
				if !k.has(part) || !k.For.include(s) {
					continue
				}
				switch limit := k.in(part).(type) {
				case **int64:
					limits = append(limits, float64(**limit))
				case **float64:
					if k.Name == "multipleOf" {
						multiples[math.Trunc(**limit)] = true
					} else {
						limits = append(limits, **limit)
					}
				case *[]Value:
					for _, v := range *limit {
						if forms = append(forms, &form{of: s, single: true, value: v.JSON}); s.Type != "string" {
							number, _ := yamltext.Float(v.JSON)
							limits = append(limits, number)
						}
					}
				}
			}
		})
	}
	if slices.ContainsFunc(schemas, func(one *Schema) bool { return len(one.Enum) > 0 }) {
		return forms, true
	}
	if slices.ContainsFunc(limits, func(limit float64) bool { return math.Abs(limit) >= exact }) {
		return nil, false
	}
	numbers := cells(limits, s.Type != "number", multiples)
	if s.Type == "object" {
		return append(forms, s.objects(schemas, present, numbers)...), true
	}
	for _, n := range numbers {
		f := &form{of: s, value: fromFloat(n), size: int64(n), multiples: s.Type == "integer" && len(multiples) == 1}
		is := func(other *form) bool { return other.value == f.value }
		if (n >= 0 || valuesOf[s.Type] == Numbers) && !slices.ContainsFunc(forms, is) {
			forms = append(forms, f)
		}
	}
	return forms, valuesOf[s.Type] != ""
}

// cells returns numbers such that no limit tells any other number apart from one of them.
func cells(limits []float64, integers bool, multiples map[float64]bool) (numbers []float64) {
	if integers {
		for i, limit := range limits {
			limits[i] = math.Trunc(limit) // as servers compare them
			for of := range multiples {
				if of >= 1 { // the next multiple, and the next other number
					limits = append(limits, of*math.Floor(limit/of)+of, limits[i]+1, limits[i]+2)
				}
			}
		}
	}
	slices.Sort(limits)
	numbers = append(numbers, limits[0]-1, limits[len(limits)-1]+1)
	for i, limit := range limits {
		middle := (limit + limits[max(i-1, 0)]) / 2
		if integers {
			middle = math.Floor(middle)
		}
		numbers = append(numbers, limit, middle)
	}
	return numbers
}

// objects returns the forms of objects: with the fields that schemas name and without them, of sizes among others.
func (s *Schema) objects(schemas []*Schema, present []string, sizes []float64) (forms []*form) {
	named := map[string]bool{} // whether the field is always present
	for _, one := range schemas {
		one.apply(func(part *Schema) {
			for _, name := range append(part.Names(), part.Required...) {
				named[name] = named[name] || slices.Contains(one.Required, name)
			}
		})
	}
	for _, p := range s.Properties {
		if p.Default != nil && p.Default.JSON != nil {
			named[p.Name] = true
		}
	}
	for _, name := range present {
		named[name] = true
	}
	all := []map[string]bool{{}}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		lacks := s.lacks(name, present)
		if lacks && named[name] {
			return nil
		}
		either := !lacks && !named[name]
		for _, has := range all {
			if either && len(all) >= 256 {
				break // the field may be present in all forms
			}
			if has[name] = !lacks; either {
				without := maps.Clone(has)
				without[name] = false
				all = append(all, without)
			}
		}
	}
	for _, has := range all {
		fewest, most := 0.0, 0.0
		for _, is := range has {
			if is {
				fewest, most = fewest+1, most+1
			}
		}
		for _, p := range s.Properties {
			if _, known := has[p.Name]; !known {
				most++
			}
		}
		if !s.closed() {
			most = exact
		}
		for _, n := range append(slices.Clip(sizes), fewest, most) {
			if n >= fewest && n <= most {
				forms = append(forms, &form{of: s, size: int64(n), has: has})
			}
		}
	}
	return forms
}

// closed reports whether servers remove fields that have no schema.
func (s *Schema) closed() bool {
	return s.Type == "object" && !s.PreserveUnknownFields && !s.EmbeddedResource && !s.AnyProperties && s.AdditionalProperties == nil
}

// lacks reports whether servers remove a field, unless it is always present.
func (s *Schema) lacks(name string, present []string) bool {
	return s.closed() && s.Index(name) < 0 && !slices.Contains(present, name)
}

// together reports keywords of a schema and its parts that no value satisfies together. own is without the parts of
// enclosing schemas, which may forbid the value.
func (c *checker) together(own, s *Schema, n node) {
	all, present := conjuncts(s, s.AllOf), []string(nil)
	if n.level == atRoot {
		present = ResourceFields
	}
	possible := func(s *Schema, all []*Schema) bool { return s.meets(all, &Schema{}, present).accepts }
	if n.inMeta || possible(s, all) || s.forbids() && !own.forbids() {
		return
	}
	open, lost := *s, []string(nil)
	open.AnyProperties = true
	for _, one := range all {
		one.apply(func(part *Schema) { lost = append(lost, part.Required...) })
	}
	slices.Sort(lost)
	lost = slices.DeleteFunc(slices.Compact(lost), func(name string) bool { return !s.lacks(name, present) || !possible(&open, all) })
	for _, name := range lost {
		if field := s.LeftOut(name); field != nil && field.Edit.IsValid() {
			c.errorf(n, editedBy(field.Edit), nil, "allOf, anyOf or oneOf requires the dropped field %s", name).
				Suggest("keep the field, or drop the alternatives by drop: [validation]")
		} else {
			c.neverf(n, s, nil, "no value is valid, because the field %s is required and has no schema", name).
				Suggest("change required, or give the field a schema in properties")
		}
	}
	if len(lost) > 0 {
		return
	}
	var conflict, names, markers []string
	for _, k := range Keywords {
		without, values := conjuncts(s, s.AllOf), []string(nil)
		for _, one := range without {
			if k.has(one) && k.Asked != Never {
				text, _ := k.valueText(one)
				values = append(values, strings.TrimSuffix(strings.TrimSuffix(k.Name+strings.Replace(text, "=", " ", 1), " true"), " "))
			}
			k.Clear(one)
		}
		if names = append(names, values...); len(values) > 0 && possible(s, without) {
			conflict, markers = append(conflict, values...), append(markers, k.Names()...)
		}
	}
	if len(conflict) == 0 {
		conflict = names // there are several conflicts
	}
	c.neverf(n, s, markers, "no value is valid, because none satisfies %s", strings.Join(slices.Compact(conflict), " and ")).
		Suggest("correct one of them")
}
