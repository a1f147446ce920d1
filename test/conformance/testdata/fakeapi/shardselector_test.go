package fakeapi_test

import (
	"context"
	"net/http"
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

// TestWithShardSelector runs two factories of generated informers, each for one of two shards. Their requests have the
// selector. fakeapi ignores it, like a server without the feature, so that the informers select the objects.
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
				var factories []externalversions.SharedInformerFactory
				for i := range 2 {
					shard := must(sharding.NewShardRangeSelector("object.metadata.uid", i, 2))(t)
					config := api.RESTConfig()
					config.Wrap(func(next http.RoundTripper) http.RoundTripper {
						return roundTripper(func(request *http.Request) (*http.Response, error) {
							if got := request.URL.Query().Get("shardSelector"); got != shard.String() {
								t.Errorf("%s has the selector %q, want %q", request.URL, got, shard)
							}
							return next.RoundTrip(request)
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
			})
		})
	}
}
