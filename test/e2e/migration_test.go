package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubegen/kubegen/crdinstall"
)

// TestStorageVersionMigration migrates objects on servers with each version of StorageVersionMigrations. A definition
// stands in for these, and the test for their controller: it rewrites the objects, fails, goes on, or does nothing.
func TestStorageVersionMigration(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, version, condition string
		want                     string // error
		rewritten                int    // by the program
	}{
		{"v1", "v1", "Succeeded", "", 0},
		{"v1beta1", "v1beta1", "Succeeded", "", 0},
		{"v1alpha1", "v1alpha1", "Succeeded", "", 0},
		{"failed", "v1", "Failed", " failed: an object is invalid; delete it to try again", 0},
		{"running", "v1", "Running", " has not ended", 0},
		{"no controller", "v1", "", "", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			i := newInstalling(t, ownServer(t))
			migrations := i.serveMigrations(test.version)
			i.install(first)
			i.create("v1alpha1", "x")
			i.install(second)
			timeout := crdinstall.DefaultTimeout
			if test.condition == "" {
				timeout = time.Second
			}
			done := make(chan map[string]any, 1)
			ctx, cancel := context.WithCancelCause(i.ctx)
			defer cancel(nil)
			if test.condition != "" {
				go func() {
					done <- i.control(migrations, test.condition)
					if test.condition == "Running" {
						cancel(errEnds)
					}
				}()
			}
			results, err := crdinstall.Install(
				ctx, i.config, manifests(widgetsIn(i.group, second...)), crdinstall.Migrate(), crdinstall.Timeout(timeout),
			)
			stored := "[v1beta1]"
			if test.want != "" {
				stored = "[v1alpha1 v1beta1]"
				if err == nil || !strings.Contains(err.Error(), "StorageVersionMigration crdinstall-") || errors.Is(err, errEnds) != (test.condition == "Running") || !strings.Contains(err.Error(), test.want) {
					t.Errorf("the error is %v, want %s", err, test.want)
				}
			} else if must(t, err); results[0].Rewritten != test.rewritten {
				t.Errorf("the result is %+v", results[0])
			}
			if test.condition != "" {
				want := map[string]any{"group": i.group, "resource": "widgets"}
				if test.version == "v1alpha1" {
					want["version"] = "v1beta1"
				}
				if got := <-done; fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("the resource to migrate is %v, want %v", got, want)
				}
			}
			if got := fmt.Sprint(i.at("status", "storedVersions")); got != stored {
				t.Errorf("the stored versions are %s, want %s", got, stored)
			}
			left, err := i.client.Resource(migrations).List(i.ctx, metav1.ListOptions{})
			if must(t, err); (len(left.Items) > 0) != (test.want != "") {
				t.Errorf("%d migrations stay", len(left.Items))
			}
		})
	}
}

var errEnds = errors.New("the program ends")

// serveMigrations makes the server have StorageVersionMigrations.
func (i *installing) serveMigrations(version string) schema.GroupVersionResource {
	i.t.Helper()
	const group = "storagemigration.k8s.io"
	anything := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	d := map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{
			"name": "storageversionmigrations." + group, "annotations": map[string]any{"api-approved.kubernetes.io": "unapproved, a test"},
		},
		"spec": map[string]any{
			"group": group, "scope": "Cluster", "names": map[string]any{"plural": "storageversionmigrations", "kind": "StorageVersionMigration"},
			"versions": []map[string]any{{
				"name": version, "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": anything},
				"subresources": map[string]any{"status": map[string]any{}},
			}},
		},
	}
	_, err := crdinstall.Install(i.ctx, i.config, manifests(d))
	must(i.t, err)
	return schema.GroupVersionResource{Group: group, Version: version, Resource: "storageversionmigrations"}
}

// control is the controller of StorageVersionMigrations. It ends with a condition of the first one, and returns the
// resource in its spec.
func (i *installing) control(migrations schema.GroupVersionResource, condition string) map[string]any {
	client := i.client.Resource(migrations)
	for i.ctx.Err() == nil {
		time.Sleep(10 * time.Millisecond)
		list, err := client.List(i.ctx, metav1.ListOptions{})
		if err != nil || len(list.Items) == 0 {
			continue
		}
		resource, _, _ := unstructured.NestedMap(list.Items[0].Object, "spec", "resource")
		if _, err := i.objects("v1beta1").Patch(i.ctx, "x", types.MergePatchType, []byte("{}"), metav1.PatchOptions{}); err != nil {
			i.t.Error(err)
		}
		patch, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": []map[string]any{
			{"type": "Running", "status": "False"}, {"type": condition, "status": "True", "message": "an object is invalid"},
		}}})
		if err != nil {
			i.t.Error(err)
		}
		if _, err := client.Patch(i.ctx, list.Items[0].GetName(), types.MergePatchType, patch, metav1.PatchOptions{}, "status"); err != nil {
			i.t.Error(err)
		}
		return resource
	}
	return nil
}
