package diag

import (
	"encoding/json"
	"fmt"
	"go/token"
	"io"
	"strings"
)

// Formats lists the formats of diagnostics.
var Formats = []string{"text", "json", "github"}

// Style determines how diagnostics are printed.
type Style struct {
	// Format is one of Formats; "" is "text".
	Format string
	// Color adds terminal escape codes to text that highlight positions, severities and hints.
	Color bool
	// Dir is the base directory of relative file names in messages. If it is "", or a file is not below it, the name is
	// printed in full.
	Dir string
	// Program begins diagnostics without a position in text, as of errors in a command line. Unless it is "", they do
	// not name the severity of errors.
	Program string
}

// Write writes the diagnostics to w, one on each line, without duplicates. Errors come first, then warnings, then
// notes, so that the first line is the most important one. Each severity is ordered by position; diagnostics without a
// position come last, in the order of addition. In text, a diagnostic reads
//
//	apis/v1/types.go:12:3: error: unknown marker +genclient:nonNamespace (did you mean +genclient:nonNamespaced?)
//
// A diagnostic with a related position ends with "(see apis/v1/types.go:3:4)". If more than three warnings or notes
// have the same text, or the same name by Like, they become one line with the first position and a count.
func (l List) Write(w io.Writer, style Style) error {
	var b strings.Builder
	sorted := l.sorted()
	alike := map[string]int{}
	for _, d := range sorted {
		alike[d.kind()]++
	}
	written := map[string]bool{}
	for _, d := range sorted {
		if n := alike[d.kind()]; n > 3 && d.Severity != Error && d.Pos.IsValid() && (style.Format == "text" || style.Format == "") {
			if written[d.kind()] {
				continue
			}
			written[d.kind()] = true
			one := *d
			one.Message = fmt.Sprintf("%s; %d more like this", d.Message, n-1)
			d = &one
		}
		switch style.Format {
		case "json":
			b.WriteString(d.json(style.Dir))
		case "github":
			b.WriteString(d.github(style.Dir))
		default:
			b.WriteString(d.text(style))
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// kind returns a key shared by diagnostics that differ only in position, or that have the same name from Like.
func (d *Diagnostic) kind() string {
	if d.like != "" {
		return d.Severity.String() + "\n" + d.like
	}
	return d.Severity.String() + "\n" + d.Message + "\n" + d.Hint
}

// ECMA-48 escape codes of colors.
const (
	bold  = "1"
	faint = "2"
	red   = "1;31"
)

func (s Severity) color() string { return [...]string{red, "1;33", "1;36"}[s] }

func (style Style) paint(code, text string) string {
	if !style.Color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (d Diagnostic) text(style Style) string {
	var b strings.Builder
	byProgram := !d.Pos.IsValid() && style.Program != ""
	switch {
	case d.Pos.IsValid():
		b.WriteString(style.paint(bold, Place(style.Dir, d.Pos)+":") + " ")
	case byProgram:
		b.WriteString(style.Program + ": ")
	}
	if !byProgram || d.Severity != Error {
		b.WriteString(style.paint(d.Severity.color(), d.Severity.String()+":") + " ")
	}
	b.WriteString(d.Message)
	if d.Related.IsValid() {
		b.WriteString(" (see " + Place(style.Dir, d.Related) + ")")
	}
	if d.Hint != "" {
		b.WriteString(" " + style.paint(faint, "("+oneLine(d.Hint)+")"))
	}
	return inert(b.String())
}

// jsonDiagnostic is the JSON form of a diagnostic. docs/diagnostics.md documents its fields, whose names must not
// change.
type jsonDiagnostic struct {
	Severity string `json:"severity"`
	jsonPlace
	Message string     `json:"message"`
	Hint    string     `json:"hint,omitempty"`
	Related *jsonPlace `json:"related,omitempty"`
	Symbol  string     `json:"symbol,omitempty"`
	Check   string     `json:"check,omitempty"`
	Diff    string     `json:"diff,omitempty"`
}

// ReadJSON reads diagnostics that List.Write has written in the format json. File names are as written.
func ReadJSON(r io.Reader) (list List, err error) {
	for lines := json.NewDecoder(r); lines.More(); {
		var in jsonDiagnostic
		if err := lines.Decode(&in); err != nil {
			return nil, err
		}
		d := &Diagnostic{Message: in.Message, Hint: in.Hint, Symbol: in.Symbol, Check: in.Check, Diff: in.Diff, Pos: in.position()}
		for d.Severity.String() != in.Severity {
			if d.Severity++; d.Severity > Note {
				return nil, fmt.Errorf("unknown severity %q", in.Severity)
			}
		}
		if in.Related != nil {
			d.Related = in.Related.position()
		}
		list = append(list, d)
	}
	return list, nil
}

type jsonPlace struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

func (p jsonPlace) position() token.Position {
	return token.Position{Filename: p.File, Line: p.Line, Column: p.Column}
}

func placeIn(dir string, pos token.Position) jsonPlace {
	if !pos.IsValid() {
		return jsonPlace{}
	}
	return jsonPlace{Relative(dir, pos.Filename), pos.Line, pos.Column}
}

func (d Diagnostic) json(dir string) string {
	out := jsonDiagnostic{
		Severity: d.Severity.String(), jsonPlace: placeIn(dir, d.Pos), Message: d.Message, Hint: oneLine(d.Hint), Symbol: d.Symbol,
		Check: d.Check, Diff: d.Diff,
	}
	if d.Related.IsValid() {
		related := placeIn(dir, d.Related)
		out.Related = &related
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(out) // cannot fail for strings and numbers
	return Visible(strings.TrimSuffix(b.String(), "\n"))
}

// github returns the diagnostic as a workflow command of GitHub Actions, which becomes an annotation
// (https://docs.github.com/actions/reference/workflow-commands-for-github-actions).
func (d Diagnostic) github(dir string) string {
	level := d.Severity.String()
	if d.Severity == Note {
		level = "notice"
	}
	var properties []string
	if at := placeIn(dir, d.Pos); at.File != "" {
		properties = append(properties, "file="+escapeProperty(Visible(at.File)), fmt.Sprintf("line=%d", at.Line))
		if at.Column > 0 {
			properties = append(properties, fmt.Sprintf("col=%d", at.Column))
		}
	}
	properties = append(properties, "title=kubegen")
	message := d
	message.Pos = token.Position{}
	text := strings.TrimPrefix(message.text(Style{Dir: dir}), d.Severity.String()+": ")
	return "::" + level + " " + strings.Join(properties, ",") + "::" + escapeData(text)
}

func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func escapeProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
