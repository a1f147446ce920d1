// Package rbac makes fakeapi refuse the requests that RBAC roles do not allow, and reports roles that differ from what
// tests need. Fakes allow everything, and so does envtest: without this package, no test notices that a role lacks a
// verb, or that no code uses it any more.
//
//	roles, err := rbac.Read("config/rbac/role.yaml")
//	...
//	api := fakeapi.New(fakeapi.WithAPI(fake.API{}), rbac.With(roles, rbac.ServiceAccount("system", "manager")))
//
// Requests of the service account that no rule allows fail with the error 403 of a server. The tests' own requests
// are sent by clients of [fakeapi.API.AdminConfig], which may do everything.
//
// All requests are recorded. [Roles.Report] compares them with the rules, and [Roles.WriteLeastRole] writes the role
// that they need. [Roles.Main] prints the report after all tests of a package:
//
//	func TestMain(m *testing.M) { os.Exit(roles.Main(m)) }
//
// Rules are evaluated by Kubernetes' own code in k8s.io/component-helpers, which requires nothing that client-go does
// not require. It is a package of its own so that users of fakeapi alone do not depend on that module.
package rbac

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/component-helpers/auth/rbac/validation"

	"github.com/kubegen/kubegen/fakeapi"
)

// Roles are roles, their bindings, and a record of the requests of users. Several APIs and goroutines may use them at
// the same time. Changes of roles stored in an API have no effect.
type Roles struct {
	roles    []*role
	bindings []binding
	markers  []marked // see FindMarkers

	mu       sync.Mutex
	users    map[subject]bool // of APIs and requests; the values are true
	requests map[request]bool // the values are true
}

// A role is a Role, or a ClusterRole if it is not namespaced.
type role struct {
	kind, name string
	namespaced bool
	namespace  string
	labels     labels.Set
	aggregates []labels.Selector
	rules      []*rule
}

// A rule is a rule of a role with its position.
type rule struct {
	rbacv1.PolicyRule
	role string // kind and name
	file string // "" for a role that was not in a file
	line int
}

// A binding is a RoleBinding, or a ClusterRoleBinding if it is not namespaced.
type binding struct {
	role       rbacv1.RoleRef
	namespaced bool
	namespace  string
	subjects   []rbacv1.Subject
}

// New returns roles from objects of the types Role, ClusterRole, RoleBinding and ClusterRoleBinding of
// k8s.io/api/rbac/v1. It returns an error for other types, and for rules that a server would refuse.
//
// If there are no bindings, the roles are bound to each user: a Role in its namespace, a ClusterRole in all namespaces
// and for all paths. An aggregated ClusterRole has the rules of the ClusterRoles that it selects.
func New(objects ...runtime.Object) (*Roles, error) {
	r := newRoles()
	for _, object := range objects {
		if err := r.add(object, "", nil); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func newRoles() *Roles { return &Roles{users: map[subject]bool{}, requests: map[request]bool{}} }

// add adds an object. The lines are the positions of rules in the file.
func (r *Roles) add(object runtime.Object, file string, lines []int) error {
	switch object := object.(type) {
	case *rbacv1.Role:
		return r.addRole(&role{kind: "Role", name: object.Name, namespaced: true, namespace: object.Namespace}, object.Rules, file, lines)
	case *rbacv1.ClusterRole:
		added := &role{kind: "ClusterRole", name: object.Name, labels: object.Labels}
		if object.AggregationRule != nil {
			for _, in := range object.AggregationRule.ClusterRoleSelectors {
				selector, err := metav1.LabelSelectorAsSelector(&in)
				if err != nil {
					return fmt.Errorf("ClusterRole %s: %w", object.Name, err)
				}
				added.aggregates = append(added.aggregates, selector)
			}
		}
		return r.addRole(added, object.Rules, file, lines)
	case *rbacv1.RoleBinding:
		r.bindings = append(r.bindings, binding{object.RoleRef, true, object.Namespace, object.Subjects})
	case *rbacv1.ClusterRoleBinding:
		r.bindings = append(r.bindings, binding{object.RoleRef, false, "", object.Subjects})
	default:
		return fmt.Errorf("%T is neither a role nor a binding of %s", object, rbacv1.SchemeGroupVersion)
	}
	return nil
}

func (r *Roles) addRole(added *role, rules []rbacv1.PolicyRule, file string, lines []int) error {
	title := added.kind + " " + added.name
	for i, in := range rules {
		next := &rule{PolicyRule: in, role: title, file: file}
		if i < len(lines) {
			next.line = lines[i]
		}
		if problem := invalid(in, added.namespaced); problem != "" {
			return fmt.Errorf("%s%s: rule %d: %s", next.position(), title, i+1, problem)
		}
		added.rules = append(added.rules, next)
	}
	r.roles = append(r.roles, added)
	return nil
}

// position returns the beginning of a message about the rule.
func (r rule) position() string {
	if r.file == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d: ", r.file, r.line)
}

// invalid returns the reason why a server refuses a rule, or "".
func invalid(r rbacv1.PolicyRule, namespaced bool) string {
	switch resources := len(r.APIGroups) + len(r.Resources) + len(r.ResourceNames); {
	case len(r.Verbs) == 0:
		return "verbs must contain at least one value"
	case len(r.NonResourceURLs) > 0 && namespaced:
		return "namespaced rules cannot apply to non-resource URLs"
	case len(r.NonResourceURLs) > 0 && resources > 0:
		return "rules cannot apply to both regular resources and non-resource URLs"
	case len(r.NonResourceURLs) == 0 && len(r.APIGroups) == 0:
		return "resource rules must supply at least one api group"
	case len(r.NonResourceURLs) == 0 && len(r.Resources) == 0:
		return "resource rules must supply at least one resource"
	}
	return ""
}

// ServiceAccount returns the user of a service account.
func ServiceAccount(namespace, name string) authenticationv1.UserInfo {
	return authenticationv1.UserInfo{
		Username: serviceAccountPrefix + namespace + ":" + name,
		Groups:   []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, authenticated},
	}
}

const (
	serviceAccountPrefix = "system:serviceaccount:"
	authenticated        = "system:authenticated"
)

// With makes an API carry out only requests that roles allow to the user. All clients of the API are the user, except
// for clients of [fakeapi.API.AdminConfig]. As on a server, members of the group system:masters may do everything, and
// members of system:authenticated may use discovery, read versions and health, and review their own permissions. These
// requests are not recorded.
//
// A client with rest.Config.Impersonate sends its requests as another user, if roles allow the user to impersonate it:
// the verb impersonate on users, groups or serviceaccounts, or the verbs that servers know since v1.36.
//
// The namespace of a Role or RoleBinding without one is the namespace of the service account, or "default".
func With(roles *Roles, user authenticationv1.UserInfo) fakeapi.Option {
	roles.mu.Lock()
	defer roles.mu.Unlock()
	roles.users[newSubject(user.Username, user.Groups)] = true
	return fakeapi.WithAuthorizer(user, roles.Authorize)
}

// public are the rules that a server has for the groups system:authenticated and system:unauthenticated, and basic the
// ones that it has for the former alone.
var (
	public = []rbacv1.PolicyRule{{Verbs: []string{"get"}, NonResourceURLs: []string{"/livez", "/readyz", "/healthz", "/version", "/version/"}}}
	basic  = []rbacv1.PolicyRule{
		{Verbs: []string{"get"}, NonResourceURLs: []string{"/openapi", "/openapi/*", "/api", "/api/*", "/apis", "/apis/*"}},
		{
			Verbs: []string{"create"}, APIGroups: []string{"authorization.k8s.io"},
			Resources: []string{"selfsubjectaccessreviews", "selfsubjectrulesreviews"},
		},
		{Verbs: []string{"create"}, APIGroups: []string{"authentication.k8s.io"}, Resources: []string{"selfsubjectreviews"}},
	}
)

// Authorize decides whether the roles allow a request, and records it. It is a [fakeapi.Authorizer].
func (r *Roles) Authorize(spec authorizationv1.SubjectAccessReviewSpec) authorizationv1.SubjectAccessReviewStatus {
	rq := newRequest(spec)
	if slices.Contains(spec.Groups, "system:masters") ||
		slices.Contains(spec.Groups, authenticated) && (rq.allowedBy(public...) || rq.allowedBy(basic...)) ||
		slices.Contains(spec.Groups, "system:unauthenticated") && rq.allowedBy(public...) {
		return authorizationv1.SubjectAccessReviewStatus{Allowed: true}
	}
	// A server tries these verbs before the verb impersonate, so they count only if a rule names them.
	tried := strings.HasPrefix(rq.verb, "impersonate:") || strings.HasPrefix(rq.verb, "impersonate-on:")
	if !tried {
		r.record(rq)
	}
	var problems []error
	for _, g := range r.grants(rq.subject) {
		switch {
		case !g.applies(rq):
		case g.problem != nil:
			problems = append(problems, g.problem)
		case rq.allowedBy(g.PolicyRule):
			if tried && slices.Contains(g.Verbs, rq.verb) {
				r.record(rq)
			}
			return authorizationv1.SubjectAccessReviewStatus{Allowed: true}
		}
	}
	if len(problems) == 0 {
		return authorizationv1.SubjectAccessReviewStatus{}
	}
	return authorizationv1.SubjectAccessReviewStatus{Reason: fmt.Sprintf("RBAC: %v", utilerrors.NewAggregate(problems))}
}

func (r *Roles) record(rq request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.users[rq.subject], r.requests[rq] = true, true
}

// A subject is a user. Its groups are separated by newlines.
type subject struct{ name, groups string }

func newSubject(name string, groups []string) subject {
	return subject{name, strings.Join(groups, "\n")}
}

// is reports whether the user is the subject of a binding in a namespace.
func (s subject) is(bound rbacv1.Subject, namespace string) bool {
	switch bound.Kind {
	case rbacv1.UserKind:
		return bound.Name == s.name
	case rbacv1.GroupKind:
		return s.groups != "" && slices.Contains(strings.Split(s.groups, "\n"), bound.Name)
	case rbacv1.ServiceAccountKind:
		namespace = cmp.Or(bound.Namespace, namespace)
		return namespace != "" && s.name == serviceAccountPrefix+namespace+":"+bound.Name
	}
	return false
}

// home returns the namespace of a role or binding.
func (s subject) home(namespace string) string {
	account, found := strings.CutPrefix(s.name, serviceAccountPrefix)
	account, _, complete := strings.Cut(account, ":")
	if !found || !complete {
		account = ""
	}
	return cmp.Or(namespace, account, metav1.NamespaceDefault)
}

// A request is a request of a user for a resource, or for a path outside of the API. The name of a resource is empty in
// a path like /api/v1/namespaces/east//pods.
type request struct {
	subject
	verb, group, resource string // the resource includes the subresource
	namespace, object     string // the namespace is "" for paths and cluster-wide requests
	path                  string
	outside               bool // the request is for the path
}

func newRequest(spec authorizationv1.SubjectAccessReviewSpec) request {
	rq := request{subject: newSubject(spec.User, spec.Groups)}
	if a := spec.NonResourceAttributes; a != nil {
		rq.verb, rq.path, rq.outside = a.Verb, a.Path, true
		return rq
	}
	a := spec.ResourceAttributes
	rq.verb, rq.group, rq.resource, rq.namespace, rq.object = a.Verb, a.Group, a.Resource, a.Namespace, a.Name
	if a.Subresource != "" {
		rq.resource += "/" + a.Subresource
	}
	return rq
}

// rule returns the rule that allows only the request.
func (rq request) rule() rbacv1.PolicyRule {
	if rq.outside {
		return rbacv1.PolicyRule{Verbs: []string{rq.verb}, NonResourceURLs: []string{rq.path}}
	}
	return rbacv1.PolicyRule{
		Verbs: []string{rq.verb}, APIGroups: []string{rq.group}, Resources: []string{rq.resource}, ResourceNames: []string{rq.object},
	}
}

// allowedBy reports whether one of the rules allows the request.
func (rq request) allowedBy(rules ...rbacv1.PolicyRule) bool {
	allowed, _ := validation.Covers(rules, []rbacv1.PolicyRule{rq.rule()})
	return allowed
}

// A grant is a rule for a user, or an error about a binding to a role that does not exist.
type grant struct {
	*rule
	problem   error
	namespace string // "" for all namespaces, and for everything outside of namespaces
}

// applies reports whether the grant is for the namespace of a request.
func (g grant) applies(rq request) bool { return g.namespace == "" || g.namespace == rq.namespace }

// grants returns the rules for a user, in the order of a server.
func (r *Roles) grants(user subject) (grants []grant) {
	add := func(of *role, namespace string) {
		for _, rule := range r.rulesOf(of, nil) {
			grants = append(grants, grant{rule: rule, namespace: namespace})
		}
	}
	if len(r.bindings) == 0 {
		for _, role := range r.roles {
			if role.namespaced {
				add(role, user.home(role.namespace))
			} else {
				add(role, "")
			}
		}
		return grants
	}
	for _, namespaced := range []bool{false, true} {
		for _, b := range r.bindings {
			namespace := ""
			if namespaced {
				namespace = user.home(b.namespace)
			}
			if b.namespaced != namespaced || !slices.ContainsFunc(b.subjects, func(s rbacv1.Subject) bool { return user.is(s, namespace) }) {
				continue
			}
			i := slices.IndexFunc(r.roles, func(role *role) bool {
				return role.kind == b.role.Kind && role.name == b.role.Name && (!role.namespaced || user.home(role.namespace) == namespace)
			})
			if i < 0 {
				missing := apierrors.NewNotFound(rbacv1.Resource(strings.ToLower(b.role.Kind)), b.role.Name)
				grants = append(grants, grant{problem: missing, namespace: namespace})
				continue
			}
			add(r.roles[i], namespace)
		}
	}
	return grants
}

// rulesOf returns the rules of a role and of the roles that it aggregates, except for roles in above.
func (r *Roles) rulesOf(of *role, above []*role) []*rule {
	rules := slices.Clip(of.rules)
	above = append(slices.Clip(above), of)
	for _, other := range r.roles {
		if !other.namespaced && !slices.Contains(above, other) &&
			slices.ContainsFunc(of.aggregates, func(s labels.Selector) bool { return s.Matches(other.labels) }) {
			rules = append(rules, r.rulesOf(other, above)...)
		}
	}
	return rules
}
