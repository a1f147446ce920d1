package checks

import (
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// refusal is the reason for which API servers refuse an object because of an argument, and the remedy.
type refusal struct{ argument, reason, remedy string }

// refusedRule reports rules that k8s.io/kubernetes/pkg/apis/rbac/validation refuses.
func refusedRule(p *Pass, rules []model.Marker) {
	for _, m := range rules {
		has := func(key string) bool { return len(m.Strings(key)) > 0 }
		var r refusal
		switch {
		case !has("verbs"):
			r = refusal{"verbs", "it has no verbs", "write verbs="}
		case has("urls") && m.String("namespace") != "":
			r = refusal{"namespace", "a rule with urls= cannot have namespace=", "delete namespace="}
		case has("urls") && (has("groups") || has("resources") || has("resourceNames")):
			r = refusal{"urls", "a rule is for resources or for URLs", "write a rule for each"}
		case !has("urls") && !has("groups"):
			r = refusal{"groups", "it has no groups", `write groups=, with "" for the core group`}
		case !has("urls") && !has("resources"):
			r = refusal{"resources", "it has no resources", "write resources="}
		default:
			continue
		}
		p.diags.Warnf(m.Pos, "servers refuse this rule: %s", r.reason).Suggest("%s", r.remedy).Once(markers.Doubt(m, r.argument))
	}
}

// refusedWebhook reports webhooks that k8s.io/kubernetes/pkg/apis/admissionregistration/validation refuses, except for
// mistakes for which kubegen generates nothing.
func refusedWebhook(p *Pass) {
	for _, m := range slices.Concat(p.Webhooks.Found...) {
		if m.Name != markers.WebhookMarker || m.String("patch") != "" {
			continue
		}
		for _, r := range slices.Concat(refusalsOfClient(m), refusalsOfRule(m), refusalsOfReview(m)) {
			p.diags.Warnf(m.Pos, "servers refuse this webhook: %s", r.reason).Suggest("%s", r.remedy).Once(markers.Doubt(m, r.argument))
		}
	}
}

func refusalsOfClient(m model.Marker) (found []refusal) {
	refuse := func(key, problem, remedy string) { found = append(found, refusal{key, key + "=" + problem, remedy}) }
	name, url, path := m.String("name"), m.String("url"), m.String("path")
	if !model.IsSubdomain(name) || strings.Count(name, ".") < 2 {
		refuse("name", name+" is not a domain of three labels or more", "write it as in name=vcrontab.example.com")
	}
	port, hasPort := m.Arguments["servicePort"].(int)
	switch {
	case url != "" && !model.IsWebhookURL(url):
		refuse("url", url+" is not of the form https://host/path", "correct it")
	case url == "" && !model.IsWebhookPath(path):
		refuse("path", path+" is not a path of lower-case letters, digits, - and .", "correct it")
	}
	if url == "" && hasPort && (port < 1 || port > 65535) {
		refuse("servicePort", " is not between 1 and 65535", "correct it")
	}
	return found
}

func refusalsOfRule(m model.Marker) (found []refusal) {
	refuse := func(key, problem, remedy string) { found = append(found, refusal{key, key + "= " + problem, remedy}) }
	lists := map[string][]string{
		"groups": markers.Groups(m), "versions": m.Strings("versions"), "verbs": m.Strings("verbs"), "resources": m.Strings("resources"),
	}
	for _, key := range []string{"groups", "versions", "verbs", "resources"} {
		list := lists[key]
		switch {
		case len(list) == 0:
			refuse(key, "is empty", "write a value, or * for all")
		case key != "groups" && slices.Contains(list, ""):
			refuse(key, "contains an empty value", "delete it")
		case key != "resources" && len(list) > 1 && slices.Contains(list, "*"):
			refuse(key, "contains * and other values", "keep one of them")
		}
	}
	for _, verb := range lists["verbs"] {
		if known := []string{"CREATE", "UPDATE", "DELETE", "CONNECT", "*", ""}; !slices.ContainsFunc(known, func(k string) bool {
			return strings.EqualFold(k, verb)
		}) {
			refuse("verbs", "contains "+verb, "known are create, update, delete, connect and *")
		}
	}
	if contradict(lists["resources"]) {
		refuse("resources", "contains a wildcard and resources that it includes", "keep one of them")
	}
	return found
}

// contradict reports whether the API server refuses to combine the wildcards in resources with the others. It compares
// x/* and */y only with what follows, and * only with the last resource that is neither * nor a subresource.
func contradict(resources []string) bool {
	all, plain := false, false
	parents, subresources := map[string]bool{}, map[string]bool{}
	for _, resource := range resources {
		parent, sub, isSub := strings.Cut(resource, "/")
		switch {
		case resource == "":
		case !isSub:
			all = all || resource == "*"
			plain = resource != "*"
		case parents[parent] || subresources[sub]:
			return true
		default:
			parents[parent] = sub == "*"
			subresources[sub] = parent == "*"
		}
	}
	return all && plain || len(resources) > 1 && slices.Contains(resources, "*/*")
}

func refusalsOfReview(m model.Marker) (found []refusal) {
	if policy := m.String("failurePolicy"); !strings.EqualFold(policy, "Fail") && !strings.EqualFold(policy, "Ignore") {
		found = append(found, refusal{"failurePolicy", "unknown failurePolicy=" + policy, "write fail or ignore"})
	}
	const key = "admissionReviewVersions"
	versions := m.Strings(key)
	if !slices.Contains(versions, "v1") && !slices.Contains(versions, "v1beta1") {
		found = append(found, refusal{key, key + "= lacks v1", "write admissionReviewVersions=v1"})
	}
	for i, version := range versions {
		if !model.IsLabel(version) {
			found = append(found, refusal{key, key + "= contains " + version, "write admissionReviewVersions=v1"})
		} else if slices.Contains(versions[:i], version) {
			found = append(found, refusal{key, key + "= contains " + version + " twice", "delete one of them"})
		}
	}
	return found
}
