// Package markers holds the one table of the markers that kubegen understands, and reads them out of Go comments. What
// a marker means for an API is the parser's business.
package markers

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/codetags"

	"github.com/kubegen/kubegen/internal/diag"
)

// Marker is a marker as written, its name without the leading "+".
type Marker struct {
	Name  string
	Value string // what follows the "=", spaces trimmed
	Args  []Arg  // of those that take arguments; these have no Value
	Pos   token.Position
}

// Read returns the markers for a target from comments, in their order. Comment lines that are not markers, or markers
// that other tools own, are passed over; markers that are meant for kubegen but cannot be understood become errors.
func Read(fset *token.FileSet, target Target, errs *diag.List, groups ...*ast.CommentGroup) []Marker {
	var found []Marker
	for _, line := range Lines(fset, groups...) {
		for name, texts := range codetags.Extract("+", []string{line.Text}) {
			rest := strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(texts[0], name)), "()") // +groupName()=x is legal
			value, hasValue := strings.CutPrefix(rest, "=")
			m := Marker{Name: name, Value: strings.TrimSpace(value), Pos: line.Pos}
			def, known := Lookup(m.Name)
			if with, key, ok := withArguments(m.Name); ok && hasValue {
				def, known = with, true
				m.Name, m.Value = with.Name, key+"="+m.Value
			}
			switch {
			case m.Name == "" && target == Type && MeansGenclient(line.Text): // "+ genclient"
				errs.Errorf(m.Pos, "a space in %q", line.Text).Suggest("write +%s", strings.TrimLeft(line.Text, "+ \t"))
			case !known:
				reportUnknown(m, target, errs)
			case def.Target == target && rest != "" && !hasValue && def.controllerGen():
				errs.Warnf(m.Pos, "unexpected %q after +%s, which has no effect so", rest, m.Name).Suggest("a marker stands on a line of its own")
			case def.Target == target && rest != "" && !hasValue:
				errs.Errorf(m.Pos, "unexpected %q after +%s", rest, m.Name).Suggest("a marker stands on a line of its own")
			case def.Target == target && wellFormed(&m, def, hasValue, errs):
				found = append(found, m)
			case def.Target == Package && target == Type && def.Value != Bool:
				errs.Warnf(m.Pos, "+%s belongs into the package comment, not above a type: it has no effect", m.Name).
					Suggest("move it to the comment above the package clause in doc.go, or delete it")
			}
		}
	}
	return found
}

// wellFormed checks a known marker's value.
func wellFormed(m *Marker, def Definition, hasValue bool, errs *diag.List) bool {
	switch def.Value {
	case None:
		if hasValue {
			errs.Errorf(m.Pos, "+%s takes no value", m.Name).Suggest("write +%s, or remove the marker to switch it off", m.Name)
			return false
		}
	case Arguments:
		ok := m.parseArguments(def, errs)
		m.Value = ""
		return ok
	case Bool:
		if m.Value != "true" && m.Value != "false" && (hasValue || !def.controllerGen()) {
			errs.Errorf(m.Pos, "the value of +%s is true or false, not %q", m.Name, m.Value).Suggest("%s: %s", strings.TrimPrefix(def.Form, "="), def.Help)
			return false
		}
	case Text, Verbs, Method:
		if text, err := strconv.Unquote(m.Value); err == nil && def.Value == Text { // which controller-gen allows
			m.Value = text
		}
		if !hasValue || m.Value == "" && def.Name != "groupName" {
			errs.Errorf(m.Pos, "+%s needs a value", m.Name).Suggest("as in %s: %s", def.Example(), def.Help)
			return false
		}
	}
	return true
}

// MeansGenclient reports whether the text of a marker is +genclient or one of its family, or was likely meant to be.
func MeansGenclient(text string) bool {
	name := strings.ToLower(strings.TrimLeft(text, "+ \t"))
	if end := strings.IndexAny(name, ":=( \t"); end >= 0 {
		name = name[:end]
	}
	_, near := Nearest(name, []string{"genclient"})
	return near || strings.HasPrefix(name, "genclient")
}

// reportUnknown complains of markers that look like ours. Those of other tools are none of our business.
func reportUnknown(m Marker, target Target, errs *diag.List) {
	folded := strings.ToLower(m.Name)
	if target == Type && (folded == "nonnamespaced" || folded == "readonly") {
		errs.Errorf(m.Pos, "+%s is no longer a marker", m.Name).Suggest("write +genclient:%s", m.Name)
		return
	}
	if target == Type && MeansGenclient(m.Name) {
		d := errs.Errorf(m.Pos, "unknown marker +%s", m.Name)
		if nearest, ok := Nearest(m.Name, names("genclient")); ok {
			d.Suggest("did you mean +%s?", nearest)
		} else {
			d.Suggest("known are +%s", strings.Join(names("genclient"), ", +"))
		}
		return
	}
	for _, def := range Definitions {
		if def.Target == target && !def.controllerGen() && strings.EqualFold(def.Name, m.Name) {
			errs.Errorf(m.Pos, "unknown marker +%s", m.Name).Suggest("did you mean +%s?", def.Name)
		}
	}
}

func names(prefix string) []string {
	var list []string
	for _, d := range Definitions {
		if strings.HasPrefix(d.Name, prefix) {
			list = append(list, d.Name)
		}
	}
	return list
}

// Line is one line of a comment, without comment signs and surrounding space.
type Line struct {
	Text string
	Pos  token.Position
}

// Lines returns the lines of comments that can be markers, those that start with "+".
func Lines(fset *token.FileSet, groups ...*ast.CommentGroup) []Line {
	var lines []Line
	for _, group := range groups {
		if group == nil {
			continue
		}
		for _, comment := range group.List {
			text := comment.Text
			offset := 2 // past the comment sign
			if strings.HasPrefix(text, "/*") {
				text = strings.TrimSuffix(text, "*/")
			}
			for _, raw := range strings.Split(text[offset:], "\n") {
				trimmed := strings.TrimLeft(raw, " \t*")
				if strings.HasPrefix(trimmed, "+") {
					at := comment.Slash + token.Pos(offset+len(raw)-len(trimmed))
					lines = append(lines, Line{Text: strings.TrimSpace(trimmed), Pos: fset.Position(at)})
				}
				offset += len(raw) + 1
			}
		}
	}
	return lines
}
