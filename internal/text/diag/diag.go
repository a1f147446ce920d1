// Package diag collects kubegen's errors, warnings and notes, so that one run reports all mistakes, and prints each on
// a line with its position. It suggests known words for misspelled words. It does not determine exit codes.
package diag

import (
	"cmp"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// Severity is the severity of a diagnostic.
type Severity int

// Severities. An error stops the run before anything is written; warnings and notes do not.
const (
	Error Severity = iota
	Warning
	Note
)

func (s Severity) String() string { return [...]string{"error", "warning", "note"}[s] }

// Diagnostic is one error, warning or note.
type Diagnostic struct {
	Pos      token.Position // the zero Position if there is none
	Severity Severity
	Message  string         // one line, without a full stop
	Related  token.Position // the other position that the message refers to; the zero Position if there is none
	Hint     string         // advice on what to do; may be empty
	Diff     string         // a patch of the file at Pos that corrects the mistake, for JSON only; may be empty
	Symbol   string         // the exported Go symbol concerned, such as example.com/api/v1.Foo.Bar; may be empty
	Check    string         // name of the check that finds the mistake, for JSON only; may be empty

	cause   string   // see CausedBy
	once    string   // see Once
	like    string   // see Like
	in      []string // see In
	said    Text     // the message
	about   []Value  // see About
	advice  []Text   // the alternatives of the hint
	command bool     // see Run
}

// List collects diagnostics. The zero List is empty and ready to use.
type List []*Diagnostic

// Errorf adds an error.
func (l *List) Errorf(pos token.Position, format string, args ...any) *Diagnostic {
	return l.Add(Error, pos, format, args...)
}

// Warnf adds a warning.
func (l *List) Warnf(pos token.Position, format string, args ...any) *Diagnostic {
	return l.Add(Warning, pos, format, args...)
}

// Mistakef adds an error. If the mistake is accepted, it adds a warning instead, which ends with the consequence then
// unless that is "".
func (l *List) Mistakef(accepted bool, pos token.Position, then, format string, args ...any) *Diagnostic {
	switch {
	case !accepted:
		return l.Errorf(pos, format, args...)
	case then == "":
		return l.Warnf(pos, format, args...)
	}
	return l.Warnf(pos, "%s: %s", Textf(format, args...), then)
}

// Notef adds a note.
func (l *List) Notef(pos token.Position, format string, args ...any) *Diagnostic {
	return l.Add(Note, pos, format, args...)
}

// Add adds a diagnostic. Its message has the format of fmt.Errorf.
func (l *List) Add(severity Severity, pos token.Position, format string, args ...any) *Diagnostic {
	d := &Diagnostic{Pos: pos, Severity: severity}
	d.SetMessage(format, args...)
	*l = append(*l, d)
	return d
}

// WithRelated sets Related, for example to the position of a marker that contradicts the one at Pos. It returns d.
func (d *Diagnostic) WithRelated(pos token.Position) *Diagnostic {
	d.Related = pos
	return d
}

// CausedBy sets a reason that many diagnostics may share, such as a module that is not downloaded. Of diagnostics with
// the same reason and severity, only the first is printed. It returns d.
func (d *Diagnostic) CausedBy(reason string) *Diagnostic {
	d.cause = reason
	return d
}

// Once sets a name for the mistake, if several generators may report it. Of diagnostics with the same name, only the
// first of the most severe ones is printed. It returns d.
func (d *Diagnostic) Once(mistake string) *Diagnostic {
	d.once = mistake
	return d
}

// Like sets a name that a warning or note shares with others whose messages differ only in names. In text, more than
// three with the same name are printed on one line, as if their messages were the same. It returns d.
func (d *Diagnostic) Like(name string) *Diagnostic {
	d.like = name
	return d
}

// In sets the names of the generated files that a warning or note is about, whose contents follow from correct input
// that need not change. A run prints it only if it changes one of them: files that stay the same have been accepted. It
// returns d.
func (d *Diagnostic) In(files ...string) *Diagnostic {
	d.in = files
	return d
}

// OfChanged returns the diagnostics without those about generated files that do not change.
func (l List) OfChanged(changes func(file string) bool) List {
	return slices.DeleteFunc(slices.Clone(l), func(d *Diagnostic) bool { return len(d.in) > 0 && !slices.ContainsFunc(d.in, changes) })
}

// HasErrors reports whether the list contains an error.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d *Diagnostic) bool { return d.Severity == Error })
}

// sorted returns the diagnostics without duplicates. Errors come first, then warnings, then notes. Each severity is
// ordered by position; diagnostics without a position come last, in the order of addition.
func (l List) sorted() List {
	sorted := slices.Clone(l)
	slices.SortStableFunc(sorted, func(a, b *Diagnostic) int {
		if c := cmp.Compare(a.Severity, b.Severity); c != 0 || !a.Pos.IsValid() || !b.Pos.IsValid() {
			return cmp.Or(c, cmp.Compare(btoi(!a.Pos.IsValid()), btoi(!b.Pos.IsValid())))
		}
		return cmp.Or(
			cmp.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column), cmp.Compare(a.Message, b.Message),
		)
	})
	seen, written := map[identity]bool{}, map[string]bool{}
	return slices.DeleteFunc(sorted, func(d *Diagnostic) bool {
		repeated := seen[d.identity()] || d.once != "" && written[d.once]
		seen[d.identity()], written[d.once] = true, true
		return repeated
	}).onceForEachCause()
}

// onceForEachCause returns all diagnostics without a cause, and the first one of each severity and cause, with the
// number of the others.
func (l List) onceForEachCause() (kept List) {
	type reason struct {
		Severity
		cause string
	}
	first, more := map[reason]int{}, map[reason]int{}
	for _, d := range l {
		key := reason{d.Severity, d.cause}
		if _, ok := first[key]; ok && d.cause != "" {
			more[key]++
			continue
		}
		first[key] = len(kept)
		kept = append(kept, d)
	}
	for key, n := range more {
		one := *kept[first[key]]
		one.Message = fmt.Sprintf("%s; %s for the same reason", one.Message, Count(n, "more "+one.Severity.String()))
		kept[first[key]] = &one
	}
	return kept
}

// Place formats a position as in diagnostics: file:line:col, with the file as Relative returns it.
func Place(dir string, pos token.Position) string {
	pos.Filename = inertStart(oneLine(Relative(dir, pos.Filename)))
	return pos.String()
}

// Line returns a message as it is printed: on one line, with all characters visible.
func Line(message string) string { return inert(oneLine(message)) }

// oneLine joins the lines of a message into one, and makes its characters visible.
func oneLine(message string) string {
	lines := strings.FieldsFunc(message, func(r rune) bool { return r == '\n' || r == '\r' })
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return Visible(strings.ReplaceAll(strings.Join(lines, "; "), ":; ", ": "))
}

// Relative returns file relative to dir if it is below dir, and unchanged otherwise. The result has slashes on all
// systems.
func Relative(dir, file string) string {
	if rel, err := filepath.Rel(dir, file); dir != "" && err == nil && filepath.IsLocal(rel) {
		file = rel
	}
	return filepath.ToSlash(file)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
