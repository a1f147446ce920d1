package kinds

import (
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/loadtest"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// TestReportBuilder reads packages that register their types with controller-runtime's scheme builder, and compares the
// lines to delete.
func TestReportBuilder(t *testing.T) {
	const imports = "package v1\n\nimport \"sigs.k8s.io/controller-runtime/pkg/scheme\"\n\n"
	for _, test := range []struct{ name, code, want string }{
		{"no builder", "package v1\n\nvar SchemeBuilder = runtime.NewSchemeBuilder()\n", ""},
		{"another package", "package v1\n\nimport \"example.com/scheme\"\n\nvar SchemeBuilder = &scheme.Builder{}\n", ""},
		{"one line each", imports + "var SchemeBuilder = &scheme.Builder{}\nvar AddToScheme = SchemeBuilder.AddToScheme\n", "a.go:3-6"},
		{"other variables", imports + "var (\n\tA = 1\n\n\t// The builder.\n\tSchemeBuilder = &scheme.Builder{}\n\tAddToScheme   = SchemeBuilder.AddToScheme\n)\n", "a.go:3,8-10"},
		{"a value", imports + "var SchemeBuilder = scheme.Builder{}\nvar AddToScheme = SchemeBuilder.AddToScheme\n", "a.go:3-6"},
		{"a function", imports + "var b = &scheme.Builder{}\n\n// AddToScheme adds.\nfunc AddToScheme() error {\n\treturn b.AddToScheme(nil)\n}\n", "a.go:3-10"},
		{"a function without the builder", imports + "var SchemeBuilder = &scheme.Builder{}\n\nfunc AddToScheme() error { return nil }\n", ""},
		{"calls", imports + "var SchemeBuilder = &scheme.Builder{}\n\nfunc init() {\n\tSchemeBuilder.Register(&Foo{}, new(FooList))\n}\n", "a.go:3-9"},
		{"calls of others", imports + "var SchemeBuilder = &scheme.Builder{}\n\nfunc init() {\n\tSchemeBuilder.Register(&Foo{})\n\tSchemeBuilder.Register(&Bar{})\n}\n", "a.go:3-5,8"},
		{"a builder of another name with a type of others", imports + "var b = &scheme.Builder{}\n\nfunc init() { b.Register(&Bar{}) }\n", ""},
		{"an import in use", imports + "var SchemeBuilder = &scheme.Builder{}\n\nvar other scheme.Builder\n", "a.go:5"},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := loadtest.Read(t, map[string]string{"x/v1/a.go": test.code}, "x/v1")
			var diags diag.List
			if b := findBuilder(l, l.Input[0]); b != nil {
				reportBuilder(l, l.Input[0], b, []string{"Foo", "FooList"}, &diags)
			}
			got := ""
			if len(diags) > 0 {
				_, got, _ = strings.Cut(diags[0].Hint, "delete the lines ")
				got, _, _ = strings.Cut(got, ", and")
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
