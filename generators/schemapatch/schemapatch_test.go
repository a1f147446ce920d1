package schemapatch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// TestConfigure compares the manifests whose schemas are replaced in a directory with one file, and the messages about
// it. With Manifests, all manifests of a directory are written into another one.
func TestConfigure(t *testing.T) {
	const definition = "kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\n"
	for _, test := range []struct {
		name, file, text string
		settings         plan.Settings
		want             string
	}{
		{"definition", "a.yaml", definition, nil, "a.yaml"},
		{"another object", "a.yaml", "kind: Deployment\napiVersion: apps/v1\n", nil,
			"error: --patch-crds: no .yaml file in directory crds has a CustomResourceDefinition"},
		{"another extension", "a.yml", definition, nil,
			"error: --patch-crds: no .yaml file in directory crds has a CustomResourceDefinition"},
		{"in a directory", "a/a.yaml", definition, nil,
			"error: --patch-crds: no .yaml file in directory crds has a CustomResourceDefinition"},
		{"older", "a.yaml", strings.Replace(definition, "/v1", "/v1beta1", 1), nil, "a.yaml"},
		{"older, of all", "a.yaml", strings.Replace(definition, "/v1", "/v1beta1", 1), plan.Settings{Manifests: plan.Literal("crds")},
			"a.yaml; error: cannot replace schemas in a CustomResourceDefinition of apiextensions.k8s.io/v1beta1"},
		{"template", "a.yaml", "{{if .Values.crds}}\n" + definition + "{{end}}\n", nil,
			"error: cannot replace schemas in this manifest: it is a template"},
		{"others before", "a.yaml", "kind: ConfigMap\n---\n" + definition, nil, "a.yaml"},
		{"others before, of all", "a.yaml", "kind: ConfigMap\n---\n" + definition, plan.Settings{Manifests: plan.Literal("crds")},
			"warning: --schemapatch-manifests: no .yaml file in directory crds has a CustomResourceDefinition"},
		{"none, before the run", "a.txt", "", plan.Settings{AfterCRDs: plan.Literal("true")}, ""},
		{"no directory", "../a.yaml", definition, nil, "--patch-crds: open DIR/crds: no such file or directory"},
		{"no directory, before the run", "../a.yaml", definition, plan.Settings{AfterCRDs: plan.Literal("true")}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			name := filepath.Join(dir, "crds", filepath.FromSlash(test.file))
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(test.text), 0o666); err != nil {
				t.Fatal(err)
			}
			setup := render.Setup{
				Plan: &plan.Plan{Environment: load.Environment{Dir: dir}, Flags: &plan.Flags{Settings: test.settings}}, Dir: filepath.Join(dir, "crds"),
			}
			var diags diag.List
			configured, err := Generator{}.Configure(setup, &diags)
			var said []string
			if g, ok := configured.(Generator); ok {
				for _, template := range g.Templates {
					said = append(said, filepath.Base(template.File()))
				}
			}
			for _, d := range diags {
				said = append(said, fmt.Sprintf("%v: %s", d.Severity, d.Message))
			}
			if err != nil {
				said = append(said, err.Error())
			}
			if got := strings.ReplaceAll(strings.Join(said, "; "), dir, "DIR"); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
