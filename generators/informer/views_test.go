package informer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/templates"
)

// asked is the generator of a file that asks the view of the API.
type asked struct {
	Generator
	ask func(API)
}

func (asked) Info() *plan.Info {
	outputs := []plan.Output{{Template: templates.Informers + "/generic.go.tmpl"}}
	return &plan.Info{Name: info.Name, Code: plan.Code{Templates: info.Templates, Outputs: outputs}}
}

func (g asked) Views(*model.API, *render.Options) (render.Views, diag.List) {
	with := views
	with.API = func(a *render.API) any {
		api := API{a, shared{a}}
		g.ask(api)
		return api
	}
	return with, nil
}

// ask asks the view of an API with kinds in one version, for a file in the package of their types.
func ask(t *testing.T, kinds []*model.Resource, question func(API)) {
	t.Helper()
	g := &model.Group{Name: "stable.example.com", GoName: "Stable", Dir: "stable"}
	v := &model.Version{Group: g, Name: "v1", Packages: []*model.Package{{Path: "example.com/api/v1", Name: "v1"}}}
	for _, r := range kinds {
		r.Version, r.Package, r.Verbs = v, v.Packages[0], model.NewVerbs(model.AllVerbs()...)
		r.Plural, r.Name, r.List.Name = r.Kind+"s", strings.ToLower(r.Kind)+"s", r.Kind+"List"
	}
	v.Resources, g.Versions = kinds, []*model.Version{v}
	opts := &render.Options{Options: plan.Options{Roots: map[string]plan.Root{templates.Informers: {Path: "example.com/api/v1"}}}}
	if _, diags := render.Files(asked{ask: question}, &model.API{Groups: []*model.Group{g}}, opts); diags.HasErrors() {
		t.Fatal(diags)
	}
}

// TestKindTypes compares the constraints for the types of all kinds, and of namespaced ones.
func TestKindTypes(t *testing.T) {
	var many []*model.Resource
	for i := range mostTypes + 1 {
		many = append(many, &model.Resource{Kind: fmt.Sprintf("K%d", i), Namespaced: true})
	}
	for _, test := range []struct {
		name             string
		kinds            []*model.Resource
		want, namespaced string
	}{
		{"namespaced", []*model.Resource{{Kind: "A", Namespaced: true}}, "*A", "*A"},
		{"not namespaced", []*model.Resource{{Kind: "A"}}, "*A", ""},
		{"both", []*model.Resource{{Kind: "A"}, {Kind: "B", Namespaced: true}}, "*A |*B", "*B"},
		{"more than a union can have", many, "runtime.Object metav1.Object", "runtime.Object metav1.Object"},
	} {
		short := strings.NewReplacer("\n\t\t", "", "\n\t", " ")
		ask(t, test.kinds, func(api API) {
			if got := short.Replace(string(api.KindTypes())); got != test.want {
				t.Errorf("%s: got %s, want %s", test.name, got, test.want)
			}
			if got := short.Replace(string(api.NamespacedKindTypes())); got != test.namespaced {
				t.Errorf("%s: got %s for namespaced kinds, want %s", test.name, got, test.namespaced)
			}
		})
	}
}

// TestExample compares the texts about the first kind in comments, and the entries for kinds without managed fields.
func TestExample(t *testing.T) {
	a := &model.Resource{Kind: "A", Namespaced: true}
	b := &model.Resource{Kind: "B", Markers: []model.Marker{{Name: model.WithoutManagedFieldsMarker}}}
	ask(t, []*model.Resource{a, b}, func(api API) {
		for want, got := range map[string]string{
			"Stable().V1().As": api.Example(), "as.stable.example.com/v1": api.ExampleResource(), "*v1.A": api.ExampleType(),
			"\nreflect.TypeFor[*B](): true,\n": string(api.WithoutManagedFields()),
		} {
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	})
	ask(t, []*model.Resource{a}, func(api API) {
		if got := api.WithoutManagedFields(); got != "" {
			t.Errorf("without the marker: got %q", got)
		}
	})
}
