package crd

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// conversionOf returns the value of spec.conversion that a marker describes. It reports what
// k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation refuses.
func conversionOf(m model.Marker, diags *diag.List) map[string]any {
	refuse := func(format string, args ...any) *diag.Diagnostic {
		return diags.Errorf(m.Pos, "servers refuse this conversion: "+format, args...)
	}
	strategy := m.String("strategy")
	var others []string
	for name := range m.Arguments {
		if name != "strategy" {
			others = append(others, name+"=")
		}
	}
	switch {
	case strategy != "None" && strategy != "Webhook":
		refuse("the strategy is %s", cmp.Or(strategy, "empty")).Suggest("write strategy=Webhook or strategy=None")
	case strategy == "None" && len(others) > 0:
		slices.Sort(others)
		refuse("strategy=None has no %s", others[0]).Suggest("delete it, or write strategy=Webhook")
	}
	if strategy != "Webhook" {
		return map[string]any{"strategy": strategy}
	}
	versions := m.Strings("conversionReviewVersions")
	if _, set := m.Arguments["conversionReviewVersions"]; !set {
		versions = []string{"v1"}
	}
	for i, version := range versions {
		if !model.IsLabel(version) || slices.Contains(versions[:i], version) {
			refuse("conversionReviewVersions= contains %q, which is no version or there twice", version).Suggest("write conversionReviewVersions=v1")
		}
	}
	if !slices.Contains(versions, "v1") && !slices.Contains(versions, "v1beta1") {
		refuse("conversionReviewVersions= lacks v1").Suggest("write conversionReviewVersions=v1")
	}
	return map[string]any{"strategy": strategy, "webhook": map[string]any{
		"clientConfig": clientConfigOf(m, refuse), "conversionReviewVersions": yamltext.Strings(versions),
	}}
}

// clientConfigOf returns the address of a webhook.
func clientConfigOf(m model.Marker, refuse func(format string, args ...any) *diag.Diagnostic) map[string]any {
	if url := m.String("url"); url != "" {
		for _, name := range []string{"path", "serviceName", "serviceNamespace", "servicePort"} {
			if _, set := m.Arguments[name]; set {
				refuse("it has url= and %s=", name).Suggest("keep one of them")
			}
		}
		if !model.IsWebhookURL(url) {
			refuse("url=%s is not of the form https://host/path", url).Suggest("correct it")
		}
		return map[string]any{"url": url}
	}
	service := map[string]any{
		"name": cmp.Or(m.String("serviceName"), "webhook-service"), "namespace": cmp.Or(m.String("serviceNamespace"), "system"),
		"path": cmp.Or(m.String("path"), "/convert"),
	}
	if path := m.String("path"); !model.IsWebhookPath(path) {
		refuse("path=%s is not a path of lower-case letters, digits, - and .", path).Suggest("correct it")
	}
	if port, set := m.Arguments["servicePort"].(int); set {
		service["port"] = port
		if port < 1 || port > 65535 {
			refuse("servicePort= is not between 1 and 65535").Suggest("correct it")
		}
	}
	return map[string]any{"service": service}
}

// ManifestIn returns a function that returns the manifest in a file of a directory, or nil if there is none.
func ManifestIn(dir string) func(file string) []byte {
	return func(file string) []byte {
		name := filepath.Join(dir, file)
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() > MaxManifest {
			return nil
		}
		text, _ := os.ReadFile(name)
		return text
	}
}

// keepConversion takes over spec.conversion from the manifest that this one replaces, where people have added it, with
// the annotations by which other tools insert the certificate of the authority.
func (m *output) keepConversion(existing []byte) {
	if !bytes.Contains(existing, []byte("\n  conversion:")) {
		return
	}
	var old struct {
		Metadata struct{ Annotations map[string]string }
		Spec     struct{ Conversion map[string]any }
	}
	if yaml.Unmarshal(existing, &old) != nil || len(old.Spec.Conversion) == 0 {
		return
	}
	m.conversion = old.Spec.Conversion
	for key, value := range old.Metadata.Annotations {
		if _, set := m.annotations[key]; !set && strings.Contains(key, "/inject-ca") {
			m.annotations[key] = value
		}
	}
}
