package markers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/diag"
)

func TestArguments(t *testing.T) {
	for _, test := range []struct{ text, want, errs string }{
		{"path=geese,scope=Cluster", "path:[geese] scope:[Cluster]", ""},
		{" path = geese , scope = Cluster ", "path:[geese] scope:[Cluster]", ""},
		{"path=`geese`,singular=\"a\\tb\"", "path:[geese] singular:[a\tb]", ""},
		{"shortName=g;gs,path=geese", "shortName:[g gs] path:[geese]", ""},
		{"shortName={g, gs },path=geese", "shortName:[g gs] path:[geese]", ""},
		{"shortName={}", "shortName:[]", ""},
		{"shortName=\"g,s\";`h;i`", "shortName:[g,s h;i]", ""},
		{"path=", "path:[]", ""},
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
			def, _ := Lookup("kubebuilder:resource")
			var errs diag.List
			m := Marker{Name: def.Name, Value: test.text}
			ok := m.parseArguments(def, Strict, &errs)
			var got []string
			for _, arg := range m.Args {
				got = append(got, fmt.Sprintf("%s:%s", arg.Key, arg.Values))
			}
			if list := strings.Join(got, " "); ok && list != test.want {
				t.Errorf("got %s, want %s", list, test.want)
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
	def, _ := Lookup("kubebuilder:resource")
	var errs diag.List
	m := Marker{Name: def.Name, Value: "storage=x,path=geese"}
	if ok := m.parseArguments(def, Strict, &errs); !ok || len(m.Args) != 2 {
		t.Errorf("the arguments are %v", m.Args)
	}
	if got, want := printed(errs), `warning: unknown key "storage" in +kubebuilder:resource (known are path=,`; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestArgumentTwice checks that the last of two values of a key counts, as in controller-gen, and that the repetition
// is reported.
func TestArgumentTwice(t *testing.T) {
	def, _ := Lookup("kubebuilder:resource")
	var errs diag.List
	m := Marker{Name: def.Name, Value: "path=a,path=b"}
	if ok := m.parseArguments(def, Strict, &errs); !ok || len(m.Args) != 2 {
		t.Errorf("the arguments are %v", m.Args)
	}
	if got, want := printed(errs), "warning: path= is given twice in +kubebuilder:resource"; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestArg(t *testing.T) {
	m := Marker{Args: []Arg{{"path", []string{"a"}}, {"path", []string{"b"}}, {"scope", []string{""}}, {"shortName", []string{"g", "gs"}}}}
	for key, want := range map[string]string{"path": "b true", "scope": " false", "shortName": "g true", "singular": " false"} {
		if value, ok := m.Arg(key); fmt.Sprint(value, " ", ok) != want {
			t.Errorf("%s is %q, %v; want %s", key, value, ok, want)
		}
	}
	if got := m.List("shortName"); len(got) != 2 {
		t.Errorf("shortName is %q", got)
	}
}
