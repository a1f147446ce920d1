package rbac

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/auth/rbac/validation"
	"sigs.k8s.io/yaml"
)

// A Report compares the rules of roles with recorded requests.
type Report struct {
	// Unused has the parts of rules that no request used. Only rules that are bound to a user given to [With] count.
	Unused []Finding `json:"unused,omitempty"`
	// Wildcards has the requests that only "*" in a rule allowed, at the first such rule.
	Wildcards []Finding `json:"wildcards,omitempty"`
	// Forbidden has the requests that no rule allowed.
	Forbidden []Finding `json:"forbidden,omitempty"`
}

// A Finding is a part of a rule, or requests in the form of a rule. Requests have no names of objects, except for
// forbidden ones that a rule allows for other objects.
type Finding struct {
	File    string            `json:"file,omitempty"`    // "" for forbidden requests, and for roles that were not in a file
	Line    int               `json:"line,omitempty"`    // first line of the rule in the file, from 1
	Markers []string          `json:"markers,omitempty"` // files and lines of the markers behind the rule, with [Roles.FindMarkers]
	Role    string            `json:"role,omitempty"`    // kind and name, such as "ClusterRole manager-role"; "" for forbidden requests
	User    string            `json:"user,omitempty"`    // sender of forbidden requests
	Rule    rbacv1.PolicyRule `json:"rule"`
}

// Report compares the rules with all requests up to now, and with requests that client-go sends instead on other
// servers.
func (r *Roles) Report() *Report {
	users, sent, related := r.recorded()
	report := &Report{}
	used := map[*rule][]request{}
	wildcards := map[*rule][]rbacv1.PolicyRule{}
	for _, user := range users {
		grants := r.grants(user)
		var forbidden []rbacv1.PolicyRule
		for _, g := range grants {
			if g.rule != nil && used[g.rule] == nil {
				used[g.rule] = []request{}
			}
		}
		for i, rq := range slices.Concat(sent, related) {
			allowing := rq.allowing(grants)
			if rq.subject != user || i >= len(sent) && len(allowing) == 0 {
				continue
			}
			for _, g := range allowing {
				used[g.rule] = append(used[g.rule], rq)
			}
			switch {
			case len(allowing) == 0:
				forbidden = append(forbidden, rq.missing(grants))
			case !slices.ContainsFunc(allowing, func(g grant) bool { return rq.allowedBy(withoutWildcards(g.PolicyRule)) }):
				wildcards[allowing[0].rule] = append(wildcards[allowing[0].rule], unnamed(rq.rule()))
			}
		}
		for _, in := range normalized(forbidden) {
			report.Forbidden = append(report.Forbidden, Finding{User: user.name, Rule: in})
		}
	}
	for _, role := range r.roles {
		for _, rule := range role.rules {
			if requests, bound := used[rule]; bound {
				report.Unused = append(report.Unused, r.findings(rule, rule.unused(requests))...)
				report.Wildcards = append(report.Wildcards, r.findings(rule, wildcards[rule])...)
			}
		}
	}
	return report
}

// recorded returns the users, their requests, and the requests related to these that they did not send, sorted.
func (r *Roles) recorded() (users []subject, sent, related []request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	order := func(x, y any) int { return cmp.Compare(fmt.Sprintf("%q", x), fmt.Sprintf("%q", y)) }
	users = slices.SortedFunc(maps.Keys(r.users), func(x, y subject) int { return order(x, y) })
	sent = slices.SortedFunc(maps.Keys(r.requests), func(x, y request) int { return order(x, y) })
	for _, rq := range sent {
		if other, ok := rq.related(); ok && !r.requests[other] {
			related = append(related, other)
		}
	}
	return users, sent, related
}

// related returns a request that client-go may send with the same code on another server, or at another time. Informers
// list the objects first where a server cannot begin a watch with them, and recorders patch an event that repeats.
func (rq request) related() (other request, ok bool) {
	other = rq
	switch {
	case rq.outside:
	case rq.verb == "watch":
		other.verb = "list"
		return other, true
	case rq.verb == "create" && rq.resource == "events" && (rq.group == "" || rq.group == eventsv1.GroupName):
		other.verb = "patch"
		return other, true
	}
	return other, false
}

// allowing returns the grants that allow a request.
func (rq request) allowing(grants []grant) (allowing []grant) {
	for _, g := range grants {
		if g.rule != nil && g.applies(rq) && rq.allowedBy(g.PolicyRule) {
			allowing = append(allowing, g)
		}
	}
	return allowing
}

// missing returns the rule that would allow a forbidden request. It names the object if one of the grants is for other
// objects.
func (rq request) missing(grants []grant) rbacv1.PolicyRule {
	if rq.object != "" && slices.ContainsFunc(grants, func(g grant) bool {
		return g.rule != nil && g.applies(rq) && rq.allowedBy(unnamed(g.PolicyRule))
	}) {
		return rq.rule()
	}
	return unnamed(rq.rule())
}

// unused returns the parts of the rule that none of the requests used.
func (r *rule) unused(requests []request) (parts []rbacv1.PolicyRule) {
	for _, part := range validation.BreakdownRule(r.PolicyRule) {
		if !slices.ContainsFunc(requests, func(rq request) bool { return rq.allowedBy(part) }) {
			parts = append(parts, part)
		}
	}
	return parts
}

// findings returns findings about parts of a rule.
func (r *Roles) findings(of *rule, parts []rbacv1.PolicyRule) (findings []Finding) {
	for _, part := range normalized(parts) {
		findings = append(findings, Finding{File: of.file, Line: of.line, Markers: r.granting(of, part), Role: of.role, Rule: part})
	}
	return findings
}

func unnamed(r rbacv1.PolicyRule) rbacv1.PolicyRule {
	r.ResourceNames = nil
	return r
}

// withoutWildcards returns the part of a rule that names everything that it allows.
func withoutWildcards(r rbacv1.PolicyRule) rbacv1.PolicyRule {
	for _, list := range lists(&r) {
		*list = slices.DeleteFunc(slices.Clone(*list), func(s string) bool { return strings.Contains(s, "*") })
	}
	return r
}

// String returns the report as text: a line for each finding, with the rule in the form of a marker, or "" if there is
// none.
func (r *Report) String() string {
	text := &strings.Builder{}
	for _, part := range []struct {
		what     string
		findings []Finding
	}{{"no request used", r.Unused}, {"only a wildcard allowed", r.Wildcards}, {"no rule allowed", r.Forbidden}} {
		for _, f := range part.findings {
			if f.File != "" {
				fmt.Fprintf(text, "%s:%d: ", f.File, f.Line)
			}
			fmt.Fprintf(text, "%s: %s %s", cmp.Or(f.Role, f.User), part.what, marker(f.Rule))
			if len(f.Markers) > 0 {
				fmt.Fprintf(text, " (see %s)", strings.Join(f.Markers, ", "))
			}
			fmt.Fprintln(text)
		}
	}
	return text.String()
}

// marker returns a rule in the form of a marker +kubebuilder:rbac.
func marker(r rbacv1.PolicyRule) string {
	var fields []string
	for i, name := range []string{"groups", "resources", "resourceNames", "urls", "verbs"} {
		switch values := strings.Join(*lists(&r)[i], ";"); {
		case values != "":
			fields = append(fields, name+"="+values)
		case len(*lists(&r)[i]) > 0: // the core group
			fields = append(fields, name+`=""`)
		}
	}
	return strings.Join(fields, ",")
}

// Main runs the tests of a package and returns the exit code. If all tests pass, but the report has findings, it prints
// them to standard error and returns 1. With the flags -run, -skip and -short, and if a test fails, not all requests
// are sent, so it omits unused rules.
//
//	func TestMain(m *testing.M) { os.Exit(roles.Main(m)) }
func (r *Roles) Main(m interface{ Run() int }) int {
	code := m.Run()
	report := r.Report()
	if code != 0 || selective() {
		report.Unused = nil
	}
	text := report.String()
	if text == "" {
		return code
	}
	fmt.Fprint(os.Stderr, text)
	return max(code, 1)
}

// selective reports whether flags omit tests.
func selective() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.short"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != f.DefValue {
			return true
		}
	}
	return false
}

// WriteLeastRole writes the manifest of a ClusterRole with the name that allows all recorded requests, those that
// client-go sends instead on other servers, and nothing else, except that it names objects only where all rules for a
// request did. Requests allowed by a RoleBinding are in a Role
// with the name in the same namespace. The manifest is in the form and order of controller-gen. If there were no
// requests, it is empty.
func (r *Roles) WriteLeastRole(w io.Writer, name string) error {
	_, sent, related := r.recorded()
	needed := map[string][]rbacv1.PolicyRule{} // by namespace
	for _, rq := range slices.Concat(sent, related) {
		in, namespace := unnamed(rq.rule()), ""
		if allowing := rq.allowing(r.grants(rq.subject)); len(allowing) > 0 {
			namespace = slices.MaxFunc(allowing, func(x, y grant) int { return cmp.Compare(x.namespace, y.namespace) }).namespace
			if !slices.ContainsFunc(allowing, func(g grant) bool { return len(g.ResourceNames) == 0 }) {
				in = rq.rule()
			}
		}
		needed[namespace] = append(needed[namespace], in)
	}
	for _, namespace := range slices.Sorted(maps.Keys(needed)) {
		kind := "ClusterRole"
		if namespace != "" {
			kind = "Role"
		}
		text, err := yaml.Marshal(rbacv1.Role{
			TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: kind},
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
			Rules:      normalized(needed[namespace]),
		})
		if err == nil {
			_, err = fmt.Fprintf(w, "---\n%s", text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lists returns the lists of a rule: groups, resources, names, URLs and verbs.
func lists(r *rbacv1.PolicyRule) []*[]string {
	return []*[]string{&r.APIGroups, &r.Resources, &r.ResourceNames, &r.NonResourceURLs, &r.Verbs}
}

// normalized merges and sorts rules like controller-gen: it merges rules that differ only in verbs, then only in
// resources, groups and URLs.
func normalized(rules []rbacv1.PolicyRule) []rbacv1.PolicyRule {
	for _, field := range []int{4, 1, 0, 3} {
		merged := map[string]rbacv1.PolicyRule{}
		for _, in := range rules {
			others := in
			*lists(&others)[field] = nil
			at := fmt.Sprintf("%q", others)
			out, ok := merged[at]
			if !ok {
				out = in
			}
			list := lists(&out)[field]
			*list = slices.Compact(slices.Sorted(slices.Values(slices.Concat(*list, *lists(&in)[field]))))
			merged[at] = out
		}
		rules = slices.Collect(maps.Values(merged))
	}
	key := func(r rbacv1.PolicyRule) string {
		var fields []string
		for _, list := range lists(&r)[:4] {
			fields = append(fields, strings.Join(*list, "&"))
		}
		return strings.Join(fields, " + ")
	}
	slices.SortFunc(rules, func(x, y rbacv1.PolicyRule) int { return cmp.Compare(key(x), key(y)) })
	return rules
}
