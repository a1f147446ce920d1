package fakeapi_test

import (
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
)

// TestLifecycle takes an object from its creation to its deletion, and sees each step in a watch.
func TestLifecycle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, client := newWorld(t)
		ctx := t.Context()
		c := client.StableV1().CronTabs("team")
		w, err := c.Watch(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Stop()
		expect := func(kind watch.EventType, ct *stablev1.CronTab, err error) *stablev1.CronTab {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			select {
			case e := <-w.ResultChan():
				got := e.Object.(*stablev1.CronTab)
				if e.Type != kind || ct != nil && got.ResourceVersion != ct.ResourceVersion {
					t.Fatalf("got %s of version %s, want %s of %s", e.Type, got.ResourceVersion, kind, ct.ResourceVersion)
				}
				return got
			default:
				t.Fatalf("no event, want %s", kind)
				return nil
			}
		}

		ct, err := c.Create(ctx, crontab("one", func(ct *stablev1.CronTab) { ct.Status.Replicas = 1 }), metav1.CreateOptions{})
		expect(watch.Added, ct, err)
		if ct.Status.Replicas != 0 || ct.Generation != 1 || ct.UID == "" || !ct.CreationTimestamp.Time.Equal(time.Now()) || len(ct.ManagedFields) != 1 {
			t.Errorf("created: %+v", ct)
		}

		stale := ct.DeepCopy()
		ct.Spec.Image, ct.Status.Replicas, ct.Finalizers = "alpine", 1, []string{"example.com/hold"}
		ct, err = c.Update(ctx, ct, metav1.UpdateOptions{})
		expect(watch.Modified, ct, err)
		if ct.Spec.Image != "alpine" || ct.Status.Replicas != 0 || ct.Generation != 2 {
			t.Errorf("updated: %+v", ct)
		}
		if _, err := c.Update(ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
			t.Errorf("update of an old version: %v, want a conflict", err)
		}

		ct.Spec.Image, ct.Status.Replicas, ct.Labels = "other", 1, map[string]string{"a": "b"}
		ct, err = c.UpdateStatus(ctx, ct, metav1.UpdateOptions{})
		expect(watch.Modified, ct, err)
		if ct.Spec.Image != "alpine" || ct.Status.Replicas != 1 || ct.Generation != 2 || len(ct.Labels) > 0 {
			t.Errorf("updated status: %+v", ct)
		}
		version := ct.ResourceVersion
		if ct, err = c.Update(ctx, ct, metav1.UpdateOptions{}); err != nil || ct.ResourceVersion != version {
			t.Errorf("update that changes nothing: version %s, %v, want %s", ct.ResourceVersion, err, version)
		}

		if err := c.Delete(ctx, "one", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		ct = expect(watch.Modified, nil, nil)
		if ct.DeletionTimestamp == nil || ct.Generation != 3 {
			t.Errorf("deleted, but held: %+v", ct)
		}
		_, err = c.Patch(ctx, "one", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		expect(watch.Deleted, nil, err)
		if _, err := c.Get(ctx, "one", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("get of a deleted object: %v, want not found", err)
		}
		list, err := c.List(ctx, metav1.ListOptions{})
		if err != nil || len(list.Items) != 0 || list.ResourceVersion == "" {
			t.Errorf("list after deletion: %+v, %v", list, err)
		}
	})
}
