package config

import (
	"fmt"
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
	settings := []Setting{{Name: Packages, Kind: List}, {Name: "output-dir", Kind: String}}
	for _, test := range []struct{ name, text, want string }{
		{"outputs", items(1000, "- output-dir: oN\n"), ""},
		{"too many outputs", items(1001, "- output-dir: oN\n"), "outputs has more than 1000 items"},
		{"an output again", "- &o {output-dir: a}\n- *o\n- *o\n", "the alias repeats an output; the alias repeats an output"},
		{"values of one list", "- output-dir: &a [" + items(500, "N, ") + "]\n" + items(30, "- {output-dir: oN, packages: *a}\n"), "the aliases up to this one repeat more than 10000 values"},
		{"values of all outputs", items(600, "- output-dir: oN\n") + "packages: [" + items(200, "./pN, ") + "]\n", "the settings up to here have more than 100000 values, with the values that each item takes from the top level"},
	} {
		_, diags := Read(Name, []byte("version: 1\noutputs:\n"+test.text), settings, nil)
		var got []string
		for _, d := range diags {
			got = append(got, d.Message)
		}
		if strings.Join(got, "; ") != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
