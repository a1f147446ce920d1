package run

import (
	"go/token"
	"testing"

	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// TestPlace places diagnostics without a position in kubegen.yaml: at the value that causes them, or at the output.
func TestPlace(t *testing.T) {
	line := func(n int) token.Position { return token.Position{Filename: "kubegen.yaml", Line: n} }
	from := &plan.ConfigOutput{Pos: line(1), Values: map[string]plan.Value{
		"packages":   {Pos: line(2), Items: []plan.Item{{Text: "./a", Pos: line(3)}, {Text: "./b", Pos: line(4)}}},
		"output-dir": {Pos: line(5), Items: []plan.Item{{Text: "out", Pos: line(5)}}},
	}}
	for _, test := range []struct {
		name   string
		from   *plan.ConfigOutput
		given  string // a flag on the command line
		report func(*diag.List)
		want   int // line, or 0 for none
	}{
		{name: "of the output", from: from, report: func(l *diag.List) { l.Errorf(token.Position{}, "wrong") }, want: 1},
		{name: "a setting", from: from, report: func(l *diag.List) { l.Errorf(token.Position{}, "%s: wrong", diag.Setting("output-dir")) }, want: 5},
		{name: "an item of a setting", from: from, want: 4,
			report: func(l *diag.List) {
				l.Errorf(token.Position{}, "%s: %s is wrong", diag.Setting("packages"), diag.Value("./b"))
			}},
		{name: "an item of no named setting", from: from, report: func(l *diag.List) { l.Errorf(token.Position{}, "nothing there").About("./a") }, want: 3},
		{name: "the first of two settings", from: from, want: 2,
			report: func(l *diag.List) {
				l.Errorf(token.Position{}, "%s and %s", diag.Setting("packages"), diag.Setting("output-dir"))
			}},
		{name: "a setting that the file lacks", from: from, report: func(l *diag.List) { l.Errorf(token.Position{}, "%s", diag.Setting("gates")) }, want: 1},
		{name: "a flag on the command line", from: from, given: "output-dir",
			report: func(l *diag.List) { l.Errorf(token.Position{}, "%s: wrong", diag.Setting("output-dir")) }},
		{name: "a position", from: from, report: func(l *diag.List) { l.Errorf(line(9), "%s: wrong", diag.Setting("output-dir")) }, want: 9},
		{name: "no file", report: func(l *diag.List) { l.Errorf(token.Position{}, "%s: wrong", diag.Setting("output-dir")) }},
	} {
		var diags diag.List
		test.report(&diags)
		(&Request{From: test.from, Given: map[string]bool{test.given: true}}).Place(diags)
		if got := diags[0].Pos.Line; got != test.want {
			t.Errorf("%s: line %d, want %d", test.name, got, test.want)
		}
	}
}
