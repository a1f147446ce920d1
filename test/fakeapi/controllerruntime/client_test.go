// Package controllerruntime tests controller-runtime's clients, caches and managers with fakeapi.
package controllerruntime

import (
	"context"
	"testing"
	"time"

	"github.com/go-logr/logr"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kubernetesscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/fakeapi"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
)

const crds = "../../../examples/crontab-types/crds"

func init() { log.SetLogger(logr.Discard()) }

// newAPI returns an API that serves what the definitions of the example say, and a scheme of it.
func newAPI(t *testing.T, options ...fakeapi.Option) (*fakeapi.API, *runtime.Scheme) {
	t.Helper()
	scheme := runtime.NewScheme()
	must(t, kubernetesscheme.AddToScheme(scheme))
	must(t, stablev1.AddToScheme(scheme))
	fromCRDs, err := crdvalidation.Options(scheme, crds)
	must(t, err)
	return fakeapi.New(append(fromCRDs, options...)...), scheme
}

func crontab(name string) *stablev1.CronTab {
	return &stablev1.CronTab{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name},
		Spec:       stablev1.CronTabSpec{CronSpec: "0 3 * * *", Image: "backup:v1"},
	}
}

// TestClient sends requests by a client of controller-runtime, for each Go type of objects.
func TestClient(t *testing.T) {
	api, scheme := newAPI(t, fakeapi.WithObjects(crontab("backup")))
	c, err := client.NewWithWatch(api.RESTConfig(), client.Options{Scheme: scheme})
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	events, err := c.Watch(ctx, &stablev1.CronTabList{}, client.InNamespace("team"))
	must(t, err)

	second := crontab("second")
	must(t, c.Create(ctx, second))
	if second.UID == "" || second.Spec.Replicas == nil || *second.Spec.Replicas != 1 {
		t.Errorf("created %+v, want a uid and the default of replicas", second)
	}
	if err := c.Create(ctx, crontab("second")); !apierrors.IsAlreadyExists(err) {
		t.Errorf("second creation: %v", err)
	}
	invalid := crontab("invalid")
	invalid.Spec.CronSpec = "daily"
	if err := c.Create(ctx, invalid); !apierrors.IsInvalid(err) {
		t.Errorf("creation of an invalid object: %v", err)
	}
	key := client.ObjectKeyFromObject(second)
	stale := &stablev1.CronTab{}
	must(t, c.Get(ctx, key, stale))
	second.Spec.Image = "backup:v2"
	must(t, c.Update(ctx, second))
	stale.Spec.Image = "backup:v3"
	if err := c.Update(ctx, stale); !apierrors.IsConflict(err) {
		t.Errorf("update of a stale version: %v", err)
	}

	// The status, by its subresource alone.
	second.Status.Replicas = 3
	must(t, c.Update(ctx, second))
	if second.Status.Replicas != 0 {
		t.Errorf("an update changed the status: %+v", second.Status)
	}
	second.Status.Replicas = 3
	must(t, c.Status().Update(ctx, second))
	before := second.DeepCopy()
	second.Status.Replicas = 4
	must(t, c.Status().Patch(ctx, second, client.MergeFrom(before)))
	must(t, c.Get(ctx, key, second))
	if second.Status.Replicas != 4 {
		t.Errorf("the status is %+v", second.Status)
	}
	scale := &autoscalingv1.Scale{}
	must(t, c.SubResource("scale").Get(ctx, second, scale))
	scale.Spec.Replicas = 5
	must(t, c.SubResource("scale").Update(ctx, second, client.WithSubResourceBody(scale)))

	// Patches, with optimistic locks as well, and apply.
	before = second.DeepCopy()
	second.Labels = map[string]string{"tier": "gold"}
	if err := c.Patch(ctx, second, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); !apierrors.IsConflict(err) {
		t.Errorf("patch of a stale version: %v", err)
	}
	must(t, c.Get(ctx, key, second))
	before = second.DeepCopy()
	second.Labels = map[string]string{"tier": "gold"}
	must(t, c.Patch(ctx, second, client.MergeFrom(before)))
	if *second.Spec.Replicas != 5 {
		t.Errorf("replicas after a change of the scale: %d", *second.Spec.Replicas)
	}
	applied := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": map[string]any{"namespace": "team", "name": "second"}, "spec": map[string]any{"image": "backup:v4"},
	}}
	intent := applied.DeepCopy()
	if err := c.Apply(ctx, client.ApplyConfigurationFromUnstructured(applied), client.FieldOwner("applier")); !apierrors.IsConflict(err) {
		t.Errorf("apply of another manager's field: %v", err)
	}
	must(t, c.Apply(ctx, client.ApplyConfigurationFromUnstructured(intent), client.FieldOwner("applier"), client.ForceOwnership))

	// Lists.
	list := &stablev1.CronTabList{}
	must(t, c.List(ctx, list, client.InNamespace("team"), client.MatchingLabels{"tier": "gold"}))
	if len(list.Items) != 1 || list.Items[0].Spec.Image != "backup:v4" {
		t.Errorf("list by labels: %+v", list.Items)
	}
	must(t, c.List(ctx, list, client.MatchingFields{"metadata.name": "backup"}))
	if len(list.Items) != 1 {
		t.Errorf("list by a field: %+v", list.Items)
	}
	if err := c.List(ctx, list, client.MatchingFields{"spec.cronSpec": "0 3 * * *"}); !apierrors.IsBadRequest(err) {
		t.Errorf("list by a field that is not selectable: %v", err)
	}
	partial := &metav1.PartialObjectMetadataList{}
	partial.SetGroupVersionKind(stablev1.SchemeGroupVersion.WithKind("CronTabList"))
	must(t, c.List(ctx, partial, client.Limit(1)))
	if len(partial.Items) != 1 || partial.Continue == "" {
		t.Errorf("list of metadata: %+v", partial)
	}

	// Kinds of Kubernetes itself, which the client asks for in protobuf if it may.
	must(t, c.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "settings"}, Data: map[string]string{"a": "b"}}))
	settings := &corev1.ConfigMap{}
	must(t, c.Get(ctx, client.ObjectKey{Namespace: "team", Name: "settings"}, settings))
	if settings.Data["a"] != "b" {
		t.Errorf("the ConfigMap is %+v", settings)
	}

	must(t, client.NewDryRunClient(c).Delete(ctx, second))
	must(t, c.DeleteAllOf(ctx, &stablev1.CronTab{}, client.InNamespace("team")))
	if err := c.Get(ctx, key, second); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("get after deletion: %v", err)
	}
	seen := map[string]int{}
	for e := range events.ResultChan() {
		name := e.Object.(*stablev1.CronTab).Name
		seen[string(e.Type)+" "+name]++
		if seen["DELETED backup"]+seen["DELETED second"] == 2 {
			events.Stop()
			break
		}
	}
	if seen["ADDED backup"] != 1 || seen["ADDED second"] != 1 || seen["MODIFIED second"] < 5 {
		t.Errorf("events %v", seen)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
