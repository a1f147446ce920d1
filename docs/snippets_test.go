package docs

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSnippets compiles the Go code on some pages together with the code generated for the CronTab example. Each block
// becomes the body of a function. The function has a parameter for each name that the block does not declare, and need
// not use what it declares.
func TestSnippets(t *testing.T) {
	source := &strings.Builder{}
	count := 0
	const clientset, client = "versioned.Interface", "stablev1.StableV1Interface"
	for _, page := range []struct{ name, client, more string }{
		{"indexes.md", clientset, ""}, {"informers.md", clientset, ""}, {"requests.md", client, ""},
		{"consistency.md", clientset, ", config *rest.Config, writes *consistency.Store"},
	} {
		text, err := os.ReadFile(page.name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range block.FindAllStringSubmatchIndex(string(text), -1) {
			language, code := string(text[found[2]:found[3]]), string(text[found[4]:found[5]])
			isType := strings.HasPrefix(code, "//") || strings.HasPrefix(code, "type ")
			if language != "go" || isType || strings.Contains(code, "manager.") { // code for controller-runtime is tested in examples/crontab-controller
				continue
			}
			count++
			line := 1 + strings.Count(string(text[:found[4]]), "\n")
			fmt.Fprintf(source, `
func snippet%d(ctx context.Context, client %s, factory externalversions.SharedInformerFactory, queue workqueue.TypedInterface[cache.ObjectName], namespace, name string, replicas int32%s) error {
	{
//line %s:%d
%s
	}
	return nil
}
`, count, page.client, page.more, page.name, line, strings.ReplaceAll(code, "\t...\n", "\n"))
		}
	}
	if count < 8 {
		t.Fatalf("got %d blocks of code", count)
	}
	out := build(t, source.String())
	if !strings.Contains(out, " declared and not used: ") { // this error shows that the code was compiled
		t.Error(out)
	}
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "#") && !strings.Contains(line, " declared and not used: ") {
			t.Error(strings.TrimSpace(line))
		}
	}
}

// TestOptionsOfOtherKinds checks what docs/informers.md says: options for a kind compile only for kinds that the
// factory has informers for, and options for namespaces only for namespaced kinds.
func TestOptionsOfOtherKinds(t *testing.T) {
	for _, option := range []string{`WithNamespacesFor[*v1.CronTabClass]("east")`, "WithResyncFor[*metav1.Status](0)"} {
		if out := build(t, "var _ = externalversions."+option); !strings.Contains(out, "does not satisfy") {
			t.Errorf("%s compiles: %s", option, out)
		}
	}
}

// build compiles declarations together with the code generated for the CronTab example, and returns the output of the
// compiler.
func build(t *testing.T, declarations string) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	file, overlayFile := filepath.Join(t.TempDir(), "snippets.go"), filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(file, []byte(snippetImports+declarations), 0o644); err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(root, "examples", "crontab-types", "snippets", "snippets.go"): file,
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlayFile, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-overlay", overlayFile, "-gcflags=-e", "./examples/crontab-types/snippets")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err == nil {
		return ""
	}
	return string(out)
}

const snippetImports = `package snippets

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	kubeinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"github.com/kubegen/kubegen/consistency"
	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/typed/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1"
	listersv1 "github.com/kubegen/kubegen/examples/crontab-types/generated/listers/stable/v1"
)
`
