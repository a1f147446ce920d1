package fakeapi_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubernetesfake "k8s.io/client-go/kubernetes/fake"
	kubernetesscheme "k8s.io/client-go/kubernetes/scheme"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/applyconfiguration"
	crontabfake "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	crontabscheme "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/scheme"
	"github.com/kubegen/kubegen/fakeapi"
)

var (
	crontabs = stablev1.SchemeGroupVersion.WithResource("crontabs")
	cronruns = stablev1.SchemeGroupVersion.WithResource("cronruns")
	classes  = stablev1.SchemeGroupVersion.WithResource("crontabclasses")
)

// apiResources are the resources of the example.
func apiResources() []*metav1.APIResourceList {
	verbs := metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
	sub := metav1.Verbs{"get", "patch", "update"}
	return []*metav1.APIResourceList{{
		GroupVersion: stablev1.SchemeGroupVersion.String(),
		APIResources: []metav1.APIResource{
			{Name: "cronruns", SingularName: "cronrun", Namespaced: true, Kind: "CronRun", Verbs: verbs},
			{Name: "cronruns/status", Namespaced: true, Kind: "CronRun", Verbs: sub},
			{Name: "crontabclasses", SingularName: "crontabclass", Kind: "CronTabClass", Verbs: verbs},
			{Name: "crontabs", SingularName: "crontab", Namespaced: true, Kind: "CronTab", Verbs: verbs},
			{Name: "crontabs/scale", Namespaced: true, Group: "autoscaling", Version: "v1", Kind: "Scale", Verbs: sub},
			{Name: "crontabs/status", Namespaced: true, Kind: "CronTab", Verbs: sub},
		},
	}}
}

func scalePaths() map[schema.GroupVersionResource]map[string]string {
	return map[schema.GroupVersionResource]map[string]string{crontabs: {
		"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", "labelSelectorPath": ".status.labelSelector",
	}}
}

func options(opts ...fakeapi.Option) []fakeapi.Option {
	return append([]fakeapi.Option{
		fakeapi.WithResources(crontabscheme.Scheme, apiResources()),
		fakeapi.WithScalePaths(scalePaths()),
		fakeapi.WithSelectableFields(map[schema.GroupVersionResource][]string{crontabs: {".spec.image", ".spec.replicas"}}),
		fakeapi.WithTypeConverter(applyconfiguration.NewTypeConverter(crontabscheme.Scheme)),
	}, opts...)
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
