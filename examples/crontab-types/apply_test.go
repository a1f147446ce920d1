package crontabtypes_test

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	apply "github.com/kubegen/kubegen/examples/crontab-types/generated/applyconfiguration/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
)

// TestApply applies different fields of an object as two managers. Neither changes the fields of the other.
func TestApply(t *testing.T) {
	crontabs := fake.NewClientset().StableV1().CronTabs("east")
	asOwner, asScaler := metav1.ApplyOptions{FieldManager: "owner"}, metav1.ApplyOptions{FieldManager: "scaler"}

	schedule := apply.CronTab("nightly", "east").WithSpec(apply.CronTabSpec().WithCronSpec("0 3 * * *").WithImage("busybox"))
	if _, err := crontabs.Apply(t.Context(), schedule, asOwner); err != nil {
		t.Fatal(err)
	}
	scale := apply.CronTab("nightly", "east").WithSpec(apply.CronTabSpec().WithReplicas(3))
	got, err := crontabs.Apply(t.Context(), scale, asScaler)
	if err != nil {
		t.Fatal(err)
	}
	if got.Spec.Image != "busybox" || got.Spec.Replicas == nil || *got.Spec.Replicas != 3 {
		t.Errorf("got %+v, want what both have applied", got.Spec)
	}

	// After reading and changing an object, apply removes the fields that are left out.
	mine, err := apply.ExtractCronTab(got, "owner")
	if err != nil {
		t.Fatal(err)
	}
	if mine.Spec.Replicas != nil || mine.Spec.Image == nil || *mine.Spec.Image != "busybox" || *mine.GetName() != "nightly" {
		t.Errorf("got %+v, want what owner has applied", mine.Spec)
	}
	mine.Spec.Image = nil
	mine.Spec.WithClassName("small")
	if got, err = crontabs.Apply(t.Context(), mine, asOwner); err != nil {
		t.Fatal(err)
	}
	if got.Spec.Image != "" || got.Spec.ClassName != "small" || *got.Spec.Replicas != 3 {
		t.Errorf("got %+v, want a class in the image's place and the scaler's replicas", got.Spec)
	}
}

// TestApplyConflict checks that applying a field of another manager is a conflict, unless it is forced.
func TestApplyConflict(t *testing.T) {
	crontabs := fake.NewClientset().StableV1().CronTabs("east")
	replicas := func(n int32) *apply.CronTabApplyConfiguration {
		return apply.CronTab("nightly", "east").WithSpec(apply.CronTabSpec().WithReplicas(n))
	}
	if _, err := crontabs.Apply(t.Context(), replicas(1), metav1.ApplyOptions{FieldManager: "owner"}); err != nil {
		t.Fatal(err)
	}
	_, err := crontabs.Apply(t.Context(), replicas(2), metav1.ApplyOptions{FieldManager: "scaler"})
	if !apierrors.IsConflict(err) {
		t.Fatalf("got %v, want a conflict", err)
	}
	got, err := crontabs.Apply(t.Context(), replicas(2), metav1.ApplyOptions{FieldManager: "scaler", Force: true})
	if err != nil {
		t.Fatal(err)
	}
	if *got.Spec.Replicas != 2 {
		t.Errorf("got %d replicas, want the 2 that were forced", *got.Spec.Replicas)
	}
	for manager, want := range map[string]bool{"owner": false, "scaler": true} {
		owned, err := apply.ExtractCronTab(got, manager)
		if err != nil {
			t.Fatal(err)
		}
		if has := owned.Spec != nil && owned.Spec.Replicas != nil; has != want {
			t.Errorf("%s owns the replicas: %v, want %v", manager, has, want)
		}
	}
}

// TestApplyStatus applies conditions as several managers. Conditions are a map by type, so each manager can own one.
func TestApplyStatus(t *testing.T) {
	crontabs := fake.NewClientset(newCronTab("east", "nightly")).StableV1().CronTabs("east")
	var got *v1.CronTab
	for _, condition := range []string{"Ready", "Healthy", "Ready"} {
		status := apply.CronTab("nightly", "east").WithStatus(apply.CronTabStatus().WithConditions(applymetav1.Condition().
			WithType(condition).WithStatus(metav1.ConditionTrue).WithReason("AsTold").WithMessage("").WithLastTransitionTime(metav1.Unix(0, 0))))
		var err error
		if got, err = crontabs.ApplyStatus(t.Context(), status, metav1.ApplyOptions{FieldManager: condition}); err != nil {
			t.Fatal(err)
		}
	}
	if len(got.Status.Conditions) != 2 {
		t.Errorf("got %+v, want one condition of each manager", got.Status.Conditions)
	}
}
