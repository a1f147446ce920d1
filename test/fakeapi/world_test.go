package fakeapi_test

import (
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	kubernetesfake "k8s.io/client-go/kubernetes/fake"
	kubernetesscheme "k8s.io/client-go/kubernetes/scheme"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	crontabfake "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	crontabscheme "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/scheme"
	"github.com/kubegen/kubegen/fakeapi"
)

var (
	crontabs = stablev1.SchemeGroupVersion.WithResource("crontabs")
	cronruns = stablev1.SchemeGroupVersion.WithResource("cronruns")
)

// described is the API of the example, with fields that field selectors may name.
type described struct{ crontabfake.API }

func (described) SelectableFields() map[schema.GroupVersionResource][]string {
	return map[schema.GroupVersionResource][]string{crontabs: {".spec.image", ".spec.replicas"}}
}

func options(opts ...fakeapi.Option) []fakeapi.Option {
	return append([]fakeapi.Option{fakeapi.WithAPI(described{})}, opts...)
}

// newWorld returns an API that serves the example, and a clientset of it.
func newWorld(t testing.TB, opts ...fakeapi.Option) (*fakeapi.API, *crontabfake.Clientset) {
	t.Helper()
	api := fakeapi.New(options(opts...)...)
	client := crontabfake.NewClientset()
	api.Attach(&client.Fake, crontabscheme.Scheme)
	return api, client
}

// newKubernetes returns a clientset for the kinds of client-go.
func newKubernetes(api *fakeapi.API) *kubernetesfake.Clientset {
	client := kubernetesfake.NewClientset()
	api.Attach(&client.Fake, kubernetesscheme.Scheme)
	return client
}

func crontab(name string, change ...func(*stablev1.CronTab)) *stablev1.CronTab {
	ct := &stablev1.CronTab{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name},
		Spec:       stablev1.CronTabSpec{CronSpec: "* * * * *", Image: "busybox"},
	}
	for _, f := range change {
		f(ct)
	}
	return ct
}

// must returns a result that there is no reason not to get.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// reason checks the reason and the text of an error; an empty reason stands for no error.
func reason(t *testing.T, err error, want metav1.StatusReason, text string) {
	t.Helper()
	if want == "" && err == nil {
		return
	}
	if got := apierrors.ReasonForError(err); err == nil || got != want || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v with reason %q, want %q with %q", err, got, want, text)
	}
}

// next returns the next event of a watch; there has to be one.
func next(t *testing.T, w watch.Interface) watch.Event {
	t.Helper()
	synctest.Wait()
	select {
	case e, ok := <-w.ResultChan():
		if !ok {
			t.Fatal("the watch has ended")
		}
		return e
	default:
		t.Fatal("there is no event")
		panic("unreachable")
	}
}

// events returns what a watch has to send, each event as its type and the name of the object, until it has nothing
// more.
func events(w watch.Interface) (all []string) {
	for {
		synctest.Wait()
		select {
		case e, ok := <-w.ResultChan():
			switch {
			case !ok:
				return append(all, "END")
			case e.Type == watch.Error:
				all = append(all, "ERROR "+string(e.Object.(*metav1.Status).Reason))
			default:
				accessor, err := meta.Accessor(e.Object)
				if err != nil {
					panic(err)
				}
				all = append(all, strings.TrimSpace(string(e.Type)+" "+accessor.GetName()))
			}
		default:
			return all
		}
	}
}

func equal[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %+v, want %+v", what, got, want)
	}
}
