package e2e

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/consistency"
	"github.com/kubegen/kubegen/fakeapi"
)

// BenchmarkOwnWrites measures two controllers, one without the package consistency and one with it, which take turns:
//
//	go test -run '^$' -bench OwnWrites -count 10 .
//
// A reconcile reads the cache, writes four times, and waits for the events. fakeapi is in the same process, and
// answers a request in less than a tenth of a millisecond.
func BenchmarkOwnWrites(b *testing.B) {
	b.Run("fakeapi", func(b *testing.B) {
		ownWrites(b, fakeapi.New(fakeapi.WithAPI(fake.API{})).RESTConfig())
	})
	b.Run("API server", func(b *testing.B) {
		config, err := shared.config()
		must(b, err)
		ownWrites(b, config)
	})
}

func ownWrites(b *testing.B, config *rest.Config) {
	const turn = 20
	reconciles := [2]func(i int){reconcileAlone(b, config, false), reconcileAlone(b, config, true)}
	var spent [2]time.Duration
	n := 0
	for b.Loop() {
		for side, reconcile := range reconciles {
			begun := time.Now()
			for i := range turn {
				reconcile(n + i)
			}
			spent[side] += time.Since(begun)
		}
		n += turn
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(spent[0].Microseconds())/float64(n), "µs/without")
	b.ReportMetric(float64(spent[1].Microseconds())/float64(n), "µs/with")
	b.ReportMetric(100*(float64(spent[1])/float64(spent[0])-1), "%more")
}

// reconcileAlone returns a function that reconciles an object that nobody else writes, in a namespace of its own. The
// numbers that it is called with must count up.
func reconcileAlone(b *testing.B, config *rest.Config, consistent bool) func(i int) {
	ctx := b.Context()
	namespace := fmt.Sprintf("own-writes-%t-%d", consistent, time.Now().UnixNano())
	config = rest.CopyConfig(config)
	options := []externalversions.SharedInformerOption{externalversions.WithNamespace(namespace)}
	writes := consistency.NewStore()
	if consistent {
		writes.Wrap(config)
		options = append(options, externalversions.WithConsistency(writes))
	}
	client, err := versioned.NewForConfig(config)
	must(b, err)
	crontabs, runs := client.StableV1().CronTabs(namespace), client.StableV1().CronRuns(namespace)
	crontab := &v1.CronTab{ObjectMeta: metav1.ObjectMeta{Name: "nightly"}, Spec: v1.CronTabSpec{CronSpec: "0 3 * * *", Image: "image:v1"}}
	crontab, err = crontabs.Create(ctx, crontab, metav1.CreateOptions{})
	must(b, err)

	factory := externalversions.NewSharedInformerFactoryWithOptions(client, 0, options...)
	gone, counted := make(chan string, 1), make(chan int32, 1)
	stable := factory.Stable().V1()
	_, err = stable.CronTabs().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, obj any) { counted <- obj.(*v1.CronTab).Status.Replicas },
	})
	must(b, err)
	_, err = stable.CronRuns().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) { gone <- obj.(*v1.CronRun).Name },
	})
	must(b, err)
	factory.StartWithContext(ctx)
	must(b, factory.WaitForCacheSyncWithContext(ctx).AsError())
	b.Cleanup(factory.Shutdown) // the context has ended

	owner := []metav1.OwnerReference{*metav1.NewControllerRef(crontab, v1.SchemeGroupVersion.WithKind("CronTab"))}
	name := cache.NewObjectName(namespace, "nightly")
	return func(i int) {
		if consistent {
			must(b, writes.EnsureReady(name))
		}
		_, err := stable.CronTabs().Lister().CronTabs(namespace).Get("nightly")
		must(b, err)
		child := &v1.CronRun{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("nightly-", i), OwnerReferences: owner}, Spec: v1.CronRunSpec{Image: "image:v1", Replicas: 1, ScheduledTime: metav1.Unix(0, 0)}}
		child, err = runs.Create(ctx, child, metav1.CreateOptions{})
		must(b, err)
		child.Status.Phase = v1.RunSucceeded
		_, err = runs.UpdateStatus(ctx, child, metav1.UpdateOptions{})
		must(b, err)
		change := fmt.Sprintf(`{"status":{"replicas":%d}}`, i+1)
		_, err = crontabs.Patch(ctx, "nightly", types.MergePatchType, []byte(change), metav1.PatchOptions{}, "status")
		must(b, err)
		must(b, runs.Delete(ctx, child.Name, metav1.DeleteOptions{}))
		if deleted, count := <-gone, <-counted; deleted != child.Name || count != int32(i+1) {
			b.Fatalf("got the events of %s and %d", deleted, count)
		}
	}
}
