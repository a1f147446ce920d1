package crdvalidation_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubegen/kubegen/fakeapi"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
)

type (
	boxV1 struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`
		Size              int64 `json:"size,omitempty"`
	}
	boxV2 struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`
		Width             int64 `json:"width,omitempty"`
	}
)

func (b *boxV1) DeepCopyObject() runtime.Object { return &boxV1{b.TypeMeta, *b.DeepCopy(), b.Size} }
func (b *boxV2) DeepCopyObject() runtime.Object { return &boxV2{b.TypeMeta, *b.DeepCopy(), b.Width} }

// TestConversion creates an object in v1 and reads it in v2, in which it is stored. The definition has a strategy or
// none, and the scheme has functions or none.
func TestConversion(t *testing.T) {
	const converted, pruned, asWritten = "map[v1:7 v2:7]", "map[]", "map[v1:7]"
	for _, test := range []struct {
		strategy  string
		functions bool
		want      string
	}{
		{"", true, converted},
		{"", false, pruned},
		{"conversion: {strategy: None}", true, pruned},
		{"conversion: {strategy: None}", false, pruned},
		{"conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1]}}", true, converted},
		{"conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1]}}", false, asWritten},
	} {
		scheme := runtime.NewScheme()
		for version, obj := range map[string]runtime.Object{"v1": &boxV1{}, "v2": &boxV2{}} {
			scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: "example.com", Version: version, Kind: "Box"}, obj)
		}
		if test.functions {
			must(t, scheme.AddConversionFunc((*boxV1)(nil), (*boxV2)(nil), func(in, out any, _ conversion.Scope) error {
				out.(*boxV2).ObjectMeta, out.(*boxV2).Width = in.(*boxV1).ObjectMeta, in.(*boxV1).Size
				return nil
			}))
			must(t, scheme.AddConversionFunc((*boxV2)(nil), (*boxV1)(nil), func(in, out any, _ conversion.Scope) error {
				out.(*boxV1).ObjectMeta, out.(*boxV1).Size = in.(*boxV2).ObjectMeta, in.(*boxV2).Width
				return nil
			}))
		}
		file := filepath.Join(t.TempDir(), "boxes.yaml")
		must(t, os.WriteFile(file, fmt.Appendf(nil, `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boxes.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: boxes, singular: box, kind: Box, listKind: BoxList}
  %s
  versions:
  - {name: v1, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer}}}}}
  - {name: v2, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {width: {type: integer}}}}}
`, test.strategy), 0o600))
		options, err := crdvalidation.Options(scheme, file)
		must(t, err)
		client := fakeapi.New(options...).Dynamic()
		boxes := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "boxes"}
		_, err = client.Resource(boxes).Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Box", "metadata": map[string]any{"name": "a"}, "size": int64(7),
		}}, metav1.CreateOptions{})
		must(t, err)
		sizes := map[string]any{}
		for version, field := range map[string]string{"v1": "size", "v2": "width"} {
			boxes.Version = version
			got, err := client.Resource(boxes).Get(t.Context(), "a", metav1.GetOptions{})
			must(t, err)
			if size, ok := got.Object[field]; ok {
				sizes[version] = size
			}
		}
		if got := fmt.Sprint(sizes); got != test.want {
			t.Errorf("%s, functions %t: got %s, want %s", test.strategy, test.functions, got, test.want)
		}
	}
}
