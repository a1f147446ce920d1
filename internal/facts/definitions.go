package facts

import (
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/goschema"
	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/kinds"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/registration"
)

// Definitions are the kinds of packages for which CustomResourceDefinitions are written.
type Definitions struct {
	Kinds    []*Definition // ordered by name and group
	Groups   []string      // of the packages, including groups without kinds; ordered
	Packages []*load.Package

	reached map[string][]member // other packages, by group; see Extend
	seen    int                 // the number of packages that Extend has read
}

// Definition is a kind with its versions, ordered by name.
type Definition struct {
	Group, Name string
	Versions    []DefinedVersion
}

// DefinedVersion is a version of a kind, with the declaration of its type and the markers above it.
type DefinedVersion struct {
	Name    string
	Type    *gotypes.Declaration
	Markers []model.Marker
	off     bool // feature gates leave out the package
}

// Skipped reports whether a marker or feature gates leave the version out of the manifest.
func (v DefinedVersion) Skipped() bool {
	_, off := markers.Off(v.Markers)
	return off || v.off || model.HasMarker(v.Markers, "kubebuilder:skipversion")
}

// Define finds the kinds of packages for which CustomResourceDefinitions are written, with the rules of controller-gen.
// If one package of a group declares a kind, then types of this name in other packages of the group are versions of it,
// even if they are not declared as kinds. Definitions.Extend adds versions in further packages. It adds diagnostics to
// the list of read, which reads markers.
func Define(read *goschema.Markers, packages []*load.Package) *Definitions {
	types, diags := read.Types(), read.Diagnostics()
	types.Preload(neededBy(packages)...)
	var all []*Definition
	byName := map[[2]string]*Definition{}
	members := map[string][]member{} // packages with kinds, by group
	for _, src := range packages {
		gv, ok := inManifests(read, src)
		if !ok {
			continue
		}
		group := gv.Group
		if group != "" {
			members[group] = append(members[group], member{gv.Version, src})
		}
		found := types.Kinds(src)
		if group == "" && len(found) > 0 && gv.GroupFrom.Kind != model.FromMarker {
			diags.Warnf(types.Fset.Position(found[0].Pos), "package %s has no API group, so its kinds have no manifests", src.Path).
				Suggest("write // +groupName=example.com above its package clause, or // +kubebuilder:skip if it has no kinds of its own")
		}
		for _, d := range found {
			if key := [2]string{group, d.Name}; group != "" && byName[key] == nil {
				byName[key] = &Definition{Group: group, Name: d.Name}
				all = append(all, byName[key])
			}
		}
	}
	slices.SortFunc(all, func(a, b *Definition) int { return strings.Compare(a.Name+"."+a.Group, b.Name+"."+b.Group) })
	for _, k := range all {
		for _, m := range members[k.Group] {
			k.add(m, read)
		}
		k.sort()
	}
	return &Definitions{Kinds: all, Groups: slices.Sorted(maps.Keys(members)), Packages: packages}
}

// Extend adds versions that packages outside Definitions.Packages declare to a kind. As in controller-gen, these are
// the packages of types in the schemas of the kinds before this one: a package that only the kind's own fields refer to
// has versions of later kinds. A version that the kind already has is not added. Each call passes the packages of the
// last call, and further ones.
func (d *Definitions) Extend(k *Definition, read *goschema.Markers, packages []*load.Package) {
	if d.reached == nil {
		d.reached = map[string][]member{}
	}
	for _, src := range packages[d.seen:] {
		if slices.Contains(d.Packages, src) {
			continue
		}
		if gv, ok := inManifests(read, src); ok {
			d.reached[gv.Group] = append(d.reached[gv.Group], member{gv.Version, src})
		}
	}
	d.seen = len(packages)
	for _, m := range d.reached[k.Group] {
		if !slices.ContainsFunc(k.Versions, func(v DefinedVersion) bool { return v.Name == m.version }) {
			k.add(m, read)
		}
	}
	k.sort()
}

// add adds the version in a package to a kind, if the package declares one. A version that the kind already has is an
// error.
func (k *Definition) add(m member, read *goschema.Markers) {
	types := read.Types()
	d := types.Declared(m.src, k.Name)
	if d == nil {
		return
	}
	if i := slices.IndexFunc(k.Versions, func(other DefinedVersion) bool { return other.Name == m.version }); i >= 0 {
		read.Diagnostics().Errorf(types.Fset.Position(d.Pos), "%s of %s/%s is declared twice", d.Name, k.Group, m.version).
			WithRelated(types.Fset.Position(k.Versions[i].Type.Pos)).Suggest("give one of the packages another version, or +kubebuilder:skip")
		return
	}
	_, off := markers.Off(read.PackageMarkers(m.src))
	k.Versions = append(k.Versions, DefinedVersion{m.version, d, read.TypeMarkers(d), off})
}

func (k *Definition) sort() {
	slices.SortFunc(k.Versions, func(a, b DefinedVersion) int { return strings.Compare(a.Name, b.Name) })
}

// member is a package that declares a version of a group.
type member struct {
	version string
	src     *load.Package
}

// inManifests returns the group and version of a package in manifests.
func inManifests(read *goschema.Markers, src *load.Package) (kinds.GroupVersion, bool) {
	pkg := &kinds.Package{Source: src, Declared: registration.Declared(read.Types().Loader, src)}
	return pkg.ForManifests(read.PackageMarkers(src))
}

// neededBy returns the packages whose types are probably needed: the imports of packages that may declare kinds.
// Listing many packages takes little longer than listing one.
func neededBy(packages []*load.Package) (paths []string) {
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
		paths = append(paths, apiMachinery...)
	}
	return paths
}
