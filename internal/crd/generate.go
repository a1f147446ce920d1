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

// Options determine what manifests contain.
type Options struct {
	goschema.Options
	DescriptionLimit      *int   // bytes of each description; 0 leaves them out, nil is no limit
	Header                string // text above each manifest, such as a license
	PreserveUnknownFields *bool  // spec.preserveUnknownFields, which controller-gen calls deprecatedV1beta1CompatibilityPreserveUnknownFields
	Tool                  string // value of the annotation that names the tool; "" for none
	Unchecked             bool   // leave out what is no part of deriving manifests, but tells whether a server accepts them
}

// File is a manifest.
type File struct {
	Name    string // GROUP_PLURAL.yaml
	Content []byte

	*output
}

// Annotation is the key of the annotation with the name or version of the tool that wrote a manifest, and Tool its value in those of
// kubegen.
const (
	Annotation = "controller-gen.kubebuilder.io/version"
	Tool       = "kubegen"
)

// kind is a kind over its versions.
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

// Manifests are those of the kinds of some packages.
type Manifests struct {
	Files  []File   // ordered by name
	Groups []string // of the packages, even if they have no kinds

	fset *token.FileSet
}

// Generate returns the manifests of all kinds that packages declare, and adds what is wrong with them to a list.
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

// likely returns the packages of which types will probably be needed, if there are kinds: listing many takes little longer than one.
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

// kindsOf finds the groups and kinds of packages, ordered by group and name, and their versions by name. Where one package of a group declares a kind,
// a type of that name in another is a version of it, even if it is declared as another type.
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

// member is a package with a version of a group.
type member struct {
	version string
	src     *load.Package
}

// groupVersion returns the group and version of a package's kinds: those of its markers, or else of its variable SchemeGroupVersion or
// GroupVersion. marked says that a marker gives the group; ok is false if the package has no kinds of its own.
func groupVersion(types *gotypes.Reader, reader *goschema.Reader, src *load.Package) (group, version string, marked, ok bool) {
	settings := reader.PackageSettings(src)
	version = src.Name
	for _, m := range slices.Backward(settings) { // the first one counts
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

// manifest derives the manifest of a kind; nil if it has no versions.
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
		diags.Errorf(first, "no version of %s is the one in which objects are stored", k.name).Suggest("write +kubebuilder:storageversion above the type of one version")
	case stored > 1:
		diags.Errorf(first, "%d versions of %s have +kubebuilder:storageversion", stored, k.name).Suggest("keep it above the type of one version")
	}
	if served == 0 {
		diags.Errorf(first, "no version of %s is served", k.name).Suggest("remove +kubebuilder:unservedversion from one of them")
	}
	return m
}

// apply sets what the markers above a type say about a version, and about all of them. Of two versions that say different things about all,
// the later one counts.
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
			v.subresources = true // controller-gen writes an empty one
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

// names sets the kinds that objects and lists have.
func (m *output) names(s markers.Setting) {
	if kind := s.String("kind"); kind != "" {
		m.kind, m.listKind = kind, kind+"List"
	}
	if list := s.String("listKind"); list != "" {
		m.listKind = list
	}
}

// reportReplaced warns of the lists of a marker for which another one, of the same kind, has other lists or none.
func reportReplaced(earlier, later markers.Setting, diags *diag.List) {
	for _, name := range []string{"shortName", "categories"} {
		if list := earlier.Strings(name); len(list) > 0 && !slices.Equal(list, later.Strings(name)) {
			diags.Warnf(earlier.Pos, "%s= of +%s has no effect, because another one follows", name, earlier.Name).SaidAt(later.Pos).Suggest("merge the two markers")
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

// reportStray warns of markers without effect in the packages of kinds.
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
