package goschema

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/loadtest"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// tag matches 'name' in the code of tests, which stands for a JSON tag.
var tag = regexp.MustCompile(`'([^']*)'`)

// readerOf returns a reader of schemas, a package with the given code from its second line on, and the package foreign,
// which users cannot edit.
func readerOf(t *testing.T, code string) (r *Reader, own, foreign *load.Package) {
	t.Helper()
	files := map[string]string{
		"own.example.com/own/types.go": "package own; import \"foreign.example.com/foreign\"\n" + code,
		"foreign.example.com/foreign/f.go": `package foreign
type Good struct { A string 'a' }
type Bad struct { Untagged string }
type Around struct { B Bad 'b' }
`,
	}
	for name, text := range files {
		files[name] = tag.ReplaceAllString(text, "`json:\"$1\"`")
	}
	l := loadtest.Read(t, files, "own.example.com/own")
	l.Preload("foreign.example.com/foreign")
	foreign = l.Known["foreign.example.com/foreign"]
	foreign.Foreign = true
	return NewReader(NewMarkers(gotypes.NewReader(l, model.Policy{}), nil), Options{}), l.Input[0], foreign
}

// said formats diagnostics with their lines in the code.
func said(diags diag.List) (lines []string) {
	for _, d := range diags {
		lines = append(lines, fmt.Sprintf("%d: %s", d.Pos.Line-1, d.Message))
	}
	return lines
}

// TestSchema checks the schema of the type T in JSON, or the mistakes in it.
func TestSchema(t *testing.T) {
	for _, test := range []struct{ name, code, want string }{
		{"predeclared", "type T string", `{"type":"string"}`},
		{"bytes", "type T []byte", `{"format":"byte","type":"string"}`},
		{"map", "type T map[string]*int64", `{"additionalProperties":{"format":"int64","type":"integer"},"type":"object"}`},
		{"required", "type T struct { F int32 'f' }",
			`{"properties":{"f":{"format":"int32","type":"integer"}},"required":["f"],"type":"object"}`},
		{"optional", "type T struct { F bool 'f,omitempty'; G bool '-' }", `{"properties":{"f":{"type":"boolean"}},"type":"object"}`},
		{"embedded without a tag", "type T struct { E }\ntype E struct { F bool 'f' }", "1: field E of T has no JSON tag"},
		{"embedded", "type T struct { E ',inline' }\ntype E struct { F bool 'f' }",
			`{"properties":{"f":{"type":"boolean"}},"required":["f"],"type":"object"}`},
		{"embedded with a name", "type T struct { E 'e' }\ntype E []bool",
			`{"properties":{"e":{"items":{"type":"boolean"},"type":"array"}},"required":["e"],"type":"object"}`},
		{"quoted", "type T struct { F *int32 'f,omitempty,string' }", `{"properties":{"f":{"type":"string"}},"type":"object"}`},
		{"marker of a type", "// +kubebuilder:validation:MinLength=1\ntype T U\n// +kubebuilder:validation:MaxLength=3\ntype U string",
			`{"maxLength":3,"minLength":1,"type":"string"}`},
		{"marker of an alias", "type T struct { F A 'f,omitempty' }\n// +kubebuilder:validation:MaxLength=3\ntype A = U\ntype U string",
			`{"properties":{"f":{"type":"string"}},"type":"object"}`},
		{"MarshalText", "type T struct{ m map[string]int }\nfunc (T) MarshalText() ([]byte, error)", `{"type":"string"}`},
		{"MarshalJSON", "type T struct { F bool 'f,omitempty' }\nfunc (T) MarshalJSON() ([]byte, error)",
			`{"properties":{"f":{"type":"boolean"}},"type":"object"}`},
		{"MarshalJSON only", "type T struct { f bool }\nfunc (T) MarshalJSON() ([]byte, error)",
			"1: T has no schema: the method MarshalJSON determines its form in JSON"},
		{"MarshalJSON, marked", "// +kubebuilder:validation:Type=string\ntype T struct { f bool }\nfunc (T) MarshalJSON() ([]byte, error)",
			`{"type":"string"}`},
		{"foreign", "type T struct { F foreign.Good 'f,omitempty' }",
			`{"properties":{"f":{"properties":{"a":{"type":"string"}},"required":["a"],"type":"object"}},"type":"object"}`},
		{"foreign with a mistake", "type T struct { F foreign.Bad 'f' }",
			"1: foreign.Bad has no schema: field Untagged of Bad has no JSON tag"},
		{"foreign around a mistake", "type T struct { F []foreign.Around 'f' }",
			"1: foreign.Around has no schema: field Untagged of Bad has no JSON tag"},
		{"requires itself", "type T struct {\n// +k8s:required\nF *T 'f'\n}",
			`{"properties":{"f":{"minProperties":1,"properties":{"f":{"minProperties":1}},"required":["f"],"type":"object"}},"required":["f"],"type":"object"}`},
		{"not declared", "type T struct { F U 'f' }", "1: type U is not found: package own.example.com/own has no such type"},
		{"not imported", "type T struct { F other.U 'f' }", "1: type U is not found: its package is not imported"},
		{"float", "type T float32", "1: float32 is not allowed in an API, because languages differ in how they read and write it"},
		{"interface", "type T []any", "1: an interface has no schema"},
		{"struct without a name", "type T []struct{}", "1: a struct without a name has no schema"},
		{"generic", "type T []G[int]\ntype G[E any] []E", "1: an instance of a generic type has no schema"},
		{"type parameter", "type T struct { F A 'f' }\ntype A = G[int]\ntype G[E any] struct { F E 'f' }",
			"3: a function, channel or type parameter has no schema"},
		{"keys", "type T map[int]bool", "1: keys of a map must be strings, or have a method MarshalText"},
		{"marker of another form", "// +kubebuilder:validation:MinItems=1\ntype T string",
			"1: +kubebuilder:validation:MinItems has no effect: it is for lists, and this is of type string"},
		{"two mistakes", "type T struct { F float64 'f'\nG chan int 'g' }", "1: float64 is not allowed in an API, because languages differ in how they read and write it\n" +
			"2: a function, channel or type parameter has no schema"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, own, _ := readerOf(t, test.code)
			schema, diags := r.Schema(r.types.Declared(own, "T"))
			got := schema.JSON()
			if lines := said(diags); len(lines) > 0 {
				got = strings.Join(lines, "\n")
			}
			if got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// TestReach checks that packages of types without a schema count, but not their mistakes, and that each mistake is
// reported once.
func TestReach(t *testing.T) {
	r, own, foreign := readerOf(t, "type A struct { F foreign.Good 'f'; B B 'b' }\ntype B struct { C C 'c' }\ntype C []chan int")
	r.Reach(r.types.Declared(own, "A"))
	if want := []*load.Package{own, foreign}; !slices.Equal(r.Reached(), want) {
		t.Errorf("%d packages", len(r.Reached()))
	}
	var diags diag.List
	for _, name := range []string{"B", "A", "C"} {
		_, mistakes := r.Schema(r.types.Declared(own, name))
		diags = append(diags, mistakes...)
	}
	if got := said(diags); len(got) != 1 {
		t.Errorf("got %q, want one mistake", got)
	}
}

// TestStrayDerives checks that Stray derives no schemas of kinds without manifests, which feature gates leave out.
func TestStrayDerives(t *testing.T) {
	r, own, _ := readerOf(t, "type T struct { E ',inline' }\ntype E struct { F bool 'f' }\ntype Off struct { E ',inline' }")
	written, off := r.types.Declared(own, "T"), r.types.Declared(own, "Off")
	r.Schema(written)
	r.Stray([]*load.Package{own}, map[*gotypes.Declaration]bool{written: true, off: true}, nil)
	if r.derived[written] == nil || r.derived[off] != nil {
		t.Errorf("T is derived: %v; Off, which has no manifest, is derived: %v", r.derived[written] != nil, r.derived[off] != nil)
	}
}
