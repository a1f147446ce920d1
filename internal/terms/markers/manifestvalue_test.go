package markers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

func TestArguments(t *testing.T) {
	for _, test := range []struct{ text, want, errs string }{
		{"path=geese,scope=Cluster", "path:geese scope:Cluster", ""},
		{" path = geese,scope = Cluster", "path:geese scope:Cluster", ""},
		{"path=geese ,scope=Cluster", "path: scope:Cluster", "warning: path= in +kubebuilder:resource loses a word, because a space follows: geese"},
		{"path=`geese`,singular=\"a\\tb\"", "path:geese singular:a\tb", ""},
		{"shortName=g;gs,path=geese", "path:geese shortName:[g gs]", ""},
		{"shortName={g, gs},path=geese", "path:geese shortName:[g gs]", ""},
		{"shortName={g, gs },path=geese", "path:geese shortName:[g ]", "warning: shortName= in +kubebuilder:resource loses a word"},
		{"shortName={}", "shortName:[]", ""},
		{"shortName=\"g,s\";`h;i`", "shortName:[g,s h;i]", ""},
		{"path=", "path:", "warning: path= in +kubebuilder:resource has no value"},
		{"shortName=g;gs;", "shortName:[g gs]", ""},
		{"path=geese,", "path:geese", ""},
		{"path=geese,,scope=Cluster", "", `cannot parse +kubebuilder:resource: the name of an argument is expected, not ","`},
		{"=geese", "", `cannot parse +kubebuilder:resource: the name of an argument is expected, not "="`},
		{"path=geese;scope=Cluster", "", `cannot parse +kubebuilder:resource: a comma is expected, not ";"`},
		{"shortName=g;gs;scope=Cluster", "", "cannot parse +kubebuilder:resource: shortName=g;gs;scope=Cluster contains the name of another argument"},
		{"path=goose;geese", "", `cannot parse +kubebuilder:resource: a comma is expected, not ";"`},
		{"path={geese}", "", `cannot parse +kubebuilder:resource: a comma is expected, not "}"`},
		{"scop=Cluster", "", `cannot parse +kubebuilder:resource: unknown argument "scop" (did you mean scope?)`},
		{"path=geese,Scope=Cluster", "", `cannot parse +kubebuilder:resource: unknown argument "Scope" (did you mean scope?)`},
		{"path", "", `cannot parse +kubebuilder:resource: = after path is expected`},
		{`path="geese`, "", "cannot parse +kubebuilder:resource: a quote is not closed"},
		{`path="geese"x`, "", `cannot parse +kubebuilder:resource: a comma is expected, not "x"`},
		{"shortName={g,gs", "", "cannot parse +kubebuilder:resource: a comma is expected"},
		{"shortName={g;gs}", "", `cannot parse +kubebuilder:resource: a comma is expected, not ";"`},
		{"path=geese}", "", `cannot parse +kubebuilder:resource: a comma is expected, not "}"`},
		{"shortName=" + strings.Repeat("{", maxNested+1), "", "cannot parse +kubebuilder:resource: it is nested deeper than 500"},
	} {
		t.Run(test.text, func(t *testing.T) {
			def, _ := lookup("kubebuilder:resource", Type)
			m := model.Marker{Name: def.Name, Text: test.text}
			var errs diag.List
			ok := def.read(&m, test.text, false, true, &errs)
			if got := strings.TrimSuffix(strings.TrimPrefix(fmt.Sprint(m.Arguments), "map["), "]"); ok && got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if text := strings.TrimPrefix(printed(errs), "error: "); !strings.HasPrefix(text, test.errs) || ok == errs.HasErrors() || (text == "") != (test.errs == "") {
				t.Errorf("errors\ngot  %s\nwant %s", text, test.errs)
			}
		})
	}
}

// TestUnknownArgument checks that a key that resembles no known key, as a later controller-gen may have, is only a
// warning.
func TestUnknownArgument(t *testing.T) {
	def, _ := lookup("kubebuilder:resource", Type)
	m, errs := model.Marker{Name: def.Name}, diag.List{}
	ok := def.read(&m, "storage=x,path=geese", false, true, &errs)
	if !ok || m.String("path") != "geese" {
		t.Errorf("the arguments are %v", m.Arguments)
	}
	if got, want := printed(errs), `warning: unknown argument "storage" of +kubebuilder:resource (known are path,`; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestArgumentTwice checks that the last of two values of a key counts, as in controller-gen, and that the repetition
// is reported.
func TestArgumentTwice(t *testing.T) {
	def, _ := lookup("kubebuilder:resource", Type)
	m, errs := model.Marker{Name: def.Name}, diag.List{}
	ok := def.read(&m, "path=a,path=b", false, true, &errs)
	if !ok || m.String("path") != "b" {
		t.Errorf("the arguments are %v", m.Arguments)
	}
	if got, want := printed(errs), "warning: path= is given twice in +kubebuilder:resource"; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
