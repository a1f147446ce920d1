package crds_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/moduletest"
)

var controllerTools = flag.String("controller-tools", "", "directory of a checkout of sigs.k8s.io/controller-tools, whose test data are also compared")

// exceptions are the packages of controller-gen's test data that kubegen treats differently, with the reason.
var exceptions = map[string]string{
	"./enum_error/...": "+k8s:enum above a field has no effect: a warning, as for every marker in a wrong place",
	"./nogroup/...":    "a server refuses a CustomResourceDefinition without a group: the package is left out",
}

// TestControllerTools compares the manifests of controller-gen's own test data, each package by itself and with the
// packages that its tests combine, and which packages both tools refuse.
func TestControllerTools(t *testing.T) {
	if *controllerTools == "" {
		t.Skip("the test data of controller-gen are a module of their own, which no proxy has: -controller-tools names a checkout")
	}
	const golden = "testdata.kubebuilder.io_cronjobs.yaml"
	dir := filepath.Join(t.TempDir(), "testdata")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(*controllerTools, "pkg/crd/testdata"))); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, golden)); err != nil {
		t.Fatal(err)
	}
	packages := [][]string{{".", "./unserved", "./deprecated"}, {".", "./unserved", "./deprecated", "./job/..."}, {"./multiple_versions/v1beta1", "./multiple_versions/v1beta2"}, {"./gen/..."}}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.IsDir() {
			packages = append(packages, []string{"./" + entry.Name() + "/..."})
		}
	}
	manifests := 0
	for _, patterns := range packages {
		t.Run(strings.Join(patterns, " "), func(t *testing.T) {
			var o crd.Options
			o.Floats, o.IgnoreUnexported = true, true
			want, refused := run(t, dir, "crd:allowDangerousTypes=true,ignoreUnexportedFields=true", patterns...)
			got, diags := generate(t, dir, o, patterns...)
			equal, report := differences(got, want)
			if refused && diags.HasErrors() {
				equal, report = 0, "" // controller-gen writes what is left, kubegen nothing
			} else if refused != diags.HasErrors() {
				report += fmt.Sprintf("controller-gen refuses something: %v; kubegen: %v", refused, messages(diags))
			}
			reason := exceptions[patterns[0]]
			switch {
			case report != "" && reason == "":
				t.Error(report)
			case report == "" && reason != "":
				t.Errorf("no longer an exception: %s", reason)
			}
			manifests += equal
		})
	}
	t.Logf("crds: %d manifests of controller-gen's test data are equal", manifests)
}

// otherExceptions are the test data of other generators that kubegen treats differently, with the reason.
var otherExceptions = map[string]string{
	"valid webhook":                sameName,
	"valid-custom-name webhook":    sameName,
	"valid-custom-service webhook": sameName,
	"valid-url webhook":            sameName,
}

const sameName = "two webhooks of a configuration have one name, which servers refuse: an error"

// TestControllerToolsGenerators runs gen-controller and controller-gen for the test data of the generators rbac,
// webhook, applyconfiguration and schemapatch. Their manifests are equal, and so are the names of the exported
// functions and methods in their Go files. Both refuse the same input, kubegen with a position. The module zip has only
// the data of rbac; -controller-tools names a checkout with the others.
func TestControllerToolsGenerators(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/controller-tools").Output()
	if err != nil {
		t.Fatal(err)
	}
	const external = "sigs.k8s.io/controller-tools/pkg/applyconfiguration/testdata/cronjob/external"
	type input struct{ dir, module, args string }
	inputs := []input{{filepath.Join(strings.TrimSpace(string(out)), "pkg/rbac/testdata"), "example.com/rbac", "rbac:roleName=manager-role paths=. output:dir=out"}}
	if *controllerTools != "" {
		pkg := filepath.Join(*controllerTools, "pkg")
		inputs = append(inputs,
			input{filepath.Join(pkg, "applyconfiguration/testdata/cronjob"), "sigs.k8s.io/controller-tools/pkg/applyconfiguration/testdata/cronjob", "applyconfiguration:externalApplyConfigurations=" + external + ".ExternalData@" + external + "ac paths=./api/v1"},
			input{filepath.Join(pkg, "schemapatcher/testdata"), "testdata.kubebuilder.io/inplaceschema", "schemapatch:manifests=valid paths=./apis/... output:dir=out"},
			input{filepath.Join(pkg, "schemapatcher/testdata"), "testdata.kubebuilder.io/inplaceschema", "schemapatch:manifests=invalid paths=./apis/... output:dir=out"})
		webhooks, err := filepath.Glob(filepath.Join(pkg, "webhook/testdata/*valid*"))
		if err != nil || len(webhooks) < 10 {
			t.Fatalf("%d directories with webhooks: %v", len(webhooks), err)
		}
		for _, dir := range webhooks {
			inputs = append(inputs, input{dir, "testdata.kubebuilder.io/cronjob", "webhook paths=./... output:dir=out"})
		}
	}
	real, own := controllerGen(t), filepath.Join(moduletest.Build(t, "gen-controller"), "gen-controller")
	equal, refusals := 0, 0
	for _, in := range inputs {
		generator, _, _ := strings.Cut(in.args, " ")
		name := filepath.Base(in.dir) + " " + strings.SplitN(generator, ":external", 2)[0]
		t.Run(name, func(t *testing.T) {
			tree := t.TempDir()
			if err := os.CopyFS(tree, os.DirFS(in.dir)); err != nil {
				t.Fatal(err)
			}
			for _, generated := range []string{"api/v1/applyconfiguration", "expected"} {
				if err := os.RemoveAll(filepath.Join(tree, generated)); err != nil {
					t.Fatal(err)
				}
			}
			moduletest.Copy(t, tree, "../go.mod", in.module)
			want, said, err := runCommandLine(t, tree, ".", real, strings.Fields(in.args))
			got, ownSaid, ownErr := runCommandLine(t, tree, ".", own, strings.Fields(in.args))
			var report []string
			if (err != nil) != (ownErr != nil) {
				report = append(report, fmt.Sprintf("controller-gen: %v %.2000s\ngen-controller: %v %.2000s", err, said, ownErr, ownSaid))
			} else if err != nil {
				refusals++
				if !regexp.MustCompile(`(?m)^\S+:\d+:\d+: error: `).MatchString(ownSaid) {
					report = append(report, "no position: "+ownSaid)
				}
			}
			for _, file := range slices.Sorted(maps.Keys(want)) {
				mine, theirs := got[file], want[file]
				if filepath.Ext(file) == ".go" && mine != "" {
					mine, theirs = exported(mine), exported(theirs)
				}
				if strings.Contains(file, "/internal/") {
					mine, theirs = "", "" // no other package can import it
				}
				if mine != theirs {
					report = append(report, file+": "+difference(mine, theirs))
				} else {
					equal++
				}
				delete(got, file)
			}
			for file := range got {
				report = append(report, "gen-controller writes "+file)
			}
			if expected, err := os.ReadFile(filepath.Join(in.dir, "role.yaml")); err == nil && want["out/role.yaml"] != comparable(string(expected)) {
				report = append(report, "controller-gen does not write the expected role.yaml")
			}
			switch reason := otherExceptions[name]; {
			case len(report) > 0 && reason == "":
				t.Error(strings.Join(report, "\n"))
			case len(report) == 0 && reason != "":
				t.Errorf("no longer an exception: %s", reason)
			}
		})
	}
	if equal == 0 {
		t.Error("no file was compared")
	}
	fmt.Printf("crds: %d files of controller-gen's test data for other generators are equal, %d inputs are refused\n", equal, refusals)
}

var exportedName = regexp.MustCompile(`(?m)^func (\([^)]*\) )?[A-Z]\w*`)

// exported returns the names of the exported functions and methods in a Go file.
func exported(text string) string {
	return strings.Join(slices.Sorted(slices.Values(exportedName.FindAllString(text, -1))), "\n")
}
