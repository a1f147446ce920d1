package fakeapi

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite kubernetes.go")

// TestKubernetesResources checks that kubernetes.go has the resources of the newest client-go, as kubegen generates
// them for the fake clientset of k8s.io/api. To update the file, run
//
//	go test ./fakeapi -run KubernetesResources -args -update
func TestKubernetesResources(t *testing.T) {
	out := t.TempDir()
	run := exec.Command("go", "run", "../cmd/kubegen", "--only", "clientset", "--plural-exceptions", "Endpoints:Endpoints",
		"--output-dir", out, "--output-pkg", "example.com/kubernetes", "k8s.io/api/...")
	if text, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	generated, err := os.ReadFile(filepath.Join(out, "clientset/versioned/fake/resources.go"))
	if err != nil {
		t.Fatal(err)
	}
	header, body, ok := bytes.Cut(generated, []byte("package fake\n"))
	doc := []byte("// APIResources returns the resources of the clientset")
	_, function, found := bytes.Cut(body, doc)
	if !ok || !found {
		t.Fatalf("not the expected layout:\n%s", generated)
	}
	function = bytes.ReplaceAll(function, []byte("func APIResources()"), []byte("func kubernetesResources()"))
	want := bytes.Join([][]byte{header, []byte("package fakeapi\n\nimport (\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n)\n\n// kubernetesResources returns the resources of the clientset"), function}, nil)
	if *update {
		if err := os.WriteFile("kubernetes.go", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile("kubernetes.go"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("kubernetes.go is out of date (%v): go test ./fakeapi -run KubernetesResources -args -update", err)
	}
}
