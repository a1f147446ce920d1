package fakeapi_test

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/fakeapi"
)

// Versions of the kind Job, which are equal.
var jobsV1, jobsV2 = schema.GroupVersionResource{Group: "jobs.example.com", Version: "v1", Resource: "jobs"}, schema.GroupVersionResource{Group: "jobs.example.com", Version: "v2", Resource: "jobs"}

// withJobs returns an option with which an API serves both versions.
func withJobs() fakeapi.Option {
	scheme := runtime.NewScheme()
	var lists []*metav1.APIResourceList
	for _, gvr := range []schema.GroupVersionResource{jobsV1, jobsV2} {
		scheme.AddKnownTypeWithName(gvr.GroupVersion().WithKind("Job"), &stablev1.CronTab{})
		lists = append(lists, &metav1.APIResourceList{GroupVersion: gvr.GroupVersion().String(), APIResources: []metav1.APIResource{
			{Name: "jobs", SingularName: "job", Namespaced: true, Kind: "Job", Verbs: metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}},
			{Name: "jobs/status", Namespaced: true, Kind: "Job", Verbs: metav1.Verbs{"get", "patch", "update"}},
			{Name: "jobs/scale", Namespaced: true, Kind: "Scale", Group: "autoscaling", Version: "v1", Verbs: metav1.Verbs{"get", "patch", "update"}},
		}})
	}
	return fakeapi.WithResources(scheme, lists)
}

func newJobs() *fakeapi.API {
	paths := map[string]string{"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
	return fakeapi.New(withJobs(), fakeapi.WithScalePaths(map[schema.GroupVersionResource]map[string]string{jobsV1: paths, jobsV2: paths}),
		fakeapi.WithDeprecatedVersions(map[schema.GroupVersionResource]string{jobsV1: "use v2"}))
}

func job(gvr schema.GroupVersionResource, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": gvr.GroupVersion().String(), "kind": "Job", "metadata": map[string]any{"name": "a"}, "spec": spec,
	}}
}

// TestVersions writes an object in one version and then, in all ways, in another one.
func TestVersions(t *testing.T) {
	client := newJobs().Dynamic()
	v1, v2 := client.Resource(jobsV1).Namespace("east"), client.Resource(jobsV2).Namespace("east")
	ctx, patch := t.Context(), metav1.PatchOptions{FieldManager: "patcher"}
	must(v1.Create(ctx, job(jobsV1, map[string]any{"image": "a", "replicas": int64(1)}), metav1.CreateOptions{FieldManager: "creator"}))(t)
	version := func() string { return must(v1.Get(ctx, "a", metav1.GetOptions{}))(t).GetResourceVersion() }

	before := version()
	must(v2.Patch(ctx, "a", types.MergePatchType, []byte(`{"spec":{"image":"a"}}`), patch))(t)
	equal(t, "version after a patch without a change", version(), before)
	got := must(v2.Patch(ctx, "a", types.MergePatchType, []byte(`{"spec":{"image":"b"}}`), patch))(t)
	equal(t, "version of a patched object", got.GetAPIVersion(), "jobs.example.com/v2")
	equal(t, "generation", got.GetGeneration(), int64(2))
	must(v1.Patch(ctx, "a", types.MergePatchType, []byte(`{"status":{"replicas":1}}`), patch, "status"))(t)
	got = must(v1.Patch(ctx, "a", types.MergePatchType, []byte(`{"spec":{"replicas":3}}`), patch, "scale"))(t)
	equal(t, "kind of a scale", got.GetKind(), "Scale")
	got = must(v2.Get(ctx, "a", metav1.GetOptions{}))(t)
	got = must(v2.UpdateStatus(ctx, got, metav1.UpdateOptions{FieldManager: "patcher"}))(t)
	must(v2.Update(ctx, got, metav1.UpdateOptions{FieldManager: "patcher"}))(t)

	_, err := v1.Apply(ctx, "a", job(jobsV1, map[string]any{"image": "c"}), metav1.ApplyOptions{FieldManager: "applier"})
	if !apierrors.IsConflict(err) {
		t.Errorf("applied in v1 what v2 has set: %v, want a conflict", err)
	}
	got = must(v1.Apply(ctx, "a", job(jobsV1, map[string]any{"image": "c"}), metav1.ApplyOptions{FieldManager: "applier", Force: true}))(t)
	equal(t, "version of an applied object", got.GetAPIVersion(), "jobs.example.com/v1")
	got = must(v2.Apply(ctx, "a", job(jobsV2, map[string]any{"suspend": true}), metav1.ApplyOptions{FieldManager: "applier"}))(t)
	if _, ok, _ := unstructured.NestedFieldNoCopy(got.Object, "spec", "image"); ok {
		t.Errorf("the image, which was applied in v1 and then left out in v2, is still there: %v", got.Object["spec"])
	}
	for _, entry := range got.GetManagedFields() {
		if entry.Manager == "applier" {
			equal(t, "version of the manager", entry.APIVersion, "jobs.example.com/v2")
		}
	}
}
