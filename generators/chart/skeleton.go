package chart

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// skeleton makes the files of objects that a chart lacks, with the names and conditions of kubebuilder's charts.
type skeleton struct {
	dir, shown string
	chart      string   // name of the chart
	helpers    []string // definitions of templates
	values     []byte   // values.yaml
}

const releaseNamespace = "{{ .Release.Namespace }}"

// resource returns an action that prints the name of an object, by the helpers that the chart has.
func (s skeleton) resource(name string) string {
	has := func(helper string) bool {
		return slices.ContainsFunc(s.helpers, func(text string) bool { return strings.HasSuffix(text, fmt.Sprintf("%q", s.chart+"."+helper)) })
	}
	switch {
	case has("resourceName"):
		return fmt.Sprintf(`{{ include "%s.resourceName" (dict "suffix" %q "context" $) }}`, s.chart, name)
	case has("fullname"):
		return fmt.Sprintf(`{{ include "%s.fullname" . }}-%s`, s.chart, name)
	}
	return "{{ .Release.Name }}-" + name
}

// service is the service of webhooks, which only a chart knows. Objects of the run have these texts in its place.
type service struct{ name, namespace string }

var unnamed = service{"kubegen-service-name", "kubegen-service-namespace"}

// in returns a text with the service.
func (s service) in(text string) string {
	return strings.NewReplacer(unnamed.namespace, s.namespace, unnamed.name, s.name).Replace(text)
}

// serviceOf returns the service of the webhooks in a document, or the usual one.
func (s skeleton) serviceOf(d *document) service {
	usual := service{s.resource("webhook-service"), releaseNamespace}
	if d == nil {
		return usual
	}
	root := strings.NewReplacer("{{ .Release", "{{ $.Release", `" . }}`, `" $ }}`) // in a range, the dot is something else
	webhook := valueOf(valueOf(valueOf(d.root, "spec"), "conversion"), "webhook")
	if list := valueOf(d.root, "webhooks"); list != nil && len(list.Content) > 0 {
		webhook = list.Content[0]
	}
	n := valueOf(valueOf(webhook, "clientConfig"), "service")
	return service{
		cmp.Or(d.written(n, "name"), root.Replace(usual.name)), cmp.Or(d.written(n, "namespace"), root.Replace(usual.namespace)),
	}
}

// withoutService replaces the service in the webhooks of an object, and returns the last one.
func withoutService(value any) (of service) {
	hooks, _ := yamltext.At(value, "webhooks").([]any)
	for _, hook := range append(hooks, yamltext.At(value, "spec", "conversion", "webhook")) {
		if config, ok := yamltext.At(hook, "clientConfig", "service").(map[string]any); ok {
			of = service{fmt.Sprint(config["name"]), fmt.Sprint(config["namespace"])}
			config["name"], config["namespace"] = unnamed.name, unnamed.namespace
		}
	}
	return of
}

// create returns the file of an object that the chart lacks.
func (g Generator) create(o object, documents []*document) output.File {
	dir := g.dirOf(o, documents)
	if path.Clean(dir) == crds || strings.HasPrefix(dir, crds+"/") {
		return output.File{Path: path.Join(dir, o.file), Content: []byte(o.service.in(string(yamltext.WriteManifest("", o.value))))}
	}
	name := o.Name
	if o.Namespace != "" {
		name += "-" + o.Namespace
	}
	return output.File{Path: path.Join(dir, name+".yaml"), Content: []byte(g.skeletonOf(o))}
}

// skeletonOf returns the template of a new object.
func (g Generator) skeletonOf(o object) string {
	e := &editor{}
	body := func(key string) string {
		value, ok := o.value[key]
		if !ok {
			return ""
		}
		return g.serviceOf(nil).in(escape(e.text(0, map[string]any{key: value})))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: %v\nkind: %s\nmetadata:\n", o.value["apiVersion"], o.Kind)
	condition, owned := "", "rules"
	switch o.Kind {
	case definitionKind:
		condition, owned = "crd.enabled", "names, scope and versions"
		if converted(o) {
			owned = "names, scope, versions and conversion except for its clientConfig"
		}
		b.WriteString("  annotations:\n" + g.when("crd.keep", "    helm.sh/resource-policy: keep\n"))
		if converted(o) {
			b.WriteString(g.certificate())
		}
		b.WriteString(escape(g.metadata(o)))
		fmt.Fprintf(&b, "  name: %s\n%s", o.Name, body("spec"))
	case mutating, validating:
		condition, owned = "webhook.enabled", "webhooks except for their clientConfig"
		fmt.Fprintf(&b, "  annotations:\n%s  name: %s\n%s", g.certificate(), g.resource(o.Name), body("webhooks"))
	default:
		fmt.Fprintf(&b, "%s  name: %s\n", escape(g.metadata(o)), g.resource(o.Name))
		switch o.Namespace {
		case "":
		case "system": // the namespace of the controller in kubebuilder's projects
			fmt.Fprintf(&b, "  namespace: %s\n", releaseNamespace)
		default:
			fmt.Fprintf(&b, "  namespace: %s\n", o.Namespace)
		}
		b.WriteString(body("rules"))
	}
	const comment = "{{- /* Written once by kubegen, which replaces %s in each run. The rest is for you to change. */}}\n"
	return fmt.Sprintf(comment, owned) + g.when(condition, b.String())
}

// when returns lines with the condition of a value, unless the chart lacks it.
func (g Generator) when(value, lines string) string {
	if value == "" || !g.hasValue(value) {
		return lines
	}
	indent := lines[:indentOf(lines)]
	return fmt.Sprintf("%s{{- if .Values.%s }}\n%s%s{{- end }}\n", indent, value, lines, indent)
}

// certificateAnnotation names the certificate that cert-manager inserts.
const certificateAnnotation = "cert-manager.io/inject-ca-from"

// certificate returns the annotation for the certificate of the release.
func (g Generator) certificate() string {
	return g.when("certManager.enabled", fmt.Sprintf("    %s: %s/%s\n", certificateAnnotation, releaseNamespace, g.resource("serving-cert")))
}

// converted reports whether a webhook converts the objects of a definition.
func converted(o object) bool { return yamltext.At(o.value, "spec", "conversion", "webhook") != nil }

// metadata returns the annotations and labels of a definition.
func (g Generator) metadata(o object) (text string) {
	e := &editor{}
	if annotations, ok := yamltext.At(o.value, "metadata", "annotations").(map[string]any); ok {
		if annotations = maps.Clone(annotations); converted(o) {
			delete(annotations, certificateAnnotation)
		}
		if len(annotations) > 0 {
			text = e.text(4, annotations)
		}
	}
	if labels, ok := yamltext.At(o.value, "metadata", "labels").(map[string]any); ok {
		text += e.text(2, map[string]any{"labels": labels})
	}
	return text
}
