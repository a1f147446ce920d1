package imported

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// manifest returns the CustomResourceDefinition of a kind in a group with some versions.
func manifest(kind, group string, versions ...string) string {
	lower := strings.ToLower(kind)
	text := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: " + lower + "s." + group + "\nspec:\n  group: " + group +
		"\n  scope: Namespaced\n  names: {kind: " + kind + ", plural: " + lower + "s}\n  versions:\n"
	for _, version := range versions {
		text += "  - name: " + version + "\n    served: true\n    storage: " + map[bool]string{true: "true", false: "false"}[version == versions[0]] +
			"\n    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}\n"
	}
	return text
}

// resolve resolves an import with some flags, in a module with manifests in the directory crds.
func resolve(t *testing.T, flags plan.ImportFlags) (*Types, diag.List) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":            "module example.com/m\n\ngo 1.24.0\n",
		"crds/foo.yaml":     manifest("Foo", "example.com", "v1", "v2"),
		"crds/bar.yaml":     manifest("Bar", "example.net", "v1"),
		"crds/readme.md":    "text",
		"others/deploy.yml": "kind: Deployment\napiVersion: apps/v1\n",
		"pkg/types.go":      "package pkg\n",
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p, diags := plan.Resolve(generators.Infos(), plan.Command{Layout: plan.Everything}, &plan.Flags{
		OutputFlags: plan.OutputFlags{OutputDir: "gen"}, Settings: plan.Settings{}, Import: flags,
	}, load.Environment{Dir: dir, Vars: append(os.Environ(), "GOWORK=off")})
	return Resolve(p, load.Config{}, diags)
}

// TestResolve compares the packages of types, by directory, and the messages.
func TestResolve(t *testing.T) {
	crds := []string{"crds"}
	for _, test := range []struct {
		name    string
		flags   plan.ImportFlags
		want    []string
		defined []string
		message string // the beginning of the only one
	}{
		{name: "manifests", flags: plan.ImportFlags{Manifests: crds}, want: []string{"example.net/v1", "example/v1", "example/v2"}, defined: []string{"v1", "v2"}},
		{name: "a kind", flags: plan.ImportFlags{Manifests: crds, Kinds: []string{"Bar"}}, want: []string{"example/v1"}, defined: []string{"Bar", "v1", "v2"}},
		{name: "a version", flags: plan.ImportFlags{Manifests: crds, Versions: []string{"v2"}}, want: []string{"example/v2"}, defined: []string{"v1", "v2"}},
		{name: "a directory of a group", flags: plan.ImportFlags{Manifests: crds, GroupDirs: []string{"example.net=other"}},
			want: []string{"example/v1", "example/v2", "other/v1"}, defined: []string{"v1", "v2"}},
		{name: "Go packages", flags: plan.ImportFlags{Packages: []string{"x.example.com/api/v1"}}},
		{name: "no such kind", flags: plan.ImportFlags{Manifests: crds, Kinds: []string{"Baz"}}, defined: []string{"v1", "v2"}},
		{name: "no definitions", flags: plan.ImportFlags{Manifests: []string{"others"}}, message: "no CustomResourceDefinition of apiextensions.k8s.io/v1 in others"},
		{name: "a directory of Go files", flags: plan.ImportFlags{Manifests: []string{"./pkg"}},
			message: "no CustomResourceDefinition of apiextensions.k8s.io/v1 in ./pkg; name Go packages by their import paths"},
		{name: "no such file", flags: plan.ImportFlags{Manifests: []string{"none.yaml"}}, message: "none.yaml does not exist"},
		{name: "no name", flags: plan.ImportFlags{Manifests: []string{""}}, message: "the name of a manifest is empty"},
		{name: "a wrong directory", flags: plan.ImportFlags{Manifests: crds, GroupDirs: []string{"example.net=a/b"}}, message: `--group-dirs: "a/b" is not the name of one directory`},
		{name: "two directories", flags: plan.ImportFlags{Manifests: crds, GroupDirs: []string{"example.net=a", "example.net=b"}}, message: "--group-dirs: example.net has two values, a and b"},
		{name: "a wrong name", flags: plan.ImportFlags{Manifests: crds, Names: []string{"Foo.spec=spec"}}, message: `--names: "spec" is not an exported name in Go`},
		{name: "a standard package", flags: plan.ImportFlags{Packages: []string{"fmt"}}, message: `--packages: "fmt" is not the import path of a package in another module`},
		{name: "only types of Go packages", flags: plan.ImportFlags{Packages: []string{"x.example.com/v1"}, TypesOnly: true}, message: "--types-only: Go packages have types already"},
		{name: "a copy of nothing", flags: plan.ImportFlags{Manifests: crds, CopyFlags: plan.CopyFlags{Copy: true}}, message: "--copy: no Go packages to copy"},
		{name: "methods without a copy", flags: plan.ImportFlags{Manifests: crds, CopyFlags: plan.CopyFlags{Methods: []string{"A.B"}}}, message: "--methods requires --copy"},
		{name: "a version for some", flags: plan.ImportFlags{Packages: []string{"x.example.com/v1", "y.example.com/v1@v1.0.0"}, CopyFlags: plan.CopyFlags{Copy: true}},
			message: "--copy: some packages have a version and others have none"},
	} {
		t.Run(test.name, func(t *testing.T) {
			types, diags := resolve(t, test.flags)
			var dirs []string
			for _, pkg := range types.Packages {
				dirs = append(dirs, pkg.Dir)
			}
			slices.Sort(dirs)
			defined := slices.Sorted(maps.Keys(set(types.Defined)))
			messages := slices.DeleteFunc(diags, func(d *diag.Diagnostic) bool { return d.Severity != diag.Error })
			if !slices.Equal(dirs, test.want) || !slices.Equal(defined, test.defined) {
				t.Errorf("got %q, defined %q; want %q, defined %q", dirs, defined, test.want, test.defined)
			}
			if test.message == "" && len(messages) > 0 || test.message != "" && (len(messages) != 1 || !strings.HasPrefix(messages[0].Message, test.message)) {
				for _, d := range messages {
					t.Errorf("got %s", d.Message)
				}
				t.Errorf("want %q", test.message)
			}
		})
	}
}

func set(texts []string) map[string]bool {
	found := map[string]bool{}
	for _, text := range texts {
		found[text] = true
	}
	return found
}

// TestCovers lists the packages that belong to an import into gen, now or earlier.
func TestCovers(t *testing.T) {
	types, _ := resolve(t, plan.ImportFlags{Manifests: []string{"crds"}})
	covers := types.Covers()
	for importPath, want := range map[string]bool{
		"example.com/m/gen/example/v1": true, "example.com/m/gen/gone/v1": true, "example.com/m/gen/example": false, "example.com/m/pkg": false,
		"example.com/m/gen/a/b/c": false, "other.example.com/api/v1": true,
	} {
		if got := covers(importPath); got != want {
			t.Errorf("%s: got %t", importPath, got)
		}
	}
}
