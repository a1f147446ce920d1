package cluster

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/klog/v2/ktesting"
	"k8s.io/utils/clock"

	"github.com/kubegen/kubegen/consistency"
	"github.com/kubegen/kubegen/examples/crontab-controller/controller"
	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	"github.com/kubegen/kubegen/fakeapi"
	"github.com/kubegen/kubegen/fakeapi/rbac"
)

// TestRole runs the controller with leader election and events as its service account, with only the permissions of the
// generated roles. It must need all of them.
func TestRole(t *testing.T) {
	roles, err := rbac.Read("../config/rbac", "../deploy")
	if err != nil {
		t.Fatal(err)
	}
	if err := roles.FindMarkers(".."); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		account := rbac.ServiceAccount("crontab-system", "crontab-controller")
		api := fakeapi.New(fakeapi.WithAPI(fake.API{}), rbac.With(roles, account))
		for _, resource := range []string{"crontabs", "cronruns", "crontabclasses"} { // Without a watch, informers list.
			api.Fail(fakeapi.Requests{Verb: "watch", Resource: resource}, 1, apierrors.NewBadRequest("no initial events"))
		}
		end := start(t, api)

		// Each run replaces the previous one. The missing class causes an event, and another run the same event again.
		crontabs := versioned.NewForConfigOrDie(api.AdminConfig()).StableV1()
		if _, err := crontabs.CronTabClasses().Create(t.Context(), &v1.CronTabClass{
			ObjectMeta: metav1.ObjectMeta{Name: "one"}, Spec: v1.CronTabClassSpec{DefaultImage: "image:v1", ConcurrencyPolicy: v1.ReplaceConcurrent},
		}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		for name, class := range map[string]string{"often": "one", "never": "missing"} {
			if _, err := crontabs.CronTabs("east").Create(t.Context(), &v1.CronTab{
				ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1.CronTabSpec{CronSpec: "* * * * *", ClassName: class},
			}, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(3 * time.Minute)
		never, err := crontabs.CronTabs("east").Get(t.Context(), "never", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := crontabs.CronRuns("east").Create(t.Context(), &v1.CronRun{
			ObjectMeta: metav1.ObjectMeta{Name: "never", OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(never, v1.SchemeGroupVersion.WithKind("CronTab"))}},
			Spec:       v1.CronRunSpec{Image: "image:v1", ScheduledTime: metav1.Now()},
		}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if err := crontabs.CronTabs("east").DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if list, err := crontabs.CronTabs("east").List(t.Context(), metav1.ListOptions{}); err != nil || len(list.Items) > 0 {
			t.Errorf("%d CronTabs are left, %v", len(list.Items), err)
		}
		end()
	})
	report := roles.Report()
	report.Unused = slices.DeleteFunc(report.Unused, func(f rbac.Finding) bool {
		return slices.Equal(f.Rule.Resources, []string{"crontabs/finalizers"}) // only checked by an admission plugin
	})
	if report := report.String(); report != "" {
		t.Error(report)
	}
}

// start runs the controller like main, until end is called.
func start(t *testing.T, api *fakeapi.API) (end func()) {
	t.Helper()
	_, ctx := ktesting.NewTestContext(t)
	ctx, cancel := context.WithCancel(ctx)
	config, writes := api.RESTConfig(), consistency.NewStore()
	writes.Wrap(config)
	kube := kubernetes.NewForConfigOrDie(api.RESTConfig())
	recorder, err := NewEventRecorder(ctx, kube)
	if err != nil {
		t.Fatal(err)
	}
	crontabs, err := controller.New(versioned.NewForConfigOrDie(config), writes, recorder, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	if err := crontabs.Start(ctx); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		watchdog := leaderelection.NewLeaderHealthzAdaptor(20 * time.Second)
		ended <- RunAsLeader(ctx, kube.CoordinationV1(), "crontab-system", "one", watchdog, func(lease context.Context) { crontabs.Run(ctx, lease, 2) })
	}()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		synctest.Wait()
	}
}
