package e2e

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/dynamic"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/metadata"
	metadatafake "k8s.io/client-go/metadata/fake"
	"k8s.io/client-go/rest"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	stable "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	stablefake "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	stablescheme "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/scheme"
	"github.com/kubegen/kubegen/fakeapi"
	"github.com/kubegen/kubegen/fakeapi/rbac"
	clusterv1 "github.com/kubegen/kubegen/test/e2e/apis/cluster/v1"
	cluster "github.com/kubegen/kubegen/test/e2e/generated/clientset/versioned"
	clusterfake "github.com/kubegen/kubegen/test/e2e/generated/clientset/versioned/fake"
	clusterscheme "github.com/kubegen/kubegen/test/e2e/generated/clientset/versioned/scheme"
)

// clientsets are all the clients of a world, whichever kind they are for.
type clientsets struct {
	stable   stable.Interface
	cluster  cluster.Interface
	dynamic  dynamic.Interface
	metadata metadata.Interface
}

// of returns the clients of a kind for a namespace.
func (c clientsets) of(k kind) func(namespace string) trio {
	resource := k.GroupVersion().WithResource(k.resource)
	if !k.namespaced {
		return func(string) trio {
			return trio{
				typed:    typed(c.cluster.ClusterV1().ClusterCronTabs()),
				dynamic:  dynamicClient{c.dynamic.Resource(resource)},
				metadata: metadataClient{resources: c.metadata.Resource(resource)},
			}
		}
	}
	return func(namespace string) trio {
		return trio{
			typed:    typed(c.stable.StableV1().CronTabs(namespace)),
			dynamic:  dynamicClient{c.dynamic.Resource(resource).Namespace(namespace)},
			metadata: metadataClient{resources: c.metadata.Resource(resource).Namespace(namespace)},
		}
	}
}

// newServerWorld returns the world of a server, for a kind that nothing else on it uses.
func newServerWorld(t *testing.T, s *server, k kind) world {
	t.Helper()
	config, err := s.config()
	must(t, err)
	c := clientsetsFor(config)
	return world{
		kind: k, patience: time.Minute, clients: c.of(k),
		limit:  func(as rest.ImpersonationConfig) func(string) trio { return clientsetsFor(limitedTo(config, as)).of(k) },
		expire: func(old string) { expireServer(t, s, c.dynamic, k, old) },
	}
}

// clientsetsFor returns clientsets for a configuration.
func clientsetsFor(config *rest.Config) clientsets {
	config.WarningHandler = rest.NoWarnings{}
	return clientsets{stable.NewForConfigOrDie(config), cluster.NewForConfigOrDie(config), dynamic.NewForConfigOrDie(config), metadata.NewForConfigOrDie(config)}
}

// limited is the user whose role is limitedRole.
var limited = rbac.ServiceAccount("system", "limited")

const limitedRole = "testdata/role.yaml"

// limitedTo returns a configuration for requests of the limited user to a server, who may impersonate another one.
func limitedTo(config *rest.Config, as rest.ImpersonationConfig) *rest.Config {
	config = withUser(config, as)
	config.BearerToken += "-limited"
	return config
}

// withUser returns a configuration for requests that impersonate a user.
func withUser(config *rest.Config, as rest.ImpersonationConfig) *rest.Config {
	config = rest.CopyConfig(config)
	config.Impersonate = as
	return config
}

// empty removes all objects of a world's kind.
func (w world) empty(t *testing.T) {
	t.Helper()
	list, err := w.clients("").dynamic.(dynamicClient).resources.List(t.Context(), metav1.ListOptions{})
	must(t, err)
	for _, item := range list.Items {
		resources := w.clients(item.GetNamespace()).dynamic.(dynamicClient).resources
		if len(item.GetFinalizers()) > 0 {
			_, err := resources.Patch(t.Context(), item.GetName(), types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
			if !apierrors.IsNotFound(err) {
				must(t, err)
			}
		}
		if err := resources.Delete(t.Context(), item.GetName(), metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
			must(t, err)
		}
	}
}

// expireServer makes a server forget the history of a kind: its watch cache, which is made anew when the definition
// of the kind changes, and then that in its storage. Watches end with the watch cache.
func expireServer(t *testing.T, s *server, client dynamic.Interface, k kind, old string) {
	t.Helper()
	definitions := client.Resource(apiextensions.WithResource("customresourcedefinitions"))
	category := fmt.Sprintf("c%d", time.Now().UnixNano()) // another one each time
	_, err := definitions.Patch(t.Context(), k.resource+"."+k.Group, types.MergePatchType,
		fmt.Appendf(nil, `{"spec":{"names":{"categories":[%q]}}}`, category), metav1.PatchOptions{})
	must(t, err)
	waitExpired(t.Context(), t, client.Resource(k.GroupVersion().WithResource(k.resource)).Watch, old)
	must(t, s.compact())
}

// fakes are those that are measured beside fakeapi, by the names of their columns, and how to make a new world of one.
var fakes = []struct {
	name  string
	world func(kind) world
}{
	{"NewSimpleClientset", func(k kind) world {
		return newClassicWorld(k, stablefake.NewSimpleClientset(), clusterfake.NewSimpleClientset())
	}},
	{"NewClientset", func(k kind) world { return newClassicWorld(k, stablefake.NewClientset(), clusterfake.NewClientset()) }},
	{"controller-runtime", newControllerRuntimeWorld},
}

// newClassicWorld returns a world of fake clientsets without fakeapi, with client-go's dynamic and metadata fakes
// beside them.
func newClassicWorld(k kind, s *stablefake.Clientset, c *clusterfake.Clientset) world {
	scheme := metadatafake.NewTestScheme()
	utilruntime.Must(metav1.AddMetaToScheme(scheme))
	utilruntime.Must(stablev1.AddToScheme(scheme))
	utilruntime.Must(clusterv1.AddToScheme(scheme))
	all := clientsets{s, c, dynamicfake.NewSimpleDynamicClient(scheme), metadatafake.NewSimpleMetadataClient(scheme)}
	// Events of these fakes are there when the request that they are about returns.
	return world{
		kind: k, patience: 200 * time.Millisecond, clients: all.of(k), expire: func(string) {},
		limit: func(rest.ImpersonationConfig) func(string) trio { return all.of(k) }, // these fakes allow everything
	}
}

// newFakeapi returns an API that serves the kinds of all worlds, and a function after which all its clients are the
// limited user.
func newFakeapi() (api *fakeapi.API, limit func()) {
	roles, err := rbac.Read(limitedRole)
	utilruntime.Must(err)
	var on atomic.Bool
	api = fakeapi.New(fakeapi.WithAPI(stablefake.API{}), fakeapi.WithAPI(clusterfake.API{}),
		fakeapi.WithAuthorizer(limited, func(spec authorizationv1.SubjectAccessReviewSpec) authorizationv1.SubjectAccessReviewStatus {
			if !on.Load() {
				return authorizationv1.SubjectAccessReviewStatus{Allowed: true}
			}
			return roles.Authorize(spec)
		}))
	return api, func() { on.Store(true) }
}

// newFakeapiWorld returns a new world of fakeapi as fake clientsets see it.
func newFakeapiWorld(k kind) world {
	api, limit := newFakeapi()
	s, c := stablefake.NewClientset(), clusterfake.NewClientset()
	api.Attach(&s.Fake, stablescheme.Scheme)
	api.Attach(&c.Fake, clusterscheme.Scheme)
	all := clientsets{s, c, api.Dynamic(), api.Metadata()}
	return fakeapiWorld(api, k, all.of(k), func(rest.ImpersonationConfig) func(string) trio { limit(); return all.of(k) })
}

// newFakeapiRESTWorld returns a new world of fakeapi as the clients of a server see it.
func newFakeapiRESTWorld(k kind) world {
	api, limit := newFakeapi()
	return fakeapiWorld(api, k, clientsetsFor(api.RESTConfig()).of(k), func(as rest.ImpersonationConfig) func(string) trio {
		limit()
		return clientsetsFor(withUser(api.RESTConfig(), as)).of(k)
	})
}

func fakeapiWorld(api *fakeapi.API, k kind, clients func(namespace string) trio, limit func(rest.ImpersonationConfig) func(string) trio) world {
	return world{
		kind: k, patience: 30 * time.Second, clients: clients, limit: limit,
		expire: func(string) {
			api.EndWatches()
			api.ExpireVersions()
		},
	}
}
