package crd

import (
	"errors"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// Stale reports whether a file that is not in Files was written by an earlier run or by controller-gen for one of the
// Groups: it contains only a CustomResourceDefinition with the Annotation, and its name is GROUP_PLURAL.yaml.
func (m Manifests) Stale(name string, text []byte) bool {
	if !slices.ContainsFunc(m.Groups, func(group string) bool { return strings.HasPrefix(name, group+"_") }) {
		return false
	}
	decoder := yamltext.NewDecoder(text)
	var document, second yaml.Node
	if decoder.Decode(&document) != nil || !errors.Is(decoder.Decode(&second), io.EOF) {
		return false
	}
	object := node{name, &document}
	if object.at("metadata", "annotations", Annotation).value().Text == "" || object.at("kind").value().Text != definitionKind {
		return false
	}
	found, diags := Read(name, text)
	if diags.HasErrors() || len(found) != 1 {
		return false
	}
	d := found[0]
	return slices.Contains(m.Groups, d.Group.Text) && name == fileName(d.Group.Text, d.Plural.Text)
}
