package diag

import (
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func at(file string, line, column int) token.Position {
	return token.Position{Filename: filepath.FromSlash(file), Line: line, Column: column}
}

func TestPrint(t *testing.T) {
	dir := filepath.FromSlash("/src/api")
	for _, test := range []struct {
		name string
		add  func(l *List)
		want string
	}{
		{"nothing", func(*List) {}, ""},
		{"by severity, file, line, column, text", func(l *List) {
			l.Notef(at("/src/api/b.go", 1, 1), "six")
			l.Warnf(at("/src/api/a.go", 10, 1), "five")
			l.Errorf(at("/src/api/a.go", 2, 10), "four")
			l.Errorf(at("/src/api/a.go", 2, 9), "two")
			l.Errorf(at("/src/api/a.go", 2, 9), "three")
			l.Warnf(at("/src/api/a.go", 2, 9), "a warning")
			l.Errorf(at("/src/api/a.go", 2, 9), "one")
		}, `
a.go:2:9: error: one
a.go:2:9: error: three
a.go:2:9: error: two
a.go:2:10: error: four
a.go:2:9: warning: a warning
a.go:10:1: warning: five
b.go:1:1: note: six
`},
		{"without a place: last of a severity, as added", func(l *List) {
			l.Notef(at("/src/api/a.go", 1, 1), "b")
			l.Errorf(token.Position{}, "z")
			l.Errorf(token.Position{}, "y")
			l.Notef(token.Position{}, "a")
			l.Errorf(at("/src/api/a.go", 1, 1), "m")
		}, "\na.go:1:1: error: m\nerror: z\nerror: y\na.go:1:1: note: b\nnote: a\n"},
		{"repetitions, neighbours or not", func(l *List) {
			for range 2 {
				l.Errorf(token.Position{}, "same").Suggest("hint")
				l.Errorf(token.Position{}, "same").Suggest("another hint")
				l.Errorf(at("/src/api/a.go", 1, 1), "same")
			}
		}, "\na.go:1:1: error: same\nerror: same (hint)\nerror: same (another hint)\n"},
		{"more than three alike in one line, but not errors", func(l *List) {
			for line := range 4 {
				l.Warnf(at("/src/api/a.go", line+1, 1), "field F%d is odd", line).Suggest("even it").Like("odd field")
				l.Notef(at("/src/api/a.go", line+1, 1), "field G%d is even", line%2)
				l.Errorf(at("/src/api/a.go", line+1, 1), "field E%d is gone", line).Like("odd field")
			}
			for line := range 3 {
				l.Warnf(at("/src/api/b.go", line+1, 1), "field F%d is rare", line).Like("rare field")
			}
		}, `
a.go:1:1: error: field E0 is gone
a.go:2:1: error: field E1 is gone
a.go:3:1: error: field E2 is gone
a.go:4:1: error: field E3 is gone
a.go:1:1: warning: field F0 is odd; 3 more like this (even it)
b.go:1:1: warning: field F0 is rare
b.go:2:1: warning: field F1 is rare
b.go:3:1: warning: field F2 is rare
a.go:1:1: note: field G0 is even
a.go:2:1: note: field G1 is even
a.go:3:1: note: field G0 is even
a.go:4:1: note: field G1 is even
`},
		{"one reason, once for each severity", func(l *List) {
			for column := range 3 {
				l.Errorf(at("/src/api/a.go", 2, 3-column), "no type T%d", column).Suggest("run x").CausedBy("no module")
				l.Errorf(at("/src/api/b.go", 2, 3-column), "another").CausedBy("another module")
			}
			l.Errorf(at("/src/api/a.go", 3, 1), "no type T")
			l.Warnf(at("/src/api/a.go", 3, 1), "no type T").CausedBy("no module")
			l.Warnf(at("/src/api/a.go", 4, 1), "no type U").CausedBy("no module")
		}, `
a.go:2:1: error: no type T2; 2 more errors for the same reason (run x)
a.go:3:1: error: no type T
b.go:2:1: error: another; 2 more errors for the same reason
a.go:3:1: warning: no type T; 1 more warning for the same reason
`},
		{"one line each", func(l *List) {
			l.Errorf(token.Position{}, "no package; to add it:\n\tgo get %s\n", "example.com/x").Suggest("a\nb")
			l.Errorf(token.Position{}, "first\r\n\nsecond")
		}, "\nerror: no package; to add it: go get example.com/x (a; b)\nerror: first; second\n"},
		{"two places", func(l *List) {
			l.Errorf(at("/src/api/a.go", 2, 1), "x").WithRelated(at("/src/api/b.go", 1, 4)).Suggest("hint")
		}, "\na.go:2:1: error: x (see b.go:1:4) (hint)\n"},
		{"without a column", func(l *List) { l.Notef(at("/src/api/a.go", 1, 0), "x") }, "\na.go:1: note: x\n"},
		{"files elsewhere", func(l *List) {
			l.Errorf(at("/src/other/a.go", 1, 1), "x")
			l.Errorf(at("/src/api/v1/a.go", 1, 1), "x")
			l.Errorf(at("/src/api/..v1/a.go", 1, 1), "x")
		}, "\n..v1/a.go:1:1: error: x\nv1/a.go:1:1: error: x\n/src/other/a.go:1:1: error: x\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l List
			test.add(&l)
			var b strings.Builder
			_ = l.Write(&b, Style{Dir: dir})
			if got, want := filepath.ToSlash(b.String()), strings.TrimPrefix(test.want, "\n"); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

func TestHasErrors(t *testing.T) {
	var l List
	l.Warnf(token.Position{}, "x")
	l.Notef(token.Position{}, "x")
	if l.HasErrors() {
		t.Error("warnings and notes are no errors")
	}
	l.Errorf(token.Position{}, "x")
	if !l.HasErrors() {
		t.Error("an error is one")
	}
}

func TestRelative(t *testing.T) {
	for _, test := range []struct{ dir, file, want string }{
		{"/a", "/a/b/c.go", "b/c.go"},
		{"/a/", "/a/b.go", "b.go"},
		{"/a", "/ab/c.go", "/ab/c.go"},
		{"/a/b", "/a/c.go", "/a/c.go"},
		{"/a", "b.go", "b.go"}, // relative to an unknown directory
		{"", "/a/b.go", "/a/b.go"},
	} {
		if got := filepath.ToSlash(Relative(filepath.FromSlash(test.dir), filepath.FromSlash(test.file))); got != test.want {
			t.Errorf("Relative(%q, %q) = %q, want %q", test.dir, test.file, got, test.want)
		}
	}
}

// TestSuggestLater checks that a hint may be added to a diagnostic after others were added to the list.
func TestSuggestLater(t *testing.T) {
	var l List
	first := l.Errorf(token.Position{}, "x")
	for range 100 {
		l.Notef(token.Position{}, "y")
	}
	first.Suggest("do %s", "z")
	if l[0].Hint != "do z" {
		t.Errorf("the hint is %q", l[0].Hint)
	}
}

func TestFail(t *testing.T) {
	var l List
	l.AddError(errors.Join(
		Errorf("%s: %w", Setting("crds"), fs.ErrNotExist),
		errors.Join(errors.New("a"), fmt.Errorf("b: %w and %w", fs.ErrExist, fs.ErrClosed)),
	))
	l.AddError(nil)
	var got []string
	for _, d := range l {
		got = append(got, d.Message)
	}
	want := []string{"--crds: file does not exist", "a", "b: file already exists and file already closed"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := l[0].Settings(); !slices.Equal(got, []Setting{"crds"}) {
		t.Errorf("the settings are %q", got)
	}
	if !errors.Is(Errorf("%s: %w", Setting("crds"), fs.ErrNotExist), fs.ErrNotExist) {
		t.Error("the cause is lost")
	}
}

// What a setting is called depends on where it was set, wherever in a message it is.
func TestReposition(t *testing.T) {
	var l List
	inner := Errorf("correct %s", Setting("output-pkg"))
	d := l.Errorf(token.Position{}, "%s is %q: %w; see git --help", Textf("%s %d", Setting("only"), 1), Value("lister"), inner)
	d.Suggest("omit %s", Setting("classic")).Or("run git fetch --refetch")
	if got := d.About("a/b").Values(); !slices.Equal(got, []Value{"lister", "a/b"}) {
		t.Errorf("the values are %q", got)
	}
	if got, want := d.Settings(), []Setting{"only", "output-pkg"}; !slices.Equal(got, want) {
		t.Errorf("the settings are %q", got)
	}
	d.Reposition(token.Position{Filename: "kubegen.yaml", Line: 2})
	if want := `only 1 is "lister": correct output-pkg; see git --help`; d.Message != want {
		t.Errorf("the message is %q", d.Message)
	}
	if want := "omit classic, or run git fetch --refetch"; d.Hint != want {
		t.Errorf("the hint is %q", d.Hint)
	}
}
