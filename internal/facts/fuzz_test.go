package facts

import (
	"go/token"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/facts/checks"
	"github.com/kubegen/kubegen/internal/facts/products"
	"github.com/kubegen/kubegen/internal/loadtest"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// needing returns a configuration without flags.
func needing(needs plan.Needs) Config {
	return Config{Output: products.Output{Plan: &plan.Plan{Needs: needs, Flags: &plan.Flags{}}}}
}

// parse returns the API of a package and all diagnostics. The loader sees only the files, as loadtest.InMemory says.
func parse(t *testing.T, cfg Config, files map[string]string, pattern string) (*model.API, diag.List) {
	l := load.NewLoader(t.Context(), loadtest.InMemory(cfg.Loading(nil), files))
	patterns := []string{pattern}
	found, diags := l.Find(patterns)
	facts, diags := Read(l, found, patterns, cfg, diags)
	parts, diags := facts.Together(diags)
	api, ofNames := parts[0].API(model.Types{}, nil)
	diags = append(diags, ofNames...)
	return api, facts.Check(parts, []*model.API{api}, false, nil, nil, diags)
}

// FuzzParse parses arbitrary types.go files beside a register.go. Nothing may panic, diagnostics must be deterministic
// and have one line each, and a model without errors must have valid Go names.
func FuzzParse(f *testing.F) {
	const register = `package v1

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const GroupName = "stable.example.com"

var SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: "v1"}

func AddToScheme(*runtime.Scheme) error { return nil }
`
	for _, types := range []string{`package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// CronTab is a kind.
// +genclient
// +genclient:method=GetScale,verb=get,subresource=scale,result=Scale
// +genclient:skipVerbs=patch,apply
type CronTab struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `
	Status            int
}

type CronTabList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []CronTab
}

type Scale struct{}
`, `// +groupName=other.example.com
// +k8s:client-gen=false
package v1

// +genclient

// +genclient:noVerbs
// +resourceName=x
type (
	A struct{ B[int]; *metav1.ObjectMeta }
	B[T any] struct{ metav1.TypeMeta; Items []*T }
	Job = A
)

/* +genclient:nonNamespaced
+genclient */ type AList B[A]
`, `package v1

type T T

// +genclinet
// +genclient:method=List,verb=list,input=....X,result=k8s.io/api/autoscaling/v1.Scale
type C struct{ C; T; other.D }

var AddToScheme, SchemeGroupVersion = 1, GroupVersion + GroupName
`, "package v1\n// +genclient\ntype\n"} {
		f.Add(types)
	}
	f.Fuzz(func(t *testing.T, types string) {
		parsed := func() (names []string, errs diag.List, printed string) {
			cfg := needing(plan.Needs{Kinds: true, Scheme: true})
			cfg.Unversioned, cfg.Flags.LintRules = len(types)%2 == 0, checks.Rules()
			api, errs := parse(t, cfg, map[string]string{"x/v1/register.go": register, "x/v1/types.go": types}, "x/v1")
			for _, g := range api.Groups {
				names = append(names, g.GoName)
				for _, v := range g.Versions {
					for _, r := range v.Resources {
						names = append(names, r.Kind, r.Plural)
						for _, m := range r.Methods {
							names = append(names, m.Name, m.Input.Name, m.Result.Name)
						}
					}
				}
			}
			var b strings.Builder
			_ = errs.Write(&b, diag.Style{})
			return names, errs, b.String()
		}
		names, errs, printed := parsed()
		if _, _, again := parsed(); printed != again {
			t.Errorf("told at first\n%s\nand then\n%s", printed, again)
		}
		if errs.HasErrors() {
			return
		}
		if len(names) == 0 {
			t.Errorf("nothing was found, and no error says so:\n%s", printed)
		}
		for _, name := range names {
			if !token.IsIdentifier(name) || !token.IsExported(name) {
				t.Errorf("%q is not an exported Go name, and no error says so:\n%s", name, printed)
			}
		}
	})
}
