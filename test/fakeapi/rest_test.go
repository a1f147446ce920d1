package fakeapi_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	"github.com/kubegen/kubegen/fakeapi"
)

// TestRESTConfig sends requests by clients that are no fakes.
func TestRESTConfig(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := fakeapi.New(options(fakeapi.WithObjects(crontab("backup")))...)
		client := versioned.NewForConfigOrDie(api.RESTConfig())
		crontabs := client.StableV1().CronTabs("team")
		ctx := t.Context()

		factory := externalversions.NewSharedInformerFactory(client, 0)
		informer := factory.Stable().V1().CronTabs()
		added := make(chan string, 10)
		_, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) { added <- obj.(*stablev1.CronTab).Name }})
		must(0, err)(t)
		factory.Start(ctx.Done())
		factory.WaitForCacheSync(ctx.Done())
		equal(t, "added", <-added, "backup")

		created := must(crontabs.Create(ctx, crontab("second"), metav1.CreateOptions{}))(t)
		equal(t, "kind", created.TypeMeta, metav1.TypeMeta{})
		equal(t, "manager", created.ManagedFields[0].Manager, "fakeapi.test")
		equal(t, "added", <-added, "second")

		stale := must(crontabs.Get(ctx, "backup", metav1.GetOptions{}))(t)
		fresh := stale.DeepCopy()
		fresh.Spec.Image = "i:2"
		must(crontabs.Update(ctx, fresh, metav1.UpdateOptions{}))(t)
		_, err = crontabs.Update(ctx, stale, metav1.UpdateOptions{})
		reason(t, err, metav1.StatusReasonConflict, "the object has been modified")
		_, err = crontabs.Get(ctx, "missing", metav1.GetOptions{})
		reason(t, err, metav1.StatusReasonNotFound, `crontabs.stable.example.com "missing" not found`)
		_, err = crontabs.List(ctx, metav1.ListOptions{LabelSelector: "a in"})
		reason(t, err, metav1.StatusReasonBadRequest, "")
		list := must(crontabs.List(ctx, metav1.ListOptions{Limit: 1}))(t)
		equal(t, "items", len(list.Items), 1)
		equal(t, "has more", list.Continue != "", true)

		// Kubernetes' own kinds, in protobuf as well.
		config := api.RESTConfig()
		config.ContentType, config.AcceptContentTypes = runtime.ContentTypeProtobuf, runtime.ContentTypeProtobuf+","+runtime.ContentTypeJSON
		pods := kubernetes.NewForConfigOrDie(config).CoreV1().Pods("team")
		must(pods.Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c"}}}}, metav1.CreateOptions{}))(t)
		podList := must(pods.List(ctx, metav1.ListOptions{}))(t)
		equal(t, "kind", podList.Items[0].TypeMeta, metav1.TypeMeta{})
		equal(t, "container", podList.Items[0].Spec.Containers[0].Name, "c")
		zero := int64(0)
		must(0, pods.Delete(ctx, "a", metav1.DeleteOptions{GracePeriodSeconds: &zero}))(t)
		_, err = pods.Get(ctx, "a", metav1.GetOptions{})
		reason(t, err, metav1.StatusReasonNotFound, "")

		partial := must(metadata.NewForConfigOrDie(api.RESTConfig()).Resource(stablev1.SchemeGroupVersion.WithResource("crontabs")).Namespace("team").List(ctx, metav1.ListOptions{}))(t)
		equal(t, "metadata", partial.Items[0].Name, "backup")
		must(0, client.StableV1().CronTabs("team").DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))(t)
		equal(t, "left", len(must(crontabs.List(ctx, metav1.ListOptions{}))(t).Items), 0)
	})
}

// TestRESTConfigFaults checks that faults reach clients as those of servers and networks do.
func TestRESTConfigFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := fakeapi.New(options(fakeapi.WithObjects(crontab("backup")))...)
		crontabs := versioned.NewForConfigOrDie(api.RESTConfig()).StableV1().CronTabs("team")
		get := fakeapi.Requests{Verb: "get", Resource: "crontabs"}

		api.Fail(get, 1, io.ErrNoProgress)
		if _, err := crontabs.Get(t.Context(), "backup", metav1.GetOptions{}); !errors.Is(err, io.ErrNoProgress) {
			t.Errorf("error %v", err)
		}
		api.Fail(get, 1, apierrors.NewForbidden(stablev1.Resource("crontabs"), "backup", errors.New("no")))
		_, err := crontabs.Get(t.Context(), "backup", metav1.GetOptions{})
		reason(t, err, metav1.StatusReasonForbidden, "no")
		// Clients send a request again when the server asks them to.
		api.Fail(get, 2, apierrors.NewTooManyRequests("slow down", 3))
		start := time.Now()
		must(crontabs.Get(t.Context(), "backup", metav1.GetOptions{}))(t)
		equal(t, "waited", time.Since(start) >= 6*time.Second, true)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		api.Delay(get, 1, time.Hour)
		if _, err := crontabs.Get(ctx, "backup", metav1.GetOptions{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		equal(t, "waited", time.Since(start) < time.Minute, true)

		ctx, cancel = context.WithCancel(t.Context())
		w := must(crontabs.Watch(ctx, metav1.ListOptions{}))(t)
		equal(t, "events", events(w), []string{"ADDED backup"})
		cancel()
		rest := events(w) // before the end may come an error that says why, as with a server
		equal(t, "last event", rest[len(rest)-1], "END")
		api.ExpireVersions()
		w = must(crontabs.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1"}))(t)
		equal(t, "events", events(w), []string{"ERROR Expired", "END"})
		w = must(crontabs.Watch(t.Context(), metav1.ListOptions{}))(t)
		api.EndWatches()
		equal(t, "events", events(w), []string{"ADDED backup", "END"})
	})
}

// TestDiscovery checks what clients discover, and that they find nothing else.
func TestDiscovery(t *testing.T) {
	api := fakeapi.New(options()...)
	client := discovery.NewDiscoveryClientForConfigOrDie(api.RESTConfig())
	mapper := restmapper.NewDiscoveryRESTMapper(must(restmapper.GetAPIGroupResources(client))(t))
	mapping := must(mapper.RESTMapping(stablev1.Kind("CronTab")))(t)
	equal(t, "resource", mapping.Resource, crontabs)
	equal(t, "scope", mapping.Scope.Name(), meta.RESTScopeNameNamespace)
	mapping = must(mapper.RESTMapping(corev1.SchemeGroupVersion.WithKind("Pod").GroupKind()))(t)
	equal(t, "resource", mapping.Resource.Resource, "pods")
	groups := must(client.ServerGroups())(t)
	for _, g := range groups.Groups {
		if g.Name == "autoscaling" {
			equal(t, "preferred version", g.PreferredVersion.Version, "v2")
		}
	}
	must(client.ServerVersion())(t)
	dynamicClient := dynamic.NewForConfigOrDie(api.RESTConfig())
	_, err := dynamicClient.Resource(stablev1.SchemeGroupVersion.WithResource("nothing")).Get(t.Context(), "a", metav1.GetOptions{})
	reason(t, err, metav1.StatusReasonNotFound, "the server could not find the requested resource")
}

// TestShard lists the objects in two ranges of the hash of their UID, in pages. The selector is in the URL, because
// options of lists have none before v0.36.
func TestShard(t *testing.T) {
	api := fakeapi.New(options(fakeapi.WithObjects(many(40)...))...)
	client := versioned.NewForConfigOrDie(api.RESTConfig()).StableV1().RESTClient()
	seen := map[types.UID]bool{}
	for _, bounds := range []string{"'0x0000000000000000', '0x8000000000000000'", "'0x8000000000000000', '0x10000000000000000'"} {
		selector := "shardRange(object.metadata.uid, " + bounds + ")"
		pages, token := 0, ""
		for more := true; more; more = token != "" {
			request := client.Get().Resource("crontabs").Param("shardSelector", selector).Param("limit", "7").Param("continue", token)
			list := &unstructured.UnstructuredList{}
			must(0, list.UnmarshalJSON(must(request.Do(t.Context()).Raw())(t)))(t)
			got, _, _ := unstructured.NestedString(list.Object, "metadata", "shardInfo", "selector")
			equal(t, "selector", got, selector)
			equal(t, "remaining", list.GetRemainingItemCount() == nil, true)
			for _, item := range list.Items {
				if seen[item.GetUID()] {
					t.Errorf("%s is in both ranges", item.GetName())
				}
				seen[item.GetUID()] = true
			}
			pages, token = pages+1, list.GetContinue()
		}
		if pages == 1 {
			t.Errorf("a range has one page")
		}
	}
	equal(t, "objects in both ranges", len(seen), 40)
	err := client.Get().Resource("crontabs").Param("shardSelector", "shardRange(object.metadata.uid, '0x0', '0x8')").Do(t.Context()).Error()
	reason(t, err, metav1.StatusReasonUnknown, "invalid shard selector: hexStart must be a 0x-prefixed 16-digit hex value")
}
