package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	informersv1 "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1"
	listers "github.com/kubegen/kubegen/examples/crontab-types/generated/listers/stable/v1"
)

// indexers index CronTabs by a label and by a field.
var indexers = informersv1.CronTabIndexers{
	"tier": func(c *v1.CronTab) ([]string, error) {
		if tier := c.Labels["tier"]; tier != "" {
			return []string{tier}, nil
		}
		return nil, nil
	},
	"image": func(c *v1.CronTab) ([]string, error) { return []string{c.Spec.Image}, nil },
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

// Readers of a cache see each object in all indexes where it belongs and in no other, while writers change ten thousand.
func TestIndexesUnderChurn(t *testing.T) {
	t.Parallel()
	const total, writers, readers, rounds = 10_000, 4, 2, 3
	all := cache.TypedIndexersToIndexers(indexers)
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
				for index, value := range map[string]string{"image": image, "tier": tier} {
					objects, err := indexer.ByIndex(index, value)
					if err != nil {
						t.Error(err)
					}
					for _, obj := range objects {
						if got, _ := indexers[index](obj.(*v1.CronTab)); !slices.Equal(got, []string{value}) {
							t.Errorf("index %s has an object of %s under %s", index, got, value)
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
			want["image "+c.Spec.Image] = append(want["image "+c.Spec.Image], key)
			if tier := c.Labels["tier"]; tier != "" {
				want["tier "+tier] = append(want["tier "+tier], key)
			}
		}
	}
	expect(t, "objects in the end", len(indexer.List()), count)
	for _, index := range []string{"namespace", "image", "tier"} {
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
	has("image", "image:v1", "crontab-00", "crontab-01", "crontab-02")
	has("image", "image:v2", "crontab-03")

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
