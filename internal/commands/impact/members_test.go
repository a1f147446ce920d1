package impact

import (
	"slices"
	"testing"
)

const dep = `package dep

import "example.com/deeper"

type Meta struct {
	Kind *string
	deeper.Deepest
}

func (m *Meta) GetKind() *string { return nil }
func (m *Meta) WithKind(kind string) *Meta { return nil }
func (m *Meta) GetOther() *Other { return nil }
func (m Meta) Value() {}

type Other struct{ Kind, Value int }

type Alias = deeper.Of[Other]

type Reader interface {
	deeper.Closer
	Read() *Other
}

type Private interface{ private() }

type List []int
`

const deeper = `package deeper

type Deepest struct{ Depth int }

func (Deepest) Deep(...Deepest) {}

type Of[T any] struct{ Item T }

func (o *Of[E]) Get() *E { return nil }

type Closer interface{ Close() error }
`

// TestImported compares packages that embed types of other packages.
func TestImported(t *testing.T) {
	for _, test := range []struct {
		name          string
		before, after string
		want          []string
		reads         []string // packages that are read
	}{
		{"promoted", "type T struct{ dep.Meta }; func (*T) GetKind() *string; func (*T) GetOther() *dep.Other", "type T struct{ dep.Meta }", nil,
			[]string{"example.com/deeper", "example.com/dep"}},
		{"promoted of an imported one", "type T struct{ *dep.Meta }; func (T) Deep(...deeper.Deepest)", "type T struct{ *dep.Meta }", nil,
			[]string{"example.com/deeper", "example.com/dep"}},
		{"promoted with another signature", "type T struct{ dep.Meta }; func (t *T) WithKind(string) *T", "type T struct{ dep.Meta }",
			[]string{"changed T.WithKind: method of pointers func(string) *T -> method of pointers func(string) *example.com/dep.Meta"},
			[]string{"example.com/deeper", "example.com/dep"}},
		{"hides what was promoted", "type T struct{ dep.Meta }", "type T struct{ dep.Meta }; func (t *T) WithKind(string) *T",
			[]string{"changed T.WithKind: method of pointers func(string) *example.com/dep.Meta -> method of pointers func(string) *T"},
			[]string{"example.com/deeper", "example.com/dep"}},
		{"promoted through pointers alone", "type T struct{ dep.Meta }; func (T) GetKind() *string", "type T struct{ dep.Meta }",
			[]string{"changed T.GetKind: func() *string -> method of pointers func() *string"}, []string{"example.com/deeper", "example.com/dep"}},
		{"promoted by a pointer", "type T struct{ *dep.Meta }; func (T) GetKind() *string", "type T struct{ *dep.Meta }", nil,
			[]string{"example.com/deeper", "example.com/dep"}},
		{"field of a literal", "type T struct{ deeper.Deepest; Depth int }", "type T struct{ deeper.Deepest }",
			[]string{"changed T.Depth: field int -> promoted field int"}, []string{"example.com/deeper"}},
		{"field instead of a promoted one", "type T struct{ deeper.Deepest }", "type T struct{ deeper.Deepest; Depth int }", nil, []string{"example.com/deeper"}},
		{"alias there", "type T struct{ dep.Alias }; func (*T) Get() *dep.Other", "type T struct{ dep.Alias }", nil,
			[]string{"example.com/deeper", "example.com/dep"}},
		{"alias here", "type alias = dep.Meta; type T struct{ alias }; func (*T) GetKind() *string", "type alias = dep.Meta; type T struct{ alias }", nil,
			[]string{"example.com/deeper", "example.com/dep"}},
		{"type arguments", "type T struct{ deeper.Of[int] }; func (*T) Get() *string", "type T struct{ deeper.Of[int] }",
			[]string{"changed T.Get: method of pointers func() *string -> method of pointers func() *int"}, []string{"example.com/deeper"}},
		{"through a type of the package", "type t struct{ deeper.Deepest }; type T struct{ t }; func (T) Deep(...deeper.Deepest)", "type t struct{ deeper.Deepest }; type T struct{ t }", nil,
			[]string{"example.com/deeper"}},
		{"ambiguous", "type T struct{ dep.Other }", "type T struct{ dep.Other; dep.Meta }", []string{"removed T.Kind: field int -> ", "removed T.Value: field int -> "},
			[]string{"example.com/deeper", "example.com/dep"}},
		{"in an interface", "type I interface{ Read() *dep.Other; Close() error }", "type I interface{ dep.Reader }", nil,
			[]string{"example.com/deeper", "example.com/dep"}},
		{"out of an interface", "type I interface{ dep.Reader }", "type I interface{ Read() *dep.Other; Close() }",
			[]string{"changed I.Close: func() error -> func()"}, []string{"example.com/deeper", "example.com/dep"}},
		{"seals an interface", "type I interface{ Do() }", "type I interface{ Do(); dep.Private }", []string{"method added I:  -> unexported methods"},
			[]string{"example.com/dep"}},
		{"not found", "type T struct{ gone.Meta }; func (*T) GetKind() *string", "type T struct{ gone.Meta }",
			[]string{"removed T.GetKind: method of pointers func() *string -> "}, []string{"example.com/gone"}},
		{"nothing is lost", "type T struct{ dep.Meta; A, B int }; type U struct{ A int }", "type T struct{ dep.Meta; B, A int }; type U struct{ A, B int }", nil, nil},
		{"lost of another", "type T struct{ dep.Meta }; type U struct{ A int }", "type T struct{ dep.Meta }; type U struct{}", []string{"removed U.A: field int -> "}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var read []string
			imported := func(importPath string) (before, after *Declarations) {
				if !slices.Contains(read, importPath) {
					read = append(read, importPath)
				}
				switch importPath {
				case "example.com/dep":
					before = Parse(importPath, []File{{"dep.go", []byte(dep)}})
				case "example.com/deeper":
					before = Parse(importPath, []File{{"deeper.go", []byte(deeper)}})
				}
				return before, before
			}
			file := func(text string) []File {
				return []File{{"p.go", []byte("package p\nimport (\"example.com/dep\"; \"example.com/deeper\"; \"example.com/gone\")\n" + text)}}
			}
			changes := Compare(file(test.before), file(test.after), Context{Imported: imported})
			expect(t, changes, test.want...)
			slices.Sort(read)
			if !slices.Equal(read, test.reads) {
				t.Errorf("%v are read, want %v", read, test.reads)
			}
			for _, c := range changes {
				if unless := map[bool]string{true: "example.com/gone.Meta"}[test.name == "not found"]; c.Unless != unless {
					t.Errorf("%s is so unless %q, want %q", c.Symbol, c.Unless, unless)
				}
			}
		})
	}
}

// TestImportedChange checks that a change of an imported package is not reported again for the package that embeds its
// types.
func TestImportedChange(t *testing.T) {
	state := func(text string) *Declarations {
		return Parse("example.com/dep", []File{{"dep.go", []byte("package dep\n" + text)}})
	}
	before, after := state("type T struct{}; func (T) A(); func (T) B(); type I interface{ A() }"), state("type T struct{}; func (T) A(int); type I interface{ A(); B() }")
	changes := Compare([]File{{"p.go", []byte("package p\nimport \"example.com/dep\"\ntype U struct{ dep.T; F int }\ntype J interface { dep.I; C() }")}},
		[]File{{"p.go", []byte("package p\nimport \"example.com/dep\"\ntype U struct{ dep.T }\ntype J interface{ dep.I; D() }")}},
		Context{Imported: func(string) (*Declarations, *Declarations) { return before, after }})
	expect(t, changes, "method added J.D:  -> func()", "removed J.C: func() -> ", "removed U.F: field int -> ")
}

// TestPromotedToGenerated checks that the first generated methods of a hand-written type may replace promoted ones,
// since the type is probably new, and that changes are reported once the type has generated methods.
func TestPromotedToGenerated(t *testing.T) {
	types := func() []File {
		return []File{{"types.go", []byte("package p\n\nimport \"example.com/dep\"\n\ntype T struct{ dep.Meta }\n\ntype Old struct{}\n")}}
	}
	imported := func(string) (before, after *Declarations) {
		p := Parse("example.com/dep", []File{{"dep.go", []byte(dep)}})
		return p, p
	}
	generated := func(methods string) []File {
		return []File{{"zz.go", []byte("package p\n\nfunc (o *Old) Copy() *Old { return nil }\n" + methods)}}
	}
	const own = "func (t *T) WithKind(kind string) *T { return nil }\n"
	context := Context{Unchanged: types, Imported: imported}
	expect(t, Compare(generated(""), generated(own), context))
	expect(t, Compare(generated(own), generated(""), context),
		"changed T.WithKind: method of pointers func(string) *T -> method of pointers func(string) *example.com/dep.Meta")
	expect(t, Compare(generated(own), generated("func (t *T) WithKind() *T { return nil }\n"), context),
		"changed T.WithKind: method of pointers func(string) *T -> method of pointers func() *T")
}

// TestConstraintOfKinds checks that a union of kinds may become the interface of all objects, as it does when it has
// more types than the compiler accepts.
func TestConstraintOfKinds(t *testing.T) {
	constraint := func(body string) []File {
		return []File{{"a.go", []byte("package p\n\nimport (\n\t\"example.com/api\"\n\t\"k8s.io/apimachinery/pkg/runtime\"\n)\n\ntype Kind interface {\n\t" + body + "\n}\n")}}
	}
	expect(t, Compare(constraint("*api.A | *api.B"), constraint("runtime.Object"), Context{}))
	expect(t, Compare(constraint("*api.A | *api.B"), constraint("api.Other"), Context{}),
		"changed Kind: type interface{*example.com/api.A | *example.com/api.B} -> type interface",
		"method added Kind.example.com/api.Other:  -> embedded example.com/api.Other")
	expect(t, Compare(constraint("*api.A | *api.B"), constraint("runtime.Object\n\tMore()"), Context{}), "method added Kind.More:  -> func()")
	expect(t, Compare(constraint("runtime.Object"), constraint("*api.A | *api.B"), Context{}),
		"changed Kind: type interface -> type interface{*example.com/api.A | *example.com/api.B}",
		"removed Kind.k8s.io/apimachinery/pkg/runtime.Object: embedded k8s.io/apimachinery/pkg/runtime.Object -> ")
}
