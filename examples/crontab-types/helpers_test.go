package crontabtypes_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/util/retry"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/scheme"
	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/typed/stable/v1"
	"github.com/kubegen/kubegen/fakeapi"
)

// These tests use the functions that +kubegen:helpers adds, on an API server in memory.

func newAPI(objects ...runtime.Object) (*fakeapi.API, *fake.Clientset) {
	api := fakeapi.New(fakeapi.WithAPI(fake.API{}), fakeapi.WithObjects(objects...))
	client := fake.NewClientset()
	api.Attach(&client.Fake, scheme.Scheme)
	return api, client
}

// requests returns the requests with a verb, and forgets all requests. For lists, it includes the options.
func requests(client *fake.Clientset, verb string) []string {
	var found []string
	for _, action := range client.Actions() {
		if action.GetVerb() != verb {
			continue
		}
		text := action.GetVerb()
		if action.GetSubresource() != "" {
			text += " " + action.GetSubresource()
		}
		if list, ok := action.(clienttesting.ListActionImpl); ok {
			opts := list.ListOptions
			text += fmt.Sprintf(" limit=%d continue=%t version=%s%s", opts.Limit, opts.Continue != "", opts.ResourceVersion, opts.ResourceVersionMatch)
		}
		found = append(found, text)
	}
	client.ClearActions()
	return found
}

func fiveCronTabs() (objects []runtime.Object) {
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		objects = append(objects, newCronTab("east", name))
	}
	return objects
}

func TestEach(t *testing.T) {
	ctx := t.Context()
	_, client := newAPI(append(fiveCronTabs(), newCronTab("west", "f"))...)
	east := client.StableV1().CronTabs("east")

	pages := stablev1.EachCronTab(ctx, east, metav1.ListOptions{Limit: 2})
	for range 2 { // an iterator can be used more than once
		var names []string
		for crontab, err := range pages {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, crontab.Name)
		}
		expect(t, names, "a", "b", "c", "d", "e")
		expect(t, requests(client, "list"), "list limit=2 continue=false version=", "list limit=2 continue=true version=", "list limit=2 continue=true version=")
	}

	for crontab, err := range pages {
		if err != nil {
			t.Fatal(err)
		}
		if crontab.Name == "b" { // the last object of its page
			break
		}
	}
	expect(t, requests(client, "list"), "list limit=2 continue=false version=")

	list, err := east.List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	requests(client, "list")
	exact := metav1.ListOptions{Limit: 3, ResourceVersion: list.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact}
	for _, err := range stablev1.EachCronTab(ctx, east, exact) {
		if err != nil {
			t.Fatal(err)
		}
	}
	expect(t, requests(client, "list"), "list limit=3 continue=false version="+list.ResourceVersion+"Exact", "list limit=3 continue=true version=")

	for range stablev1.EachCronTabClass(ctx, client.StableV1().CronTabClasses(), metav1.ListOptions{}) {
		t.Error("there is a class, or an error, where there is neither")
	}
	expect(t, requests(client, "list"), "list limit=500 continue=false version=")
}

func TestEachAfterExpiry(t *testing.T) {
	for _, test := range []struct {
		name    string
		match   metav1.ResourceVersionMatch
		want    []string
		expired bool
	}{
		{"goes on at the latest version", "", []string{"a", "b", "c", "e"}, false},
		{"an exact version is an error", metav1.ResourceVersionMatchExact, []string{"a", "b"}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx := t.Context()
			api, client := newAPI(fiveCronTabs()...)
			east := client.StableV1().CronTabs("east")
			opts := metav1.ListOptions{Limit: 2, ResourceVersionMatch: test.match}
			if list, err := east.List(ctx, metav1.ListOptions{}); err != nil {
				t.Fatal(err)
			} else if test.match != "" {
				opts.ResourceVersion = list.ResourceVersion
			}
			var got []string
			var failed error
			for crontab, err := range stablev1.EachCronTab(ctx, east, opts) {
				if failed = err; err != nil {
					continue
				}
				if got = append(got, crontab.Name); crontab.Name != "a" {
					continue
				}
				if _, err := east.Create(ctx, newCronTab("east", "a1"), metav1.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
				if err := east.Delete(ctx, "d", metav1.DeleteOptions{}); err != nil {
					t.Fatal(err)
				}
				api.ExpireVersions()
			}
			expect(t, got, test.want...)
			if failed != nil != test.expired || test.expired && !apierrors.IsResourceExpired(failed) {
				t.Errorf("got error %v; want Expired: %t", failed, test.expired)
			}
		})
	}
}

func TestEachEndsWithErrors(t *testing.T) {
	api, client := newAPI(fiveCronTabs()...)
	east := client.StableV1().CronTabs("east")
	visit := func(ctx context.Context, do func()) (got []string) {
		for crontab, err := range stablev1.EachCronTab(ctx, east, metav1.ListOptions{Limit: 2}) {
			switch do(); {
			case err != nil:
				got = append(got, err.Error())
			default:
				got = append(got, crontab.Name)
			}
		}
		return got
	}
	lists := fakeapi.Requests{Verb: "list"}
	api.Fail(lists, 1, errors.New("no route to host"))
	expect(t, visit(t.Context(), func() {}), "no route to host")

	fail := true
	expect(t, visit(t.Context(), func() {
		if fail {
			api.Fail(lists, 1, apierrors.NewResourceExpired("expired")) // without a token to continue with
		}
		fail = false
	}), "a", "b", "expired")

	ctx, cancel := context.WithCancel(t.Context())
	expect(t, visit(ctx, cancel), "a", "b", "context canceled")
}

func TestUpdateWithRetries(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx := t.Context()
		api, client := newAPI(newCronTab("east", "nightly"))
		east := client.StableV1().CronTabs("east")
		updates := fakeapi.Requests{Verb: "update", Name: "nightly"}
		attempts := 0
		setImage := func(c *v1.CronTab) error {
			attempts++
			c.Spec.Image = "image:v2"
			return nil
		}

		api.Conflict(updates, 2)
		crontab, err := stablev1.UpdateCronTab(ctx, east, "nightly", setImage)
		if err != nil || crontab.Spec.Image != "image:v2" || crontab.Annotations["fakeapi/competing-writer"] == "" {
			t.Errorf("got %+v, %v; want the changes of both writers", crontab, err)
		}
		expect(t, requests(client, "update"), "update", "update", "update")
		if attempts != 3 {
			t.Errorf("got %d attempts, want 3", attempts)
		}

		// An update that changes nothing sends no request.
		again, err := stablev1.UpdateCronTab(ctx, east, "nightly", setImage)
		if err != nil || again.ResourceVersion != crontab.ResourceVersion {
			t.Errorf("got %+v, %v; want the object as it was", again, err)
		}
		expect(t, requests(client, "update"))

		api.Conflict(updates, 100)
		begun := time.Now()
		_, err = stablev1.UpdateCronTab(ctx, east, "nightly", func(c *v1.CronTab) error { c.Spec.Image = "image:v3"; return nil })
		if !apierrors.IsConflict(err) {
			t.Errorf("got error %v, want Conflict", err)
		}
		if got := len(requests(client, "update")); got != retry.DefaultBackoff.Steps {
			t.Errorf("got %d updates, want %d", got, retry.DefaultBackoff.Steps)
		}
		if delays := time.Since(begun); delays < 310*time.Millisecond || delays > 341*time.Millisecond { // 10 + 50 + 250, and up to a tenth more
			t.Errorf("the updates have delays of %v", delays)
		}

		stopped, cancel := context.WithCancel(ctx)
		_, err = stablev1.UpdateCronTab(stopped, east, "nightly", func(c *v1.CronTab) error { c.Spec.Image = "image:v3"; cancel(); return nil })
		if !errors.Is(err, context.Canceled) || !apierrors.IsConflict(err) {
			t.Errorf("got error %v, want that of the context, and Conflict", err)
		}
		expect(t, requests(client, "update"), "update")

		refused := errors.New("refused")
		if _, err = stablev1.UpdateCronTab(ctx, east, "nightly", func(*v1.CronTab) error { return refused }); err != refused {
			t.Errorf("got error %v, want that of the change", err)
		}
		if _, err = stablev1.UpdateCronTab(ctx, east, "hourly", setImage); !apierrors.IsNotFound(err) {
			t.Errorf("got error %v, want NotFound", err)
		}
		expect(t, requests(client, "update"))
	})
}

func TestUpdateStatus(t *testing.T) {
	bubble(t, func(t *testing.T) {
		api, client := newAPI(newCronTab("east", "nightly"))
		api.Conflict(fakeapi.Requests{Verb: "update", Resource: "crontabs/status"}, 1)
		crontab, err := stablev1.UpdateCronTabStatus(t.Context(), client.StableV1().CronTabs("east"), "nightly", func(c *v1.CronTab) error {
			c.Spec.Image, c.Status.Replicas = "ignored", 3
			return nil
		})
		if err != nil || crontab.Status.Replicas != 3 || crontab.Spec.Image == "ignored" {
			t.Errorf("got %+v, %v; want a new status and nothing else", crontab, err)
		}
		expect(t, requests(client, "update"), "update status", "update status")
	})
}

func TestWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		api, client := newAPI(newCronTab("east", "other"), newCronTab("west", "nightly"))
		east := client.StableV1().CronTabs("east")
		setImage := func(image string) {
			t.Helper()
			synctest.Wait()
			_, err := stablev1.UpdateCronTab(ctx, east, "nightly", func(c *v1.CronTab) error { c.Spec.Image = image; return nil })
			if err != nil {
				t.Fatal(err)
			}
		}
		var seen []string
		waitFor := func(image string) chan error {
			result := make(chan error, 1)
			seen = nil
			go func() {
				crontab, err := stablev1.WaitForCronTab(ctx, east, "nightly", func(c *v1.CronTab) (bool, error) {
					if c == nil {
						seen = append(seen, "nothing")
						return image == "", nil
					}
					seen = append(seen, c.Spec.Image)
					return c.Spec.Image == image, nil
				})
				if err == nil && (image == "") != (crontab == nil) {
					err = fmt.Errorf("the result is %v", crontab)
				}
				result <- err
			}()
			return result
		}
		finish := func(result chan error, want ...string) {
			t.Helper()
			if err := <-result; err != nil {
				t.Error(err)
			}
			expect(t, seen, want...)
		}

		created := waitFor("image:v2")
		synctest.Wait()
		create(t, client, newCronTab("east", "nightly"))
		setImage("image:v2")
		finish(created, "nothing", "image:v1", "image:v2")

		reconnected := waitFor("image:v4")
		synctest.Wait()
		api.EndWatches()
		time.Sleep(time.Minute)
		setImage("image:v3")
		synctest.Wait()
		api.ExpireVersions()
		api.Fail(fakeapi.Requests{Verb: "list"}, 2, apierrors.NewServiceUnavailable("restarting"))
		api.Fail(fakeapi.Requests{Verb: "watch"}, 2, apierrors.NewResourceExpired("too old"))
		time.Sleep(time.Minute)
		setImage("image:v4")
		finish(reconnected, "image:v2", "image:v2", "image:v3", "image:v3", "image:v3", "image:v3", "image:v4")

		deleted := waitFor("")
		synctest.Wait()
		if err := east.Delete(ctx, "nightly", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		finish(deleted, "image:v4", "nothing")
	})
}

func TestWaitEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		api, client := newAPI(&v1.CronTabClass{ObjectMeta: metav1.ObjectMeta{Name: "gold"}, Spec: v1.CronTabClassSpec{DefaultImage: "image:v1"}})
		classes := client.StableV1().CronTabClasses()
		never := func(*v1.CronTabClass) (bool, error) { return false, nil }
		limited := func(d time.Duration) context.Context {
			ctx, cancel := context.WithTimeout(t.Context(), d)
			t.Cleanup(cancel)
			return ctx
		}

		_, err := stablev1.WaitForCronTabClass(limited(time.Hour), classes, "gold", never)
		if !errors.Is(err, context.DeadlineExceeded) || err.Error() != "waiting for gold: context deadline exceeded" {
			t.Errorf("got error %v, want that of the context", err)
		}

		broken := errors.New("broken")
		if _, err := stablev1.WaitForCronTabClass(limited(time.Hour), classes, "gold", func(*v1.CronTabClass) (bool, error) { return true, broken }); err != broken {
			t.Errorf("got error %v, want that of the condition", err)
		}

		for _, verb := range []string{"list", "watch"} {
			begun := time.Now()
			api.Fail(fakeapi.Requests{Verb: verb}, 1, apierrors.NewForbidden(v1.Resource("crontabclasses"), "", broken))
			_, err := stablev1.WaitForCronTabClass(limited(time.Hour), classes, "gold", never)
			if !apierrors.IsForbidden(err) || time.Since(begun) > 0 {
				t.Errorf("got error %v after %v, want Forbidden at once", err, time.Since(begun))
			}
		}

		for code, ends := range map[int]bool{400: true, 401: true, 403: true, 404: false, 405: true, 408: false, 409: false, 410: false, 422: true, 429: false, 500: false, 503: false} {
			api.Fail(fakeapi.Requests{Verb: "list"}, 1, apierrors.NewGenericServerResponse(code, "list", v1.Resource("crontabclasses"), "", "", 0, true))
			_, err := stablev1.WaitForCronTabClass(limited(time.Hour), classes, "gold", never)
			if ended := !errors.Is(err, context.DeadlineExceeded); ended != ends {
				t.Errorf("got error %v after code %d; want the end of the wait: %t", err, code, ends)
			}
		}

		client.ClearActions()
		api.Fail(fakeapi.Requests{Verb: "list"}, 1000, errors.New("connection refused"))
		_, err = stablev1.WaitForCronTabClass(limited(10*time.Minute), classes, "gold", never)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.HasSuffix(err.Error(), "the last error was: connection refused") {
			t.Errorf("got error %v, want that of the context, and that of the last list", err)
		}
		if lists := len(requests(client, "list")); lists < 13 || lists > 60 {
			t.Errorf("got %d lists in ten minutes without a server, want 13 to 60", lists)
		}
	})
}
