package markers

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// parseArguments parses the arguments in m.Text into m.Arguments, in the syntax of sigs.k8s.io/controller-tools v0.23:
// key=value pairs, separated by commas. A value is bare, or a Go string in double quotes or backquotes. Values of a
// list are separated by semicolons, or by commas in braces. A later version of controller-gen may have further keys, so
// an unknown key of one of its markers is only a warning, unless it looks like a misspelling of a known key.
// parseArguments returns false if the marker has no effect because of a mistake.
func parseArguments(m *model.Marker, def Definition, mode Mode) (ok bool, errs diag.List) {
	rest := strings.TrimSpace(m.Text)
	m.Arguments = map[string]any{}
	for rest != "" {
		key, after, found := strings.Cut(rest, "=")
		key, after = strings.TrimSpace(key), strings.TrimSpace(after)
		values, next, err := parseValue(after)
		argument := strings.TrimSpace(after[:len(after)-len(next)])
		next, comma := strings.CutPrefix(next, ",")
		next = strings.TrimSpace(next)
		switch {
		case strings.HasPrefix(key, ","):
			err = errors.New("nothing is between two commas")
		case !found:
			err = errors.New("no = after " + strconv.Quote(key))
		case key == "":
			err = errors.New("no key before =")
		case err != nil:
		case next != "" && !comma:
			err = errors.New("no comma before " + strconv.Quote(next))
		case next == "" && comma:
			err = errors.New("nothing follows the last comma")
		}
		if err != nil {
			errs.Mistakef(mode == Classic, m.Pos, noEffect, "cannot parse +%s: %v", m.Name, err).Suggest("write it as in %s", def.Example())
			return false, errs
		}
		if !checkArgument(m, def, key, argument, values, mode, &errs) {
			return false, errs
		}
		switch arg := def.argument(key); {
		case arg == nil || values == nil:
		case arg.Type == String:
			m.Arguments[key] = values[0]
		default:
			var list []any
			for _, value := range values {
				list = append(list, value)
			}
			m.Arguments[key] = list
		}
		rest = next
	}
	for _, arg := range def.Arguments {
		if m.Arguments[arg.Name] == nil && !arg.Optional {
			errs.Mistakef(mode == Classic, m.Pos, noEffect, "+%s has no %s=", m.Name, arg.Name).Suggest("write it as in %s", def.Example())
			return false, errs
		}
	}
	return true, errs
}

// checkArgument checks one argument. text is its source text. It returns false if the marker has no effect because of a
// mistake.
func checkArgument(m *model.Marker, def Definition, key, text string, values []string, mode Mode, errs *diag.List) bool {
	keys, arg := def.keys(), def.argument(key)
	nearest, near := diag.Nearest(key, keys)
	switch {
	case arg == nil && near:
		errs.Mistakef(mode == Classic, m.Pos, noEffect, "unknown key %q in +%s", key, m.Name).Suggest("did you mean %s=?", nearest)
		return false
	case arg == nil && def.controllerGen():
		errs.Warnf(m.Pos, "unknown key %q in +%s", key, m.Name).Suggest("known are %s=", strings.Join(keys, "=, "))
		return true
	case arg == nil:
		errs.Mistakef(mode == Classic, m.Pos, noEffect, "unknown key %q in +%s", key, m.Name).Suggest("known are %s=", strings.Join(keys, "=, "))
		return false
	}
	for _, value := range values {
		if other, _, ok := strings.Cut(value, "="); ok && slices.Contains(keys, other) {
			errs.Mistakef(mode == Classic, m.Pos, noEffect, "%s=%s in +%s contains %s=", key, text, m.Name, other).
				Suggest("separate arguments with commas, as in %s", def.Example())
			return false
		}
	}
	if arg.Type == String && (len(values) != 1 || strings.HasPrefix(text, "{")) {
		errs.Mistakef(mode == Classic, m.Pos, noEffect, "%s= in +%s takes one value, not the list %s", key, m.Name, text).
			Suggest("write it as in %s", def.Example())
		return false
	}
	if m.Arguments[key] != nil {
		errs.Warnf(m.Pos, "%s= is given twice in +%s", key, m.Name).Suggest("keep one of them; until then the last one is used")
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
			if text = strings.TrimSpace(text[1:]); text == "" && !inBraces { // a semicolon may follow the last value
				return values, "", nil
			}
		case inBraces && text == "":
			return nil, "", errors.New("a brace is not closed")
		case !inBraces:
			return values, text, nil
		case text[0] != '}':
			return nil, "", errors.New("no comma before " + strconv.Quote(text))
		}
	}
}

// parseString parses the string at the start of text: a quoted string, or everything up to a comma, semicolon or brace.
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
