package yamltext

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

type style int

const (
	plain style = iota
	single
	double
	literal
)

// analysis describes the styles that can represent a string.
type analysis struct {
	lineBreak                       bool
	noPlain, noSingle, noLiteral    bool
	newline                         bool
	startsWithSpace, endsWithSpaces bool
}

func isBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == 0x85 || r == '\u2028' || r == '\u2029'
}

// printable reports whether a character may appear unescaped. Characters beyond 16 bits may not, as in
// sigs.k8s.io/yaml.
func printable(r rune) bool {
	return r == '\n' || 0x20 <= r && r <= 0x7e || 0xa0 <= r && r <= 0xfffd && r != 0xfeff
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// analyze examines each character of a string.
func analyze(s string) (a analysis) {
	if s == "" {
		a.noLiteral = true
		return a
	}
	indicators := strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...")
	var special, breakSpace, spaceBreak bool
	var previous rune
	for i, r := range s {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' { // most characters; they have no meaning
			previous = r
			continue
		}
		next := i + utf8.RuneLen(r)
		blankNext := next >= len(s) || s[next] == ' ' || s[next] == '\t'
		switch {
		case i == 0 && strings.ContainsRune("#,[]{}&*!|>'\"%@`", r),
			i == 0 && (r == '?' || r == '-') && blankNext,
			r == ':' && blankNext,
			r == '#' && i > 0 && (previous == ' ' || previous == '\t' || previous == 0 || isBreak(previous)):
			indicators = true
		}
		if !printable(r) {
			special = true
		}
		switch {
		case r == ' ':
			a.startsWithSpace = a.startsWithSpace || i == 0
			a.endsWithSpaces = a.endsWithSpaces || next == len(s)
			breakSpace = breakSpace || i > 0 && isBreak(previous)
		case isBreak(r):
			a.lineBreak = true
			a.newline = a.newline || r == '\n'
			spaceBreak = spaceBreak || previous == ' ' && i > 0
		}
		previous = r
	}
	a.noPlain = indicators || special || a.lineBreak || a.startsWithSpace || a.endsWithSpaces
	a.noSingle = special || breakSpace || spaceBreak
	a.noLiteral = special || spaceBreak || a.endsWithSpaces
	return a
}

// style returns the style of a string, as a key or as a value.
func (a analysis) style(s string, key bool) style {
	chosen := plain
	switch {
	case a.newline:
		chosen = literal
	case resolves(s):
		chosen = double
	}
	if key && a.lineBreak || chosen == literal && (a.noLiteral || key) {
		chosen = double
	}
	if chosen == plain && (a.noPlain || s == "" && key) {
		chosen = single
	}
	if chosen == single && a.noSingle {
		chosen = double
	}
	return chosen
}

var base60 = regexp.MustCompile(`^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$`)

// resolves reports whether a plain string would be read as another type: a number, date, Boolean or null. Some readers
// also know numbers in base 60.
func resolves(s string) bool {
	tag, _ := resolve(s, true)
	return tag != "!!str" || strings.IndexByte("+-0123456789", s[0]) >= 0 && base60.MatchString(s)
}
