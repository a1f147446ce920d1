package yamltext

import (
	"regexp"
	"strconv"
	"strings"
	"time"
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

// words are strings that YAML 1.1 reads as another type.
var words = map[string]bool{}

func init() {
	for _, word := range []string{"~"} {
		words[word] = true
	}
	for _, word := range []string{"y", "yes", "true", "on", "n", "no", "false", "off", "null"} {
		words[word], words[strings.ToUpper(word)], words[strings.ToUpper(word[:1])+word[1:]] = true, true, true
	}
	for _, word := range []string{".nan", ".NaN", ".NAN"} {
		words[word] = true
	}
	for _, word := range []string{".inf", ".Inf", ".INF"} {
		words[word], words["+"+word], words["-"+word] = true, true, true
	}
}

var (
	decimal = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	base60  = regexp.MustCompile(`^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$`)
	dates   = []string{"2006-1-2T15:4:5.999999999Z07:00", "2006-1-2t15:4:5.999999999Z07:00", "2006-1-2 15:4:5.999999999", "2006-1-2"}
)

// resolves reports whether a plain string would be read as another type: a number, date, Boolean or null.
func resolves(s string) bool {
	if s == "" {
		return true
	}
	switch c := s[0]; {
	case strings.IndexByte("yYnNtTfFoO~", c) >= 0:
		return words[s]
	case c == '.':
		_, err := strconv.ParseFloat(s, 64)
		return words[s] || err == nil
	case c == '+' || c == '-' || '0' <= c && c <= '9':
		return words[s] || isNumber(s) || isDate(s) || base60.MatchString(s)
	}
	return false
}

func isNumber(s string) bool {
	bare := strings.ReplaceAll(s, "_", "")
	if _, err := strconv.ParseInt(bare, 0, 64); err == nil {
		return true
	}
	if _, err := strconv.ParseUint(bare, 0, 64); err == nil {
		return true
	}
	if decimal.MatchString(bare) {
		_, err := strconv.ParseFloat(bare, 64)
		return err == nil
	}
	return false
}

func isDate(s string) bool {
	if len(s) < 5 || s[4] != '-' || strings.Trim(s[:4], "0123456789") != "" {
		return false
	}
	for _, layout := range dates {
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}
	return false
}
