package diag

import (
	"encoding/json"
	"fmt"
	"go/token"
	"io"
	"strings"
)

// Formats are the names of the formats that diagnostics can be written in.
var Formats = []string{"text", "json", "github"}

// Style says how to write diagnostics.
type Style struct {
	// Format is one of Formats; "" is "text".
	Format string
	// Color highlights positions, severities and hints in text with terminal escape codes.
	Color bool
	// Dir is the directory that the names of files below it are relative to; "" leaves them as they are.
	Dir string
}

// Write writes the diagnostics, a line each, without repetitions: errors first, then warnings, then notes, so that the
// first line is the one that matters most. Each severity is ordered by place; diagnostics without a place come last, in the
// order in which they were added. As text, they read
//
//	apis/v1/types.go:12:3: error: unknown marker +genclient:nonNamespace (did you mean +genclient:nonNamespaced?)
//
// A diagnostic about two places names the other one after the message: "(see apis/v1/types.go:3:4)". More than three
// warnings or notes with the same text become one line, at the first place, with a count.
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
			one.Message = fmt.Sprintf("%s; %d more like this", oneLine(d.Message), n-1)
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

// kind returns a key that is equal for diagnostics that differ only in their positions.
func (d *Diagnostic) kind() string { return d.Severity.String() + "\n" + d.Message + "\n" + d.Hint }

// The ECMA-48 escape codes of the colours.
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
	if d.Pos.IsValid() {
		b.WriteString(style.paint(bold, Place(style.Dir, d.Pos)+":") + " ")
	}
	b.WriteString(style.paint(d.Severity.color(), d.Severity.String()+":") + " " + oneLine(d.Message))
	if d.Related.IsValid() {
		b.WriteString(" (see " + Place(style.Dir, d.Related) + ")")
	}
	if d.Hint != "" {
		b.WriteString(" " + style.paint(faint, "("+oneLine(d.Hint)+")"))
	}
	return b.String()
}

// jsonDiagnostic is documented in docs/diagnostics.md: the names of its fields must not change.
type jsonDiagnostic struct {
	Severity string `json:"severity"`
	jsonPlace
	Message string     `json:"message"`
	Hint    string     `json:"hint,omitempty"`
	Related *jsonPlace `json:"related,omitempty"`
	Symbol  string     `json:"symbol,omitempty"`
	Diff    string     `json:"diff,omitempty"`
}

type jsonPlace struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

func placeIn(dir string, pos token.Position) jsonPlace {
	if !pos.IsValid() {
		return jsonPlace{}
	}
	return jsonPlace{Relative(dir, pos.Filename), pos.Line, pos.Column}
}

func (d Diagnostic) json(dir string) string {
	out := jsonDiagnostic{Severity: d.Severity.String(), jsonPlace: placeIn(dir, d.Pos), Message: oneLine(d.Message), Hint: oneLine(d.Hint), Symbol: d.Symbol, Diff: d.Diff}
	if d.Related.IsValid() {
		related := placeIn(dir, d.Related)
		out.Related = &related
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(out) // cannot fail for strings and numbers
	return strings.TrimSuffix(b.String(), "\n")
}

// github writes a workflow command, which becomes an annotation
// (https://docs.github.com/actions/reference/workflow-commands-for-github-actions).
func (d Diagnostic) github(dir string) string {
	level := d.Severity.String()
	if d.Severity == Note {
		level = "notice"
	}
	var properties []string
	if at := placeIn(dir, d.Pos); at.File != "" {
		properties = append(properties, "file="+escapeProperty(at.File), fmt.Sprintf("line=%d", at.Line))
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
