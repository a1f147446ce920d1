package plan_test

import (
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
)

// TestResolve makes plans for a module from flags. It compares the targets with their directories, the patterns and the
// errors.
func TestResolve(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module example.com/m\n\ngo 1.24.0\n",
		"crds/foo.yml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: foos.example.com}\n",
		"vendor/x/a":   "",
	} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	kubegen := plan.Command{WholeModule: true, Consistent: true, Layout: plan.Everything}
	with := func(flags ...string) plan.Settings { // NAME=TEXT
		settings := plan.Settings{"with-deepcopy": plan.Literal("false"), "with-register": plan.Literal("false"), "with-conversion": plan.Literal("false"), "with-defaults": plan.Literal("false")}
		for _, flag := range flags {
			name, text, _ := strings.Cut(flag, "=")
			settings[name] = plan.Literal(text)
		}
		return settings
	}
	const clients = "applyconfiguration:pkg/generated/applyconfiguration clientset:pkg/generated/clientset/versioned lister:pkg/generated/listers informer:pkg/generated/informers/externalversions"
	for _, test := range []struct {
		name     string
		command  plan.Command
		flags    plan.Flags
		targets  string // NAME:DIRECTORY
		patterns string
		errors   string // parts of the first message
	}{
		{name: "nothing", command: kubegen, targets: clients, patterns: "./..."},
		{name: "packages", command: kubegen, flags: plan.Flags{InputFlags: plan.InputFlags{Patterns: []string{"./apis/v1", "example.com/x"}}}, targets: clients, patterns: "./apis/v1 example.com/x"},
		{name: "a directory", command: kubegen, flags: plan.Flags{OutputFlags: plan.OutputFlags{OutputDir: "out"}, Only: []string{"lister"}}, targets: "lister:out/listers", patterns: "./..."},
		{name: "in packages", command: kubegen, flags: plan.Flags{Only: []string{"deepcopy", "register"}, Settings: with("with-deepcopy=true", "with-register=true")}, targets: "deepcopy: register:", patterns: "./..."},
		{name: "manifests", command: kubegen, flags: plan.Flags{Only: []string{"crd", "rbac"}}, targets: "crd:config/crd/bases rbac:config/rbac", patterns: "./..."},
		{name: "manifests elsewhere", command: kubegen, flags: plan.Flags{Only: []string{"crd"}, Settings: with("with-crds=crds")}, targets: "crd:crds", patterns: "./..."},
		{name: "an unknown generator", command: kubegen, flags: plan.Flags{Only: []string{"listers"}}, errors: `only: unknown value "listers" (known are applyconfiguration, clientset, `},
		{name: "a directory of dependencies", command: kubegen, flags: plan.Flags{OutputFlags: plan.OutputFlags{OutputDir: "vendor/x"}}, errors: "vendor"},
		{name: "outside of the module", command: kubegen, flags: plan.Flags{OutputFlags: plan.OutputFlags{OutputDir: "../x"}}, errors: "is not in a module"},
		{name: "a missing header", command: kubegen, flags: plan.Flags{OutputFlags: plan.OutputFlags{HeaderFile: "none.txt", HeaderFlag: "boilerplate"}}, errors: "boilerplate: open "},
		{name: "a missing header of apply configurations that markers request", command: kubegen, errors: "ac-header: open ",
			flags: plan.Flags{ApplyFlags: plan.ApplyFlags{ApplyMarkers: true, ApplyHeaderFile: "none.txt", ApplyHeaderFlag: "ac-header"}}},
		{name: "an old release", command: kubegen, flags: plan.Flags{ClientGoVersion: "v0.1.0"}, errors: "client-go-version: v0.1 is older than"},
	} {
		flags := test.flags
		if flags.Settings == nil {
			flags.Settings = with()
		}
		p, diags := plan.Resolve(generators.Infos(), test.command, &flags, load.Environment{Dir: dir})
		if diags.HasErrors() || test.errors != "" {
			if !diags.HasErrors() || !strings.Contains(diags[0].Message, test.errors) || test.errors == "" {
				t.Errorf("%s: %v, want an error with %q", test.name, diags, test.errors)
			}
			continue
		}
		var targets []string
		for _, target := range append(p.Targets, p.ManifestTargets...) {
			rel := ""
			if target.Dir != "" {
				rel, _ = filepath.Rel(dir, target.Dir)
			}
			targets = append(targets, target.Info().Name+":"+filepath.ToSlash(rel))
		}
		if got := strings.Join(targets, " "); got != test.targets || strings.Join(p.Patterns, " ") != test.patterns {
			t.Errorf("%s: targets %s for %q, want %s for %q", test.name, got, p.Patterns, test.targets, test.patterns)
		}
	}
}

// TestByMarkers places apply configurations that markers request.
func TestByMarkers(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.24.0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	flags := &plan.Flags{ApplyFlags: plan.ApplyFlags{ApplyMarkers: true}, Settings: plan.Settings{}}
	whole, diags := plan.Resolve(generators.Infos(), plan.Command{WholeModule: true, Consistent: true, Layout: plan.Everything}, flags, load.Environment{Dir: dir})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	at, before := filepath.Join(dir, "go.mod"), len(whole.Targets)
	for _, test := range []struct{ output, dir, path, message string }{
		{output: "applyconfiguration", dir: "apis/v1/applyconfiguration", path: "example.com/m/apis/v1/applyconfiguration"},
		{output: "../../clients", dir: "clients", path: "example.com/m/clients"},
		{output: "../../../elsewhere", message: "no apply configurations can be in"},
		{output: "../../a b", message: "no apply configurations can be in"},
	} {
		pos := token.Position{Filename: at, Line: 1}
		p, diags := whole.ByMarkers("example.com/m/apis/v1", filepath.Join(dir, "apis", "v1"), test.output, pos)
		if test.message != "" {
			if p != nil || len(diags) != 1 || !strings.HasPrefix(diags[0].Message, test.message) || diags[0].Pos != pos {
				t.Errorf("%s: %v, want %q", test.output, diags, test.message)
			}
			continue
		}
		if diags.HasErrors() || len(p.Targets) != 1 || p.Targets[0].Dir != filepath.Join(dir, test.dir) || p.Targets[0].Root() != test.path || p.Patterns[0] != "example.com/m/apis/v1" {
			t.Errorf("%s: %+v for %q, %v", test.output, p.Targets, p.Patterns, diags)
		}
	}
	if len(whole.Targets) != before || whole.Patterns[0] != "./..." {
		t.Errorf("the plan of the run has changed: %v for %q", whole.Targets, whole.Patterns)
	}
}
