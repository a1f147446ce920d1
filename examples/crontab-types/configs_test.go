package crontabtypes_test

import (
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/client-go/discovery"
	clientfeatures "k8s.io/client-go/features"
	clientfeaturestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1beta1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/scheme"
	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/typed/stable/v1"
	stablev1beta1 "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/typed/stable/v1beta1"
)

// maker is a way to make clients: for the whole API, or for a version of its group alone.
type maker struct {
	name    string
	version schema.GroupVersion
	make    func(*rest.Config) (groupClient, discovery.DiscoveryInterface, error)
}

// groupClient is what the clients for all versions have in common.
type groupClient interface{ RESTClient() rest.Interface }

// own is an HTTP client that is passed to the functions that take one.
func makers(own *http.Client) []maker {
	newer := makersOf(groupVersion, own, func(c *versioned.Clientset) groupClient { return c.StableV1() },
		stablev1.NewForConfig, stablev1.NewForConfigAndClient, stablev1.NewForConfigOrDie)
	older := makersOf(oldVersion, own, func(c *versioned.Clientset) groupClient { return c.StableV1beta1() },
		stablev1beta1.NewForConfig, stablev1beta1.NewForConfigAndClient, stablev1beta1.NewForConfigOrDie)
	return append(newer, older...)
}

func makersOf[C interface {
	comparable
	groupClient
}](version schema.GroupVersion, own *http.Client, of func(*versioned.Clientset) groupClient,
	newForConfig func(*rest.Config) (C, error), newForConfigAndClient func(*rest.Config, *http.Client) (C, error), newForConfigOrDie func(*rest.Config) C,
) []maker {
	clientset := func(c *versioned.Clientset, err error) (groupClient, discovery.DiscoveryInterface, error) {
		if err != nil || c == nil {
			return nil, nil, err
		}
		return of(c), c.Discovery(), nil
	}
	group := func(c C, err error) (groupClient, discovery.DiscoveryInterface, error) {
		var none C
		if err != nil || c == none {
			return nil, nil, err
		}
		return c, nil, nil
	}
	caught := func(make func()) (err error) {
		defer func() {
			if cause := recover(); cause != nil {
				err = cause.(error)
			}
		}()
		make()
		return nil
	}
	return []maker{
		{"clientset", version, func(c *rest.Config) (groupClient, discovery.DiscoveryInterface, error) {
			return clientset(versioned.NewForConfig(c))
		}},
		{"clientset with client", version, func(c *rest.Config) (groupClient, discovery.DiscoveryInterface, error) {
			return clientset(versioned.NewForConfigAndClient(c, own))
		}},
		{"clientset or panic", version, func(c *rest.Config) (groupClient, discovery.DiscoveryInterface, error) {
			var client *versioned.Clientset
			err := caught(func() { client = versioned.NewForConfigOrDie(c) })
			return clientset(client, err)
		}},
		{"group", version, func(c *rest.Config) (groupClient, discovery.DiscoveryInterface, error) {
			return group(newForConfig(c))
		}},
		{"group with client", version, func(c *rest.Config) (groupClient, discovery.DiscoveryInterface, error) {
			return group(newForConfigAndClient(c, own))
		}},
		{"group or panic", version, func(c *rest.Config) (groupClient, discovery.DiscoveryInterface, error) {
			var client C
			err := caught(func() { client = newForConfigOrDie(c) })
			return group(client, err)
		}},
	}
}

// Clients send what their configuration says, and do not change it.
func TestConfigs(t *testing.T) {
	server := &transport{code: http.StatusOK, answer: asJSON(t, &v1.CronTabClass{})}
	for _, maker := range makers(&http.Client{Transport: server}) {
		t.Run(maker.version.Version+" "+maker.name, func(t *testing.T) {
			for agent, want := range map[string]string{"": rest.DefaultKubernetesUserAgent(), "mine": "mine"} {
				config := &rest.Config{Host: "http://server", UserAgent: agent, APIPath: "/elsewhere", BearerToken: "secret"}
				config.Transport = server
				before := *config
				client, discovery, err := maker.make(config)
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(*config, before) {
					t.Errorf("the configuration of the caller is now %+v", config)
				}
				if err := client.RESTClient().Get().Resource("crontabclasses").Name("gold").Do(t.Context()).Error(); err != nil {
					t.Fatal(err)
				}
				expectRequest := func(path string) {
					t.Helper()
					agent, authorization := want, "Bearer secret"
					if strings.HasSuffix(maker.name, "with client") { // whose transport sets no headers
						agent, authorization = "", ""
					}
					if got := server.request; got.URL.String() != "http://server"+path || got.UserAgent() != agent || got.Header.Get("Authorization") != authorization {
						t.Errorf("got a request for %v by %q with headers %v", got.URL, got.UserAgent(), got.Header)
					}
				}
				expectRequest("/apis/" + maker.version.String() + "/crontabclasses/gold")
				if got := client.RESTClient().APIVersion(); got != maker.version {
					t.Errorf("the REST client is for %v", got)
				}
				if discovery != nil {
					if _, err := discovery.ServerVersion(); err != nil {
						t.Fatal(err)
					}
					expectRequest("/version")
				}
			}
		})
	}
}

// Configurations that cannot be used are errors.
func TestConfigErrors(t *testing.T) {
	for _, maker := range makers(http.DefaultClient) {
		for name, config := range map[string]*rest.Config{
			"host":      {Host: "://"},
			"transport": {Host: "https://server", TLSClientConfig: rest.TLSClientConfig{CAFile: "/does/not/exist"}},
			"burst":     {Host: "http://server", QPS: 0.5, Burst: -3},
		} {
			client, _, err := maker.make(config)
			if name == "transport" && strings.HasSuffix(maker.name, "with client") || name == "burst" && strings.HasPrefix(maker.name, "group") {
				if err != nil {
					t.Errorf("%s: got error %v for what is not used", maker.name, err)
				}
			} else if err == nil || client != nil {
				t.Errorf("%s: got %v and error %v for a configuration whose %s cannot be used", maker.name, client, err, name)
			} else if name == "burst" && err.Error() != "rest.Config: QPS without a RateLimiter needs a Burst above 0, not -3" {
				t.Errorf("got error %v", err)
			}
		}
	}
}

// The clients of a clientset share one rate limiter and one HTTP client.
func TestSharedRateLimiter(t *testing.T) {
	mine := flowcontrol.NewFakeAlwaysRateLimiter()
	for _, maker := range makers(http.DefaultClient) {
		if !strings.HasPrefix(maker.name, "clientset") {
			continue
		}
		for _, config := range []*rest.Config{{Host: "http://server", QPS: 7, Burst: 8}, {Host: "http://server", QPS: 0.5, Burst: 1}, {Host: "http://server", QPS: 7, RateLimiter: mine}, {Host: "http://server"}, {Host: "http://server", QPS: -1}} {
			client, discovery, err := maker.make(config)
			if err != nil {
				t.Fatal(err)
			}
			limiter, other := client.RESTClient().GetRateLimiter(), discovery.RESTClient().GetRateLimiter()
			switch {
			case config.RateLimiter != nil:
				if limiter != mine || other != mine {
					t.Errorf("%s: the clients have %v and %v, want the given limiter", maker.name, limiter, other)
				}
			case config.QPS > 0:
				if limiter == nil || limiter != other || limiter.QPS() != config.QPS {
					t.Errorf("%s: the clients have %v and %v, want a common limiter of %v", maker.name, limiter, other, config.QPS)
				}
				for range config.Burst {
					if !limiter.TryAccept() {
						t.Errorf("%s: the burst is less than %d", maker.name, config.Burst)
					}
				}
				if limiter.TryAccept() {
					t.Errorf("%s: the burst is more than %d", maker.name, config.Burst)
				}
			case config.QPS < 0:
				if limiter != nil {
					t.Errorf("%s: there is a limit without QPS", maker.name)
				}
			default:
				if limiter == nil || limiter == other {
					t.Errorf("%s: the clients do not have limiters of their own, of client-go's default", maker.name)
				}
			}
			if a, b := client.RESTClient().(*rest.RESTClient).Client, discovery.RESTClient().(*rest.RESTClient).Client; a == nil || a != b {
				t.Errorf("%s: the clients have different HTTP clients", maker.name)
			}
		}
	}
}

// Where client-go allows CBOR, clients send it.
func TestCBOR(t *testing.T) {
	clientfeaturestesting.SetFeatureDuringTest(t, clientfeatures.ClientsAllowCBOR, true)
	server := &transport{code: http.StatusOK, answer: "{}"}
	client, err := versioned.NewForConfig(&rest.Config{Host: "http://server", Transport: server, ContentConfig: rest.ContentConfig{ContentType: runtime.ContentTypeCBOR}})
	if err != nil {
		t.Fatal(err)
	}
	for of, object := range map[groupClient]runtime.Object{client.StableV1(): &v1.CronTabClass{}, client.StableV1beta1(): &v1beta1.CronTabClass{}} {
		if err := of.RESTClient().Post().Resource("crontabclasses").Body(object).Do(t.Context()).Error(); err != nil {
			t.Fatal(err)
		}
		got := reflect.New(reflect.TypeOf(object).Elem()).Interface().(runtime.Object)
		_, _, err := cbor.NewSerializer(scheme.Scheme, scheme.Scheme).Decode(server.body, nil, got)
		if err != nil || got.GetObjectKind().GroupVersionKind() != of.RESTClient().APIVersion().WithKind("CronTabClass") {
			t.Errorf("got body %q, of which %v, %v", server.body, got, err)
		}
	}
}

// New sends requests through a given REST client. Nil clients have none.
func TestNew(t *testing.T) {
	server := &transport{code: http.StatusOK, answer: asJSON(t, &v1.CronTabClass{})}
	group, err := stablev1.NewForConfig(&rest.Config{Host: "http://server", Transport: server, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	through := group.RESTClient()
	client := versioned.New(through)
	for _, of := range []groupClient{stablev1.New(through), client.StableV1(), stablev1beta1.New(through), client.StableV1beta1()} {
		if got := of.RESTClient(); got != through {
			t.Errorf("%T has the REST client %v", of, got)
		}
	}
	if got := client.Discovery().RESTClient(); got != through {
		t.Errorf("discovery has the REST client %v", got)
	}
	if client.Discovery() != client.DiscoveryClient {
		t.Error("discovery is not that of the clientset")
	}
	for _, none := range []groupClient{(*stablev1.StableV1Client)(nil), (*stablev1beta1.StableV1beta1Client)(nil)} {
		if got := none.RESTClient(); got != nil {
			t.Errorf("a nil %T has the REST client %v", none, got)
		}
	}
	var noClientset *versioned.Clientset
	if got := noClientset.Discovery(); got != nil {
		t.Errorf("a nil clientset has the discovery client %v", got)
	}
}

// The schemes know the kinds of the API, and what all clients send and receive.
func TestSchemes(t *testing.T) {
	own, other, installed, built := runtime.NewScheme(), runtime.NewScheme(), runtime.NewScheme(), runtime.NewScheme()
	if err := errors.Join(scheme.AddToScheme(own), fake.AddToScheme(other), v1.Install(installed), v1beta1.Install(installed),
		v1.SchemeBuilder.AddToScheme(built), v1beta1.SchemeBuilder.AddToScheme(built)); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*runtime.Scheme{"clientset's": scheme.Scheme, "AddToScheme": own, "fake's AddToScheme": other, "Install": installed, "SchemeBuilder": built} {
		for _, kind := range kinds {
			for _, object := range []runtime.Object{kind.object, kind.list} {
				found, unversioned, err := s.ObjectKinds(object)
				if want := kind.WithKind(reflect.TypeOf(object).Elem().Name()); err != nil || unversioned || len(found) != 1 || found[0] != want {
					t.Errorf("%s scheme: got %v, %v for %v", name, found, err, want)
				}
			}
		}
		for _, options := range []string{"ListOptions", "GetOptions", "DeleteOptions", "CreateOptions", "UpdateOptions", "PatchOptions", "WatchEvent"} {
			if !s.Recognizes(groupVersion.WithKind(options)) || !s.Recognizes(oldVersion.WithKind(options)) {
				t.Errorf("%s scheme does not know %s", name, options)
			}
		}
	}
	for _, kind := range []schema.GroupVersionKind{{Version: "v1", Kind: "Status"}, {Version: "v1", Kind: "WatchEvent"}, {Version: "v1", Kind: "ListOptions"}, autoscalingv1.SchemeGroupVersion.WithKind("Scale")} {
		if !scheme.Scheme.Recognizes(kind) {
			t.Errorf("the clientset's scheme does not know %v", kind)
		}
	}
	if got := (schema.GroupVersion{Group: v1.GroupVersion.Group, Version: v1.GroupVersion.Version}); got != groupVersion || v1.SchemeGroupVersion != groupVersion || v1.GroupName != groupVersion.Group {
		t.Errorf("the API is %v, %v of %s", got, v1.SchemeGroupVersion, v1.GroupName)
	}
	if got := (schema.GroupVersion{Group: v1beta1.GroupVersion.Group, Version: v1beta1.GroupVersion.Version}); got != oldVersion || v1beta1.SchemeGroupVersion != oldVersion || v1beta1.GroupName != oldVersion.Group {
		t.Errorf("the old API is %v, %v of %s", got, v1beta1.SchemeGroupVersion, v1beta1.GroupName)
	}
	for _, got := range []schema.GroupKind{v1.Kind("CronTab"), v1beta1.Kind("CronTab")} {
		if got != groupVersion.WithKind("CronTab").GroupKind() {
			t.Errorf("got kind %v", got)
		}
	}
	for _, got := range []schema.GroupResource{v1.Resource("crontabs"), v1beta1.Resource("crontabs")} {
		if got != groupVersion.WithResource("crontabs").GroupResource() {
			t.Errorf("got resource %v", got)
		}
	}
	for _, kind := range kinds {
		text, err := runtime.Encode(scheme.Codecs.LegacyCodec(kind.GroupVersion), kind.object.DeepCopyObject())
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := runtime.Decode(scheme.Codecs.UniversalDeserializer(), text)
		if err != nil || reflect.TypeOf(decoded) != reflect.TypeOf(kind.object) {
			t.Errorf("got %T, %v from %s", decoded, err, text)
		}
	}
}
