package facts

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/loadtest"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// read returns the indexes of kind Foo in a package, as "ByImage .Spec.Image string" with the steps in Go and the types
// of the values, and the messages.
func read(t *testing.T, above, types string) (found, messages []string) {
	t.Helper()
	l := loadtest.Read(t, map[string]string{
		"x.example.com/v1/types.go": "package v1\n\n// Foo is a kind.\n" + above + "type Foo struct {\n\tSpec Spec `json:\"spec\"`\n}\n" + types,
	}, "x.example.com/v1")
	src := l.Input[0]
	pkg := &model.Package{Path: src.Path, Name: "v1"}
	r := gotypes.NewReader(l, model.Policy{})
	r.Packages[src] = pkg
	foo := &model.Resource{Package: pkg, Kind: "Foo", Plural: "Foos", SelectableFields: []string{".spec.size"}}
	ofKind, diags := markers.Read(l.Fset, markers.Type, 0, r.Above(src.Decls["Foo"].File, src.Decls["Foo"].Type)...)
	foo.Markers = ofKind
	diags = append(diags, setIndexes(l, r, []*kinds.Kind{{Package: &kinds.Package{Source: src, Types: pkg}, Resource: foo}}, indexLines(l, l.Input), true, diags)...)
	for _, index := range foo.Indexes {
		line := index.Name + " " + index.Func + steps(index.Steps)
		for _, part := range index.Parts {
			line += " " + steps(part.Steps) + part.Type.Basic()
		}
		found = append(found, line)
	}
	for _, d := range diags {
		messages = append(messages, d.Message)
	}
	return found, messages
}

// steps spells a path in Go.
func steps(path []model.Step) string {
	var b strings.Builder
	for _, step := range path {
		switch step.Kind {
		case model.FieldStep:
			b.WriteString("." + step.Name)
		case model.PointerStep:
			b.WriteString("^")
		case model.ElementsStep, model.ValuesStep:
			b.WriteString("[*]")
		case model.KeyStep:
			b.WriteString("['" + step.Name + "']")
		case model.FilterStep:
			b.WriteString("[" + steps(step.Where) + "==" + step.Equals + "]")
		}
	}
	return b.String()
}

func TestSet(t *testing.T) {
	const path = "// +kubegen:index:path="
	const spec = `type Spec struct {
	Image  *Name             ` + "`json:\"image,omitempty\"`" + `
	Size   int32             ` + "`json:\"size\"`" + `
	Ratio  float64           ` + "`json:\"ratio\"`" + `
	Ports  []Port            ` + "`json:\"ports\"`" + `
	Labels map[string]string ` + "`json:\"labels\"`" + `
	Data   []byte            ` + "`json:\"data\"`" + `
	Shared                   ` + "`json:\",inline\"`" + `
}
type Name string
type Port struct {
	Name string ` + "`json:\"name\"`" + `
	Open bool   ` + "`json:\"open\"`" + `
}
type Shared struct {
	Owner string ` + "`json:\"owner\"`" + `
}
`
	inSpec := func(field string) string { return "type Spec struct {\n\t// +kubegen:index\n\t" + field + "\n}\n" }
	for _, test := range []struct {
		name, above, types string
		want, errors       []string
	}{
		{name: "no marker", types: spec},
		{name: "a field", types: inSpec("Image string `json:\"image\"`"), want: []string{"ByImage .Spec.Image string"}},
		{name: "a field's elements", types: inSpec("Images []*string `json:\"images\"`"), want: []string{"ByImages .Spec.Images[*]^ string"}},
		{name: "a field of elements", types: "type Spec struct {\n\tParts []Part `json:\"parts\"`\n}\ntype Part struct {\n\t// +kubegen:index:name=ByPart\n\tID uint8 `json:\"id\"`\n}\n",
			want: []string{"ByPart .Spec.Parts[*].ID uint8"}},
		{name: "a pointer to a named type", above: path + ".spec.image\n", types: spec, want: []string{"ByImage .Spec.Image^ string"}},
		{name: "an inlined struct", above: path + ".spec.owner\n", types: spec, want: []string{"ByOwner .Spec.Shared.Owner string"}},
		{name: "without a dot", above: path + "spec.size\n", types: spec, want: []string{"BySize .Spec.Size int32"}},
		{name: "each element", above: path + ".spec.ports[*].name\n", types: spec, want: []string{"ByName .Spec.Ports[*].Name string"}},
		{name: "one element", above: path + ".spec.ports[?(@.name=='web')].open\n", types: spec, want: []string{`ByOpen .Spec.Ports[*][.Name=="web"].Open bool`}},
		{name: "a key", above: path + ".spec.labels['app'],name=ByApp\n", types: spec, want: []string{"ByApp .Spec.Labels['app'] string"}},
		{name: "several fields", above: "// +kubegen:index:path=\".spec['image','size']\",name=ByBoth\n", types: spec, want: []string{"ByBoth .Spec .Image^string .Sizeint32"}},
		{name: "selectable fields", above: "// +kubegen:index\n", types: spec, want: []string{"BySize .Spec.Size int32"}},
		{name: "a function", above: "// +kubegen:index:func=Keys\n", types: spec + "func Keys(foo *Foo) []string { return nil }\n", want: []string{"ByKeys Keys string"}},
		{name: "order", above: path + ".spec.size\n" + path + ".spec.image\n", types: spec, want: []string{"ByImage .Spec.Image^ string", "BySize .Spec.Size int32"}},

		{name: "a float", above: path + ".spec.ratio\n", types: spec, errors: []string{".spec.ratio of kind Foo cannot be indexed: it is a float64"}},
		{name: "a struct", above: path + ".spec.ports\n", types: spec, errors: []string{".spec.ports of kind Foo cannot be indexed: it is the struct Port"}},
		{name: "bytes", above: path + ".spec.data\n", types: spec, errors: []string{".spec.data of kind Foo cannot be indexed: it is a slice of bytes"}},
		{name: "no such field", above: path + ".spec.imag\n", types: spec, errors: []string{"the path .spec.imag does not lead to a value of kind Foo: .spec has no field imag"}},
		{name: "a path and a function", above: path + ".spec.size,func=Keys\n", types: spec, errors: []string{"+kubegen:index has both path= and func="}},
		{name: "no function", above: "// +kubegen:index:func=Keys\n", types: spec + "func Keys(foo Foo) []string { return nil }\n",
			errors: []string{"Keys is not an exported function of package v1 that takes *Foo and returns []string"}},
		{name: "one value twice", above: path + ".spec.size\n" + path + ".spec.size,name=ByNumber\n", types: spec, want: []string{"ByNumber .Spec.Size int32", "BySize .Spec.Size int32"},
			errors: []string{"kind Foo has two indexes of spec.size"}},
		{name: "a method of the lister", above: path + ".spec.size,name=Foos\n", types: spec, errors: []string{`"Foos" cannot be the name of an index`}},
		{name: "elsewhere", types: "type Spec struct{}\ntype Other struct {\n\t// +kubegen:index\n\tName string `json:\"name\"`\n}\n",
			errors: []string{"+kubegen:index has no effect: it is neither above a kind with a lister nor above a field of one"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			found, messages := read(t, test.above, test.types)
			if !slices.Equal(found, test.want) || !slices.Equal(messages, test.errors) {
				t.Errorf("got  %q\n%q\nwant %q\n%q", found, messages, test.want, test.errors)
			}
		})
	}
}
