package crd

import (
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/kubegen/kubegen/internal/crdschema"
	"github.com/kubegen/kubegen/internal/diag"
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
	w := &writer{}
	w.Reset(*buffer)
	w.text(0, "apiVersion", "apiextensions.k8s.io/v1")
	w.text(0, "kind", "CustomResourceDefinition")
	w.Key(0, "metadata")
	w.strings(2, "annotations", m.annotations)
	w.strings(2, "labels", m.labels)
	w.text(2, "name", m.plural+"."+m.group)
	w.Key(0, "spec")
	w.text(2, "group", m.group)
	w.Key(2, "names")
	w.list(4, "categories", m.categories)
	w.text(4, "kind", m.kind)
	w.text(4, "listKind", m.listKind)
	w.text(4, "plural", m.plural)
	w.list(4, "shortNames", m.shortNames)
	w.text(4, "singular", m.singular)
	if m.preserve != nil {
		w.boolean(2, "preserveUnknownFields", *m.preserve)
	}
	w.text(2, "scope", m.scope)
	w.Key(2, "versions")
	for _, v := range m.versions {
		w.Item(2)
		w.version(4, v)
	}
	*buffer, m.jsonSize = w.Bytes(), w.JSONSize()
	return slices.Concat([]byte(header+"---\n"), *buffer)
}

type writer struct{ yamltext.Writer }

func (w *writer) text(indent int, key, text string) {
	w.Key(indent, key)
	w.String(indent, text)
}

// some writes a text unless it is empty.
func (w *writer) some(indent int, key, text string) {
	if text != "" {
		w.text(indent, key, text)
	}
}

func (w *writer) boolean(indent int, key string, b bool) {
	w.Key(indent, key)
	w.Bool(b)
}

func (w *writer) list(indent int, key string, texts []string) {
	if len(texts) == 0 {
		return
	}
	w.Key(indent, key)
	for _, text := range texts {
		w.Item(indent)
		w.String(indent, text)
	}
}

func (w *writer) strings(indent int, key string, texts map[string]string) {
	if len(texts) == 0 {
		return
	}
	w.Key(indent, key)
	for _, name := range slices.SortedFunc(maps.Keys(texts), yamltext.CompareKeys) {
		w.text(indent+2, name, texts[name])
	}
}

func (w *writer) version(indent int, v versionEntry) {
	if len(v.columns) > 0 {
		w.Key(indent, "additionalPrinterColumns")
		for _, c := range v.columns {
			w.Item(indent)
			w.some(indent+2, "description", c.Description)
			w.some(indent+2, "format", c.Format)
			w.text(indent+2, "jsonPath", c.Path)
			w.text(indent+2, "name", c.Name)
			if c.Priority != 0 {
				w.Key(indent+2, "priority")
				w.Number(strconv.Itoa(c.Priority))
			}
			w.text(indent+2, "type", c.Type)
		}
	}
	if v.deprecated {
		w.boolean(indent, "deprecated", true)
	}
	if v.warning != nil {
		w.text(indent, "deprecationWarning", *v.warning)
	}
	w.text(indent, "name", v.name)
	w.Key(indent, "schema")
	w.Key(indent+2, "openAPIV3Schema")
	if !v.schema.Write(&w.Writer, indent+4) {
		w.Plain("{}")
	}
	if len(v.selectable) > 0 {
		w.Key(indent, "selectableFields")
		for _, path := range v.selectable {
			w.Item(indent)
			w.text(indent+2, "jsonPath", path)
		}
	}
	w.boolean(indent, "served", v.served)
	w.boolean(indent, "storage", v.storage)
	w.subresources(indent, v)
}

func (w *writer) subresources(indent int, v versionEntry) {
	if !v.subresources {
		return
	}
	w.Key(indent, "subresources")
	if v.scale == nil && !v.status {
		w.Plain("{}")
		return
	}
	if s := v.scale; s != nil {
		w.Key(indent+2, "scale")
		if s.selector != nil {
			w.text(indent+4, "labelSelectorPath", *s.selector)
		}
		w.text(indent+4, "specReplicasPath", s.specReplicas)
		w.text(indent+4, "statusReplicasPath", s.statusReplicas)
	}
	if v.status {
		w.Key(indent+2, "status")
		w.Plain("{}")
	}
}
