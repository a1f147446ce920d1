// Package markers lists all markers that kubegen understands, and reads markers from Go comments. Package facts
// defines their meaning for an API.
package markers

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Genclient begins the markers of kinds.
const Genclient = "+genclient"

// Mode determines how mistakes that may be unintended are treated.
type Mode int

// Modes.
const (
	Strict  Mode = iota // as errors
	Classic             // as in k8s.io/code-generator; mistakes that it accepts are warnings
)

// ModeOf returns the mode of a policy.
func ModeOf(policy model.Policy) Mode {
	if policy.AcceptMistakes {
		return Classic
	}
	return Strict
}

// noEffect is the consequence of most mistakes.
const noEffect = "it has no effect"

// Read returns the markers for a target from comments, in order. It skips other lines and the markers of other tools. A
// malformed marker of kubegen is among the mistakes, as an error.
func Read(fset *token.FileSet, target Target, mode Mode, groups ...*ast.CommentGroup) (found []model.Marker, mistakes diag.List) {
	for _, line := range Lines(fset, groups...) {
		read, wrong := line.Read(target, mode)
		found, mistakes = append(found, read...), append(mistakes, wrong...)
	}
	return found, mistakes
}

// Single returns the value of a marker that a package or type can have only once. ok is false if found does not contain
// it.
func Single(found []model.Marker, name string, mode Mode, errs *diag.List) (value string, pos token.Position, ok bool) {
	for _, m := range found {
		switch {
		case m.Name != name:
		case !ok:
			value, pos, ok = m.Text, m.Pos, true
		case m.Text != value:
			errs.Mistakef(mode == Classic, m.Pos, "the latter is used", "+%s=%s contradicts +%s=%s", name, m.Text, name, value).WithRelated(pos).
				Suggest("keep one of them")
		}
	}
	return value, pos, ok
}

// Read is like the function Read for a single line.
func (line Line) Read(target Target, mode Mode) (found []model.Marker, mistakes diag.List) {
	text := line.Text
	if strings.HasPrefix(text, "+kubebuilder:") {
		text = controllerGenForm(text)
	}
	name, rest, ok := split(text)
	if !ok {
		return nil, nil
	}
	rest = strings.TrimPrefix(strings.TrimSpace(rest), "()") // +groupName()=x is allowed
	value, hasValue := strings.CutPrefix(rest, "=")
	m := model.Marker{Name: name, Text: strings.TrimSpace(value), Pos: line.Pos}
	def, known := lookup(m.Name, target)
	if known && def.Type == Named && hasValue {
		mistakes.Mistakef(mode == Classic, m.Pos, noEffect, "+%s has = before its arguments", m.Name).
			Suggest("write a colon, as in %s", def.Example())
		return nil, mistakes
	}
	if with, key, ok := withArguments(m.Name, target); ok && hasValue {
		def, known = with, true
		m.Name, m.Text = with.Name, key+"="+m.Text
	}
	switch {
	case m.Name == "" && target == Type && MeansGenclient(line.Text): // "+ genclient"
		mistakes.Mistakef(mode == Classic, m.Pos, noEffect, "%q has a space after the +", line.Text).
			Suggest("write +%s", strings.TrimLeft(line.Text, "+ \t"))
	case !known:
		reportUnknown(m, target, mode, &mistakes)
	case target == Package && def.Effect&ofFiles != 0: // see ReadFile
	case def.Has(target) && rest != "" && !hasValue:
		mistakes.Mistakef(def.controllerGen(), m.Pos, "the marker has no effect", "unexpected %q after +%s", rest, m.Name).
			Suggest("put the marker on a line of its own")
	case def.Has(target) && mode == Classic && !def.controllerGen() && !classicValue(&m, def, value, hasValue, &mistakes):
	case def.Has(target):
		ok, wrong := wellFormed(&m, def, mode, hasValue)
		if mistakes = append(mistakes, wrong...); ok {
			found = append(found, m)
		}
	case def.Targets[0] == Package && target == Type && def.Type != Boolean && def.Type != Switch:
		mistakes.Warnf(m.Pos, "+%s belongs in the package comment, not above a type: it has no effect", m.Name).
			Suggest("move it to the package comment, in doc.go, or delete it")
	}
	return found, mistakes
}

// controllerGenForm returns the usual form of a marker with a value. controller-gen also accepts a colon before the
// equals sign, and spaces before the first argument.
func controllerGenForm(text string) string {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return text
	}
	if bare, colon := strings.CutSuffix(name, ":"); colon {
		name = bare
	} else if at := strings.LastIndexByte(name, ':'); at >= 0 {
		name = name[:at+1] + strings.TrimLeft(name[at+1:], " \t")
	}
	return name + "=" + value
}

// classicValue sets the value that the classic tools read from a marker that Strict mode rejects. It returns false if
// they ignore the marker.
func classicValue(m *model.Marker, def Definition, raw string, hasValue bool, diags *diag.List) bool {
	switch def.Type {
	case NoValue:
		if hasValue && def.Name != "genclient" { // an error in the classic tools as well
			diags.Warnf(m.Pos, "+%s takes no value: %q is ignored", m.Name, m.Text).
				Suggest("write +%s, or remove the marker to switch it off", m.Name)
			m.Text = ""
		}
	case Boolean:
		if m.Text != "true" && m.Text != "false" {
			diags.Warnf(m.Pos, "the value of +%s must be true or false, not %q: it is taken as true", m.Name, m.Text).
				Suggest("%s: %s", strings.TrimPrefix(def.Form, "="), def.Help)
			m.Text = "true"
		}
	case String:
		if m.Text == "" && def.Name == "resourceName" {
			diags.Warnf(m.Pos, "+%s has no value: it has no effect", m.Name).Suggest("as in %s: %s", def.Example(), def.Help)
			return false
		}
	case Verbs:
		m.Text = raw // for the classic tools, a space is part of the verb
	}
	return true
}

// wellFormed checks the value of a known marker.
func wellFormed(m *model.Marker, def Definition, mode Mode, hasValue bool) (ok bool, errs diag.List) {
	own := Strict // the classic tools do not read controller-gen's markers
	if def.controllerGen() {
		own = mode
	}
	switch def.Type {
	case NoValue:
		if hasValue && (mode == Strict || def.Name == "genclient" || def.controllerGen()) && !(def.controllerGen() && m.Text == "") {
			errs.Mistakef(own == Classic, m.Pos, noEffect, "+%s takes no value", m.Name).
				Suggest("write +%s, or remove the marker to switch it off", m.Name)
			return false, errs
		}
	case Named:
		ok = def.read(m, m.Text, mode == Classic, def.controllerGen(), &errs)
		m.Text = ""
		return ok, errs
	case Boolean:
		if m.Text != "true" && m.Text != "false" && (hasValue || !def.controllerGen()) {
			errs.Mistakef(own == Classic, m.Pos, noEffect, "the value of +%s must be true or false, not %q", m.Name, m.Text).
				Suggest("%s: %s", strings.TrimPrefix(def.Form, "="), def.Help)
			return false, errs
		}
	case Switch:
		if m.Text == "" {
			errs.Warnf(m.Pos, "+%s has no value: it has no effect", m.Name).Suggest("as in %s: %s", def.Example(), def.Help)
			return false, errs
		}
	case String, Verbs, Method:
		if text, err := strconv.Unquote(m.Text); err == nil && def.Type == String { // controller-gen allows it
			m.Text = text
		}
		if (!hasValue || m.Text == "" && def.Name != "groupName") && (mode == Strict || def.Type != Verbs && def.Name != "groupName") {
			errs.Mistakef(own == Classic, m.Pos, noEffect, "+%s needs a value", m.Name).Suggest("as in %s: %s", def.Example(), def.Help)
			return false, errs
		}
	}
	return true, errs
}

// MeansGenclient reports whether the text of a marker is +genclient, begins with +genclient:, or is a likely
// misspelling of these.
func MeansGenclient(text string) bool {
	name := strings.ToLower(strings.TrimLeft(text, "+ \t"))
	if end := strings.IndexAny(name, ":=( \t"); end >= 0 {
		name = name[:end]
	}
	_, near := diag.Nearest(name, []string{"genclient"})
	return near || strings.HasPrefix(name, "genclient")
}

// reportUnknown reports an unknown marker that resembles one of kubegen's. It ignores markers of other tools.
func reportUnknown(m model.Marker, target Target, mode Mode, errs *diag.List) {
	folded := strings.ToLower(m.Name)
	if target == Type && (folded == "nonnamespaced" || folded == "readonly") {
		if m.Text != "" { // an error in the classic tools as well
			mode = Strict
		}
		errs.Mistakef(mode == Classic, m.Pos, noEffect, "+%s is no longer a marker", m.Name).Suggest("write +genclient:%s", m.Name)
		return
	}
	if target == Type && MeansGenclient(m.Name) {
		if strings.HasPrefix(m.Name, "genclient") { // an error in the classic tools as well
			mode = Strict
		}
		SuggestKnown(errs.Mistakef(mode == Classic, m.Pos, noEffect, "unknown marker +%s", m.Name), m.Name, "genclient")
		return
	}
	for _, def := range All {
		if def.Effect&Code != 0 && def.Has(target) && !def.controllerGen() && strings.EqualFold(def.Name, m.Name) {
			errs.Mistakef(mode == Classic, m.Pos, noEffect, "unknown marker +%s", m.Name).Suggest("did you mean +%s?", def.Name)
		}
	}
}

// SuggestKnown suggests the marker with a prefix that is nearest to a name, or all of them if none is near.
func SuggestKnown(d *diag.Diagnostic, name, prefix string) {
	var known []string
	for _, def := range All {
		if def.Effect&Code != 0 && strings.HasPrefix(def.Name, prefix) {
			known = append(known, def.Name)
		}
	}
	d.Suggest("%s", cmp.Or(diag.Meant(name, known, "+"), "known are +"+strings.Join(known, ", +")))
}

// Line is a line of a comment, without comment signs and surrounding space.
type Line struct {
	Text string
	Pos  token.Position
}

// split splits a marker into its name, by the rules of k8s.io/gengo/v2/codetags, and the rest. The name of "+
// genclient" is empty.
func split(marker string) (name, rest string, ok bool) {
	text, ok := strings.CutPrefix(marker, "+")
	end := strings.IndexFunc(text, func(r rune) bool {
		return r != '_' && r != '.' && r != '-' && r != ':' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if end < 0 {
		end = len(text)
	}
	if first, _ := utf8.DecodeRuneInString(text); first != '_' && !unicode.IsLetter(first) {
		end = 0
	}
	return text[:end], text[end:], ok
}

// Lines returns the lines of comments that start with "+".
func Lines(fset *token.FileSet, groups ...*ast.CommentGroup) []Line {
	var lines []Line
	for _, group := range groups {
		if group == nil {
			continue
		}
		for _, comment := range group.List {
			text := comment.Text
			offset := 2 // length of the comment sign
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

// HasGenclient reports whether a line of a file begins with the marker of kinds. Comments in code of old client-gen
// mention it elsewhere.
func HasGenclient(text []byte) bool {
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(bytes.TrimLeft(line, "/* \t"), []byte(Genclient)) {
			return true
		}
	}
	return false
}
