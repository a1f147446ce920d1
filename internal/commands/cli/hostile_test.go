package cli

import (
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestHostileTypes generates everything for types that are built to be expensive, at three sizes. When there are
// twice as many types, twice as much is allocated and generated, not four times as much, as if it were proportional
// to the square. Errors have a place and are short, and what comes without errors compiles.
//
//	go test ./internal/commands/cli -run 'TestHostileTypes/diamonds'
func TestHostileTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it generates much for many types")
	}
	levels := []int{50, 100, 200}
	l := newLab(t)
	l.measure(t, hostile{name: "first", types: structs("N *T$+ `json:\"n\"`")}, 10) // which lists and parses what all refer to
	for _, h := range hostiles() {
		t.Run(h.name, func(t *testing.T) {
			l.measure(t, h, compiledLevels)
			var allocated, generated [3]int
			for i, n := range levels {
				allocated[i], generated[i] = l.measure(t, h, n)
			}
			check := func(what string, of [3]int, slack int) {
				if of[1] > 3*of[0]+slack || of[2] > 3*of[1]+slack {
					t.Errorf("for %d levels %d KB are %s, for %d levels %d KB, and for %d levels %d KB",
						levels[0], of[0]>>10, what, levels[1], of[1]>>10, levels[2], of[2]>>10)
				}
			}
			check("allocated", allocated, 4<<20)
			check("generated", generated, 64<<10)
		})
	}
}

// compiledLevels is the number of levels for which what is generated is compiled. For more, the compiler itself takes
// exponential time for some of the types: with 8 levels of constraints, more than ten minutes.
const compiledLevels = 4

// measure generates everything for n levels, and returns how many bytes were allocated and generated.
func (l *lab) measure(t *testing.T, h hostile, n int) (allocated, generated int) {
	t.Helper()
	text := h.text(n)
	const name = "apis/stable/v1/types.go"
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, name), []byte(text))
	sources := map[string][]byte{labModule + "/" + name: []byte(text)}
	valid := n == compiledLevels && checkTypes(sources) == nil
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	diags, err := l.generate(dir, sources)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if err := checkMessages(diags, regexp.MustCompile("")); err != nil {
		t.Error(err)
	}
	for _, d := range diags {
		if len(d.Message)+len(d.Hint) > 500 {
			t.Errorf("a message has %d bytes: %s (%s)", len(d.Message)+len(d.Hint), d.Message, d.Hint)
		}
	}
	if valid && !diags.HasErrors() {
		if err := checkTypes(sources); err != nil {
			t.Errorf("%d levels: %v", n, err)
		}
	}
	for _, text := range sources {
		generated += len(text)
	}
	return int(after.TotalAlloc - before.TotalAlloc), generated - len(text)
}

// hostile is an API with types that are built to be expensive.
type hostile struct {
	name  string
	spec  string // type of the kind's spec; "" for T0
	types func(n int) string
}

// text returns the API with n levels.
func (h hostile) text(n int) string {
	spec := h.spec
	if spec == "" {
		spec = "T0"
	}
	return fmt.Sprintf(`// +groupName=stable.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +genclient
type Foo struct {
	metav1.TypeMeta   %[1]s
	metav1.ObjectMeta %[2]s
	Spec %[3]s %[4]s
}

type FooList struct {
	metav1.TypeMeta %[1]s
	metav1.ListMeta %[2]s
	Items []Foo %[5]s
}

`, "`json:\",inline\"`", "`json:\"metadata\"`", spec, "`json:\"spec\"`", "`json:\"items\"`") + h.types(n)
}

// chain declares types for n levels, and what comes after them. In both, $ is the number of the level, and $+ the
// next one.
func chain(level, last string) func(n int) string {
	return func(n int) string {
		var b strings.Builder
		for i := range n + 1 {
			text := level
			if i == n {
				text = last
			}
			b.WriteString(strings.NewReplacer("$+", fmt.Sprint(i+1), "$", fmt.Sprint(i)).Replace(text) + "\n\n")
		}
		return b.String()
	}
}

const (
	leaf    = "type T$ struct {\n\tLeaf string `json:\"leaf\"`\n}"
	indexed = "type T$ struct {\n\t// +kubegen:index\n\tLeaf string `json:\"leaf\"`\n}"
	generic = "type T$[X ~string] struct {\n\tLeaf X `json:\"leaf\"`\n}"
	pair    = "type Pair[A, B any] struct {\n\tA A `json:\"a\"`\n\tB B `json:\"b\"`\n}\n\n"
)

// structs is a chain of structs with the given fields.
func structs(fields ...string) func(n int) string {
	return chain("type T$ struct {\n\t"+strings.Join(fields, "\n\t")+"\n}", leaf)
}

// unexported makes the types of a chain unexported.
func unexported(field string, types func(n int) string) func(n int) string {
	return func(n int) string {
		return "type T0 struct {\n\t" + field + "\n}\n\n" + strings.NewReplacer("T", "h", "A", "a", "B", "b").Replace(types(n))
	}
}

// repeated returns a struct with a field of type string within n of the same type.
func repeated(before, after string) func(n int) string {
	return func(n int) string {
		return "type T0 struct {\n\tL " + strings.Repeat(before, n) + "string" + strings.Repeat(after, n) + " `json:\"l\"`\n}\n"
	}
}

func hostiles() (all []hostile) {
	add := func(name string, types func(n int) string) { all = append(all, hostile{name: name, types: types}) }
	addWith := func(spec, name string, types func(n int) string) { all = append(all, hostile{name, spec, types}) }
	for _, wrap := range []struct{ name, typ string }{
		{"values", "%s"}, {"pointers", "*%s"}, {"arrays", "[2]%s"}, {"maps of slices of pointers", "map[string][]*%s"},
		{"slices of literals", "[]struct {\n\tIn *%s `json:\"in\"`\n}"},
	} {
		next := fmt.Sprintf(wrap.typ, "T$+")
		twice := []string{"N " + next + " `json:\"n\"`", "M " + next + " `json:\"m\"`"}
		both := strings.Join(twice, "\n\t")
		add(wrap.name, structs(twice[0], "S$ string `json:\"s$\"`"))
		add(wrap.name+" twice", structs(twice...))
		add(wrap.name+" twice, indexed", chain("type T$ struct {\n\t"+both+"\n}", indexed))
		add(wrap.name+" within each other, indexed", chain("type T$ struct {\n\t"+twice[0]+"\n}", indexed))
		add(wrap.name+", hidden", unexported("Of h0 `json:\"of\"`", structs(twice...)))
		add(wrap.name+", declared", chain("type T$ "+next, leaf))
		add("aliases of "+wrap.name, chain("type T$ = "+next, "type T$ = struct {\n\t// +kubegen:index\n\tLeaf string `json:\"leaf\"`\n}"))
		add("aliases of literals of "+wrap.name, chain("type T$ = struct {\n\t"+both+"\n}", "type T$ = struct {\n\t// +kubegen:index\n\tLeaf string `json:\"leaf\"`\n}"))
		add("pairs of "+wrap.name, func(n int) string {
			return "// +k8s:deepcopy-gen=false\n" + pair + chain("type T$ struct {\n\tP Pair["+next+", "+next+"] `json:\"p\"`\n}", leaf)(n)
		})
		add("aliases of pairs of "+wrap.name, func(n int) string { return pair + chain("type T$ = Pair["+next+", "+next+"]", leaf)(n) })
		addWith("T0[Text]", "generic "+wrap.name, func(n int) string {
			return "type Text string\n\n" + chain("type T$[X ~string] struct {\n\t"+strings.ReplaceAll(both, "T$+", "T$+[X]")+"\n}", generic)(n)
		})
		grown := "T$+[" + fmt.Sprintf(wrap.typ, "X") + "]"
		addWith("T0[string]", "generic growing "+wrap.name, chain("type T$[X any] struct {\n\tN "+grown+" `json:\"n\"`\n\tM T$+[X] `json:\"m\"`\n}", generic))
		add("boxes of "+wrap.name, func(n int) string {
			return "type Box[X any] struct {\n\tX X `json:\"x\"`\n}\n\n" + repeated(strings.ReplaceAll(next, "T$+", "Box["), "]")(n)
		})
	}
	const name = "S$ string `json:\"s$\"`"
	add("embedded", structs("T$+ `json:\",inline\"`", name))
	add("embedded without fields", structs("T$+ `json:\",inline\"`"))
	add("embedded pointers", structs("*T$+ `json:\",inline\"`", name))
	add("embedded with a name", structs("T$+ `json:\"n\"`", name))
	add("embedded and used", structs("T$+ `json:\",inline\"`", "N T$+ `json:\"n\"`"))
	add("embedded and used by pointers", structs("*T$+ `json:\",inline\"`", "N *T$+ `json:\"n$\"`"))
	add("embedded, hidden", unexported("h0 `json:\",inline\"`", structs("T$+ `json:\",inline\"`", name)))
	add("embedded aliases", chain("type A$ = T$\n\ntype T$ struct {\n\tA$+ `json:\",inline\"`\n\tS$ string `json:\"s$\"`\n}", leaf+"\n\ntype A$ = T$"))
	diamonds := func(embedded string) func(n int) string {
		return chain("type T$ struct {\n\tA$ `json:\",inline\"`\n\tB$ `json:\",inline\"`\n}\n\ntype A$ struct {\n\t"+embedded+" `json:\",inline\"`\n\tX$ string `json:\"x$\"`\n}\n\ntype B$ struct {\n\t"+
			embedded+" `json:\",inline\"`\n\tY$ string `json:\"y$\"`\n}", leaf)
	}
	add("diamonds", diamonds("T$+"))
	add("diamonds of pointers", diamonds("*T$+"))
	add("diamonds, hidden", unexported("V map[string][]h0 `json:\"v\"`", diamonds("T$+")))
	add("diamonds, hidden and embedded", unexported("h0 `json:\",inline\"`", diamonds("T$+")))
	add("literals within literals", repeated("struct {\nL ", " `json:\"l\"`\n}"))
	add("pointers to pointers", repeated("*", ""))
	add("slices of slices", repeated("[]", ""))
	add("maps of maps", repeated("map[string]", ""))
	add("parentheses", repeated("(", ")"))
	add("wide", func(n int) string {
		return "type T0 struct {\n" + chain("\tF$ []string `json:\"f$\"`", "\tG *string `json:\"g\"`")(40*n) + "}\n"
	})
	add("wide embedding", func(n int) string {
		return "type T0 struct {\n" + chain("\tE$ `json:\",inline\"`", "\tE$ `json:\",inline\"`")(n) + "}\n\n" + chain("type E$ struct {\n\tF$ string `json:\"f$\"`\n}", "type E$ struct{}")(n)
	})
	add("wide embedding of one", func(n int) string {
		return "type One struct {\n\tF string `json:\"f\"`\n}\n\ntype T0 struct {\n" + chain("\tE$ `json:\",inline\"`", "\tE$ `json:\",inline\"`")(n) + "}\n\n" +
			chain("type E$ struct {\n\tOne `json:\",inline\"`\n}", "type E$ struct{}")(n)
	})
	add("circle", chain("type T$ struct {\n\tN *T$+ `json:\"n\"`\n\tM []T$+ `json:\"m\"`\n}", "type T$ struct {\n\tN *T0 `json:\"n\"`\n}"))
	add("circles", structs("N *T$+ `json:\"n\"`", "M []T0 `json:\"m\"`", "K map[string]T$ `json:\"k\"`"))
	add("circles, hidden", unexported("V map[string][]h0 `json:\"v\"`", structs("N *T$+ `json:\"n\"`", "M []T0 `json:\"m\"`", "K map[string]T$ `json:\"k\"`")))
	add("circle by value", chain("type T$ struct {\n\tN T$+ `json:\"n\"`\n\tM T$+ `json:\"m\"`\n}", "type T$ struct {\n\tN T0 `json:\"n\"`\n}"))
	add("circles by value", structs("N T$+ `json:\"n\"`", "M T0 `json:\"m\"`"))
	add("circle of aliases", chain("type T$ = T$+", "type T$ = T0"))
	add("circles of aliases of literals", chain("type T$ = struct {\n\tN *T$+ `json:\"n\"`\n\tM *T0 `json:\"m\"`\n}", "type T$ = string"))
	add("circle of declarations", chain("type T$ T$+", "type T$ T0"))
	add("circle of slices", chain("type T$ []T$+", "type T$ []T0"))
	add("alias of itself as type argument", func(int) string {
		return "type A = []A\n\ntype Box[X any] struct {\n\tX X `json:\"x\"`\n}\n\ntype T0 struct {\n\tB Box[A] `json:\"b\"`\n}\n"
	})
	addWith("T0[string]", "generic forms", chain("type T$[X any] struct {\n\tN *T$+[[]X] `json:\"n\"`\n\tM *T$+[map[string]X] `json:\"m\"`\n}", generic))
	addWith("T0[string]", "generic circle", chain("type T$[X any] struct {\n\tN *T$+[[]X] `json:\"n\"`\n}", "type T$[X any] struct {\n\tLeaf *T0[*X] `json:\"leaf\"`\n}"))
	add("pairs of themselves", func(int) string {
		return "type Pair[A, B any] struct {\n\tN *Pair[Pair[A, B], Pair[B, A]] `json:\"n\"`\n}\n\ntype T0 struct {\n\tP Pair[string, int] `json:\"p\"`\n}\n"
	})
	add("literals of themselves", func(int) string {
		return "type G[A any] struct {\n\tN *G[struct {\n\tA A `json:\"a\"`\n\tB A `json:\"b\"`\n}] `json:\"n\"`\n}\n\ntype T0 struct {\n\tP G[string] `json:\"p\"`\n}\n"
	})
	add("permutations", func(int) string {
		return "type G[A, B, C, D, E, F, G, H any] struct {\n\tX *G[B, A, C, D, E, F, G, H] `json:\"x\"`\n\tY *G[B, C, D, E, F, G, H, A] `json:\"y\"`\n}\n\n" +
			"type T0 struct {\n\tG G[int8, int16, int32, int64, string, bool, uint8, uint16] `json:\"g\"`\n}\n"
	})
	add("interfaces", func(n int) string {
		return "type T0 struct {\n\tI I0 `json:\"i\"`\n}\n\n" + chain("type I$ interface {\n\tI$+\n\tDeepCopyI$() I$\n}", "type I$ interface{ DeepCopyI$() I$ }")(n)
	})
	add("constraints", func(n int) string {
		return "type G[X I0] struct {\n\tX X `json:\"x\"`\n}\n\ntype T0 struct {\n\tG G[string] `json:\"g\"`\n}\n\n" +
			chain("type I$ interface{ "+strings.Repeat("I$+; ", 30)+"}", "type I$ interface{ ~string }")(n)
	})
	add("constants", func(n int) string {
		return "type T0 struct {\n\tA [C0]string `json:\"a\"`\n}\n\n" + chain("const C$ = C$+", "const C$ = 2")(n)
	})
	add("markers", func(n int) string {
		return "type T0 struct {\n" + strings.Repeat("\t// +listMapKey=a\n", n) + "\t// +listType=map\n\tA []E `json:\"a\"`\n}\n\ntype E struct {\n\tA string `json:\"a\"`\n}\n"
	})
	return all
}
