package crds_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/crd"
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
