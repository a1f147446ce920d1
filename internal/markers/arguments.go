package markers

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
)

// Arg is an argument of a marker: "shortName=g;gs".
type Arg struct {
	Key    string
	Values []string // a single value, or the elements of a list
}

// Arg returns the value of an argument, the first of a list; ok is false if it is missing or empty.
func (m Marker) Arg(key string) (value string, ok bool) {
	if list := m.List(key); len(list) > 0 {
		value = list[0]
	}
	return value, value != ""
}

// List returns the values of an argument. As in controller-gen, the last argument with a key is used.
func (m Marker) List(key string) []string {
	var values []string
	for _, arg := range m.Args {
		if arg.Key == key {
			values = arg.Values
		}
	}
	return values
}

// parseArguments parses the arguments in the marker's Value, in the syntax of sigs.k8s.io/controller-tools v0.23:
// key=value pairs, separated by commas. A value is bare, or a Go string in double quotes or backquotes. The values of a
// list are separated by semicolons, or by commas in braces. Unknown keys may be those of a later version; only keys
// that look like misspellings of known ones are errors.
func (m *Marker) parseArguments(def Definition, mode Mode, errs *diag.List) bool {
	rest := strings.TrimSpace(m.Value)
	for rest != "" {
		key, after, found := strings.Cut(rest, "=")
		key = strings.TrimSpace(key)
		values, next, err := parseValue(after)
		switch {
		case !found:
			err = errors.New("no = after " + strconv.Quote(key))
		case err == nil && next != "" && next[0] != ',':
			err = errors.New("no comma before " + strconv.Quote(next))
		}
		if err != nil {
			mode.mistake(errs, m.Pos, noEffect, "cannot parse +%s: %v", m.Name, err).Suggest("write it as in %s", def.Example())
			return false
		}
		if nearest, near := Nearest(key, def.Keys); near && !slices.Contains(def.Keys, key) {
			mode.mistake(errs, m.Pos, noEffect, "unknown key %q in +%s", key, m.Name).Suggest("did you mean %s=?", nearest)
			return false
		}
		if !slices.Contains(def.Keys, key) && !def.controllerGen() {
			mode.mistake(errs, m.Pos, noEffect, "unknown key %q in +%s", key, m.Name).Suggest("known are %s=", strings.Join(def.Keys, "=, "))
			return false
		}
		if m.List(key) != nil {
			errs.Warnf(m.Pos, "%s= is given twice in +%s", key, m.Name).Suggest("keep one of them; until then the last one is used")
		}
		m.Args = append(m.Args, Arg{key, values})
		rest = strings.TrimSpace(strings.TrimPrefix(next, ","))
	}
	return true
}

// parseValue parses the value or list of values at the start of text and returns the rest.
func parseValue(text string) (values []string, rest string, err error) {
	separator := byte(';')
	text = strings.TrimSpace(text)
	inBraces := strings.HasPrefix(text, "{")
	if inBraces {
		separator, text = ',', strings.TrimSpace(text[1:])
	}
	for {
		if inBraces && strings.HasPrefix(text, "}") {
			return values, strings.TrimSpace(text[1:]), nil
		}
		value := ""
		if value, text, err = parseString(text); err != nil {
			return nil, "", err
		}
		values = append(values, value)
		switch {
		case text != "" && text[0] == separator:
			text = strings.TrimSpace(text[1:])
		case inBraces && text == "":
			return nil, "", errors.New("a brace is not closed")
		case !inBraces:
			return values, text, nil
		case text[0] != '}':
			return nil, "", errors.New("no comma before " + strconv.Quote(text))
		}
	}
}

// parseString parses the string at the start of text: a quoted one, or everything up to a comma, semicolon or brace.
func parseString(text string) (value, rest string, err error) {
	if text != "" && (text[0] == '"' || text[0] == '`') {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return "", "", errors.New("a quote is not closed")
		}
		value, err = strconv.Unquote(quoted)
		return value, strings.TrimSpace(text[len(quoted):]), err
	}
	end := strings.IndexAny(text, ",;}")
	if end < 0 {
		end = len(text)
	}
	return strings.TrimSpace(text[:end]), text[end:], nil
}
