package conformance

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/terms/model"
)

var (
	release = flag.String("release", model.NewestRelease.String(), "the release of client-go, with a file in releases")

	keep = flag.Bool("keep", false, "keep the directory with the generated client-go, and print its name")

	// The generators of k8s.io/code-generator can be set here as well, to check the test: for client-go's own generators
	// it must find no differences, except that applyconfiguration-gen needs an OpenAPI document.
	clientsetGenerator = flag.String("gen-clientset", "", "the clientset generator; built from cmd/gen-clientset if empty")
	listerGenerator    = flag.String("gen-lister", "", "the lister generator; built from cmd/gen-lister if empty")
	informerGenerator  = flag.String("gen-informer", "", "the informer generator; built from cmd/gen-informer if empty")
	applyGenerator     = flag.String("gen-applyconfiguration", "", "the apply configuration generator; built from cmd/gen-applyconfiguration if empty")
)

// releaseDir returns the directory of a new module that requires a release of client-go, such as v0.35, in its latest
// patch.
func releaseDir(t *testing.T, release string) string {
	t.Helper()
	dir := t.TempDir()
	moduletest.Copy(t, dir, moduletest.Release(release), "conformance")
	return dir
}

// TestClientGo regenerates client-go, compiles the result and compares it with the original. With -short, it does not
// run client-go's tests.
func TestClientGo(t *testing.T) {
	pinned := releaseDir(t, *release)
	reference, err := ModuleDir(pinned, "k8s.io/client-go")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("client-go is %s", filepath.Base(reference))
	work := workDir(t)
	if *keep {
		if work, err = os.MkdirTemp("", "conformance-"); err != nil {
			t.Fatal(err)
		}
		t.Logf("keeping %s", work)
	}
	if *release == model.PreviewRelease.String() {
		original := reference
		reference = filepath.Join(work, "original")
		if err := CopyModule(reference, original); err != nil {
			t.Fatal(err)
		}
		leaveOutUnpublished(t, pinned, reference)
	}
	ours := filepath.Join(work, "client-go")
	if err := CopyModule(ours, reference); err != nil {
		t.Fatal(err)
	}

	run := func(name string, step func(t *testing.T)) bool {
		return t.Run(name, func(t *testing.T) {
			start := time.Now()
			step(t)
			t.Logf("%s took %.1f s", name, time.Since(start).Seconds())
		})
	}
	if !run("Generate", func(t *testing.T) { generate(t, reference, ours, filepath.Join(work, "bin")) }) {
		return
	}
	var report Report
	compiled := run("API", func(t *testing.T) { report = compareAPI(t, reference, ours) })
	if compiled && !testing.Short() {
		run("ClientGoTests", func(t *testing.T) { clientGoTests(t, reference, ours, filepath.Join(work, "pristine")) })
	}
	if report.Packages > 0 {
		fmt.Printf("conformance %s: %s\n", *release, report)
	}
}

// leaveOutUnpublished makes the copy of a prerelease of client-go in dir build without what it requires and no module
// proxy has. It selects the modules that the go.mod in pinned does, and removes packages that import a module of
// which there is no version, or only a directory without code, with a skipped test each that says why. Generated code
// cannot be among them.
func leaveOutUnpublished(t *testing.T, pinned, dir string) {
	t.Helper()
	var sums []byte
	edits := []string{"mod", "edit", "-toolchain=" + toolchainOf(t, pinned)}
	edits = append(edits, moduletest.Replacements(t, filepath.Join(pinned, "go.mod"))...)
	if _, err := output(goCommand(dir, edits...)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dir, pinned} {
		text, err := os.ReadFile(filepath.Join(name, "go.sum"))
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, text...)
	}
	writeFile(t, filepath.Join(dir, "go.sum"), sums)
	const openapi = "k8s.io/kube-openapi"
	get := goCommand(dir, "get", openapi+"@"+versionOf(t, pinned, openapi))
	get.Env = append(get.Env, "GOFLAGS=-buildvcs=false") // it writes go.mod
	if _, err := output(get); err != nil {
		t.Fatal(err)
	}
	format := `{{range .DepsErrors}}{{$.ImportPath}}{{"\t"}}{{$.Dir}}{{"\t"}}{{printf "%q" .Err}}{{"\n"}}{{end}}`
	for _, r := range moduletest.ModFile(t, filepath.Join(pinned, "go.mod")).Replace {
		if r.New.Version == "" { // a directory without code
			format += fmt.Sprintf(`{{range .Deps}}{{if eq . %q}}{{$.ImportPath}}{{"\t"}}{{$.Dir}}{{"\t"}}imports {{.}}{{"\n"}}{{end}}{{end}}`, r.Old.Path)
		}
	}
	out, err := output(goCommand(dir, "list", "-e", "-f", format, "./..."))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.SplitN(strings.TrimSpace(line), "\t", 3)
		if slices.ContainsFunc(Trees, func(tree string) bool { return strings.HasPrefix(words[0], "k8s.io/client-go/"+tree+"/") }) {
			t.Errorf("%s cannot be compared: %s", words[0], words[2])
			continue
		}
		files, err := filepath.Glob(filepath.Join(words[1], "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
		t.Run("LeftOut", func(t *testing.T) { t.Skipf("%s: %s", words[0], words[2]) })
	}
}

// generate replaces the generated files of the client-go in dir.
func generate(t *testing.T, reference, dir, bin string) {
	removed, err := RemoveGenerated(dir)
	if err != nil {
		t.Fatal(err)
	}
	groupVersions, err := ClientsetGroupVersions(reference)
	if err != nil {
		t.Fatal(err)
	}
	packages, err := GenclientPackages(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d generated files removed; %d group versions in the clientset, %d for all else",
		removed, len(groupVersions), len(packages))

	flags := map[string]string{
		"gen-clientset": *clientsetGenerator, "gen-lister": *listerGenerator,
		"gen-informer": *informerGenerator, "gen-applyconfiguration": *applyGenerator,
	}
	for _, step := range Generators("k8s.io/client-go", groupVersions, packages) {
		name := flags[step.Name] // empty: the command of this repository
		if name == "" {
			step.Args = append(step.Args, "--client-go-version", *release)
			name = filepath.Join(bin, step.Name)
			if _, err := output(goCommand(filepath.Join("..", ".."), "build", "-o", name, "./cmd/"+step.Name)); err != nil {
				t.Fatal(err)
			}
		}
		binary, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		cmd := exec.Command(binary, step.Args...)
		cmd.Dir = dir
		cmd.Env = goEnv()
		if _, err := output(cmd); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s took %.2f s", filepath.Base(binary), time.Since(start).Seconds())
	}
	if err := CheckManual(reference, dir); err != nil {
		t.Error(head(err.Error()))
	}
}

func patterns() []string {
	var found []string
	for _, tree := range Trees {
		found = append(found, "./"+tree+"/...")
	}
	return found
}

// compareAPI compiles the generated packages of both modules, and compares their exported API.
func compareAPI(t *testing.T, reference, dir string) Report {
	want, err := Load(reference, patterns()...)
	if err != nil {
		t.Fatal(head(err.Error()))
	}
	got, err := Load(dir, patterns()...)
	if err != nil {
		t.Error(head(err.Error()))
	}
	report := Compare(want, got)
	if differences := report.Differences(); len(differences) > 0 {
		t.Errorf("%d differences\n%s", len(differences), head(strings.Join(differences, "\n")))
	}
	for _, name := range report.Added {
		t.Logf("added %s", name)
	}
	return report
}

// clientGoTests runs the tests that client-go has for, or on top of, generated code.
func clientGoTests(t *testing.T, reference, dir, pristine string) {
	dependent, err := DependentTests(dir)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("conformance %s: tests of %d packages depend on generated code: %s\n",
		*release, len(dependent), compareTests(t, reference, dir, pristine, dependent...))
}

// compareTests runs the tests of packages in dir, a copy of the module in reference in which code was replaced, and
// returns the numbers of those that passed and failed. A failure counts if it happens twice here and never in an
// unmodified copy, so that tests which are flaky, or which cannot pass on this machine, do not count.
func compareTests(t *testing.T, reference, dir, pristine string, packages ...string) (summary string) {
	runs, err := RunTests(dir, packages...)
	if err != nil {
		t.Fatal(err)
	}
	cached := 0
	for _, run := range runs {
		if run.Cached {
			cached++
		}
	}
	failed := Failures(runs)
	summary = fmt.Sprintf("%d passed (%d of them unchanged since an earlier run), %d failed", len(runs)-len(failed), cached, len(failed))
	if len(failed) == 0 {
		return summary
	}

	if err := CopyModule(pristine, reference); err != nil {
		t.Fatal(err)
	}
	before, err := RunTests(pristine, failed...)
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range failed {
		was, is := before[pkg], runs[pkg]
		switch {
		case was == nil || !was.Passed && len(was.Failed) == 0:
			t.Logf("%s: does not count, it fails in the original module too\n%s", pkg, head(strings.Join(is.Output, "")))
		case len(is.Failed) == 0:
			t.Errorf("%s: failed\n%s", pkg, head(strings.Join(is.Output, "")))
		default:
			checkFailures(t, dir, pkg, was, is)
		}
	}
	return summary
}

// checkFailures reports the failed tests of a package that count.
func checkFailures(t *testing.T, dir, pkg string, was, is *TestRun) {
	for _, test := range slices.Sorted(maps.Keys(is.Failed)) {
		if _, ok := was.Failed[test]; ok {
			t.Logf("%s: %s does not count, it fails in the original module too", pkg, test)
			continue
		}
		again, err := RunTests(dir, "-count=1", "-run", "^"+test+"$", pkg)
		if err != nil {
			t.Error(err)
		} else if again[pkg].Passed {
			t.Logf("%s: %s does not count, it passed the second time", pkg, test)
		} else {
			t.Errorf("%s: %s passes in the original module, but not here\n%s", pkg, test,
				head(strings.Join(is.Failed[test], "")))
		}
	}
}
