package crd

import (
	"bytes"
	"cmp"
	"errors"
	"go/token"
	"io"
	"path/filepath"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// Template is a manifest that is written again with other schemas. Everything else in it stays, with comments.
type Template struct {
	Mistake *diag.Diagnostic // prevents new schemas; nil if there is none
	Leads   bool             // it is the first document of the file

	root    node
	text    []byte             // of the file
	schemas map[string]patched // set by Patch, for the versions that have a type
}

// patched is a new schema, and the position of its type.
type patched struct {
	*crdschema.Schema
	pos token.Position
}

// ReadTemplates returns the CustomResourceDefinitions in a file. Only one that is the whole file has no Mistake. A file
// that seems to have one, but is not YAML, such as a template of Helm, is a warning.
func ReadTemplates(file string, text []byte) (found []*Template, diags diag.List) {
	decoder := yamltext.NewDecoder(text)
	var documents []node
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) && len(documents) > 0 {
			break
		}
		if documents = append(documents, node{file, &document}); err != nil && len(documents) > 1 {
			break // the first one counts
		}
		if err != nil {
			pos, message := locate(file, text, err)
			warnUnread(text, pos, message, &diags)
			return nil, diags
		}
	}
	for i, document := range documents {
		for object := range objects(document) {
			if t := templateOf(object, text); t != nil {
				t.Leads = i == 0 && object == document.resolve()
				found = append(found, t)
			}
		}
	}
	if pos := templateIn(file, text); len(found) == 0 && pos.IsValid() {
		warnUnread(text, pos, "it is a template", &diags)
	}
	for _, t := range found {
		pos := t.root.at("kind").value().Pos
		switch {
		case t.Mistake != nil:
		case len(documents) > 1:
			t.Mistake = new(diag.List).Errorf(pos, "cannot replace schemas in a file with several documents").
				Suggest("split it: one file for each CustomResourceDefinition")
		case !t.Leads:
			t.Mistake = new(diag.List).Errorf(pos, "cannot replace schemas in a list").Suggest("write a file for each CustomResourceDefinition")
		}
	}
	return found, diags
}

// templateOf returns an object if it is a CustomResourceDefinition, or else nil.
func templateOf(object node, text []byte) *Template {
	version, kind := object.at("apiVersion").value(), object.at("kind").value()
	if version.Text == "" || kind.Text != definitionKind {
		return nil
	}
	t := &Template{root: object, text: text}
	if version.Text != "apiextensions.k8s.io/v1" {
		t.Mistake = new(diag.List).Errorf(version.Pos, "cannot replace schemas in a CustomResourceDefinition of %s", version.Text).
			Suggest("convert it to apiextensions.k8s.io/v1")
	}
	return t
}

// warnUnread reports a file that is not YAML, if it seems to have a CustomResourceDefinition.
func warnUnread(text []byte, pos token.Position, mistake string, diags *diag.List) {
	if bytes.Contains(text, []byte("kind: "+definitionKind)) {
		diags.Warnf(pos, "cannot replace schemas in this manifest: %s", mistake).Suggest("correct it, or move it to another directory")
	}
}

// File returns the name of the file.
func (t *Template) File() string { return t.root.file }

// Name returns the name of the CustomResourceDefinition, such as crontabs.stable.example.com.
func (t *Template) Name() string {
	spec := t.root.at("spec")
	d := Definition{Group: spec.at("group").value(), Plural: spec.at("names", "plural").value()}
	return d.Name()
}

// Patch replaces the schemas in manifests of the kinds in packages, and removes the schemas of versions without a type,
// as controller-gen does. Manifests of other kinds, or with no version that has a type, stay as they are. Each call
// starts from the text of the files. It returns all manifests, for comparison with past ones.
func Patch(templates []*Template, read *goschema.Markers, packages []*kinds.Package, options Options) (_ Manifests, diags diag.List) {
	definitions, diags := define(read, packages)
	reader := goschema.NewReader(read, options.Options)
	inOrder := slices.Clone(templates) // of kinds, for extend
	kindOf := func(t *Template) int { return slices.IndexFunc(definitions.kinds, t.isFor) }
	slices.SortStableFunc(inOrder, func(a, b *Template) int { return cmp.Compare(kindOf(a), kindOf(b)) })
	for _, t := range inOrder {
		t.read()
		spec := t.root.at("spec")
		group, kind := spec.at("group").value(), spec.at("names", "kind").value()
		i := kindOf(t)
		if i < 0 {
			if slices.Contains(definitions.groups, group.Text) {
				diags.Warnf(kind.Pos, "no package declares the kind %s of group %s: its schemas stay", kind.Text, group.Text).
					Suggest("correct the name, or delete the manifest if the kind is gone")
			}
			continue
		}
		if t.Mistake != nil {
			diags = append(diags, t.Mistake)
			continue
		}
		diags = append(diags, definitions.extend(definitions.kinds[i], reader.Reached())...)
		versions := spec.at("versions").elements()
		typeOf := func(version node) int {
			return slices.IndexFunc(definitions.kinds[i].versions, func(v *declared) bool {
				return v.Version == version.at("name").value().Text
			})
		}
		if !slices.ContainsFunc(versions, func(v node) bool { return typeOf(v) >= 0 }) {
			continue
		}
		remove(spec.node, "validation")
		for _, version := range versions {
			j := typeOf(version)
			if j < 0 {
				if remove(version.node, "schema") {
					diags.Warnf(version.pos(), "no package declares version %s of %s: its schema is removed", version.at("name").value().Text, kind.Text).
						Suggest("name all packages of the group")
				}
				continue
			}
			of := definitions.kinds[i].versions[j].typ
			reader.Edits().OfKind(of, kind.Text, version.at("name").value().Text, group.Text)
			schema, mistakes := options.schemaOf(reader, of)
			diags = append(diags, mistakes...)
			t.schemas[version.at("name").value().Text] = patched{schema, read.Types().Fset.Position(of.Pos)}
			if !options.SkipValidation {
				diags = append(diags, schema.Check(read.Types().Fset, version.at("subresources", "status").node != nil)...)
			}
			if !set(version.node, schema.Node(), "schema", "openAPIV3Schema") {
				diags.Errorf(version.pos(), "cannot replace the schema of this version: schema is not an object").Suggest("correct the manifest")
			}
		}
	}
	if !options.SkipValidation {
		reader.Duplicates(&diags)
	}
	diags = append(diags, reader.Edits().Mistakes()...)
	all := Manifests{Groups: definitions.groups, fset: read.Types().Fset, unmatched: reader.Edits().Unmatched()}
	for _, t := range templates {
		if d := t.Definition(); d != nil {
			d.Converted = options.Converted
			all.Files = append(all.Files, File{Name: filepath.Base(t.File()), output: &output{Definition: *d}})
		}
	}
	return all, diags
}

// isFor reports whether the manifest is for a kind.
func (t *Template) isFor(k *definition) bool {
	spec := t.root.at("spec")
	return k.group == spec.at("group").value().Text && k.name == spec.at("names", "kind").value().Text
}

// Definition returns the definition in the manifest with new schemas, or nil if there is none with versions.
func (t *Template) Definition() *Definition {
	found, _ := read(t.root, true, func(Value, *diag.List) {}) // without a definition, there is nothing to compare
	if len(found) != 1 || len(found[0].Versions) == 0 {
		return nil
	}
	for i := range found[0].Versions {
		v := &found[0].Versions[i]
		v.origin.pos = v.Name.Pos
		if p, ok := t.schemas[v.Name.Text]; ok {
			v.origin.pos, v.schema = p.pos, func() (*crdschema.Schema, []yamltext.Mistake) { return p.Schema, nil }
		}
	}
	return found[0]
}

// read reads the only document of the file again.
func (t *Template) read() {
	if t.schemas = map[string]patched{}; t.Mistake != nil {
		return
	}
	t.root.node = &yaml.Node{}
	_ = yamltext.NewDecoder(t.text).Decode(t.root.node) // cannot fail: ReadTemplate has read it
}

// Update returns the new text of the file. ok is false if Patch has replaced no schema in it. If all schemas are as
// they were, the text is, too, in whatever layout and order of keys.
func (t *Template) Update() (text []byte, ok bool, err error) {
	if len(t.schemas) == 0 {
		return nil, false, nil
	}
	before := *t
	before.read()
	var old, now any
	if before.root.node.Decode(&old) == nil && t.root.node.Decode(&now) == nil && reflect.DeepEqual(old, now) {
		return t.text, true, nil
	}
	text, err = t.Content()
	return text, true, err
}

// Content returns the manifest as YAML, in the layout of controller-gen.
func (t *Template) Content() ([]byte, error) { return yamltext.Indented(t.root.node) }

// set replaces the value at a path of keys in an object, and adds missing keys in quotes. ok is false if an existing
// value on the path is not an object.
func set(object, value *yaml.Node, keys ...string) (ok bool) {
	for _, key := range keys {
		if object.Kind != yaml.MappingNode {
			return false
		}
		i := indexOf(object, key)
		if i < 0 {
			i = len(object.Content)
			object.Content = append(
				object.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: key},
				&yaml.Node{Kind: yaml.MappingNode},
			)
		}
		object = object.Content[i+1]
	}
	*object = *value
	return true
}

// remove removes a key of an object, and reports whether the object had it.
func remove(object *yaml.Node, key string) bool {
	i := indexOf(object, key)
	if i < 0 {
		return false
	}
	object.Content = slices.Delete(object.Content, i, i+2)
	return true
}

// indexOf returns the index of a key among the keys and values of an object, or -1.
func indexOf(object *yaml.Node, key string) int {
	for i := 0; object.Kind == yaml.MappingNode && i+1 < len(object.Content); i += 2 {
		if object.Content[i].Value == key {
			return i
		}
	}
	return -1
}
