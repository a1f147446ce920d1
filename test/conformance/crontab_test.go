package conformance

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// controllerRuntime is the newest controller-runtime for each release of client-go that fakeapi works with. There is
// none for v0.38, but that for v0.37 works with prereleases, except for its fake client.
var controllerRuntime = map[string]string{"v0.34": "v0.22.5", "v0.35": "v0.23.3", "v0.36": "v0.24.1", "v0.37": "v0.25.2", "v0.38": "v0.25.2"}

const kubegenModule = "github.com/kubegen/kubegen"

// TestCronTab generates the CronTab example for a release of client-go, which its go.mod names, and runs the tests of
// the example, of the store of own writes, of fakeapi and of docs/testing.md with it. They are written for the newest
// release; --backport makes them work with others.
func TestCronTab(t *testing.T) {
	pinned := releaseDir(t, *release)
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	example := filepath.Join(root, "examples", "crontab-types")
	temp := workDir(t)
	dir := newCronTab(t, filepath.Join(temp, "module"), *release)
	copyDir(t, filepath.Join(temp, "examples", "crontab-types", "crds"), filepath.Join(example, "crds")) // where tests of fakeapi look for them

	kubegen := buildKubegen(t)
	for _, args := range [][]string{
		{"--output-dir", "plain", "--with-consistency", "./apis/..."},
		{"--output-dir", "generated", "--with-consistency", "--backport", "./apis/..."},
	} {
		cmd := goCommand(dir, args...)
		cmd.Path = kubegen
		if _, err := output(cmd); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := output(goCommand(dir, "mod", "tidy")); err != nil { // generated code imports what only client-go did
		t.Fatal(err)
	}
	if _, err := output(goCommand(dir, "vet", "./...")); err != nil { // also for the Go release that client-go asks for
		t.Error(err)
	}

	tests := []string{"bubble_test.go", "informers_test.go", "fakes_test.go", "lifecycle_test.go", "helpers_test.go", "waits_test.go", "consistency_test.go", "consistency_outcomes_test.go"}
	if *release >= "v0.36" { // before, caches do not know their versions, so that some of them last longer
		tests = append(tests, "consistency_caches_test.go")
	}
	for _, name := range tests {
		copyFile(t, filepath.Join(dir, name), filepath.Join(example, name))
	}
	copyTests(t, filepath.Join(dir, "consistency"), filepath.Join(root, "consistency"), "*_test.go")
	edits := []string{"mod", "edit"}
	if *release < "v0.38" { // which requires more than the tests do
		edits = append(edits, "-go=1.26.0")
	} else {
		edits = append(edits, "-toolchain="+toolchainOf(t, pinned))
	}
	if *release < "v0.35" {
		copied := filepath.Join(temp, "client-go")
		bubbleClientGo(t, pinned, copied)
		edits = append(edits, "-replace=k8s.io/client-go="+copied)
	}
	runtime, supported := controllerRuntime[*release]
	if !supported && *release != unsupported && *release != model.PreviewRelease.String() {
		t.Fatalf("no version of controller-runtime for %s", *release)
	}
	tested := []string{""}
	withServer := *release != unsupported && requireServer(t, dir)
	if withServer {
		tested = append(tested, "crdvalidation")
	}
	if supported = supported && withServer; supported {
		edits = append(edits, "-require=sigs.k8s.io/controller-runtime@"+runtime)
		tested = append(tested, "controllerruntime")
	}
	if *release == model.NewestRelease.String() { // the version of the workspace, so that the API server is compiled once for both
		version := versionOf(t, filepath.Join(root, "test", "conformance"), "golang.org/x/exp")
		edits = append(edits, "-require=golang.org/x/exp@"+version)
	}
	if _, err := output(goCommand(dir, edits...)); err != nil {
		t.Fatal(err)
	}
	before := kubernetesModules(t, dir)
	edits = []string{"mod", "edit"}
	if *release == unsupported {
		copied := filepath.Join(temp, "fakeapi")
		portFakeapi(t, copied, filepath.Join(root, "fakeapi"))
		edits = append(edits, use("fakeapi", copied)...)
	} else {
		for _, name := range tested {
			copyTests(t, filepath.Join(dir, "fakeapi", name), filepath.Join(root, "test", "fakeapi", name), "*.go")
		}
		const shared = "e2e/testdata/widgets/gizmos.yaml" // with the tests of crdvalidation
		copyFile(t, filepath.Join(dir, filepath.FromSlash(shared)), filepath.Join(root, "test", filepath.FromSlash(shared)))
		edits = append(edits, use("fakeapi", filepath.Join(root, "fakeapi"))...)
		if withServer {
			edits = append(edits, use("fakeapi/crdvalidation", filepath.Join(root, "fakeapi", "crdvalidation"))...)
		}
		copyFirstTests(t, dir, root, supported)
	}
	if *release == model.PreviewRelease.String() {
		copyTests(t, filepath.Join(dir, "fakeapi"), filepath.Join("testdata", "fakeapi"), "*.go")
	}
	if _, err := output(goCommand(dir, edits...)); err != nil {
		t.Fatal(err)
	}
	if _, err := output(goCommand(dir, "mod", "tidy")); err != nil {
		t.Fatal(err)
	}
	after := kubernetesModules(t, dir)
	for module, version := range before {
		if after[module] != "" && after[module] != version {
			t.Errorf("fakeapi raises %s %s to %s", module, version, after[module])
		}
	}
	runs, err := RunTests(dir, "-short", "./...")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		if run := runs[name]; !run.Passed {
			t.Errorf("%s failed\n%s%v", name, run.Output, run.Failed)
		} else if !strings.Contains(strings.Join(run.Output, ""), "[no test files]") {
			t.Logf("%s passed", name)
		}
	}
}

// requireServer makes the module in dir require the server's code, which crdvalidation imports. It returns false if a
// prerelease of this code requires what cannot be downloaded.
func requireServer(t *testing.T, dir string) bool {
	t.Helper()
	const server = "k8s.io/apiextensions-apiserver"
	edit := func(arg string) {
		if _, err := output(goCommand(dir, "mod", "edit", arg)); err != nil {
			t.Fatal(err)
		}
	}
	edit("-require=" + server + "@" + kubernetesModules(t, dir)["k8s.io/apimachinery"])
	if *release != model.PreviewRelease.String() {
		return true
	}
	_, err := output(goCommand(dir, "list", "-mod=mod", "-m", "all"))
	if err == nil {
		return true
	}
	t.Run("LeftOut", func(t *testing.T) { t.Skipf("crdvalidation and controller-runtime: %v", err) })
	edit("-droprequire=" + server)
	return false
}

// use returns the arguments of go mod edit for a module of this repository.
func use(module, dir string) []string {
	path := kubegenModule + "/" + module
	return []string{"-require=" + path + "@v0.0.0", "-replace=" + path + "=" + dir}
}

// kubernetesModules returns the versions of the modules of Kubernetes that the module in dir needs.
func kubernetesModules(t *testing.T, dir string) map[string]string {
	t.Helper()
	out, err := output(goCommand(dir, "list", "-mod=mod", "-m", "-f", "{{.Path}} {{.Version}}", "all"))
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(path, "k8s.io/") || strings.HasPrefix(path, "sigs.k8s.io/structured-merge-diff") {
			versions[path] = version
		}
	}
	return versions
}

// unsupported is the release that fakeapi is too new for.
const unsupported = "v0.33"

// portFakeapi copies fakeapi for a release that is older than its go.mod requires: the helpers of the example work
// with it, and their tests need fakeapi.
func portFakeapi(t *testing.T, to, from string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") {
			copyFile(t, filepath.Join(to, filepath.Base(file)), file)
		}
	}
	writeFile(t, filepath.Join(to, "go.mod"), fmt.Appendf(nil, "module %s/fakeapi\n\ngo 1.24.0\n", kubegenModule))
}

// copyFirstTests copies the tests of docs/testing.md, and what they are for in a kubebuilder project.
func copyFirstTests(t *testing.T, to, root string, kubebuilder bool) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs", "testing.md"))
	if err != nil {
		t.Fatal(err)
	}
	controller := func(code []byte) []byte {
		return bytes.Replace(code, []byte(`"example.com/crontabs/api/v1"`), []byte(`"`+kubegenModule+`/examples/crontab-types/apis/stable/v1"`), 1)
	}
	found := 0
	for _, block := range regexp.MustCompile("(?ms)^```go file=(\\S+)\n(.*?)^```$").FindAllSubmatch(page, -1) {
		found++
		name, code := string(block[1]), block[2]
		switch {
		case name == "role_test.go", name == "schemas_test.go": // must fail, or needs suites, which the tests of docs check
		case name != "crontab_controller_test.go":
			writeFile(t, filepath.Join(to, "first", name), code)
		case kubebuilder:
			writeFile(t, filepath.Join(to, "internal", "controller", name), controller(code))
		}
	}
	if found != 6 {
		t.Errorf("docs/testing.md has %d tests", found)
	}
	if kubebuilder {
		code, err := os.ReadFile(filepath.Join(root, "docs", "testdata", "kubebuilder", "crontab_controller.go"))
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(to, "internal", "controller", "crontab_controller.go"), controller(code))
		copyDir(t, filepath.Join(to, "config", "crd", "bases"), filepath.Join(root, "examples", "crontab-types", "crds"))
	}
}

// copyTests copies the files of a directory that match a pattern.
func copyTests(t *testing.T, to, from, pattern string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(from, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests in %s: %v", from, err)
	}
	for _, file := range files {
		copyFile(t, filepath.Join(to, filepath.Base(file)), file)
	}
}

// bubbleClientGo returns a copy of a client-go before v0.35 whose informers can be in a bubble of testing/synctest.
// Without it, they wait for a channel that is made outside, which stops the clock of the bubble; nobody ever waits in
// vain for one that is nil.
func bubbleClientGo(t *testing.T, pinned, to string) {
	t.Helper()
	reference, err := ModuleDir(pinned, "k8s.io/client-go")
	if err != nil {
		t.Fatal(err)
	}
	copyDir(t, to, reference)
	name := filepath.Join(to, "tools", "cache", "reflector.go")
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.ReplaceAll(content, []byte("neverExitWatch <-chan time.Time = make(chan time.Time)"), []byte("neverExitWatch <-chan time.Time"))
	if bytes.Equal(content, changed) {
		t.Fatalf("%s has no channel neverExitWatch", name)
	}
	writeFile(t, name, changed)
}

func copyDir(t *testing.T, to, from string) {
	t.Helper()
	if err := CopyModule(to, from); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, to, from string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, to, content)
}

func writeFile(t *testing.T, name string, content []byte) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(name), 0o755)
	if err == nil {
		err = os.WriteFile(name, content, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
