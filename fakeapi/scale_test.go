package fakeapi_test

import (
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
