package crd

import (
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/goschema"
	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/openapi"
	"github.com/kubegen/kubegen/internal/parallel"
	"github.com/kubegen/kubegen/internal/registration"
)

// Options determine the contents of manifests.
type Options struct {
	goschema.Options
	DescriptionLimit      *int   // maximum size of each description in bytes; 0 leaves descriptions out, nil means no limit
	Header                string // text above each manifest, such as a license
	PreserveUnknownFields *bool  // spec.preserveUnknownFields, which controller-gen calls deprecatedV1beta1CompatibilityPreserveUnknownFields
	Tool                  string // value of Annotation; "" for no annotation
	Unchecked             bool   // skip validation
}

// File is a manifest.
type File struct {
	Name    string // GROUP_PLURAL.yaml
	Content []byte

	*output
}

// Annotation is the key of the annotation with the name or version of the tool that wrote a manifest. Tool is its value
// in manifests of kubegen.
const (
	Annotation = "controller-gen.kubebuilder.io/version"
	Tool       = "kubegen"
)

// kind is a kind with its versions.
type kind struct {
	group, name string
	versions    []version
}

// version is a version of a kind, with the declaration of its type.
type version struct {
	name     string
	decl     *gotypes.Declaration
	settings []markers.Setting
}

// Manifests is the result of Generate.
type Manifests struct {
	Files  []File   // ordered by name
	Groups []string // API groups of the packages, including groups without kinds

	fset *token.FileSet
}

// Generate returns the manifests of all kinds that packages declare. It adds errors and warnings to diags.
func Generate(types *gotypes.Reader, packages []*load.Package, options Options, diags *diag.List) Manifests {
	types.Preload(likely(packages)...)
	reader := goschema.NewReader(types, options.Options, diags)
	kinds, groups := kindsOf(types, reader, packages, diags)
	var all []*output
	for _, k := range kinds {
		if m := k.manifest(types, reader, options, diags); m != nil {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b *output) int { return strings.Compare(a.file(), b.file()) })
	if !options.Unchecked {
		reader.Duplicates()
		reportStray(reader, packages, kinds)
		checkSameNames(all, diags)
	}
	parallel.Each(all, func(m *output) {
		m.content = m.text(options.Header)
		if !options.Unchecked {
			m.check(types.Fset)
		}
	})
	if !options.Unchecked {
		checkSizes(all, options, diags)
	}
	found := Manifests{Groups: groups, fset: types.Fset}
	for _, m := range all {
		*diags = append(*diags, m.diags...)
		found.Files = append(found.Files, File{m.file(), m.content, m})
	}
	return found
}

// likely returns the packages whose types are probably needed: the imports of packages that may declare kinds. Listing
// many packages takes little longer than listing one.
func likely(packages []*load.Package) (paths []string) {
	for _, src := range packages {
		if !src.Mentions("ObjectMeta") {
			continue
		}
		for _, f := range src.Files {
			for _, path := range f.Imports() {
				if !model.IsStandard(path) {
					paths = append(paths, path)
				}
			}
		}
	}
	if slices.Contains(paths, model.MetaV1) {
		for _, name := range []string{"api/resource", "runtime", "types", "util/intstr"} {
			paths = append(paths, "k8s.io/apimachinery/pkg/"+name)
		}
	}
	return paths
}

// kindsOf returns the kinds of packages, ordered by name and group, with versions ordered by name, and all groups. If
// one package of a group declares a kind, then types of this name in other packages of the group are versions of it,
// even if they are not declared as kinds.
func kindsOf(types *gotypes.Reader, reader *goschema.Reader, packages []*load.Package, diags *diag.List) (kinds []*kind, groups []string) {
	byName := map[[2]string]*kind{}
	members := map[string][]member{} // packages with kinds, by group
	for _, src := range packages {
		group, name, marked, ok := groupVersion(types, reader, src)
		if !ok {
			continue
		}
		if group != "" {
			members[group] = append(members[group], member{name, src})
		}
		found := types.Kinds(src)
		if group == "" && len(found) > 0 && !marked {
			diags.Warnf(types.Fset.Position(found[0].Pos), "package %s has no API group, so its kinds have no manifests", src.Path).
				Suggest("write // +groupName=example.com above its package clause, or // +kubebuilder:skip if it has no kinds of its own")
		}
		for _, d := range found {
			if key := [2]string{group, d.Name}; group != "" && byName[key] == nil {
				byName[key] = &kind{group: group, name: d.Name}
				kinds = append(kinds, byName[key])
			}
		}
	}
	slices.SortFunc(kinds, func(a, b *kind) int { return strings.Compare(a.name+"."+a.group, b.name+"."+b.group) })
	for _, k := range kinds {
		for _, m := range members[k.group] {
			d := types.Declared(m.src, k.name)
			if d == nil {
				continue
			}
			if i := slices.IndexFunc(k.versions, func(other version) bool { return other.name == m.version }); i >= 0 {
				diags.Errorf(types.Fset.Position(d.Pos), "%s of %s/%s is declared twice", d.Name, k.group, m.version).
					SaidAt(types.Fset.Position(k.versions[i].decl.Pos)).Suggest("give one of the packages another version, or +kubebuilder:skip")
				continue
			}
			k.versions = append(k.versions, version{name: m.version, decl: d, settings: reader.TypeSettings(d)})
		}
		slices.SortFunc(k.versions, func(a, b version) int { return strings.Compare(a.name, b.name) })
	}
	return kinds, slices.Sorted(maps.Keys(members))
}

// member is a package that declares a version of a group.
type member struct {
	version string
	src     *load.Package
}

// groupVersion returns the group and version of the kinds in a package: from markers, or else from its variable
// SchemeGroupVersion or GroupVersion. marked reports whether a marker sets the group. ok is false for skipped packages
// and internal types.
func groupVersion(types *gotypes.Reader, reader *goschema.Reader, src *load.Package) (group, version string, marked, ok bool) {
	settings := reader.PackageSettings(src)
	version = src.Name
	for _, m := range slices.Backward(settings) { // the first marker counts
		switch m.Name {
		case "kubebuilder:skip":
			return "", "", false, false
		case "groupName":
			group, marked = textOf(m), true
		case "versionName":
			version = textOf(m)
		}
	}
	if marked {
		return group, version, true, true
	}
	declared := registration.Declared(types.Loader, src)
	if declared.Group != nil {
		group = *declared.Group
	}
	if declared.Version != nil && *declared.Version != "" {
		version = *declared.Version
	}
	return group, version, false, version != model.InternalVersion
}

func textOf(m markers.Setting) string {
	text, _ := m.Value.(string)
	return text
}

// manifest derives the manifest of a kind, or returns nil if all versions are skipped.
func (k *kind) manifest(types *gotypes.Reader, reader *goschema.Reader, options Options, diags *diag.List) *output {
	m := &output{
		group: k.group, kind: k.name, listKind: k.name + "List", plural: pluralOf(k.name), singular: strings.ToLower(k.name), scope: "Namespaced",
		preserve: options.PreserveUnknownFields, annotations: map[string]string{}, labels: map[string]string{},
	}
	if options.Tool != "" {
		m.annotations[Annotation] = options.Tool
	}
	var first token.Position
	for _, v := range k.versions {
		if slices.ContainsFunc(v.settings, func(s markers.Setting) bool { return s.Name == "kubebuilder:skipversion" }) {
			continue
		}
		if !first.IsValid() {
			first = types.Fset.Position(v.decl.Pos)
		}
		s := reader.Schema(v.decl)
		if options.DescriptionLimit != nil {
			s.LimitDescriptions(*options.DescriptionLimit)
		}
		for i := range s.Properties {
			if s.Properties[i].Name == "metadata" {
				s.Properties[i].Schema = &openapi.Schema{Type: "object"}
			}
		}
		m.versions = append(m.versions, versionEntry{name: v.name, typ: v.decl.TypeRef, served: true, schema: s, origin: origin{
			types.Fset.Position(v.decl.Pos), v.settings, reader.PackageSettings(v.decl.Package),
		}})
		m.apply(&m.versions[len(m.versions)-1], v.settings, diags)
	}
	if len(m.versions) == 0 {
		return nil
	}
	if len(m.versions) == 1 {
		m.versions[0].storage = true
	}
	stored, served := 0, 0
	for _, v := range m.versions {
		if v.storage {
			stored++
		}
		if v.served {
			served++
		}
	}
	switch {
	case stored == 0:
		diags.Errorf(first, "%s has no storage version", k.name).Suggest("write +kubebuilder:storageversion above the type of one version")
	case stored > 1:
		diags.Errorf(first, "%d versions of %s have +kubebuilder:storageversion", stored, k.name).Suggest("keep it above the type of one version")
	}
	if served == 0 {
		diags.Errorf(first, "no version of %s is served", k.name).Suggest("remove +kubebuilder:unservedversion from one of them")
	}
	return m
}

// apply applies the markers above a type to its version and to the manifest. If versions set a property of the manifest
// differently, the last version counts.
func (m *output) apply(v *versionEntry, settings []markers.Setting, diags *diag.List) {
	var resource markers.Setting
	for _, s := range settings {
		switch strings.TrimPrefix(s.Name, "kubebuilder:") {
		case "subresource:status":
			v.subresources, v.status = true, true
		case "subresource:scale":
			v.subresources = true
			v.scale = &scale{specReplicas: s.String("specpath"), statusReplicas: s.String("statuspath")}
			if selector, ok := s.Arguments["selectorpath"].(string); ok {
				v.scale.selector = &selector
			}
		case "storageversion":
			v.storage = true
		case "unservedversion":
			v.served = false
		case "deprecatedversion":
			v.deprecated = true
			if warning, ok := s.Arguments["warning"].(string); ok {
				v.warning = &warning
			}
		case "printcolumn":
			v.subresources = true // controller-gen then writes empty subresources
			priority, _ := s.Arguments["priority"].(int)
			v.columns = append(v.columns, Column{
				Name: s.String("name"), Type: s.String("type"), Path: s.String("JSONPath"), Description: s.String("description"),
				Format: s.String("format"), Priority: priority,
			})
		case "selectablefield":
			v.selectable = append(v.selectable, s.String("JSONPath"))
		case "resource":
			reportReplaced(resource, s, diags)
			resource = s
			m.resource(s)
		case markers.NamesMarker:
			m.names(s)
		case "metadata":
			m.metadata(s, diags)
		}
	}
}

// names sets the kinds of objects and lists from a marker.
func (m *output) names(s markers.Setting) {
	if kind := s.String("kind"); kind != "" {
		m.kind, m.listKind = kind, kind+"List"
	}
	if list := s.String("listKind"); list != "" {
		m.listKind = list
	}
}

// reportReplaced warns about lists in a marker if a later marker of the same name has other lists or none.
func reportReplaced(earlier, later markers.Setting, diags *diag.List) {
	for _, name := range []string{"shortName", "categories"} {
		if list := earlier.Strings(name); len(list) > 0 && !slices.Equal(list, later.Strings(name)) {
			diags.Warnf(earlier.Pos, "%s= of +%s has no effect, because a later one overrides it", name, earlier.Name).SaidAt(later.Pos).Suggest("merge the two markers")
		}
	}
}

func (m *output) resource(s markers.Setting) {
	if path := s.String("path"); path != "" {
		m.plural = path
	}
	if singular := s.String("singular"); singular != "" {
		m.singular = singular
	}
	m.shortNames, m.categories, m.scope = s.Strings("shortName"), s.Strings("categories"), "Namespaced"
	if scope := s.String("scope"); scope != "" {
		m.scope = scope
	}
}

func (m *output) metadata(s markers.Setting, diags *diag.List) {
	for name, into := range map[string]map[string]string{"annotations": m.annotations, "labels": m.labels} {
		for _, pair := range s.Strings(name) {
			key, value, ok := strings.Cut(pair, "=")
			if !ok {
				diags.Errorf(s.Pos, "%q in +%s is not of the form key=value", pair, s.Name).Suggest(`write it as in +kubebuilder:metadata:%s="key=value"`, name)
				continue
			}
			into[key] = value
		}
	}
}

// reportStray warns about markers without effect.
func reportStray(reader *goschema.Reader, packages []*load.Package, kinds []*kind) {
	declared := map[*gotypes.Declaration]bool{}
	for _, k := range kinds {
		for _, v := range k.versions {
			declared[v.decl] = true
		}
	}
	used := slices.DeleteFunc(slices.Clone(packages), func(src *load.Package) bool {
		return !src.Mentions("+kubebuilder:") && !src.Mentions("+groupName")
	})
	reader.Stray(used, declared)
}
