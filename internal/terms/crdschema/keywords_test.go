package crdschema

import (
	"cmp"
	"reflect"
	"testing"

	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// samples returns two schemas with different values of a keyword. The second one is narrower.
func samples(t *testing.T, k *Keyword) (a, b *Schema) {
	a, b = &Schema{}, &Schema{}
	form := &Schema{Type: map[Values]string{Numbers: "number", Strings: "string", Lists: "array", Objects: "object"}[k.For]}
	set := func(first, second any) {
		if k.Marker == "" {
			k.set(a, first)
			k.set(b, second)
			return
		}
		for s, value := range map[*Schema]any{a: first, b: second} {
			if problem := ByMarker(k.markers()[0]).Apply(s, form, value); problem != "" {
				t.Errorf("the marker has no effect: %s", problem)
			}
		}
	}
	switch in := k.in(a).(type) {
	case *string:
		first, second := "a", "b"
		if k.among != nil {
			first, second = k.among[0], k.among[1]
		}
		set(first, second)
	case *bool:
		if k.bare {
			set(nil, nil)
		} else {
			set(true, true)
		}
	case **int64:
		if set(3, 2); k.Narrowed(a, []*Schema{a}, b) == "" { // a lower limit
			set(2, 3)
		}
	case **float64:
		if set(4.0, 2.0); k.Narrowed(a, []*Schema{a}, b) == "" {
			set(2.0, 4.0)
		}
	case *[]Value:
		set([]any{"a", "b"}, []any{"b"})
	case **Value:
		*in, *k.in(b).(**Value) = &Value{"a"}, &Value{"b"}
	case *[]string:
		*in, *k.in(b).(*[]string) = []string{"a"}, []string{"b"}
	case **ExternalDocs:
		*in, *k.in(b).(**ExternalDocs) = &ExternalDocs{URL: "a"}, &ExternalDocs{URL: "b"}
	case *[]Rule:
		*in, *k.in(b).(*[]Rule) = []Rule{{Rule: "a"}}, []Rule{{Rule: "b"}}
	case **Schema:
		*in, *k.in(b).(**Schema) = &Schema{Type: "object"}, &Schema{Type: "string"}
	case *[]*Schema:
		*in, *k.in(b).(*[]*Schema) = []*Schema{{Type: "object"}}, []*Schema{{Type: "string"}}
	case *[]Property:
		*in, *k.in(b).(*[]Property) = []Property{{"a", text}}, []Property{{"b", text}}
	case additional:
		in.AnyProperties, b.AdditionalProperties = true, text
	}
	return a, b
}

func write(s *Schema) string { return string(yamltext.Marshal(s.Object(nil))) }

// TestKeywords carries a value of each keyword through all operations.
func TestKeywords(t *testing.T) {
	for _, k := range Keywords {
		t.Run(k.Name, func(t *testing.T) {
			a, b := samples(t, k)
			if !k.has(a) || !k.has(b) || k.has(&Schema{}) {
				t.Errorf("has reports %t, %t, and %t for the zero Schema", k.has(a), k.has(b), k.has(&Schema{}))
			}

			for _, s := range []*Schema{a, b} {
				text := write(s)
				if got := write(schemaOf(t, text)); text == "" || got != text {
					t.Errorf("wrote %q, parsed %q", text, got)
				}
				var copied Schema
				if copied.Set(s); !reflect.DeepEqual(&copied, s) {
					t.Errorf("Set copied %q instead of %q", write(&copied), text)
				}
			}
			k.merging(t, a, b)
			k.comparing(t, a, b)
			if k.Marker != "" {
				typ := map[Values]string{Numbers: "integer", Strings: "string", Lists: "array", Objects: "object"}[k.For]
				if line, ok := k.Line(a, typ); !ok {
					t.Errorf("no marker for %q, but %q", write(a), line)
				}
			}
		})
	}
}

// merging merges schemas with a keyword.
func (k *Keyword) merging(t *testing.T, a, b *Schema) {
	if k.merge == elsewhere || k.Describes {
		return
	}
	merged := &Schema{}
	if merged.Merge(a); write(merged) != write(a) {
		t.Errorf("merged into the zero Schema: %q", write(merged))
	}
	merged.Merge(b)
	want := map[combination]*Schema{first: a, last: b, both: {AllOf: []*Schema{a, b}}}[k.merge]
	if write(a) == write(b) { // true
		want = a
	}
	if write(merged) != write(want) {
		t.Errorf("merged into another one: %q, want %q", write(merged), write(want))
	}
}

// comparing expects that each keyword that restricts values is reported if it is new or narrower.
func (k *Keyword) comparing(t *testing.T, a, b *Schema) {
	none := &Schema{}
	if k.narrows == nil && k.changed == nil {
		if k.For != "" && k.Marker != "" {
			t.Error("the keyword restricts values, but is not compared")
		}
		return
	}
	if k.changed != nil {
		a.ListType, b.ListType = cmp.Or(a.ListType, "map"), cmp.Or(b.ListType, "map") // for keys
		if k.Changed(none, a)+k.Changed(a, none)+k.Changed(a, b) == "" {
			t.Error("a change is not reported")
		}
		return
	}
	if k.Name == "exclusiveMinimum" || k.Name == "exclusiveMaximum" {
		one := 1.0
		none = &Schema{Minimum: &one, Maximum: &one}
		a.Minimum, a.Maximum = &one, &one
	} else if write(a) != write(b) && k.Narrowed(a, []*Schema{a}, b) == "" {
		t.Errorf("%q does not narrow %q", write(b), write(a))
	}
	if k.Narrowed(none, []*Schema{none}, a) == "" {
		t.Errorf("%q does not narrow", write(a))
	}
	if got := k.Narrowed(a, []*Schema{a}, a); got != "" {
		t.Errorf("%q narrows itself: %s", write(a), got)
	}
}
