package crontabtypes_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/typed/stable/v1"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
)

// These tests use what kubegen adds to client-go's API on a fake clientset without an API server behind it.

func TestHelpersOnFakes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		client := fake.NewSimpleClientset(newCronTab("east", "nightly"), newCronTab("east", "weekly"), newCronTab("west", "nightly"))
		east := client.StableV1().CronTabs("east")

		var listed []*v1.CronTab
		for crontab, err := range stablev1.EachCronTab(ctx, east, metav1.ListOptions{}) {
			if err != nil {
				t.Fatal(err)
			}
			listed = append(listed, crontab)
		}
		expectKeys(t, listed, nil, "east/nightly", "east/weekly")

		waited := make(chan error)
		go func() {
			_, err := stablev1.WaitForCronTab(ctx, east, "nightly", func(c *v1.CronTab) (bool, error) { return c == nil, nil })
			waited <- err
		}()
		synctest.Wait()
		conflicts := 1
		client.PrependReactor("update", "crontabs", func(clienttesting.Action) (bool, runtime.Object, error) {
			conflicts--
			return conflicts >= 0, nil, apierrors.NewConflict(v1.Resource("crontabs"), "nightly", errors.New("another writer"))
		})
		updated, err := stablev1.UpdateCronTab(ctx, east, "nightly", func(c *v1.CronTab) error { c.Spec.Image = "image:v2"; return nil })
		if err != nil || updated.Spec.Image != "image:v2" || conflicts != -1 {
			t.Errorf("got %+v, %v after %d updates", updated, err, 1-conflicts)
		}
		if err := east.Delete(ctx, "nightly", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := <-waited; err != nil {
			t.Error(err)
		}
	})
}

func TestOptionsOnFakes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gold := func(namespace string) *v1.CronTab {
			c := newCronTab(namespace, "gold")
			c.Labels = map[string]string{"tier": "gold"}
			return c
		}
		client := fake.NewSimpleClientset(gold("east"), gold("north"), gold("west"), newCronTab("east", "nightly"),
			&v1.CronRun{ObjectMeta: metav1.ObjectMeta{Namespace: "north", Name: "run"}})
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithAwaitedResources(),
			informers.WithTweakListOptionsFor[*v1.CronTab](func(opts *metav1.ListOptions) { opts.LabelSelector = "tier=gold" }),
			informers.WithNamespacesFor[*v1.CronTab]("east", "west"),
			informers.WithTransformFor(func(c *v1.CronTab) (*v1.CronTab, error) { c.Labels = nil; return c, nil }))
		crontabs, runs := factory.Stable().V1().CronTabs().Lister(), factory.Stable().V1().CronRuns().Lister()
		start(t, factory)
		create(t, client, newCronTab("west", "later"))

		found, err := crontabs.List(labels.Everything())
		expectKeys(t, found, err, "east/gold", "west/gold", "west/later") // a fake does not filter watches
		for _, c := range found {
			if c.Labels != nil {
				t.Errorf("%s/%s is in the cache with its labels", c.Namespace, c.Name)
			}
		}
		others, err := runs.List(labels.Everything())
		expectKeys(t, others, err, "north/run")
	})
}

func TestDeleteCollectionOnFakes(t *testing.T) {
	client, foreground := fake.NewSimpleClientset(), metav1.DeletePropagationForeground
	opts := metav1.DeleteOptions{PropagationPolicy: &foreground, DryRun: []string{metav1.DryRunAll}}
	selected := metav1.ListOptions{LabelSelector: "tier=gold", FieldSelector: "metadata.name=nightly", Limit: 7}
	for _, err := range []error{
		client.StableV1().CronTabs("east").DeleteCollection(t.Context(), opts, selected),
		client.StableV1().CronTabClasses().DeleteCollection(t.Context(), opts, selected),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	for i, want := range []string{"east", ""} {
		got := client.Actions()[i].(clienttesting.DeleteCollectionActionImpl)
		if got.Namespace != want || !reflect.DeepEqual(got.DeleteOptions, opts) || !reflect.DeepEqual(got.ListOptions, selected) {
			t.Errorf("got the action %+v, want one in the namespace %q with %+v and %+v", got, want, opts, selected)
		}
	}
}

func TestWaitForCachesOnFakes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset()
		client.PrependReactor("list", "crontabs", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(v1.Resource("crontabs"), "", errors.New("no role"))
		})
		factory := informers.NewSharedInformerFactory(client, 0)
		quiet(t, factory.Stable().V1().CronTabs().Informer())
		factory.Stable().V1().CronTabClasses().Informer()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		factory.StartWithContext(ctx)
		err := informers.WaitForCaches(ctx, factory)
		cancel()
		factory.Shutdown()
		if !apierrors.IsForbidden(err) || strings.Contains(err.Error(), "crontabclasses") {
			t.Errorf("got error %v, want why there are no crontabs", err)
		}
	})
}
