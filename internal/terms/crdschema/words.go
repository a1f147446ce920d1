package crdschema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// Words say a keyword on a page.
type Words struct {
	place     int                              // among the words of a schema
	say       func(s *Schema, m Markup) string // returns "" if there is nothing to say
	Elsewhere string                           // what shows the keyword instead: another keyword, or another part of the page
}

// Markup formats texts in words.
type Markup interface {
	Code(text string) string
	Value(value any) string // as JSON, or as a single word
}

// Words returns the keywords of a schema in words, except for the ones that are shown elsewhere.
func (s *Schema) Words(m Markup) (all []string) {
	for _, k := range worded {
		if text := k.Words.say(s, m); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// worded lists the keywords with words, in the order of the words.
var worded = slices.SortedFunc(func(yield func(*Keyword) bool) {
	for _, k := range Keywords {
		if k.Words.say != nil && !yield(k) {
			return
		}
	}
}, func(a, b *Keyword) int { return a.Words.place - b.Words.place })

// said returns the words of keywords that are present if a condition holds.
func said(place int, text string, holds func(*Schema) bool) Words {
	return Words{place: place, say: func(s *Schema, _ Markup) string {
		if holds(s) {
			return text
		}
		return ""
	}}
}

// sayNumber returns the words of a keyword with a number. exclusive is nil if nothing changes them.
func sayNumber(place int, text, other string, number func(*Schema) *float64, exclusive func(*Schema) bool) Words {
	return Words{place: place, say: func(s *Schema, _ Markup) string {
		n, before := number(s), text
		if n == nil {
			return ""
		}
		if exclusive != nil && exclusive(s) {
			before = other
		}
		return before + " " + strconv.FormatFloat(*n, 'f', -1, 64)
	}}
}

// sayCount returns the words of two keywords that limit a number of things.
func sayCount(place int, thing string, limits func(*Schema) (least, most *int64)) Words {
	of := func(n int64) string { return diag.Count(int(n), thing) }
	return Words{place: place, say: func(s *Schema, _ Markup) string {
		switch least, most := limits(s); {
		case least != nil && most != nil && *least == *most:
			return "Exactly " + of(*least)
		case least != nil && most != nil:
			return fmt.Sprintf("%d to %s", *least, of(*most))
		case least != nil:
			return "At least " + of(*least)
		case most != nil:
			return "At most " + of(*most)
		}
		return ""
	}}
}

func sayEnum(s *Schema, m Markup) string {
	var values []string
	for _, v := range s.Enum {
		values = append(values, m.Value(v.JSON))
	}
	if len(values) == 0 {
		return ""
	}
	return "One of " + strings.Join(values, ", ")
}

func sayPattern(s *Schema, m Markup) string {
	if s.Pattern == "" {
		return ""
	}
	return "Matches " + m.Code(s.Pattern)
}

// sayFormat returns the format of values whose type does not name it.
func sayFormat(s *Schema, m Markup) string {
	if s.Format == "" || s.Ref == nil && !s.IntOrString && s.Type != "array" && s.Type != "object" {
		return ""
	}
	return "Format " + m.Code(s.Format)
}

func sayKeys(s *Schema, m Markup) string {
	if s.ListType != "map" || len(s.ListMapKeys) == 0 {
		return ""
	}
	var keys []string
	for _, key := range s.ListMapKeys {
		keys = append(keys, m.Code(key))
	}
	return "No two elements have the same " + strings.Join(keys, " and ")
}

func sayUnknownFields(s *Schema, _ Markup) string {
	switch {
	case !s.PreserveUnknownFields:
		return ""
	case s.IsAny():
		return "The server accepts any value"
	}
	return "Other fields are kept"
}
