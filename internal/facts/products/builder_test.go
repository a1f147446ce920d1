package products

import (
	"testing"

	"github.com/kubegen/kubegen/internal/loadtest"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// TestReportBuilder reads packages that register their types with a scheme builder.
func TestReportBuilder(t *testing.T) {
	const imports = "package v1\n\nimport \"sigs.k8s.io/controller-runtime/pkg/scheme\"\n\n"
	for _, test := range []struct {
		name, code string
		want       int // the line of the warning; 0 if there is none
	}{
		{"no builder", "package v1\n\nvar SchemeBuilder = runtime.NewSchemeBuilder()\n", 0},
		{"another package", "package v1\n\nimport \"example.com/scheme\"\n\nvar SchemeBuilder = &scheme.Builder{}\n", 0},
		{"a pointer", imports + "var SchemeBuilder = &scheme.Builder{}\nvar AddToScheme = SchemeBuilder.AddToScheme\n", 5},
		{"a group", imports + "var (\n\tA = 1\n\n\tSchemeBuilder = &scheme.Builder{}\n\tAddToScheme   = SchemeBuilder.AddToScheme\n)\n", 8},
		{"a value", imports + "var SchemeBuilder = scheme.Builder{}\nvar AddToScheme = SchemeBuilder.AddToScheme\n", 5},
		{"a method's result", imports + "var SchemeBuilder = (&scheme.Builder{}).Register(&Foo{})\n", 5},
		{"a function", imports + "var SchemeBuilder = &scheme.Builder{}\n\nfunc AddToScheme() error {\n\treturn SchemeBuilder.AddToScheme(nil)\n}\n", 5},
		{"a function without the builder", imports + "var SchemeBuilder = &scheme.Builder{}\n\nfunc AddToScheme() error { return nil }\n", 0},
		{"another name", imports + "var b = &scheme.Builder{}\n\nvar AddToScheme = b.AddToScheme\n", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := loadtest.Read(t, map[string]string{"x/v1/a.go": test.code}, "x/v1")
			var diags diag.List
			if builder, ok := schemeBuilder(l, l.Input[0]); ok {
				reportBuilder(l, l.Input[0], builder, &diags)
			}
			got := 0
			if len(diags) > 0 {
				got = diags[0].Pos.Line
			}
			if got != test.want {
				t.Errorf("a warning at line %d, want %d", got, test.want)
			}
		})
	}
}
