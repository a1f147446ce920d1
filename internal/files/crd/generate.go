package crd

import (
	"cmp"
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/parallel"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// Options determine the contents of manifests.
type Options struct {
	goschema.Options
	DescriptionLimit      *int   // maximum size of each description in bytes; 0 leaves descriptions out, nil means no limit
	Header                string // text above each manifest, such as a license
	PreserveUnknownFields *bool  // spec.preserveUnknownFields, which controller-gen calls deprecatedV1beta1CompatibilityPreserveUnknownFields
	Tool                  string // value of Annotation; "" for no annotation
	SkipValidation        bool
	Converted             func(name string) bool                       // reports whether others add a conversion to a CustomResourceDefinition; nil if none
	Existing              func(file string) (name string, text []byte) // returns the manifest that the new one replaces; nil if none
}

// File is a manifest.
type File struct {
	Name    string // GROUP_PLURAL.yaml
	Content []byte

	*output
}

// Kind returns the kind and the group, as KIND.GROUP.
func (f File) Kind() string { return f.output.Kind.Text + "." + f.Group.Text }

// Annotation is the key of the annotation with the name or version of the tool that wrote a manifest. Tool is its value
// in manifests of kubegen.
const (
	Annotation = "controller-gen.kubebuilder.io/version"
	Tool       = "kubegen"
)

// Manifests is the result of Generate.
type Manifests struct {
	Files  []File   // ordered by name
	Groups []string // API groups of the packages, including groups without kinds

	fset      *token.FileSet
	unmatched diag.List // edits of schemas
}

// Generate returns the manifests of the kinds in packages, whose markers it reads with read.
func Generate(read *goschema.Markers, packages []*kinds.Package, options Options) (_ Manifests, diags diag.List) {
	types, reader := read.Types(), goschema.NewReader(read, options.Options)
	all, definitions, diags := deriveAll(reader, packages, options)
	for _, m := range all {
		m.checkStored(&diags)
		m.converted = len(m.Versions) > 1 && !options.SkipValidation && m.isConverted(types, options)
	}
	if !options.SkipValidation {
		reader.Duplicates(&diags)
		diags = append(diags, definitions.stray(reader, diags)...)
		checkSameNames(all, &diags)
	}
	parallel.Each(all, func(m *output) {
		m.content = yamltext.WriteManifest(options.Header, m.object())
		if !options.SkipValidation {
			m.check(types.Fset)
		}
	})
	if !options.SkipValidation {
		checkSizes(all, options, &diags)
	}
	diags = append(diags, reader.Edits().Mistakes()...)
	found := Manifests{Groups: definitions.groups, fset: types.Fset, unmatched: reader.Edits().Unmatched()}
	for _, m := range all {
		diags = append(diags, m.diags...)
		found.Files = append(found.Files, File{m.file(), m.content, m})
	}
	return found, diags
}

// Describe returns the CustomResourceDefinitions of the kinds in packages, ordered by the names of their files, and the
// packages of API groups, with their group and version. Mistakes in types are warnings. It does not check what an API
// server refuses.
func Describe(
	reader *goschema.Reader, packages []*kinds.Package, options Options,
) (found []*Definition, ofGroups []Member, diags diag.List) {
	all, definitions, diags := deriveAll(reader, packages, options)
	for _, d := range diags {
		d.Severity = diag.Warning
	}
	for _, m := range all {
		found = append(found, &m.Definition)
	}
	for _, group := range definitions.groups {
		ofGroups = append(ofGroups, definitions.members[group]...)
	}
	return found, ofGroups, diags
}

// deriveAll derives the manifests of the kinds in packages, ordered by the names of their files.
func deriveAll(reader *goschema.Reader, packages []*kinds.Package, options Options) (all []*output, _ *definitions, diags diag.List) {
	definitions, diags := define(reader.Markers, packages)
	for _, k := range definitions.kinds {
		further := definitions.extend(k, reader.Reached())
		m, mistakes := derive(k, reader, options)
		if diags = slices.Concat(diags, further, mistakes); m != nil {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b *output) int { return strings.Compare(a.file(), b.file()) })
	return all, definitions, diags
}

// schemaOf returns the schema of the type of a version.
func (o Options) schemaOf(reader *goschema.Reader, d *gotypes.Declaration) (*crdschema.Schema, diag.List) {
	s, mistakes := reader.Schema(d)
	if o.DescriptionLimit != nil {
		limitDescriptions(s, *o.DescriptionLimit)
	}
	if i := s.Index("metadata"); i >= 0 {
		s.Properties[i].Schema = &crdschema.Schema{Type: "object"}
	}
	return s, mistakes
}

// derive returns the manifest of a kind, or nil if all versions are skipped.
func derive(k *definition, reader *goschema.Reader, options Options) (_ *output, diags diag.List) {
	m := &output{
		Definition: Definition{
			Group: Value{Text: k.group}, Kind: Value{Text: k.name}, ListKind: Value{Text: k.name + "List"},
			Plural: Value{Text: model.ManifestPlural(k.name)}, Singular: Value{Text: strings.ToLower(k.name)}, Scope: Value{Text: "Namespaced"},
		},
		preserve: options.PreserveUnknownFields, annotations: map[string]string{}, labels: map[string]string{},
	}
	if options.Tool != "" {
		m.annotations[Annotation] = options.Tool
	}
	for _, v := range k.versions {
		name := k.name
		for _, s := range v.markers {
			if s.Name == markers.NamesMarker {
				name = cmp.Or(s.String("kind"), name)
			}
		}
		reader.Edits().OfKind(v.typ, name, v.Version, k.group)
	}
	for _, v := range k.versions {
		ofPackage := reader.OfPackage(v.Source).Markers // define reports the mistakes in them
		if skips(v.markers, ofPackage) {
			if model.HasMarker(v.markers, "kubebuilder:skipversion") {
				reader.Reach(v.typ) // for definitions.extend
			}
			continue
		}
		schema, mistakes := options.schemaOf(reader, v.typ)
		m.Versions = append(m.Versions, Version{
			Name: Value{Text: v.Version}, Served: Value{Text: "true"},
			schema:  func() (*crdschema.Schema, []yamltext.Mistake) { return schema, nil },
			derived: derived{typ: v.typ, origin: origin{v.pos, v.markers, ofPackage}},
		})
		diags = slices.Concat(diags, mistakes, m.apply(&m.Versions[len(m.Versions)-1], v.markers))
	}
	if len(m.Versions) == 0 {
		return nil, diags
	}
	if len(m.Versions) == 1 {
		m.Versions[0].Storage.Text = "true"
	}
	m.place()
	if options.Existing != nil {
		name, text := options.Existing(m.file())
		diags = append(diags, m.keep(name, text)...)
	}
	m.of = k
	return m, diags
}

// isConverted reports whether objects are converted from version to version.
func (m *output) isConverted(types *gotypes.Reader, options Options) bool {
	some := func(is func(v *declared) bool) bool { return slices.ContainsFunc(m.of.versions, is) }
	return m.conversion["strategy"] == webhook || options.Converted != nil && options.Converted(m.Name()) ||
		some(func(v *declared) bool {
			return model.HasMarker(v.markers, markers.ConversionMarker) || v.isConverted(types)
		}) || some(func(v *declared) bool { return v.Converted }) && some(func(v *declared) bool { return v.isHub(types) })
}

// checkStored reports the storage version and served versions if they are too few or too many.
func (m *output) checkStored(diags *diag.List) {
	stored, served := 0, 0
	for _, v := range m.Versions {
		if v.Storage.Text == "true" {
			stored++
		}
		if v.Served.Text == "true" {
			served++
		}
	}
	first, name := m.Versions[0].pos, m.Versions[0].typ.Name
	switch {
	case stored == 0:
		diags.Errorf(first, "%s has no storage version", name).Suggest("write +kubebuilder:storageversion above the type of one version").
			Or("add it with %s", diag.Setting("versions"))
	case stored > 1:
		diags.Errorf(first, "%d versions of %s are storage versions", stored, name).
			Suggest("keep +kubebuilder:storageversion above the type of one of them").Or("choose one with %s", diag.Setting("versions"))
	}
	if served == 0 {
		diags.Errorf(first, "no version of %s is served", name).Suggest("remove +kubebuilder:unservedversion from one of them").
			Or("add one with %s", diag.Setting("versions"))
	}
}

// place sets the positions of names.
func (m *output) place() {
	m.Group.Pos = m.Versions[0].above("groupName")
	pos := m.last("resource")
	m.Plural.Pos, m.Singular.Pos, m.Scope.Pos = pos, pos, pos
	for _, names := range [][]Value{m.ShortNames, m.Categories} {
		for i := range names {
			names[i].Pos = pos
		}
	}
	for i := range m.Versions {
		v := &m.Versions[i]
		v.Name.Pos, v.warningAt = v.above("versionName"), v.at("deprecatedversion", 0)
	}
}

// apply applies the markers above a type to its version and to the manifest. If versions set a property of the manifest
// differently, the last version counts.
func (m *output) apply(v *Version, marked []model.Marker) (diags diag.List) {
	var resource model.Marker
	for _, s := range marked {
		switch strings.TrimPrefix(s.Name, "kubebuilder:") {
		case "subresource:status":
			v.subresources, v.Status = true, Value{Pos: s.Pos}
		case "subresource:scale":
			v.subresources = true
			v.Scale = &Scale{Pos: s.Pos, SpecReplicas: Value{Text: s.String("specpath")}, StatusReplicas: Value{Text: s.String("statuspath")}}
			if selector, ok := s.Arguments["selectorpath"].(string); ok {
				v.Scale.Selector = Value{selector, s.Pos}
			}
		case "storageversion":
			v.Storage.Text = "true"
		case "unservedversion":
			v.Served.Text = "false"
		case "deprecatedversion":
			v.Deprecated = true
			if warning, ok := s.Arguments["warning"].(string); ok {
				v.Warning = &warning
			}
		case "printcolumn":
			v.subresources = true // controller-gen then writes empty subresources
			priority, _ := s.Arguments["priority"].(int)
			v.Columns = append(v.Columns, Column{
				Name: s.String("name"), Type: s.String("type"), Path: s.String("JSONPath"), Description: s.String("description"),
				Format: s.String("format"), Priority: priority,
			})
		case "selectablefield":
			v.SelectableFields = append(v.SelectableFields, Value{s.String("JSONPath"), s.Pos})
		case "resource":
			reportReplaced(resource, s, &diags)
			resource = s
			m.resource(s)
		case markers.NamesMarker:
			m.names(s)
		case markers.ConversionMarker:
			m.convert(s, &diags)
		case "metadata":
			m.metadata(s, &diags)
		}
	}
	return diags
}

// names sets the kinds of objects and lists from a marker.
func (m *output) names(s model.Marker) {
	if kind := s.String("kind"); kind != "" {
		m.Kind.Text, m.ListKind.Text = kind, kind+"List"
	}
	m.ListKind.Text = cmp.Or(s.String("listKind"), m.ListKind.Text)
}

// reportReplaced warns about lists in a marker if a later marker of the same name has other lists or none.
func reportReplaced(earlier, later model.Marker, diags *diag.List) {
	for _, name := range []string{"shortName", "categories"} {
		if list := earlier.Strings(name); len(list) > 0 && !slices.Equal(list, later.Strings(name)) {
			diags.Warnf(earlier.Pos, "%s= of +%s has no effect, because a later one overrides it", name, earlier.Name).WithRelated(later.Pos).
				Suggest("merge the two markers")
		}
	}
}

func (m *output) resource(s model.Marker) {
	m.Plural.Text, m.Singular.Text = cmp.Or(s.String("path"), m.Plural.Text), cmp.Or(s.String("singular"), m.Singular.Text)
	m.ShortNames, m.Categories = values(s.Strings("shortName")), values(s.Strings("categories"))
	m.Scope.Text = cmp.Or(s.String("scope"), "Namespaced")
}

func values(texts []string) (all []Value) {
	for _, text := range texts {
		all = append(all, Value{Text: text})
	}
	return all
}

func (m *output) metadata(s model.Marker, diags *diag.List) {
	for name, into := range map[string]map[string]string{"annotations": m.annotations, "labels": m.labels} {
		for _, pair := range s.Strings(name) {
			key, value, ok := strings.Cut(pair, "=")
			if !ok {
				diags.Errorf(s.Pos, "%q in +%s is not of the form key=value", pair, s.Name).
					Suggest(`write it as in +kubebuilder:metadata:%s="key=value"`, name)
				continue
			}
			into[key] = value
		}
	}
}

// stray returns warnings about markers without effect in lines without earlier diagnostics.
func (all *definitions) stray(reader *goschema.Reader, earlier diag.List) diag.List {
	ofKinds := map[*gotypes.Declaration]bool{}
	for _, k := range all.kinds {
		for _, v := range k.versions {
			ofKinds[v.typ] = true
		}
	}
	var used []*load.Package
	prefixes := []string{"+kubebuilder:", "+groupName", "+" + markers.GateMarker, "+" + markers.ConversionMarker, "+openshift:"}
	for _, pkg := range all.packages {
		if slices.ContainsFunc(prefixes, pkg.Source.Mentions) {
			used = append(used, pkg.Source)
		}
	}
	return reader.Stray(used, ofKinds, earlier)
}
