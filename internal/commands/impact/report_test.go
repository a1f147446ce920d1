package impact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// TestDescribe describes a change of each kind, with and without a symbol, and of symbols that a type of a package
// which is not found may have.
func TestDescribe(t *testing.T) {
	for _, test := range []struct {
		change Change
		want   string
	}{
		{Change{Difference: Removed}, "the package is removed"},
		{Change{Difference: Removed, Symbol: "T.Get", Was: "func()"}, "T.Get: removed; was func()"},
		{Change{Difference: Removed, Symbol: "T.Get", Was: "func()", Unless: "example.com/dep.Meta"},
			"T.Get: removed, unless an embedded example.com/dep.Meta of a package that is not found has it; was func()"},
		{Change{Difference: Changed, Symbol: "T.F", Was: "int", Is: "string"}, "T.F: was int, is string"},
		{Change{Difference: MethodAdded, Symbol: "I.Get", Is: "func()"},
			"I.Get: added to the interface, which breaks its other implementations; is func()"},
		{Change{Difference: MethodAdded, Symbol: "I.Get", Is: "func()", Unless: "example.com/dep.I"},
			"I.Get: added to the interface, which breaks its other implementations, unless an embedded example.com/dep.I of a package that is not found " +
				"has it; is func()"},
		{Change{Difference: URLChanged, Symbol: "FooInterface", Was: "foos", Is: "fooes"},
			"FooInterface: requests went to the resource foos, and go to fooes"},
		{Change{Difference: TypesMoved, Is: "example.com/b", symbols: 1}, "types moved to example.com/b, which changes 1 symbol"},
		{Change{Difference: TypesMoved, Is: "example.com/b", symbols: 2}, "types moved to example.com/b, which changes 2 symbols"},
	} {
		if got := test.change.Describe(); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

// TestReport sums up the changes of two packages, all of them and some.
func TestReport(t *testing.T) {
	report := Report{
		{"a", []Change{{Difference: Removed, Symbol: "R"}, {Difference: Changed, Symbol: "C"}, {Difference: URLChanged, Symbol: "U"}}},
		{"b", []Change{{Difference: MethodAdded, Symbol: "N"}, {Difference: URLChanged, Symbol: "V"}}},
	}
	only := func(r Report, kind Difference) Report { of, _ := r.Split(kind); return of }
	without := func(r Report, kind Difference) Report { _, others := r.Split(kind); return others }
	for _, test := range []struct {
		name   string
		report Report
		total  int
		text   string
		lists  string
	}{
		{"none", nil, 0, "exported API: 0 changed, 0 removed", "[]"},
		{"all", report, 5, "exported API: 2 changed, 1 removed; the URLs of 2 clients change", "[a R C U b N V]"},
		{"two kinds less", without(without(report, Changed), URLChanged), 2, "exported API: 1 changed, 1 removed", "[a R b N]"},
		{"a kind less", without(report, MethodAdded), 4, "exported API: 1 changed, 1 removed; the URLs of 2 clients change", "[a R C U b V]"},
		{"one package less", only(report, Removed), 1, "exported API: 0 changed, 1 removed", "[a R]"},
		{"one client", only(report[:1], URLChanged), 1, "exported API: 0 changed, 0 removed; the URL of 1 client changes", "[a U]"},
	} {
		var lines []string
		for _, line := range test.report.Lines(100) {
			symbol, _, _ := strings.Cut(strings.TrimSpace(line), ":")
			lines = append(lines, symbol)
		}
		if got := fmt.Sprint(lines); got != test.lists || test.report.Total() != test.total || test.report.String() != test.text {
			t.Errorf("%s: got %s, %d, %s; want %s, %d, %s", test.name, got, test.report.Total(), test.report, test.lists, test.total, test.text)
		}
	}
	for atMost, want := range map[int]int{0: 0, 1: 2, 3: 4, 4: 6, 5: 7, 9: 7} {
		if got := report.Lines(atMost); len(got) != want {
			t.Errorf("at most %d changes: got %d lines, want %d\n%s", atMost, len(got), want, strings.Join(got, "\n"))
		}
	}
}

// TestDiagnostics gives each change the position of the new declaration, and the name of the symbol.
func TestDiagnostics(t *testing.T) {
	report := Report{{"example.com/a", []Change{
		{Difference: Removed, Symbol: "R", Was: "func()"}, {Difference: Changed, Symbol: "C", Was: "1", Is: "2", File: "c.go", Line: 3}, {Difference: Removed},
	}}}
	want := []string{
		"- example.com/a.R exported API: example.com/a.R: removed; was func()",
		"c.go:3 example.com/a.C exported API: example.com/a.C: was 1, is 2",
		"- example.com/a exported API: example.com/a: the package is removed",
	}
	for i, d := range report.Diagnostics(diag.Warning) {
		if got := fmt.Sprint(d.Pos, " ", d.Symbol, " ", d.Message); got != want[i] || d.Severity != diag.Warning {
			t.Errorf("got  %s\nwant %s", got, want[i])
		}
	}
}
