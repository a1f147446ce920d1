package crd

import (
	"bytes"
	"cmp"
	"errors"
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

// conversion is spec.conversion, with the fields that API servers know.
type conversion struct {
	Strategy string
	Webhook  *conversionWebhook
}

type conversionWebhook struct {
	ClientConfig conversionClient `yaml:"clientConfig"`
	Versions     []string         `yaml:"conversionReviewVersions"`
}

type conversionClient struct {
	URL      string
	Service  *conversionService
	CABundle string `yaml:"caBundle"`
}

type conversionService struct {
	Name, Namespace, Path string
	Port                  *int
}

// object returns the value in the manifest.
func (c *conversion) object() map[string]any {
	object := map[string]any{"strategy": c.Strategy}
	if c.Webhook == nil {
		return object
	}
	client := map[string]any{}
	if config := c.Webhook.ClientConfig; config.Service != nil {
		service := map[string]any{"name": config.Service.Name, "namespace": config.Service.Namespace}
		if config.Service.Path != "" {
			service["path"] = config.Service.Path
		}
		if config.Service.Port != nil {
			service["port"] = *config.Service.Port
		}
		client["service"] = service
	}
	for key, text := range map[string]string{"url": c.Webhook.ClientConfig.URL, "caBundle": c.Webhook.ClientConfig.CABundle} {
		if text != "" {
			client[key] = text
		}
	}
	object["webhook"] = map[string]any{"clientConfig": client, "conversionReviewVersions": yamltext.Strings(c.Webhook.Versions)}
	return object
}

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

// conversionOf returns the conversion that a marker describes. It reports what
// k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation refuses.
func conversionOf(m model.Marker) (_ *conversion, diags diag.List) {
	refuse := func(format string, args ...any) *diag.Diagnostic {
		return diags.Errorf(m.Pos, "servers refuse this conversion: "+format, args...)
	}
	c := &conversion{Strategy: m.String("strategy")}
	var others []string
	for name := range m.Arguments {
		if name != "strategy" {
			others = append(others, name+"=")
		}
	}
	switch {
	case c.Strategy != "None" && c.Strategy != webhook:
		refuse("the strategy is %s", cmp.Or(c.Strategy, "empty")).Suggest("write strategy=Webhook or strategy=None")
	case c.Strategy == "None" && len(others) > 0:
		slices.Sort(others)
		refuse("strategy=None has no %s", others[0]).Suggest("delete it, or write strategy=Webhook")
	}
	if c.Strategy != webhook {
		return c, diags
	}
	c.Webhook = &conversionWebhook{Versions: []string{"v1"}}
	if _, set := m.Arguments["conversionReviewVersions"]; set {
		c.Webhook.Versions = m.Strings("conversionReviewVersions")
	}
	for i, version := range c.Webhook.Versions {
		switch {
		case !model.IsLabel(version):
			refuse("conversionReviewVersions= contains %q, which is not a version", version).Suggest("write conversionReviewVersions=v1")
		case slices.Contains(c.Webhook.Versions[:i], version):
			refuse("conversionReviewVersions= contains %s twice", version).Suggest("delete one of them")
		}
	}
	if !slices.Contains(c.Webhook.Versions, "v1") && !slices.Contains(c.Webhook.Versions, "v1beta1") {
		refuse("conversionReviewVersions= lacks v1").Suggest("write conversionReviewVersions=v1")
	}
	c.Webhook.address(m, refuse)
	return c, diags
}

// address sets the URL or service of a webhook.
func (w *conversionWebhook) address(m model.Marker, refuse func(format string, args ...any) *diag.Diagnostic) {
	if w.ClientConfig.URL = m.String("url"); w.ClientConfig.URL != "" {
		for _, name := range []string{"path", "serviceName", "serviceNamespace", "servicePort"} {
			if _, set := m.Arguments[name]; set {
				refuse("it has url= and %s=", name).Suggest("keep one of them")
			}
		}
		if !model.IsWebhookURL(w.ClientConfig.URL) {
			refuse("url=%s is not of the form https://host/path", w.ClientConfig.URL).Suggest("write it as in https://example.com/convert")
		}
		return
	}
	s := &conversionService{
		Name: cmp.Or(m.String("serviceName"), "webhook-service"), Namespace: cmp.Or(m.String("serviceNamespace"), "system"),
		Path: cmp.Or(m.String("path"), "/convert"),
	}
	w.ClientConfig.Service = s
	if !model.IsWebhookPath(s.Path) {
		refuse("path=%s is not a path of lower-case letters, digits, - and .", s.Path).Suggest("write it as in path=/convert")
	}
	if port, set := m.Arguments["servicePort"].(int); set {
		s.Port = &port
		if port < 1 || port > 65535 {
			refuse("servicePort=%d is not between 1 and 65535", port).Suggest("write it as in servicePort=443")
		}
	}
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
	if m.conversion == nil || m.conversion.Webhook == nil {
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

// keepConversion takes over spec.conversion, or its certificate.
func (m *output) keepConversion(old node, diags *diag.List) {
	if old = old.resolve(); old.node == nil {
		return
	}
	kept := &conversion{}
	err := decodeKnown(old.node, kept)
	if err == nil && *kept == (conversion{}) {
		return // null or {}
	}
	if err == nil && kept.Strategy != "None" && kept.Strategy != webhook {
		err = fmt.Errorf("the strategy is %q, neither None nor Webhook", kept.Strategy)
	}
	switch {
	case err != nil:
		diags.Errorf(old.pos(), "cannot keep spec.conversion: %w", err).Suggest("correct or delete it")
	case m.conversion == nil:
		m.conversion = kept
	case m.conversion.Webhook != nil && kept.Webhook != nil:
		m.conversion.Webhook.ClientConfig.CABundle = kept.Webhook.ClientConfig.CABundle
	}
}

// decodeKnown decodes a node, and returns an error of one line if it has unknown fields or values of another type.
func decodeKnown(node *yaml.Node, into any) error {
	var value any // without aliases, whose anchors may be elsewhere
	if err := node.Decode(&value); err != nil {
		return err
	}
	text, err := yaml.Marshal(value)
	if err != nil {
		return err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	var wrong *yaml.TypeError
	if err = decoder.Decode(into); errors.As(err, &wrong) {
		_, what, _ := strings.Cut(wrong.Errors[0], ": ") // the line is not the one in the file
		what, _, _ = strings.Cut(what, " in type ")
		what, _, _ = strings.Cut(what, " into crd.")
		return errors.New(what)
	}
	return err
}
