package controllerruntime

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/fakeapi"
	"github.com/kubegen/kubegen/fakeapi/rbac"
)

// TestManagerRoles runs a manager as a service account. Its requests, those of its cache included, need exactly the
// rules of the role.
func TestManagerRoles(t *testing.T) {
	rule := func(group, resource string, verbs ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}
	}
	roles, err := rbac.New(&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "manager-role"}, Rules: []rbacv1.PolicyRule{
		rule("stable.example.com", "crontabs", "watch", "update"),
		rule("stable.example.com", "crontabs/status", "update"),
		rule("", "configmaps", "watch", "create"),
	}})
	must(t, err)
	api, scheme := newAPI(t, fakeapi.WithObjects(crontab("backup")), rbac.With(roles, rbac.ServiceAccount("system", "manager")))
	mgr, err := ctrl.NewManager(api.RESTConfig(), ctrl.Options{Scheme: scheme, Metrics: server.Options{BindAddress: "0"}})
	must(t, err)
	must(t, mgr.GetFieldIndexer().IndexField(t.Context(), &stablev1.CronTab{}, "spec.image", func(obj client.Object) []string {
		return []string{obj.(*stablev1.CronTab).Spec.Image}
	}))
	r := &reconciler{Client: mgr.GetClient(), cleaned: make(chan string, 1)}
	must(t, ctrl.NewControllerManagedBy(mgr).For(&stablev1.CronTab{}).Owns(&corev1.ConfigMap{}).WithOptions(controller.Options{SkipNameValidation: new(true)}).Complete(r))
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- mgr.Start(ctx) }()

	admin, err := client.New(api.AdminConfig(), client.Options{Scheme: scheme})
	must(t, err)
	eventually(t, "the status counts one", func() bool {
		ct := crontab("backup")
		must(t, admin.Get(t.Context(), client.ObjectKeyFromObject(ct), ct))
		return ct.Status.Replicas == 1
	})
	stop()
	must(t, <-stopped)
	if report := roles.Report().String(); report != "" {
		t.Error(report)
	}
}
