package crontabtypes_test

import (
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
)

// The fake has no idea how the scale of a CronTab relates to the CronTab, so the test tells it with reactors.
func TestScale(t *testing.T) {
	crontab := newCronTab("east", "nightly")
	crontab.Spec.Replicas = new(int32(1))
	crontab.Status = v1.CronTabStatus{Replicas: 1, LabelSelector: "app=nightly"}
	client := fake.NewSimpleClientset(crontab)
	crontabs := v1.SchemeGroupVersion.WithResource("crontabs")
	stored := func(namespace, name string) (*v1.CronTab, error) {
		obj, err := client.Tracker().Get(crontabs, namespace, name)
		if err != nil {
			return nil, err
		}
		return obj.(*v1.CronTab), nil
	}
	client.PrependReactor("get", "crontabs/scale", func(action clienttesting.Action) (bool, runtime.Object, error) {
		c, err := stored(action.GetNamespace(), action.(clienttesting.GetAction).GetName())
		if err != nil {
			return true, nil, err
		}
		return true, scaleOf(c), nil
	})
	client.PrependReactor("update", "crontabs/scale", func(action clienttesting.Action) (bool, runtime.Object, error) {
		scale := action.(clienttesting.UpdateAction).GetObject().(*autoscalingv1.Scale)
		c, err := stored(action.GetNamespace(), scale.Name)
		if err != nil {
			return true, nil, err
		}
		c.Spec.Replicas = new(scale.Spec.Replicas)
		return true, scaleOf(c), client.Tracker().Update(crontabs, c, c.Namespace)
	})

	scale, err := client.StableV1().CronTabs("east").GetScale(t.Context(), "nightly", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if scale.Spec.Replicas != 1 || scale.Status.Replicas != 1 || scale.Status.Selector != "app=nightly" {
		t.Errorf("got scale %+v, want that of the CronTab", scale)
	}

	scale.Spec.Replicas = 3
	scale, err = client.StableV1().CronTabs("east").UpdateScale(t.Context(), "nightly", scale, metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if scale.Spec.Replicas != 3 || scale.Status.Replicas != 1 {
		t.Errorf("got scale %+v after the update, want 3 replicas wanted and 1 seen", scale)
	}
	scaled, err := client.StableV1().CronTabs("east").Get(t.Context(), "nightly", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if *scaled.Spec.Replicas != 3 {
		t.Errorf("got %d replicas in the CronTab after the update of its scale, want 3", *scaled.Spec.Replicas)
	}

	if _, err := client.StableV1().CronTabs("west").GetScale(t.Context(), "nightly", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("got error %v for the scale of a CronTab that is not there, want NotFound", err)
	}
}

// scaleOf is what a server makes of the paths in the +kubebuilder:subresource:scale marker.
func scaleOf(c *v1.CronTab) *autoscalingv1.Scale {
	return &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Namespace: c.Namespace, Name: c.Name},
		Spec:       autoscalingv1.ScaleSpec{Replicas: *c.Spec.Replicas},
		Status:     autoscalingv1.ScaleStatus{Replicas: c.Status.Replicas, Selector: c.Status.LabelSelector},
	}
}
