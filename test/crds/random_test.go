// Package crds_test compares CustomResourceDefinitions with those of controller-gen.
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

	_ "k8s.io/api/core/v1"
	_ "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	_ "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubegen/kubegen/internal/apitest"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

var (
	seeds = flag.Int("seeds", 200, "number of random packages")
	first = flag.Uint64("first", 0, "first seed")
)

// TestRandom compares manifests of random types with random markers. Those of kubegen must not depend on which types
// are in a package of their own, where controller-gen refuses most markers above the fields that have these types.
func TestRandom(t *testing.T) {
	one, several := randomModule(t), randomModule(t)
	for i := range *seeds {
		seed := *first + uint64(i)
		text, _ := apitest.Schemas(seed, false)
		write(t, filepath.Join(one, fmt.Sprintf("s%d/v1/types.go", seed)), []byte(text))
		text, base := apitest.Schemas(seed, true)
		write(t, filepath.Join(several, fmt.Sprintf("s%d/v1/types.go", seed)), []byte(text))
		write(t, filepath.Join(several, fmt.Sprintf("s%d/base/types.go", seed)), []byte(base))
	}
	want := reference(t, one, "crd:allowDangerousTypes=true", "./...")
	for _, dir := range []string{one, several} {
		var o crd.Options
		o.Floats = true
		got, diags := generate(t, dir, o, "./...")
		for _, d := range diags {
			if d.Severity == diag.Error {
				t.Errorf("%s: %s", d.Pos, d.Message)
			}
		}
		compare(t, got, want)
		checkPages(t, dir, got, "./...")
		if t.Failed() {
			t.Fatalf("see %s", keep(t, dir))
		}
	}
}

// randomModule returns the directory of a new module with the requirements of the module test.
func randomModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	moduletest.Copy(t, dir, "../go.mod", "example.com/random")
	return dir
}

// keep copies a directory to one that outlives the test.
func keep(t *testing.T, dir string) string {
	to, err := os.MkdirTemp("", "crds-")
	if err == nil {
		err = os.CopyFS(to, os.DirFS(dir))
	}
	if err != nil {
		t.Log(err)
	}
	return to
}

// reference returns the manifests of controller-gen by name.
func reference(t *testing.T, dir, generator string, patterns ...string) map[string]string {
	t.Helper()
	found, _ := run(t, dir, generator, patterns...) // what it wrote although it reports errors is compared
	return found
}

// run returns the manifests of controller-gen by name, and whether it reports errors.
func run(t *testing.T, dir, generator string, patterns ...string) (found map[string]string, refused bool) {
	t.Helper()
	tool, err := exec.Command("go", "tool", "-n", "controller-gen").Output()
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	cmd := exec.Command(strings.TrimSpace(string(tool)), generator, "paths="+strings.Join(patterns, ";"), "output:dir="+out)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Logf("controller-gen: %v\n%.4000s", err, text)
	}
	found = map[string]string{}
	names, _ := filepath.Glob(filepath.Join(out, "*.yaml"))
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Base(name)] = string(text)
	}
	return found, err != nil
}

// generate returns our manifests by name.
func generate(t *testing.T, dir string, o crd.Options, patterns ...string) (map[string]string, diag.List) {
	t.Helper()
	o.Tool, o.SkipValidation = "kubegen", true
	l, types, diags := typesIn(t, dir, patterns)
	found := map[string]string{}
	settings := goschema.NewMarkers(types, nil)
	manifests, mistakes := crd.Generate(settings, facts.ReadObjects(types, l.Input), o)
	for _, file := range manifests.Files {
		found[file.Name] = string(file.Content)
	}
	return found, slices.Concat(diags, mistakes, types.Refused(), l.Mistakes())
}

// typesIn returns a reader of the types in packages.
func typesIn(t *testing.T, dir string, patterns []string) (*load.Loader, *gotypes.Reader, diag.List) {
	vars := append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	l := load.NewLoader(t.Context(), load.Config{Env: load.Environment{Dir: dir, Vars: vars}, Marker: "+genclient"})
	packages, diags := l.Find(patterns)
	l.Read(packages, nil)
	return l, gotypes.NewReader(l, model.Policy{}), diags
}

// tool is the line with the version of the tool.
var tool = regexp.MustCompile(`(?m)^ +` + regexp.QuoteMeta(crd.Annotation) + `: .*\n`)

// compare reports differences, and returns how many manifests are equal.
func compare(t *testing.T, got, want map[string]string) int {
	t.Helper()
	equal, report := differences(got, want)
	if report != "" {
		t.Error(report)
	}
	return equal
}

// differences returns how many manifests are equal, and describes the first difference of each of the others.
func differences(got, want map[string]string) (equal int, report string) {
	names := slices.AppendSeq(slices.Collect(maps.Keys(got)), maps.Keys(want))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		g, w := tool.ReplaceAllString(got[name], ""), tool.ReplaceAllString(want[name], "")
		if g == w {
			equal++
			continue
		}
		gl, wl := strings.Split(g, "\n"), strings.Split(w, "\n")
		i := 0
		for i < min(len(gl), len(wl)) && gl[i] == wl[i] {
			i++
		}
		around := func(lines []string) string { return strings.Join(lines[max(0, i-6):min(len(lines), i+6)], "\n") }
		report += fmt.Sprintf("%s differs at line %d\ngot\n%s\nwant\n%s\n", name, i+1, around(gl), around(wl))
	}
	return equal, report
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
}
