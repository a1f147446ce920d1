package markers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/terms/model"
)

func TestArguments(t *testing.T) {
	for _, test := range []struct{ text, want, errs string }{
		{"path=geese,scope=Cluster", "path:geese scope:Cluster", ""},
		{" path = geese , scope = Cluster ", "path:geese scope:Cluster", ""},
		{"path=`geese`,singular=\"a\\tb\"", "path:geese singular:a\tb", ""},
		{"shortName=g;gs,path=geese", "path:geese shortName:[g gs]", ""},
		{"shortName={g, gs },path=geese", "path:geese shortName:[g gs]", ""},
		{"shortName={}", "", ""},
		{"shortName=\"g,s\";`h;i`", "shortName:[g,s h;i]", ""},
		{"path=", "path:", ""},
		{"shortName=g;gs;", "shortName:[g gs]", ""},
		{"path=geese,", "", "cannot parse +kubebuilder:resource: nothing follows the last comma"},
		{"path=geese,,scope=Cluster", "", "cannot parse +kubebuilder:resource: nothing is between two commas"},
		{"=geese", "", "cannot parse +kubebuilder:resource: no key before ="},
		{"path=geese;scope=Cluster", "", "path=geese;scope=Cluster in +kubebuilder:resource contains scope= (separate arguments with commas"},
		{"shortName=g;gs;scope=Cluster", "", "shortName=g;gs;scope=Cluster in +kubebuilder:resource contains scope="},
		{"path=goose;geese", "", "path= in +kubebuilder:resource takes one value, not the list goose;geese"},
		{"path={geese}", "", "path= in +kubebuilder:resource takes one value, not the list {geese}"},
		{"scop=Cluster", "", `unknown key "scop" in +kubebuilder:resource (did you mean scope=?)`},
		{"path=geese,Scope=Cluster", "", `unknown key "Scope" in +kubebuilder:resource (did you mean scope=?)`},
		{"path", "", `cannot parse +kubebuilder:resource: no = after "path"`},
		{`path="geese`, "", "cannot parse +kubebuilder:resource: a quote is not closed"},
		{`path="geese"x`, "", `cannot parse +kubebuilder:resource: no comma before "x"`},
		{"shortName={g,gs", "", "cannot parse +kubebuilder:resource: a brace is not closed"},
		{"shortName={g;gs}", "", `cannot parse +kubebuilder:resource: no comma before ";gs}"`},
		{"path=geese}", "", `cannot parse +kubebuilder:resource: no comma before "}"`},
	} {
		t.Run(test.text, func(t *testing.T) {
			def, _ := lookup("kubebuilder:resource", Type)
			m := model.Marker{Name: def.Name, Text: test.text}
			ok, errs := parseArguments(&m, def, Strict)
			if got := strings.TrimSuffix(strings.TrimPrefix(fmt.Sprint(m.Arguments), "map["), "]"); ok && got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if text := strings.TrimPrefix(printed(errs), "error: "); !strings.HasPrefix(text, test.errs) || ok != (test.errs == "") || ok != (text == "") {
				t.Errorf("errors\ngot  %s\nwant %s", text, test.errs)
			}
		})
	}
}

// TestUnknownArgument checks that a key that resembles no known key, as a later controller-gen may have, is only a
// warning.
func TestUnknownArgument(t *testing.T) {
	def, _ := lookup("kubebuilder:resource", Type)
	m := model.Marker{Name: def.Name, Text: "storage=x,path=geese"}
	ok, errs := parseArguments(&m, def, Strict)
	if !ok || m.String("path") != "geese" {
		t.Errorf("the arguments are %v", m.Arguments)
	}
	if got, want := printed(errs), `warning: unknown key "storage" in +kubebuilder:resource (known are path=,`; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestArgumentTwice checks that the last of two values of a key counts, as in controller-gen, and that the repetition
// is reported.
func TestArgumentTwice(t *testing.T) {
	def, _ := lookup("kubebuilder:resource", Type)
	m := model.Marker{Name: def.Name, Text: "path=a,path=b"}
	ok, errs := parseArguments(&m, def, Strict)
	if !ok || m.String("path") != "b" {
		t.Errorf("the arguments are %v", m.Arguments)
	}
	if got, want := printed(errs), "warning: path= is given twice in +kubebuilder:resource"; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
