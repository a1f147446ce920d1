package controllerruntime

import (
	"context"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/fakeapi"
)

const finalizer = "example.com/cleanup"

// A reconciler keeps a ConfigMap for each CronTab, counts in its status those with the same image, and cleans up
// after it.
type reconciler struct {
	client.Client
	cleaned chan string
}

func (r *reconciler) Reconcile(ctx context.Context, rq ctrl.Request) (ctrl.Result, error) {
	ct := &stablev1.CronTab{}
	if err := r.Get(ctx, rq.NamespacedName, ct); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !ct.DeletionTimestamp.IsZero() {
		if controllerutil.RemoveFinalizer(ct, finalizer) {
			if err := r.Update(ctx, ct); err != nil {
				return ctrl.Result{}, err
			}
			r.cleaned <- ct.Name
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(ct, finalizer) {
		return ctrl.Result{}, r.Update(ctx, ct)
	}
	owned := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ct.Namespace, Name: ct.Name}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, owned, func() error {
		owned.Data = map[string]string{"image": ct.Spec.Image}
		return controllerutil.SetControllerReference(ct, owned, r.Scheme())
	}); err != nil {
		return ctrl.Result{}, err
	}
	sameImage := &stablev1.CronTabList{}
	if err := r.List(ctx, sameImage, client.InNamespace(ct.Namespace), client.MatchingFields{"spec.image": ct.Spec.Image}); err != nil {
		return ctrl.Result{}, err
	}
	if n := int32(len(sameImage.Items)); ct.Status.Replicas != n {
		ct.Status.Replicas = n
		return ctrl.Result{}, r.Status().Update(ctx, ct)
	}
	return ctrl.Result{}, nil
}

// TestManager runs a manager with a controller, its cache and an index, as envtest would, but without a server.
// Leader election makes no difference, because Leases are served as well.
func TestManager(t *testing.T) {
	api, scheme := newAPI(t, fakeapi.WithObjects(crontab("earlier")), fakeapi.WithGarbageCollection())
	mgr, err := ctrl.NewManager(api.RESTConfig(), ctrl.Options{
		Scheme: scheme, Metrics: server.Options{BindAddress: "0"},
	})
	must(t, err)
	must(t, mgr.GetFieldIndexer().IndexField(t.Context(), &stablev1.CronTab{}, "spec.image", func(obj client.Object) []string {
		return []string{obj.(*stablev1.CronTab).Spec.Image}
	}))
	r := &reconciler{Client: mgr.GetClient(), cleaned: make(chan string, 10)}
	must(t, ctrl.NewControllerManagedBy(mgr).For(&stablev1.CronTab{}).Owns(&corev1.ConfigMap{}).WithOptions(controller.Options{MaxConcurrentReconciles: 2, SkipNameValidation: new(true)}).Complete(r))
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- mgr.Start(ctx) }()
	defer func() {
		stop()
		must(t, <-stopped)
	}()
	if !mgr.GetCache().WaitForCacheSync(ctx) {
		t.Fatal("the cache does not sync")
	}

	c := mgr.GetClient()
	api.Conflict(fakeapi.Requests{Verb: "update", Resource: "crontabs/status"}, 1)
	must(t, c.Create(ctx, crontab("later")))
	reader := mgr.GetAPIReader()
	for _, name := range []string{"earlier", "later"} {
		eventually(t, "the status of "+name+" counts two", func() bool {
			ct := &stablev1.CronTab{}
			must(t, reader.Get(ctx, types.NamespacedName{Namespace: "team", Name: name}, ct))
			return ct.Status.Replicas == 2 || name == "earlier" && ct.Status.Replicas == 1
		})
		eventually(t, "there is a ConfigMap for "+name, func() bool {
			cm := &corev1.ConfigMap{}
			err := reader.Get(ctx, types.NamespacedName{Namespace: "team", Name: name}, cm)
			return err == nil && cm.Data["image"] == "backup:v1"
		})
	}
	// What is taken away comes again, also after watches have ended with expired versions.
	api.ExpireVersions()
	must(t, c.Delete(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "later"}}))
	eventually(t, "the ConfigMap is there again", func() bool {
		return reader.Get(ctx, types.NamespacedName{Namespace: "team", Name: "later"}, &corev1.ConfigMap{}) == nil
	})
	// A deletion waits for the finalizer, and the garbage collector follows.
	must(t, c.DeleteAllOf(ctx, &stablev1.CronTab{}, client.InNamespace("team")))
	cleaned := []string{<-r.cleaned, <-r.cleaned}
	slices.Sort(cleaned)
	if !slices.Equal(cleaned, []string{"earlier", "later"}) {
		t.Errorf("cleaned up after %v", cleaned)
	}
	eventually(t, "all is gone", func() bool {
		return apierrors.IsNotFound(reader.Get(ctx, types.NamespacedName{Namespace: "team", Name: "later"}, &corev1.ConfigMap{}))
	})
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	limit := time.After(time.Minute)
	for !holds() {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-limit:
			t.Fatalf("waited in vain until %s", what)
		}
	}
}
