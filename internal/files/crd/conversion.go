package crd

import (
	"bytes"
	"cmp"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// webhook is the strategy of conversion by a webhook.
const webhook = "Webhook"

// convert sets spec.conversion from a marker, which must agree with the markers of other versions.
func (m *output) convert(marker model.Marker, diags *diag.List) {
	c, mistakes := conversionOf(marker)
	*diags = append(*diags, mistakes...)
	if m.conversion != nil && !reflect.DeepEqual(m.conversion, c) {
		diags.Errorf(marker.Pos, "+%s describes another conversion than the marker of another version", marker.Name).
			WithRelated(m.converting.Pos).Suggest("write it above one version")
	}
	m.conversion, m.converting = c, marker
}

// conversionOf returns the value of spec.conversion that a marker describes. It reports what
// k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation refuses.
func conversionOf(m model.Marker) (_ map[string]any, diags diag.List) {
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
	case strategy != "None" && strategy != webhook:
		refuse("the strategy is %s", cmp.Or(strategy, "empty")).Suggest("write strategy=Webhook or strategy=None")
	case strategy == "None" && len(others) > 0:
		slices.Sort(others)
		refuse("strategy=None has no %s", others[0]).Suggest("delete it, or write strategy=Webhook")
	}
	if strategy != webhook {
		return map[string]any{"strategy": strategy}, diags
	}
	versions := []string{"v1"}
	if _, set := m.Arguments["conversionReviewVersions"]; set {
		versions = m.Strings("conversionReviewVersions")
	}
	for i, version := range versions {
		switch {
		case !model.IsLabel(version):
			refuse("conversionReviewVersions= contains %q, which is not a version", version).Suggest("write conversionReviewVersions=v1")
		case slices.Contains(versions[:i], version):
			refuse("conversionReviewVersions= contains %s twice", version).Suggest("delete one of them")
		}
	}
	if !slices.Contains(versions, "v1") && !slices.Contains(versions, "v1beta1") {
		refuse("conversionReviewVersions= lacks v1").Suggest("write conversionReviewVersions=v1")
	}
	return map[string]any{"strategy": strategy, "webhook": map[string]any{
		"clientConfig": clientConfig(m, refuse), "conversionReviewVersions": yamltext.Strings(versions),
	}}, diags
}

// clientConfig returns the URL or service of a webhook.
func clientConfig(m model.Marker, refuse func(format string, args ...any) *diag.Diagnostic) map[string]any {
	if url := m.String("url"); url != "" {
		for _, name := range []string{"path", "serviceName", "serviceNamespace", "servicePort"} {
			if _, set := m.Arguments[name]; set {
				refuse("it has url= and %s=", name).Suggest("keep one of them")
			}
		}
		if !model.IsWebhookURL(url) {
			refuse("url=%s is not of the form https://host/path", url).Suggest("write it as in https://example.com/convert")
		}
		return map[string]any{"url": url}
	}
	path := cmp.Or(m.String("path"), "/convert")
	service := map[string]any{
		"name": cmp.Or(m.String("serviceName"), "webhook-service"), "namespace": cmp.Or(m.String("serviceNamespace"), "system"), "path": path,
	}
	if !model.IsWebhookPath(path) {
		refuse("path=%s is not a path of lower-case letters, digits, - and .", path).Suggest("write it as in path=/convert")
	}
	if port, set := m.Arguments["servicePort"].(int); set {
		service["port"] = port
		if port < 1 || port > 65535 {
			refuse("servicePort=%d is not between 1 and 65535", port).Suggest("write it as in servicePort=443")
		}
	}
	return map[string]any{"service": service}
}

// Files returns the name and the contents of a file, whose path is relative to a directory. The contents are nil if
// there is no such file, or it is not regular or too large.
type Files func(file string) (name string, text []byte)

// ManifestIn returns the files of a directory.
func ManifestIn(dir string) Files {
	return func(file string) (string, []byte) {
		name := filepath.Join(dir, file)
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() > MaxManifest {
			return name, nil
		}
		text, _ := os.ReadFile(name)
		return name, text
	}
}

// keep takes over spec.conversion from the manifest that this one replaces, where people have added it, or only the
// certificate if a marker describes the conversion, and the annotations by which other tools insert the certificate.
// What would be lost is an error.
func (m *output) keep(file string, existing []byte) (diags diag.List) {
	old := m.replaced(file, existing, &diags)
	m.keepConversion(old.at("spec", "conversion"), &diags)
	if m.conversion["webhook"] == nil {
		return diags
	}
	for key, value := range old.at("metadata", "annotations").entries() {
		if _, set := m.annotations[key]; !set && strings.Contains(key, "/inject-ca") {
			m.annotations[key] = value.value().Text
		}
	}
	return diags
}

// replaced returns the definition in the file that is replaced. Other objects in it are errors, as are mistakes that
// hide parts of it.
func (m *output) replaced(file string, existing []byte, diags *diag.List) (found node) {
	documents, err := yamltext.Read(yamltext.BeforeLast(existing, "versions"))
	if err != nil { // such as {, which ends after the key
		documents, err = yamltext.Read(existing)
	}
	fail := func(pos token.Position, message string) {
		diags.Errorf(pos, "cannot keep spec.conversion: %s", message).Suggest("correct the manifest or delete it")
	}
	mayHold := func(text string) bool { return bytes.Contains(existing, []byte(text)) }
	if err != nil && (mayHold("conversion") || mayHold("/inject-ca") || bytes.Count(existing, []byte("\napiVersion:")) > 1) {
		fail(locate(file, existing, err))
	}
	for _, document := range documents {
		for object := range objects(node{file, document.Node}) {
			kind, name := object.at("kind").value().Text, object.at("metadata", "name").value().Text
			isOther := kind != "" && kind != definitionKind || name != "" && name != m.Name() || object.node.Kind != yaml.MappingNode
			switch {
			case isOther:
				diags.Errorf(object.pos(), "%s would be lost, because this file is written with %s alone",
					cmp.Or(strings.TrimSpace(kind+" "+name), "this document"), m.Name()).Suggest("move it to another file, or delete it")
			case found.node != nil:
				diags.Errorf(object.pos(), "%s is a second time in this file, of which one manifest is kept", m.Name()).
					WithRelated(found.pos()).Suggest("delete one of them")
			default:
				found = object
			}
		}
		for _, mistake := range document.Mistakes {
			fail(token.Position{Filename: file, Line: mistake.Line, Column: mistake.Column}, mistake.Message)
		}
	}
	return found
}

// keepConversion takes over spec.conversion as it is, or its certificate.
func (m *output) keepConversion(old node, diags *diag.List) {
	if old = old.resolve(); old.node == nil {
		return
	}
	kept := map[string]any{}
	err := old.node.Decode(&kept)
	if err == nil && len(kept) == 0 {
		return // null or {}
	}
	if err == nil && kept["strategy"] != "None" && kept["strategy"] != webhook {
		err = fmt.Errorf("the strategy is %q, neither None nor Webhook", old.at("strategy").value().Text)
	}
	if err != nil {
		diags.Errorf(old.pos(), "cannot keep spec.conversion: %w", err).Suggest("correct or delete it")
		return
	}
	client, _ := yamltext.At(m.conversion, "webhook", "clientConfig").(map[string]any)
	if certificate := yamltext.At(kept, "webhook", "clientConfig", "caBundle"); client != nil && certificate != nil {
		client["caBundle"] = certificate
	}
	if m.conversion == nil {
		m.conversion = kept
	}
}
