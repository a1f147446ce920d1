package crdschema

import (
	"regexp/syntax"
	"slices"
)

// narrowsPattern is narrowsText for patterns, which may also accept more than before.
func narrowsPattern(k *Keyword, before *Schema, was []*Schema, is *Schema) string {
	if slices.ContainsFunc(was, func(s *Schema) bool {
		return s.Pattern == is.Pattern || s.Pattern != "" && acceptsAll(is.Pattern, s.Pattern)
	}) {
		return ""
	}
	return narrowsText("the pattern %s must now match")(k, before, was, is)
}

// acceptsAll reports whether it is certain that a pattern matches each string that another one matches. It compares
// their forms, part by part, and is false for patterns of different forms.
func acceptsAll(wide, narrow string) bool {
	w, err := syntax.Parse(wide, syntax.Perl)
	n, err2 := syntax.Parse(narrow, syntax.Perl)
	return err == nil && err2 == nil && includes(w, n)
}

func includes(w, n *syntax.Regexp) bool {
	switch {
	case w.Op == syntax.OpCapture:
		return includes(w.Sub[0], n)
	case n.Op == syntax.OpCapture:
		return includes(w, n.Sub[0])
	case w.Equal(n):
		return true
	case n.Op == syntax.OpAlternate:
		return !slices.ContainsFunc(n.Sub, func(one *syntax.Regexp) bool { return !includes(w, one) })
	case w.Op == syntax.OpAlternate:
		return slices.ContainsFunc(w.Sub, func(one *syntax.Regexp) bool { return includes(one, n) })
	case w.Op == syntax.OpCharClass && n.Op == syntax.OpCharClass:
		return within(w.Rune, n.Rune)
	case w.Op == syntax.OpCharClass && n.Op == syntax.OpLiteral:
		return len(n.Rune) == 1 && n.Flags&syntax.FoldCase == 0 && within(w.Rune, []rune{n.Rune[0], n.Rune[0]})
	case w.Op == syntax.OpConcat && n.Op == syntax.OpConcat:
		return slices.EqualFunc(w.Sub, n.Sub, includes)
	}
	low, high := repeats(w)
	least, most := repeats(n)
	return low >= 0 && least >= low && (high < 0 || most >= 0 && most <= high) && includes(w.Sub[0], n.Sub[0])
}

// repeats returns how often the part of an expression is repeated. high is -1 if there is no limit. low is -1 if the
// expression repeats nothing.
func repeats(e *syntax.Regexp) (low, high int) {
	switch e.Op {
	case syntax.OpStar:
		return 0, -1
	case syntax.OpPlus:
		return 1, -1
	case syntax.OpQuest:
		return 0, 1
	case syntax.OpRepeat:
		return e.Min, e.Max
	}
	return -1, 1
}

// within reports whether the ranges of a class of characters contain the ranges of another class.
func within(wide, narrow []rune) bool {
	for from := range slices.Chunk(narrow, 2) {
		contains := func(in []rune) bool { return in[0] <= from[0] && from[1] <= in[1] }
		if !slices.ContainsFunc(slices.Collect(slices.Chunk(wide, 2)), contains) {
			return false
		}
	}
	return true
}
