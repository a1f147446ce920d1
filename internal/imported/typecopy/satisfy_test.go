package typecopy

import (
	"go/importer"
	"go/types"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/apitest"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// interfaces are packages with interfaces: two that are imported where they are, and one that is copied.
const interfaces = `
-- fmt/print.go --
package fmt

type Stringer interface{ String() string }
-- sort/sort.go --
package sort

type Interface interface {
	Len() int
	Less(i, j int) bool
	Swap(i, j int)
}

func Sort(data Interface) {}
-- x.example.com/more/more.go --
package more

import "sort"

type Named interface {
	Name() string
	hidden()
}

type Both interface {
	sort.Interface
	Titled
}

type Titled interface{ Title() string }

type Coded interface {
	error
	Code() int
}

type Integer interface{ ~int | ~int64 }

type Number interface{ Integer | Float }

type Float interface{ ~float64 }

type Level int

type Weight float64
`

// TestSatisfied copies types that must satisfy interfaces: what is copied compiles.
func TestSatisfied(t *testing.T) {
	const list = "type List []string\n\nfunc (l List) Len() int { return len(l) }\n\nfunc (l List) Less(i, j int) bool { return l[i] < l[j] }\n\n" +
		"func (l List) Swap(i, j int) { l[i], l[j] = l[j], l[i] }\n"
	const marshal = "func (s Spec) MarshalJSON() ([]byte, error) {\n\t%\n\treturn nil, nil\n}\n"
	for _, test := range []struct{ name, code, want string }{
		{"Stringer", "type Spec struct{ A G[M] }\n\ntype G[T fmt.Stringer] struct{ V T }\n\ntype M string\n\nfunc (m M) String() string { return string(m) }", ""},
		{"Stringer whose method cannot be copied", "type Spec struct{ A G[M] }\n\ntype G[T fmt.Stringer] struct{ V T }\n\ntype M string\n\nfunc (m M) String() string", "has no body"},
		{"Ordered", "type Spec struct{ A G[M] }\n\ntype G[T cmp.Ordered] struct{ V T }\n\ntype M string", ""},
		{"interface of the standard library", list + "type Spec struct{ A G[List] }\n\ntype G[T sort.Interface] struct{ V T }", ""},
		{"embedded", list + "type Spec struct{ A G[List] }\n\ntype G[T interface{ ~[]string; sort.Interface }] struct{ V T }", ""},
		{"declared", list + "type Spec struct{ A G[List] }\n\ntype C interface{ sort.Interface }\n\ntype G[T C] struct{ V T }", ""},
		{"alias", list + "type Spec struct{ A G[List] }\n\ntype C = sort.Interface\n\ntype G[T C] struct{ V T }", ""},
		{"named", list + "type Spec struct{ A G[List] }\n\ntype C sort.Interface\n\ntype G[T C] struct{ V T }", ""},
		{"of two packages", list + "func (l List) Title() string { return \"\" }\n\ntype Spec struct{ A G[List] }\n\ntype G[T more.Both] struct{ V T }", ""},
		{"argument", list + "type Spec struct{ A List }\n\n" + strings.Replace(marshal, "%", "sort.Sort(s.A)", 1), ""},
		{"converted", list + "type Spec struct{ A []string }\n\n" + strings.Replace(marshal, "%", "sort.Sort(List(s.A))", 1), ""},
		{"variable", list + "type Spec struct{ A List }\n\n" + strings.Replace(marshal, "%", "var i sort.Interface = s.A\n\t_ = i", 1), ""},
		{"asserted variable", list + "type Spec struct{ A List }\n\nvar _ sort.Interface = List{}", ""},
		{"parameter", list + "type Spec struct{ A List }\n\nfunc f(sort.Interface) {}\n\n" + strings.Replace(marshal, "%", "f(s.A)", 1), ""},
		{"type parameter", list + "type Spec struct{ A List }\n\nfunc f[T sort.Interface](T) {}\n\n" + strings.Replace(marshal, "%", "f(s.A)", 1), ""},
		{"literal", list + "type Spec struct{ A List }\n\nfunc f[T interface{ Len() int }](T) {}\n\n" + strings.Replace(marshal, "%", "f(s.A)", 1), ""},
		{"unexported method", "type Spec struct{ A G[M] }\n\ntype C interface{ ~string; hidden() }\n\ntype G[T C] struct{ V T }\n\ntype M string\n\nfunc (m M) hidden() {}", ""},
		{"union", "type Spec struct{ A G[more.Level]; B G[more.Weight] }\n\ntype G[T more.Number] struct{ V T }", ""},
		{"union of types", "type Spec struct{ A G[A]; B G[more.Weight] }\n\ntype G[T A | B | more.Weight] struct{ V T }\n\ntype A struct{ X int }\n\ntype B = *A", ""},
		{"union with a method", "type Spec struct{ A G[A] }\n\ntype G[T interface{ A | B; fmt.Stringer }] struct{ V T }\n\ntype A struct{ X int }\n\ntype B struct{}\n\nfunc (A) String() string { return \"\" }\n\nfunc (B) String() string { return \"\" }", ""},
		{"promoted", "type Spec struct{ A G[M] }\n\ntype G[T interface{ Title() string }] struct{ V T }\n\ntype M struct{ Base }\n\ntype Base struct{}\n\nfunc (Base) Title() string { return \"\" }", ""},
		{"promoted by a pointer", "type Spec struct{ A G[M] }\n\ntype G[T more.Titled] struct{ V T }\n\ntype M struct{ *Base }\n\ntype Base struct{}\n\nfunc (*Base) Title() string { return \"\" }", ""},
		{"pointer", "type Spec struct{ A G[M, *M] }\n\ntype G[T any, P interface{ *T; more.Titled }] struct{ V T }\n\ntype M struct{}\n\nfunc (*M) Title() string { return \"\" }", ""},
		{"generic", "type Spec struct{ A G[M] }\n\ntype G[T Of[string]] struct{ V T }\n\ntype Of[R any] interface{ Do() R; fmt.Stringer }\n\ntype M string\n\nfunc (m M) Do() string { return \"\" }\n\nfunc (m M) String() string { return \"\" }", ""},
		{"error", "type Spec struct{ A G[M] }\n\ntype G[T error] struct{ V T }\n\ntype M string\n\nfunc (m M) Error() string { return string(m) }", ""},
		{"error in an interface", "type Spec struct{ A G[M] }\n\ntype G[T more.Coded] struct{ V T }\n\ntype M string\n\nfunc (m M) Error() string { return string(m) }\n\nfunc (m M) Code() int { return 1 }", ""},
		{"error whose method cannot be copied", "type Spec struct{ A G[M] }\n\ntype G[T interface{ error }] struct{ V T }\n\ntype M string\n\nfunc (m M) Error() string", "has no body"},
		{"returned", "type Spec struct{ A M }\n\ntype M string\n\nfunc (m M) Error() string { return gone }\n\n" + strings.Replace(marshal, "%", "if s.A != \"\" {\n\t\treturn nil, s.A\n\t}", 1) + "\nconst gone = \"\"", ""},
		{"comparable", "type Spec struct{ A G[M] }\n\ntype G[T comparable] struct{ V T }\n\ntype M struct{ A, B string }", ""},
	} {
		imports := "import (\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n"
		for name, importPath := range map[string]string{"fmt": "fmt", "sort": "sort", "cmp": "cmp", "more": "x.example.com/more"} {
			if strings.Contains(test.code, name+".") {
				imports += "\t\"" + importPath + "\"\n"
			}
		}
		copied, r := copyOf(t, doc+"-- x.example.com/api/v1/types.go --\npackage v1\n\n"+imports+")\n"+kind+test.code+"\n"+interfaces, Options{})
		var got []string
		for _, d := range r.Diags {
			if d.Severity == diag.Error {
				got = append(got, d.Message)
			}
		}
		if said := strings.Join(got, "\n"); said != "" || test.want != "" {
			if test.want == "" || !strings.Contains(said, test.want) {
				t.Errorf("%s: got %q, want %q", test.name, said, test.want)
			}
			continue
		}
		t.Run(test.name, func(t *testing.T) { compile(t, copied) })
	}
}

// TestPredeclared copies types that use predeclared names for something else: what is copied compiles, or an error
// names the declaration.
func TestPredeclared(t *testing.T) {
	refused, methods := 0, "\nfunc (s Spec) MarshalJSON() ([]byte, error) { return nil, nil }\n"
	for seed := range uint64(400) {
		text, name := apitest.Predeclared(seed, "v1")
		code := "package v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n" + kind + "\ntype Spec struct{ Inner Inner"
		if strings.Contains(text, "type Outer ") {
			code += "; Outer Outer"
		}
		if code += " }\n"; strings.Contains(text, " "+name+"() {}\n") {
			code += strings.Replace(methods, "return", name+"()\n\treturn", 1)
		}
		original := &checker{t: t, files: map[string]string{"o/types.go": code, "o/zz.go": text}, std: importer.Default(), done: map[string]*types.Package{}}
		if _, err := original.Import("example.com/copy/o"); err != nil {
			continue
		}
		copied, r := copyOf(t, doc+"-- x.example.com/api/v1/types.go --\n"+code+"-- x.example.com/api/v1/zz.go --\n"+text, Options{})
		if r.Diags.HasErrors() {
			if refused++; !strings.Contains(r.Diags[0].Message, name) {
				t.Errorf("seed %d: %s\n%s", seed, r.Diags[0].Message, text)
			}
			continue
		}
		compile(t, copied)
		if t.Failed() {
			t.Fatalf("seed %d:\n%s%s", seed, code, text)
		}
	}
	t.Logf("%d are refused", refused)
}
