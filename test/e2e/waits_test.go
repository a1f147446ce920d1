package e2e

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
)

// A wait for the caches of a user without permissions names each resource and what the server says.
func TestWaitForCachesOfForbiddenKinds(t *testing.T) {
	t.Parallel()
	config, err := shared.config()
	must(t, err)
	config.Impersonate = rest.ImpersonationConfig{UserName: "operator"}
	client, _ := connectWith(t, config)
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Stable().V1().CronTabs().Informer()
	factory.Stable().V1().CronTabClasses().Informer()
	ctx, cancel := context.WithTimeout(limit(t), 5*time.Second)
	defer cancel()
	run, stop := context.WithCancel(limit(t))
	t.Cleanup(func() { stop(); factory.Shutdown() })
	factory.StartWithContext(run)
	err = informers.WaitForCaches(ctx, factory)
	if !apierrors.IsForbidden(err) {
		t.Fatalf("got error %v, want Forbidden", err)
	}
	lines := strings.Split(err.Error(), "\n")
	expect(t, "number of lines", len(lines), 3)
	for i, resource := range []string{"crontabclasses", "crontabs"} {
		want := resource + `.stable.example.com/v1: ` + resource + `.stable.example.com is forbidden: User "operator" cannot `
		if !strings.HasPrefix(lines[i+1], want) {
			t.Errorf("got line %q, want %q", lines[i+1], want)
		}
	}
}

// An informer of a kind that the server does not have yet says so, and fills its cache once the definition is there.
func TestAwaitedDefinition(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	s := ownServer(t)
	client, requests := connect(t, s)
	config, err := s.config()
	must(t, err)
	dynamics, err := dynamic.NewForConfig(config)
	must(t, err)
	definitions := dynamics.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	must(t, definitions.Delete(ctx, "cronruns.stable.example.com", metav1.DeleteOptions{}))
	eventually(ctx, t, "the server does not have cronruns", func() bool {
		_, err := client.StableV1().CronRuns("").List(ctx, metav1.ListOptions{})
		return apierrors.IsNotFound(err)
	})
	requests.forget()

	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithAwaitedResources())
	runs, crontabs := factory.Stable().V1().CronRuns(), factory.Stable().V1().CronTabs()
	runs.Informer()
	crontabs.Informer()
	run, stop := context.WithCancel(ctx)
	t.Cleanup(func() { stop(); factory.Shutdown() })
	factory.StartWithContext(run)
	short, cancel := context.WithTimeout(ctx, 4*time.Second)
	defer cancel()
	err = informers.WaitForCaches(short, factory)
	if !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), "\ncronruns.stable.example.com/v1: the server does not have the resource: ") {
		t.Fatalf("got error %v, want NotFound", err)
	}
	if strings.Contains(err.Error(), "crontabs.") {
		t.Errorf("got error %v, although the server has crontabs", err)
	}

	if sent := len(sentFor(requests, "/cronruns")); sent > 4 {
		t.Errorf("got %d requests for cronruns in four seconds, want one after 0, 1 and 3", sent)
	}

	text, err := os.ReadFile(filepath.Join(crds, "stable.example.com_cronruns.yaml"))
	must(t, err)
	var definition unstructured.Unstructured
	must(t, yaml.Unmarshal(text, &definition.Object))
	_, err = definitions.Create(ctx, &definition, metav1.CreateOptions{})
	must(t, err)
	must(t, informers.WaitForCaches(ctx, factory))
	_, err = client.StableV1().CronRuns("east").Create(ctx, &v1.CronRun{
		ObjectMeta: metav1.ObjectMeta{Name: "nightly-1"}, Spec: v1.CronRunSpec{Image: "image:v1", ScheduledTime: metav1.Now()},
	}, metav1.CreateOptions{})
	must(t, err)
	eventually(ctx, t, "the run is in the cache", func() bool {
		_, err := runs.Lister().CronRuns("east").Get("nightly-1")
		return err == nil
	})
}

// sentFor returns the requests for a path with an ending.
func sentFor(requests *recorder, ending string) (found []request) {
	for _, r := range requests.all() {
		if strings.HasSuffix(r.path, ending) {
			found = append(found, r)
		}
	}
	return found
}

// The cache of several namespaces has their objects and no others, through restarts of the server and lists again.
func TestNamespacesBehindOneLister(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	s := ownServer(t)
	client, requests := connect(t, s)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespacesFor[*v1.CronTab]("east", "west"))
	crontabs := factory.Stable().V1().CronTabs()
	var seen calls
	_, err := crontabs.TypedInformer().AddTypedEventHandler(seen.handler())
	must(t, err)
	for _, namespace := range []string{"east", "north", "west"} {
		create(ctx, t, client.StableV1().CronTabs(namespace), newCronTab(namespace+"-before"))
	}
	start(ctx, t, factory)
	for round, disturb := range []func(){
		func() {},
		func() { must(t, s.stop()); must(t, s.start()) },
		func() { must(t, s.compact()); must(t, s.kill()); must(t, s.start()) },
	} {
		disturb()
		for _, namespace := range []string{"east", "north", "west"} {
			in := client.StableV1().CronTabs(namespace)
			name := namespace + "-" + string(rune('a'+round))
			create(ctx, t, in, newCronTab(name))
			setImage(ctx, t, in, name, "image:v2")
		}
		var want []string
		for _, namespace := range []string{"east", "west"} {
			if round > 0 {
				remove(ctx, t, client.StableV1().CronTabs(namespace), namespace+"-"+string(rune('a'+round-1)))
			}
			list, err := client.StableV1().CronTabs(namespace).List(ctx, metav1.ListOptions{})
			must(t, err)
			for _, c := range list.Items {
				want = append(want, c.Name+" "+c.ResourceVersion)
			}
		}
		cached := func() (list []string) {
			found, err := crontabs.Lister().List(labels.Everything())
			must(t, err)
			for _, c := range found {
				list = append(list, c.Name+" "+c.ResourceVersion)
			}
			slices.Sort(list)
			return list
		}
		slices.Sort(want)
		eventually(ctx, t, "the cache is that of the server: "+strings.Join(want, ", "), func() bool { return slices.Equal(cached(), want) })
		west, err := crontabs.Lister().CronTabs("west").List(labels.Everything())
		must(t, err)
		expect(t, "number of objects in west", len(west), len(want)/2)
	}
	for _, r := range requests.all("watch") {
		if r.query.Get("sendInitialEvents") != "" {
			t.Errorf("the watch of %s starts with a list", r.path)
		}
	}
}
