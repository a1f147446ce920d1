package crdschema

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Narrowed returns a message if the keyword of condition is excludes values that all conditions of before, in was,
// accept. It returns "" otherwise, also if the keyword is for values of another type.
func (k *Keyword) Narrowed(before *Schema, was []*Schema, is *Schema) string {
	if k.narrows == nil || !k.has(is) || before.Type != "" && !k.For.include(before) {
		return ""
	}
	return k.narrows(k, before, was, is)
}

// Changed returns a message if the keyword of two schemas differs such that values are no longer accepted, or are
// merged in another way. It returns "" otherwise.
func (k *Keyword) Changed(before, after *Schema) string {
	if k.changed == nil {
		return ""
	}
	return k.changed(k, before, after)
}

// lost returns a function for a keyword that allows more values.
func lost(message string) change {
	return func(k *Keyword, before, after *Schema) string {
		if k.has(before) && !k.has(after) {
			return message
		}
		return ""
	}
}

// gained returns a function for a keyword that restricts values.
func gained(message string) change {
	return func(k *Keyword, before, after *Schema) string { return lost(message)(k, after, before) }
}

// changesChoice returns a function for a keyword with the default absent.
func changesChoice(what, absent string) change {
	return func(k *Keyword, before, after *Schema) string {
		if was, is := cmp.Or(*k.in(before).(*string), absent), cmp.Or(*k.in(after).(*string), absent); was != is {
			return fmt.Sprintf("the %s was %s, is %s", what, was, is)
		}
		return ""
	}
}

func changesKeys(_ *Keyword, before, after *Schema) string {
	was, is := before.ListMapKeys, after.ListMapKeys
	if before.ListType != "map" || after.ListType != "map" ||
		len(was) == len(is) && !slices.ContainsFunc(was, func(key string) bool { return !slices.Contains(is, key) }) {
		return ""
	}
	return fmt.Sprintf("the keys of elements were %s, are %s", strings.Join(was, ", "), strings.Join(is, ", "))
}

// formerly returns the end of a message that tells the former value, or "" if there was none.
func formerly(was string) string {
	if was == "" {
		return ""
	}
	return ", was " + was
}

func narrowsFlag(message string) narrowing {
	return func(k *Keyword, _ *Schema, was []*Schema, _ *Schema) string {
		if slices.ContainsFunc(was, k.has) {
			return ""
		}
		return message
	}
}

// narrowsText returns a function for a text that restricts values, except for some texts.
func narrowsText(message string, except ...string) narrowing {
	return func(k *Keyword, before *Schema, was []*Schema, is *Schema) string {
		text := *k.in(is).(*string)
		if slices.Contains(except, text) || slices.ContainsFunc(was, func(s *Schema) bool { return k.same(s, is) }) {
			return ""
		}
		return fmt.Sprintf(message, text) + formerly(*k.in(before).(*string))
	}
}

// side is the side of the values that a limit excludes.
type side bool

const (
	most  side = false
	least side = true
)

// narrowsCount returns a function for a limit, which messages call what.
func narrowsCount(which side, what string) narrowing {
	return func(k *Keyword, _ *Schema, was []*Schema, is *Schema) string {
		var old *int64
		for _, s := range was {
			if n := *k.in(s).(**int64); n != nil && (old == nil || which == (*n > *old)) {
				old = n
			}
		}
		switch n := **k.in(is).(**int64); {
		case which == least && n <= 0:
		case old == nil:
			return fmt.Sprintf("%s is %d", what, n)
		case n != *old && which == (n > *old):
			return fmt.Sprintf("%s is %d, was %d", what, n, *old)
		}
		return ""
	}
}

// narrowsEnum compares an enum with the values that all former enums contain.
func narrowsEnum(_ *Keyword, _ *Schema, was []*Schema, is *Schema) string {
	was = slices.DeleteFunc(slices.Clone(was), func(s *Schema) bool { return len(s.Enum) == 0 })
	if len(was) == 0 {
		return "only " + inJSON(is.Enum) + " are now accepted"
	}
	gone := slices.DeleteFunc(slices.Clone(was[0].Enum), func(v Value) bool {
		return contains(is.Enum, v) || slices.ContainsFunc(was, func(s *Schema) bool { return !contains(s.Enum, v) })
	})
	if len(gone) == 0 {
		return ""
	}
	return "no longer accepted: " + inJSON(gone)
}

func contains(all []Value, v Value) bool {
	return slices.ContainsFunc(all, func(other Value) bool { return reflect.DeepEqual(other.JSON, v.JSON) })
}

// inJSON returns values for a message.
func inJSON(values []Value) string {
	var texts []string
	for _, v := range values {
		texts = append(texts, InJSON(v.JSON))
	}
	return strings.Join(texts, ", ")
}

// edge is the lower or upper limit of numbers.
type edge struct {
	what, beyond, within string
	sign                 int // -1 for the upper limit, which is compared as the lower limit of the negated numbers
	of                   func(*Schema) (limit *float64, excluded bool)
}

var (
	minimum = edge{"minimum", "below", "above", 1, func(s *Schema) (*float64, bool) { return s.Minimum, s.ExclusiveMinimum }}
	maximum = edge{"maximum", "above", "below", -1, func(s *Schema) (*float64, bool) { return s.Maximum, s.ExclusiveMaximum }}
)

// in returns the least number that a schema accepts. If only integers are compared, it is rounded up.
func (e edge) in(s *Schema, integers bool) float64 {
	n, excluded := e.of(s)
	if n == nil {
		return math.Inf(-1)
	}
	switch value := *n * float64(e.sign); {
	case integers && excluded:
		return math.Floor(value) + 1
	case integers:
		return math.Ceil(value)
	case excluded:
		return math.Nextafter(value, math.Inf(1))
	default:
		return value
	}
}

// narrows compares limits, or whether equal limits are excluded.
func (e edge) narrows(k *Keyword, before *Schema, was []*Schema, is *Schema) string {
	var old *float64
	integers, strictest := before.Type == "integer", math.Inf(-1)
	for _, s := range was {
		if l := e.in(s, integers); l > strictest {
			strictest = l
			old, _ = e.of(s)
		}
	}
	n, _ := e.of(is)
	_, excludes := k.in(is).(*bool)
	switch {
	case e.in(is, integers) <= strictest || excludes != (old != nil && *old == *n):
		return ""
	case excludes:
		return inShort(n) + " itself is no longer accepted"
	}
	return fmt.Sprintf("the %s is %s%s", e.what, inShort(n), formerly(inShort(old)))
}

func narrowsMultiple(_ *Keyword, before *Schema, was []*Schema, is *Schema) string {
	n := is.MultipleOf
	if *n > 0 && (before.Type == "integer" && isNearMultiple(1, *n) ||
		slices.ContainsFunc(was, func(s *Schema) bool { return s.MultipleOf != nil && isNearMultiple(*s.MultipleOf, *n) })) {
		return ""
	}
	return fmt.Sprintf("must now be a multiple of %s%s", inShort(n), formerly(inShort(before.MultipleOf)))
}

// inShort returns a number for a message, or "" for nil.
func inShort(n *float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'g', -1, 64)
}
