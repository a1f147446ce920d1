// Package rbac generates the roles of controllers from +kubebuilder:rbac markers, with the same result as
// controller-gen v0.23.
package rbac

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// Generator is the generator of roles.
type Generator struct {
	roleName string // of roles whose rules name no other
	fileName string
}

// The flags of the generator.
const (
	roleNameFlag = "rbac-role-name"
	fileNameFlag = "rbac-file-name"
)

var info = &plan.Info{
	Name:      "rbac",
	Manifests: &plan.Manifests{Dir: "config/rbac", Objects: "roles", Files: "role.yaml"},
	EnableFlag: plan.Flag{Name: "with-rbac",
		Usage: "also write the roles of the +kubebuilder:rbac markers in all packages, into config/rbac of the module or into this `directory`"},
	Flags: append([]plan.Flag{
		// as in kubebuilder's projects
		{Name: roleNameFlag, Default: "manager-role", Mistake: checkRole, Usage: "`name` of the roles of markers without roleName="},
		{Name: fileNameFlag, Default: "role.yaml", Mistake: checkFile, InFile: true, Usage: "`name` of the file with the roles"},
	}, plan.HeaderFlags("rbac")...),
	Needs: plan.Needs{Markers: markers.Roles},
}

func checkRole(name string) error {
	if name == "" {
		return diag.Errorf("%s: a role needs a name, such as manager-role", diag.Setting(roleNameFlag))
	}
	return nil
}

func checkFile(name string) error {
	if name != "" && (filepath.Base(name) != name || filepath.Ext(name) != ".yaml") {
		return diag.Errorf("%s: %q is not the name of a YAML file; use a name such as role.yaml", diag.Setting(fileNameFlag), diag.Value(name))
	}
	return nil
}

// Info implements render.Generator.
func (Generator) Info() *plan.Info { return info }

// Configure implements render.Configurable.
func (g Generator) Configure(s render.Setup, _ *diag.List) (render.Generator, error) {
	return Generator{s.Flags.Settings.Text(roleNameFlag), s.Flags.Settings.Text(fileNameFlag)}, nil
}

// Rule is a rule of a role. Its lists are sorted and have no repetitions.
type Rule struct {
	Groups, Resources, ResourceNames, URLs, Verbs []string
}

// roleOf returns the role with the rules of a marker.
func (g Generator) roleOf(m model.Marker) yamltext.ManifestObject {
	role := yamltext.ManifestObject{Kind: "ClusterRole", Namespace: m.String("namespace"), Name: cmp.Or(m.String("roleName"), g.roleName)}
	if role.Namespace != "" {
		role.Kind = "Role"
	}
	return role
}

// Determines implements render.MarkerReader.
func (g Generator) Determines(m model.Marker, object yamltext.ManifestObject) bool {
	return g.roleOf(m) == object
}

// Generate implements render.ObjectGenerator: it writes the roles of the markers in all packages into a file.
func (g Generator) Generate(in *render.Input) ([]output.Tree, diag.List) {
	return in.File(g.fileName, g.roles(slices.Concat(in.Markers.Found...), in.Header), "ClusterRole", "Role"), nil
}

// roles returns the file with the roles of markers after a header, or nil if no marker is a rule.
func (g Generator) roles(found []model.Marker, header string) []byte {
	rules := map[yamltext.ManifestObject][]Rule{}
	for _, m := range found {
		if m.Name != markers.RBACMarker {
			continue
		}
		in := g.roleOf(m)
		rules[in] = append(rules[in], RulesOf(m)...)
	}
	if len(rules) == 0 {
		return nil
	}
	var objects []map[string]any
	for _, r := range slices.SortedFunc(maps.Keys(rules), func(a, b yamltext.ManifestObject) int {
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
		objects = append(objects, map[string]any{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": r.Kind, "metadata": metadata, "rules": list,
		})
	}
	return yamltext.WriteManifest(header, objects...)
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
	func(r *Rule) *[]string { return &r.ResourceNames }, func(r *Rule) *[]string { return &r.URLs },
	func(r *Rule) *[]string { return &r.Verbs },
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
			object[key] = yamltext.Strings(list)
		}
	}
	return object
}
