package crontabtypes_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/consistency"
)

// An object with a write that a cache lacks takes less than 200 bytes of memory, and nothing when the cache has it.
func TestMemoryOfWrites(t *testing.T) {
	c := newConsistent(t, []apiruntime.Object{newCronTab("east", "nightly")})
	run(t, c.factory)
	if err := c.factory.WaitForCacheSyncWithContext(t.Context()).AsError(); err != nil {
		t.Fatal(err)
	}
	const n = 100_000
	before := heap()
	for i := range n {
		child := ownedRun(fmt.Sprint("nightly-", 1774915200+i))
		child.OwnerReferences[0].Name = fmt.Sprint("nightly-", i)
		child.UID, child.ResourceVersion = types.UID(fmt.Sprint("f0000003-0000-4000-8000-", 100_000_000_000+i)), fmt.Sprint(1_000_000+i)
		c.writes.WroteAt(cronRuns, child)
	}
	each := float64(heap()-before) / n
	t.Logf("%.0f bytes for each object with a write that a cache lacks", each)
	if each >= 200 || c.writes.Len() != n {
		t.Errorf("%.0f bytes for each of %d objects, want less than 200 for %d", each, c.writes.Len(), n)
	}
	runtime.KeepAlive(c)
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// BenchmarkOwnWrites measures a reconcile of four requests, a read of the cache and a wait for the event of the last write, with and
// without the check:
//
//	go test -run '^$' -bench OwnWrites -count 10 .
func BenchmarkOwnWrites(b *testing.B) {
	for _, with := range []bool{false, true} {
		b.Run(fmt.Sprint("with=", with), func(b *testing.B) {
			c := &consistent{}
			c.api = newServer(newCronTab("east", "nightly"))
			c.config = c.api.RESTConfig()
			c.writes = consistency.NewStore()
			var options []informers.SharedInformerOption
			if with {
				c.writes.Wrap(c.config)
				options = append(options, informers.WithConsistency(c.writes))
			}
			client, err := versioned.NewForConfig(c.config)
			if err != nil {
				b.Fatal(err)
			}
			factory := informers.NewSharedInformerFactoryWithOptions(client, 0, options...)
			gone := make(chan struct{}, 1)
			crontabs, runs := factory.Stable().V1().CronTabs(), factory.Stable().V1().CronRuns()
			crontabs.Informer()
			if _, err := runs.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(any) { gone <- struct{}{} }}); err != nil {
				b.Fatal(err)
			}
			ctx, cancel := context.WithCancel(b.Context())
			defer factory.Shutdown()
			defer cancel()
			factory.StartWithContext(ctx)
			factory.WaitForCacheSyncWithContext(ctx)
			for i := 0; b.Loop(); i++ {
				for with {
					if c.writes.EnsureReady(nightlyName) == nil {
						break
					}
					time.Sleep(10 * time.Microsecond)
				}
				if _, err := crontabs.Lister().CronTabs("east").Get("nightly"); err != nil {
					b.Fatal(err)
				}
				child, err := client.StableV1().CronRuns("east").Create(ctx, ownedRun(fmt.Sprint("nightly-", i)), metav1.CreateOptions{})
				if err != nil {
					b.Fatal(err)
				}
				child.Status.Phase = v1.RunSucceeded
				if _, err := client.StableV1().CronRuns("east").UpdateStatus(ctx, child, metav1.UpdateOptions{}); err != nil {
					b.Fatal(err)
				}
				change := fmt.Appendf(nil, `{"status":{"replicas":%d}}`, i)
				if _, err := client.StableV1().CronTabs("east").Patch(ctx, "nightly", types.MergePatchType, change, metav1.PatchOptions{}, "status"); err != nil {
					b.Fatal(err)
				}
				if err := client.StableV1().CronRuns("east").Delete(ctx, child.Name, metav1.DeleteOptions{}); err != nil {
					b.Fatal(err)
				}
				<-gone
			}
		})
	}
}
