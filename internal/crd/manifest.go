package crd

import (
	"slices"
	"sync"

	"github.com/kubegen/kubegen/internal/crdschema"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/manifest"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/yamltext"
)

// output is a CustomResourceDefinition to be written.
type output struct {
	annotations, labels    map[string]string
	group, kind, listKind  string
	plural, singular       string
	shortNames, categories []string
	scope                  string
	preserve               *bool
	versions               []versionEntry
	content                []byte
	jsonSize               int       // size of the manifest in bytes as JSON without spaces
	diags                  diag.List // from check
}

// file returns the name of the file.
func (m *output) file() string { return fileName(m.group, m.plural) }

func fileName(group, plural string) string { return group + "_" + plural + ".yaml" }

// versionEntry is an entry of spec.versions.
type versionEntry struct {
	name                        string
	typ                         model.TypeRef // Go type from which the version is derived
	served, storage, deprecated bool
	warning                     *string
	schema                      *crdschema.Schema
	columns                     []Column
	selectable                  []string
	subresources, status        bool
	scale                       *scale
	origin
}

// Column is a column that kubectl get prints.
type Column struct {
	Name, Type, Path, Description, Format string
	Priority                              int
}

type scale struct {
	specReplicas, statusReplicas string
	selector                     *string
}

// buffers holds buffers for reuse, because manifests are large.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// text returns the manifest as YAML after a header. Its keys are in the order of controller-gen.
func (m *output) text(header string) []byte {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	w := &yamltext.Writer{}
	w.Reset(*buffer)
	w.Value(-2, m.object())
	*buffer, m.jsonSize = w.Bytes(), w.JSONSize()
	return slices.Concat([]byte(header+"---\n"), *buffer)
}

// object returns the CustomResourceDefinition.
func (m *output) object() map[string]any {
	metadata := map[string]any{"name": m.plural + "." + m.group}
	for key, texts := range map[string]map[string]string{"annotations": m.annotations, "labels": m.labels} {
		if len(texts) > 0 {
			values := map[string]any{}
			for name, text := range texts {
				values[name] = text
			}
			metadata[key] = values
		}
	}
	names := map[string]any{"kind": m.kind, "listKind": m.listKind, "plural": m.plural, "singular": m.singular}
	for key, list := range map[string][]string{"categories": m.categories, "shortNames": m.shortNames} {
		if len(list) > 0 {
			names[key] = manifest.Strings(list)
		}
	}
	var versions []any
	for _, v := range m.versions {
		versions = append(versions, v.object())
	}
	spec := map[string]any{"group": m.group, "names": names, "scope": m.scope, "versions": versions}
	if m.preserve != nil {
		spec["preserveUnknownFields"] = *m.preserve
	}
	return map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": metadata, "spec": spec}
}

func (v versionEntry) object() map[string]any {
	object := map[string]any{"name": v.name, "schema": map[string]any{"openAPIV3Schema": v.schema}, "served": v.served, "storage": v.storage}
	var columns, fields []any
	for _, c := range v.columns {
		columns = append(columns, c.object())
	}
	for _, path := range v.selectable {
		fields = append(fields, map[string]any{"jsonPath": path})
	}
	if len(columns) > 0 {
		object["additionalPrinterColumns"] = columns
	}
	if len(fields) > 0 {
		object["selectableFields"] = fields
	}
	if v.deprecated {
		object["deprecated"] = true
	}
	if v.warning != nil {
		object["deprecationWarning"] = *v.warning
	}
	if !v.subresources {
		return object
	}
	subresources := map[string]any{}
	if s := v.scale; s != nil {
		scale := map[string]any{"specReplicasPath": s.specReplicas, "statusReplicasPath": s.statusReplicas}
		if s.selector != nil {
			scale["labelSelectorPath"] = *s.selector
		}
		subresources["scale"] = scale
	}
	if v.status {
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
