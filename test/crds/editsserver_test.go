package crds_test

import (
	"path/filepath"
	"reflect"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"
)

// TestEditsOnServer sends an edited definition to a real API server, and an object with fields that an edit drops, and
// with unknown ones.
func TestEditsOnServer(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds an API server")
	}
	dir := randomModule(t)
	write(t, filepath.Join(dir, "v1/types.go"), []byte(workflow))
	found, diags := generateEdited(t, dir, `
- {type: k8s.io/api/core/v1.PodSpec, keep-fields: [containers, affinity]}
- {type: k8s.io/api/core/v1.PodSpec, drop: [descriptions]}
- {kind: Workflow, paths: [spec.template.spec.affinity], preserve-unknown-fields: true}
- {kind: Workflow, paths: [spec.template.spec.containers], drop-fields: [command]}
`)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(found["example.com_workflows.yaml"], definition); err != nil {
		t.Fatal(err)
	}
	config := startServer(t)
	client := definitionsOf(t, config)
	if _, err := client.Create(t.Context(), definition, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := established(t, client, definition.Name); err != nil {
		t.Fatal(err)
	}
	const text = `
apiVersion: example.com/v1
kind: Workflow
metadata: {name: nightly}
spec:
  template:
    spec:
      hostNetwork: true
      affinity: {near: {zone: a}}
      containers: [{name: main, image: "image:v1", command: [run]}]
`
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
		t.Fatal(err)
	}
	workflows := dynamic.NewForConfigOrDie(config).Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "workflows"})
	created, err := workflows.Namespace("default").Create(t.Context(), object, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, _, _ := unstructured.NestedMap(created.Object, "spec", "template", "spec")
	want := map[string]any{
		"affinity":   map[string]any{"near": map[string]any{"zone": "a"}},
		"containers": []any{map[string]any{"name": "main", "image": "image:v1"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the server keeps %v, want %v", got, want)
	}
}
