package rbac

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	"github.com/kubegen/kubegen/fakeapi"
	"github.com/kubegen/kubegen/fakeapi/rbac"
	"github.com/kubegen/kubegen/internal/moduletest"
)

// TestUserRoles binds users to the generated roles of the CronTab example, and to Kubernetes' own roles, which include
// them by their labels, and sends each kind of request.
func TestUserRoles(t *testing.T) {
	dir := generatedRoles(t)
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal("no roles", err)
	}
	var roles []runtime.Object
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		role := &rbacv1.ClusterRole{}
		if err := yaml.UnmarshalStrict(text, role); err != nil {
			t.Fatal(err)
		}
		roles = append(roles, role)
	}
	// As a server has them. Each of them also includes the roles of the ones after it.
	for name, selected := range map[string][]string{"admin": {"admin", "edit", "view"}, "edit": {"edit", "view"}, "view": {"view"}} {
		role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, AggregationRule: &rbacv1.AggregationRule{}}
		for _, label := range selected {
			role.AggregationRule.ClusterRoleSelectors = append(role.AggregationRule.ClusterRoleSelectors,
				metav1.LabelSelector{MatchLabels: map[string]string{"rbac.authorization.k8s.io/aggregate-to-" + label: "true"}})
		}
		roles = append(roles, role)
	}
	for role, want := range map[string]string{
		"crontab-admin-role":  "get list watch get/status get/scale update/scale create update patch delete deletecollection",
		"crontab-editor-role": "get list watch get/status get/scale update/scale create update patch delete",
		"crontab-viewer-role": "get list watch get/status get/scale",
		"admin":               "get list watch get/status get/scale update/scale create update patch delete deletecollection",
		"edit":                "get list watch get/status get/scale update/scale create update patch delete",
		"view":                "get list watch get/status get/scale",
	} {
		if got := allowed(t, role, roles); got != want {
			t.Errorf("%s allows %s, want %s", role, got, want)
		}
	}
}

// generatedRoles returns a directory with the generated roles of the CronTab example.
func generatedRoles(t *testing.T) string {
	t.Helper()
	example, err := filepath.Abs("../../../examples/crontab-types")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	generate := exec.Command(filepath.Join(moduletest.Build(t, "kubegen"), "kubegen"), "--only", "userroles", "--with-user-roles="+dir, "./apis/...")
	generate.Dir = example
	if out, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// TestReportOfUserRoles compares the generated roles with the requests of a user who has them by Kubernetes' own role.
func TestReportOfUserRoles(t *testing.T) {
	dir := generatedRoles(t)
	const bound = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: view}
aggregationRule:
  clusterRoleSelectors:
  - matchLabels: {rbac.authorization.k8s.io/aggregate-to-view: "true"}
rules: []
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {namespace: east, name: jane}
subjects:
- {kind: User, apiGroup: rbac.authorization.k8s.io, name: jane}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
`
	if err := os.WriteFile(filepath.Join(dir, "view.yaml"), []byte(bound), 0o644); err != nil {
		t.Fatal(err)
	}
	roles, err := rbac.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	api := fakeapi.New(fakeapi.WithAPI(fake.API{}), rbac.With(roles, authenticationv1.UserInfo{Username: "jane"}))
	crontabs := versioned.NewForConfigOrDie(api.RESTConfig()).StableV1().CronTabs("east")
	if _, err := crontabs.Get(t.Context(), "nightly", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Error(err)
	}
	if err := crontabs.Delete(t.Context(), "nightly", metav1.DeleteOptions{}); !apierrors.IsForbidden(err) {
		t.Error(err)
	}
	got := strings.ReplaceAll(filepath.ToSlash(roles.Report().String()), filepath.ToSlash(dir)+"/", "")
	const want = `cronrun_viewer_role.yaml:10: ClusterRole cronrun-viewer-role: no request used groups=stable.example.com,resources=cronruns,verbs=get;list;watch
cronrun_viewer_role.yaml:18: ClusterRole cronrun-viewer-role: no request used groups=stable.example.com,resources=cronruns/status,verbs=get
crontab_viewer_role.yaml:10: ClusterRole crontab-viewer-role: no request used groups=stable.example.com,resources=crontabs,verbs=list;watch
crontab_viewer_role.yaml:18: ClusterRole crontab-viewer-role: no request used groups=stable.example.com,resources=crontabs/status,verbs=get
crontab_viewer_role.yaml:24: ClusterRole crontab-viewer-role: no request used groups=stable.example.com,resources=crontabs/scale,verbs=get
crontabclass_viewer_role.yaml:10: ClusterRole crontabclass-viewer-role: no request used groups=stable.example.com,resources=crontabclasses,verbs=get;list;watch
jane: no rule allowed groups=stable.example.com,resources=crontabs,verbs=delete
`
	if got != want {
		t.Errorf("got the report\n%s\nwant\n%s", got, want)
	}
}

// allowed returns the requests that a role allows in a namespace to which it is bound.
func allowed(t *testing.T, role string, roles []runtime.Object) string {
	t.Helper()
	bound, err := rbac.New(append(roles, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: "jane"},
		Subjects:   []rbacv1.Subject{{Kind: "User", APIGroup: rbacv1.GroupName, Name: "jane"}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
	})...)
	if err != nil {
		t.Fatal(err)
	}
	crontab := &v1.CronTab{ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: "nightly"}, Spec: v1.CronTabSpec{CronSpec: "0 3 * * *", Image: "image:v1"}}
	api := fakeapi.New(fakeapi.WithAPI(fake.API{}), fakeapi.WithObjects(crontab), rbac.With(bound, authenticationv1.UserInfo{Username: "jane"}))
	client := versioned.NewForConfigOrDie(api.RESTConfig()).StableV1()
	if _, err := client.CronTabs("west").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("%s allows to list in another namespace: %v", role, err)
	}
	crontabs := client.CronTabs("east")
	if _, err := crontabs.Patch(t.Context(), "nightly", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{}, "status"); !apierrors.IsForbidden(err) {
		t.Errorf("%s allows to patch the status: %v", role, err)
	}
	send := func(verb, path, body string) error {
		request := client.RESTClient().Verb(verb).AbsPath("/apis/stable.example.com/v1/namespaces/east/crontabs" + path)
		if verb == "PATCH" {
			request.SetHeader("Content-Type", string(types.MergePatchType))
		}
		return request.Body([]byte(body)).Do(t.Context()).Error()
	}
	const object = `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"nightly","namespace":"east"},"spec":{"cronSpec":"0 3 * * *","image":"image:v1"}}`
	const scale = `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"nightly","namespace":"east"},"spec":{"replicas":1}}`
	var found []string
	for _, one := range []struct{ what, verb, path, body string }{
		{"get", "GET", "/nightly", ""}, {"list", "GET", "", ""}, {"get/status", "GET", "/nightly/status", ""},
		{"get/scale", "GET", "/nightly/scale", ""}, {"update/scale", "PUT", "/nightly/scale", scale},
		{"create", "POST", "", strings.ReplaceAll(object, "nightly", "weekly")}, {"update", "PUT", "/nightly", object},
		{"patch", "PATCH", "/nightly", `{}`}, {"delete", "DELETE", "/nightly", ""}, {"deletecollection", "DELETE", "", ""},
	} {
		if one.what == "get/status" {
			watch, err := crontabs.Watch(t.Context(), metav1.ListOptions{})
			if err == nil {
				watch.Stop()
				found = append(found, "watch")
			}
		}
		if err := send(one.verb, one.path, one.body); !apierrors.IsForbidden(err) { // also other errors follow the decision
			found = append(found, one.what)
		}
	}
	return strings.Join(found, " ")
}
