package crontabtypes_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/fakeapi"
)

// These tests check how a store handles writes with unknown outcomes.

// TestUnknownOutcome checks that the object of a write with unknown outcome and its owners are stale until a list
// shows the outcome or the server can no longer carry out the write. After that, they await the state in the list.
func TestUnknownOutcome(t *testing.T) {
	any := fakeapi.Requests{Resource: "cronruns"}
	server := apierrors.NewInternalError(errors.New("out of order"))
	change := func(c *consistent) error {
		_, err := c.client.CronRuns("east").Patch(c.Context(), "old", types.MergePatchType, []byte(`{"spec":{"image":"x"}}`), metav1.PatchOptions{})
		return err
	}
	update := func(c *consistent) error {
		run, err := c.client.CronRuns("east").Get(c.Context(), "old", metav1.GetOptions{})
		c.must(run, err)
		run.Spec.Image = "x"
		_, err = c.client.CronRuns("east").Update(c.Context(), run, metav1.UpdateOptions{})
		return err
	}
	add := func(c *consistent) error {
		_, err := c.client.CronRuns("east").Create(c.Context(), ownedRun("new"), metav1.CreateOptions{})
		return err
	}
	addAny := func(c *consistent) error {
		run := ownedRun("")
		run.GenerateName = "new-"
		_, err := c.client.CronRuns("east").Create(c.Context(), run, metav1.CreateOptions{})
		return err
	}
	remove := func(c *consistent) error {
		return c.client.CronRuns("east").Delete(c.Context(), "old", metav1.DeleteOptions{})
	}
	removeAll := func(c *consistent) error {
		return c.client.CronRuns("east").DeleteCollection(c.Context(), metav1.DeleteOptions{}, metav1.ListOptions{})
	}
	broken, failed := func(a *fakeapi.API) { a.FailAfter(any, 1, io.ErrUnexpectedEOF) }, func(a *fakeapi.API) { a.FailAfter(any, 1, server) }
	for _, test := range []struct {
		name    string
		fault   func(*fakeapi.API)
		write   func(*consistent) error
		unknown string
		limit   time.Duration
		want    []string
	}{
		{"create, and the connection breaks", broken, add, "cronruns east/new", time.Second, []string{"cronruns east/new"}},
		{"create, and the server fails", failed, add, "cronruns east/new", time.Second, []string{"cronruns east/new"}},
		{"create, without effect", func(a *fakeapi.API) { a.Fail(any, 1, io.ErrUnexpectedEOF) }, add, "cronruns east/new", time.Minute, nil},
		{"create with any name", broken, addAny, "cronruns east/", time.Minute, []string{"cronruns east/new-*"}},
		{"patch", broken, change, "cronruns east/old", time.Minute, []string{"cronruns east/old"}},
		{"patch, without effect", func(a *fakeapi.API) { a.Fail(any, 1, server) }, change, "cronruns east/old", 10 * time.Second, nil},
		{"update", func(a *fakeapi.API) { a.FailAfter(fakeapi.Requests{Verb: "update"}, 1, io.ErrUnexpectedEOF) }, update, "cronruns east/old", time.Second, []string{"cronruns east/old"}},
		{"update, without effect", func(a *fakeapi.API) { a.Fail(fakeapi.Requests{Verb: "update"}, 1, io.ErrUnexpectedEOF) }, update, "cronruns east/old", time.Minute, nil},
		{"delete", failed, remove, "cronruns east/old", time.Second, []string{"cronruns east/old deleted"}},
		{"delete, without effect", func(a *fakeapi.API) { a.Fail(any, 1, server) }, remove, "cronruns east/old", 10 * time.Second, nil},
		{"delete collection", failed, removeAll, "cronruns east/", 10 * time.Second, []string{"cronruns east/finalized deleted", "cronruns east/old deleted"}},
		{"delete collection, without effect", func(a *fakeapi.API) { a.Fail(any, 1, server) }, removeAll, "cronruns east/", 10 * time.Second, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				finalized, west := ownedRun("finalized"), ownedRun("old")
				finalized.Finalizers = []string{"example.com/keep"}
				west.Namespace = "west"
				c := newConsistent(t, []runtime.Object{ownedRun("old"), finalized, west})
				c.start()
				test.fault(c.api)
				if err := test.write(c); err == nil {
					t.Fatal("the write has not failed")
				}
				unknown := test.unknown + " unknown"
				if slices.Contains(test.want, "cronruns east/new-*") {
					list, err := c.elsewhere().CronRuns("east").List(t.Context(), metav1.ListOptions{LabelSelector: "!old"})
					c.must(list, err)
					test.want = []string{"cronruns east/" + list.Items[slices.IndexFunc(list.Items, func(run v1.CronRun) bool { return run.GenerateName != "" })].Name}
				}
				c.awaits(cache.NewObjectName("west", "nightly"))
				c.awaits(cache.NewObjectName("", "nightly"), unknown)
				if strings.HasPrefix(test.name, "delete collection") {
					c.awaits(cache.NewObjectName("east", "other"), unknown)
				} else {
					c.awaits(cache.NewObjectName("east", "other"))
				}
				c.awaits(nightlyName, unknown)
				time.Sleep(time.Second - time.Nanosecond)
				c.awaits(nightlyName, unknown)
				time.Sleep(time.Nanosecond)
				_ = c.writes.EnsureReady(nightlyName) // starts a list
				synctest.Wait()
				if test.limit > time.Second {
					c.awaits(nightlyName, append([]string{unknown}, test.want...)...)
					time.Sleep(test.limit - time.Second - time.Nanosecond)
					c.awaits(nightlyName, append([]string{unknown}, test.want...)...)
					time.Sleep(time.Nanosecond)
					_ = c.writes.EnsureReady(nightlyName)
					synctest.Wait()
				}
				c.awaits(cache.NewObjectName("east", "other"))
				c.awaits(nightlyName, test.want...)
				c.settled()
			})
		})
	}
}

// A wait ends by itself when the outcome is known.
func TestWaitForOutcome(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		c.api.Fail(fakeapi.Requests{Verb: "create"}, 1, io.ErrUnexpectedEOF)
		if _, err := c.client.CronRuns("east").Create(t.Context(), ownedRun("a"), metav1.CreateOptions{}); err == nil {
			t.Fatal("the write has not failed")
		}
		begun := time.Now()
		c.must(nil, c.writes.WaitUntilReady(t.Context(), nightlyName))
		if waited := time.Since(begun); waited != time.Minute {
			t.Errorf("waited %v, want the minute in which the server can carry out the write", waited)
		}
	})
}

// After the deletion of a collection, the list shows the remaining objects, whatever the deletion selected.
func TestDeletionOfSelected(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		golden := ownedRun("golden")
		golden.Labels = map[string]string{"tier": "gold"}
		c.must(c.client.CronRuns("east").Create(t.Context(), golden, metav1.CreateOptions{}))
		c.create("other")
		c.settled()
		c.api.FailAfter(fakeapi.Requests{Verb: "deletecollection"}, 1, io.ErrUnexpectedEOF)
		if err := c.client.CronRuns("east").DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "tier=gold"}); err == nil {
			t.Error("the connection has not failed")
		}
		c.awaits(nightlyName, "cronruns east/ unknown")
		time.Sleep(time.Minute)
		_ = c.writes.EnsureReady(nightlyName)
		synctest.Wait()
		c.awaits(nightlyName, "cronruns east/golden deleted")
		c.settled()
	})
}
