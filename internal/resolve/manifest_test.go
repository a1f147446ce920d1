package resolve_test

import (
	"strings"
	"testing"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/internal/crd"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/policy"
	"github.com/kubegen/kubegen/internal/render"
	"github.com/kubegen/kubegen/internal/resolve"
)

const manifest = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: stable.example.com
  names: {kind: CronTab, plural: crontabs}
  scope: Namespaced
  versions:
  - {name: v1beta1, served: true, storage: false}
  - {name: v1, served: true, storage: true, subresources: {status: {}}}
`

// Facts need not come from Go types: what a manifest says is enough for clients, listers and informers.
func TestManifest(t *testing.T) {
	definitions, diags := crd.Read("crd.yaml", []byte(manifest))
	var packages []*resolve.Package
	for _, d := range definitions {
		for _, v := range d.Versions {
			pkg := &model.Package{Path: "example.com/apis/stable/" + v.Name.Text, Name: v.Name.Text, Pos: v.Name.Pos}
			packages = append(packages, &resolve.Package{
				Types: pkg, Group: d.Group.Text, Version: v.Name.Text, Dir: "stable",
				Kinds: []*resolve.Kind{{Resource: &model.Resource{
					Package: pkg, Pos: v.Name.Pos, Kind: d.Kind.Text, Plural: d.Kind.Text + "s", Name: d.Plural.Text,
					Singular: strings.ToLower(d.Kind.Text), List: model.List{Name: d.Kind.Text + "List"},
					Namespaced: d.Scope.Text == "Namespaced", HasStatus: v.Status.Pos.IsValid(), Verbs: model.NewVerbs(model.AllVerbs()...),
				}}},
			})
		}
	}
	api := resolve.API(packages, model.Types{}, policy.Policy{}, &diags)
	opts := &render.Options{Roots: map[string]render.Root{}, APIPath: "/apis", Fake: true}
	for _, generator := range generators.All {
		opts.Roots[generator.Templates] = render.Root{Path: "example.com/" + generator.Name}
	}
	wrote := map[string]bool{}
	for _, generator := range generators.All {
		files, said := generator.Render(api, opts)
		diags = append(diags, said...)
		for _, f := range files {
			wrote[generator.Name+" "+f.Path] = true
		}
	}
	for _, want := range []string{"clientset typed/stable/v1/crontab.go", "lister stable/v1beta1/crontab.go", "informer stable/v1/crontab.go"} {
		if !wrote[want] {
			t.Errorf("there is no %s in %v", want, wrote)
		}
	}
	var text strings.Builder
	if _ = diags.Write(&text, diag.Style{}); text.Len() > 0 {
		t.Error(text.String())
	}
	if g := api.Groups[0]; g.GoName != "Stable" || g.Versions[0].Name != "v1" {
		t.Errorf("group %s, version %s", g.GoName, g.Versions[0].Name)
	}
}
