// Package rbac tests the package rbac of fakeapi with clients of all kinds.
package rbac

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	controllerruntime "sigs.k8s.io/controller-runtime/pkg/client"
	controllerruntimelog "sigs.k8s.io/controller-runtime/pkg/log"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/scheme"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	"github.com/kubegen/kubegen/fakeapi"
	"github.com/kubegen/kubegen/fakeapi/rbac"
)

var account = rbac.ServiceAccount("system", "controller-manager")

func newAPI(t *testing.T) (*fakeapi.API, *rbac.Roles) {
	t.Helper()
	roles, err := rbac.Read("testdata/kubebuilder")
	if err != nil {
		t.Fatal(err)
	}
	crontab := &v1.CronTab{ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: "nightly"}, Spec: v1.CronTabSpec{CronSpec: "0 3 * * *", Image: "image:v1"}}
	return fakeapi.New(fakeapi.WithAPI(fake.API{}), fakeapi.WithObjects(crontab), rbac.With(roles, account)), roles
}

// TestClients sends the same requests by clients of all kinds. All must see the same errors and leave the same record.
func TestClients(t *testing.T) {
	controllerruntimelog.SetLogger(logr.Discard())
	const data = `{"status":{"replicas":1}}`
	resource := v1.SchemeGroupVersion.WithResource("crontabs")
	typed := func(c versioned.Interface) []error {
		crontabs := c.StableV1().CronTabs("east")
		_, get := crontabs.Get(t.Context(), "nightly", metav1.GetOptions{})
		_, status := crontabs.Patch(t.Context(), "nightly", types.MergePatchType, []byte(data), metav1.PatchOptions{}, "status")
		all := crontabs.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{})
		watch, err := c.StableV1().CronTabs("").Watch(t.Context(), metav1.ListOptions{})
		if err == nil {
			watch.Stop()
		}
		_, class := c.StableV1().CronTabClasses().List(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=one"})
		return []error{get, status, all, err, class}
	}
	untyped := func(c dynamic.Interface) []error {
		crontabs := c.Resource(resource).Namespace("east")
		_, get := crontabs.Get(t.Context(), "nightly", metav1.GetOptions{})
		_, status := crontabs.Patch(t.Context(), "nightly", types.MergePatchType, []byte(data), metav1.PatchOptions{}, "status")
		all := crontabs.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{})
		watch, err := c.Resource(resource).Watch(t.Context(), metav1.ListOptions{})
		if err == nil {
			watch.Stop()
		}
		_, class := c.Resource(v1.SchemeGroupVersion.WithResource("crontabclasses")).List(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=one"})
		return []error{get, status, all, err, class}
	}
	partial := func(c metadata.Interface) []error {
		crontabs := c.Resource(resource).Namespace("east")
		_, get := crontabs.Get(t.Context(), "nightly", metav1.GetOptions{})
		_, status := crontabs.Patch(t.Context(), "nightly", types.MergePatchType, []byte(data), metav1.PatchOptions{}, "status")
		all := crontabs.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{})
		watch, err := c.Resource(resource).Watch(t.Context(), metav1.ListOptions{})
		if err == nil {
			watch.Stop()
		}
		_, class := c.Resource(v1.SchemeGroupVersion.WithResource("crontabclasses")).List(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=one"})
		return []error{get, status, all, err, class}
	}
	want := []string{
		"",
		`crontabs.stable.example.com "nightly" is forbidden: User "system:serviceaccount:system:controller-manager" cannot patch resource "crontabs/status" in API group "stable.example.com" in the namespace "east"`,
		`crontabs.stable.example.com is forbidden: User "system:serviceaccount:system:controller-manager" cannot deletecollection resource "crontabs" in API group "stable.example.com" in the namespace "east"`,
		"",
		`crontabclasses.stable.example.com "one" is forbidden: User "system:serviceaccount:system:controller-manager" cannot list resource "crontabclasses" in API group "stable.example.com" at the cluster scope`,
	}
	for name, send := range map[string]func(*fakeapi.API) []error{
		"generated fake": func(api *fakeapi.API) []error {
			c := fake.NewClientset()
			api.Attach(&c.Fake, scheme.Scheme)
			return typed(c)
		},
		"generated":     func(api *fakeapi.API) []error { return typed(versioned.NewForConfigOrDie(api.RESTConfig())) },
		"dynamic fake":  func(api *fakeapi.API) []error { return untyped(api.Dynamic()) },
		"dynamic":       func(api *fakeapi.API) []error { return untyped(dynamic.NewForConfigOrDie(api.RESTConfig())) },
		"metadata fake": func(api *fakeapi.API) []error { return partial(api.Metadata()) },
		"metadata":      func(api *fakeapi.API) []error { return partial(metadata.NewForConfigOrDie(api.RESTConfig())) },
		"controller-runtime": func(api *fakeapi.API) []error {
			c, err := controllerruntime.NewWithWatch(api.RESTConfig(), controllerruntime.Options{Scheme: scheme.Scheme})
			if err != nil {
				return []error{err}
			}
			crontab := &v1.CronTab{ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: "nightly"}}
			get := c.Get(t.Context(), controllerruntime.ObjectKeyFromObject(crontab), crontab)
			status := c.Status().Patch(t.Context(), crontab, controllerruntime.RawPatch(types.MergePatchType, []byte(data)))
			all := c.DeleteAllOf(t.Context(), crontab, controllerruntime.InNamespace("east"))
			watch, err := c.Watch(t.Context(), &v1.CronTabList{})
			if err == nil {
				watch.Stop()
			}
			class := c.List(t.Context(), &v1.CronTabClassList{}, controllerruntime.MatchingFields{"metadata.name": "one"})
			return []error{get, status, all, err, class}
		},
	} {
		t.Run(name, func(t *testing.T) {
			api, roles := newAPI(t)
			var got []string
			for _, err := range send(api) {
				got = append(got, "")
				if err != nil {
					got[len(got)-1] = err.Error()
					if !apierrors.IsForbidden(err) {
						t.Errorf("%v: not Forbidden", err)
					}
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got errors\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			role := &strings.Builder{}
			if err := roles.WriteLeastRole(role, "manager-role"); err != nil {
				t.Fatal(err)
			}
			if role.String() != leastOfClients {
				t.Errorf("got the least role\n%s\nwant\n%s", role, leastOfClients)
			}
		})
	}
}

const leastOfClients = `---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: manager-role
rules:
- apiGroups:
  - stable.example.com
  resources:
  - crontabclasses
  verbs:
  - list
- apiGroups:
  - stable.example.com
  resources:
  - crontabs
  verbs:
  - deletecollection
  - get
  - list
  - watch
- apiGroups:
  - stable.example.com
  resources:
  - crontabs/status
  verbs:
  - patch
`

// TestReport reports about requests with and without rules, wildcards, names and namespaces.
func TestReport(t *testing.T) {
	api, roles := newAPI(t)
	crontabs := versioned.NewForConfigOrDie(api.RESTConfig()).StableV1().CronTabs("east")
	kube := kubernetes.NewForConfigOrDie(api.RESTConfig())
	if _, err := crontabs.Get(t.Context(), "nightly", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := crontabs.List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := crontabs.UpdateStatus(t.Context(), &v1.CronTab{ObjectMeta: metav1.ObjectMeta{Name: "nightly"}}, metav1.UpdateOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("update of the status: %v", err)
	}
	for _, lease := range []struct{ namespace, name string }{{"system", "leader"}, {"system", "other"}, {"east", "leader"}} {
		_, err := kube.CoordinationV1().Leases(lease.namespace).Get(t.Context(), lease.name, metav1.GetOptions{})
		if allowed := lease.namespace == "system" && lease.name == "leader"; allowed != apierrors.IsNotFound(err) || allowed == apierrors.IsForbidden(err) {
			t.Errorf("lease %v: %v", lease, err)
		}
	}
	if _, err := kube.CoreV1().Secrets("east").Get(t.Context(), "password", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Error(err)
	}
	if _, err := kube.Discovery().ServerVersion(); err != nil {
		t.Errorf("the version is not public: %v", err)
	}
	if err := kube.Discovery().RESTClient().Get().AbsPath("/metrics").Do(t.Context()).Error(); !apierrors.IsForbidden(err) ||
		!strings.HasSuffix(err.Error(), `forbidden: User "system:serviceaccount:system:controller-manager" cannot get path "/metrics"`) {
		t.Errorf("/metrics: %v", err)
	}
	admin := kubernetes.NewForConfigOrDie(api.AdminConfig())
	if _, err := admin.CoreV1().ConfigMaps("east").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{}); err != nil {
		t.Errorf("the administrator: %v", err)
	}

	report := roles.Report()
	const want = `testdata/kubebuilder/leader_election.yaml:7: Role leader-election-role: no request used groups=coordination.k8s.io,resources=leases,resourceNames=leader,verbs=update
testdata/kubebuilder/role.yaml:13: ClusterRole manager-role: no request used groups=stable.example.com,resources=crontabs,verbs=create;delete;patch;watch
testdata/kubebuilder/role.yaml:24: ClusterRole manager-role: no request used groups=stable.example.com,resources=crontabs/status,verbs=get
testdata/kubebuilder/role.yaml:7: ClusterRole manager-role: only a wildcard allowed groups="",resources=secrets,verbs=get
system:serviceaccount:system:controller-manager: no rule allowed urls=/metrics,verbs=get
system:serviceaccount:system:controller-manager: no rule allowed groups=coordination.k8s.io,resources=leases,verbs=get
system:serviceaccount:system:controller-manager: no rule allowed groups=coordination.k8s.io,resources=leases,resourceNames=other,verbs=get
system:serviceaccount:system:controller-manager: no rule allowed groups=stable.example.com,resources=crontabs/status,verbs=update
`
	if got := filepath.ToSlash(report.String()); got != want {
		t.Errorf("got the report\n%s\nwant\n%s", got, want)
	}
	text, err := json.Marshal(report.Wildcards)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(text), `[{"file":"testdata/kubebuilder/role.yaml","line":7,"role":"ClusterRole manager-role","rule":{"verbs":["get"],"apiGroups":[""],"resources":["secrets"]}}]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	role := &strings.Builder{}
	if err := roles.WriteLeastRole(role, "least"); err != nil {
		t.Fatal(err)
	}
	if _, own, ok := strings.Cut(role.String(), "kind: Role\n"); !ok || own != `metadata:
  name: least
  namespace: system
rules:
- apiGroups:
  - coordination.k8s.io
  resourceNames:
  - leader
  resources:
  - leases
  verbs:
  - get
` {
		t.Errorf("the least role has no Role for the lease:\n%s", role)
	}
}

// TestRelatedRequests runs informers and a recorder of events, which send other requests on other servers, or at other
// times. The rules for these are used, and the least role has them.
func TestRelatedRequests(t *testing.T) {
	rule := func(group, resource string, verbs ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}
	}
	roles, err := rbac.New(&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "controller"}, Rules: []rbacv1.PolicyRule{
		rule(v1.GroupName, "crontabs", "get", "list", "watch"), rule("", "events", "create", "patch", "update"), rule("", "pods", "watch"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	api := fakeapi.New(fakeapi.WithAPI(fake.API{}), rbac.With(roles, account))
	factory := externalversions.NewSharedInformerFactory(versioned.NewForConfigOrDie(api.RESTConfig()), 0)
	factory.Stable().V1().CronTabs().Informer()
	factory.StartWithContext(t.Context())
	factory.WaitForCacheSyncWithContext(t.Context())
	core := kubernetes.NewForConfigOrDie(api.RESTConfig()).CoreV1()
	event := &corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: "a"}, InvolvedObject: corev1.ObjectReference{Namespace: "east"}}
	if _, err := core.Events("east").Create(t.Context(), event, metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
	if w, err := core.Pods("").Watch(t.Context(), metav1.ListOptions{}); err != nil {
		t.Error(err)
	} else {
		w.Stop()
	}
	const want = `ClusterRole controller: no request used groups=stable.example.com,resources=crontabs,verbs=get
ClusterRole controller: no request used groups="",resources=events,verbs=update
`
	if got := roles.Report().String(); got != want {
		t.Errorf("got the report\n%s\nwant\n%s", got, want)
	}
	role := &strings.Builder{}
	if err := roles.WriteLeastRole(role, "least"); err != nil {
		t.Fatal(err)
	}
	const least = `---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: least
rules:
- apiGroups:
  - ""
  resources:
  - events
  verbs:
  - create
  - patch
- apiGroups:
  - ""
  resources:
  - pods
  verbs:
  - list
  - watch
- apiGroups:
  - stable.example.com
  resources:
  - crontabs
  verbs:
  - list
  - watch
`
	if got := role.String(); got != least {
		t.Errorf("got the least role\n%s\nwant\n%s", got, least)
	}
}

// TestMarkers reports the markers behind rules.
func TestMarkers(t *testing.T) {
	roles, err := rbac.Read("testdata/marked/role.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := roles.FindMarkers("testdata/marked"); err != nil {
		t.Fatal(err)
	}
	api := fakeapi.New(fakeapi.WithAPI(fake.API{}), rbac.With(roles, account))
	kube := kubernetes.NewForConfigOrDie(api.RESTConfig())
	if _, err := kube.CoreV1().ConfigMaps("east").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	const want = `testdata/marked/role.yaml:6: ClusterRole manager-role: no request used groups="",resources=configmaps,verbs=delete (see testdata/marked/manager.go:4)
testdata/marked/role.yaml:6: ClusterRole manager-role: no request used groups="",resources=secrets,verbs=delete;list (see testdata/marked/manager.go:4, testdata/marked/manager.go:6)
testdata/marked/role.yaml:9: ClusterRole manager-role: no request used urls=/metrics,verbs=get (see testdata/marked/manager.go:9)
testdata/marked/role.yaml:16: Role leader: no request used groups=coordination.k8s.io,resources=leases,resourceNames=one,verbs=update (see testdata/marked/manager.go:10)
`
	if got := filepath.ToSlash(roles.Report().String()); got != want {
		t.Errorf("got the report\n%s\nwant\n%s", got, want)
	}
	if err := roles.FindMarkers("testdata/missing"); err == nil {
		t.Error("no error for a missing directory")
	}
}

// TestImpersonation sends requests as users whom the service account may or may not impersonate, and as the
// administrator, who may impersonate all.
func TestImpersonation(t *testing.T) {
	rule := func(group, resource, name string, verbs ...string) []rbacv1.PolicyRule {
		return []rbacv1.PolicyRule{{Verbs: verbs, APIGroups: []string{group}, Resources: []string{resource}, ResourceNames: []string{name}}}
	}
	role := func(name string, subject rbacv1.Subject, rules ...[]rbacv1.PolicyRule) []runtime.Object {
		subject.APIGroup = rbacv1.GroupName
		return []runtime.Object{
			&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: slices.Concat(rules...)},
			&rbacv1.ClusterRoleBinding{
				ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name}, Subjects: []rbacv1.Subject{subject},
			},
		}
	}
	pods := []rbacv1.PolicyRule{{Verbs: []string{"list"}, APIGroups: []string{""}, Resources: []string{"pods"}}}
	roles, err := rbac.New(slices.Concat(
		role("manager", rbacv1.Subject{Kind: rbacv1.UserKind, Name: account.Username},
			rule("", "users", "jane", "impersonate"), rule("", "groups", "devs", "impersonate"), rule("", "serviceaccounts", "tenant", "impersonate"),
			rule("authentication.k8s.io", "users", "joe", "impersonate:user-info"), []rbacv1.PolicyRule{{
				Verbs: []string{"impersonate-on:user-info:list"}, APIGroups: []string{""}, Resources: []string{"pods"},
			}}),
		role("devs", rbacv1.Subject{Kind: rbacv1.GroupKind, Name: "devs"}, pods),
		role("joe", rbacv1.Subject{Kind: rbacv1.UserKind, Name: "joe"}, pods),
		role("tenants", rbacv1.Subject{Kind: rbacv1.GroupKind, Name: "system:serviceaccounts:east"}, pods),
	)...)
	if err != nil {
		t.Fatal(err)
	}
	api := fakeapi.New(rbac.With(roles, account))
	const refused = `cannot impersonate:user-info resource "users" in API group "authentication.k8s.io" at the cluster scope`
	const jane = `User "jane" cannot list resource "pods"`
	for _, test := range []struct {
		as    rest.ImpersonationConfig
		admin bool
		want  string // part of the error
	}{
		{rest.ImpersonationConfig{UserName: "nobody"}, false, refused},
		{rest.ImpersonationConfig{UserName: "joe"}, false, ""},
		{rest.ImpersonationConfig{UserName: "jane"}, false, jane},
		{rest.ImpersonationConfig{UserName: "jane", Groups: []string{"devs"}}, false, ""},
		{rest.ImpersonationConfig{UserName: "jane", Groups: []string{"devs", "system:masters"}}, false, `cannot impersonate resource "groups" in API group ""`},
		{rest.ImpersonationConfig{UserName: "jane", UID: "1"}, false, `cannot impersonate resource "uids" in API group "authentication.k8s.io"`},
		{rest.ImpersonationConfig{UserName: "system:serviceaccount:east:tenant"}, false, ""},
		{rest.ImpersonationConfig{UserName: "system:serviceaccount:east:other"}, false, `cannot impersonate resource "serviceaccounts" in API group "" in the namespace "east"`},
		{rest.ImpersonationConfig{UserName: "jane"}, true, jane},
		{rest.ImpersonationConfig{UserName: "anybody", Groups: []string{"system:masters"}}, true, ""},
	} {
		config := api.RESTConfig()
		if test.admin {
			config = api.AdminConfig()
		}
		config.Impersonate = test.as
		_, err := kubernetes.NewForConfigOrDie(config).CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
		switch {
		case test.want == "" && err != nil, test.want != "" && (!apierrors.IsForbidden(err) || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%+v: got %v, want %q", test.as, err, test.want)
		}
	}
	const want = `system:serviceaccount:system:controller-manager: no rule allowed groups="",resources=groups,resourceNames=system:masters,verbs=impersonate
system:serviceaccount:system:controller-manager: no rule allowed groups="",resources=serviceaccounts,resourceNames=other,verbs=impersonate
system:serviceaccount:system:controller-manager: no rule allowed groups="",resources=users,resourceNames=nobody,verbs=impersonate
`
	if got := roles.Report().String(); !strings.Contains(got, want) || strings.Contains(got, "ClusterRole manager:") {
		t.Errorf("got the report\n%s\nwant no rule of the manager, and\n%s", got, want)
	}
}

// TestExitCode checks the exit codes of Main.
func TestExitCode(t *testing.T) {
	for _, name := range []string{"test.run", "test.skip"} {
		selected := flag.Lookup(name).Value.String()
		t.Cleanup(func() { _ = flag.Set(name, selected) })
	}
	if err := flag.Set("test.skip", ""); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		run       string
		code, all int // exit codes of the tests and of Main
	}{{"", 0, 1}, {"TestSome", 0, 0}, {"", 2, 2}} {
		if err := flag.Set("test.run", test.run); err != nil {
			t.Fatal(err)
		}
		_, roles := newAPI(t)
		if got := roles.Main(run(func() int { return test.code })); got != test.all && !testing.Short() {
			t.Errorf("without requests, tests with -run %q and exit code %d: got exit code %d, want %d", test.run, test.code, got, test.all)
		}
	}
	api, roles := newAPI(t)
	code := roles.Main(run(func() int {
		_, err := api.Dynamic().Resource(corev1.SchemeGroupVersion.WithResource("pods")).List(t.Context(), metav1.ListOptions{})
		if !apierrors.IsForbidden(err) {
			t.Error(err)
		}
		return 0
	}))
	if code != 1 {
		t.Errorf("a forbidden request: got exit code %d, want 1", code)
	}
}

type run func() int

func (r run) Run() int { return r() }

// TestWithoutBindings binds all roles to each user.
func TestWithoutBindings(t *testing.T) {
	rules := func(verb string) []rbacv1.PolicyRule {
		return []rbacv1.PolicyRule{{Verbs: []string{verb}, APIGroups: []string{""}, Resources: []string{"pods"}}}
	}
	roles, err := rbac.New(
		&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Rules: rules("list")},
		&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: "b"}, Rules: rules("create")},
	)
	if err != nil {
		t.Fatal(err)
	}
	pods := fakeapi.New(rbac.With(roles, account)).Dynamic().Resource(corev1.SchemeGroupVersion.WithResource("pods"))
	if _, err := pods.Namespace("west").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
	for namespace, allowed := range map[string]bool{"east": true, "west": false} {
		pod := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "a"}}}
		if _, err := pods.Namespace(namespace).Create(t.Context(), pod, metav1.CreateOptions{}); apierrors.IsForbidden(err) == allowed {
			t.Errorf("create in %s: %v", namespace, err)
		}
	}
	if report := roles.Report().String(); report != "system:serviceaccount:system:controller-manager: no rule allowed groups=\"\",resources=pods,verbs=create\n" {
		t.Error(report)
	}
}

// TestMistakes reads manifests that a server would refuse.
func TestMistakes(t *testing.T) {
	for manifest, want := range map[string]string{
		"kind: ClusterRole\nmetadata: {name: a}\nrules:\n- apiGroups: [apps]\n  resources: [deployments]":                      "role.yaml:5: ClusterRole a: rule 1: verbs must contain at least one value",
		"kind: ClusterRole\nmetadata: {name: a}\nrules:\n- verbs: [get]\n  resources: [deployments]":                           "role.yaml:5: ClusterRole a: rule 1: resource rules must supply at least one api group",
		"kind: ClusterRole\nmetadata: {name: a}\nrules:\n- verbs: [get]\n  apiGroups: [apps]":                                  "role.yaml:5: ClusterRole a: rule 1: resource rules must supply at least one resource",
		"kind: Role\nmetadata: {name: a}\nrules:\n- verbs: [get]\n  nonResourceURLs: [/metrics]":                               "role.yaml:5: Role a: rule 1: namespaced rules cannot apply to non-resource URLs",
		"kind: ClusterRole\nmetadata: {name: a}\nrules:\n- verbs: [get]\n  nonResourceURLs: [/metrics]\n  apiGroups: [a]":      "role.yaml:5: ClusterRole a: rule 1: rules cannot apply to both regular resources and non-resource URLs",
		"kind: ClusterRole\nmetadata: {name: a}\nrules:\n- verb: [get]":                                                        `unknown field "verb"`,
		"kind: RoleBinding\nmetadata: {name: a}":                                                                               "no Role or ClusterRole of rbac.authorization.k8s.io/v1",
		"kind: ClusterRole\nmetadata: {name: a}\naggregationRule: {clusterRoleSelectors: [{matchLabels: {a: \"not valid\"}}]}": "ClusterRole a: ",
	} {
		file := filepath.Join(t.TempDir(), "role.yaml")
		if err := os.WriteFile(file, []byte("apiVersion: rbac.authorization.k8s.io/v1\n"+manifest+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := rbac.Read(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q for\n%s", err, want, manifest)
		}
	}
	if _, err := rbac.New(&corev1.Pod{}); err == nil {
		t.Error("a Pod is a role")
	}
}
