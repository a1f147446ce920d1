package checks

import (
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// withRoles returns a check of the markers of all rules.
func withRoles(check func(*Pass, []model.Marker)) func(*Pass) {
	return func(p *Pass) { check(p, slices.Concat(p.Roles.Found...)) }
}

func ignoredMarker(p *Pass) {
	for _, line := range slices.Concat(p.Roles.Ignored, p.Webhooks.Ignored, p.Applied.Ignored) {
		def, _ := markers.Find(line.Text)
		advice := "move it to a comment of its own with //, outside declarations, followed by a blank line"
		if !def.Has(markers.File) {
			advice = "write it with //, directly above " + def.Above()
		}
		p.diags.Warnf(line.Pos, "+%s has no effect here: nothing is generated from it", def.Name).Suggest("%s", advice)
	}
}

// Verbs of requests for resources and for URLs.
var (
	resourceVerbs = []string{
		"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "*",
		"approve", "attest", "bind", "escalate", "impersonate", "proxy", "sign", "use",
	}
	urlVerbs = []string{"get", "head", "post", "put", "patch", "delete", "options", "*"}
)

func unknownVerb(p *Pass, rules []model.Marker) {
	for _, m := range rules {
		var known []string
		if len(m.Strings("urls")) > 0 {
			known = urlVerbs
		}
		if len(m.Strings("resources")) > 0 || known == nil {
			known = slices.Concat(known, resourceVerbs)
		}
		for _, verb := range m.Strings("verbs") {
			if slices.Contains(known, verb) || strings.Contains(verb, " ") { // reading the marker has reported a space
				continue
			}
			p.diags.Warnf(m.Pos, "unknown verb %q in +%s", verb, m.Name).
				Meant(strings.ToLower(verb), known, "known are %s", strings.Join(known, ", "))
		}
	}
}

// namelessVerb reports verbs whose requests have no name, next to names. For lists and watches, the API server takes
// the name from a field selector, but not for deletecollection. Requests for create have a name if they apply or update
// an object, or are for a subresource.
func namelessVerb(p *Pass, rules []model.Marker) {
	for _, m := range rules {
		verbs := m.Strings("verbs")
		has := func(verb string) bool { return slices.Contains(verbs, verb) || slices.Contains(verbs, "*") }
		var nameless []string
		if slices.Contains(verbs, "create") && !has("patch") && !has("update") {
			nameless = append(nameless, "create")
		}
		if slices.Contains(verbs, "deletecollection") {
			nameless = append(nameless, "deletecollection")
		}
		isWhole := func(resource string) bool { return !strings.Contains(resource, "/") }
		if len(nameless) > 0 && len(m.Strings("resourceNames")) > 0 && slices.ContainsFunc(m.Strings("resources"), isWhole) {
			p.diags.Warnf(
				m.Pos, "the rule does not grant %s, because resourceNames= excludes requests without a name", strings.Join(nameless, " and "),
			).Suggest("write a rule without resourceNames= for it")
		}
	}
}

func misspelledResource(p *Pass, rules []model.Marker) {
	known := map[string]map[string]bool{} // by group
	add := func(group, resource string) {
		if known[group] == nil {
			known[group] = map[string]bool{}
		}
		known[group][resource] = true
	}
	for group, resources := range builtIn {
		for resource := range strings.FieldsSeq(resources) {
			add(group, resource)
		}
	}
	for _, definition := range p.Definitions {
		resource, group, _ := strings.Cut(definition, ".")
		add(group, resource)
	}
	for _, pkg := range p.Packages {
		for k := range pkg.Readable() {
			if k.Resource.Version != nil && k.Resource.Version.Group != nil {
				add(k.Resource.Version.Group.Name, k.Resource.Name)
			}
		}
	}
	sorted := map[string][]string{} // the resources of all groups of a rule
	for _, m := range rules {
		groups := markers.Groups(m)
		key := strings.Join(groups, ";")
		if _, ok := sorted[key]; !ok {
			names := map[string]bool{}
			for _, group := range groups {
				maps.Copy(names, known[group])
			}
			sorted[key] = slices.Sorted(maps.Keys(names))
		}
		for _, resource := range m.Strings("resources") {
			base, sub, isSub := strings.Cut(resource, "/")
			if slices.ContainsFunc(groups, func(group string) bool { return known[group][base] }) {
				continue
			}
			if nearest, ok := diag.Nearest(strings.ToLower(base), sorted[key]); ok {
				if isSub {
					nearest += "/" + sub
				}
				p.diags.Warnf(m.Pos, "no group of this rule has a resource %q", resource).Suggest("did you mean %s?", nearest)
			}
		}
	}
}

// builtIn lists the resources of Kubernetes v1.37 by their groups.
var builtIn = map[string]string{
	"": `bindings componentstatuses configmaps endpoints events limitranges namespaces nodes persistentvolumeclaims persistentvolumes
		pods podtemplates replicationcontrollers resourcequotas secrets serviceaccounts services users groups`,
	"admissionregistration.k8s.io": `mutatingadmissionpolicies mutatingadmissionpolicybindings mutatingwebhookconfigurations
		validatingadmissionpolicies validatingadmissionpolicybindings validatingwebhookconfigurations`,
	"apiextensions.k8s.io":         "customresourcedefinitions",
	"apiregistration.k8s.io":       "apiservices",
	"apps":                         "controllerrevisions daemonsets deployments replicasets statefulsets",
	"authentication.k8s.io":        "selfsubjectreviews tokenreviews userextras uids",
	"authorization.k8s.io":         "localsubjectaccessreviews selfsubjectaccessreviews selfsubjectrulesreviews subjectaccessreviews",
	"autoscaling":                  "horizontalpodautoscalers",
	"batch":                        "cronjobs jobs",
	"certificates.k8s.io":          "certificatesigningrequests clustertrustbundles podcertificaterequests signers",
	"coordination.k8s.io":          "leasecandidates leases",
	"discovery.k8s.io":             "endpointslices",
	"events.k8s.io":                "events",
	"flowcontrol.apiserver.k8s.io": "flowschemas prioritylevelconfigurations",
	"networking.k8s.io":            "ingressclasses ingresses ipaddresses networkpolicies servicecidrs",
	"node.k8s.io":                  "runtimeclasses",
	"policy":                       "poddisruptionbudgets podsecuritypolicies",
	"rbac.authorization.k8s.io":    "clusterrolebindings clusterroles rolebindings roles",
	"resource.k8s.io":              "deviceclasses devicetaintrules resourceclaims resourceclaimtemplates resourceslices",
	"scheduling.k8s.io":            "priorityclasses workloads",
	"storage.k8s.io":               "csidrivers csinodes csistoragecapacities storageclasses volumeattachments volumeattributesclasses",
	"storagemigration.k8s.io":      "storageversionmigrations",
}

func wildcardRule(p *Pass, rules []model.Marker) {
	for _, m := range rules {
		for _, key := range []string{"groups", "resources", "verbs"} {
			if slices.Contains(m.Strings(key), "*") {
				p.diags.Notef(m.Pos, "+%s grants all %s", m.Name, key).Suggest("name those that the controller needs")
				break
			}
		}
	}
}
