package fakeapi_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kubegen/kubegen/fakeapi"
)

// TestFail checks which requests fail, and how often.
func TestFail(t *testing.T) {
	boom := apierrors.NewServiceUnavailable("boom")
	for _, test := range []struct {
		requests fakeapi.Requests
		fail     []string
	}{
		{fakeapi.Requests{}, []string{"create one", "create status", "get one", "get other", "list", "watch", "patch status", "delete one", "deletecollection", "get pod"}},
		{fakeapi.Requests{Verb: "get"}, []string{"get one", "get other", "get pod"}},
		{fakeapi.Requests{Verb: "get", Resource: "crontabs"}, []string{"get one", "get other"}},
		{fakeapi.Requests{Resource: "crontabs", Name: "one"}, []string{"create one", "get one", "delete one"}},
		{fakeapi.Requests{Resource: "crontabs/status"}, []string{"create status", "patch status"}},
		{fakeapi.Requests{Group: "stable.example.com", Verb: "get"}, []string{"get one", "get other"}},
		{fakeapi.Requests{Namespace: "other"}, []string{"get other"}},
		{fakeapi.Requests{Verb: "watch"}, []string{"watch"}},
		{fakeapi.Requests{Verb: "deletecollection"}, []string{"deletecollection"}},
	} {
		api, client := newWorld(t)
		pods := newKubernetes(api).CoreV1().Pods("team")
		c := client.StableV1().CronTabs("team")
		api.Fail(test.requests, 100, boom)
		ctx := t.Context()
		var fail []string
		for _, request := range []struct {
			name string
			send func() error
		}{
			{"create one", func() error { _, err := c.Create(ctx, crontab("one"), metav1.CreateOptions{}); return err }},
			{"create status", func() error {
				_, err := c.UpdateStatus(ctx, crontab("one"), metav1.UpdateOptions{})
				return err
			}},
			{"get one", func() error { _, err := c.Get(ctx, "one", metav1.GetOptions{}); return err }},
			{"get other", func() error {
				_, err := client.StableV1().CronTabs("other").Get(ctx, "two", metav1.GetOptions{})
				return err
			}},
			{"list", func() error { _, err := c.List(ctx, metav1.ListOptions{}); return err }},
			{"watch", func() error {
				w, err := c.Watch(ctx, metav1.ListOptions{})
				if err == nil {
					w.Stop()
				}
				return err
			}},
			{"patch status", func() error {
				_, err := c.Patch(ctx, "two", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{}, "status")
				return err
			}},
			{"delete one", func() error { return c.Delete(ctx, "one", metav1.DeleteOptions{}) }},
			{"deletecollection", func() error { return c.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}) }},
			{"get pod", func() error { _, err := pods.Get(ctx, "two", metav1.GetOptions{}); return err }},
		} {
			if errors.Is(request.send(), boom) {
				fail = append(fail, request.name)
			}
		}
		equal(t, "requests that fail", fail, test.fail)
	}
}

func TestFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, client := newWorld(t)
		c := client.StableV1().CronTabs("team")
		ctx := t.Context()
		creations := fakeapi.Requests{Verb: "create", Resource: "crontabs"}
		boom, late := errors.New("boom"), errors.New("late")

		api.Fail(creations, 2, boom)
		api.FailAfter(creations, 1, late)
		for i, want := range []error{boom, boom, late} {
			if _, err := c.Create(ctx, crontab("one"), metav1.CreateOptions{}); err != want {
				t.Errorf("creation %d: %v, want %v", i, err, want)
			}
			if _, err := c.Get(ctx, "one", metav1.GetOptions{}); (err == nil) != (want == late) {
				t.Errorf("after creation %d: %v", i, err)
			}
		}
		_, err := c.Create(ctx, crontab("one"), metav1.CreateOptions{})
		reason(t, err, metav1.StatusReasonAlreadyExists, "")

		ct := must(c.Get(ctx, "one", metav1.GetOptions{}))(t)
		api.Conflict(fakeapi.Requests{Verb: "update", Name: "one"}, 1)
		ct.Spec.Image = "alpine"
		_, err = c.Update(ctx, ct, metav1.UpdateOptions{})
		reason(t, err, metav1.StatusReasonConflict, "the object has been modified")
		competing := must(c.Get(ctx, "one", metav1.GetOptions{}))(t)
		if len(competing.Annotations) != 1 || competing.ResourceVersion == ct.ResourceVersion || competing.Spec.Image != "busybox" {
			t.Errorf("after a competing writer: %+v", competing)
		}
		competing.Spec.Image = "alpine"
		must(c.Update(ctx, competing, metav1.UpdateOptions{}))(t)

		api.Delay(fakeapi.Requests{Verb: "get", Name: "one"}, 1, time.Hour)
		start := time.Now()
		done := make(chan time.Duration)
		go func() {
			_, _ = c.Get(ctx, "one", metav1.GetOptions{})
			done <- time.Since(start)
		}()
		synctest.Wait()
		must(c.List(ctx, metav1.ListOptions{}))(t)
		equal(t, "time of another request", time.Since(start), 0)
		equal(t, "time of a delayed request", <-done, time.Hour)
		must(c.Get(ctx, "one", metav1.GetOptions{}))(t)
		equal(t, "time", time.Since(start), time.Hour)

		api.FailAfter(fakeapi.Requests{Verb: "watch"}, 1, boom)
		if _, err := c.Watch(ctx, metav1.ListOptions{}); err != boom {
			t.Errorf("watch: %v", err)
		}
	})
}

// TestAttach checks that a fake clientset goes on as one: it records actions, and reactors come first.
func TestAttach(t *testing.T) {
	api, client := newWorld(t, fakeapi.WithObjects(crontab("one")))
	c := client.StableV1().CronTabs("team")
	boom := errors.New("boom")
	client.PrependReactor("get", "crontabs", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.(clienttesting.GetAction).GetName() == "bad" {
			return true, nil, boom
		}
		return false, nil, nil
	})
	client.PrependWatchReactor("cronruns", clienttesting.DefaultWatchReactor(watch.NewFake(), nil))
	if _, err := c.Get(t.Context(), "bad", metav1.GetOptions{}); err != boom {
		t.Errorf("get bad: %v", err)
	}
	must(c.Get(t.Context(), "one", metav1.GetOptions{}))(t)
	if w := must(client.StableV1().CronRuns("team").Watch(t.Context(), metav1.ListOptions{}))(t); w == nil {
		t.Error("there is no watch")
	}
	var actions []string
	for _, action := range client.Actions() {
		actions = append(actions, action.GetVerb()+" "+action.GetResource().Resource)
	}
	equal(t, "actions", actions, []string{"get crontabs", "get crontabs", "watch cronruns"})

	kubernetes := newKubernetes(api)
	for _, fake := range []interface {
		ServerResourcesForGroupVersion(string) (*metav1.APIResourceList, error)
	}{client.Discovery(), kubernetes.Discovery()} {
		for _, group := range []string{"v1", "stable.example.com/v1"} {
			if list, err := fake.ServerResourcesForGroupVersion(group); err != nil || len(list.APIResources) == 0 {
				t.Errorf("discovery of %s: %v, %v", group, list, err)
			}
		}
	}
	if version, err := kubernetes.Discovery().ServerVersion(); err != nil || version == nil {
		t.Errorf("server version: %v, %v", version, err)
	}
}

// TestOneWorld checks that all clients see the same.
func TestOneWorld(t *testing.T) {
	api, client := newWorld(t)
	kubernetes := newKubernetes(api)
	must(client.StableV1().CronTabs("team").Create(t.Context(), crontab("one"), metav1.CreateOptions{}))(t)
	must(kubernetes.CoreV1().Pods("team").Create(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}, metav1.CreateOptions{}))(t)
	pods := corev1.SchemeGroupVersion.WithResource("pods")
	for name, n := range map[string]int{
		"typed":             len(must(newKubernetes(api).CoreV1().Pods("").List(t.Context(), metav1.ListOptions{}))(t).Items),
		"dynamic":           len(must(api.Dynamic().Resource(pods).List(t.Context(), metav1.ListOptions{}))(t).Items),
		"metadata":          len(must(api.Metadata().Resource(pods).Namespace("team").List(t.Context(), metav1.ListOptions{}))(t).Items),
		"dynamic, CronTabs": len(must(api.Dynamic().Resource(crontabs).List(t.Context(), metav1.ListOptions{}))(t).Items),
	} {
		equal(t, name, n, 1)
	}
	if err := api.Metadata().Resource(crontabs).Namespace("team").Delete(t.Context(), "one", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := client.StableV1().CronTabs("team").Get(t.Context(), "one", metav1.GetOptions{})
	reason(t, err, metav1.StatusReasonNotFound, "")
}

// TestNotServed checks requests for which a server has no handler.
func TestNotServed(t *testing.T) {
	api, client := newWorld(t)
	dynamic := api.Dynamic()
	_, err := dynamic.Resource(crontabs.GroupVersion().WithResource("others")).Namespace("team").Get(t.Context(), "a", metav1.GetOptions{})
	reason(t, err, metav1.StatusReasonNotFound, "the server could not find the requested resource")
	_, err = client.StableV1().CronTabs("").Create(t.Context(), crontab("a"), metav1.CreateOptions{})
	reason(t, err, metav1.StatusReasonNotFound, "the server could not find the requested resource")
	_, err = dynamic.Resource(crontabs.GroupVersion().WithResource("crontabclasses")).Namespace("team").List(t.Context(), metav1.ListOptions{})
	reason(t, err, metav1.StatusReasonNotFound, "the server could not find the requested resource")
	err = dynamic.Resource(crontabs).Namespace("team").Delete(t.Context(), "a", metav1.DeleteOptions{}, "status")
	reason(t, err, metav1.StatusReasonMethodNotAllowed, "delete is not supported on resources of kind")
}
