package facts_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/generators/clientset"
	"github.com/kubegen/kubegen/generators/informer"
	"github.com/kubegen/kubegen/generators/lister"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/facts/products"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/templates"
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
	var packages []*kinds.Package
	for _, d := range definitions {
		for _, v := range d.Versions {
			types := &model.Package{Path: "example.com/apis/stable/" + v.Name.Text, Name: v.Name.Text, Pos: v.Name.Pos}
			pkg := &kinds.Package{Types: types, Clients: kinds.GroupVersion{Group: d.Group.Text, Version: v.Name.Text, Dir: "stable"}}
			pkg.Kinds = []*kinds.Kind{{Package: pkg, Resource: &model.Resource{
				Package: types, Pos: v.Name.Pos, Kind: d.Kind.Text, Plural: d.Kind.Text + "s", Name: d.Plural.Text,
				Singular: strings.ToLower(d.Kind.Text), List: model.List{Name: d.Kind.Text + "List"},
				Namespaced: d.Scope.Text == "Namespaced", HasStatus: v.Status.Pos.IsValid(), Verbs: model.NewVerbs(model.AllVerbs()...),
			}}}
			packages = append(packages, pkg)
		}
	}
	api, ofNames := facts.API(packages, model.Types{}, nil, model.Policy{})
	diags = append(diags, ofNames...)
	opts := &render.Options{Options: plan.Options{Roots: map[string]plan.Root{}, ClientOptions: plan.ClientOptions{APIPath: "/apis", Fake: true}}}
	for _, generator := range generators.All {
		opts.Roots[generator.Info().Templates] = plan.Root{Path: "example.com/" + generator.Info().Name}
	}
	wrote := map[string]bool{}
	for _, generator := range generators.All {
		files, said := render.Files(generator, api, opts)
		diags = append(diags, said...)
		for _, f := range files {
			wrote[generator.Info().Name+" "+f.Path] = true
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

// example is an API whose manifests say as much as its Go types.
const example = "../../examples/crontab-types"

// TestManifests makes an API of CustomResourceDefinition manifests. The generated code is that for the Go types:
// nothing but a reader of Go knows Go.
func TestManifests(t *testing.T) {
	p := &plan.Plan{Environment: load.Environment{Dir: example}, Flags: &plan.Flags{}, Needs: plan.Needs{Kinds: true, Scheme: true}}
	cfg := facts.Config{Output: products.Output{Plan: p}}
	l := load.NewLoader(t.Context(), cfg.Loading(nil))
	patterns := []string{"./apis/..."}
	found, diags := l.Find(patterns)
	known, diags := facts.Read(l, found, patterns, cfg, diags)
	parts, diags := known.Together(diags)
	want, ofNames := parts[0].API(model.Types{}, nil)
	diags = append(diags, ofNames...)
	if diags = known.Check(parts, []*model.API{want}, false, nil, nil, diags); diags.HasErrors() {
		t.Fatal(diags[0].Message)
	}
	var ofManifests []*kinds.Package
	for _, v := range want.Groups[0].Versions {
		for _, r := range v.Resources {
			r.HelpersFrom, r.ShortNames, r.Categories = model.Source{}, nil, nil // which only a marker has, or package crd does not read
		}
		ofManifests = append(ofManifests, declared(t, v.Packages[0]))
	}

	got, said := facts.API(ofManifests, model.Types{}, nil, model.Policy{})
	if len(said) > 0 {
		t.Fatal(said[0].Message)
	}
	got.Packages = want.Packages
	opts := &render.Options{Options: plan.Options{ClientOptions: plan.ClientOptions{APIPath: "/apis", Fake: true}, Roots: map[string]plan.Root{}}}
	for _, root := range []string{templates.Clientset, templates.Listers, templates.Informers} {
		opts.Roots[root] = plan.Root{Path: "example.com/generated/" + root}
	}
	for _, g := range []render.Generator{clientset.Generator{}, lister.Generator{}, informer.Generator{}} {
		wanted, diags := render.Files(g, want, opts)
		files, said := render.Files(g, got, opts)
		if diags = append(diags, said...); len(diags) > 0 || len(files) == 0 || len(files) != len(wanted) {
			t.Fatalf("%s: %d files of manifests, %d of types, %v", g.Info().Name, len(files), len(wanted), diags)
		}
		for i, file := range files {
			if file.Path != wanted[i].Path || string(file.Content) != string(wanted[i].Content) {
				var diff strings.Builder
				change := output.Change{Action: output.Update, Path: file.Path, Old: wanted[i].Content, New: file.Content}
				if err := output.Diff(&diff, []output.Change{change}); err != nil {
					t.Error(err)
				}
				t.Errorf("%s: the code for manifests differs from that for types:\n%s", g.Info().Name, &diff)
			}
		}
	}
}

// declared returns what the manifests of the example say of the kinds of a package.
func declared(t *testing.T, types *model.Package) *kinds.Package {
	t.Helper()
	pkg := &kinds.Package{Types: types}
	pkg.Clients.Version, pkg.Clients.Dir = filepath.Base(types.Path), filepath.Base(filepath.Dir(types.Path))
	names, err := filepath.Glob(filepath.Join(example, "crds/*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		definitions, diags := crd.Read(name, text)
		if diags.HasErrors() {
			t.Fatal(diags[0].Message)
		}
		for _, d := range definitions {
			pkg.Clients.Group = d.Group.Text
			i := slices.IndexFunc(d.Versions, func(v crd.Version) bool { return v.Name.Text == pkg.Clients.Version })
			if i < 0 {
				continue
			}
			v := d.Versions[i]
			r := facts.NewResource(types, d.Kind.Text, d.Kind.Pos, nil)
			r.Name, r.Namespaced = d.Plural.Text, d.Scope.Text == "Namespaced"
			if r.HasStatus = v.Status.Pos.IsValid(); r.HasStatus {
				r.Verbs = model.NewVerbs(model.AllVerbs()...)
			}
			if v.Scale != nil {
				r.Scale = &model.Scale{SpecReplicas: fields(v.Scale.SpecReplicas), StatusReplicas: fields(v.Scale.StatusReplicas), Selector: fields(v.Scale.Selector)}
				facts.AddScale(r, model.Source{Kind: model.FromDeclaration, Text: "subresources", Pos: v.Scale.Pos})
			}
			for _, field := range v.SelectableFields {
				r.SelectableFields = append(r.SelectableFields, field.Text)
			}
			k := &kinds.Kind{Package: pkg, Resource: r, CRD: &model.Marker{}}
			if v.Storage.Text == "true" {
				k.Markers = append(k.Markers, model.Marker{Name: "kubebuilder:storageversion", Pos: v.Storage.Pos})
			}
			pkg.Kinds = append(pkg.Kinds, k)
		}
	}
	return pkg
}

// fields returns the fields of a JSON path.
func fields(path crd.Value) []string {
	if path.Text == "" {
		return nil
	}
	return strings.Split(strings.TrimPrefix(path.Text, "."), ".")
}
