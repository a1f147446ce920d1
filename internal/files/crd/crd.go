// Package crd writes and reads CustomResourceDefinition manifests. It compares manifests with the types of an API,
// because a client whose scope or resource name differs from the deployed definition fails only at run time, and with
// older manifests.
package crd

import (
	"bytes"
	"cmp"
	"errors"
	"go/token"
	"io"
	"iter"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// MaxManifest is the maximum size of a file of manifests in bytes. It protects against files such as /dev/zero.
const MaxManifest = 64 << 20

// Definition holds the fields of a CustomResourceDefinition (apiextensions.k8s.io/v1) on which clients depend.
type Definition struct {
	Group, Plural, Singular, Kind, ListKind, Scope Value
	ShortNames, Categories                         []Value
	Metadata                                       Value  // metadata.name; may be absent
	Approved                                       string // value of ApprovedAnnotation
	Conversion                                     Value  // strategy of spec.conversion; may be absent
	Preserved                                      Value  // spec.preserveUnknownFields; may be absent
	Versions                                       []Version
	// Converted reports whether something else than Conversion, such as a patch, has objects converted. It may be nil.
	Converted func(name string) bool
}

// Name returns the name of the CustomResourceDefinition.
func (d *Definition) Name() string { return d.Plural.Text + "." + d.Group.Text }

// Value is a value in a manifest, with its position. The zero Value stands for an absent one.
type Value struct {
	Text string
	Pos  token.Position
}

// Version is a version of a Definition.
type Version struct {
	Name, Served, Storage Value
	Deprecated            bool
	Warning               *string // of a deprecated version
	warningAt             token.Position
	Status                Value // position of the status subresource; Text is always ""
	Scale                 *Scale
	Columns               []Column
	SelectableFields      []Value // JSON paths such as ".spec.image"

	schema  func() (*crdschema.Schema, []yamltext.Mistake) // nil if there is none
	columns []node                                         // in a manifest that was read
	derived
}

// Texts returns the texts of values.
func Texts(values []Value) (all []string) {
	for _, value := range values {
		all = append(all, value.Text)
	}
	return all
}

// Scale is a scale subresource.
type Scale struct {
	Pos                                    token.Position
	SpecReplicas, StatusReplicas, Selector Value // JSON paths such as ".spec.replicas"
}

// Read returns the definitions in a file of YAML documents or JSON, for comparison with types. It also reads lists of
// objects, and skips objects of other kinds, and patches, which have a name but neither a group nor versions.
func Read(file string, text []byte) ([]*Definition, diag.List) {
	return readAll(file, text, false, func(version Value, diags *diag.List) {
		diags.Warnf(version.Pos, "CustomResourceDefinitions of %s are not compared", version.Text).
			Suggest("convert it to apiextensions.k8s.io/v1, which API servers require since v1.22")
	})
}

// ReadComplete is like Read, but for generating types. It also skips patches without a name. Versions of
// apiextensions.k8s.io other than v1, and templates of manifests, are errors.
func ReadComplete(file string, text []byte) ([]*Definition, diag.List) {
	found, diags := readAll(file, text, true, func(version Value, diags *diag.List) {
		diags.Errorf(version.Pos, "cannot generate types from CustomResourceDefinitions of %s", version.Text).
			Suggest("convert it to apiextensions.k8s.io/v1, as kubectl get crd -o yaml prints it")
	})
	if pos := templateIn(file, text); pos.IsValid() {
		var diags diag.List
		diags.Errorf(pos, "this is a template, not a manifest").Suggest("import what helm template prints")
		return nil, diags
	}
	return found, diags
}

// templateIn returns the position of the first {{ if text is not YAML or has an object as a key, or else no position.
func templateIn(file string, text []byte) (pos token.Position) {
	at := bytes.Index(text, []byte("{{"))
	if at < 0 {
		return pos
	}
	pos = token.Position{Filename: file, Line: 1 + bytes.Count(text[:at], []byte("\n")), Column: at - bytes.LastIndexByte(text[:at], '\n')}
	decoder := yamltext.NewDecoder(text)
	for {
		var document yaml.Node
		switch err := decoder.Decode(&document); {
		case errors.Is(err, io.EOF):
			return token.Position{}
		case err != nil || hasObjectAsKey(&document):
			return pos
		}
	}
}

func hasObjectAsKey(n *yaml.Node) bool {
	for i, inner := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && inner.Kind == yaml.MappingNode || hasObjectAsKey(inner) {
			return true
		}
	}
	return false
}

// readAll returns the definitions in a file. If leaveOut is set, it skips whatever has neither a group nor versions;
// otherwise such objects without a name are errors. other reports a definition of a version other than v1.
func readAll(file string, text []byte, leaveOut bool, other func(version Value, diags *diag.List)) ([]*Definition, diag.List) {
	var definitions []*Definition
	var diags diag.List
	documents, err := yamltext.Read(text)
	if err != nil {
		pos, message := locate(file, text, err)
		diags.Errorf(pos, "cannot parse this manifest: %s", message).Suggest("correct it, or generate it again")
		return nil, diags
	}
	for _, d := range documents {
		before := len(definitions)
		for object := range objects(node{file, d.Node}) {
			found, mistakes := read(object, leaveOut, other)
			definitions, diags = append(definitions, found...), append(diags, mistakes...)
		}
		if len(definitions) == before {
			continue // mistakes in such a document do not matter
		}
		for _, m := range d.Mistakes {
			diags.Errorf(token.Position{Filename: file, Line: m.Line, Column: m.Column}, "this is not a valid manifest: %s", m.Message).
				Suggest("correct it, or generate it again")
		}
		for _, m := range d.Misread {
			diags.Warnf(token.Position{Filename: file, Line: m.Line, Column: m.Column}, "%s", m.Message).Suggest("quote it")
		}
	}
	return definitions, diags
}

// definitionKind is the kind of definitions.
const definitionKind = "CustomResourceDefinition"

// objects returns the objects in a document, also those in lists of objects. Deeper lists than a list in a list count
// as objects, because aliases allow a list to contain itself. An empty document has none.
func objects(document node) iter.Seq[node] {
	return func(yield func(node) bool) { eachObject(document.resolve(), 0, yield) }
}

func eachObject(object node, depth int, yield func(node) bool) bool {
	if items := object.at("items").resolve(); depth < 2 && items.node != nil && strings.HasSuffix(object.at("kind").value().Text, "List") {
		for _, item := range items.elements() {
			if !eachObject(item.resolve(), depth+1, yield) {
				return false
			}
		}
		return true
	}
	return object.node == nil || object.node.Tag == "!!null" || yield(object)
}

// read returns the definition in an object, or nil.
func read(object node, leaveOut bool, other func(Value, *diag.List)) (definitions []*Definition, diags diag.List) {
	kind := object.at("kind").value().Text
	version := object.at("apiVersion").value()
	group, number, _ := strings.Cut(version.Text, "/")
	switch {
	case kind != definitionKind || group != "apiextensions.k8s.io":
		return nil, diags
	case number != "v1":
		other(version, &diags)
		return nil, diags
	}
	spec := object.at("spec")
	names := spec.at("names")
	d := &Definition{
		Group: spec.at("group").value(), Plural: names.at("plural").value(), Singular: names.at("singular").value(),
		Kind:  names.at("kind").value(),
		Scope: spec.at("scope").value(), ListKind: names.at("listKind").value(), ShortNames: names.at("shortNames").values(),
		Categories: names.at("categories").values(), Metadata: object.at("metadata", "name").value(),
		Approved:   object.at("metadata", "annotations", ApprovedAnnotation).value().Text,
		Conversion: spec.at("conversion", "strategy").value(), Preserved: spec.at("preserveUnknownFields").value(),
	}
	if (leaveOut || d.Metadata.Text != "") && spec.at("group").node == nil && spec.at("versions").node == nil {
		return nil, diags // a patch of kustomize
	}
	for _, name := range []string{"group", "scope", "names.kind", "names.plural"} {
		if spec.at(strings.Split(name, ".")...).value().Text == "" {
			diags.Errorf(object.at("kind").value().Pos, "this CustomResourceDefinition has no spec.%s", name).Suggest("generate it again")
			return nil, diags
		}
	}
	for _, v := range spec.at("versions").elements() {
		if v.at("name").value().Text == "" {
			diags.Errorf(v.pos(), "a version of this CustomResourceDefinition has no name").Suggest("generate it again")
			return nil, diags
		}
		version := Version{
			Name: v.at("name").value(), Served: v.at("served").value(), Storage: v.at("storage").value(),
			Deprecated: v.at("deprecated").value().Text == "true", Columns: v.printed(), columns: v.at("additionalPrinterColumns").elements(),
		}
		if warning := v.at("deprecationWarning"); warning.node != nil {
			text := warning.value().Text
			version.Warning, version.warningAt = &text, warning.pos()
		}
		if status := v.at("subresources", "status"); status.node != nil {
			version.Status = Value{Pos: status.pos()}
		}
		if scale := v.at("subresources", "scale"); scale.node != nil {
			version.Scale = &Scale{
				scale.pos(), scale.at("specReplicasPath").value(), scale.at("statusReplicasPath").value(), scale.at("labelSelectorPath").value(),
			}
		}
		for _, field := range v.at("selectableFields").elements() {
			path := field.at("jsonPath").value()
			path.Pos = cmp.Or(path.Pos, field.pos())
			version.SelectableFields = append(version.SelectableFields, path)
		}
		if schema := v.at("schema", "openAPIV3Schema").node; schema != nil {
			version.schema = sync.OnceValues(func() (*crdschema.Schema, []yamltext.Mistake) { return crdschema.Parse(schema) })
		}
		if leaveOut && version.schema != nil {
			_, _ = version.schema() // a schema needs less memory than its nodes
		}
		d.Versions = append(d.Versions, version)
	}
	return []*Definition{d}, diags
}

// Schema returns the schema of a version, or nil if it has none, and errors in it.
func (v Version) Schema() (schema *crdschema.Schema, diags diag.List) {
	if v.schema == nil {
		return nil, nil
	}
	s, errs := v.schema()
	for _, err := range errs {
		diags.Errorf(
			token.Position{Filename: v.Name.Pos.Filename, Line: err.Line, Column: err.Column}, "cannot read this schema: %s", err.Message,
		).Suggest("correct it, or generate it again")
	}
	return s, diags
}

// written returns the schema of a version that is written. It has no errors.
func (v Version) written() *crdschema.Schema {
	schema, _ := v.schema()
	return schema
}

// node is a node of a document. The yaml.Node is nil if the node is absent.
type node struct {
	file string
	node *yaml.Node
}

// resolve follows documents and aliases to the node that they stand for.
func (n node) resolve() node {
	if n.node != nil && n.node.Kind == yaml.DocumentNode && len(n.node.Content) > 0 {
		n.node = n.node.Content[0]
	}
	if n.node != nil {
		n.node = yamltext.Resolved(n.node)
	}
	return n
}

// at returns the node at a path of keys. Null is equivalent to an absent key.
func (n node) at(keys ...string) node {
	for _, key := range keys {
		found := node{n.file, nil}
		for name, value := range n.entries() {
			if name == key && value.node.Tag != "!!null" {
				found = value
			}
		}
		n = found
	}
	return n
}

// elements returns the elements of a sequence.
func (n node) elements() []node {
	n = n.resolve()
	if n.node == nil || n.node.Kind != yaml.SequenceNode {
		return nil
	}
	var list []node
	for _, element := range n.node.Content {
		list = append(list, node{n.file, element})
	}
	return list
}

// entries returns the keys and values of a mapping.
func (n node) entries() iter.Seq2[string, node] {
	n = n.resolve()
	return func(yield func(string, node) bool) {
		for key, value := range yamltext.Entries(n.node) {
			if !yield(key.Value, node{n.file, value}) {
				return
			}
		}
	}
}

// values returns the elements of a sequence of scalars.
func (n node) values() (values []Value) {
	for _, element := range n.elements() {
		value := element.value()
		value.Pos = element.pos() // also if the element is not a scalar
		values = append(values, value)
	}
	return values
}

// printed returns the printer columns of a version.
func (n node) printed() (columns []Column) {
	for _, c := range n.at("additionalPrinterColumns").elements() {
		text := func(key string) string { return c.at(key).value().Text }
		priority, _ := strconv.Atoi(text("priority"))
		columns = append(columns, Column{text("name"), text("type"), text("jsonPath"), text("description"), text("format"), priority})
	}
	return columns
}

// value returns the value of a scalar. It is zero for other nodes.
func (n node) value() Value {
	n = n.resolve()
	if n.node == nil || n.node.Kind != yaml.ScalarNode {
		return Value{}
	}
	return Value{n.node.Value, n.pos()}
}

func (n node) pos() token.Position {
	return token.Position{Filename: n.file, Line: n.node.Line, Column: n.node.Column}
}

// locate returns the position and message of an error of a parser. Errors of the YAML parser contain a line at most.
func locate(file string, text []byte, err error) (token.Position, string) {
	mistake := yamltext.MistakesOf(err)[0]
	if mistake.Column == 0 {
		lines := bytes.SplitN(text, []byte("\n"), mistake.Line+1)
		last := lines[min(mistake.Line, len(lines))-1]
		mistake.Column = 1 + len(last) - len(bytes.TrimLeft(last, " \t"))
	}
	return token.Position{Filename: file, Line: mistake.Line, Column: mistake.Column}, mistake.Message
}

// Names reports whether text is a name of the definition, such as Certificate, Certificate.cert-manager.io or
// certificates.cert-manager.io.
func (d *Definition) Names(text string) bool {
	return text == d.Kind.Text || text == d.Kind.Text+"."+d.Group.Text || text == d.Name()
}
