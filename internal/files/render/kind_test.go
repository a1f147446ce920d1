package render

import (
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/templates"
)

// crontab returns the view of the kind CronTab, in an API that contains no other kind.
func crontab(opts Options) *Kind {
	g := &model.Group{Name: "stable.example.com", GoName: "Stable", Dir: "stable"}
	v := &model.Version{Group: g, Name: "v1"}
	g.Versions = []*model.Version{v}
	pkg := &model.Package{Path: "example.com/apis/stable/v1", Name: "v1"}
	r := &model.Resource{
		Version: v, Package: pkg, Kind: "CronTab", Plural: "CronTabs", Name: "crontabs", Namespaced: true,
		Verbs: model.NewVerbs(model.AllVerbs()...), List: model.List{Name: "CronTabList"},
	}
	v.Packages, v.Resources = []*model.Package{pkg}, []*model.Resource{r}
	api := &API{
		generator: clients{}, opts: &opts,
		file:  &gofile.File{Path: pkg.Path}, // references to types have no qualifier
		Model: &model.API{Groups: []*model.Group{g}},
	}
	return &Kind{&Version{&Group{api, g}, v}, r}
}

// clients is a generator of clients without files.
type clients struct{}

func (clients) Info() *plan.Info {
	return &plan.Info{Name: "clientset", Code: plan.Code{Templates: templates.Clientset}}
}
func (clients) Kind(*model.Resource) bool                             { return false }
func (clients) Views(*model.API, *Options) (views Views, _ diag.List) { return views, nil }
func (c clients) Generate(in *Input) ([]output.Tree, diag.List)       { return Generate(c, in) }

// applied returns options with apply configurations in the package in, or without if in is "".
func applied(in string) Options {
	return Options{Options: plan.Options{Roots: map[string]plan.Root{templates.ApplyConfigurations: {Path: in}}}}
}

// resolved returns the import path and name to which a reference resolves in a file of the package p.
func resolved(t *testing.T, reference func(*Kind) gofile.Code, opts Options) (importPath, name string) {
	t.Helper()
	d := crontab(opts)
	d.file = &gofile.File{Name: "p.go", Path: "example.com/p", Package: "p"}
	d.file.Body += "var _ " + reference(d)
	contents, err := gofile.Format([]*gofile.File{d.file}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(contents[0]), `"`)
	importPath, rest, _ = strings.Cut(rest, `"`)
	_, name, _ = strings.Cut(strings.TrimSpace(rest), ".")
	return importPath, name
}

func TestApplyType(t *testing.T) {
	for of, want := range map[model.TypeRef]string{
		{Path: "example.com/apis/stable/v1", Name: "CronTab"}: "example.com/ac/stable/v1 CronTabApplyConfiguration",
		{Path: "k8s.io/api/autoscaling/v1", Name: "Scale"}:    "k8s.io/client-go/applyconfigurations/autoscaling/v1 ScaleApplyConfiguration",
		{Path: "example.com/other/batch/v2", Name: "Job"}:     "example.com/ac/batch/v2 JobApplyConfiguration",
	} {
		importPath, name := resolved(t, func(k *Kind) gofile.Code { return k.ApplyTypeOf(of) }, applied("example.com/ac"))
		if got := importPath + " " + name; got != want {
			t.Errorf("the apply configuration of %v is %s, want %s", of, got, want)
		}
	}
}

func TestClientType(t *testing.T) {
	all := model.NewVerbs(model.AllVerbs()...)
	for _, test := range []struct {
		verbs   model.Verbs
		noVerbs bool
		apply   string
		want    string
	}{
		{all, false, "", "ClientWithList[*CronTab, *CronTabList]"},
		{all, true, "", "Client[*CronTab]"},
		{all.Without(model.VerbList), false, "", "Client[*CronTab]"},
		{all, false, "x", "ClientWithListAndApply[*CronTab, *CronTabList, *A]"},
		{all, true, "x", "Client[*CronTab]"},
		{all.Without(model.VerbApply), false, "x", "ClientWithListAndApply[*CronTab, *CronTabList, *A]"},
		{all.Without(model.VerbApply, model.VerbApplyStatus), false, "x", "ClientWithList[*CronTab, *CronTabList]"},
		{all.Without(model.VerbList), false, "x", "ClientWithApply[*CronTab, *A]"},
	} {
		d := crontab(applied(test.apply))
		d.Model.Verbs, d.Model.NoVerbs = test.verbs, test.noVerbs
		got := string(d.ClientType())
		if test.apply != "" {
			got = strings.Replace(got, string(d.ApplyType()), "A", 1)
		}
		if got != test.want {
			t.Errorf("%q, noVerbs %v, apply %q: the client is %s, want %s", test.verbs.List(), test.noVerbs, test.apply, got, test.want)
		}
	}
}

func TestGroupVersion(t *testing.T) {
	for declared, want := range map[string]gofile.Code{
		"":             `schema.GroupVersion{Group: "stable.example.com", Version: "v1"}`,
		"GroupVersion": "GroupVersion",
	} {
		d := crontab(Options{})
		d.Model.Package.GroupVersionVar = declared
		if got := d.GroupVersion(); got != want {
			t.Errorf("with the variable %q it is %s, want %s", declared, got, want)
		}
	}
}

func TestHeader(t *testing.T) {
	k := crontab(Options{Options: plan.Options{Header: "// Text.\n\n"}})
	f := &file{API: k.API, group: k.Group.Model, version: k.Version.Model}
	f.version.Packages = append(f.version.Packages, &model.Package{Path: "example.com/a"})
	want := gofile.Code("// Text.\n\n// Code generated by kubegen clientset. DO NOT EDIT.\n// Source: example.com/a, example.com/apis/stable/v1\n\n")
	if got := f.header(); got != want {
		t.Errorf("the header is\n%swant\n%s", got, want)
	}
	f.group, f.version = nil, nil
	f.opts.Header = ""
	if got, want := f.header(), gofile.Code("// Code generated by kubegen clientset. DO NOT EDIT.\n\n"); got != want {
		t.Errorf("the header for the whole API is\n%swant\n%s", got, want)
	}
}
