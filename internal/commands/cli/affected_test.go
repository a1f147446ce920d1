package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/templates"
)

// affecting has a value of each flag in plan.Affected that changes the files of the module in testdata/affected.txtar.
var affecting = map[string]string{
	"applyconfig-name": "changed", "clientset-name": "changed", "versioned-name": "changed", "listers-name": "changed",
	"informers-name": "changed", "fake-clientset": "false", "clientset-api-path": "/changed", "prefers-protobuf": "true",
	"apply-configuration-package": "example.com/m/changed", "applyconfig-externals": "[example.com/m/parts.Other:example.com/m/changed]",
	"with-consistency": "true", "extra-peer-dirs": "[./peers]", "gates": "[Old]",
	"crd-max-description-length": "3", "crd-embedded-object-meta": "true", "crd-ignore-unexported-fields": "true",
	"manifest-header-file": "header.txt", "crd-preserve-unknown-fields": "\"false\"", "rbac-role-name": "changed",
	"edits":          "[{kind: Thing, set: {description: changed}}]",
	"rbac-file-name": "changed.yaml", "chart-add": "false",
	"templates": "templates", "boilerplate": "header.txt", "openapi-model-names": "changed.go", "openapi-report": "out/openapi/changed",
	// These have their effect only beside others, or on a run that fails without them.
	"crd-allow-dangerous-types": "",
}

// TestAffected checks that plan.Affected has the generators on whose files a flag has an effect, and no others: a flag
// must not be refused if it has one. The generators run beside each other, each for a package of its own, as outputs of
// a kubegen.yaml with the flag above them, where it is accepted for the sake of any.
func TestAffected(t *testing.T) {
	affected := plan.Affected(generators.Infos())
	module, err := txtar.ParseFile("testdata/affected.txtar")
	if err != nil {
		t.Fatal(err)
	}
	want := affectedFiles(t, module, "")
	for flag, value := range affecting {
		if affected[flag] == nil {
			t.Errorf("plan.Affected lacks --%s", flag)
		}
		if value == "" {
			continue
		}
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			got := affectedFiles(t, module, flag)
			if changes := !maps.Equal(got["marked"], want["marked"]); changes != plan.AffectsApplying(flag) {
				t.Errorf("--%s=%s changes apply configurations that markers request: %t, but plan.AffectsApplying differs", flag, value, changes)
			}
			for _, g := range generators.All {
				info := g.Info()
				if got[info.Name] == nil || affectsPart(flag, info) {
					continue
				}
				changes, listed := !maps.Equal(got[info.Name], want[info.Name]), slices.Contains(affected[flag], info)
				if changes != listed {
					t.Errorf("--%s=%s changes files of %s: %t, but plan.Affected says %t", flag, value, info.Name, changes, listed)
				}
			}
		})
	}
	for flag, infos := range affected {
		if _, ok := affecting[flag]; !ok && !slices.ContainsFunc(infos, func(i *plan.Info) bool { return i.EnableFlag.Name == flag }) {
			t.Errorf("give --%s a value in affecting", flag)
		}
	}
}

// affectsPart reports whether a flag affects files that a chart or an installer follows.
func affectsPart(flag string, info *plan.Info) bool {
	return slices.Contains([]string{"chart", "install"}, info.Name) && slices.ContainsFunc(plan.Affected(generators.Infos())[flag], func(i *plan.Info) bool {
		return slices.Contains([]string{"crd", "rbac", "webhook"}, i.Name)
	})
}

// affectedFiles returns the files below apis/GENERATOR and out/GENERATOR after a run with all generators and a flag, by
// generator and path.
func affectedFiles(t *testing.T, module *txtar.Archive, flag string) map[string]map[string]string {
	t.Helper()
	dir := t.TempDir()
	config := "version: 1\n"
	if flag != "" {
		config += fmt.Sprintf("%s: %s\n", flag, affecting[flag])
	}
	config += "outputs:\n- packages: [./apis/marked/...]\n  only: [deepcopy]\n  applyconfig-markers: true\n"
	for _, g := range generators.All {
		name := g.Info().Name
		if flag == "apply-configuration-package" && name == "applyconfiguration" {
			continue // they are refused together
		}
		for _, f := range module.Files {
			if below, ok := strings.CutPrefix(f.Name, "apis/GENERATOR/"); ok {
				writeFile(t, filepath.Join(dir, "apis", name, below), bytes.ReplaceAll(f.Data, []byte("GENERATOR"), []byte(name)))
			}
		}
		only := name
		if name == "chart" {
			only = "crd, rbac, webhook, chart"
		} else if name == "install" {
			only = "crd, install"
		}
		config += fmt.Sprintf("- packages: [./apis/%s/...]\n  only: [%s]\n", name, only)
		if g.Info().Manifests == nil {
			config += fmt.Sprintf("  output-dir: out/%s\n", name)
		} else {
			config += fmt.Sprintf("  %s: out/%s\n", g.Info().EnableFlag.Name, name)
		}
		if name == "chart" {
			config += "  with-crds: charted/crd\n  with-rbac: charted/rbac\n  with-webhooks: charted/webhook\n"
		} else if name == "install" {
			config += "  with-crds: out/install/crds\n"
		}
	}
	for _, f := range module.Files {
		if !strings.HasPrefix(f.Name, "apis/GENERATOR/") {
			writeFile(t, filepath.Join(dir, f.Name), f.Data)
		}
	}
	for _, pattern := range []string{"*/*.md.tmpl", "*/*.go.tmpl", "*/*/*.go.tmpl", "*/*/*/*.go.tmpl"} {
		names, _ := fs.Glob(templates.FS, pattern)
		for _, name := range names {
			text, _ := fs.ReadFile(templates.FS, name)
			writeFile(t, filepath.Join(dir, "templates", name), append(text, "\n// changed\n"...))
		}
	}
	writeFile(t, filepath.Join(dir, "kubegen.yaml"), []byte(config))
	moduletest.Complete(t, dir)
	var stdout, stderr bytes.Buffer
	if code := execute(t.Context(), Kubegen, nil, environment(t, dir), &stdout, &stderr); code != exitDone {
		t.Fatalf("--%s: exit code %d: %s", flag, code, stderr.String())
	}
	found := map[string]map[string]string{}
	for _, file := range listFiles(t, dir) {
		parts := strings.SplitN(file, "/", 3)
		if parts[0] != "apis" && parts[0] != "out" {
			continue
		}
		if found[parts[1]] == nil {
			found[parts[1]] = map[string]string{}
		}
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		found[parts[1]][file] = string(text)
	}
	return found
}
