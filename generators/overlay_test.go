package generators

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// Every method that docs/templates.md promises is there.
func TestTemplatesDocumentation(t *testing.T) {
	text, err := os.ReadFile("../docs/templates.md")
	if err != nil {
		t.Fatal(err)
	}
	promised := regexp.MustCompile("(?m)^\\| `\\.([A-Z]\\w*)").FindAllStringSubmatch(string(text), -1)
	if len(promised) < 50 {
		t.Errorf("docs/templates.md has %d methods", len(promised))
	}
	for _, match := range promised {
		if _, ok := reflect.TypeFor[MethodData]().MethodByName(match[1]); !ok {
			t.Errorf("docs/templates.md promises .%s, which there is not", match[1])
		}
	}
	if !strings.Contains(string(text), "are for: `"+TemplatesVersion+"`") {
		t.Errorf("docs/templates.md is not about version %s", TemplatesVersion)
	}
}

func TestNewOutput(t *testing.T) {
	for _, test := range []struct {
		template, path string
		scope          Scope
	}{
		{"clientset/extra.go.tmpl", "extra.go", PerAPI},
		{"clientset/metrics/kinds.go.tmpl", "metrics/kinds.go", PerAPI},
		{"listers/group/all.go.tmpl", "{group}/all.go", PerGroup},
		{"listers/group/version/all.go.tmpl", "{group}/{version}/all.go", PerVersion},
		{"clientset/typed/group/version/group_extra.go.tmpl", "typed/{group}/{version}/{Group}_extra.go", PerVersion},
		{"clientset/typed/group/version/kind_extra.go.tmpl", "typed/{group}/{version}/{kind}_extra.go", PerResource},
		{"clientset/typed/group/version/fake/fake_kind_x.go.tmpl", "typed/{group}/{version}/fake/fake_{kind}_x.go", PerResource},
		{"informers/group/version/kind_x.go.tmpl", "{Group}/{version}/{kind}_x.go", PerResource},
		{"applyconfigurations/group/version/struct_x.go.tmpl", "{group}/{version}/{kind}_x.go", PerStruct},
	} {
		got, problem := newOutput(test.template)
		if got.Path != test.path || got.Scope != test.scope || got.Template != test.template || problem != "" {
			t.Errorf("%s: got %q, scope %d (%s)", test.template, got.Path, got.Scope, problem)
		}
	}
	for _, name := range []string{"listers/kind.go.tmpl", "listers/group/kind.go.tmpl", "listers/version/x.go.tmpl"} {
		if _, problem := newOutput(name); problem == "" {
			t.Errorf("%s is no problem", name)
		}
	}
}

// kubegen's own templates, taken for a user's, add nothing.
func TestReadOverlayOfOwnTemplates(t *testing.T) {
	overlay, errs := ReadOverlay(os.DirFS("../templates"))
	if len(errs) > 0 || len(overlay.outputs) > 0 {
		t.Errorf("errors %v, outputs %v", errs, overlay.outputs)
	}
	if none, errs := ReadOverlay(fstest.MapFS{}); len(errs) > 0 || len(none.Extend(Listers).Outputs) != len(Listers.Outputs) {
		t.Errorf("errors %v of no templates", errs)
	}
}
