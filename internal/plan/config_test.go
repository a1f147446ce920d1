package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestLimits reads files whose outputs or values are very many.
func TestLimits(t *testing.T) {
	items := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(format, "N", fmt.Sprint(i)))
		}
		return b.String()
	}
	settings := []Setting{{Name: PackagesKey, Type: ListValue}, {Name: "output-dir", Type: StringValue}}
	for _, test := range []struct{ name, text, want string }{
		{"outputs", items(1000, "- output-dir: oN\n"), ""},
		{"an output again", "- &o {output-dir: a}\n- *o\n- *o\n", "the alias repeats an output; the alias repeats an output"},
		{"values of one list", "- output-dir: &a [" + items(500, "N, ") + "]\n" + items(30, "- {output-dir: oN, packages: *a}\n"), "the aliases up to this one repeat more than 10000 values"},
	} {
		_, diags := ReadConfig(ConfigName, []byte("version: 1\noutputs:\n"+test.text), settings, nil)
		var got []string
		for _, d := range diags {
			got = append(got, d.Message)
		}
		if strings.Join(got, "; ") != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// TestRead reads files into outputs, written as KEY=ITEM,...;... with "import" before an import, and messages.
func TestRead(t *testing.T) {
	settings := []Setting{
		{Name: PackagesKey, Type: ListValue}, {Name: "output-dir"}, {Name: "with-watch", Type: BoolValue}, {Name: "with-crds", Type: BoolOrStringValue},
		{Name: "only", Type: ListValue, Values: []string{"clientset", "lister"}}, {Name: "gates", Type: ListsValue},
	}
	ofImports := []Setting{
		{Name: ManifestsKey, Type: ListValue}, {Name: PackagesKey, Type: ListValue, Local: true}, {Name: "output-dir", Local: true}, {Name: "group-dirs", Type: MapValue},
		{Name: "with-watch", Type: BoolValue},
	}
	for _, test := range []struct {
		name, text    string
		want, message []string
	}{
		{name: "settings of the file", text: "version: 1\noutput-dir: gen\nwith-watch: false\n", want: []string{"output-dir=gen; with-watch=false"}},
		{name: "inherited and overridden", text: "version: 1\nwith-watch: false\noutputs:\n- output-dir: a\n- {output-dir: b, with-watch: true}\n",
			want: []string{"output-dir=a; with-watch=false", "output-dir=b; with-watch=true"}},
		{name: "an import takes what is not local", text: "version: 1\nwith-watch: false\noutput-dir: gen\nimports:\n- {manifests: [crds], output-dir: a, group-dirs: {x.com: y}}\n",
			want: []string{"import group-dirs=x.com=y; manifests=crds; output-dir=a; with-watch=false", "output-dir=gen; with-watch=false"}},
		{name: "only imports", text: "version: 1\nimports:\n- {packages: [x.com/v1], output-dir: a}\n", want: []string{"import output-dir=a; packages=x.com/v1"}},
		{name: "lists by key", text: "version: 1\ngates: {alpha: [Foo, Bar], beta: []}\n", want: []string{"gates=alpha:Foo,alpha:Bar,beta:"}},
		{name: "a directory in place of true", text: "version: 1\nwith-crds: config\n", want: []string{"with-crds=config"}},
		{name: "empty", text: "", want: []string{""}, message: []string{"1:1 the file has no version"}},
		{name: "another version", text: "version: 2\n", want: []string{""}, message: []string{"1:10 version: only 1 is known"}},
		{name: "an unknown key", text: "version: 1\noutput_dir: gen\n", want: []string{""}, message: []string{`2:1 unknown key "output_dir"`}},
		{name: "a key twice", text: "version: 1\nonly: [lister]\nonly: [lister]\n", want: []string{"only=lister"}, message: []string{"3:1 only is set twice"}},
		{name: "another value", text: "version: 1\nonly: [listers]\n", want: []string{"only="},
			message: []string{`2:8 only: unknown value "listers"`}},
		{name: "not a list", text: "version: 1\nonly: lister\n", want: []string{""}, message: []string{"2:7 only must be a list of strings"}},
		{name: "not a Boolean", text: "version: 1\nwith-watch: \"no\"\n", want: []string{"with-watch="}, message: []string{"2:13 with-watch must be true or false"}},
		{name: "no packages", text: "version: 1\npackages: []\n", want: []string{""}, message: []string{"2:11 packages is empty"}},
		{name: "an import of nothing", text: "version: 1\nimports:\n- output-dir: a\n", want: []string{"import output-dir=a"},
			message: []string{"3:3 the import has no manifests or packages"}},
		{name: "several documents", text: "version: 1\n---\nversion: 1\n", want: []string{""}, message: []string{"2:1 a second YAML document, but the file must be one"}},
		{name: "no YAML", text: "version: [1\n", message: []string{"1:0 cannot parse this file: did not find expected ',' or ']'"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			outputs, diags := ReadConfig(ConfigName, []byte(test.text), settings, ofImports)
			var got, messages []string
			for _, o := range outputs {
				var values []string
				for _, name := range slices.Sorted(maps.Keys(o.Values)) {
					var items []string
					for _, item := range o.Values[name].Items {
						items = append(items, item.Text)
					}
					values = append(values, name+"="+strings.Join(items, ","))
				}
				line := strings.Join(values, "; ")
				if o.Import {
					line = "import " + line
				}
				got = append(got, line)
			}
			for _, d := range diags {
				messages = append(messages, fmt.Sprintf("%d:%d %s", d.Pos.Line, d.Pos.Column, d.Message))
			}
			if !slices.Equal(got, test.want) || !slices.Equal(messages, test.message) {
				t.Errorf("got  %q\n%q\nwant %q\n%q", got, messages, test.want, test.message)
			}
		})
	}
}
