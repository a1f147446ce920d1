package crd

import (
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// output is a CustomResourceDefinition to be written. Its values have the positions of the markers that determine them,
// or else of the type.
type output struct {
	Definition
	annotations, labels map[string]string
	preserve            *bool
	content             []byte
	conversion          map[string]any // spec.conversion, if there is one
	converting          model.Marker   // that describes it
	of                  *definition    // nil for a manifest that is read
	converted           bool           // objects are converted from version to version
	diags               diag.List      // from check
}

// derived is the part of a version that only versions of Go types have.
type derived struct {
	typ          *gotypes.Declaration
	subresources bool // the manifest has an entry for subresources, even if there are none
	origin
}

// Type returns the Go type of a version that was derived from it, or else nil.
func (v Version) Type() *gotypes.Declaration { return v.typ }

// file returns the name of the file.
func (m *output) file() string { return fileName(m.Group.Text, m.Plural.Text) }

func fileName(group, plural string) string { return group + "_" + plural + ".yaml" }

// Column is a column that kubectl get prints.
type Column struct {
	Name, Type, Path, Description, Format string
	Priority                              int
}

// object returns the CustomResourceDefinition.
func (m *output) object() map[string]any {
	metadata := map[string]any{"name": m.Name()}
	for key, texts := range map[string]map[string]string{"annotations": m.annotations, "labels": m.labels} {
		if len(texts) > 0 {
			values := map[string]any{}
			for name, text := range texts {
				values[name] = text
			}
			metadata[key] = values
		}
	}
	names := map[string]any{"kind": m.Kind.Text, "listKind": m.ListKind.Text, "plural": m.Plural.Text, "singular": m.Singular.Text}
	for key, list := range map[string][]Value{"categories": m.Categories, "shortNames": m.ShortNames} {
		if len(list) > 0 {
			names[key] = yamltext.Strings(Texts(list))
		}
	}
	var versions []any
	for _, v := range m.Versions {
		versions = append(versions, v.object())
	}
	spec := map[string]any{"group": m.Group.Text, "names": names, "scope": m.Scope.Text, "versions": versions}
	if m.conversion != nil {
		spec["conversion"] = m.conversion
	}
	if m.preserve != nil {
		spec["preserveUnknownFields"] = *m.preserve
	}
	return map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": metadata, "spec": spec}
}

func (v Version) object() map[string]any {
	object := map[string]any{
		"name": v.Name.Text, "served": v.Served.Text == "true", "storage": v.Storage.Text == "true",
		"schema": map[string]any{"openAPIV3Schema": v.written().Object(nil)},
	}
	var columns, fields []any
	for _, c := range v.Columns {
		columns = append(columns, c.object())
	}
	for _, path := range v.SelectableFields {
		fields = append(fields, map[string]any{"jsonPath": path.Text})
	}
	if len(columns) > 0 {
		object["additionalPrinterColumns"] = columns
	}
	if len(fields) > 0 {
		object["selectableFields"] = fields
	}
	if v.Deprecated {
		object["deprecated"] = true
	}
	if v.Warning != nil {
		object["deprecationWarning"] = *v.Warning
	}
	if !v.subresources {
		return object
	}
	subresources := map[string]any{}
	if s := v.Scale; s != nil {
		scale := map[string]any{"specReplicasPath": s.SpecReplicas.Text, "statusReplicasPath": s.StatusReplicas.Text}
		if s.Selector != (Value{}) {
			scale["labelSelectorPath"] = s.Selector.Text
		}
		subresources["scale"] = scale
	}
	if v.Status.Pos.IsValid() {
		subresources["status"] = map[string]any{}
	}
	object["subresources"] = subresources
	return object
}

func (c Column) object() map[string]any {
	object := map[string]any{"jsonPath": c.Path, "name": c.Name, "type": c.Type}
	if c.Description != "" {
		object["description"] = c.Description
	}
	if c.Format != "" {
		object["format"] = c.Format
	}
	if c.Priority != 0 {
		object["priority"] = int64(c.Priority)
	}
	return object
}
