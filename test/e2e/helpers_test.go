package e2e

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	clients "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/typed/stable/v1"
)

// EachCronTab reads three pages of one version; and once that has expired, the rest of the latest, or nothing if the
// version is to be exact.
func TestEach(t *testing.T) {
	t.Parallel()
	ctx, ns := limit(t), namespace(t)
	server := ownServer(t)
	client, requests := connect(t, server)
	crontabs := client.StableV1().CronTabs(ns)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		create(ctx, t, crontabs, newCronTab(name))
	}
	visit := func(opts metav1.ListOptions, each func(name string)) (names []string, statuses []int, err error) {
		requests.forget()
		for crontab, failed := range clients.EachCronTab(ctx, crontabs, opts) {
			if err = failed; err == nil {
				names = append(names, crontab.Name)
				each(crontab.Name)
			}
		}
		for _, r := range requests.all("list") {
			statuses = append(statuses, r.status)
			expect(t, "limit", r.query.Get("limit"), "2")
		}
		return names, statuses, err
	}

	names, statuses, err := visit(metav1.ListOptions{Limit: 2}, func(string) {})
	must(t, err)
	expect(t, "names", names, []string{"a", "b", "c", "d", "e"})
	expect(t, "statuses of the lists", statuses, []int{http.StatusOK, http.StatusOK, http.StatusOK})

	config, err := server.config()
	must(t, err)
	names, statuses, err = visit(metav1.ListOptions{Limit: 2}, func(name string) {
		if name == "a" {
			remove(ctx, t, crontabs, "d")
			added := create(ctx, t, crontabs, newCronTab("a1"))
			expire(ctx, t, config, crontabs, added.ResourceVersion)
			must(t, server.compact())
		}
	})
	must(t, err)
	expect(t, "names after expiry", names, []string{"a", "b", "c", "e"})
	expect(t, "statuses of the lists after expiry", statuses, []int{http.StatusOK, http.StatusGone, http.StatusOK})

	list, err := crontabs.List(ctx, metav1.ListOptions{})
	must(t, err)
	exact := metav1.ListOptions{Limit: 2, ResourceVersion: list.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact}
	names, statuses, err = visit(exact, func(name string) {
		if name == "a" {
			setImage(ctx, t, crontabs, "e", "image:v2")
			must(t, server.stop())
			must(t, server.start()) // without watch caches of old versions
			must(t, server.compact())
		}
	})
	expect(t, "names of the exact version", names, []string{"a", "a1"})
	expect(t, "statuses of the lists of the exact version", statuses, []int{http.StatusOK, http.StatusGone})
	expect(t, "Expired", apierrors.IsResourceExpired(err), true)
}

// Conflicts with other writers are no reason to fail or to lose what they wrote.
func TestUpdateWithRetries(t *testing.T) {
	t.Parallel()
	ctx, ns := limit(t), namespace(t)
	client, requests := connect(t, shared)
	crontabs := client.StableV1().CronTabs(ns)
	create(ctx, t, crontabs, newCronTab("nightly"))
	statuses := func() (list []int) {
		for _, r := range requests.all("update") {
			list = append(list, r.status)
		}
		requests.forget()
		return list
	}

	attempts := 0
	suspend := func(c *v1.CronTab) error {
		if attempts++; attempts < 3 {
			setImage(ctx, t, crontabs, "nightly", fmt.Sprintf("image:v%d", attempts+1))
		}
		c.Spec.Suspend = true
		return nil
	}
	updated, err := clients.UpdateCronTab(ctx, crontabs, "nightly", suspend)
	must(t, err)
	expect(t, "image of the other writer", updated.Spec.Image, "image:v3")
	expect(t, "suspend", updated.Spec.Suspend, true)
	expect(t, "statuses of updates", statuses(), []int{http.StatusConflict, http.StatusConflict, http.StatusOK})

	again, err := clients.UpdateCronTab(ctx, crontabs, "nightly", suspend)
	must(t, err)
	expect(t, "version without a change", again.ResourceVersion, updated.ResourceVersion)
	expect(t, "updates without a change", len(statuses()), 0)

	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for {
				_, err := clients.UpdateCronTabStatus(ctx, crontabs, "nightly", func(c *v1.CronTab) error { c.Status.Replicas++; return nil })
				if err == nil {
					return
				}
				if !apierrors.IsConflict(err) { // with eight at once, the retries may not be enough
					t.Error(err)
					return
				}
			}
		})
	}
	writers.Wait()
	counted, err := crontabs.Get(ctx, "nightly", metav1.GetOptions{})
	must(t, err)
	expect(t, "replicas that eight writers have counted", counted.Status.Replicas, 8)
}

// A wait goes on after a restart and after expiry, and sees the object come and go.
func TestWait(t *testing.T) {
	t.Parallel()
	ctx, ns := limit(t), namespace(t)
	server := ownServer(t)
	client, _ := connect(t, server)
	crontabs := client.StableV1().CronTabs(ns)
	create(ctx, t, crontabs, newCronTab("other"))
	config, err := server.config()
	must(t, err)

	seen := make(chan string, 1000)
	sees := func(want string) {
		t.Helper()
		for receive(ctx, t, seen) != want {
		}
	}
	wait := func(condition func(*v1.CronTab) bool) chan error {
		ended := make(chan error, 1)
		beside(ctx, t, func(ctx context.Context) {
			_, err := clients.WaitForCronTab(ctx, crontabs, "nightly", func(c *v1.CronTab) (bool, error) {
				if c == nil {
					seen <- "nothing"
				} else {
					seen <- c.Spec.Image
				}
				return condition(c), nil
			})
			ended <- err
		})
		return ended
	}

	reached := wait(func(c *v1.CronTab) bool { return c != nil && c.Spec.Image == "image:v4" })
	sees("nothing")
	create(ctx, t, crontabs, newCronTab("nightly"))
	sees("image:v1")
	must(t, server.stop())
	must(t, server.start())
	writer, _ := connect(t, server)
	setImage(ctx, t, writer.StableV1().CronTabs(ns), "nightly", "image:v2")
	sees("image:v2")
	changed := setImage(ctx, t, crontabs, "nightly", "image:v3")
	sees("image:v3")
	expire(ctx, t, config, crontabs, changed.ResourceVersion)
	must(t, server.compact())
	setImage(ctx, t, crontabs, "nightly", "image:v4")
	must(t, receive(ctx, t, reached))

	gone := wait(func(c *v1.CronTab) bool { return c == nil })
	remove(ctx, t, crontabs, "nightly")
	must(t, receive(ctx, t, gone))
	sees("nothing")
}
