package crontabtypes_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	applyv1 "github.com/kubegen/kubegen/examples/crontab-types/generated/applyconfiguration/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/typed/stable/v1"
	stablev1beta1 "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/typed/stable/v1beta1"
)

// requestsOf says what the methods of clients request.
var requestsOf = map[string]struct {
	verb, method string // of the API and of HTTP
	named        bool   // the request is for one object
	subresource  string
}{
	"Create":           {"create", http.MethodPost, false, ""},
	"Update":           {"update", http.MethodPut, true, ""},
	"UpdateStatus":     {"update", http.MethodPut, true, "status"},
	"UpdateScale":      {"update", http.MethodPut, true, "scale"},
	"Delete":           {"delete", http.MethodDelete, true, ""},
	"DeleteCollection": {"delete-collection", http.MethodDelete, false, ""},
	"Get":              {"get", http.MethodGet, true, ""},
	"GetScale":         {"get", http.MethodGet, true, "scale"},
	"List":             {"list", http.MethodGet, false, ""},
	"Watch":            {"watch", http.MethodGet, false, ""},
	"Patch":            {"patch", http.MethodPatch, true, "status"},
	"Apply":            {"patch", http.MethodPatch, true, ""},
	"ApplyStatus":      {"patch", http.MethodPatch, true, "status"},
}

// clientsOf returns the clients for all kinds, in the order of kinds, and those for namespaces in a namespace.
func clientsOf(client versioned.Interface, namespace string) []reflect.Value {
	stable := client.StableV1()
	return []reflect.Value{reflect.ValueOf(stable.CronRuns(namespace)), reflect.ValueOf(stable.CronTabs(namespace)), reflect.ValueOf(stable.CronTabClasses()),
		reflect.ValueOf(client.StableV1beta1().CronTabClasses())}
}

var interfaces = []reflect.Type{reflect.TypeFor[stablev1.CronRunInterface](), reflect.TypeFor[stablev1.CronTabInterface](), reflect.TypeFor[stablev1.CronTabClassInterface](),
	reflect.TypeFor[stablev1beta1.CronTabClassInterface]()}

// call is a call of a method of a client, with arguments that have a value everywhere.
type call struct {
	object  any           // what is sent, if anything
	options reflect.Value // the last of them
	query   url.Values
	results []reflect.Value
}

type contextKey struct{}

// callMethod calls a method. The name of all objects is nightly.
func callMethod(t *testing.T, client reflect.Value, method reflect.Method) (c call) {
	t.Helper()
	var arguments []reflect.Value
	for of := range method.Type.Ins() {
		v := reflect.New(of).Elem()
		switch of {
		case reflect.TypeFor[context.Context]():
			v.Set(reflect.ValueOf(context.WithValue(t.Context(), contextKey{}, method.Name)))
		case reflect.TypeFor[string]():
			v.SetString("nightly")
		case reflect.TypeFor[types.PatchType]():
			v.SetString(string(types.MergePatchType))
		case reflect.TypeFor[[]byte]():
			v.SetBytes([]byte(`{"spec":{}}`))
			c.object = v.Bytes()
		case reflect.TypeFor[[]string]():
			v.Set(reflect.ValueOf([]string{"status"}))
		default:
			new(filler).fill(v)
			switch object := v.Interface().(type) {
			case metav1.Object:
				object.SetName("nightly")
				c.object = object
			case runtime.ApplyConfiguration:
				v.MethodByName("WithName").Call([]reflect.Value{reflect.ValueOf("nightly")})
				c.object = object
			default:
				v.FieldByName("TypeMeta").SetZero()
				if list, ok := v.Addr().Interface().(*metav1.ListOptions); ok {
					list.Watch, list.TimeoutSeconds, list.LabelSelector, list.FieldSelector = method.Name == "Watch", nil, "", ""
				}
				c.options = v
			}
		}
		arguments = append(arguments, v)
	}
	if c.options.Type() == reflect.TypeFor[metav1.DeleteOptions]() {
		c.object = c.options.Addr().Interface()
	} else {
		options := c.options.Addr().Interface()
		if apply, ok := options.(*metav1.ApplyOptions); ok {
			options = new(apply.ToPatchOptions())
		}
		var err error
		if c.query, err = metav1.ParameterCodec.EncodeParameters(options.(runtime.Object), metav1.SchemeGroupVersion); err != nil {
			t.Fatal(err)
		}
	}
	if method.Name == "DeleteCollection" {
		c.object = arguments[1].Addr().Interface()
	}
	if method.Type.IsVariadic() {
		c.results = client.MethodByName(method.Name).CallSlice(arguments)
	} else {
		c.results = client.MethodByName(method.Name).Call(arguments)
	}
	return c
}

// err returns the error of a call.
func (c *call) err() error {
	err, _ := c.results[len(c.results)-1].Interface().(error)
	return err
}

// transport answers requests and keeps the last one.
type transport struct {
	code    int
	answer  string
	request *http.Request
	body    []byte
}

func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	t.request, t.body = request, nil
	if request.Body != nil {
		t.body, _ = io.ReadAll(request.Body)
	}
	return &http.Response{StatusCode: t.code, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(t.answer)), Request: request}, nil
}

// Every method of every client sends its request, and returns the answer or the error.
func TestRequests(t *testing.T) {
	server := &transport{}
	client, err := versioned.NewForConfig(&rest.Config{Host: "http://server", Transport: server, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	for i, kind := range kinds {
		for method := range interfaces[i].Methods() {
			t.Run(kind.Version+"."+kind.name+"."+method.Name, func(t *testing.T) {
				want, ok := requestsOf[method.Name]
				if !ok {
					t.Fatal("the test does not know what it requests")
				}
				for _, namespace := range []string{"east", ""} {
					if namespace == "" && want.named {
						continue // which client-go refuses
					}
					path := "/apis/" + kind.String()
					if kind.namespaced && namespace != "" {
						path += "/namespaces/" + namespace
					}
					path += "/" + kind.resource
					if want.named {
						path += "/nightly"
					}
					if want.subresource != "" {
						path += "/" + want.subresource
					}
					answer := answerOf(method, kind)
					server.code, server.answer = http.StatusOK, asJSON(t, answer)
					if want.verb == "watch" {
						server.answer = `{"type":"ADDED","object":` + server.answer + `}`
					}
					sent := callMethod(t, clientsOf(client, namespace)[i], method)
					if err := sent.err(); err != nil {
						t.Fatal(err)
					}
					if got := server.request; got.Method != want.method || got.URL.Path != path || got.URL.Query().Encode() != sent.query.Encode() {
						t.Errorf("got %s %s %v\nwant %s %s %v", got.Method, got.URL.Path, got.URL.Query(), want.method, path, sent.query)
					}
					if got := server.request.Context().Value(contextKey{}); got != method.Name {
						t.Error("the request has another context")
					}
					expectBody(t, server.body, sent.object, kind.GroupVersion)
					expectAnswer(t, sent.results[0], answer)
				}
				server.code, server.answer = http.StatusForbidden, asJSON(t, apierrors.NewForbidden(v1.Resource(kind.resource), "nightly", errors.New("no role")).Status())
				if sent := callMethod(t, clientsOf(client, "east")[i], method); !apierrors.IsForbidden(sent.err()) {
					t.Errorf("got error %v, want that of the server", sent.err())
				}
			})
		}
	}
}

// answerOf returns what a server answers to a request, or sends to who watches.
func answerOf(method reflect.Method, kind kind) runtime.Object {
	of := reflect.TypeOf(kind.object)
	switch {
	case method.Type.NumOut() == 1:
		return &metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess}
	case method.Name == "List":
		of = reflect.TypeOf(kind.list)
	case method.Name != "Watch":
		of = method.Type.Out(0)
	}
	answer := filled(of.Elem()).Interface().(runtime.Object)
	answer.GetObjectKind().SetGroupVersionKind(kindOf(of, kind.GroupVersion))
	return answer
}

// kindOf returns the kind of a type that requests send or receive.
func kindOf(object reflect.Type, version schema.GroupVersion) schema.GroupVersionKind {
	if object == reflect.TypeFor[*autoscalingv1.Scale]() {
		version = autoscalingv1.SchemeGroupVersion
	}
	return version.WithKind(object.Elem().Name())
}

func expectBody(t *testing.T, body []byte, sent any, version schema.GroupVersion) {
	t.Helper()
	switch sent := sent.(type) {
	case nil:
		if len(body) > 0 {
			t.Errorf("got body %s", body)
		}
	case []byte:
		if !bytes.Equal(body, sent) {
			t.Errorf("got body %s, want %s", body, sent)
		}
	default:
		if object, ok := sent.(runtime.Object); ok { // the kind is written by the encoder
			object.GetObjectKind().SetGroupVersionKind(kindOf(reflect.TypeOf(sent), version))
		}
		if want := asJSON(t, sent); !sameJSON(t, string(body), want) {
			t.Errorf("got body %s\nwant %s", body, want)
		}
	}
}

// expectAnswer compares what a method returns with the answer to its request.
func expectAnswer(t *testing.T, result reflect.Value, answer runtime.Object) {
	t.Helper()
	if _, ok := answer.(*metav1.Status); ok {
		return
	}
	got := result.Interface()
	if watcher, ok := got.(watch.Interface); ok {
		event := <-watcher.ResultChan()
		watcher.Stop()
		if got = event.Object; event.Type != watch.Added {
			t.Errorf("got event %v", event)
		}
	}
	if reflect.TypeOf(got) != reflect.TypeOf(answer) {
		t.Fatalf("got a %T, want a %T", got, answer)
	}
	got.(runtime.Object).GetObjectKind().SetGroupVersionKind(answer.GetObjectKind().GroupVersionKind())
	if got, want := asJSON(t, got), asJSON(t, answer); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// Every method of every client of a fake clientset invokes its action, and returns what the reactor does.
func TestActions(t *testing.T) {
	client := fake.NewClientset()
	var action clienttesting.Action
	var answer runtime.Object
	var failure error
	client.PrependReactor("*", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		action = a
		return true, answer, failure
	})
	client.PrependWatchReactor("*", func(a clienttesting.Action) (bool, watch.Interface, error) {
		action = a
		watcher := watch.NewFakeWithChanSize(1, false)
		watcher.Add(answer)
		return true, watcher, failure
	})
	for i, kind := range kinds {
		for method := range interfaces[i].Methods() {
			t.Run(kind.Version+"."+kind.name+"."+method.Name, func(t *testing.T) {
				want := requestsOf[method.Name]
				namespace := ""
				if kind.namespaced {
					namespace = "east"
				}
				answer, failure = answerOf(method, kind), nil
				sent := callMethod(t, clientsOf(client, "east")[i], method)
				if err := sent.err(); err != nil {
					t.Fatal(err)
				}
				if action.GetVerb() != want.verb || action.GetResource() != kind.WithResource(kind.resource) || action.GetNamespace() != namespace || action.GetSubresource() != want.subresource {
					t.Errorf("got action %+v", action)
				}
				if named, ok := action.(interface{ GetName() string }); ok && want.named && named.GetName() != "nightly" {
					t.Errorf("got an action for %q", named.GetName())
				}
				if with, ok := action.(interface{ GetObject() runtime.Object }); ok && !reflect.DeepEqual(with.GetObject(), sent.object) {
					t.Errorf("got an action with %v, want %v", with.GetObject(), sent.object)
				}
				if options := reflect.ValueOf(action).FieldByName(sent.options.Type().Name()); options.IsValid() && !reflect.DeepEqual(options.Interface(), sent.options.Interface()) {
					t.Errorf("got options %+v, want %+v", options, sent.options)
				}
				if list, ok := action.(clienttesting.ListActionImpl); ok && list.GetKind() != kind.WithKind(kind.name) {
					t.Errorf("got a list of %v", list.GetKind())
				}
				expectAnswer(t, sent.results[0], answer)

				failure = apierrors.NewForbidden(v1.Resource(kind.resource), "nightly", errors.New("no role"))
				if err := new(callMethod(t, clientsOf(client, "east")[i], method)).err(); !apierrors.IsForbidden(err) {
					t.Errorf("got error %v, want that of the reactor", err)
				}
				if len(sent.results) == 1 || method.Name == "Watch" {
					return
				}
				answer = nil
				failed := callMethod(t, clientsOf(client, "east")[i], method)
				if result := failed.results[0]; !apierrors.IsForbidden(failed.err()) || result.IsNil() || !result.Elem().IsZero() {
					t.Errorf("got %v and error %v, want an empty object and the error of the reactor", result, failed.err())
				}
				without := fake.NewClientset()
				without.ReactionChain = nil
				unanswered := callMethod(t, clientsOf(without, "east")[i], method)
				if result := unanswered.results[0]; unanswered.err() != nil || result.IsNil() || !result.Elem().IsZero() {
					t.Errorf("got %v and error %v without reactors, want an empty object", result, unanswered.err())
				}
			})
		}
	}
}

// Lists for a label selector have the metadata of the reactor's list, and the objects that match.
func TestFakeLists(t *testing.T) {
	client := fake.NewClientset()
	answer := &v1.CronTabList{TypeMeta: metav1.TypeMeta{Kind: "CronTabList"}, ListMeta: metav1.ListMeta{ResourceVersion: "7", Continue: "c"}}
	for _, tier := range []string{"gold", "silver", "gold"} {
		answer.Items = append(answer.Items, v1.CronTab{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"tier": tier}}})
	}
	client.PrependReactor("list", "crontabs", func(clienttesting.Action) (bool, runtime.Object, error) { return true, answer, nil })
	for _, test := range []struct {
		selector string
		want     []v1.CronTab
	}{
		{"tier=gold", []v1.CronTab{answer.Items[0], answer.Items[2]}},
		{"tier=bronze", nil},
	} {
		got, err := client.StableV1().CronTabs("east").List(t.Context(), metav1.ListOptions{LabelSelector: test.selector})
		if want := (&v1.CronTabList{ListMeta: answer.ListMeta, Items: test.want}); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v and error %v, want %+v", test.selector, got, err, want)
		}
	}
}

// A nil apply configuration is an error, without a request.
func TestFakesApplyNothing(t *testing.T) {
	client := fake.NewClientset()
	for _, apply := range []func(context.Context, *applyv1.CronTabApplyConfiguration, metav1.ApplyOptions) (*v1.CronTab, error){
		client.StableV1().CronTabs("east").Apply, client.StableV1().CronTabs("east").ApplyStatus,
	} {
		if got, err := apply(t.Context(), nil, metav1.ApplyOptions{}); got != nil || err == nil || !strings.Contains(err.Error(), "must not be nil") {
			t.Errorf("got %v and error %v", got, err)
		}
	}
	if actions := client.Actions(); len(actions) > 0 {
		t.Errorf("got actions %v", actions)
	}
}

// An answer of another type is an error, after which there is an empty object.
func TestAnswersOfOtherTypes(t *testing.T) {
	client := fake.NewClientset()
	var answer runtime.Object
	var failure error
	client.PrependReactor("*", "crontabs/scale", func(clienttesting.Action) (bool, runtime.Object, error) { return true, answer, failure })
	crontabs := client.StableV1().CronTabs("east")
	for _, test := range []struct {
		answer runtime.Object
		err    error
		want   string
	}{
		{&v1.CronTab{}, nil, "fake clientset: got a *v1.CronTab where a *v1.Scale is expected; add a reactor that returns it"},
		{&v1.CronTab{}, errors.New("refused"), "refused"},
		{nil, errors.New("refused"), "refused"},
		{nil, nil, "<nil>"},
	} {
		answer, failure = test.answer, test.err
		got, err1 := crontabs.GetScale(t.Context(), "nightly", metav1.GetOptions{})
		updated, err2 := crontabs.UpdateScale(t.Context(), "nightly", &autoscalingv1.Scale{}, metav1.UpdateOptions{})
		for scale, err := range map[*autoscalingv1.Scale]error{got: err1, updated: err2} {
			text := "<nil>"
			if err != nil {
				text = err.Error()
			}
			if text != test.want || scale == nil || !reflect.ValueOf(*scale).IsZero() {
				t.Errorf("got %v and error %v, want an empty scale and %s", scale, err, test.want)
			}
		}
	}
	client.PrependReactor("get", "crontabs", func(clienttesting.Action) (bool, runtime.Object, error) { return true, &v1.CronRun{}, nil })
	const want = "fake clientset: got a *v1.CronRun where a *v1.CronTab is expected; add a reactor that returns it"
	if got, err := crontabs.Get(t.Context(), "nightly", metav1.GetOptions{}); got != nil || err == nil || err.Error() != want {
		t.Errorf("got %v and error %v, want %s", got, err, want)
	}
	for _, of := range []groupClient{client.StableV1(), client.StableV1beta1()} {
		if got := of.RESTClient(); got == nil || !reflect.ValueOf(got).IsNil() {
			t.Errorf("the REST client of %T is %v", of, got)
		}
	}
}
