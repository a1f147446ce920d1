package typecopy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/imported/importer"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
)

// shapes return texts that follow the start of type Spec, with n declarations or fields of one form.
var shapes = map[string]func(n int) string{
	"types": func(n int) string {
		return times(n, "\tF%[1]d T%[1]d\n") + "}\n" + times(n, "\n// T%[1]d is a type.\ntype T%[1]d struct {\n\tA string // comment\n}\n")
	},
	"kinds": func(n int) string {
		return "}\n" + times(n, "\n// +kubebuilder:subresource:status\n// +kubebuilder:object:root=true\n\n// K%[1]d is a kind.\ntype K%[1]d struct {\n\tmetav1.TypeMeta\n\tmetav1.ObjectMeta\n}\n\ntype K%[1]dList struct {\n\tmetav1.TypeMeta\n\tmetav1.ListMeta\n\tItems []K%[1]d\n}\n")
	},
	"kinds with other lists": func(n int) string {
		return "}\n" + times(n, "\ntype K%[1]d struct {\n\tmetav1.TypeMeta\n\tmetav1.ObjectMeta\n}\n\ntype AllK%[1]d struct {\n\tmetav1.TypeMeta\n\tmetav1.ListMeta\n\tItems []K%[1]d\n}\n")
	},
	"selected names": func(n int) string {
		return times(n, "\tF%[1]d T%[1]d\n") + "}\n" + times(n, "\ntype T%[1]d struct{}\n\nfunc (T%[1]d) M%[1]d() {}\n") +
			"\nfunc (s Spec) MarshalJSON() ([]byte, error) {\n" + times(n, "\ts.F%[1]d.M%[1]d()\n") + "\treturn nil, nil\n}\n"
	},
	"optional methods": func(n int) string {
		return times(n, "\tF%[1]d T%[1]d\n") + "}\n" + times(n, "\ntype T%[1]d struct{ A string }\n\nfunc (t T%[1]d) String() string { return t.text%[1]d() }\n\nfunc (t T%[1]d) text%[1]d() string { return t.A }\n")
	},
	"constants": func(n int) string {
		return "\tF E\n}\n\ntype E int\n\nconst (\n\tE0 E = iota\n" + times(n, "\t// E%[1]d is a number.\n\tE%[1]d // comment\n") + ")\n"
	},
	"constants of another module": func(n int) string {
		return "}\n\nconst (\n\tE0 = iota + other.N\n" + times(n, "\tE%[1]d\n") + ")\n"
	},
	"lengths": func(n int) string {
		return times(n, "\tF%[1]d [len(x)]string\n") + "}\n\nvar x [3]int\n" + times(n, "\nconst C%[1]d = len(x)\n")
	},
	"dropped markers": func(n int) string {
		return times(n, "\tF%[1]d T%[1]d\n") + "}\n" + times(n, "\n// +k8s:deepcopy-gen:interfaces=x.example.com/api/v1.I\ntype T%[1]d struct{}\n")
	},
	"lost fields": func(n int) string {
		return "\tKept string `json:\"kept\"`\n" + times(n, "\t// F%[1]d is a field.\n\tF%[1]d string // comment\n") + "}\n"
	},
}

// times returns a text for each number from 1 to n.
func times(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i+1)
	}
	return b.String()
}

// multiples are sizes relative to the first one.
var multiples = []int{1, 2, 4}

// BenchmarkCopy copies large packages. The times should grow like the sizes:
//
//	go test ./internal/imported/typecopy -run - -bench . -benchtime 1x
func BenchmarkCopy(b *testing.B) {
	for name, shape := range shapes {
		for _, n := range multiples {
			b.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(name, " ", "-"), n), func(b *testing.B) {
				o := Options{}
				if name == "lost fields" {
					o.Fields = []importer.Field{{Kind: "", Path: crdschema.Path{"Spec", "kept"}}}
				}
				for b.Loop() {
					if r := copyLarge(b, shape(n*500), o); r.Diags.HasErrors() {
						b.Fatal(r.Diags[0].Message)
					}
				}
			})
		}
	}
}

func copyLarge(t testing.TB, declarations string, o Options) Result {
	_, r := copyOf(t, doc+`
-- x.example.com/api/v1/types.go --
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"y.example.com/other"
)
`+kind+`
type Spec struct {
`+declarations+`
-- y.example.com/other/other.go --
package other

const N = 1
`, o)
	return r
}

// BenchmarkUnmark removes markers from a copy.
func BenchmarkUnmark(b *testing.B) {
	for _, n := range multiples {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				r := copyLarge(b, times(n*500, "\t// +optional.\n\tF%[1]d string\n")+"}\n", Options{})
				if r.Diags.HasErrors() {
					b.Fatal(r.Diags[0].Message)
				}
				b.StartTimer()
				const name = "zz_generated.types.go"
				p := r.Packages[0]
				var marked []int
				for i, line := range strings.Split(string(p.Files[name]), "\n") {
					if strings.Contains(line, "+optional.") {
						marked = append(marked, i+1)
					}
				}
				if len(p.Unmark(name, marked)) != len(marked) {
					b.Fatal("not removed")
				}
			}
		})
	}
}
