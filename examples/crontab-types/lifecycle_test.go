package crontabtypes_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	stablev1informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1"
)

// These tests check what docs/informers.md says about informers before they start and after they end.

// added returns a handler that records the additions that it sees.
func added(to *[]string) stablev1informers.CronTabDetailedHandlerFuncs {
	return stablev1informers.CronTabDetailedHandlerFuncs{AddFunc: func(c *v1.CronTab, initial bool) {
		*to = append(*to, fmt.Sprintf("%s, initial: %t", c.Name, initial))
	}}
}

func TestInformersRequestedAfterStart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset(newCronTab("east", "nightly"))
		factory := informers.NewSharedInformerFactory(client, 0)
		run(t, factory)
		crontabs := factory.Stable().V1().CronTabs()
		lister := crontabs.Lister()
		synctest.Wait()
		found, err := lister.List(labels.Everything())
		expectKeys(t, found, err)
		if crontabs.Informer().HasSynced() {
			t.Error("an informer that was not started has synced")
		}
		if synced := factory.WaitForCacheSync(t.Context().Done()); len(synced) != 0 {
			t.Errorf("got %v, want no wait for an informer that was not started", synced)
		}
		run(t, factory)
		synctest.Wait()
		found, err = lister.List(labels.Everything())
		expectKeys(t, found, err, "east/nightly")
	})
}

func TestInformersThatNeverStart(t *testing.T) {
	for _, isShutDown := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			client := fake.NewSimpleClientset(newCronTab("east", "nightly"))
			factory := informers.NewSharedInformerFactory(client, 0)
			if isShutDown {
				factory.Shutdown()
			}
			informer := factory.InformerFor(&v1.CronTab{}, func(client versioned.Interface, resync time.Duration) cache.SharedIndexInformer {
				return stablev1informers.NewCronTabInformer(client, metav1.NamespaceAll, resync, cache.Indexers{})
			})
			crontabs := factory.Stable().V1().CronTabs()
			if crontabs.Informer().GetIndexer() != informer.GetIndexer() {
				t.Error("the factory has two informers")
			}
			var seen []string
			registration, err := crontabs.TypedInformer().AddTypedEventHandler(added(&seen))
			if err != nil {
				t.Fatal(err)
			}
			if isShutDown {
				factory.StartWithContext(t.Context())
			}
			synctest.Wait()
			found, err := crontabs.Lister().List(labels.Everything())
			expectKeys(t, found, err)
			expect(t, seen)
			if len(client.Actions()) > 0 || informer.HasSynced() || informer.IsStopped() || registration.HasSynced() {
				t.Error("an informer that never ran has sent requests, synced or ended")
			}
			factory.Shutdown()
		})
	}
}

func TestHandlersAddedLate(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset(newCronTab("east", "nightly"))
		factory := informers.NewSharedInformerFactory(client, 0)
		informer := factory.Stable().V1().CronTabs().TypedInformer()
		start(t, factory)
		create(t, client, newCronTab("east", "weekly"))
		var seen []string
		registration, err := informer.AddTypedEventHandler(added(&seen))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !registration.HasSynced() {
			t.Error("the handler has not seen the initial list")
		}
		create(t, client, newCronTab("east", "yearly"))
		if len(seen) == 3 && seen[0] > seen[1] { // the order of the cache is random
			seen[0], seen[1] = seen[1], seen[0]
		}
		expect(t, seen, "nightly, initial: true", "weekly, initial: true", "yearly, initial: false")
	})
}

func TestInformersThatHaveEnded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset(newCronTab("east", "nightly"))
		factory := informers.NewSharedInformerFactory(client, 0)
		crontabs := factory.Stable().V1().CronTabs()
		informer := crontabs.TypedInformer()
		ctx, cancel := context.WithCancel(t.Context())
		factory.StartWithContext(ctx)
		synctest.Wait()
		cancel()
		synctest.Wait()
		if !informer.IsStopped() {
			t.Error("the informer goes on after its context")
		}
		if _, err := informer.AddTypedEventHandler(added(new([]string))); err == nil {
			t.Error("a handler was added to an informer that has ended")
		}
		if err := informer.AddTypedIndexers(stablev1informers.CronTabIndexers{"late": func(*v1.CronTab) ([]string, error) { return nil, nil }}); err == nil {
			t.Error("an index was added to an informer that has ended")
		}
		factory.StartWithContext(t.Context()) // does not start it again
		if _, err := client.StableV1().CronTabs("east").Create(t.Context(), newCronTab("east", "weekly"), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		found, err := crontabs.Lister().List(labels.Everything())
		expectKeys(t, found, err, "east/nightly")
		if factory.InformerFor(&v1.CronTab{}, nil) != cache.SharedIndexInformer(informer) {
			t.Error("the factory has another informer after the end of the first")
		}
		factory.Shutdown()
	})
}
