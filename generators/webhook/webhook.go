// Package webhook generates the configurations of admission webhooks from +kubebuilder:webhook and
// +kubebuilder:webhookconfiguration markers, with the same result as controller-gen v0.23.
package webhook

import (
	"cmp"
	"go/token"
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

// Generator is the generator of the configurations of webhooks.
type Generator struct{}

var info = &plan.Info{
	Name:      "webhook",
	Manifests: &plan.Manifests{Dir: "config/webhook", Objects: "webhooks", Files: "manifests.yaml"},
	EnableFlag: plan.Flag{Name: "with-webhooks",
		Usage: "also write the configurations of the +kubebuilder:webhook markers in all packages, into config/webhook of the module or into " +
			"this `directory`"},
	Flags: plan.HeaderFlags("webhook"),
	Needs: plan.Needs{Markers: markers.Webhooks},
}

// kinds are the kinds of the generated objects.
var kinds = []string{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}

// kindOf returns the kind of the configuration that a marker determines.
func kindOf(m model.Marker) string {
	if m.Bool("mutating") {
		return kinds[0]
	}
	return kinds[1]
}

// Info implements render.Generator.
func (Generator) Info() *plan.Info { return info }

// Determines implements render.MarkerReader.
func (Generator) Determines(m model.Marker, object yamltext.ManifestObject) bool {
	return kindOf(m) == object.Kind
}

// Generate implements render.ObjectGenerator: it writes the configurations of the markers in all packages into a file.
func (Generator) Generate(in *render.Input) ([]output.Tree, diag.List) {
	content, diags := configurations(in.Markers.Found, in.Header)
	return in.File(info.Manifests.Files, content, kinds...), diags
}

// hook is a webhook: its name and position, and the object.
type hook struct {
	name   string
	pos    token.Position
	object map[string]any
}

// configurations returns the file with the configurations of the webhooks of packages after a header, or nil if there
// are none. Each list has the markers of a package.
func configurations(packages [][]model.Marker, header string) (_ []byte, diags diag.List) {
	names := map[bool]string{} // of configurations, by mutating
	hooks := map[bool][]hook{}
	for _, found := range packages {
		seen := map[bool]model.Marker{}
		var inOrder []model.Marker
		for _, m := range found {
			switch mutating := m.Bool("mutating"); {
			case m.Name == markers.WebhookMarker:
				inOrder = append(inOrder, m)
			case m.Name != markers.WebhookConfigurationMarker:
			case seen[mutating].Name != "":
				diags.Errorf(m.Pos, "the package has a second +%s with mutating=%v", m.Name, mutating).WithRelated(seen[mutating].Pos).
					Suggest("keep one of them")
			default:
				seen[mutating], names[mutating] = m, m.String("name")
			}
		}
		slices.SortStableFunc(inOrder, func(a, b model.Marker) int { return strings.Compare(a.String("name"), b.String("name")) })
		for _, m := range inOrder {
			if h, ok := read(m, &diags); ok {
				mutating := m.Bool("mutating")
				hooks[mutating] = append(hooks[mutating], h)
			}
		}
	}
	var objects []map[string]any
	for i, mutating := range []bool{true, false} {
		list := hooks[mutating]
		if len(list) == 0 {
			continue
		}
		slices.SortStableFunc(list, func(a, b hook) int { return strings.Compare(a.name, b.name) })
		var all []any
		for i, h := range list {
			all = append(all, h.object)
			if i > 0 && h.name == list[i-1].name {
				diags.Errorf(h.pos, "two webhooks of a configuration have the name %q: servers refuse it", h.name).WithRelated(list[i-1].pos).
					Suggest("rename one of them")
			}
		}
		usual := []string{"mutating-webhook-configuration", "validating-webhook-configuration"}[i]
		objects = append(objects, map[string]any{
			"apiVersion": "admissionregistration.k8s.io/v1", "kind": kinds[i], "metadata": map[string]any{"name": cmp.Or(names[mutating], usual)},
			"webhooks": all,
		})
	}
	if len(objects) == 0 {
		return nil, diags
	}
	return yamltext.WriteManifest(header, objects...), diags
}

// read returns the webhook of a marker. ok is false if there is a mistake.
func read(m model.Marker, diags *diag.List) (h hook, ok bool) {
	before := len(*diags)
	mistake := func(format string, args ...any) *diag.Diagnostic { return diags.Errorf(m.Pos, format, args...) }
	for _, version := range m.Strings("webhookVersions") {
		if version != "v1" {
			mistake("webhookVersions=%s of +%s: only v1 is known", version, m.Name).Suggest("delete it")
		}
	}
	object := map[string]any{
		"name": m.String("name"), "rules": []any{ruleOf(m)}, "failurePolicy": anyCase(m.String("failurePolicy"), "Ignore", "Fail"),
		"admissionReviewVersions": yamltext.Strings(m.Strings("admissionReviewVersions")),
	}
	switch policy := anyCase(m.String("matchPolicy"), "Exact", "Equivalent"); policy {
	case "Exact", "Equivalent":
		object["matchPolicy"] = policy
	case "":
	default:
		mistake("unknown matchPolicy=%s of +%s", policy, m.Name).Suggest("write Exact or Equivalent")
	}
	if effects := anyCase(m.String("sideEffects"), "None", "NoneOnDryRun", "Some"); effects != "" {
		object["sideEffects"] = effects
	}
	if timeout, _ := m.Arguments["timeoutSeconds"].(int); timeout != 0 {
		object["timeoutSeconds"] = int64(timeout)
	}
	if policy := anyCase(m.String("reinvocationPolicy"), "Never", "IfNeeded"); m.Bool("mutating") &&
		(policy == "Never" || policy == "IfNeeded") {
		object["reinvocationPolicy"] = policy
	}
	path, url := m.String("path"), m.String("url")
	switch {
	case (path == "") == (url == ""):
		mistake("+%s must have either path= or url=", m.Name).Suggest("write it as in %s", markers.ExampleOf(m.Name))
	case path == "":
		object["clientConfig"] = map[string]any{"url": url}
	default:
		service := map[string]any{
			"name": cmp.Or(m.String("serviceName"), "webhook-service"), "namespace": cmp.Or(m.String("serviceNamespace"), "system"), "path": path,
		}
		if port, ok := m.Arguments["servicePort"].(int); ok {
			service["port"] = int64(port)
		}
		object["clientConfig"] = map[string]any{"service": service}
	}
	if patch := m.String("patch"); patch != "" {
		if advice, err := applyPatch(object, patch, schemaOf()[m.Bool("mutating")]); err != nil {
			mistake("patch= of +%s: %w", m.Name, err).Suggest("%s", cmp.Or(advice, "correct it"))
			return h, false
		}
	}
	check(object, m, mistake)
	return hook{object["name"].(string), m.Pos, object}, len(*diags) == before
}

// check reports values of a webhook that servers refuse.
func check(webhook map[string]any, m model.Marker, mistake func(format string, args ...any) *diag.Diagnostic) {
	switch effects, _ := webhook["sideEffects"].(string); effects {
	case "None", "NoneOnDryRun":
	default:
		mistake("sideEffects=%s of +%s: servers only accept None and NoneOnDryRun", effects, m.Name).
			Suggest("write sideEffects=None if the webhook changes nothing but the object")
	}
	if timeout, ok := yamltext.Float(webhook["timeoutSeconds"]); ok && (timeout < 1 || timeout > 30) {
		mistake("timeoutSeconds=%v of +%s must be between 1 and 30", timeout, m.Name).Suggest("correct it")
	}
	if versions, _ := webhook["admissionReviewVersions"].([]any); len(versions) == 0 {
		mistake("admissionReviewVersions= of +%s is empty", m.Name).
			Suggest("write admissionReviewVersions=v1").Once(markers.Doubt(m, "admissionReviewVersions"))
	}
	client, ok := webhook["clientConfig"].(map[string]any) // absent if path= and url= are wrong
	if _, hasURL := client["url"]; ok && hasURL == (client["service"] != nil) {
		mistake("the clientConfig of +%s must have either url or service after the patch", m.Name).Suggest("set one of them to null in the patch")
	}
}

// ruleOf returns the rule of a webhook.
func ruleOf(m model.Marker) map[string]any {
	rule := map[string]any{}
	set := func(key string, list []string) {
		if len(list) > 0 {
			rule[key] = yamltext.Strings(list)
		}
	}
	operations := m.Strings("verbs")
	for i := range operations {
		operations[i] = anyCase(operations[i], "CREATE", "UPDATE", "DELETE", "CONNECT")
	}
	set("apiGroups", markers.Groups(m))
	set("apiVersions", m.Strings("versions"))
	set("resources", m.Strings("resources"))
	set("operations", operations)
	return rule
}

// anyCase returns the known word that equals a text but for case, or the text.
func anyCase(text string, known ...string) string {
	for _, word := range known {
		if strings.EqualFold(word, text) {
			return word
		}
	}
	return text
}
