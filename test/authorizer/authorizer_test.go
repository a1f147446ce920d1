// Package authorizer compares the package rbac of fakeapi with the authorizer of Kubernetes' API server. It is a module
// of its own because it requires k8s.io/kubernetes.
package authorizer

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	"k8s.io/apiserver/pkg/endpoints/request"
	rbaclisters "k8s.io/client-go/listers/rbac/v1"
	"k8s.io/client-go/tools/cache"
	kubernetes "k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy"

	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/kubegen/kubegen/fakeapi"
	"github.com/kubegen/kubegen/fakeapi/rbac"
)

var seeds = flag.Int("seeds", 2000, "number of random sets of roles")

// requestsPerSeed is the number of requests sent for each set of roles.
const requestsPerSeed = 10

// TestRandomRoles sends random requests to fakeapi with random roles, and compares the answers with the API server's
// decisions: its parser of requests, its RBAC authorizer with its default roles, and its error for forbidden requests.
// The least role that fakeapi writes for the requests must allow all of them and have no unused rules.
func TestRandomRoles(t *testing.T) {
	allowed, forbidden := 0, 0
	for seed := range *seeds {
		r := &source{rand.New(rand.NewPCG(uint64(seed), 0))}
		objects := r.objects()
		subject := authenticationv1.UserInfo{Username: "jane", Groups: r.some(1, "system:authenticated", "devs", "ops")}
		if r.chance(2) {
			subject = rbac.ServiceAccount("east", r.one("controller", "other"))
		}
		roles, err := rbac.New(objects...)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		server := newAuthorizer(t, objects)
		api := fakeapi.New(rbac.With(roles, subject))
		var sent []*http.Request
		for range requestsPerSeed {
			rq := r.request()
			attributes, ok := attributesOf(t, rq, subject)
			if !ok {
				if got := send(t, api, rq); got != "" {
					t.Fatalf("seed %d: %s %s: got %s, which a server does not authorize", seed, rq.Method, rq.URL, got)
				}
				continue
			}
			want := ""
			decision, reason, err := server.Authorize(t.Context(), attributes)
			if err != nil {
				t.Fatal(err)
			}
			allow := decision == authorizer.DecisionAllow
			if !allow {
				status := responsewriters.ForbiddenStatusError(attributes, reason).Status()
				status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
				text, err := json.Marshal(status)
				if err != nil {
					t.Fatal(err)
				}
				if want = string(text); rq.Method == http.MethodHead {
					want = withoutBody
				}
			}
			got := send(t, api, rq)
			if got != want && (want == "" || got == "" || !sameProblems(got, want)) {
				t.Fatalf("seed %d: %s %s of %v:\ngot  %s\nwant %s\nroles:\n%s", seed, rq.Method, rq.URL, subject, got, want, dump(t, objects))
			}
			if allow {
				allowed++
			} else {
				forbidden++
			}
			sent = append(sent, rq)
		}
		checkLeast(t, seed, roles, subject, sent)
	}
	t.Logf("%d requests allowed, %d forbidden", allowed, forbidden)
	if min(allowed, forbidden) < *seeds {
		t.Error("too few of either kind")
	}
}

// sameProblems reports whether two errors differ only in the order of several missing roles, which is random on a
// server.
func sameProblems(got, want string) bool {
	sorted := func(s string) string {
		letters := []byte(s)
		slices.Sort(letters)
		return string(letters)
	}
	return strings.Contains(want, "RBAC: [") && sorted(got) == sorted(want)
}

// checkLeast checks the least role for requests.
func checkLeast(t *testing.T, seed int, roles *rbac.Roles, subject authenticationv1.UserInfo, sent []*http.Request) {
	t.Helper()
	manifest := &bytes.Buffer{}
	if err := roles.WriteLeastRole(manifest, "least"); err != nil {
		t.Fatal(err)
	}
	if manifest.Len() == 0 {
		return
	}
	file := filepath.Join(t.TempDir(), "role.yaml")
	if err := os.WriteFile(file, manifest.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	least, err := rbac.Read(file)
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, manifest)
	}
	api := fakeapi.New(rbac.With(least, subject))
	for _, rq := range sent {
		if got := send(t, api, rq); got != "" {
			t.Errorf("seed %d: the least role forbids %s %s: %s\n%s", seed, rq.Method, rq.URL, got, manifest)
		}
	}
	if report := least.Report().String(); report != "" {
		t.Errorf("seed %d: report of the least role:\n%s\n%s", seed, report, manifest)
	}
}

// attributesOf returns the attributes that a server finds in a request. ok is false if the server rejects the request
// before it looks at the user.
func attributesOf(t *testing.T, rq *http.Request, subject authenticationv1.UserInfo) (_ authorizer.Attributes, ok bool) {
	t.Helper()
	factory := &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}
	info, err := factory.NewRequestInfo(rq)
	if err != nil {
		return nil, false
	}
	ctx := request.WithUser(request.WithRequestInfo(t.Context(), info), &user.DefaultInfo{Name: subject.Username, Groups: subject.Groups})
	attributes, err := filters.GetAuthorizerAttributes(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return attributes, true
}

// withoutBody stands for the response to a HEAD request.
const withoutBody = "forbidden"

// send returns the body of the response if it is Forbidden, or "".
func send(t *testing.T, api *fakeapi.API, rq *http.Request) string {
	t.Helper()
	response, err := api.RESTConfig().Transport.RoundTrip(rq)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode != http.StatusForbidden:
		return ""
	case rq.Method == http.MethodHead:
		return withoutBody
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(body))
}

// newAuthorizer returns the authorizer of a server that stores the objects and the server's default roles.
func newAuthorizer(t *testing.T, objects []runtime.Object) *kubernetes.RBACAuthorizer {
	t.Helper()
	stores := [4]cache.Indexer{}
	for i := range stores {
		stores[i] = cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	}
	add := func(object runtime.Object) {
		store := map[string]int{"*v1.Role": 0, "*v1.RoleBinding": 1, "*v1.ClusterRole": 2, "*v1.ClusterRoleBinding": 3}[fmt.Sprintf("%T", object)]
		if err := stores[store].Add(object); err != nil {
			t.Fatal(err)
		}
	}
	for _, object := range objects {
		add(aggregated(t, object, objects))
	}
	for _, role := range bootstrappolicy.ClusterRoles() {
		add(&role)
	}
	for _, binding := range bootstrappolicy.ClusterRoleBindings() {
		if !strings.HasPrefix(binding.Name, "system:node") {
			add(&binding)
		}
	}
	return kubernetes.New(
		&kubernetes.RoleGetter{Lister: rbaclisters.NewRoleLister(stores[0])},
		&kubernetes.RoleBindingLister{Lister: rbaclisters.NewRoleBindingLister(stores[1])},
		&kubernetes.ClusterRoleGetter{Lister: rbaclisters.NewClusterRoleLister(stores[2])},
		&kubernetes.ClusterRoleBindingLister{Lister: rbaclisters.NewClusterRoleBindingLister(stores[3])},
	)
}

// aggregated returns a ClusterRole with the rules that the controller for aggregation would add, or the same object.
func aggregated(t *testing.T, object runtime.Object, all []runtime.Object) runtime.Object {
	t.Helper()
	role, ok := object.(*rbacv1.ClusterRole)
	if !ok || role.AggregationRule == nil {
		return object
	}
	role = role.DeepCopy()
	for _, in := range role.AggregationRule.ClusterRoleSelectors {
		for _, other := range all {
			if other, ok := other.(*rbacv1.ClusterRole); ok && other.Labels["part"] != "" && other.Labels["part"] == in.MatchLabels["part"] {
				role.Rules = append(role.Rules, other.Rules...)
			}
		}
	}
	return role
}

func dump(t *testing.T, objects []runtime.Object) string {
	t.Helper()
	text, err := json.MarshalIndent(objects, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A source chooses at random.
type source struct{ *rand.Rand }

// chance is true once in n times.
func (r *source) chance(n int) bool { return r.IntN(n) == 0 }

func (r *source) one(from ...string) string { return from[r.IntN(len(from))] }

// some returns at least n of the values.
func (r *source) some(n int, from ...string) []string {
	from = slices.Clone(from)
	r.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	return from[:min(len(from), n+r.IntN(3))]
}

// objects returns roles and bindings that a server accepts.
func (r *source) objects() (objects []runtime.Object) {
	for _, name := range []string{"a", "b", "c"} {
		clusterRole := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: r.rules(false)}
		switch r.IntN(4) {
		case 0:
			clusterRole.Labels = map[string]string{"part": r.one("x", "y")}
		case 1:
			clusterRole.Rules = nil
			clusterRole.AggregationRule = &rbacv1.AggregationRule{ClusterRoleSelectors: []metav1.LabelSelector{{MatchLabels: map[string]string{"part": r.one("x", "y")}}}}
		}
		objects = append(objects, clusterRole, &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: r.one("east", "west"), Name: name}, Rules: r.rules(true)})
	}
	for i := range 3 + r.IntN(4) {
		meta := metav1.ObjectMeta{Name: fmt.Sprint("binding-", i)}
		if r.chance(2) {
			ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: r.one("a", "b", "c", "c", "missing")}
			objects = append(objects, &rbacv1.ClusterRoleBinding{ObjectMeta: meta, RoleRef: ref, Subjects: r.subjects(false)})
			continue
		}
		meta.Namespace = r.one("east", "west")
		ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: r.one("ClusterRole", "Role"), Name: r.one("a", "b", "c", "c", "missing")}
		objects = append(objects, &rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: ref, Subjects: r.subjects(true)})
	}
	return objects
}

func (r *source) subjects(namespaced bool) (subjects []rbacv1.Subject) {
	for range 1 + r.IntN(3) {
		switch r.IntN(4) {
		case 0:
			subjects = append(subjects, rbacv1.Subject{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: r.one("jane", "joe", "system:serviceaccount:east:controller")})
		case 1:
			subjects = append(subjects, rbacv1.Subject{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName, Name: r.one("devs", "ops", "system:serviceaccounts:east", "system:authenticated")})
		default:
			account := rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Name: r.one("controller", "controller", "other"), Namespace: r.one("east", "west")}
			if namespaced && r.chance(3) {
				account.Namespace = ""
			}
			subjects = append(subjects, account)
		}
	}
	return subjects
}

var (
	groups    = []string{"", "apps", "stable.example.com"}
	resources = []string{"pods", "deployments", "crontabs", "namespaces"}
	names     = []string{"one", "two"}
	verbs     = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}
)

func (r *source) rules(namespaced bool) (rules []rbacv1.PolicyRule) {
	for range 1 + r.IntN(3) {
		verbs := r.some(4, append(slices.Clone(verbs), "*", "*")...)
		if !namespaced && r.chance(4) {
			rules = append(rules, rbacv1.PolicyRule{Verbs: verbs, NonResourceURLs: r.some(1, "*", "/metrics", "/metrics/*", "/logs", "/logs*", "/healthz/*", "/apis/**")})
			continue
		}
		rule := rbacv1.PolicyRule{
			Verbs: verbs, APIGroups: r.some(2, append(slices.Clone(groups), "*")...),
			Resources: r.some(3, append(slices.Clone(resources), "*", "*/status", "*/*", "pods/log", "crontabs/status", "deployments/scale", "pods/*")...),
		}
		if r.chance(4) {
			rule.ResourceNames = r.some(1, append(slices.Clone(names), "", "*")...)
		}
		rules = append(rules, rule)
	}
	return rules
}

// request returns an HTTP request without a body.
func (r *source) request() *http.Request {
	method := r.one(http.MethodGet, http.MethodGet, http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodHead, http.MethodOptions, http.MethodTrace, "PROPFIND", "get")
	path := r.one("/metrics", "/metrics/", "/metrics/one", "/logs", "/logs/one", "/healthz", "/healthz/ping", "/version", "/version/", "/api", "/apis", "/api/v1",
		"/apis/apps", "/apis/apps/v1/", "/openapi/v3", "/", "/readyz/", "/a<b>&")
	if !r.chance(5) {
		path = "/apis/" + r.one(groups[1:]...) + "/v1"
		if r.chance(3) {
			path = "/api/v1"
		}
		if r.chance(8) {
			path += r.one("/watch", "/watch", "/proxy", "/watch/watch")
		}
		resource := r.one(resources...)
		if resource != "namespaces" && !r.chance(4) {
			path += "/namespaces/" + r.one("east", "west")
		}
		path += "/" + resource
		if r.chance(2) {
			path += "/" + r.one("one", "two", "three", "a<b>&")
			if r.chance(2) {
				path += "/" + r.one("status", "scale", "log", "finalize", "log/more", "proxy/metrics")
			}
		}
	}
	if r.chance(6) {
		path = r.malformed(path)
	}
	rq, err := http.NewRequest(method, "http://fakeapi"+path, nil)
	if err != nil {
		panic(err) // The paths above are valid.
	}
	query := rq.URL.Query()
	if r.chance(3) {
		query.Set("watch", r.one("true", "1", "false", "0", "", "maybe"))
	}
	if r.chance(3) {
		query.Set("fieldSelector", r.one("metadata.name=one", "metadata.name=two,metadata.namespace=east", "metadata.name!=one", "metadata.name=a/b", "metadata.name", "spec.image=x"))
	}
	if r.chance(10) {
		query.Set("limit", r.one("1", "many"))
	}
	if r.chance(10) {
		query.Set("labelSelector", r.one("a=b", "a b", ","))
	}
	rq.URL.RawQuery = query.Encode()
	return rq
}

// malformed returns a path with slashes at unusual places, or the beginning of the path.
func (r *source) malformed(path string) string {
	steps := strings.Split(path, "/")
	at := 1 + r.IntN(len(steps)-1)
	switch r.IntN(4) {
	case 0:
		return path + "/"
	case 1:
		return strings.Join(slices.Insert(steps, at, ""), "/")
	case 2:
		return "/" + strings.TrimPrefix(strings.Join(steps[:at], "/")+"%2F"+strings.Join(steps[at:], "/"), "/")
	}
	return "/" + strings.TrimPrefix(strings.Join(steps[:at], "/"), "/")
}
