package authorizer

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/endpoints/filters/impersonation"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/kubegen/kubegen/fakeapi"
	"github.com/kubegen/kubegen/fakeapi/rbac"
)

// TestRandomImpersonation sends random requests with headers for impersonation to fakeapi with random roles, and
// compares the answers with the API server's filters: for impersonation, and then for authorization.
func TestRandomImpersonation(t *testing.T) {
	answers := map[string]int{}
	for seed := range *seeds {
		r := &source{rand.New(rand.NewPCG(uint64(seed), 1))}
		objects := append(r.objects(), r.impersonators()...)
		subject := authenticationv1.UserInfo{Username: "jane", Groups: []string{"system:authenticated", "devs"}}
		roles, err := rbac.New(objects...)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		served := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
		server := newAuthorizer(t, objects)
		filtered := impersonation.WithConstrainedImpersonation(filters.WithAuthorization(served, server, scheme.Codecs), server, scheme.Codecs)
		api := fakeapi.New(rbac.With(roles, subject))
		for range requestsPerSeed {
			rq := r.request()
			if rq.Method == http.MethodHead {
				rq.Method = http.MethodGet
			}
			if _, ok := attributesOf(t, rq, subject); !ok {
				continue // see TestRandomRoles
			}
			rq.Header = r.headers()
			recorder := httptest.NewRecorder()
			filtered.ServeHTTP(recorder, withInfo(t, rq.Clone(t.Context()), subject))
			want := answer(t, recorder.Result())
			response, err := api.RESTConfig().Transport.RoundTrip(rq)
			if err != nil {
				t.Fatal(err)
			}
			if got := answer(t, response); got != want && (want == "" || got == "" || !sameProblems(got, want)) {
				t.Fatalf("seed %d: %s %s %v:\ngot  %s\nwant %s\nroles:\n%s", seed, rq.Method, rq.URL, rq.Header, got, want, dump(t, objects))
			}
			kind := "allowed"
			for _, part := range []string{"without impersonating", "cannot impersonate-on:", "cannot impersonate:", "cannot impersonate ", "cannot "} {
				if strings.Contains(want, part) {
					kind = part
					break
				}
			}
			answers[kind]++
		}
	}
	t.Log(answers)
	if len(answers) < 6 {
		t.Error("too few kinds of answers")
	}
}

// answer returns the body of a response if it is about permissions or headers, or "".
func answer(t *testing.T, response *http.Response) string {
	t.Helper()
	defer response.Body.Close()
	if response.StatusCode < http.StatusBadRequest {
		return "" // perhaps a watch
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode == http.StatusForbidden || strings.Contains(string(body), "without impersonating") {
		return strings.TrimSpace(string(body))
	}
	return ""
}

// withInfo returns a request with the information that a server's earlier filters add.
func withInfo(t *testing.T, rq *http.Request, subject authenticationv1.UserInfo) *http.Request {
	t.Helper()
	factory := &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}
	info, err := factory.NewRequestInfo(rq)
	if err != nil {
		t.Fatal(err)
	}
	ctx := request.WithUser(request.WithRequestInfo(t.Context(), info), &user.DefaultInfo{Name: subject.Username, Groups: subject.Groups})
	return rq.WithContext(ctx)
}

// headers returns headers for impersonation.
func (r *source) headers() http.Header {
	header := http.Header{}
	if !r.chance(8) {
		header.Set(authenticationv1.ImpersonateUserHeader, r.one("joe", "joe", "system:serviceaccount:east:controller", "system:serviceaccount:east:a_b",
			"system:node:one", "system:node:a_b", "system:anonymous"))
	}
	if r.chance(3) {
		header[authenticationv1.ImpersonateGroupHeader] = r.some(1, "devs", "ops", "system:masters", "system:authenticated", "system:unauthenticated")
	}
	if r.chance(10) {
		header.Set(authenticationv1.ImpersonateUIDHeader, "1")
	}
	if r.chance(10) {
		header.Set(authenticationv1.ImpersonateUserExtraHeaderPrefix+"scopes.example.com%2fone", "view")
	}
	return header
}

// impersonators returns a role of all users with rules for impersonation, and its binding.
func (r *source) impersonators() []runtime.Object {
	var rules []rbacv1.PolicyRule
	for _, verb := range []string{"impersonate", "impersonate:user-info", "impersonate:serviceaccount", "impersonate:arbitrary-node"} {
		if r.chance(2) {
			rules = append(rules, rbacv1.PolicyRule{
				Verbs: []string{verb}, APIGroups: []string{"", "authentication.k8s.io"},
				Resources: r.some(4, "users", "users", "groups", "serviceaccounts", "nodes", "uids", "userextras/scopes.example.com/one", "*"),
			})
		}
		if _, mode, found := strings.Cut(verb, ":"); found && r.chance(2) {
			var on []string
			if r.chance(4) {
				on = []string{"*"}
			}
			for _, verb := range r.some(4, verbs...) {
				on = append(on, fmt.Sprintf("impersonate-on:%s:%s", mode, verb))
			}
			rules = append(rules, rbacv1.PolicyRule{Verbs: on, APIGroups: []string{"*"}, Resources: []string{"*"}})
		}
	}
	if r.chance(4) {
		rules = append(rules, rbacv1.PolicyRule{Verbs: []string{"impersonate-on:user-info:get"}, NonResourceURLs: []string{"*"}})
	}
	return []runtime.Object{
		&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "impersonator"}, Rules: rules},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "impersonator"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "impersonator"},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: "jane"}},
		},
	}
}
