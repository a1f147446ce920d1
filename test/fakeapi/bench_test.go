package fakeapi_test

import (
	"fmt"
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	"github.com/kubegen/kubegen/fakeapi"
)

// many returns n CronTabs, every tenth of which has the label tier=gold.
func many(n int) []runtime.Object {
	objects := make([]runtime.Object, 0, n)
	for i := range n {
		objects = append(objects, crontab(fmt.Sprintf("ct-%06d", i), func(ct *stablev1.CronTab) {
			if i%10 == 0 {
				ct.Labels = map[string]string{"tier": "gold"}
			}
		}))
	}
	return objects
}

func BenchmarkCreate(b *testing.B) {
	_, client := newWorld(b, fakeapi.WithObjects(many(10_000)...))
	c := client.StableV1().CronTabs("team")
	ct := crontab("")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		ct.Name = "new-" + strconv.Itoa(i)
		if _, err := c.Create(b.Context(), ct, metav1.CreateOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUpdate(b *testing.B) {
	_, client := newWorld(b, fakeapi.WithObjects(many(10_000)...))
	c := client.StableV1().CronTabs("team")
	ct, err := c.Get(b.Context(), "ct-005000", metav1.GetOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		ct.Spec.Image = strconv.Itoa(i)
		if ct, err = c.Update(b.Context(), ct, metav1.UpdateOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkApply(b *testing.B) {
	_, client := newWorld(b, fakeapi.WithObjects(many(10_000)...))
	c := client.StableV1().CronTabs("team")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		data := fmt.Appendf(nil, `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"applied"},"spec":{"cronSpec":"* * * * *","replicas":%d}}`, i)
		if _, err := c.Patch(b.Context(), "applied", types.ApplyPatchType, data, metav1.PatchOptions{FieldManager: "m"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGet(b *testing.B) {
	_, client := newWorld(b, fakeapi.WithObjects(many(10_000)...))
	c := client.StableV1().CronTabs("team")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Get(b.Context(), "ct-005000", metav1.GetOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkList lists a tenth of the objects, by a label.
func BenchmarkList(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			_, client := newWorld(b, fakeapi.WithObjects(many(n)...))
			c := client.StableV1().CronTabs("team")
			b.ReportAllocs()
			for b.Loop() {
				list, err := c.List(b.Context(), metav1.ListOptions{LabelSelector: "tier=gold"})
				if err != nil || len(list.Items) != n/10 {
					b.Fatal(len(list.Items), err)
				}
			}
		})
	}
}

// BenchmarkWatch creates an object that 100 watchers see.
func BenchmarkWatch(b *testing.B) {
	_, client := newWorld(b)
	c := client.StableV1().CronTabs("team")
	var watchers []watch.Interface
	for range 100 {
		w, err := c.Watch(b.Context(), metav1.ListOptions{})
		if err != nil {
			b.Fatal(err)
		}
		defer w.Stop()
		watchers = append(watchers, w)
	}
	ct := crontab("")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		ct.Name = "new-" + strconv.Itoa(i)
		if _, err := c.Create(b.Context(), ct, metav1.CreateOptions{}); err != nil {
			b.Fatal(err)
		}
		for _, w := range watchers {
			if e := <-w.ResultChan(); e.Type != watch.Added {
				b.Fatal(e)
			}
		}
	}
}

// BenchmarkInformer creates 10,000 objects and waits until an informer has seen them all.
func BenchmarkInformer(b *testing.B) {
	for b.Loop() {
		_, client := newWorld(b)
		factory := externalversions.NewSharedInformerFactory(client, 0)
		informer := factory.Stable().V1().CronTabs().Informer()
		seen := make(chan struct{}, 10_000)
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { seen <- struct{}{} }}); err != nil {
			b.Fatal(err)
		}
		stop := make(chan struct{})
		factory.Start(stop)
		factory.WaitForCacheSync(stop)
		c := client.StableV1().CronTabs("team")
		for _, obj := range many(10_000) {
			if _, err := c.Create(b.Context(), obj.(*stablev1.CronTab), metav1.CreateOptions{}); err != nil {
				b.Fatal(err)
			}
		}
		for range 10_000 {
			<-seen
		}
		close(stop)
		factory.Shutdown()
	}
}
