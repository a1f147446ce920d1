package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/kubegen/kubegen/crdinstall"
	generated "github.com/kubegen/kubegen/test/e2e/crds"
)

// TestInstallRole installs the definitions of a generated package with the role of the same run, and what every user of
// a cluster may do.
func TestInstallRole(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("rbac/role.yaml")
	must(t, err)
	var role map[string]any
	must(t, yaml.Unmarshal(text, &role))
	role["rules"] = append(role["rules"].([]any), map[string]any{"nonResourceURLs": []any{"/apis/*"}, "verbs": []any{"get"}})
	text, err = yaml.Marshal(role)
	must(t, err)
	file := filepath.Join(t.TempDir(), "role.yaml")
	must(t, os.WriteFile(file, text, 0o600))
	i := newInstalling(t, ownServer(t, "--role", file))
	limited := rest.CopyConfig(i.config)
	limited.BearerToken += "-limited"
	install := func() string {
		t.Helper()
		results, err := generated.Install(i.ctx, limited, crdinstall.Migrate(), crdinstall.Release("v1.0.0"))
		must(t, err)
		return fmt.Sprintln(results[0].Name, results[0].Action, results[0].Migrated, results[0].Rewritten)
	}
	got := install() + install()
	// an object in a version that is no more
	const name = "clustercrontabs.cluster.example.com"
	d, err := i.client.Resource(definitions).Get(i.ctx, name, metav1.GetOptions{})
	must(t, err)
	versions, _, _ := unstructured.NestedSlice(d.Object, "spec", "versions")
	old := runtime.DeepCopyJSON(versions[0].(map[string]any))
	old["name"], old["served"], old["storage"] = "v0", false, false
	must(t, unstructured.SetNestedSlice(d.Object, append(versions, old), "spec", "versions"))
	d, err = i.client.Resource(definitions).Update(i.ctx, d, metav1.UpdateOptions{})
	must(t, err)
	must(t, unstructured.SetNestedStringSlice(d.Object, []string{"v0", "v1"}, "status", "storedVersions"))
	_, err = i.client.Resource(definitions).UpdateStatus(i.ctx, d, metav1.UpdateOptions{})
	must(t, err)
	objects := i.client.Resource(schema.GroupVersionResource{Group: "cluster.example.com", Version: "v1", Resource: "clustercrontabs"})
	_, err = objects.Create(i.ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "cluster.example.com/v1", "kind": "ClusterCronTab", "metadata": map[string]any{"name": "x"}, "spec": map[string]any{"cronSpec": "* * * * *"},
	}}, metav1.CreateOptions{})
	must(t, err)
	got += install()
	if want := name + " created [] 0\n" + name + " unchanged [] 0\n" + name + " updated [v0] 1\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestInstallPage runs the program in docs/reference/install.md.
func TestInstallPage(t *testing.T) {
	t.Parallel()
	s := ownServer(t)
	page, err := os.ReadFile("../../docs/reference/install.md")
	must(t, err)
	after := func(fence string) string {
		_, code, found := strings.Cut(string(page), "\n```"+fence+"\n")
		code, _, ended := strings.Cut(code, "\n```\n")
		if !found || !ended {
			t.Fatalf("the page has no block %s", fence)
		}
		return code + "\n"
	}
	dir := t.TempDir()
	code := strings.ReplaceAll(after("go file=main.go"), "example.com/shop/config/crd", "github.com/kubegen/kubegen/test/e2e/crds")
	must(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(strings.ReplaceAll(code, "crd.Install", "crds.Install")), 0o600))
	here, err := os.Getwd()
	must(t, err)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(here, "shop", "main.go"): filepath.Join(dir, "main.go")}})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
	program := filepath.Join(dir, "shop")
	if out, err := exec.Command("go", "build", "-o", program, "-overlay", filepath.Join(dir, "overlay.json"), "./shop").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.CommandContext(limit(t), program)
	run.Env = append(os.Environ(), "KUBECONFIG="+filepath.Join(s.dir, "kubeconfig"))
	out, err := run.CombinedOutput()
	_, want, _ := strings.Cut(after("bash cluster"), "# ")
	want = strings.ReplaceAll(want, "orders.shop.", "clustercrontabs.cluster.")
	if err != nil || string(out) != want {
		t.Errorf("%v\n%swant\n%s", err, out, want)
	}
}
