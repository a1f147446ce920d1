package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestFirstTests runs the tests of docs/testing.md: one for a generated clientset; one for a kubebuilder project, with
// the API and manifests of the example and a reconciler; one with a stale cache, which fails without EnsureReady; one
// with a role, which fails with the error on the page; one with first suites for schemas; and one for a real server, on
// fakeapi.
func TestFirstTests(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it builds tests with client-go")
	}
	page, err := os.ReadFile("testing.md")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var files []string
	var forbidden []string // blocks of text: the error and the report
	var first string       // the command that writes suites
	for _, found := range block.FindAllStringSubmatch(string(page), -1) {
		language, name, ok := strings.Cut(found[1], " file=")
		if language == "text" {
			forbidden = append(forbidden, strings.TrimSpace(found[2]))
		}
		if strings.Contains(found[2], " -init ") {
			first = strings.TrimSpace(found[2])
		}
		if !ok {
			continue
		}
		files = append(files, name)
		if name == "crontab_controller_test.go" {
			name = "internal/controller/" + name
		}
		write(name, found[2])
	}
	if !slices.Equal(files, []string{"stale_test.go", "crontab_controller_test.go", "cache_test.go", "schemas_test.go", "config/rbac/role.yaml", "role_test.go", "server_test.go"}) {
		t.Fatalf("the page has the files %q", files)
	}
	if line := 1 + strings.Count(string(page[:strings.Index(string(page), "\n}\n```")]), "\n"); line > 45 {
		t.Errorf("the first test ends in line %d, which is not on the first screen", line)
	}

	example := filepath.Join(root, "examples", "crontab-types")
	for to, from := range map[string]string{"api/v1": "apis/stable/v1", "config/crd/bases": "crds"} {
		if err := os.CopyFS(filepath.Join(dir, filepath.FromSlash(to)), os.DirFS(filepath.Join(example, filepath.FromSlash(from)))); err != nil {
			t.Fatal(err)
		}
	}
	reconciler, err := os.ReadFile("testdata/kubebuilder/crontab_controller.go")
	if err != nil {
		t.Fatal(err)
	}
	write("internal/controller/crontab_controller.go", string(reconciler))
	write("go.mod", "module example.com/crontabs\n\ngo 1.26.0\n")
	work := "go 1.26.0\n\nuse .\n"
	for _, module := range []string{"consistency", "examples/crontab-types", "fakeapi", "fakeapi/crdvalidation", "test"} {
		work += fmt.Sprintf("use %s\n", filepath.ToSlash(filepath.Join(root, module)))
	}
	write("go.work", work)
	sums, err := os.ReadFile(filepath.Join(root, "go.work.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write("go.work.sum", string(sums))
	run := func(args ...string) (string, error) {
		cmd := exec.Command("go", args...)
		if args[0] != "run" {
			cmd.Args = append([]string{"go", "test", "-v"}, args...)
		}
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=", "GOTOOLCHAIN=local")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run(strings.Fields(first)[1:]...); err != nil || !strings.Contains(out, "wrote testdata/schemas/crontabs.") {
		t.Fatalf("%s: %v\n%s", first, err, out)
	}
	out, err := run(".", "./internal/...")
	for _, name := range []string{"TestStaleUpdate", "TestOneRun", "TestReconcile", "TestInformer", "TestSchemas"} {
		if !strings.Contains(out, "--- PASS: "+name) {
			t.Errorf("%s has not passed: %v\n%s", name, err, out)
		}
	}
	cacheTest, err := os.ReadFile(filepath.Join(dir, "cache_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	without := strings.Replace(string(cacheTest), `writes.EnsureReady(cache.NewObjectName("east", "nightly"))`, "error(nil)", 1)
	write("cache_test.go", strings.Replace(without, "\t\"k8s.io/client-go/tools/cache\"\n", "", 1))
	if out, _ := run("."); !regexp.MustCompile(`got ([2-9]|10) runs`).MatchString(out) {
		t.Errorf("without EnsureReady, the test says\n%s", out)
	}

	if out, _ := run("-run", "TestRole", "."); !strings.Contains(out, forbidden[0]) || !strings.Contains(out, "--- FAIL: TestRole") {
		t.Errorf("with a role without patch, the test says\n%s", out)
	}
	roleTest, err := os.ReadFile(filepath.Join(dir, "role_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	withReport := strings.Replace(string(roleTest), "\t\tt.Error(err)\n", "\t\tt.Logf(\"%v\\n%s\", err, roles.Report())\n", 1)
	write("role_test.go", withReport)
	if out, err := run("-run", "TestRole", "."); err != nil || !strings.Contains(strings.ReplaceAll(out, "        ", ""), forbidden[1]) {
		t.Errorf("the report is not on the page: %v\n%s", err, out)
	}
	role, err := os.ReadFile(filepath.Join(dir, "config", "rbac", "role.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write("config/rbac/role.yaml", strings.Replace(string(role), "[get, update]", "[get, patch]", 1))
	write("role_test.go", string(roleTest))
	if out, err := run("-run", "TestRole", "."); err != nil {
		t.Errorf("with patch: %v\n%s", err, out)
	}
}
