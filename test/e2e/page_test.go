package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPage runs the test in docs/testing.md that can use a real server, on one.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/testing.md")
	must(t, err)
	_, code, found := strings.Cut(string(page), "\n```go file=server_test.go\n")
	code, _, ended := strings.Cut(code, "\n```\n")
	if !found || !ended {
		t.Fatal("the page has no server_test.go")
	}
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "server_test.go"), []byte(code+"\n"), 0o644))
	here, err := os.Getwd()
	must(t, err)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(here, "page", "server_test.go"): filepath.Join(dir, "server_test.go"),
	}})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o644))
	program := filepath.Join(dir, "page.test")
	if out, err := exec.Command("go", "test", "-c", "-vet=off", "-o", program, "-overlay", filepath.Join(dir, "overlay.json"), "./page").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	test := exec.CommandContext(limit(t), program, "-test.v")
	test.Dir, test.Env = dir, append(os.Environ(), "TEST_KUBECONFIG="+filepath.Join(shared.dir, "kubeconfig"))
	out, err := test.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestInformer") {
		t.Errorf("%v\n%s", err, out)
	}
}
