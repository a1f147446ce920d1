package crds_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/yaml"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// patchedTypes has a list for each way in which kustomize merges one.
const patchedTypes = `// +groupName=shop.example.com
package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type Order struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	// +listType=map
	// +listMapKey=name
	Items []Item ` + "`json:\"items,omitempty\"`" + `
	// +listType=set
	Marks []string ` + "`json:\"marks,omitempty\"`" + `
	// +listType=map
	// +listMapKey=name
	// +listMapKey=other
	Two []Item ` + "`json:\"two,omitempty\" patchStrategy:\"merge\" patchMergeKey:\"other\"`" + `
	Tagged []Item ` + "`json:\"tagged,omitempty\" patchStrategy:\"merge\" patchMergeKey:\"other\"`" + `
	// +listType=atomic
	Atomic []Item ` + "`json:\"atomic,omitempty\"`" + `
	Pod    corev1.PodSpec ` + "`json:\"pod\"`" + `
}

type Item struct {
	Name  string ` + "`json:\"name\"`" + `
	Other string ` + "`json:\"other,omitempty\"`" + `
	Count int32  ` + "`json:\"count,omitempty\"`" + `
}
`

const patchBase = `apiVersion: shop.example.com/v1
kind: Order
metadata: {name: first}
items: [{name: tea, other: x, count: 1}, {name: milk, count: 2}]
marks: [a, b]
two: [{name: a, other: x, count: 1}, {name: b, other: x, count: 2}]
tagged: [{name: a, other: x, count: 1}, {name: b, other: z, count: 2}]
atomic: [{name: tea, count: 1}]
pod: {containers: [{name: app, image: app:1}, {name: log, image: log:1}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: first}
spec: {template: {spec: {containers: [{name: app, image: app:1}, {name: log, image: log:1}]}}}
`

const patches = `apiVersion: shop.example.com/v1
kind: Order
metadata: {name: first}
items: [{name: tea, count: 3}]
marks: [c]
two: [{name: a, other: x, count: 3}]
tagged: [{name: c, other: x, count: 3}]
atomic: [{name: milk, count: 3}]
pod: {containers: [{name: app, image: app:2}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: first}
spec: {template: {spec: {containers: [{name: app, image: app:2}]}}}
`

// TestKustomize patches objects with kustomize, with and without the Swagger document of their types. Only with the
// document, lists of custom resources are merged, and only without it, lists of Kubernetes' own kinds.
func TestKustomize(t *testing.T) {
	dir := randomModule(t)
	write(t, filepath.Join(dir, "v1/types.go"), []byte(patchedTypes))
	cmd := exec.Command(filepath.Join(moduletest.Build(t, "kubegen"), "kubegen"), "--only", "openapi-documents", "./...")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	write(t, filepath.Join(dir, "base/objects.yaml"), []byte(patchBase))
	write(t, filepath.Join(dir, "base/kustomization.yaml"), []byte("resources: [objects.yaml]\n"))
	for _, overlay := range []struct{ name, line, order, deployment string }{
		{
			"without the document", "", `
items: [{name: tea, count: 3}]
marks: [c]
two: [{name: a, other: x, count: 3}]
tagged: [{name: c, other: x, count: 3}]
atomic: [{name: milk, count: 3}]
pod: {containers: [{name: app, image: app:2}]}
`, "{containers: [{name: app, image: app:2}, {name: log, image: log:1}]}",
		},
		{
			"with it", "openapi: {path: api/openapi-spec/swagger.json}\n", `
items: [{name: tea, other: x, count: 3}, {name: milk, count: 2}]
marks: [c, a, b]
two: [{name: a, other: x, count: 3}, {name: b, other: x, count: 2}]
tagged: [{name: c, other: x, count: 3}, {name: b, other: z, count: 2}]
atomic: [{name: milk, count: 3}]
pod: {containers: [{name: app, image: app:2}, {name: log, image: log:1}]}
`, "{containers: [{name: app, image: app:2}]}",
		},
	} {
		openapi.ResetOpenAPI() // kustomize keeps schemas until its process ends
		write(t, filepath.Join(dir, "patch.yaml"), []byte(patches))
		write(t, filepath.Join(dir, "kustomization.yaml"), []byte("resources: [base]\npatches: [{path: patch.yaml}]\n"+overlay.line))
		objects, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range objects.Resources() {
			got, err := of.Map()
			if err != nil {
				t.Fatal(err)
			}
			text := overlay.order
			if of.GetKind() == "Deployment" {
				text = "spec: {template: {spec: " + overlay.deployment + "}}"
			}
			want := map[string]any{}
			if err := yaml.Unmarshal([]byte("apiVersion: "+of.GetApiVersion()+"\nkind: "+of.GetKind()+"\nmetadata: {name: first}\n"+text), &want); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(normal(t, got), want) {
				t.Errorf("%s, kustomize builds\n%v\ninstead of\n%v", overlay.name, got, want)
			}
		}
	}
}

// normal returns an object with the numbers that YAML has.
func normal(t *testing.T, of map[string]any) (object map[string]any) {
	t.Helper()
	text, err := yaml.Marshal(of)
	if err == nil {
		err = yaml.Unmarshal(text, &object)
	}
	if err != nil {
		t.Fatal(err)
	}
	return object
}
