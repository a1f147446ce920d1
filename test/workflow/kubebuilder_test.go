package workflow

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/test/conformance"
)

// scaffolds are the arguments of kubebuilder, after init, by the name of the project.
var scaffolds = map[string][]string{
	"plain":      {"create api --group batch --version v1 --kind CronTab --resource --controller --make=false"},
	"multigroup": {"edit --multigroup=true", "create api --group batch --version v1 --kind CronTab --resource --controller --make=false", "create api --group apps --version v1beta1 --kind Site --namespaced=false --resource --controller=false --make=false"},
	"ssa":        {"create api --group batch --version v1 --kind CronTab --resource --controller --make=false --ssa"},
	"webhook": {"create api --group batch --version v1 --kind CronTab --resource --controller --make=false",
		"create webhook --group batch --version v1 --kind CronTab --defaulting --programmatic-validation --make=false"},
	"conversion": {"create api --group batch --version v1 --kind CronTab --resource --controller --make=false", "create api --group batch --version v2 --kind CronTab --resource --controller=false --make=false",
		"create webhook --group batch --version v1 --kind CronTab --conversion --spoke v2 --make=false"},
}

// TestKubebuilder replaces controller-gen in projects of kubebuilder as docs/kubebuilder.md says. "make generate
// manifests" must write the same files as before: the same manifests except for the version of the tool, Go files
// with the same methods, and apply configurations with the same exported API. A second run must change nothing.
func TestKubebuilder(t *testing.T) {
	if _, err := exec.LookPath("make"); testing.Short() || err != nil {
		t.Skip("-short, or there is no make: it builds commands and runs them in projects of kubebuilder")
	}
	command := func(t *testing.T, dir, name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	tool := strings.TrimSpace(command(t, filepath.Join(moduletest.Root, "hack/tools"), "go", "tool", "-n", "controller-gen"))
	for name, arguments := range scaffolds {
		t.Run(name, func(t *testing.T) {
			before := filepath.Join(t.TempDir(), "project")
			if err := os.Mkdir(before, 0o755); err != nil {
				t.Fatal(err)
			}
			arguments = append([]string{"init --domain example.com --repo example.com/project --skip-go-version-check"}, arguments...)
			for _, line := range arguments {
				command(t, before, "go", append([]string{"run", moduletest.Kubebuilder}, strings.Fields(line)...)...)
			}
			bin := filepath.Join(before, "bin")
			if err := os.MkdirAll(bin, 0o755); err != nil {
				t.Fatal(err)
			}
			const version = "v0.23.0"
			after := filepath.Join(t.TempDir(), "project")
			if err := os.CopyFS(after, os.DirFS(before)); err != nil {
				t.Fatal(err)
			}
			for _, dir := range []string{before, after} { // as the Makefile installs it
				installed := filepath.Join(dir, "bin", "controller-gen")
				if err := os.Symlink(tool, installed+"-"+version); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(installed+"-"+version, installed); err != nil {
					t.Fatal(err)
				}
			}
			generate := func(dir string) map[string]string {
				command(t, dir, "make", "generate", "manifests", "CONTROLLER_TOOLS_VERSION="+version, "YEAR=2026")
				return filesOf(t, dir)
			}
			want := generate(before)
			const kubegen = "github.com/kubegen/kubegen"
			command(t, after, "go", "mod", "edit", "-replace", kubegen+"="+moduletest.Root, "-replace", kubegen+"/fakeapi="+filepath.Join(moduletest.Root, "fakeapi"),
				"-require", kubegen+"@v0.0.0", "-tool", kubegen+"/cmd/gen-controller")
			command(t, after, "go", "list", "-deps", kubegen+"/cmd/gen-controller")
			replaceControllerGen(t, after, name == "plain")
			got := generate(after)
			for file := range want {
				if comparable(got[file]) != comparable(want[file]) {
					t.Errorf("%s is\n%s\nwant\n%s", file, got[file], want[file])
				}
			}
			for file := range got {
				if _, ok := want[file]; !ok {
					t.Errorf("%s is new", file)
				}
			}
			if name == "ssa" {
				compareApply(t, before, after)
			}
			for file, text := range generate(after) {
				if text != got[file] {
					t.Errorf("a second run changes %s", file)
				}
			}
		})
	}
}

// compareApply compares the exported API of the apply configurations in two projects.
func compareApply(t *testing.T, before, after string) {
	t.Helper()
	var loaded [2]map[string]*types.Package
	for i, dir := range []string{before, after} {
		var err error
		if loaded[i], err = conformance.LoadSource(dir, "./api/v1/applyconfiguration/..."); err != nil || len(loaded[i]) == 0 {
			t.Fatalf("%d packages of apply configurations: %v", len(loaded[i]), err)
		}
	}
	for _, difference := range conformance.Compare(loaded[0], loaded[1]).Differences() {
		t.Error(difference)
	}
}

// replaceControllerGen edits the Makefile. If documented is set, the patch in docs/kubebuilder.md must have the same
// result.
func replaceControllerGen(t *testing.T, dir string, documented bool) {
	t.Helper()
	name := filepath.Join(dir, "Makefile")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(
		"CONTROLLER_GEN ?= $(LOCALBIN)/controller-gen", "CONTROLLER_GEN ?= $(shell go tool -n gen-controller)",
		"$(CONTROLLER_GEN): $(LOCALBIN)\n\t$(call go-install-tool,$(CONTROLLER_GEN),sigs.k8s.io/controller-tools/cmd/controller-gen,$(CONTROLLER_TOOLS_VERSION))\n", "",
	).Replace(string(text))
	if !documented {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	page, err := os.ReadFile(filepath.Join(moduletest.Root, "docs/kubebuilder.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "\n```diff scaffold\n")
	patch, _, _ := strings.Cut(rest, "\n```\n")
	cmd := exec.Command("git", "apply", "-")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(patch+"\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != want {
		t.Errorf("the patch in docs/kubebuilder.md results in\n%s\n%v", got, err)
	}
}

// filesOf returns the files of a project, except for the ones that the test changes.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, name)
		if err != nil || entry.IsDir() || rel == "Makefile" || strings.HasPrefix(rel, "go.") || strings.HasPrefix(rel, "bin"+string(filepath.Separator)) {
			return err
		}
		text, err := os.ReadFile(name)
		files[rel] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var versionLine = regexp.MustCompile(`(?m)^ +controller-gen\.kubebuilder\.io/version: .*\n`)

// appliedClause matches a file of apply configurations, which have no build tag, up to their package clause.
var appliedClause = regexp.MustCompile(`(?s)^/\*.*?\*/\s+// Code generated by (?:kubegen applyconfiguration|controller-gen[^ ]*)\. DO NOT EDIT\..*?\n(package \w+)\n`)

// comparable returns a manifest without the version of the tool, the declarations of a file with DeepCopy methods, or
// the package of other Go files, see compareApply.
func comparable(text string) string {
	if clause := appliedClause.FindStringSubmatch(text); clause != nil {
		return clause[1]
	}
	if !strings.Contains(text, "//go:build !ignore_autogenerated\n") {
		return versionLine.ReplaceAllString(text, "")
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
	if err != nil {
		return text
	}
	declared := "package " + f.Name.Name
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.IsExported() {
			if star, ok := fn.Recv.List[0].Type.(*ast.StarExpr); ok {
				declared += "\n" + star.X.(*ast.Ident).Name + "." + fn.Name.Name
			}
		}
	}
	return declared
}
