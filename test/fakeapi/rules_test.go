package fakeapi_test

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	applyv1 "github.com/kubegen/kubegen/examples/crontab-types/generated/applyconfiguration/stable/v1"
	"github.com/kubegen/kubegen/fakeapi"
)

// imageRules have a default for spec.image, and refuse to change it, or to set status.replicas to 13.
type imageRules struct{}

func (imageRules) Default(object map[string]any) {
	spec := object["spec"].(map[string]any)
	if spec["image"] == nil {
		spec["image"] = "default"
	}
}

func (imageRules) Validate(object, old map[string]any, subresource string) (errs field.ErrorList) {
	image := func(o map[string]any) any { return o["spec"].(map[string]any)["image"] }
	if old != nil && image(old) != image(object) {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "image"), "it does not change"))
	}
	if status, _ := object["status"].(map[string]any); subresource == "status" && status["replicas"] == int64(13) {
		errs = append(errs, field.Invalid(field.NewPath("status", "replicas"), 13, "bad luck"))
	}
	return errs
}

// Whatever the request, an object gets its defaults, and is refused if the rules do not allow it.
func TestRules(t *testing.T) {
	_, client := newWorld(t, fakeapi.WithRules(map[schema.GroupVersionResource]fakeapi.Rules{crontabs: imageRules{}}))
	ctx, tabs := t.Context(), client.StableV1().CronTabs("team")
	created, err := tabs.Create(ctx, crontab("a"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	invalid := func(field string, err error) {
		t.Helper()
		status, ok := err.(*apierrors.StatusError)
		if !ok || !apierrors.IsInvalid(err) || len(status.ErrStatus.Details.Causes) != 1 || status.ErrStatus.Details.Causes[0].Field != field {
			t.Errorf("got %v, want Invalid for %s", err, field)
		}
	}
	image := created.Spec.Image
	changed := created.DeepCopy()
	changed.Spec.Image = "other"
	_, err = tabs.Update(ctx, changed, metav1.UpdateOptions{})
	invalid("spec.image", err)
	_, err = tabs.Patch(ctx, "a", types.MergePatchType, []byte(`{"spec":{"image":"other"}}`), metav1.PatchOptions{})
	invalid("spec.image", err)
	_, err = tabs.Apply(ctx, applyv1.CronTab("a", "team").WithSpec(applyv1.CronTabSpec().WithImage("other")), metav1.ApplyOptions{FieldManager: "m", Force: true})
	invalid("spec.image", err)
	_, err = tabs.Patch(ctx, "a", types.MergePatchType, []byte(`{"status":{"replicas":13}}`), metav1.PatchOptions{}, "status")
	invalid("status.replicas", err)
	if got, err := tabs.Get(ctx, "a", metav1.GetOptions{}); err != nil || got.Spec.Image != image || got.ResourceVersion != created.ResourceVersion {
		t.Errorf("refused requests left %+v, %v", got, err)
	}

	applied, err := tabs.Apply(ctx, applyv1.CronTab("b", "team").WithSpec(applyv1.CronTabSpec().WithCronSpec("0 3 * * *")), metav1.ApplyOptions{FieldManager: "m"})
	if err != nil {
		t.Fatal(err)
	}
	bare := crontab("c", func(ct *stablev1.CronTab) { ct.Spec.Image = "" })
	bare, err = tabs.Create(ctx, bare, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []string{applied.Spec.Image, bare.Spec.Image} {
		if got != "default" {
			t.Errorf("got image %q instead of the default", got)
		}
	}
}
