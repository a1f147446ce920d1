package diag

import (
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// Setting is the name of a setting, as an argument of a message. For a command line, the message contains the flag,
// --name; for kubegen.yaml, the key, name. A name with a colon is an option of controller-gen, without dashes, and one
// with a space begins with the command that takes it.
type Setting string

func (s Setting) String() string {
	if s.OfOther() {
		return string(s)
	}
	return "--" + string(s)
}

// OfOther reports whether the setting is one of another command, or an option.
func (s Setting) OfOther() bool { return strings.ContainsAny(string(s), ": ") }

// Value is a value that a user has given to a setting, as an argument of a message.
type Value string

// Text is a message or a piece of advice. Its arguments are kept apart from its words, because settings are named
// differently on command lines and in files. Arguments may be texts themselves.
type Text struct {
	format string
	args   []any
}

// Textf returns a text in the manner of fmt.Errorf.
func Textf(format string, args ...any) Text { return Text{format, args} }

// String returns the text with settings as flags.
func (t Text) String() string { return fmt.Errorf(t.format, t.args...).Error() }

// renamed returns the text with other names of settings.
func (t Text) renamed(name func(Setting) any) Text {
	args := slices.Clone(t.args)
	for i, arg := range args {
		switch arg := arg.(type) {
		case Setting:
			args[i] = name(arg)
		case Text:
			args[i] = arg.renamed(name)
		case *failure:
			args[i] = &failure{arg.renamed(name)}
		}
	}
	return Text{t.format, args}
}

// leaves returns the arguments of the text. Arguments that are texts are replaced by their own arguments.
func (t Text) leaves() (all []any) {
	for _, arg := range t.args {
		switch arg := arg.(type) {
		case Text:
			all = append(all, arg.leaves()...)
		case *failure:
			all = append(all, arg.leaves()...)
		default:
			all = append(all, arg)
		}
	}
	return all
}

// named returns the arguments of a text that have the type T, in order.
func named[T Setting | Value](t Text) (found []T) {
	for _, arg := range t.leaves() {
		if one, ok := arg.(T); ok {
			found = append(found, one)
		}
	}
	return found
}

// failure is an error whose text keeps its arguments.
type failure struct{ Text }

// Errorf returns an error whose text keeps its arguments when AddError makes it a diagnostic. The verb %w works as in
// fmt.Errorf.
func Errorf(format string, args ...any) error { return &failure{Textf(format, args...)} }

func (f *failure) Error() string { return f.String() }

func (f *failure) Unwrap() error { return errors.Unwrap(fmt.Errorf(f.format, f.args...)) }

// AddError adds an error without a position for each of the errors that err joins.
func (l *List) AddError(err error) {
	for _, one := range split(err) {
		if f, ok := one.(*failure); ok {
			l.Errorf(token.Position{}, f.format, f.args...)
		} else {
			l.Errorf(token.Position{}, "%w", one)
		}
	}
}

// split returns the errors that errors.Join joined.
func split(err error) (all []error) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		if err == nil {
			return nil
		}
		return []error{err}
	}
	var lines []string
	for _, part := range joined.Unwrap() {
		lines = append(lines, part.Error())
	}
	if err.Error() != strings.Join(lines, "\n") { // the error adds text of its own
		return []error{err}
	}
	for _, part := range joined.Unwrap() {
		all = append(all, split(part)...)
	}
	return all
}

// SetMessage sets the message.
func (d *Diagnostic) SetMessage(format string, args ...any) {
	d.said = Textf(format, args...)
	d.Message = oneLine(d.said.String())
}

// Suggest sets the hint. It returns d.
func (d *Diagnostic) Suggest(format string, args ...any) *Diagnostic {
	d.advice, d.Hint, d.command = nil, "", false
	return d.Or(format, args...)
}

// Run sets a hint to run a command of another tool. It returns d.
func (d *Diagnostic) Run(format string, args ...any) *Diagnostic {
	d.Suggest("run "+format, args...)
	d.command = true
	return d
}

// ByCommand reports whether the hint is to run a command of another tool.
func (d *Diagnostic) ByCommand() bool { return d.command }

// Meant sets a hint that names the known word that word most likely misspells. If none is near, the hint is otherwise.
func (d *Diagnostic) Meant(word string, known []string, otherwise string, args ...any) *Diagnostic {
	if meant := Meant(word, known, ""); meant != "" {
		return d.Suggest("%s", meant)
	}
	return d.Suggest(otherwise, args...)
}

// Or adds an alternative to the hint. It returns d.
func (d *Diagnostic) Or(format string, args ...any) *Diagnostic {
	d.advice = append(d.advice, Textf(format, args...))
	d.Hint = d.Advice(func(string) bool { return true })
	return d
}

// Elsewhere replaces the hint of a mistake in a source that users cannot change: advice to change a setting or to
// download a module stays. If there is no such advice, others replace it. It returns d.
func (d *Diagnostic) Elsewhere(others ...Text) *Diagnostic {
	if d.cause != "" {
		return d
	}
	d.advice, d.Diff = slices.DeleteFunc(d.advice, func(t Text) bool { return len(named[Setting](t)) == 0 }), ""
	if len(d.advice) == 0 {
		d.advice = others
	}
	d.Hint = d.Advice(func(string) bool { return true })
	return d
}

// Advice returns the hint without alternatives that mention a flag unknown to the command. takes reports whether a flag
// is known.
func (d *Diagnostic) Advice(takes func(flag string) bool) string {
	var parts []string
	for _, text := range d.advice {
		if !slices.ContainsFunc(named[Setting](text), func(s Setting) bool { return !takes(string(s)) }) {
			parts = append(parts, text.String())
		}
	}
	return strings.Join(parts, ", or ")
}

// About adds values of settings to the causes of the diagnostic, if the message does not contain them. It returns d.
func (d *Diagnostic) About(values ...string) *Diagnostic {
	for _, value := range values {
		d.about = append(d.about, Value(value))
	}
	return d
}

// Settings returns the settings that cause the diagnostic, in the order of the message.
func (d *Diagnostic) Settings() []Setting { return named[Setting](d.said) }

// Values returns the values of settings that cause the diagnostic.
func (d *Diagnostic) Values() []Value { return append(named[Value](d.said), d.about...) }

// Reposition sets a position in kubegen.yaml, and names settings by their keys there.
func (d *Diagnostic) Reposition(pos token.Position) {
	d.Pos = pos
	d.rename(func(s Setting) any { return string(s) })
}

// Renamed returns the diagnostic with other names of settings.
func (d *Diagnostic) Renamed(to func(Setting) Setting) *Diagnostic {
	one := *d
	one.advice = slices.Clone(d.advice)
	one.rename(func(s Setting) any { return to(s) })
	return &one
}

// rename gives settings other names, which Advice does not ask for if they are no settings.
func (d *Diagnostic) rename(name func(Setting) any) {
	if d.said.format != "" {
		d.said = d.said.renamed(name)
		d.Message = oneLine(d.said.String())
	}
	for i := range d.advice {
		d.advice[i] = d.advice[i].renamed(name)
	}
	if d.advice != nil {
		d.Hint = d.Advice(func(string) bool { return true })
	}
}

// Equal reports whether both diagnostics are equal, including their positions.
func (d *Diagnostic) Equal(other *Diagnostic) bool { return d.identity() == other.identity() }

type identity struct {
	pos, related                token.Position
	severity                    Severity
	message, hint, diff, symbol string
}

func (d *Diagnostic) identity() identity {
	return identity{d.Pos, d.Related, d.Severity, d.Message, d.Hint, d.Diff, d.Symbol}
}

// Count returns a number with a noun in the singular or plural, such as "1 file" or "2 files".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
