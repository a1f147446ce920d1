package impact

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const original = `package p

import (
	"context"

	dep "example.com/dep/v1"
	"k8s.io/api/core/v1"
	"example.com/other/v2"
)

const Max = 3

const (
	A = iota
	B
	C = limit * 2
)

const limit = 7

var Default dep.Of[int]

var Scheme = dep.NewScheme()

var Codec = newCodec()

type codec struct{ Strict bool }

func newCodec() *codec { return nil }

func (c *codec) Decode(data []byte) error { return nil }

type Client struct {
	dep.Plain
	*base
	Host, Port string ` + "`json:\"host\"`" + `
	Pod  *v1.Pod
	conn int
}

type base struct{ Name string }

func (b *base) Close() error { return nil }

func (c *Client) Get(ctx context.Context, name string) (int, error) { return 0, nil }

func (c Client) String() string { return "" }

func (c *Client) reset() {}

type Getter interface {
	Get(ctx context.Context, name string) (int, error)
}

type Interface interface {
	Getter
	closer
	dep.Expansion
	List(opts ...other.Option) []*v1.Pod
}

type closer interface{ Close() }

type Sealed interface {
	Do()
	do()
}

type Number interface{ ~int | ~string }

type List[T any, P interface{ *T }] struct{ Items []P }

func (l *List[E, F]) At(i int) F { return l.Items[i] }

type Level int

type Time = dep.Time

type Option func(*options) interface{}

type options struct {
	Verbose bool
	quiet   bool
}

type Place struct {
	line int
}

func New(host, port string) *Client { return nil }

func Each[T any](of T, visit func(t T) bool) {}
`

// TestCompare edits a package in each way that matters, and in some that do not.
func TestCompare(t *testing.T) {
	for _, test := range []struct {
		name     string
		from, to string
		want     []string
	}{
		{"parameter names", "New(host, port string)", "New(_ string, _ string)", nil},
		{"import alias", `dep "example.com/dep/v1"`, `dep "example.com/dep/v2"`, []string{
			"changed Client.Plain: embedded example.com/dep/v1.Plain -> embedded example.com/dep/v2.Plain",
			"changed Default: var example.com/dep/v1.Of[int] -> var example.com/dep/v2.Of[int]",
			"changed Scheme: var result of example.com/dep/v1.NewScheme -> var result of example.com/dep/v2.NewScheme",
			"changed Time: type = example.com/dep/v1.Time -> type = example.com/dep/v2.Time",
			"method added Interface.example.com/dep/v2.Expansion:  -> embedded example.com/dep/v2.Expansion",
			"removed Interface.example.com/dep/v1.Expansion: embedded example.com/dep/v1.Expansion -> ",
		}},
		{"unexported field", "conn int", "connection int", nil},
		{"unexported method", ") reset()", ") restart()", nil},
		{"function removed", "func New(", "func build(", []string{"removed New: func(string, string) *Client -> "}},
		{"function added", "func Each", "func Another() {}\nfunc Each", nil},
		{"result", "port string) *Client", "port string) any", []string{"changed New: func(string, string) *Client -> func(string, string) any"}},
		{"any", "interface{}\n", "any\n", nil},
		{"byte", "data []byte", "data []uint8", nil},
		{"rune", "Level int\n", "Level rune\n", []string{"changed Level: type int -> type int32"}},
		{"variadic", "...other.Option", "[]other.Option", []string{
			"changed Interface.List: func(...example.com/other/v2.Option) []*k8s.io/api/core/v1.Pod -> func([]example.com/other/v2.Option) []*k8s.io/api/core/v1.Pod",
		}},
		{"method removed", ") String() string", ") string() string", []string{"removed Client.String: func() string -> "}},
		{"receiver no value any more", "(c Client) String", "(c *Client) String", []string{
			"changed Client.String: func() string -> method of pointers func() string",
		}},
		{"receiver no pointer any more", "(c *Client) Get", "(c Client) Get", nil},
		{"field removed", "Host, Port string", "Port string", []string{`removed Client.Host: field string ` + "`json:\"host\"`" + ` -> `}},
		{"field tag", `json:"host"`, `json:"name"`, []string{
			"changed Client.Host: field string `json:\"host\"` -> field string `json:\"name\"`",
			"changed Client.Port: field string `json:\"host\"` -> field string `json:\"name\"`",
		}},
		{"no longer embedded", "\tdep.Plain", "\tPlain dep.Plain", []string{
			"changed Client.Plain: embedded example.com/dep/v1.Plain -> field example.com/dep/v1.Plain",
		}},
		{"embedded of this package", "\t*base", "\t*basis", []string{
			"removed Client.Close: func() error -> ", "removed Client.Name: field string -> ",
		}},
		{"embedded by value", "\t*base", "\tbase", []string{"changed Client.Close: func() error -> method of pointers func() error"}},
		{"method of what is embedded", "(b *base) Close() error", "(b *base) Close()", []string{"changed Client.Close: func() error -> func()"}},
		{"interface grew", "type Getter interface {", "type Getter interface {\n\tPut()", []string{"method added Getter.Put:  -> func()"}},
		{"constraint grew", "~int | ~string", "~int | ~string | ~bool", nil},
		{"interface shrank", "\tGet(ctx context.Context, name string) (int, error)\n}", "}", []string{
			"removed Getter.Get: func(context.Context, string) (int, error) -> ",
		}},
		{"embedded interface grew", "closer interface{ Close() }", "closer interface{ Close(); Open() }", []string{"method added Interface.Open:  -> func()"}},
		{"embeds one more", "\tcloser\n", "\tcloser\n\tSealed\n", []string{
			"method added Interface.Do:  -> func()",
			"method added Interface:  -> unexported methods",
		}},
		{"sealed interface grew", "\tdo()", "\tdo()\n\tDoMore()", nil},
		{"sealed", "type Getter interface {", "type Getter interface {\n\tget()", []string{
			"method added Getter:  -> unexported methods",
			"method added Interface:  -> unexported methods", // Interface embeds Getter
		}},
		{"terms of an interface", "~int | ~string", "~int", []string{
			"changed Number: type interface{~int | ~string} -> type interface{~int}",
		}},
		{"names of type parameters", "List[T any, P interface{ *T }] struct{ Items []P }", "List[V any, U interface{ *V }] struct{ Items []U }", nil},
		{"constraint", "Each[T any]", "Each[T comparable]", []string{
			"changed Each: func[any]($1, func($1) bool) -> func[comparable]($1, func($1) bool)",
		}},
		{"method of a generic type", ") At(i int) F {", ") At(i int) E {", []string{"changed List.At: method of pointers func(int) $2 -> method of pointers func(int) $1"}},
		{"constant value", "Max = 3", "Max = 4", []string{"changed Max: const = 3 -> const = 4"}},
		{"order of constants", "\tA = iota\n\tB", "\tB = iota\n\tA", []string{"changed A: const = 0 -> const = 1", "changed B: const = 1 -> const = 0"}},
		{"constant behind", "limit = 7", "limit = 8", []string{"changed C: const = 7 * 2 -> const = 8 * 2"}},
		{"variable", "Default dep.Of[int]", "Default dep.Of[string]", []string{
			"changed Default: var example.com/dep/v1.Of[int] -> var example.com/dep/v1.Of[string]",
		}},
		{"initial value", "dep.NewScheme()", "dep.NewScheme(true)", nil},
		{"variable by a function", "func newCodec() *codec", "func newCodec() *Client", []string{"changed Codec: var *codec -> var *Client"}},
		{"exposed type", "(c *codec) Decode(data []byte) error", "(c *codec) Decode(data []byte)", []string{
			"changed codec.Decode: method of pointers func([]byte) error -> method of pointers func([]byte)",
		}},
		{"unexported type of a parameter", "Verbose bool", "Loud bool", nil},
		{"underlying type", "Level int", "Level string", []string{"changed Level: type int -> type string"}},
		{"another shape", "type Level int", "type Level struct{ Level int }", []string{"changed Level: type int -> type struct"}},
		{"alias", "Time = dep.Time", "Time dep.Time", []string{"changed Time: type = example.com/dep/v1.Time -> type example.com/dep/v1.Time"}},
		{"variable becomes function", "var Default dep.Of[int]", "func Default() {}", []string{"changed Default: var example.com/dep/v1.Of[int] -> func()"}},
		{"no longer comparable", "\tline int", "\tline []int", nil},
		{"package name", "package p", "package q", []string{"changed : package p -> package q"}},
		{"only for another system", "func New(", "//go:build ignore\nfunc New(", nil}, // the other file has no constraint
		{"no build", "package p", "//go:build ignore\n\npackage p", []string{"removed : package p -> "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			edited := strings.Replace(original, test.from, test.to, 1)
			if edited == original {
				t.Fatalf("%q is not in the old package", test.from)
			}
			expect(t, Compare([]File{{"p.go", []byte(original)}}, []File{{"p.go", []byte(edited)}}, Context{}), test.want...)
			expect(t, Compare([]File{{"p.go", []byte(original)}}, []File{{"p.go", []byte(original)}}, Context{}))
		})
	}
}

// TestSignatures changes what the types of a function's parameters and results are made of.
func TestSignatures(t *testing.T) {
	for _, test := range []struct{ name, was, is, want string }{
		{"length", "func F() [n]int { panic(0) }\nconst n = 3", "func F() [n]int { panic(0) }\nconst n = 4", "changed F: func() [3]int -> func() [4]int"},
		{"named length", "func F(*[3]int) {}", "func F(*[n]int) {}\nconst n = m\nconst m = 3", ""},
		{"alias", "func F(a) {}\ntype a = int", "func F(a) {}\ntype a = string", "changed a: type = int -> type = string"},
		{"alias of a result", "func F() a { panic(0) }\ntype a = []int", "func F() a { panic(0) }\ntype a = []string", "changed a: type = []int -> type = []string"},
		{"generic alias", "type A[T any] = map[string]T", "type A[T comparable] = map[string]T", "changed A: type[any] = map[string]$1 -> type[comparable] = map[string]$1"},
		{"interface", "func F(g get) {}\ntype get interface{ Get() }", "func F(g get) {}\ntype get interface{ Get(); Put() }", "method added get.Put:  -> func()"},
		{"function type", "func F(v visit) {}\ntype visit func(int)", "func F(v visit) {}\ntype visit func(string)", "changed visit: type func(int) -> type func(string)"},
		{"map type", "func F(v ...labels) {}\ntype labels map[string]*T\ntype T int", "func F(v ...labels) {}\ntype labels map[string]T\ntype T int", "changed labels: type map[string]*T -> type map[string]T"},
		{"unexported struct", "func F(v *s) {}\ntype s struct{ A int }", "func F(v *s) {}\ntype s struct{ B int }", ""},
		{"type with methods", "func F(v l) {}\ntype l int\nfunc (l) M() {}", "func F(v l) {}\ntype l int\nfunc (l) N() {}", ""},
		{"channel", "func F(c <-chan map[string]*int) {}", "func F(c chan map[string]*int) {}", "changed F: func(<-chan map[string]*int) -> func(chan map[string]*int)"},
		{"channel of channels", "func F(c chan (<-chan int)) {}", "func F(c chan<- (chan int)) {}", "changed F: func(chan <-chan int) -> func(chan<- chan int)"},
		{"generic instance", "func F() *G[int] { return nil }\ntype G[T any] struct{}", "func F() *G[uint] { return nil }\ntype G[T any] struct{}", "changed F: func() *G[int] -> func() *G[uint]"},
		{"embedded instance", "type T struct{ G[int] }\ntype G[T any] struct{}", "type T struct{ G[uint] }\ntype G[T any] struct{}", "changed T.G: embedded G[int] -> embedded G[uint]"},
		{"order of a union", "func F[T ~int | string | uint]() {}", "func F[T string | uint | ~int]() {}", ""},
		{"union in an interface", "func F[T ~int | string]() {}", "func F[T interface{ ~int | string }]() {}", ""},
		{"declared predeclared name", "func F(uint8) {}\ntype uint8 string", "func F(byte) {}\ntype uint8 string", "changed F: func(uint8) -> func(byte)"},
		{"variable of a rune", "var V = 'a'", "var V rune", ""},
		{"results of function types", "func F() func() (int, error) { return nil }", "func F() (func() int, error) { return nil, nil }", "changed F: func() func() (int, error) -> func() (func() int, error)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := func(text string) []File {
				return []File{{Name: "p.go", Content: []byte("package p\n\n" + text + "\n")}}
			}
			var want []string
			if test.want != "" {
				want = append(want, test.want)
			}
			expect(t, Compare(file(test.was), file(test.is), Context{}), want...)
		})
	}
}

func TestCompareFiles(t *testing.T) {
	file := func(name, text string) File { return File{name, []byte("package p\n" + text)} }
	for _, test := range []struct {
		name                     string
		before, after, unchanged []File
		want                     []string
	}{
		{name: "moved to another file", before: []File{file("a.go", "func F() {}")}, after: []File{file("b.go", "func F() {}")}},
		{name: "moved to a hand-written file",
			before:    []File{file("a.go", "type FooExpansion interface{}\ntype Foo interface{ FooExpansion }\nfunc New() *foo { return nil }\ntype foo struct{}\nfunc (*foo) Do() {}")},
			after:     []File{file("a.go", "type Foo interface{ FooExpansion }\nfunc New() *foo { return nil }\ntype foo struct{}")},
			unchanged: []File{file("hand.go", "type FooExpansion interface{ More() }\nfunc (*foo) Do() {}")}},
		{name: "package removed", before: []File{file("a.go", "func F() {}\nfunc G() {}")}, want: []string{"removed : package p -> "}},
		{name: "package not removed", before: []File{file("a.go", "func F() {}")}, unchanged: []File{file("hand.go", "func G() {}")},
			want: []string{"removed F: func() -> "}},
		{name: "package made", after: []File{file("a.go", "func F() {}")}},
		{name: "tests", before: []File{file("a.go", "func F() {}"), file("a_test.go", "func G() {}")}, after: []File{file("a.go", "func F() {}")}},
		{name: "builds", before: []File{file("a_linux.go", "func F() {}"), file("a_windows.go", "func F(int) {}")},
			after: []File{file("a_windows.go", "func F(int) {}"), file("a_linux.go", "func F() {}")}},
		{name: "one build", before: []File{file("a_linux.go", "func F() {}"), file("a_windows.go", "func F() {}")},
			after: []File{file("a_linux.go", "func F() {}"), file("a_windows.go", "func F(int) {}")},
			want:  []string{"changed F: func() -> func() or func(int)"}},
		{name: "explicit becomes promoted", before: []File{file("a.go", "type T struct{}\nfunc (*T) Do() {}\ntype I interface{ Do() }")},
			after: []File{file("a.go", "type T struct{ *B }\ntype B struct{}\nfunc (*B) Do() {}\ntype I interface{ J }\ntype J interface{ Do() }")}},
		{name: "embedded one is told once", before: []File{file("a.go", "type T struct{ *B }\ntype B struct{}\nfunc (*B) Do() {}\ntype I interface{ J }\ntype J interface{ Do() }")},
			after: []File{file("a.go", "type T struct{ *B }\ntype B struct{}\nfunc (*B) Do(int) {}\ntype I interface{ J }\ntype J interface{ Do(int) }")},
			want:  []string{"changed B.Do: method of pointers func() -> method of pointers func(int)", "changed J.Do: func() -> func(int)"}},
		{name: "does not parse", before: []File{file("a.go", "func F() {}\n<<<<<<< HEAD\nfunc G() {}")}, after: []File{file("a.go", "")},
			want: []string{"removed F: func() -> "}},
		{name: "circles", before: []File{file("a.go", "type T struct{ *T; U }\ntype U struct{ *T }\ntype I interface{ J }\ntype J interface{ I }\nconst X = Y\nconst Y = X\ntype R R")},
			after: []File{file("a.go", "type T struct{ *T; U }\ntype U struct{ *T }\ntype I interface{ J }\ntype J interface{ I }\nconst X = Y\nconst Y = X\ntype R R\ntype Z [X]Z")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			expect(t, Compare(test.before, test.after, Context{Unchanged: func() []File { return test.unchanged }}), test.want...)
		})
	}
}

func TestPlace(t *testing.T) {
	changes := Compare([]File{{"a.go", []byte("package p\n\nfunc F() {}\n")}}, []File{{"b.go", []byte("package p\n\n// F does.\nfunc F(int) {}\n")}}, Context{})
	if len(changes) != 1 || changes[0].File != "b.go" || changes[0].Line != 4 || changes[0].From != "a.go" {
		t.Errorf("got %+v", changes)
	}
}

func expect(t *testing.T, changes []Change, want ...string) {
	t.Helper()
	var got []string
	for _, c := range changes {
		got = append(got, fmt.Sprintf("%s %s: %s -> %s", c.Difference, c.Symbol, c.Was, c.Is))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// TestIgnored checks that files which a tag of the user's choice excludes from builds are not ignored.
func TestIgnored(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "//go:build ignore": true, "//go:build !ignore_autogenerated": false, "//go:build linux && !cgo": false,
		"//go:build ignore || !ignore": false, "//go:build ignore && linux": true, "//go:build !linux || ignore": false,
	} {
		const was = "\n\npackage p\n\nfunc F() {}\n"
		removed := Compare([]File{{Name: "a.go", Content: []byte(text + was)}}, nil, Context{})
		if got := len(removed) == 0; got != want {
			t.Errorf("%q: ignored %v, want %v", text, got, want)
		}
	}
}

// TestPartial checks that methods of types in other files are removed with the file that declares them.
func TestPartial(t *testing.T) {
	methods := []File{{Name: "zz.go", Content: []byte("package p\n\nfunc (t *T) DeepCopy() *T { return nil }\n")}}
	types := func() []File { return []File{{Name: "t.go", Content: []byte("package p\n\ntype T struct{}\n")}} }
	lost := Compare(methods, nil, Context{Unchanged: types})
	if len(lost) != 1 || lost[0].Symbol != "T.DeepCopy" || lost[0].Difference != Removed {
		t.Errorf("got %v", lost)
	}
	if lost := Compare(methods, methods, Context{Unchanged: types}); len(lost) > 0 {
		t.Errorf("got %v", lost)
	}
}
