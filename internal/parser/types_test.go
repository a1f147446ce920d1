package parser

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/model"
)

// readType reads the type T of package x/v1, and all types that it consists of.
func readType(t *testing.T, files map[string]string) (*typeReader, diag.List) {
	t.Helper()
	p := inMemory(Config{}, files)
	src := p.load(t.Context(), []string{"x.example.com/v1"})[0]
	r := &typeReader{
		parser: p, input: map[*source]*model.Package{src: {Path: src.path}}, types: map[string]*model.Type{},
		comments: map[*file]commentsByEnd{}, methods: map[*source]map[string]model.Methods{}, unseen: map[string]bool{},
	}
	r.readRoots([]model.TypeRef{{Path: "x.example.com/v1", Name: "T"}})
	r.finish()
	return r, p.List
}

// spelled formats a type in one line: a named type followed by "=" and its underlying type, a struct preceded by
// "struct", and an unknown type preceded by "?".
func spelled(t *model.Type) string {
	name := t.Name.Name
	if t.Name.Path != "" && t.Name.Path != "x.example.com/v1" {
		name = t.Name.Path + "." + name
	}
	for i, arg := range t.Args {
		name += []string{"[", ","}[min(i, 1)] + spelled(arg)
	}
	if len(t.Args) > 0 {
		name += "]"
	}
	switch t.Kind {
	case model.Slice:
		return "[]" + spelled(t.Elem)
	case model.Array:
		return "[" + t.Len + "]" + spelled(t.Elem)
	case model.Map:
		return "map[" + spelled(t.Key) + "]" + spelled(t.Elem)
	case model.Pointer:
		return "*" + spelled(t.Elem)
	case model.Interface:
		return strings.TrimSpace("interface " + name)
	case model.Func:
		return strings.TrimSpace("func " + name)
	case model.Named:
		return name + "=" + spelled(t.Elem)
	case model.Unknown:
		return "?" + name
	case model.Struct:
		if name != "" {
			return "struct " + name
		}
		return "struct{" + fieldList(t.Fields) + "}"
	}
	return name
}

// fieldList formats fields as `Name:json type`. "!" follows the name of an embedded field, "!!" one whose fields are
// inlined in JSON.
func fieldList(fields []*model.Field) string {
	var list []string
	for _, f := range fields {
		if !f.InJSON() {
			continue
		}
		name := f.Name
		if f.Embedded {
			name += "!"
		}
		if f.Inline() {
			name += "!"
		}
		list = append(list, name+":"+f.JSON()+" "+spelled(f.Type))
	}
	return strings.Join(list, "; ")
}

func TestReadTypes(t *testing.T) {
	others := map[string]string{
		"y.example.com/v1/types.go": "package v1\ntype Part struct { Size int `json:\"size\"` }\ntype Kind string\nconst Length = 3\ntype Gen[E any] struct { E E `json:\"e\"` }\ntype hidden struct{ A int `json:\"a\"` }\ntype Shown hidden\ntype Alias = Part\n",
		"z.example.com/z/z.go":      "package z\nimport y \"y.example.com/v1\"\ntype Far struct { Part y.Part `json:\"part\"` }\ntype Again = y.Part\n",
		"w.example.com/odd/w.go":    "package even\ntype Named struct { A int `json:\"a\"` }\n",
		"dot.example.com/dot.go":    "package dot\ntype Dotted struct { A int `json:\"a\"` }\n",
	}
	for _, test := range []struct {
		name, code string
		want       string // the fields of T
		others     string // the other structs that it consists of, in the order of discovery
	}{
		{"basic types", "type T struct { A string `json:\"a\"`; B, C int32 `json:\"b\"`; D byte `json:\"d\"`; E rune `json:\"e\"`; F error `json:\"f\"` }",
			"A:a string; B:b int32; C:b int32; D:d byte; E:e rune; F:f interface error", ""},
		{"tags", "type T struct { A int `json:\"a,omitempty\"`; B int `json:\"-\"`; C int `json:\"-,\"`; D int `json:\",omitempty\"`; E int; F int `yaml:\"f\"`; G int `json:\"\"`; h int `json:\"h\"` }",
			"A:a int; C:- int; D:D int; G:G int", ""},
		{"slices, maps, pointers", "type T struct { A [][]string `json:\"a\"`; B map[string][]*int `json:\"b\"`; C **int `json:\"c\"`; D (map[K](string)) `json:\"d\"` }\ntype K string",
			"A:a [][]string; B:b map[string][]*int; C:c **int; D:d map[K=string]string", ""},
		{"arrays", "import y \"y.example.com/v1\"\nconst n = m\nconst m = (0x2)\ntype T struct { A [2]int `json:\"a\"`; B [n]int `json:\"b\"`; C [y.Length]int `json:\"c\"`; D [1 + 1]int `json:\"d\"`; E [n]string `json:\"e\"` }",
			"A:a [2]int; B:b [0x2]int; C:c [3]int; E:e [0x2]string", ""},
		{"interfaces and functions", "type T struct { A any `json:\"a\"`; B interface{} `json:\"b\"`; C I `json:\"c\"`; D func() `json:\"d\"`; E chan int `json:\"e\"`; F F `json:\"f\"`; G interface{ M() } `json:\"g\"` }\ntype I interface { M() }\ntype F func()",
			"A:a interface; B:b interface; C:c ?I", ""},
		{"named types", "type T struct { A Names `json:\"a\"`; B Twice `json:\"b\"`; C Times `json:\"c\"` }\ntype Names []Name\ntype Name string\ntype Twice Names\ntype Times = Names",
			"A:a Names=[]Name=string; B:b Twice=Names=[]Name=string; C:c Names=[]Name=string", ""},
		{"shadowed types", "type T struct { A string `json:\"a\"`; B any `json:\"b\"` }\ntype string int\ntype any struct { C int `json:\"c\"` }",
			"A:a string=int; B:b struct any", "any{C:c int}"},
		{"structs", "type T struct { A U `json:\"a\"`; B *U `json:\"b\"`; C []V `json:\"c\"` }\ntype U struct { D int `json:\"d\"` }\ntype V U",
			"A:a struct U; B:b *struct U; C:c []struct V", "U{D:d int} V{D:d int}"},
		{"anonymous structs", "type T struct { A struct { B U `json:\"b\"`; C int } `json:\"a\"`; D struct{} `json:\"d\"`; E W `json:\"e\"` }\ntype U struct{ X int `json:\"x\"` }\ntype W []struct{ Y int `json:\"y\"` }",
			"A:a struct{B:b struct U}; D:d struct{}; E:e W=[]struct{Y:y int}", "U{X:x int}"},
		{"aliases", "import y \"y.example.com/v1\"\ntype T struct { A A `json:\"a\"`; B B `json:\"b\"`; C y.Alias `json:\"c\"` }\ntype A = B\ntype B = *U\ntype U struct { D int `json:\"d\"` }",
			"A:a *struct U; B:b *struct U; C:c struct y.example.com/v1.Part", "U{D:d int} Part{Size:size int}"},
		{"embedded", "type T struct { U; *V `json:\",inline\"`; W `json:\"w\"`; N; M `json:\"m\"`; x }\ntype U struct { A int `json:\"a\"` }\ntype V struct { B int `json:\"b\"` }\ntype W struct { C int `json:\"c\"` }\ntype N string\ntype M map[string]int\ntype x struct { D int `json:\"d\"` }",
			"U!!: struct U; V!!: *struct V; W!:w struct W; M!:m M=map[string]int; x!!: struct x", "U{A:a int} V{B:b int} W{C:c int} x{D:d int}"},
		{"embedded with a tag but no name", "type T struct { N `json:\",omitempty\"`; U `json:\",omitempty\"` }\ntype N string\ntype U struct { A int `json:\"a\"` }",
			"N!:N N=string; U!!: struct U", "U{A:a int}"},
		{"embedded and own of a name", "type T struct { U `json:\",inline\"`; A string `json:\"a\"` }\ntype U struct { A int `json:\"a\"` }",
			"U!!: struct U; A:a string", "U{A:a int}"},
		{"embedding itself", "type T struct { *T `json:\",inline\"`; A int `json:\"a\"` }", "T!!: *struct T; A:a int", ""},
		{"recursive", "type T struct { A []T `json:\"a\"`; B map[string]*U `json:\"b\"`; C Tree `json:\"c\"` }\ntype U struct { T *T `json:\"t\"` }\ntype Tree map[string][]Tree2\ntype Tree2 struct { Tree Tree `json:\"tree\"` }",
			"A:a []struct T; B:b map[string]*struct U; C:c Tree=map[string][]struct Tree2", "U{T:t *struct T} Tree2{Tree:tree Tree=map[string][]struct Tree2}"},
		{"generic", "type T struct { A G[int, *U] `json:\"a\"`; B G[string, U] `json:\"b\"`; C L[U] `json:\"c\"`; D P[U] `json:\"d\"`; E G[int, *U] `json:\"e\"` }\ntype G[K comparable, V any] struct { X map[K]V `json:\"x\"`; Y []G2[V] `json:\"y\"` }\ntype G2[T any] struct { Z T `json:\"z\"` }\ntype L[E any] []E\ntype P[E any] = *E\ntype U struct { D int `json:\"d\"` }",
			"A:a struct G[int,*struct U]; B:b struct G[string,struct U]; C:c L[struct U]=[]struct U; D:d *struct U; E:e struct G[int,*struct U]",
			"U{D:d int} G{X:x map[int]*struct U; Y:y []struct G2[*struct U]} G{X:x map[string]struct U; Y:y []struct G2[struct U]} G2{Z:z *struct U} G2{Z:z struct U}"},
		{"embedded generic", "type T struct { G[string] `json:\",inline\"`; *H[int, U] `json:\"h\"` }\ntype G[E any] struct { E E `json:\"e\"` }\ntype H[A, B any] struct { A A `json:\"a\"`; B B `json:\"b\"` }\ntype U struct { D int `json:\"d\"` }",
			"G!!: struct G[string]; H!:h *struct H[int,struct U]", "G{E:e string} U{D:d int} H{A:a int; B:b struct U}"},
		{"of other packages", "import (y \"y.example.com/v1\"; \"z.example.com/z\")\ntype T struct { A y.Part `json:\"a\"`; B []y.Kind `json:\"b\"`; C z.Far `json:\"c\"`; D y.Gen[U] `json:\"d\"`; E y.Shown `json:\"e\"`; y.Part `json:\",inline\"`; F z.Again `json:\"f\"` }\ntype U struct { D int `json:\"d\"` }",
			"A:a struct y.example.com/v1.Part; B:b []y.example.com/v1.Kind=string; C:c struct z.example.com/z.Far; D:d struct y.example.com/v1.Gen[struct U]; E:e struct y.example.com/v1.Shown; Part!!: struct y.example.com/v1.Part; F:f struct y.example.com/v1.Part",
			"Part{Size:size int} Far{Part:part struct y.example.com/v1.Part} U{D:d int} Gen{E:e struct U} hidden{A:a int} Shown{A:a int}"},
		{"of the standard library", "import (\"encoding/json\"; \"time\")\ntype T struct { A time.Duration `json:\"a\"`; B json.RawMessage `json:\"b\"`; C Timeout `json:\"c\"` }\ntype Timeout time.Duration",
			"A:a ?time.Duration; B:b ?encoding/json.RawMessage; C:c ?Timeout", ""},
		{"dot import", "import . \"dot.example.com\"\ntype T struct { A Dotted `json:\"a\"` }", "A:a struct dot.example.com.Dotted", "Dotted{A:a int}"},
		{"package called otherwise than its folder", "import \"w.example.com/odd\"\ntype T struct { A even.Named `json:\"a\"` }", "A:a struct w.example.com/odd.Named", "Named{A:a int}"},
		{"unknown", "import \"gone.example.com/gone\"\ntype T struct { A Missing `json:\"a\"`; B gone.Type `json:\"b\"`; C []nowhere.Type `json:\"c\"`; D int `json:\"d\"` }", "D:d int", ""},
		{"instances without end", "type T struct { A G[int] `json:\"a\"` }\ntype G[E any] struct { B int `json:\"b\"` }\ntype H[E any] struct { H *H[[]E] `json:\"h\"` }", "A:a struct G[int]", "G{B:b int}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{"x.example.com/v1/types.go": "package v1\n" + test.code + "\n"}
			for name, text := range others {
				files[name] = text
			}
			r, _ := readType(t, files)
			if len(r.structs) == 0 || r.structs[0].Name != "T" {
				t.Fatalf("read %d structs", len(r.structs))
			}
			if got := fieldList(r.structs[0].JSONFields()); got != test.want {
				t.Errorf("T is\n%s\nwant\n%s", got, test.want)
			}
			var rest []string
			for _, s := range r.structs[1:] {
				rest = append(rest, s.Name+"{"+fieldList(s.JSONFields())+"}")
			}
			if got := strings.Join(rest, " "); got != test.others {
				t.Errorf("leads to\n%s\nwant\n%s", got, test.others)
			}
		})
	}
}

// TestReadAllFields checks all properties of all fields, and that the types of fields outside JSON are not followed.
func TestReadAllFields(t *testing.T) {
	r, diags := readType(t, map[string]string{"x.example.com/v1/types.go": `package v1

import "gone.example.com/gone"

type T struct {
	// A is seen.
	// +listType=set
	A []string ` + "`json:\"a,omitempty\" protobuf:\"bytes,1\"`" + `
	b, C U ` + "`yaml:\"b\"`" + `
	gone.D
	// E is not seen.
	// +optional
	E map[string]*gone.Type ` + "`json:\"-\"`" + `
	*u
}

type U struct{ F int ` + "`json:\"f\"`" + ` }

type u U
`})
	var got []string
	for _, f := range r.structs[0].Fields {
		text := fmt.Sprintf("%s %s `%s` %q %v", f.Name, spelled(f.Type), f.Tag, f.Doc, f.Markers)
		if f.Embedded {
			text = "embedded " + text
		}
		if f.InJSON() {
			text += " in JSON"
		}
		got = append(got, text)
	}
	want := []string{
		"A []string `json:\"a,omitempty\" protobuf:\"bytes,1\"` [\"A is seen.\"] [{listType set}] in JSON",
		"b struct U `yaml:\"b\"` [] []",
		"C struct U `yaml:\"b\"` [] []",
		"embedded D ?gone.example.com/gone.D `` [] []",
		"E map[string]*?gone.example.com/gone.Type `json:\"-\"` [\"E is not seen.\"] [{optional }]",
		"embedded u *struct u `` [] [] in JSON",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, s := range r.structs {
		if s.Name == "U" && len(s.Fields) == 0 || s.Name != "T" && s.Name != "U" && s.Name != "u" {
			t.Errorf("leads to %s with %d fields", s.Name, len(s.Fields))
		}
	}
	if len(diags) > 0 {
		t.Error(diags)
	}
}
