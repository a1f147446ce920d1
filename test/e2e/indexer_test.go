package e2e

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	informersv1 "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1"
	listers "github.com/kubegen/kubegen/examples/crontab-types/generated/listers/stable/v1"
)

// indexers index CronTabs by a label, beside the indexes that their types declare.
var indexers = informersv1.CronTabIndexers{
	"tier": func(c *v1.CronTab) ([]string, error) {
		if tier := c.Labels["tier"]; tier != "" {
			return []string{tier}, nil
		}
		return nil, nil
	},
}

// indexed returns the keys that an index has under a value.
func indexed(t *testing.T, indexer cache.Indexer, index, value string) []string {
	t.Helper()
	objects, err := indexer.ByIndex(index, value)
	must(t, err)
	return keys(objects)
}

func keys(objects []any) []string {
	var list []string
	for _, obj := range objects {
		list = append(list, cache.MetaObjectToName(obj.(*v1.CronTab)).String())
	}
	slices.Sort(list)
	return list
}

// Readers of a cache see each object in all indexes where it belongs and in no other, while writers change ten
// thousand.
func TestIndexesUnderChurn(t *testing.T) {
	t.Parallel()
	const total, writers, readers, rounds = 10_000, 4, 2, 3
	all := listers.CronTabIndexers()
	maps.Copy(all, cache.TypedIndexersToIndexers(indexers))
	all[cache.NamespaceIndex] = cache.MetaNamespaceIndexFunc
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, all)
	lister := listers.NewCronTabLister(indexer)
	// state returns what an object is in a round of writing; nothing if it is deleted.
	state := func(i, round int) *v1.CronTab {
		if round > 0 && (i+round)%5 == 0 {
			return nil
		}
		c := newCronTab(fmt.Sprintf("crontab-%05d", i))
		c.Namespace = fmt.Sprintf("ns-%d", i%7)
		c.Spec.Image = fmt.Sprintf("image:v%d", (i+round)%11)
		if tier := (i + round) % 3; tier > 0 {
			c.Labels = map[string]string{"tier": fmt.Sprint("tier-", tier)}
		}
		return c
	}

	var writing, reading sync.WaitGroup
	done := make(chan struct{})
	for w := range writers {
		writing.Go(func() {
			for round := range rounds {
				for i := w; i < total; i += writers {
					var err error
					switch c := state(i, round); {
					case c == nil:
						err = indexer.Delete(state(i, 0))
					case round == 0:
						err = indexer.Add(c)
					default:
						err = indexer.Update(c)
					}
					if err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for r := range readers {
		reading.Go(func() {
			for i := r; ; i++ {
				select {
				case <-done:
					return
				case <-time.After(5 * time.Millisecond): // leaves writers their turn
				}
				ns, image, tier := fmt.Sprintf("ns-%d", i%7), fmt.Sprintf("image:v%d", i%11), fmt.Sprint("tier-", i%2+1)
				inNamespace, err := lister.CronTabs(ns).List(labels.SelectorFromSet(labels.Set{"tier": tier}))
				if err != nil {
					t.Error(err)
				}
				for _, c := range inNamespace {
					if c.Namespace != ns || c.Labels["tier"] != tier {
						t.Errorf("a lister of namespace %s and %s has %s/%s, %v", ns, tier, c.Namespace, c.Name, c.Labels)
					}
				}
				objects, err := indexer.ByIndex("tier", tier)
				if err != nil {
					t.Error(err)
				}
				for _, obj := range objects {
					if got := obj.(*v1.CronTab).Labels["tier"]; got != tier {
						t.Errorf("index tier has an object of %s under %s", got, tier)
					}
				}
				for _, namespace := range []string{metav1.NamespaceAll, ns} {
					found, err := lister.CronTabs(namespace).ByImage(image)
					if err != nil {
						t.Error(err)
					}
					for _, c := range found {
						if c.Spec.Image != image || namespace == ns && c.Namespace != ns {
							t.Errorf("%s/%s with %s is among the CronTabs of %s with %s", c.Namespace, c.Name, c.Spec.Image, ns, image)
						}
					}
				}
			}
		})
	}
	writing.Wait()
	close(done)
	reading.Wait()

	want := map[string][]string{} // keys by index and value
	count := 0
	for i := range total {
		if c := state(i, rounds-1); c != nil {
			count++
			key := cache.MetaObjectToName(c).String()
			want["namespace "+c.Namespace] = append(want["namespace "+c.Namespace], key)
			for _, index := range []string{listers.CronTabByImage + " " + c.Spec.Image, "namespace/" + listers.CronTabByImage + " " + c.Namespace + "/" + c.Spec.Image} {
				want[index] = append(want[index], key)
			}
			if tier := c.Labels["tier"]; tier != "" {
				want["tier "+tier] = append(want["tier "+tier], key)
			}
		}
	}
	expect(t, "objects in the end", len(indexer.List()), count)
	for _, index := range []string{"namespace", listers.CronTabByImage, "namespace/" + listers.CronTabByImage, "tier"} {
		for _, value := range indexer.ListIndexFuncValues(index) {
			list := want[index+" "+value]
			slices.Sort(list)
			if got := indexed(t, indexer, index, value); !slices.Equal(got, list) {
				t.Errorf("index %s has %d objects under %s, want %d", index, len(got), value, len(list))
			}
			delete(want, index+" "+value)
		}
	}
	expect(t, "values that are in no index", len(want), 0)
}

// The indexes of an informer follow the server, and to read them asks it nothing.
func TestIndexesFollowServer(t *testing.T) {
	t.Parallel()
	ctx, ns := limit(t), namespace(t)
	client, requests := connect(t, shared)
	writer, _ := connect(t, shared)
	crontabs := writer.StableV1().CronTabs(ns)
	factory := newFactory(client, ns)
	informer := factory.Stable().V1().CronTabs().TypedInformer()
	must(t, informer.AddTypedIndexers(indexers))
	start(ctx, t, factory)
	for i := range 12 {
		c := newCronTab(fmt.Sprintf("crontab-%02d", i))
		c.Labels = map[string]string{"tier": []string{"gold", "silver"}[i%2]}
		create(ctx, t, crontabs, c)
	}
	setImage(ctx, t, crontabs, "crontab-03", "image:v2")
	for i := 4; i < 12; i++ {
		remove(ctx, t, crontabs, fmt.Sprintf("crontab-%02d", i))
	}
	indexer := informer.GetIndexer()
	has := func(index, value string, names ...string) {
		t.Helper()
		for i, name := range names {
			names[i] = ns + "/" + name
		}
		eventually(ctx, t, fmt.Sprintf("index %s has %s under %s", index, strings.Join(names, " "), value), func() bool {
			return slices.Equal(indexed(t, indexer, index, value), names)
		})
	}
	has(cache.NamespaceIndex, ns, "crontab-00", "crontab-01", "crontab-02", "crontab-03")
	has("tier", "gold", "crontab-00", "crontab-02")
	has("tier", "silver", "crontab-01", "crontab-03")
	has(listers.CronTabByImage, "image:v1", "crontab-00", "crontab-01", "crontab-02")
	has(listers.CronTabByImage, "image:v2", "crontab-03")

	lister := factory.Stable().V1().CronTabs().Lister()
	for range 1000 {
		if _, err := lister.CronTabs(ns).Get("crontab-00"); err != nil {
			t.Fatal(err)
		}
		list, err := lister.List(labels.Everything())
		if err != nil || len(list) != 4 {
			t.Fatalf("got %d CronTabs and error %v, want 4", len(list), err)
		}
	}
	expect(t, "requests", len(requests.all()), 1)
}

// The methods of listers that look into an index find what a scan finds, after each change on the server, in one
// namespace and in all, whether connections break or not.
func TestListersByIndex(t *testing.T) {
	t.Parallel()
	ctx, ns := limit(t), namespace(t)
	proxy, config := newProxy(t, shared)
	client, _ := connectWith(t, config)
	writer, _ := connect(t, shared)
	factory := newFactory(client, metav1.NamespaceAll)
	lister := factory.Stable().V1().CronTabs().Lister()
	start(ctx, t, factory)

	namespaces := []string{ns + "-a", ns + "-b", metav1.NamespaceAll}
	values := make([]string, 4) // of this test alone, because the informer sees the objects of other tests
	for i := range values {
		values[i] = fmt.Sprintf("%s:v%d", ns, i)
	}
	random := rand.New(rand.NewPCG(1, 2))
	stored := map[string]*v1.CronTab{}
	found := 0
	for step := range 100 {
		c := newCronTab(fmt.Sprint("crontab-", random.IntN(8)))
		c.Namespace = namespaces[random.IntN(2)]
		c.Spec.Image, c.Spec.ClassName = values[random.IntN(4)], values[random.IntN(4)]
		crontabs, key := writer.StableV1().CronTabs(c.Namespace), c.Namespace+"/"+c.Name
		var err error
		cut := step%25 == 24 // the change happens while nothing watches
		if cut {
			proxy.cut()
		}
		switch before := stored[key]; {
		case before == nil:
			stored[key], err = crontabs.Create(ctx, c, metav1.CreateOptions{})
		case random.IntN(4) == 0:
			stored[key], err = nil, crontabs.Delete(ctx, c.Name, metav1.DeleteOptions{})
		default:
			c.ResourceVersion = before.ResourceVersion
			stored[key], err = crontabs.Update(ctx, c, metav1.UpdateOptions{})
		}
		must(t, err)
		if cut {
			proxy.listen(t)
		}
		eventually(ctx, t, "the lister has the change of "+key, func() bool {
			cached, err := lister.CronTabs(c.Namespace).Get(c.Name)
			if stored[key] == nil {
				return apierrors.IsNotFound(err)
			}
			return err == nil && cached.ResourceVersion == stored[key].ResourceVersion
		})
		for _, namespace := range namespaces {
			scanned, err := lister.CronTabs(namespace).List(labels.Everything())
			must(t, err)
			for _, value := range values {
				for method, got := range map[string]func(string) ([]*v1.CronTab, error){
					"image": lister.CronTabs(namespace).ByImage,
					"class": lister.CronTabs(namespace).ByClass,
				} {
					var want []*v1.CronTab
					for _, c := range scanned {
						if method == "image" && c.Spec.Image == value || method == "class" && c.Spec.ClassName == value {
							want = append(want, c)
						}
					}
					list, err := got(value)
					must(t, err)
					byKey := func(a, b *v1.CronTab) int {
						return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
					}
					slices.SortFunc(want, byKey)
					slices.SortFunc(list, byKey)
					if found += len(list); !slices.Equal(list, want) {
						t.Fatalf("step %d: by %s %s in namespace %q: got %v, want %v", step, method, value, namespace, list, want)
					}
				}
			}
		}
	}
	if found == 0 {
		t.Error("no index has found anything")
	}
}
