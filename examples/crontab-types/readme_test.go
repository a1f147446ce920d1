package crontabtypes_test

import (
	"context"
	"os"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	ac "github.com/kubegen/kubegen/examples/crontab-types/generated/applyconfiguration/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1"
)

// readme is the code that the README shows.
func readme(ctx context.Context, client versioned.Interface, factory externalversions.SharedInformerFactory,
	queue workqueue.TypedRateLimitingInterface[cache.ObjectName], spec *ac.CronTabSpecApplyConfiguration, options metav1.ApplyOptions) (*v1.CronTab, error) {

	crontabs := factory.Stable().V1().CronTabs()
	crontabs.TypedInformer().AddTypedEventHandler(informers.CronTabHandlerFuncs{
		AddFunc: func(ct *v1.CronTab) { queue.Add(cache.MetaObjectToName(ct)) },
	})
	factory.StartWithContext(ctx)
	factory.WaitForCacheSyncWithContext(ctx)
	ct, err := crontabs.Lister().CronTabs("default").Get("nightly")
	if apierrors.IsNotFound(err) {
		ct, err = client.StableV1().CronTabs("default").Apply(ctx, ac.CronTab("nightly", "default").WithSpec(spec), options)
	}

	return ct, err
}

func TestReadme(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	block := ""
	for part := range strings.SplitSeq(string(page), "```go\n") {
		if code, _, _ := strings.Cut(part, "```"); strings.Contains(code, "AddTypedEventHandler") {
			block = code
		}
	}
	if block == "" || !strings.Contains(string(source), "\t"+strings.ReplaceAll(strings.TrimSpace(block), "\n", "\n\t")) {
		t.Errorf("not the code of the README:\n%s", block)
	}

	bubble(t, applyAsReadme)
}

// applyAsReadme runs the code of the README.
func applyAsReadme(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	client := fake.NewClientset()
	factory := externalversions.NewSharedInformerFactory(client, 0)
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]())
	defer queue.ShutDown()
	applied, err := readme(ctx, client, factory, queue, ac.CronTabSpec().WithImage("nginx"), metav1.ApplyOptions{FieldManager: "readme", Force: true})
	if err != nil || applied.Spec.Image != "nginx" {
		t.Errorf("applied %v, %v", applied, err)
	}
	if name, _ := queue.Get(); name != cache.NewObjectName("default", "nightly") {
		t.Errorf("%v is queued", name)
	}
	cancel()
	factory.Shutdown()
}
