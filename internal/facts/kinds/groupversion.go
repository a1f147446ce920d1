package kinds

import (
	"cmp"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Declared is the group and version that a package declares. Group or Version is nil if syntax does not determine it.
type Declared struct {
	Variable       string // name of the schema.GroupVersion variable; "" if there is none
	Group, Version *string
	Pos            token.Position // of the variable, or else of the constant GroupName
}

// source returns the declaration as the source of a fact.
func (d Declared) source() model.Source {
	return model.Source{Kind: model.FromDeclaration, Text: cmp.Or(d.Variable, "GroupName"), Pos: d.Pos}
}

// GroupVersion is the API group and version of a package's kinds.
type GroupVersion struct {
	Group, Version         string       // Version is "" for unversioned types
	GroupFrom, VersionFrom model.Source // VersionFrom is FromDefault for unversioned types
	Label                  string       // for model.Version
	// Dir is the directory of the group if the layout is group/version, otherwise "". With GroupsByDirectory, it is always
	// the parent directory.
	Dir string
}

// ForClients returns the group and version of the package in clients: from markers, or else from declarations, or else
// from its path. The diagnostics about them only matter if the package has kinds.
func (p *Package) ForClients(policy model.Policy) (gv GroupVersion, diags diag.List) {
	group, groupPos, hasGroup := markers.Single(p.Markers, "groupName", markers.ModeOf(policy), &diags)
	version, versionPos, hasVersion := markers.Single(p.Markers, "versionName", markers.ModeOf(policy), &diags)
	differs := func(marker string, pos token.Position, value string, declared *string) {
		if declared != nil && *declared != value {
			diags.Warnf(pos, "+%s=%s, but %s says %q", marker, value, p.Declared.source().Text, *declared).
				WithRelated(p.Declared.Pos).Suggest("make them the same")
		}
	}
	fromPath := model.Source{Kind: model.FromPath, Text: p.Source.Path}
	switch {
	case hasGroup:
		gv.Group = group
		gv.GroupFrom = model.Source{Kind: model.FromMarker, Text: "+groupName=" + group, Pos: groupPos}
		if policy.MarkersInDocGo && !gotypes.InDoc(groupPos) { // such a marker determines no names in Go
			gv.GroupFrom.Kind = model.FromDeclaration
		}
		differs("groupName", groupPos, group, p.Declared.Group)
	case p.Declared.Group != nil:
		gv.Group, gv.GroupFrom, groupPos = *p.Declared.Group, p.Declared.source(), p.Declared.Pos
	case p.Internal:
		gv.Group, gv.GroupFrom = path.Base(p.Source.Path), fromPath
	default:
		gv.Group, gv.GroupFrom = path.Base(path.Dir(p.Source.Path)), fromPath
	}
	switch {
	case p.Internal:
	case hasVersion:
		gv.Version = version
		gv.VersionFrom = model.Source{Kind: model.FromMarker, Text: "+versionName=" + version, Pos: versionPos}
		differs("versionName", versionPos, version, p.Declared.Version)
	case p.Declared.Version != nil:
		gv.Version, gv.VersionFrom = strings.TrimPrefix(*p.Declared.Version, model.InternalVersion), p.Declared.source()
		versionPos = p.Declared.Pos
	default:
		gv.Version, gv.VersionFrom = path.Base(p.Source.Path), fromPath
	}
	gv.Label, gv.Dir = layout(p.Source.Path, gv.Version, policy)
	if !p.Source.Broken() || groupPos.IsValid() && versionPos.IsValid() { // otherwise, it may be in a file that does not parse
		p.checkNames(gv, groupPos, versionPos, policy, &diags)
	}
	return gv, diags
}

// GroupVersionOf returns the group and version of a package in clients, before anything else is known of it.
func GroupVersionOf(l *load.Loader, src *load.Package, found []model.Marker, policy model.Policy) GroupVersion {
	pkg := &Package{Source: src, Markers: found, Types: &model.Package{}, Declared: ReadDeclared(l, src)}
	gv, _ := pkg.ForClients(policy)
	return gv
}

// layout returns the label of a version and the directory of its group, from the import path of its package.
func layout(importPath, version string, policy model.Policy) (label, dir string) {
	parent, base := path.Base(path.Dir(importPath)), path.Base(importPath)
	inParent := strings.Contains(importPath, "/")
	switch {
	case version == "":
		return "", base
	case policy.GroupsByDirectory && inParent && base != version:
		return base, parent
	case policy.GroupsByDirectory && inParent, strings.EqualFold(base, version) && inParent:
		return "", parent
	}
	return "", ""
}

// checkNames reports groups and versions that no server accepts, and guesses. The positions are invalid for names from
// the path.
func (p *Package) checkNames(gv GroupVersion, groupPos, versionPos token.Position, policy model.Policy, diags *diag.List) {
	accepted := policy.AcceptMistakes // the names are only used for directories
	if gv.Group == "." {
		diags.Errorf(p.Types.Pos, "package %s has no parent directory to take the API group from", p.Source.Path).
			Suggest("put +groupName=stable.example.com in the package comment")
	} else if gv.Group != "" && !model.IsSubdomain(gv.Group) {
		diags.Mistakef(accepted, cmp.Or(groupPos, p.Types.Pos), "", "%q is not a valid group name", gv.Group).
			Suggest("use lower case letters, digits, dashes and dots, as in +groupName=stable.example.com")
	}
	switch {
	case gv.Version == "":
	case !model.IsLabel(gv.Version):
		diags.Mistakef(accepted, cmp.Or(versionPos, p.Types.Pos), "", "%q is not a valid version name", gv.Version).
			Suggest("use lower case letters, digits and dashes, starting with a letter, as in +versionName=v1")
	case !versionPos.IsValid() && !model.IsVersion(gv.Version) && p.Declared.Group == nil:
		diags.Warnf(p.Types.Pos, "using the directory name %s as the API version", gv.Version).
			Suggest("declare SchemeGroupVersion, or put +versionName=v1 in the package comment")
	}
}

// ForManifests returns the group and version of the package in manifests, with the rules of controller-gen: from the
// markers for manifests, which may depend on feature gates, or else from its variable SchemeGroupVersion or
// GroupVersion. ok is false for skipped packages and internal types.
func (p *Package) ForManifests(marked []model.Marker) (gv GroupVersion, ok bool) {
	gv.Version = p.Source.Name
	hasGroup := false
	for _, m := range slices.Backward(marked) { // the first marker counts
		from := model.Source{Kind: model.FromMarker, Text: m.Written(), Pos: m.Pos}
		switch m.Name {
		case "kubebuilder:skip":
			return GroupVersion{}, false
		case "groupName":
			gv.Group, gv.GroupFrom, hasGroup = m.String(""), from, true
		case "versionName":
			gv.Version, gv.VersionFrom = m.String(""), from
		}
	}
	if hasGroup {
		return gv, true
	}
	if p.Declared.Group != nil {
		gv.Group, gv.GroupFrom = *p.Declared.Group, p.Declared.source()
	}
	if p.Declared.Version != nil && *p.Declared.Version != "" {
		gv.Version, gv.VersionFrom = *p.Declared.Version, p.Declared.source()
	}
	return gv, gv.Version != model.InternalVersion
}

// ReportLostGroup reports a package whose group follows from its directory, although something at a position says that
// it is another one.
func ReportLostGroup(policy model.Policy, pkg *model.Package, group, other string, at token.Position, diags *diag.List) {
	diags.Mistakef(
		policy.AcceptMistakes, pkg.Pos, "", "package %s has no API group: its clients would use %q, from its directory, not %q", pkg.Path, group,
		other,
	).WithRelated(at).Suggest("write // +groupName=%s above its package clause, or +groupName=%s to change the group", other, group)
}
