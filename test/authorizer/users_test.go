package authorizer

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/component-helpers/auth/rbac/validation"
	"k8s.io/kubernetes/pkg/controller/clusterroleaggregation"
	kubernetes "k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy"
	"sigs.k8s.io/yaml"
)

// served are the verbs that API servers have for custom resources and their subresources.
var served = map[string][]string{
	"":        {"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"},
	"/status": {"get", "update", "patch"},
	"/scale":  {"get", "update", "patch"},
}

// TestUserRoles makes Kubernetes' controller aggregate the generated roles of the CronTab example into Kubernetes' own
// roles, and asks its authorizer. One of the roles is excluded by its label. TestUserRoles of test/fakeapi/rbac has the
// same answers for CronTabs.
func TestUserRoles(t *testing.T) {
	const group, view, edit = "stable.example.com", "get list watch get/status get/scale",
		"get list watch create update patch delete get/status get/scale update/scale patch/scale"
	generated, objects := generatedRoles(t), []runtime.Object(nil)
	for _, role := range bootstrappolicy.ClusterRoles() {
		objects = append(objects, &role)
	}
	generated["cronrun-editor-role"].Labels["rbac.authorization.k8s.io/aggregate-to-edit"] = "false"
	for _, role := range generated {
		objects = append(objects, role)
	}
	for _, name := range []string{"admin", "edit", "view"} {
		objects = append(objects, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: name},
			Subjects:   []rbacv1.Subject{{Kind: "User", APIGroup: rbacv1.GroupName, Name: name}},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		})
	}
	client := fake.NewClientset(objects...)
	factory := informers.NewSharedInformerFactory(client, 0)
	shared := factory.Rbac().V1()
	controller := clusterroleaggregation.NewClusterRoleAggregation(shared.ClusterRoles(), client.RbacV1())
	server := kubernetes.New(
		&kubernetes.RoleGetter{Lister: shared.Roles().Lister()}, &kubernetes.RoleBindingLister{Lister: shared.RoleBindings().Lister()},
		&kubernetes.ClusterRoleGetter{Lister: shared.ClusterRoles().Lister()}, &kubernetes.ClusterRoleBindingLister{Lister: shared.ClusterRoleBindings().Lister()},
	)
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(t.Context().Done())
	go controller.Run(t.Context(), 1)

	// allows returns what a user may do with a resource.
	allows := func(name, namespace, resource string) string {
		var all []string
		for _, subresource := range []string{"", "/status", "/scale"} {
			for _, verb := range served[""] { // also those that only objects have
				decision, _, err := server.Authorize(t.Context(), authorizer.AttributesRecord{
					User: &user.DefaultInfo{Name: name}, Verb: verb, Namespace: namespace, APIGroup: group, APIVersion: "v1",
					Resource: resource, Subresource: strings.TrimPrefix(subresource, "/"), ResourceRequest: true,
				})
				if err != nil {
					t.Fatal(err)
				}
				if decision == authorizer.DecisionAllow {
					all = append(all, verb+subresource)
				}
			}
		}
		return strings.Join(all, " ")
	}
	for _, want := range []struct{ user, resource, allows string }{
		{"view", "crontabs", view}, {"edit", "crontabs", edit},
		{"admin", "crontabs", strings.Replace(edit, "delete", "delete deletecollection", 1)},
		{"edit", "cronruns", "get list watch get/status"}, // by view alone
		{"view", "jobs", ""},
	} {
		var got string
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) { // until it has aggregated
			if got = allows(want.user, "east", want.resource); got == want.allows {
				break
			}
		}
		if got != want.allows {
			t.Errorf("%s allows %q for %s, want %q", want.user, got, want.resource, want.allows)
		}
		if got := allows(want.user, "west", want.resource); got != "" {
			t.Errorf("%s allows %q for %s in another namespace", want.user, got, want.resource)
		}
	}
	for name, role := range generated {
		for _, rule := range role.Rules {
			resource, subresource, _ := strings.Cut(rule.Resources[0], "/")
			if subresource != "" {
				subresource = "/" + subresource
			}
			for _, verb := range rule.Verbs {
				if !slices.Contains(served[subresource], verb) {
					t.Errorf("%s: no server has the verb %s for %s", name, verb, rule.Resources[0])
				}
			}
			// Kubernetes' own role grants as much for Deployments.
			like := rule.DeepCopy()
			like.APIGroups, like.Resources = []string{"apps"}, []string{"deployments" + subresource}
			level := map[string]string{"admin": "admin", "editor": "edit", "viewer": "view"}[strings.Split(name, "-")[1]]
			if ok, more := validation.Covers(own(level), []rbacv1.PolicyRule{*like}); !ok {
				t.Errorf("%s grants more for %s than %s for Deployments: %v", name, resource, level, more)
			}
		}
	}
}

// own returns what one of Kubernetes' own roles grants without the roles of others.
func own(level string) (all []rbacv1.PolicyRule) {
	levels := []string{"view", "edit", "admin"} // each includes the one before
	for _, role := range bootstrappolicy.ClusterRoles() {
		for _, included := range levels[:slices.Index(levels, level)+1] {
			if role.Name == "system:aggregate-to-"+included {
				all = append(all, role.Rules...)
			}
		}
	}
	return all
}

// generatedRoles returns the generated roles of the CronTab example by name.
func generatedRoles(t *testing.T) map[string]*rbacv1.ClusterRole {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(in string, args ...string) {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = in
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	kubegen := filepath.Join(dir, "kubegen")
	run(root, "go", "build", "-o", kubegen, "./cmd/kubegen")
	run(filepath.Join(root, "examples/crontab-types"), kubegen, "--only", "userroles", "--with-user-roles="+dir, "./apis/...")
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal("no roles", err)
	}
	roles := map[string]*rbacv1.ClusterRole{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		role := &rbacv1.ClusterRole{}
		if err := yaml.UnmarshalStrict(text, role); err != nil {
			t.Fatal(err)
		}
		roles[role.Name] = role
	}
	return roles
}
