package products

import (
	"slices"
	"testing"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/loadtest"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// TestTypes reads the types that a run registers for a package.
func TestTypes(t *testing.T) {
	const kinds = `
// +genclient
type Foo struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata\"`" + `
}
type FooList struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata\"`" + `
}
type FooOptions struct { metav1.TypeMeta ` + "`json:\",inline\"`" + ` }
type Spec struct{}
`
	const unversioned = "// +genclient\ntype Foo struct {\n\tmetav1.TypeMeta\n\tmetav1.ObjectMeta\n}\n"
	all := []string{"Foo", "FooList", "FooOptions"}
	for _, test := range []struct {
		name, doc, code string
		onlyMarked      bool     // as gen-register does
		objects         []string // have DeepCopyObject
		want            []string
		byHand          bool
	}{
		{name: "kinds", code: kinds, want: all},
		{name: "objects alone", code: kinds, objects: all[:2], want: all[:2]},
		{name: "no kinds", code: "type Spec struct{}\n"},
		{name: "unmarked", code: kinds, onlyMarked: true},
		{name: "a group", doc: "// +groupName=example.com\n", code: kinds, onlyMarked: true, want: all},
		{name: "register-gen", doc: "// +k8s:register-gen=package\n", code: kinds, onlyMarked: true, want: all},
		{name: "switched off", doc: "// +k8s:register-gen=false\n", code: kinds},
		{name: "unversioned", code: unversioned},
		{name: "by hand", code: kinds + "func AddToScheme(s *runtime.Scheme) error { return nil }\n", byHand: true},
		{name: "a builder by hand", code: kinds + "var AddToScheme = SchemeBuilder.AddToScheme\n", byHand: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := loadtest.Read(t, map[string]string{"x/v1/types.go": test.doc + "package v1\n" + test.code}, "x/v1")
			src := l.Input[0]
			found, _ := gotypes.PackageMarkers(l.Fset, src, model.Policy{})
			cfg := writing(Registration, "register-gen")
			cfg.Plan = &plan.Plan{Command: plan.Command{Consistent: !test.onlyMarked}, Flags: &plan.Flags{}}
			outline := gotypes.NewReader(l, model.Policy{}).Outline()
			got, diags := cfg.Types(outline, src, found, func(name string) bool { return slices.Contains(test.objects, name) })
			if byHand := cfg.ByHand(l, src, found); !slices.Equal(got, test.want) || byHand != test.byHand || len(diags) > 0 {
				t.Errorf("got %q, by hand %t, %v; want %q, by hand %t", got, byHand, diags, test.want, test.byHand)
			}
		})
	}
}

// TestCanRegister reads packages that declare parts of a registration.
func TestCanRegister(t *testing.T) {
	const cannot = ", so the registration of its types cannot be generated"
	for _, test := range []struct{ name, code, want string }{
		{name: "nothing", code: "type Foo struct{}"},
		{name: "a group and version", code: "const GroupName = `example.com`\nvar SchemeGroupVersion = schema.kinds.GroupVersion{Group: GroupName, Version: `v1`}"},
		{name: "a builder", code: "var SchemeBuilder runtime.SchemeBuilder", want: "package x/v1 declares SchemeBuilder but not AddToScheme" + cannot},
		{name: "a type", code: "type SchemeGroupVersion struct{}", want: "package x/v1 declares SchemeGroupVersion as something else" + cannot},
		{name: "a dot import", code: "import . \"x.example.com/names\"", want: "this file imports Kind of x.example.com/names by its bare name" + cannot},
		{name: "a dot import without such names", code: "import . \"x.example.com/others\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := loadtest.Read(t, map[string]string{
				"x/v1/types.go": "package v1\n" + test.code + "\n", "x.example.com/names/names.go": "package names\nfunc Kind() {}\n", "x.example.com/others/others.go": "package others\n",
			}, "x/v1")
			var diags diag.List
			got := ""
			can := CanRegister(l, l.Input[0], &diags)
			if len(diags) > 0 {
				got = diags[0].Message
			}
			if got != test.want || can != (test.want == "") {
				t.Errorf("got %t %q, want %q", can, got, test.want)
			}
		})
	}
}

// TestReportMismatches reads packages that register the kind Foo of example.com/v1.
func TestReportMismatches(t *testing.T) {
	const known = "func addKnownTypes(s *runtime.Scheme) error {\n\ts.AddKnownTypes("
	const end = ")\n\treturn nil\n}\n"
	const other = "Foo is registered in example.com/v2, but belongs to example.com/v1"
	for _, test := range []struct{ name, code, want string }{
		{name: "not registered"},
		{name: "its own", code: known + `schema.kinds.GroupVersion{Group: "example.com", Version: "v1"}, &Foo{}` + end},
		{name: "another version", code: known + `schema.kinds.GroupVersion{Group: "example.com", Version: "v2"}, &Foo{}` + end, want: other},
		{name: "a variable", code: "var other = schema.GroupVersion{\"example.com\", \"v2\"}\n" + known + "other, new(Foo)" + end, want: other},
		{name: "not known", code: known + "groupVersion(), &Foo{}" + end},
		{name: "both", code: known + `schema.GroupVersion{"example.com", "v2"}, &Foo{})` + "\n\ts.AddKnownTypes(" + `schema.GroupVersion{"example.com", "v1"}, &Foo{}` + end},
		{name: "another kind", code: known + `schema.GroupVersion{"example.com", "v2"}, &Bar{}` + end},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := loadtest.Read(t, map[string]string{"x/v1/types.go": "package v1\ntype Foo struct{}\n" + test.code}, "x/v1")
			src := l.Input[0]
			pkg := &kinds.Package{Source: src, Types: &model.Package{Path: "x/v1"}, Clients: kinds.GroupVersion{Group: "example.com", Version: "v1"}}
			pkg.Kinds = []*kinds.Kind{{Package: pkg, Spec: src.Decls["Foo"].Type, Resource: &model.Resource{Kind: "Foo"}}}
			pkg.Included = pkg.Kinds
			diags := new(Output).ReportMismatches(l, pkg)
			got := ""
			if len(diags) > 0 {
				got = diags[0].Message
			}
			if got != test.want || len(diags) > 1 {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
