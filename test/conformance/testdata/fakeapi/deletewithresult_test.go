package fakeapi_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kubegen/kubegen/fakeapi"
)

// TestDeleteWithResult deletes objects by the method that clients have since client-go v0.38.
func TestDeleteWithResult(t *testing.T) {
	for _, name := range []string{"dynamic", "metadata"} {
		api := fakeapi.New(fakeapi.WithObjects(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}}))
		resource := corev1.SchemeGroupVersion.WithResource("configmaps")
		dynamic, metadata := api.Dynamic(), api.Metadata()
		deletes, fake := dynamic.Resource(resource).Namespace("default").DeleteWithResult, &dynamic.Fake
		if name == "metadata" {
			deletes, fake = metadata.Resource(resource).Namespace("default").DeleteWithResult, &metadata.Fake
		}
		result, err := deletes(context.Background(), "a", metav1.DeleteOptions{})
		if err != nil || result.Error() != nil {
			t.Errorf("%s: %v, %v", name, err, result.Error())
		}
		if _, err := deletes(context.Background(), "a", metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("%s: the second deletion returns %v", name, err)
		}
		for _, action := range fake.Actions() {
			if d, ok := action.(clienttesting.DeleteAction); !ok || d.GetNamespace() != "default" || d.GetName() != "a" {
				t.Errorf("%s: the action is %v", name, action)
			}
		}
	}
}
