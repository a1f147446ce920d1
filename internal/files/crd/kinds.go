package crd

import (
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// definitions are the kinds of packages for which manifests are written, with the feature gates of a set.
type definitions struct {
	read     *goschema.Markers
	packages []*kinds.Package
	kinds    []*definition       // ordered by name and group
	groups   []string            // of the packages, including groups without kinds; ordered
	members  map[string][]Member // the packages, by group

	reached map[string][]Member // other packages, by group; see extend
	seen    int                 // the number of packages that extend has read
}

// definition is a kind with its versions, ordered by name.
type definition struct {
	group, name string
	versions    []*declared
}

// Member is a package with the group and version of its kinds in manifests.
type Member struct {
	*kinds.Package
	kinds.GroupVersion
}

// declared is a version of a kind as declared in a package.
type declared struct {
	Member
	typ     *gotypes.Declaration
	pos     token.Position
	markers []model.Marker // above the type
}

// define finds the kinds of packages, with the rules of controller-gen. If one package of a group declares a kind, then
// types of this name in other packages of the group are versions of it, even if they are not declared as kinds.
func define(read *goschema.Markers, packages []*kinds.Package) (_ *definitions, diags diag.List) {
	all := &definitions{read: read, packages: packages, members: map[string][]Member{}, reached: map[string][]Member{}}
	byName := map[[2]string]*definition{}
	for _, pkg := range packages {
		member, mistakes, ok := inManifests(read, pkg)
		if diags = append(diags, mistakes...); !ok {
			continue
		}
		group := member.Group
		if group != "" {
			all.members[group] = append(all.members[group], member)
		}
		if group == "" && len(pkg.Objects) > 0 && member.GroupFrom.Kind != model.FromMarker {
			pos := read.Types().Fset.Position(pkg.Objects[0].Pos)
			diags.Warnf(pos, "package %s has no API group, so its kinds have no manifests", pkg.Source.Path).
				Suggest("write // +groupName=example.com above its package clause, or // +kubebuilder:skip if it has no kinds of its own")
		}
		for _, d := range pkg.Objects {
			if key := [2]string{group, d.Name}; group != "" && byName[key] == nil {
				byName[key] = &definition{group: group, name: d.Name}
				all.kinds = append(all.kinds, byName[key])
			}
		}
	}
	slices.SortFunc(all.kinds, func(a, b *definition) int { return strings.Compare(a.name+"."+a.group, b.name+"."+b.group) })
	for _, k := range all.kinds {
		for _, member := range all.members[k.group] {
			all.add(k, member, &diags)
		}
		k.sort()
	}
	all.groups = slices.Sorted(maps.Keys(all.members))
	return all, diags
}

// inManifests returns a package with its group and version in manifests, and the mistakes in its markers. ok is false
// if it has no kinds in manifests.
func inManifests(read *goschema.Markers, pkg *kinds.Package) (_ Member, mistakes diag.List, ok bool) {
	marked := read.OfPackage(pkg.Source)
	gv, ok := pkg.ForManifests(marked.Markers)
	return Member{pkg, gv}, marked.Diags, ok
}

// extend adds versions that other packages declare to a kind. As in controller-gen, these are the packages of types in
// the schemas of the kinds before this one: a package that only the kind's own fields refer to has versions of later
// kinds. A version that the kind already has is not added. Each call passes the packages of the last call, and further
// ones.
func (all *definitions) extend(k *definition, reached []*load.Package) (diags diag.List) {
	for _, src := range reached[all.seen:] {
		if slices.ContainsFunc(all.packages, func(pkg *kinds.Package) bool { return pkg.Source == src }) {
			continue
		}
		pkg := &kinds.Package{Source: src, Declared: kinds.ReadDeclared(all.read.Types().Loader, src)}
		member, mistakes, ok := inManifests(all.read, pkg)
		if diags = append(diags, mistakes...); ok {
			all.reached[member.Group] = append(all.reached[member.Group], member)
		}
	}
	all.seen = len(reached)
	for _, member := range all.reached[k.group] {
		if k.version(member.Version) == nil {
			all.add(k, member, &diags)
		}
	}
	k.sort()
	return diags
}

// add adds the version in a package to a kind, if the package declares one. A version that the kind already has is an
// error.
func (all *definitions) add(k *definition, in Member, diags *diag.List) {
	types := all.read.Types()
	d := types.Declared(in.Source, k.name)
	if d == nil {
		return
	}
	pos := types.Fset.Position(d.Pos)
	if other := k.version(in.Version); other != nil {
		diags.Errorf(pos, "%s of %s/%s is declared twice", d.Name, k.group, in.Version).
			WithRelated(other.pos).Suggest("give one of the packages another version, or +kubebuilder:skip")
		return
	}
	above := all.read.OfType(d)
	*diags = append(*diags, above.Diags...)
	k.versions = append(k.versions, &declared{in, d, pos, above.Markers})
}

func (k *definition) sort() {
	slices.SortFunc(k.versions, func(a, b *declared) int { return strings.Compare(a.Version, b.Version) })
}

// version returns the version of a name, or nil.
func (k *definition) version(name string) *declared {
	if i := slices.IndexFunc(k.versions, func(v *declared) bool { return v.Version == name }); i >= 0 {
		return k.versions[i]
	}
	return nil
}

// skips reports whether markers above a type and in its package, or feature gates, leave the version out of manifests.
func skips(above, ofPackage []model.Marker) bool {
	_, off := markers.Off(above)
	_, without := markers.Off(ofPackage)
	return off || without || model.HasMarker(above, "kubebuilder:skipversion")
}

// ofGroups returns the packages with kinds that have manifests in some groups, without feature gates. Mistakes in their
// markers are reported where their manifests are written.
func ofGroups(types *gotypes.Reader, groups []string, packages []*kinds.Package) (found []*kinds.Package) {
	read := goschema.NewMarkers(types, nil)
	for _, pkg := range packages {
		member, _, ok := inManifests(read, pkg)
		isWritten := func(d *gotypes.Declaration) bool {
			return !skips(read.OfType(d).Markers, read.OfPackage(pkg.Source).Markers)
		}
		if ok && slices.Contains(groups, member.Group) && slices.ContainsFunc(pkg.Objects, isWritten) {
			found = append(found, pkg)
		}
	}
	return found
}
