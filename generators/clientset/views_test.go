package clientset

import (
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/templates"
)

// applied are options for a run that also generates apply configurations.
var applied = render.Options{Options: plan.Options{Roots: map[string]plan.Root{templates.ApplyConfigurations: {Path: "example.com/ac"}}}}

// crontab returns the view of the kind CronTab, after change has modified it, for a file in the package of the types.
// References to these types have no qualifier there.
func crontab(t *testing.T, opts render.Options, change func(*model.Resource)) Client {
	t.Helper()
	g := &model.Group{Name: "stable.example.com", GoName: "Stable", Dir: "stable"}
	v := &model.Version{Group: g, Name: "v1"}
	g.Versions = []*model.Version{v}
	pkg := &model.Package{Path: "example.com/apis/stable/v1", Name: "v1"}
	r := &model.Resource{
		Version: v, Package: pkg, Kind: "CronTab", Plural: "CronTabs", Name: "crontabs", Namespaced: true,
		Verbs: model.NewVerbs(model.AllVerbs()...), List: model.List{Name: "CronTabList"},
	}
	change(r)
	v.Packages, v.Resources = []*model.Package{pkg}, []*model.Resource{r}
	opts.Roots = map[string]plan.Root{
		templates.ApplyConfigurations: opts.Roots[templates.ApplyConfigurations], templates.Clientset: {Path: "example.com/apis"},
	}
	var given Client
	views := render.Views{Kind: func(k *render.Kind) any {
		given = Client{k}
		return given
	}}
	if _, diags := render.Files(kinds{views: views}, &model.API{Groups: []*model.Group{g}}, &opts); given.kind == nil {
		t.Fatal(diags)
	}
	return given
}

// kinds is the generator of the clients of kinds alone, with other views.
type kinds struct {
	Generator
	views render.Views
}

func (kinds) Info() *plan.Info {
	outputs := []plan.Output{{Template: templates.Clients + "/kind.go.tmpl"}}
	return &plan.Info{Name: info.Name, Code: plan.Code{Templates: info.Templates, Outputs: outputs}}
}

func (k kinds) Views(*model.API, *render.Options) (render.Views, diag.List) { return k.views, nil }

func TestMethodRequest(t *testing.T) {
	scale := model.TypeRef{Path: "example.com/apis/stable/v1", Name: "Scale"}
	self := model.TypeRef{Path: "example.com/apis/stable/v1", Name: "CronTab"}
	for _, test := range []struct {
		verb          model.Verb
		subresource   string
		input, result model.TypeRef
		object, body  string // parameters
		request       string // call, name, subresource and body of the request
		action        string
	}{
		{model.VerbGet, "", self, scale, "name", "",
			"Get() name  ", "NewGetActionWithOptions(c.Resource(), c.Namespace(), name, opts)"},
		{model.VerbGet, "a/b", self, scale, "cronTabName", "",
			`Get() cronTabName "a", "b" `, `NewGetSubresourceActionWithOptions(c.Resource(), c.Namespace(), "a/b", cronTabName, opts)`},
		{model.VerbCreate, "", scale, self, "", "scale",
			"Post()   scale", "NewCreateActionWithOptions(c.Resource(), c.Namespace(), scale, opts)"},
		{model.VerbCreate, "s", scale, self, "cronTabName", "scale",
			`Post() cronTabName "s" scale`, `NewCreateSubresourceActionWithOptions(c.Resource(), cronTabName, "s", c.Namespace(), scale, opts)`},
		{model.VerbUpdate, "", self, self, "", "cronTab",
			"Put() cronTab.GetName()  cronTab", "NewUpdateActionWithOptions(c.Resource(), c.Namespace(), cronTab, opts)"},
		{model.VerbUpdate, "s", scale, scale, "cronTabName", "scale",
			`Put() cronTabName "s" scale`, `NewUpdateSubresourceActionWithOptions(c.Resource(), "s", c.Namespace(), scale, opts)`},
		{model.VerbUpdate, "s", model.TypeRef{Path: self.Path, Name: "CronTabName"}, scale, "cronTabName", "obj",
			`Put() cronTabName "s" obj`, `NewUpdateSubresourceActionWithOptions(c.Resource(), "s", c.Namespace(), obj, opts)`},
		{model.VerbList, "", self, scale, "", "",
			"Get()   ", "NewListActionWithOptions(c.Resource(), c.Kind(), c.Namespace(), opts)"},
		{model.VerbPatch, "", self, scale, "", "",
			"Patch(pt) name subresources... data", "NewPatchSubresourceActionWithOptions(c.Resource(), c.Namespace(), name, pt, data, opts, subresources...)"},
		{model.VerbApply, "", self, self, "", "cronTab",
			" *name  ", "NewPatchSubresourceActionWithOptions(c.Resource(), c.Namespace(), *name, types.ApplyPatchType, data, opts.ToPatchOptions())"},
		{model.VerbApply, "s", scale, scale, "cronTabName", "scale",
			` cronTabName "s" `, `NewPatchSubresourceActionWithOptions(c.Resource(), c.Namespace(), cronTabName, types.ApplyPatchType, data, opts.ToPatchOptions(), "s")`},
	} {
		k := crontab(t, applied, func(r *model.Resource) {
			r.Methods = []model.Method{{Name: "Do", Verb: test.verb, Subresource: test.subresource, Input: test.input, Result: test.result}}
		})
		m := k.Methods()[0]
		name := string(test.verb) + " " + test.subresource
		placeholder := strings.TrimSuffix(string(gofile.Local("x")), "x")
		wished := func(code gofile.Code) string { return strings.ReplaceAll(string(code), placeholder, "") }
		if object, body := wished(m.ObjectName()), wished(m.BodyName()); object != test.object && !m.IsPatch() || body != test.body {
			t.Errorf("%s: the parameters are %q and %q, want %q and %q", name, object, body, test.object, test.body)
		}
		if got := wished(gofile.Join([]gofile.Code{m.Request(), m.RequestName(), m.RequestSubresource(), m.RequestBody()}, " ")); got != test.request {
			t.Errorf("%s: the request is %q, want %q", name, got, test.request)
		}
		if got := wished(m.Action()); got != test.action {
			t.Errorf("%s: the action is\n%s, want\n%s", name, got, test.action)
		}
	}
}

func TestMethodsThatApplyNeedApplyConfigurations(t *testing.T) {
	for want, opts := range map[int]render.Options{1: {}, 2: applied} {
		k := crontab(t, opts, func(r *model.Resource) {
			r.Methods = []model.Method{{Name: "Get2", Verb: model.VerbGet}, {Name: "Apply2", Verb: model.VerbApply}}
		})
		if got := len(k.Methods()); got != want {
			t.Errorf("with the roots %v there are %d methods, want %d", opts.Roots, got, want)
		}
	}
}

func TestIrregular(t *testing.T) {
	for kind, resource := range map[string]string{"CronTab": "crontabs", "Policy": "policies", "Ingress": "ingresses"} {
		k := crontab(t, render.Options{}, func(r *model.Resource) { r.Kind, r.Name = kind, resource })
		if len(API{k.API}.Irregular()) != 0 {
			t.Errorf("%s of %s counts as irregular", resource, kind)
		}
		k.Model.Name = "other"
		if len(API{k.API}.Irregular()) != 1 {
			t.Errorf("%s of %s counts as regular", k.Model.Name, kind)
		}
	}
}
