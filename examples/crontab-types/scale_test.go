package crontabtypes_test

import (
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
)

// TestScale checks that fakes know the scale of a CronTab from the marker +kubebuilder:subresource:scale.
func TestScale(t *testing.T) {
	for name, newClientset := range map[string]func(...runtime.Object) *fake.Clientset{
		"NewClientset": fake.NewClientset, "NewSimpleClientset": fake.NewSimpleClientset,
	} {
		t.Run(name, func(t *testing.T) {
			crontab := newCronTab("east", "nightly")
			crontab.Spec.Replicas = new(int32(1))
			crontab.Status = v1.CronTabStatus{Replicas: 1, LabelSelector: "app=nightly"}
			client := newClientset(crontab)
			crontabs := client.StableV1().CronTabs("east")
			check := func(scale *autoscalingv1.Scale, err error, want int32) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
				if scale.Name != "nightly" || scale.Namespace != "east" || scale.Spec.Replicas != want || scale.Status.Replicas != 1 || scale.Status.Selector != "app=nightly" {
					t.Errorf("got scale %+v, want that of the CronTab with %d replicas", scale, want)
				}
				scaled, err := crontabs.Get(t.Context(), "nightly", metav1.GetOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if scaled.Spec.Replicas == nil || *scaled.Spec.Replicas != want || scaled.Spec.CronSpec != crontab.Spec.CronSpec {
					t.Errorf("got %+v, want the CronTab with %d replicas", scaled.Spec, want)
				}
			}
			scale, err := crontabs.GetScale(t.Context(), "nightly", metav1.GetOptions{})
			check(scale, err, 1)

			watcher, err := crontabs.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1000"})
			if err != nil {
				t.Fatal(err)
			}
			defer watcher.Stop()
			scale.Spec.Replicas = 3
			scale, err = crontabs.UpdateScale(t.Context(), "nightly", scale, metav1.UpdateOptions{})
			check(scale, err, 3)
			if event := <-watcher.ResultChan(); event.Type != watch.Modified || *event.Object.(*v1.CronTab).Spec.Replicas != 3 {
				t.Errorf("got event %+v, want the CronTab with 3 replicas", event)
			}
			scale.Spec.Replicas = 0 // omitted in the JSON of a Scale
			scale, err = crontabs.UpdateScale(t.Context(), "nightly", scale, metav1.UpdateOptions{})
			check(scale, err, 0)

			for _, patchType := range []types.PatchType{types.MergePatchType, types.StrategicMergePatchType, types.ApplyPatchType} {
				_, err = crontabs.Patch(t.Context(), "nightly", patchType, []byte(`{"spec": {"replicas": 7}}`), metav1.PatchOptions{FieldManager: "test"}, "scale")
				if err != nil {
					t.Errorf("patch of the scale by %s: %v", patchType, err)
				}
				scale, err = crontabs.GetScale(t.Context(), "nightly", metav1.GetOptions{})
				check(scale, err, 7)
				scale.Spec.Replicas = 1
				scale, err = crontabs.UpdateScale(t.Context(), "nightly", scale, metav1.UpdateOptions{})
				check(scale, err, 1)
			}
			_, err = crontabs.Patch(t.Context(), "nightly", types.JSONPatchType, []byte(`[]`), metav1.PatchOptions{}, "scale")
			if err == nil || !strings.Contains(err.Error(), "PrependReactor") {
				t.Errorf("JSON patch of the scale: %v", err)
			}

			if _, err := client.StableV1().CronTabs("west").GetScale(t.Context(), "nightly", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
				t.Errorf("got error %v for the scale of a CronTab that is not there, want NotFound", err)
			}
			if _, err := crontabs.UpdateScale(t.Context(), "hourly", &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "hourly"}}, metav1.UpdateOptions{}); !apierrors.IsNotFound(err) {
				t.Errorf("got error %v for the update of such a scale, want NotFound", err)
			}

			client.PrependReactor("get", "crontabs/scale", func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 42}}, nil
			})
			if scale, err := crontabs.GetScale(t.Context(), "nightly", metav1.GetOptions{}); err != nil || scale.Spec.Replicas != 42 {
				t.Errorf("got %+v, %v; want what the reactor returns", scale, err)
			}
		})
	}
}
