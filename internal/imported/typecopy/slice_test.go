package typecopy

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/apitest"
	"github.com/kubegen/kubegen/internal/imported/importer"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/text/diag"
)

func fieldsOf(t *testing.T, texts ...string) (fields []importer.Field) {
	for _, text := range texts {
		f, err := importer.ParseField(text)
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, f)
	}
	return fields
}

const sliceable = doc + `
-- x.example.com/api/v1/types.go --
package v1

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"x.example.com/shared"
)

// Foo is a kind.
// +kubebuilder:printcolumn:name=A,type=string,JSONPath=.spec.a
// +genclient:method=Resize,verb=update,subresource=resize
// +genclient:method=Scale,verb=update,subresource=scale,input=k8s.io/api/autoscaling/v1.Scale
// +kubebuilder:selectablefield:JSONPath=.spec.a
// +kubebuilder:selectablefield:JSONPath=.spec.b
type Foo struct {
	metav1.TypeMeta   ` + "`json:\"\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata\"`" + `
	// Spec is the wish.
	Spec Spec ` + "`json:\"spec\"`" + `
	// Status is the state.
	Status *Status ` + "`json:\"status,omitempty\"`" + ` // of the server
}

type FooList struct {
	metav1.TypeMeta ` + "`json:\"\"`" + `
	metav1.ListMeta ` + "`json:\"metadata\"`" + `
	Items []Foo ` + "`json:\"items\"`" + `
}

type Spec struct {
	Inline ` + "`json:\",inline\"`" + `
	// A is dropped.
	A string ` + "`json:\"a\"`" + ` // at last

	// B is kept.
	B shared.Size ` + "`json:\"b\"`" + `
	// +listType=map
	// +listMapKey=name
	Keyed []Item ` + "`json:\"keyed\"`" + `
	// Whole lists are replaced.
	Atomic []Item ` + "`json:\"atomic\"`" + `
	Nested struct {
		// X is kept.
		X string ` + "`json:\"x\"`" + `
		Y chan int ` + "`json:\"y\"`" + `
	} ` + "`json:\"nested\"`" + `
	Form Form ` + "`json:\"form\"`" + `
	Next *Spec ` + "`json:\"next\"`" + `
	Other func() ` + "`json:\"other\"`" + `
}

type Inline struct {
	C string ` + "`json:\"c\"`" + `
	D string ` + "`json:\"d\"`" + `
}

type Item struct {
	Name string ` + "`json:\"name\"`" + `
	Size int ` + "`json:\"size\"`" + `
	Unit string ` + "`json:\"unit\"`" + `
}

type Status struct {
	Phase Phase ` + "`json:\"phase\"`" + `
	Items map[string]Item ` + "`json:\"items\"`" + `
	Why string ` + "`json:\"why\"`" + `
}

type Phase string

const Done Phase = "Done"

const Label = "x"

// Form has a form of its own.
type Form struct {
	P, Q string
}

func (f Form) MarshalJSON() ([]byte, error) { return json.Marshal(f.P + f.Q + first(f.spec())) }

func (f Form) spec() *Hidden { return nil }

func first(h *Hidden) string { return h.H }

type Hidden struct{ H string }

func (s Status) String() string { return s.Why }
-- x.example.com/shared/shared.go --
package shared

type Size struct {
	N int ` + "`json:\"n\"`" + `
	M int ` + "`json:\"m\"`" + `
}
`

func TestSlice(t *testing.T) {
	for name, test := range map[string]struct {
		fields     []string
		has, hasNo []string
	}{
		"fields": {
			[]string{"spec.b.n", "status.phase"},
			[]string{"\tB shared.Size", "\tN int", "type Status struct", "Done Phase", "skipVerbs=create,update,updateStatus", "method=Scale", "+kubegen:withoutManagedFields",
				"//   - spec.b.n\n//   - status.phase\n", "JSONPath=.spec.b"},
			[]string{"{\n\n", "\tA ", "at last", "A is dropped", "type Item", "\tM int", "Why", "Label", "method=Resize", "printcolumn", "JSONPath=.spec.a", "func (", "+kubegen:noApply"},
		},
		"inline": {[]string{"spec.c"}, []string{"\tInline ", "\tC string"}, []string{"\tD string", "status"}},
		"lists": {
			[]string{"Foo:spec.keyed[*].unit", "Foo.x.example.com:spec.atomic.unit", "metadata.managedFields"},
			[]string{"\tName string", "\tUnit string", "+kubegen:noApply\n\tAtomic"}, []string{"\tSize int", "+kubegen:noApply\n\tKeyed", "+kubegen:withoutManagedFields"},
		},
		"two paths":     {[]string{"spec.keyed.unit", "status.items.size"}, []string{"\tSize ", "\tUnit ", "\tItems map"}, []string{"\tWhy"}},
		"whole":         {[]string{"spec.keyed.unit", "status"}, []string{"\tSize ", "\tWhy"}, []string{"\tA "}},
		"nested":        {[]string{"spec.nested.x"}, []string{"// X is kept.\n\t\tX string"}, []string{"chan int", "Inline", "\tB "}},
		"form":          {[]string{"spec.form"}, []string{"\tP string\n\tQ string", "func (f Form) MarshalJSON", "type Hidden struct {\n\tH string\n}"}, []string{"\tB "}},
		"recursive":     {[]string{"spec.next.next.c"}, []string{"\tNext ", "\tC "}, []string{"\tD ", "\tB "}},
		"only metadata": {[]string{"metadata.labels"}, []string{"it has only metadata."}, []string{"\tSpec", "\tStatus"}},
	} {
		t.Run(name, func(t *testing.T) {
			copied, r := copyOf(t, sliceable, Options{Fields: fieldsOf(t, test.fields...)})
			if r.Diags.HasErrors() {
				t.Fatal(*r.Diags[0])
			}
			compile(t, copied)
			var all strings.Builder
			for _, text := range copied {
				all.WriteString(text)
			}
			for _, want := range test.has {
				if !strings.Contains(all.String(), want) {
					t.Errorf("%q is missing in\n%s", want, &all)
				}
			}
			for _, unwanted := range test.hasNo {
				if strings.Contains(all.String(), unwanted) {
					t.Errorf("%q is in\n%s", unwanted, &all)
				}
			}
		})
	}
}

func TestSliceOfTypeInItself(t *testing.T) {
	archive := strings.Replace(sliceable, "type Inline struct {", "type Again = Inline\n\ntype Inline struct {\n\t*Again", 1)
	copied, r := copyOf(t, archive, Options{Fields: fieldsOf(t, "spec.c")})
	if r.Diags.HasErrors() {
		t.Fatal(*r.Diags[0])
	}
	compile(t, copied)
	if _, r := copyOf(t, archive, Options{Fields: fieldsOf(t, "spec.x")}); !r.Diags.HasErrors() {
		t.Error("no error")
	}
}

// A type of another package does not keep the type of the same name as a whole.
func TestSliceOfSameName(t *testing.T) {
	archive := strings.Replace(sliceable, "\tB shared.Size", "\tB shared.Status", 1)
	archive = strings.Replace(archive, "type Size struct", "type Status struct", 1)
	copied, r := copyOf(t, archive, Options{Fields: fieldsOf(t, "spec.b.n", "status.phase")})
	if r.Diags.HasErrors() {
		t.Fatal(*r.Diags[0])
	}
	compile(t, copied)
	if text := copied["x/v1/zz_generated.types.go"]; strings.Contains(text, "\tWhy ") {
		t.Errorf("Why is kept in\n%s", text)
	}
}

func TestMissingFields(t *testing.T) {
	_, r := copyOf(t, sliceable, Options{Fields: fieldsOf(t, "spec.keyd.unit", "spec.keyed.nam", "status.phase.x", "spec.form.P", "spec.d", "metadata.lables")})
	var all []string
	for _, d := range r.Diags {
		if d.Severity == diag.Error {
			all = append(all, d.Message)
		}
	}
	want := []string{
		"--fields: spec.keyd.unit: spec of Foo has no field keyd",
		"--fields: spec.keyed.nam: spec.keyed of Foo has no field nam",
		"--fields: status.phase.x: status.phase of Foo has no fields",
		"--fields: spec.form.P: spec.form of Foo has no fields",
		"--fields: metadata.lables: metadata of Foo has no field lables",
	}
	if got := strings.Join(all, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s", got)
	}
}

// declared returns the paths of the fields without fields of their own in a struct of a copy.
func declared(expr ast.Expr, types map[string]ast.Expr) (paths []crdschema.Path) {
	expr = element(expr)
	if ident, ok := expr.(*ast.Ident); ok && types[ident.Name] != nil {
		return declared(types[ident.Name], types)
	}
	structure, ok := expr.(*ast.StructType)
	if !ok {
		return []crdschema.Path{nil}
	}
	for _, f := range oneName(structure.Fields.List) {
		name, inline := inJSON(f)
		for _, rest := range declared(f.Type, types) {
			if !inline {
				rest = append(crdschema.Path{name}, rest...)
			}
			paths = append(paths, rest)
		}
	}
	return paths
}

// TestRandomLayouts copies slices of types in random layouts: they compile, and have the selected fields and no others.
func TestRandomLayouts(t *testing.T) {
	for seed := range uint64(200) {
		text, paths, selected := apitest.Layouts(seed)
		var want []string
		for _, path := range paths {
			if slices.ContainsFunc(selected, func(s []string) bool { return slices.Equal(path[:min(len(path), len(s))], s) }) {
				want = append(want, crdschema.Path(path).String())
			}
		}
		var o Options
		for _, path := range selected {
			o.Fields = append(o.Fields, importer.Field{Path: append(crdschema.Path{"spec"}, path...), Text: crdschema.Path(path).String()})
		}
		const ofKind = `
type Foo struct { metav1.TypeMeta; metav1.ObjectMeta; Spec Spec ` + "`json:\"spec\"`" + ` }
type FooList struct { metav1.TypeMeta; metav1.ListMeta; Items []Foo }
`
		archive := doc + "-- x.example.com/api/v1/types.go --\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n" + ofKind + text
		copied, r := copyOf(t, archive, o)
		if r.Diags.HasErrors() {
			t.Fatalf("seed %d: %s\n%v\n%s", seed, r.Diags[0].Message, selected, text)
		}
		compile(t, copied)
		types := map[string]ast.Expr{}
		syntax, err := goparser.ParseFile(token.NewFileSet(), "", copied["x/v1/zz_generated.types.go"], 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range syntax.Decls {
			if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.TYPE {
				for _, spec := range gen.Specs {
					types[spec.(*ast.TypeSpec).Name.Name] = spec.(*ast.TypeSpec).Type
				}
			}
		}
		var got []string
		for _, path := range declared(types["Spec"], types) {
			got = append(got, path.String())
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v of\n%s\nis\n%s\ngot  %v\nwant %v", seed, selected, text, copied["x/v1/zz_generated.types.go"], got, want)
		}
	}
}
