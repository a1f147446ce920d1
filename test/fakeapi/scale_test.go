package fakeapi_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/fakeapi"
)

func TestScale(t *testing.T) {
	api, client := newWorld(t, fakeapi.WithObjects(crontab("none"), crontab("one", func(ct *stablev1.CronTab) {
		ct.Spec.Replicas, ct.Status.Replicas, ct.Status.LabelSelector = new(int32(3)), 2, "a=b"
	})))
	c := client.StableV1().CronTabs("team")
	scale := must(c.GetScale(t.Context(), "one", metav1.GetOptions{}))(t)
	ct := must(c.Get(t.Context(), "one", metav1.GetOptions{}))(t)
	if scale.Spec.Replicas != 3 || scale.Status.Replicas != 2 || scale.Status.Selector != "a=b" || scale.UID != ct.UID || scale.ResourceVersion != ct.ResourceVersion || scale.Kind != "" {
		t.Errorf("scale %+v", scale)
	}
	_, err := c.GetScale(t.Context(), "none", metav1.GetOptions{})
	reason(t, err, metav1.StatusReasonInternalError, `the spec replicas field ".spec.replicas" does not exist`)
	_, err = c.GetScale(t.Context(), "two", metav1.GetOptions{})
	reason(t, err, metav1.StatusReasonNotFound, `"two" not found`)

	stale := scale.DeepCopy()
	scale.Spec.Replicas, scale.Status.Replicas, scale.Labels = 5, 9, map[string]string{"a": "b"}
	scale = must(c.UpdateScale(t.Context(), "one", scale, metav1.UpdateOptions{}))(t)
	ct = must(c.Get(t.Context(), "one", metav1.GetOptions{}))(t)
	if scale.Spec.Replicas != 5 || *ct.Spec.Replicas != 5 || ct.Status.Replicas != 2 || len(ct.Labels) > 0 || ct.Generation != 2 || scale.ResourceVersion != ct.ResourceVersion {
		t.Errorf("scale %+v of %+v", scale, ct)
	}
	_, err = c.UpdateScale(t.Context(), "one", stale, metav1.UpdateOptions{})
	reason(t, err, metav1.StatusReasonConflict, "the object has been modified")
	stale.ResourceVersion, stale.Spec.Replicas = "", 6
	if scale = must(c.UpdateScale(t.Context(), "one", stale, metav1.UpdateOptions{}))(t); scale.Spec.Replicas != 6 {
		t.Errorf("scale %+v", scale)
	}
	stale.Spec.Replicas = -1
	_, err = c.UpdateScale(t.Context(), "one", stale, metav1.UpdateOptions{})
	reason(t, err, metav1.StatusReasonInvalid, "should be a non-negative integer")

	dynamic := api.Dynamic().Resource(crontabs).Namespace("team")
	merge := func(name, data string) error {
		_, err := dynamic.Patch(t.Context(), name, types.MergePatchType, []byte(data), metav1.PatchOptions{}, "scale")
		return err
	}
	if err := merge("one", `{"spec":{"replicas":7}}`); err != nil {
		t.Fatal(err)
	}
	if err := merge("none", `{"spec":{"replicas":1}}`); err != nil {
		t.Fatal(err)
	}
	reason(t, merge("one", `{"metadata":{"name":"two"}}`), metav1.StatusReasonBadRequest, "does not match the name on the URL")
	got := must(dynamic.Get(t.Context(), "one", metav1.GetOptions{}, "scale"))(t)
	equal(t, "kind", got.GetKind(), "Scale")
	equal(t, "spec", got.Object["spec"], any(map[string]any{"replicas": int64(7)}))
	equal(t, "replicas of none", *must(c.Get(t.Context(), "none", metav1.GetOptions{}))(t).Spec.Replicas, 1)

	_, err = api.Dynamic().Resource(cronruns).Namespace("team").Get(t.Context(), "one", metav1.GetOptions{}, "scale")
	reason(t, err, metav1.StatusReasonNotFound, `cronruns.stable.example.com "one" not found`)
}

// Scales of custom resources are patched, with the replicas owned by who did, and need not have replicas before.
func TestScaleOfNothing(t *testing.T) {
	api, client := newWorld(t, fakeapi.WithObjects(crontab("a"))) // which has no replicas
	tabs := client.StableV1().CronTabs("team")
	_, err := tabs.GetScale(t.Context(), "a", metav1.GetOptions{})
	reason(t, err, metav1.StatusReasonInternalError, "does not exist")
	c := api.Dynamic().Resource(crontabs).Namespace("team")
	_, err = c.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{}, "scale")
	reason(t, err, metav1.StatusReasonBadRequest, "cannot be empty")
	must(c.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"spec":{"replicas":5}}`), metav1.PatchOptions{FieldManager: "scaler"}, "scale"))(t)
	got := must(tabs.Get(t.Context(), "a", metav1.GetOptions{}))(t)
	if got.Spec.Replicas == nil || *got.Spec.Replicas != 5 {
		t.Fatalf("scaled %+v", got.Spec)
	}
	must(tabs.Create(t.Context(), crontab("b", func(ct *stablev1.CronTab) { ct.Spec.Replicas = new(int32(1)) }), metav1.CreateOptions{FieldManager: "author"}))(t)
	must(c.Patch(t.Context(), "b", types.MergePatchType, []byte(`{"spec":{"replicas":5}}`), metav1.PatchOptions{FieldManager: "scaler"}, "scale"))(t)
	var owns []string
	for _, entry := range must(tabs.Get(t.Context(), "b", metav1.GetOptions{}))(t).ManagedFields {
		owns = append(owns, entry.Manager+" "+entry.FieldsV1.String())
	}
	equal(t, "what managers own", owns, []string{`scaler {"f:spec":{"f:replicas":{}}}`, `author {"f:spec":{".":{},"f:cronSpec":{},"f:image":{}}}`})
	for _, replicas := range []string{"-1", "4294967296"} {
		_, err = c.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"spec":{"replicas":`+replicas+`}}`), metav1.PatchOptions{})
		reason(t, err, metav1.StatusReasonInvalid, ".spec.replicas")
	}
	_, err = c.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"status":{"replicas":-1}}`), metav1.PatchOptions{}, "status")
	reason(t, err, metav1.StatusReasonInvalid, ".status.replicas")
	_, err = c.Patch(t.Context(), "a", types.ApplyYAMLPatchType, []byte(`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":{"replicas":6}}`), metav1.PatchOptions{FieldManager: "m", Force: new(true)}, "scale")
	if err == nil || !strings.Contains(err.Error(), "request to convert CR to an invalid group/version") {
		t.Errorf("apply of a scale: %v", err)
	}
}
