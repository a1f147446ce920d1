package e2e

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/scheme"
	clients "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/typed/stable/v1"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
)

// The clients' methods, paths and scopes are those of the resources that the server serves, and the fake clientset
// discovers the same ones.
func TestDiscovery(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	clientset, requests := connect(t, shared)
	discovered, err := clientset.Discovery().ServerResourcesForGroupVersion(v1.SchemeGroupVersion.String())
	must(t, err)
	resources := map[string]metav1.APIResource{}
	for _, r := range discovered.APIResources {
		resources[r.Name] = r
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(clientset.Discovery()))
	ns := namespace(t)

	for _, kind := range []struct {
		object    runtime.Object
		resource  string
		singular  string
		client    reflect.Type
		namespace string
		get       func() error
	}{
		{&v1.CronTab{}, "crontabs", "crontab", reflect.TypeFor[clients.CronTabInterface](), ns, func() error {
			_, err := clientset.StableV1().CronTabs(ns).List(ctx, metav1.ListOptions{})
			return err
		}},
		{&v1.CronRun{}, "cronruns", "cronrun", reflect.TypeFor[clients.CronRunInterface](), ns, func() error {
			_, err := clientset.StableV1().CronRuns(ns).List(ctx, metav1.ListOptions{})
			return err
		}},
		{&v1.CronTabClass{}, "crontabclasses", "crontabclass", reflect.TypeFor[clients.CronTabClassInterface](), "", func() error {
			_, err := clientset.StableV1().CronTabClasses().List(ctx, metav1.ListOptions{})
			return err
		}},
	} {
		kinds, _, err := scheme.Scheme.ObjectKinds(kind.object)
		must(t, err)
		gvk := kinds[0]
		resource, ok := resources[kind.resource]
		if !ok {
			t.Fatalf("the server does not serve %s", kind.resource)
		}
		expect(t, "kind of "+kind.resource, resource.Kind, gvk.Kind)
		expect(t, "singular of "+kind.resource, resource.SingularName, kind.singular)
		expect(t, "scope of "+kind.resource, resource.Namespaced, kind.namespace != "")

		mapping, err := mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
		must(t, err)
		expect(t, "resource of "+gvk.Kind, mapping.Resource, v1.SchemeGroupVersion.WithResource(kind.resource))
		path := "/apis/" + gvk.GroupVersion().String()
		if kind.namespace != "" {
			path += "/namespaces/" + kind.namespace
		}
		must(t, kind.get())
		expect(t, "path of "+gvk.Kind, requests.last().path, path+"/"+mapping.Resource.Resource)

		// What the server can do has a method, and the other way round.
		methods := map[string]bool{}
		for i := range kind.client.NumMethod() {
			methods[kind.client.Method(i).Name] = true
		}
		for method, needs := range map[string]struct{ subresource, verb string }{
			"Create": {"", "create"}, "Get": {"", "get"}, "List": {"", "list"}, "Watch": {"", "watch"}, "Update": {"", "update"},
			"Patch": {"", "patch"}, "Apply": {"", "patch"}, "Delete": {"", "delete"}, "DeleteCollection": {"", "deletecollection"},
			"UpdateStatus": {"/status", "update"}, "ApplyStatus": {"/status", "patch"},
			"GetScale": {"/scale", "get"}, "UpdateScale": {"/scale", "update"},
		} {
			served := slices.Contains(resources[kind.resource+needs.subresource].Verbs, needs.verb)
			expect(t, kind.client.Name()+" has "+method, methods[method], served)
			delete(methods, method)
		}
		expect(t, "further methods of "+kind.client.Name(), methods, map[string]bool{})

		generic, err := informers.NewSharedInformerFactory(clientset, 0).ForResource(mapping.Resource)
		must(t, err)
		if generic.Informer() == nil {
			t.Errorf("no informer for %s", mapping.Resource)
		}
	}
	scale := resources["crontabs/scale"]
	expect(t, "kind of the scale", scale.Group+"/"+scale.Version+" "+scale.Kind, "autoscaling/v1 Scale")

	faked, err := fake.NewSimpleClientset().Discovery().ServerResourcesForGroupVersion(v1.SchemeGroupVersion.String())
	must(t, err)
	for _, list := range []*metav1.APIResourceList{discovered, faked} {
		slices.SortFunc(list.APIResources, func(a, b metav1.APIResource) int { return strings.Compare(a.Name, b.Name) })
		for i := range list.APIResources {
			list.APIResources[i].StorageVersionHash = ""
			slices.Sort(list.APIResources[i].Verbs)
		}
	}
	expect(t, "resources of the fake clientset", faked.APIResources, discovered.APIResources)
}

// The dynamic client and the typed one see the same objects, whichever of them wrote.
func TestDynamicClient(t *testing.T) {
	t.Parallel()
	ctx, ns := limit(t), namespace(t)
	clientset, _ := connect(t, shared)
	typed := clientset.StableV1().CronTabs(ns)
	config, err := shared.config()
	must(t, err)
	client, err := dynamic.NewForConfig(config)
	must(t, err)
	untyped := client.Resource(v1.SchemeGroupVersion.WithResource("crontabs")).Namespace(ns)

	asTyped := func(u *unstructured.Unstructured) *v1.CronTab {
		t.Helper()
		var crontab v1.CronTab
		must(t, runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(u.Object, &crontab, true))
		crontab.TypeMeta = metav1.TypeMeta{} // which typed clients leave out
		return &crontab
	}
	writtenTyped := create(ctx, t, typed, newCronTab("typed"))
	read, err := untyped.Get(ctx, "typed", metav1.GetOptions{})
	must(t, err)
	expect(t, "kind", read.GroupVersionKind(), v1.SchemeGroupVersion.WithKind("CronTab"))
	expect(t, "what the typed client wrote", asTyped(read), writtenTyped)

	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(newCronTab("untyped"))
	must(t, err)
	toWrite := &unstructured.Unstructured{Object: content}
	toWrite.SetGroupVersionKind(v1.SchemeGroupVersion.WithKind("CronTab"))
	writtenUntyped, err := untyped.Create(ctx, toWrite, metav1.CreateOptions{})
	must(t, err)
	readTyped, err := typed.Get(ctx, "untyped", metav1.GetOptions{})
	must(t, err)
	expect(t, "what the dynamic client wrote", readTyped, asTyped(writtenUntyped))

	all, err := untyped.List(ctx, metav1.ListOptions{})
	must(t, err)
	allTyped, err := typed.List(ctx, metav1.ListOptions{ // Other tests write meanwhile, elsewhere.
		ResourceVersion: all.GetResourceVersion(), ResourceVersionMatch: metav1.ResourceVersionMatchExact,
	})
	must(t, err)
	expect(t, "resource version of the lists", all.GetResourceVersion(), allTyped.ResourceVersion)
	var names []string
	for i, item := range all.Items {
		crontab := allTyped.Items[i].DeepCopy()
		crontab.TypeMeta = metav1.TypeMeta{}
		expect(t, "item of the lists", asTyped(&item), crontab)
		names = append(names, item.GetName())
	}
	expect(t, "names", strings.Join(names, " "), "typed untyped")
}
