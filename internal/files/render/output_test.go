package render

import (
	"path"
	"testing"

	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/model"
)

func TestLayout(t *testing.T) {
	g := &model.Group{Name: "my.example.com", Dir: "myGroup"}
	f := &file{group: g, version: &model.Version{Group: g, Name: "v1"}}
	kind, of := *f, *f
	beside := file{pkg: &model.Package{Path: "example.com/apis/v1", Name: "v1"}}
	kind.resource = &model.Resource{Kind: "CronTab"}
	of.of = &model.StructType{TypeRef: model.TypeRef{Name: "CronTab"}}
	for _, test := range []struct {
		template, path string
		root           plan.Root
		scope          Scope
		of             *file
	}{
		{"clientset/extra.go.tmpl", "extra.go", plan.Root{}, PerAPI, f},
		{"clientset/metrics/kinds.go.tmpl", "metrics/kinds.go", plan.Root{}, PerAPI, f},
		{"listers/group/all.go.tmpl", "mygroup/all.go", plan.Root{}, PerGroup, f},
		{"listers/group/version/all.go.tmpl", "mygroup/v1/all.go", plan.Root{}, PerVersion, f},
		{"clientset/typed/group/version/group_extra.go.tmpl", "typed/mygroup/v1/myGroup_extra.go", plan.Root{}, PerVersion, f},
		{"clientset/typed/group/version/kind_extra.go.tmpl", "typed/mygroup/v1/crontab_extra.go", plan.Root{}, PerKind, &kind},
		{"clientset/typed/group/version/fake/fake_kind_x.go.tmpl", "typed/mygroup/v1/fake/fake_crontab_x.go", plan.Root{}, PerKind, &kind},
		{"informers/group/version/kind_x.go.tmpl", "myGroup/v1/crontab_x.go", plan.Root{KeepsCase: true}, PerKind, &kind},
		{"applyconfigurations/group/version/struct_x.go.tmpl", "mygroup/v1/crontab_x.go", plan.Root{}, PerStruct, &of},
		{"register/package/zz_kind.go.tmpl", "example.com/apis/v1/zz_kind.go", plan.Root{}, PerPackage, &beside},
	} {
		l, problem := layoutOf(test.template)
		dir, name := l.expand(test.root, test.of)
		if got := path.Join(dir, name); got != test.path || l.scope != test.scope || problem != "" {
			t.Errorf("%s: got %q, scope %d (%s)", test.template, got, l.scope, problem)
		}
	}
	for _, name := range []string{"listers/kind.go.tmpl", "listers/group/kind.go.tmpl", "listers/version/x.go.tmpl"} {
		if _, problem := layoutOf(name); problem == "" {
			t.Errorf("%s is no problem", name)
		}
	}
}
