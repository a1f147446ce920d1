package gotypes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/loadtest"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// inScope is what the expressions of TestExpressions may name.
var inScope = map[string]string{
	"x.example.com/v1/types.go": `package v1

import (
	"time"

	. "dot.example.com/dot"
	"gone.example.com/gone"
	renamed "other.example.com/other"
	"own.example.com/go-own"
)

const two, sum = 0x2, 1 + 1

type (
	Struct        struct{ F int ` + "`json:\"f\"`" + ` }
	Text          string
	Alias       = *Struct
	OfAlias       Alias
	List[T any]   []T
	Pair[K comparable, V any] map[K]List[V]
	Holder[T any] struct{ Value T ` + "`json:\"value\"`" + ` }
	Self          *Self
	int32         string
)

`,
	"dot.example.com/dot/dot.go":     "package dot\ntype Dotted struct{}\ntype Struct struct{}\n",
	"other.example.com/other/o.go":   "package other\nimport \"own.example.com/go-own\"\nconst Size = 3\ntype Alias = []own.Own\n",
	"own.example.com/go-own/own.go":  "package own\ntype Own map[string]int\n",
	"gone.example.com/gone/gone.txt": "",
}

// written formats an expression: a declared type with its path, followed by "!" if the name is qualified, and a type
// parameter after "$".
func written(e *Expr) string {
	text := e.Name.Name
	if e.Name.Path != "" {
		text = e.Name.Path + "." + text
	}
	if e.Qualified {
		text += "!"
	}
	for i, arg := range e.Args {
		text += []string{"[", ","}[min(i, 1)] + written(arg)
	}
	switch e.Form {
	case InstanceForm:
		return text + "]"
	case ParamForm:
		return "$" + text
	case PointerForm:
		return "*" + written(e.Elem)
	case SliceForm:
		return "[]" + written(e.Elem)
	case ArrayForm:
		return "[n]" + written(e.Elem)
	case MapForm:
		return "map[" + written(e.Key) + "]" + written(e.Elem)
	case StructForm:
		return "struct"
	case InterfaceForm:
		return "interface"
	case FuncForm:
		return "func"
	case OtherForm:
		return "?"
	}
	return text
}

// TestExpressions checks the form of type expressions, and the types that they denote, formatted as of written and
// spelled. An outline denotes types of other packages only by their names.
func TestExpressions(t *testing.T) {
	const own, dot, other = "x.example.com/v1.", "dot.example.com/dot.", "other.example.com/other."
	for _, test := range []struct{ expr, form, typ, outlined string }{
		{"string", "string", "string", ""},
		{"int32", own + "int32", "int32=string", ""}, // the declaration hides the predeclared type
		{"any", "any", "interface", ""},
		{"error", "error", "interface error", ""},
		{"interface{ error }", "interface", "?", ""},
		{"func() string", "func", "func", ""},
		{"<-chan string", "func", "func", ""},
		{"(*(Struct))", "*" + own + "Struct", "*struct Struct", ""},
		{"[]byte", "[]byte", "[]byte", ""},
		{"[4]bool", "[n]bool", "[4]bool", ""},
		{"[two]bool", "[n]bool", "[2]bool", ""},
		{"[sum]bool", "[n]bool", "[2]bool", ""},
		{"[renamed.Size]bool", "[n]bool", "[3]bool", "?"},
		{"map[Text]*Struct", "map[" + own + "Text]*" + own + "Struct", "map[Text=string]*struct Struct", ""},
		{"struct{ A, B Text `json:\"a\"`; Struct }", "struct", "struct{A:a Text=string; B:a Text=string; Struct!!: struct Struct}", ""},
		{"Struct", own + "Struct", "struct Struct", ""}, // the declaration hides the dot import
		{"Dotted", dot + "Dotted", "struct " + dot + "Dotted", ""},
		{"Alias", own + "Alias", "*struct Struct", ""},
		{"OfAlias", own + "OfAlias", "OfAlias=*struct Struct", ""},
		{"List[Alias]", own + "List[" + own + "Alias]", "List[*struct Struct]=[]*struct Struct", ""},
		{"Pair[Text, bool]", own + "Pair[" + own + "Text,bool]", "Pair[Text=string,bool]=map[Text=string]List[bool]=[]bool", ""},
		{"Holder[Holder[int]]", own + "Holder[" + own + "Holder[int]]", "struct Holder[struct Holder[int]]", ""},
		{"bool[int]", "?", "?", ""},
		{"renamed.Alias", other + "Alias!", "[]own.example.com/go-own.Own=map[string]int", "?" + other + "Alias"},
		{"own.Own", "own.example.com/go-own.Own!", "own.example.com/go-own.Own=map[string]int", "?own.example.com/go-own.Own"},
		{"other.Alias", "Alias!", "?Alias", ""}, // no import has this name
		{"time.Time", "time.Time!", "?time.Time", ""},
		{"gone.Type", "gone.example.com/gone.Type!", "?gone.example.com/gone.Type", ""},
		{"Missing", own + "Missing", "?Missing", ""},
		{"two", own + "two", "?two", ""}, // not a type
	} {
		t.Run(test.expr, func(t *testing.T) {
			r, src := readScope(t, "type T struct { F "+test.expr+" `json:\"f\"` }")
			d, _ := r.Lookup(src, "T")
			if got := written(r.Declared(src, "T").Fields[0].Type); got != test.form {
				t.Errorf("the form is %s, want %s", got, test.form)
			}
			if got := spelled(r.StructFields(r.Named(src, d, nil))[0].Type); got != test.typ {
				t.Errorf("the type is %s, want %s", got, test.typ)
			}
			if test.outlined == "" {
				test.outlined = test.typ
			}
			r, src = readScope(t, "type T struct { F "+test.expr+" `json:\"f\"` }")
			outline := r.Outline()
			if got := spelled(outline.StructFields(outline.Named(src, src.Decls["T"], nil))[0].Type); got != test.outlined {
				t.Errorf("in an outline, the type is %s, want %s", got, test.outlined)
			}
		})
	}
}

// readScope returns a reader, and the package of inScope with another declaration.
func readScope(t *testing.T, declaration string) (*Reader, *load.Package) {
	files := map[string]string{}
	for name, text := range inScope {
		files[name] = text
	}
	files["x.example.com/v1/types.go"] += declaration + "\n"
	l := loadtest.Read(t, files, "x.example.com/v1")
	return NewReader(l, model.Policy{}), l.Input[0]
}

// TestParameters checks the forms of type parameters, and their types with and without type arguments.
func TestParameters(t *testing.T) {
	for _, test := range []struct{ params, expr, form, plain, typ string }{
		{"[A any]", "A", "$A", "?A", "*struct Struct"},
		{"[A any]", "[]A", "[]$A", "[]?A", "[]*struct Struct"},
		{"[K comparable, A any]", "map[K]A", "map[$K]$A", "map[?K]?A", "map[*struct Struct]?A"},
		{"[K, A any]", "Pair[A, K]", "x.example.com/v1.Pair[$A,$K]", "Pair[?A,?K]=map[?A]List[?K]=[]?K",
			"Pair[?A,*struct Struct]=map[?A]List[*struct Struct]=[]*struct Struct"},
		{"[Text any]", "Text", "$Text", "?Text", "*struct Struct"}, // it hides the declaration
		{"[string any]", "*string", "*$string", "*?string", "**struct Struct"},
	} {
		t.Run(test.params+" "+test.expr, func(t *testing.T) {
			r, src := readScope(t, "type T"+test.params+" struct { F "+test.expr+" `json:\"f\"` }")
			d, _ := r.Lookup(src, "T")
			if got := written(r.Declared(src, "T").Fields[0].Type); got != test.form {
				t.Errorf("the form is %s, want %s", got, test.form)
			}
			alias, _ := r.Lookup(src, "Alias")
			args := []*model.Type{r.Named(src, alias, nil)}
			if got := spelled(r.StructFields(r.Named(src, d, args))[0].Type); got != test.typ {
				t.Errorf("the type is %s, want %s", got, test.typ)
			}
			if got := spelled(r.StructFields(r.Named(src, d, nil))[0].Type); got != test.plain {
				t.Errorf("without arguments, the type is %s, want %s", got, test.plain)
			}
		})
	}
}

// TestRefused checks which declared types are refused, as infinite or too large, with the line of the error.
func TestRefused(t *testing.T) {
	deep := strings.Repeat("[]", maxDepth) + "int"
	var doubled strings.Builder
	for i := range 12 {
		fmt.Fprintf(&doubled, "type A%d = map[A%d]A%d\n", i, i+1, i+1)
	}
	for _, test := range []struct{ code, want string }{
		{"type T struct { F *T }", ""},
		{"type T struct { F []T; G map[string]T }", ""},
		{"type T struct { F T }", "1: the type T contains itself by value"},
		{"type T struct { T }", "1: the type T contains itself by value"},
		{"type T struct { F [2]U }\ntype U struct { T }", "1: the type T contains itself by value"},
		{"type T struct { F struct { G T `json:\"g\"` } }", "1: the type T contains itself by value"},
		{"type T struct { F A }\ntype A = *A", "2: the alias A refers to itself"},
		{"type T struct { F A }\ntype A = []B\ntype B = A", "2: the alias A refers to itself"},
		{"type T struct { F G[int] }\ntype G[E any] struct { N *G[E] }", ""},
		{"type T struct { F G[int] }\ntype G[E any] struct { N *G[[]E] }", "2: the generic type G instantiates itself endlessly"},
		{"type T struct { F A0 }\n" + doubled.String() + "type A12 = int", "5: the alias A3 stands for more than 1000 types"},
		{"type T struct { F " + deep + " }", "1: this type is within more than 200 others that have no names"},
	} {
		t.Run(test.code[:min(len(test.code), 60)], func(t *testing.T) {
			l := loadtest.Read(t, map[string]string{"x.example.com/v1/types.go": "package v1; " + test.code + "\n"}, "x.example.com/v1")
			r := NewReader(l, model.Policy{InputPolicy: model.InputPolicy{AllFields: true}})
			r.Structs(model.TypeRef{Path: "x.example.com/v1", Name: "T"})
			var got []string
			for _, d := range r.Refused() {
				got = append(got, fmt.Sprintf("%d: %s", d.Pos.Line, d.Message))
			}
			if text := strings.Join(got, "\n"); text != test.want {
				t.Errorf("got %q, want %q", text, test.want)
			}
		})
	}
}
