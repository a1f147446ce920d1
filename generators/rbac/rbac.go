// Package rbac generates the roles of controllers from +kubebuilder:rbac markers, with the same result as
// controller-gen v0.23.
package rbac

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/manifest"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
)

// DefaultRole is the usual name of the role in kubebuilder's projects.
const DefaultRole = "manager-role"

// Kinds are the kinds of the generated objects.
var Kinds = []string{"ClusterRole", "Role"}

// Options determine the contents of a file.
type Options struct {
	RoleName string // name of roles whose rules name no other
	Header   string // text above the roles
}

// Rule is a rule of a role. Its lists are sorted and have no repetitions.
type Rule struct {
	Groups, Resources, ResourceNames, URLs, Verbs []string
}

// RoleOf returns the role with the rules of a marker.
func (o Options) RoleOf(m model.Marker) manifest.Object {
	role := manifest.Object{Kind: "ClusterRole", Namespace: m.String("namespace"), Name: cmp.Or(m.String("roleName"), o.RoleName)}
	if role.Namespace != "" {
		role.Kind = "Role"
	}
	return role
}

// Generate returns the file with the roles of markers, or nil if no marker is a rule.
func Generate(found []model.Marker, options Options) []byte {
	rules := map[manifest.Object][]Rule{}
	for _, m := range found {
		if m.Name != markers.RBACMarker {
			continue
		}
		in := options.RoleOf(m)
		rules[in] = append(rules[in], RulesOf(m)...)
	}
	if len(rules) == 0 {
		return nil
	}
	var objects []map[string]any
	for _, r := range slices.SortedFunc(maps.Keys(rules), func(a, b manifest.Object) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	}) {
		metadata := map[string]any{}
		if r.Name != "" {
			metadata["name"] = r.Name
		}
		if r.Namespace != "" {
			metadata["namespace"] = r.Namespace
		}
		var list []any
		for _, rule := range merge(rules[r]) {
			list = append(list, rule.object())
		}
		objects = append(objects, map[string]any{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": r.Kind, "metadata": metadata, "rules": list})
	}
	return manifest.Write(options.Header, objects...)
}

// RulesOf returns the rules of a marker: one for each of its resources, or one without resources.
func RulesOf(m model.Marker) (rules []Rule) {
	whole := Rule{set(markers.Groups(m)), nil, set(m.Strings("resourceNames")), set(m.Strings("urls")), set(m.Strings("verbs"))}
	for _, resource := range m.Strings("resources") {
		one := whole
		one.Resources = []string{resource}
		rules = append(rules, one)
	}
	if len(rules) == 0 {
		rules = []Rule{whole}
	}
	return rules
}

// set sorts a list and removes repetitions.
func set(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }

// The fields of a rule, in the order for comparisons of rules.
var fields = []func(*Rule) *[]string{
	func(r *Rule) *[]string { return &r.Groups }, func(r *Rule) *[]string { return &r.Resources },
	func(r *Rule) *[]string { return &r.ResourceNames }, func(r *Rule) *[]string { return &r.URLs }, func(r *Rule) *[]string { return &r.Verbs },
}

// without returns a text that is equal for rules which agree in all fields but one.
func (r Rule) without(field int) string {
	var parts []string
	for i, of := range fields {
		if i != field {
			parts = append(parts, strings.Join(*of(&r), "&"))
		}
	}
	return strings.Join(parts, " + ")
}

// Fields of rules.
const (
	groups = iota
	resources
	_
	urls
	verbs
)

// merge merges rules that differ in one field, and returns them sorted. Rules that only differ in verbs are merged
// again after each step, where controller-gen keeps any one of them.
func merge(rules []Rule) []Rule {
	for _, field := range []int{verbs, resources, verbs, groups, verbs, urls, verbs} {
		rules = mergeField(rules, field)
	}
	slices.SortFunc(rules, func(a, b Rule) int { return strings.Compare(a.without(verbs), b.without(verbs)) })
	for i := range rules {
		if slices.Contains(rules[i].Verbs, "*") {
			rules[i].Verbs = []string{"*"}
		}
	}
	return rules
}

// mergeField merges rules that agree in all fields but one, into the first of them.
func mergeField(rules []Rule, field int) (merged []Rule) {
	first, more := map[string]int{}, map[int][]string{}
	for _, r := range rules {
		key := r.without(field)
		i, ok := first[key]
		if !ok {
			first[key] = len(merged)
			merged = append(merged, r)
			continue
		}
		more[i] = append(more[i], *fields[field](&r)...)
	}
	for i, items := range more {
		into := fields[field](&merged[i])
		*into = set(slices.Concat(*into, items))
	}
	return merged
}

// object returns the rule as a server expects it.
func (r Rule) object() map[string]any {
	object := map[string]any{"verbs": nil}
	for key, list := range map[string][]string{
		"apiGroups": r.Groups, "resources": r.Resources, "resourceNames": r.ResourceNames, "nonResourceURLs": r.URLs, "verbs": r.Verbs,
	} {
		if len(list) > 0 {
			object[key] = manifest.Strings(list)
		}
	}
	return object
}
