package fakeapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/sharding"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

// A received body is what a client has read of it.
type received struct {
	io.ReadCloser
	text bytes.Buffer
}

func (r *received) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.text.Write(p[:n])
	return n, err
}

// objects returns the objects in a list, or in the events of a watch.
func (r *received) objects(t *testing.T, shard sharding.Selector) (objects []*metav1.PartialObjectMetadata) {
	for values := json.NewDecoder(&r.text); ; {
		var value struct {
			Items    []*metav1.PartialObjectMetadata
			Type     string
			Object   *metav1.PartialObjectMetadata
			Metadata metav1.ListMeta
		}
		if values.Decode(&value) != nil { // the end, or a watch that was ended
			return objects
		}
		switch {
		case value.Object == nil:
			if value.Metadata.ShardInfo == nil || value.Metadata.ShardInfo.Selector != shard.String() {
				t.Errorf("a list has %v, want the selector %s", value.Metadata.ShardInfo, shard)
			}
			objects = append(objects, value.Items...)
		case value.Type != "BOOKMARK":
			objects = append(objects, value.Object)
		}
	}
}

// TestWithShardSelector runs two factories of generated informers, each for one of two shards. Their requests have the
// selector, and fakeapi sends the objects of the shard alone.
func TestWithShardSelector(t *testing.T) {
	for name, options := range map[string][]externalversions.SharedInformerOption{
		"all namespaces":     nil,
		"several namespaces": {externalversions.WithNamespacesFor[*stablev1.CronTab]("other", "team")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api, client := newWorld(t)
				create := func(prefix string) {
					for i := range 16 {
						must(client.StableV1().CronTabs("team").Create(t.Context(), crontab(prefix+string(rune('a'+i))), metav1.CreateOptions{}))(t)
					}
				}
				create("listed-")
				ctx, cancel := context.WithCancel(t.Context())
				var shards []sharding.Selector
				bodies := map[*received]sharding.Selector{}
				var lock sync.Mutex
				var factories []externalversions.SharedInformerFactory
				for i := range 2 {
					shard := must(sharding.NewShardRangeSelector("object.metadata.uid", i, 2))(t)
					config := api.RESTConfig()
					config.Wrap(func(next http.RoundTripper) http.RoundTripper {
						return roundTripper(func(request *http.Request) (*http.Response, error) {
							if got := request.URL.Query().Get("shardSelector"); got != shard.String() {
								t.Errorf("%s has the selector %q, want %q", request.URL, got, shard)
							}
							response, err := next.RoundTrip(request)
							if err == nil {
								body := &received{ReadCloser: response.Body}
								response.Body = body
								lock.Lock()
								defer lock.Unlock()
								bodies[body] = shard
							}
							return response, err
						})
					})
					factory := externalversions.NewSharedInformerFactoryWithOptions(must(versioned.NewForConfig(config))(t), 0,
						append(options, externalversions.WithShardSelector(shard))...)
					factory.Stable().V1().CronTabs().Informer()
					factory.StartWithContext(ctx)
					shards, factories = append(shards, shard), append(factories, factory)
				}
				synctest.Wait()
				create("watched-")
				time.Sleep(time.Minute)
				synctest.Wait()
				found := 0
				for i, factory := range factories {
					objects := must(factory.Stable().V1().CronTabs().Lister().List(labels.Everything()))(t)
					if len(objects) == 0 {
						t.Errorf("shard %d is empty", i)
					}
					found += len(objects)
					for _, object := range objects {
						if !must(shards[i].Matches(object))(t) {
							t.Errorf("shard %d has %s", i, object.Name)
						}
					}
				}
				equal(t, "objects of both shards", found, 32)
				cancel()
				for _, factory := range factories {
					factory.Shutdown()
				}
				synctest.Wait()
				sent := 0
				for body, shard := range bodies {
					for _, object := range body.objects(t, shard) {
						sent++
						if !must(shard.Matches(object))(t) {
							t.Errorf("the shard %s has received %s", shard, object.Name)
						}
					}
				}
				equal(t, "objects that were sent", sent, 32)
			})
		})
	}
}

// TestShardOfFakes lists and watches shards with fake clientsets.
func TestShardOfFakes(t *testing.T) {
	api, client := newWorld(t)
	shard := must(sharding.NewShardRangeSelector("object.metadata.uid", 0, 2))(t)
	opts := metav1.ListOptions{ShardSelector: shard.String()}
	w := must(client.StableV1().CronTabs("team").Watch(t.Context(), opts))(t)
	defer w.Stop()
	for i := range 16 {
		must(client.StableV1().CronTabs("team").Create(t.Context(), crontab(string(rune('a'+i))), metav1.CreateOptions{}))(t)
	}
	typed := must(client.StableV1().CronTabs("team").List(t.Context(), opts))(t)
	dynamic := must(api.Dynamic().Resource(crontabs).List(t.Context(), opts))(t)
	metadata := must(api.Metadata().Resource(crontabs).List(t.Context(), opts))(t)
	for _, info := range []*metav1.ShardInfo{typed.ShardInfo, dynamic.GetShardInfo(), metadata.ShardInfo} {
		equal(t, "selector", info.Selector, shard.String())
	}
	if n := len(typed.Items); n == 0 || n == 16 {
		t.Errorf("%d of 16 objects are in the shard", n)
	}
	equal(t, "objects of the dynamic client", len(dynamic.Items), len(typed.Items))
	equal(t, "objects of the metadata client", len(metadata.Items), len(typed.Items))
	for range typed.Items {
		event := <-w.ResultChan()
		if !must(shard.Matches(event.Object))(t) {
			t.Errorf("the watch has %v", event.Object)
		}
	}
}
