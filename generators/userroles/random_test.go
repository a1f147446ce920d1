package userroles_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/commands/cli"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// TestRandom writes the roles and definitions of random kinds. Every rule must name what a served version of a
// definition has, with verbs that servers know for it, and all of it must be in each level. Without definitions in the
// run, or with schemas that it only replaces, the roles must be the same.
func TestRandom(t *testing.T) {
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	for seed := range uint64(8) {
		dir := t.TempDir()
		t.Chdir(dir)
		for name, text := range randomAPI(rand.New(rand.NewPCG(seed, 0))) {
			write(t, name, text)
		}
		moduletest.Complete(t, dir)
		run(t, "--only", "crd,userroles", "./...")
		roles := read(t, "config/rbac")
		run(t, "verify", "--only", "userroles", "./...")
		run(t, "--only", "schemapatch,userroles", "--patch-crds", "config/crd/bases", "--with-user-roles=patched", "./...")
		for name, text := range read(t, "patched") {
			if roles[name] != text {
				t.Errorf("seed %d: with --patch-crds, %s is\n%s\nand not\n%s", seed, name, text, roles[name])
			}
		}
		want := map[string]bool{}
		for name, text := range read(t, "config/crd/bases") {
			found, _ := crd.Read(name, []byte(text))
			for _, v := range found[0].Versions {
				if v.Served.Text != "true" {
					continue
				}
				of := found[0].Group.Text + " " + found[0].Plural.Text
				for _, verb := range strings.Fields("create delete deletecollection get list patch update watch") {
					want[of+" "+verb] = true
				}
				if v.Status.Pos.IsValid() {
					want[of+"/status get"] = true
				}
				if v.Scale != nil {
					want[of+"/scale get"], want[of+"/scale patch"], want[of+"/scale update"] = true, true, true
				}
			}
		}
		got := map[string]bool{}
		for name, text := range roles {
			for grant := range grants(t, text) {
				if got[grant] = true; !want[grant] {
					t.Errorf("seed %d: %s grants %s, which is not served", seed, name, grant)
				}
			}
		}
		for grant := range want {
			if !got[grant] {
				t.Errorf("seed %d: no role grants %s", seed, grant)
			}
		}
	}
}

// randomAPI returns the files of a module with kinds in several groups and versions.
func randomAPI(r *rand.Rand) map[string]string {
	files := map[string]string{"go.mod": "module example.com/random\n"}
	if r.IntN(3) == 0 {
		files["PROJECT"] = "domain: example.com\nmultigroup: true\n"
	}
	for _, group := range []string{"a", "b"} {
		for _, kind := range []string{"Apple", "Pear", "Plum"}[:1+r.IntN(3)] {
			scope, path := []string{"Namespaced", "Cluster"}[r.IntN(2)], fmt.Sprintf("%ss%d", strings.ToLower(kind), r.IntN(2))
			for i, version := range []string{"v1", "v2"}[:1+r.IntN(2)] {
				text := fmt.Sprintf("// +kubebuilder:resource:path=%s,scope=%s\n", path, scope)
				if i == 0 {
					text += "// +kubebuilder:storageversion\n"
				} else if r.IntN(2) == 0 {
					text += "// +kubebuilder:unservedversion\n"
				}
				if r.IntN(2) == 0 {
					text += "// +kubebuilder:subresource:status\n"
				}
				if r.IntN(2) == 0 {
					text += "// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas\n"
				}
				files[fmt.Sprintf("apis/%s/%s/%s.go", group, version, strings.ToLower(kind))] = fmt.Sprintf(`// +groupName=%s.example.com
package %s

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

%stype %s struct {
	metav1.TypeMeta   `+"`json:\",inline\"`"+`
	metav1.ObjectMeta `+"`json:\"metadata,omitempty\"`"+`

	Spec   %[4]sReplicas `+"`json:\"spec,omitempty\"`"+`
	Status %[4]sReplicas `+"`json:\"status,omitempty\"`"+`
}

type %[4]sReplicas struct {
	Replicas int32 `+"`json:\"replicas,omitempty\"`"+`
}
`, group, version, text, kind)
			}
		}
	}
	return files
}

// grants returns what a role grants, as GROUP RESOURCE VERB.
func grants(t *testing.T, text string) map[string]bool {
	t.Helper()
	objects, ok := yamltext.ReadManifest([]byte(text))
	if !ok || len(objects) != 1 {
		t.Fatalf("this is no role:\n%s", text)
	}
	found := map[string]bool{}
	for _, rule := range objects[0]["rules"].([]any) {
		lists := rule.(map[string]any)
		for _, group := range lists["apiGroups"].([]any) {
			for _, resource := range lists["resources"].([]any) {
				for _, verb := range lists["verbs"].([]any) {
					found[fmt.Sprint(group, " ", resource, " ", verb)] = true
				}
			}
		}
	}
	return found
}

func run(t *testing.T, args ...string) {
	t.Helper()
	stderr := &bytes.Buffer{}
	if code := cli.Main(cli.Kubegen, args, io.Discard, stderr); code != 0 {
		t.Fatalf("%v: exit code %d\n%s", args, code, stderr)
	}
}

// read returns the files in a directory, except for those of other generators.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(names) == 0 {
		t.Fatalf("there are no files in %s: %v", dir, err)
	}
	slices.Sort(names)
	found := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Base(name)] = string(text)
	}
	return found
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
