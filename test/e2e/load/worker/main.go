// Command worker is a controller as simple as can be, under load: it creates CronTabs, lists and caches them,
// reconciles each, and again after each has changed. It prints its figures as JSON.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
)

const (
	namespace = "load"
	parallel  = 4 // writers, and workers of the controller
	changed   = "image:v2"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of the server")
	n := flag.Int("n", 10_000, "how many CronTabs")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	figures, err := run(ctx, *kubeconfig, *n)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(figures)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig string, n int) (map[string]float64, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	client, err := versioned.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	crontabs := client.StableV1().CronTabs(namespace)
	figures := map[string]float64{}
	perSecond := func(start time.Time) float64 { return float64(n) / time.Since(start).Seconds() }

	start := time.Now()
	if err := each(n, func(name string) error {
		_, err := crontabs.Create(ctx, &v1.CronTab{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1.CronTabSpec{CronSpec: "0 3 * * *", Image: "image:v1"},
		}, metav1.CreateOptions{})
		return err
	}); err != nil {
		return nil, err
	}
	figures["create, objects/s"] = perSecond(start)

	start = time.Now()
	if _, err := crontabs.List(ctx, metav1.ListOptions{}); err != nil {
		return nil, err
	}
	figures["list, s"] = time.Since(start).Seconds()

	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]())
	factory := externalversions.NewSharedInformerFactory(client, 0)
	informer := factory.Stable().V1().CronTabs()
	add := func(obj any) { queue.Add(cache.MetaObjectToName(obj.(*v1.CronTab))) }
	if _, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: add, UpdateFunc: func(_, obj any) { add(obj) },
	}); err != nil {
		return nil, err
	}
	running, cancel := context.WithCancel(ctx)
	start = time.Now()
	factory.StartWithContext(running)
	if err := factory.WaitForCacheSyncWithContext(running).AsError(); err != nil {
		cancel()
		return nil, err
	}
	figures["sync, s"] = time.Since(start).Seconds()

	var mu sync.Mutex
	requested := map[string]time.Time{}
	var delays []time.Duration
	var reconciled, updated, workers sync.WaitGroup
	reconciled.Add(n)
	updated.Add(n)
	reconcile := func(key cache.ObjectName) error {
		cached, err := informer.Lister().CronTabs(key.Namespace).Get(key.Name)
		if err != nil {
			return err
		}
		if cached.Spec.Image == changed {
			mu.Lock()
			if at, ok := requested[key.Name]; ok {
				delays = append(delays, time.Since(at))
				delete(requested, key.Name)
				updated.Done()
			}
			mu.Unlock()
		}
		if cached.Status.Replicas == 1 {
			return nil
		}
		crontab := cached.DeepCopy()
		crontab.Status.Replicas = 1
		if _, err := client.StableV1().CronTabs(key.Namespace).UpdateStatus(ctx, crontab, metav1.UpdateOptions{}); err != nil {
			return err
		}
		reconciled.Done()
		return nil
	}
	start = time.Now()
	for range parallel {
		workers.Go(func() {
			for {
				key, shutdown := queue.Get()
				if shutdown {
					return
				}
				if err := reconcile(key); err != nil {
					queue.AddRateLimited(key)
				} else {
					queue.Forget(key)
				}
				queue.Done(key)
			}
		})
	}
	reconciled.Wait()
	figures["reconcile, objects/s"] = perSecond(start)

	start = time.Now()
	err = each(n, func(name string) error {
		mu.Lock()
		requested[name] = time.Now()
		mu.Unlock()
		_, err := crontabs.Patch(ctx, name, "application/merge-patch+json", []byte(`{"spec":{"image":"`+changed+`"}}`), metav1.PatchOptions{})
		return err
	})
	if err == nil {
		updated.Wait()
	}
	figures["update, objects/s"] = perSecond(start)
	cancel()
	queue.ShutDown()
	workers.Wait()
	factory.Shutdown()
	if err != nil {
		return nil, err
	}
	slices.Sort(delays)
	figures["request to reconcile, p50 ms"] = float64(delays[len(delays)/2].Microseconds()) / 1000
	figures["request to reconcile, p99 ms"] = float64(delays[len(delays)*99/100].Microseconds()) / 1000
	return figures, nil
}

// each calls f for n names, some at a time.
func each(n int, f func(name string) error) error {
	var writers sync.WaitGroup
	errs := make(chan error, parallel)
	for w := range parallel {
		writers.Go(func() {
			for i := w; i < n; i += parallel {
				if err := f(fmt.Sprintf("crontab-%05d", i)); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	writers.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}
