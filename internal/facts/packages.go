package facts

import (
	"bytes"
	"cmp"
	"fmt"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/checks"
	"github.com/kubegen/kubegen/internal/copies"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/naming"
	"github.com/kubegen/kubegen/internal/registration"
)

// unit is the contribution of one package to the API.
type unit struct {
	naming.Package // see facts for its Kinds
	src            *load.Package
	found, kinds   []*kind // all kinds, and the ones that are included
	skipped        bool    // +kubebuilder:skip: controller-gen writes no manifests for the kinds
}

// facts returns the facts about the package for package naming. read are the names of the CustomResourceDefinitions
// that the run reads.
func (u *unit) facts(read []string) *naming.Package {
	u.Kinds = nil
	for _, k := range u.kinds {
		if k.Resource == nil {
			continue
		}
		kind := &naming.Kind{Resource: k.Resource, Named: k.CRD != nil}
		if m := k.Marker("kubebuilder:storageversion"); m != nil {
			kind.Stored = m.Pos
		}
		if !u.skipped && !slices.Contains(read, k.Resource.Name+"."+u.Group) {
			kind.Defined = k.defined
		}
		u.Kinds = append(u.Kinds, kind)
	}
	return &u.Package
}

// registered returns the unit in the form used by package registration.
func (u *unit) registered() registration.Package {
	pkg := registration.Package{Package: u.Types, Source: u.src, Group: u.Group, Version: u.Version}
	for _, k := range u.kinds {
		pkg.Kinds = append(pkg.Kinds, k.Spec.Name.Name)
	}
	return pkg
}

// readPackage reads the markers and kinds of a package. It returns nil if nothing is generated for it.
func (p *Facts) readPackage(src *load.Package, diags *diag.List) *unit {
	found := p.markersOf(src)
	*diags = append(*diags, p.mistakes[src]...)
	u := &unit{src: src}
	u.Types = &model.Package{Path: src.Path, Name: src.Name, Pos: p.PackagePos(src), Dir: src.Dir(), Foreign: src.Foreign}
	u.Types.Copies, u.Types.ByHand = p.copies[src], p.cfg.Registration.ByHand(p.Loader, src, found)
	p.models[src] = u.Types
	onlyInPackage := !p.cfg.Needs.Kinds || p.excluded[src]
	facts := &checks.Package{Source: src, Types: u.Types, Markers: found, OnlyInPackage: onlyInPackage}
	p.checked = append(p.checked, facts)
	if !onlyInPackage {
		u.found = p.findKinds(src, facts, diags)
	}
	facts.Internal = isInternal(u.found)
	u.GoName, u.GoNamePos, _ = p.single(found, "groupGoName", diags)
	switch {
	case u.GoName == "":
	case !token.IsIdentifier(u.GoName):
		diags.Errorf(u.GoNamePos, "%q is not a Go identifier", u.GoName).Suggest("use letters and digits, as in +groupGoName=Stable")
	case !model.Exportable(u.GoName):
		diags.Errorf(u.GoNamePos, "%q cannot be exported from a Go package", u.GoName).Suggest("start it with a letter that has an upper-case form, as in +groupGoName=Stable")
	case p.cfg.Policy.MarkersInDocGo && !gotypes.InDoc(u.GoNamePos): // the classic tools do not read it there
		u.GoName, u.GoNamePos = "", token.Position{}
	}
	u.Types.SwitchedOff = p.switchedOff(found, diags)
	var types []string
	if !p.imports(src) {
		types = p.cfg.Registration.Types(p.outline(), src, found, copies.Objects{Source: src, Copies: p.copies[src]}.Meant(p.outline()), diags)
	}
	if onlyInPackage || len(p.cfg.IncludedTypes) == 0 && len(u.found) == 0 && !p.hasClient(src) {
		if len(types) > 0 {
			*diags = append(*diags, p.nameGroupVersion(u, found)...)
			p.register(u, types, diags)
		}
		if onlyInPackage {
			return nil
		}
		why, candidate := p.whyNothing(src)
		if p.imports(src) {
			why = noKinds + " it"
		}
		return p.passOver(src, why, candidate)
	}

	said := p.nameGroupVersion(u, found)
	p.named = append(p.named, u)
	u.skipped = slices.ContainsFunc(markers.Lines(p.Fset, gotypes.PackageComments(src)...), func(line markers.Line) bool {
		return line.Text == "+kubebuilder:skip"
	})
	switch u.kinds = p.include(u, p.selected(u), diags); {
	case u.Version == "" && !p.cfg.Internal:
		p.leftOut = append(p.leftOut, src.Path)
		return p.passOver(src, "its types are unversioned (no JSON tags); gen-clientset, gen-lister and gen-informer accept those", true)
	case len(u.kinds) == 0 && p.cfg.Import != nil:
		return nil // reportUnknown reports names without kinds
	case len(u.kinds) == 0 && len(p.cfg.IncludedTypes) > 0:
		return p.passOver(src, "none of its types is included", true)
	case src.Name == "main":
		diags.Errorf(u.Types.Pos, "%s is package main, which generated code cannot import", src.Path).
			Suggest("move its types into a package of their own")
		said = nil // without kinds, its names do not matter
	}
	*diags = append(*diags, said...)
	if p.register(u, types, diags) && p.cfg.Needs.ListTypes && p.cfg.Purpose != ToList && !u.Types.Off(model.ClientSwitch) {
		p.cfg.Registration.RequireAddToScheme(p.Loader, u.registered(), found, diags)
	}
	p.cfg.Registration.ReportMismatches(p.Loader, u.registered(), diags)
	facts.Version, facts.Helpers = u.Version, p.helpersOfAll(src, found)
	for _, k := range u.kinds {
		p.readKind(u, k, diags)
	}
	return u
}

// register sets the registration of types for a package, if there are any. If that is impossible, it reports the reason
// and returns false.
func (p *Facts) register(u *unit, types []string, diags *diag.List) bool {
	if len(types) == 0 {
		return true
	}
	if !u.src.Foreign && p.cfg.Purpose != ToList && !registration.CanRegister(p.Loader, u.src, diags) {
		return false
	}
	objects := registration.RegistersObjects(p.Loader, p.all, u.src)
	u.Types.Registration = &model.Registration{Group: u.Group, Version: u.Version, Types: types, Objects: objects}
	if !u.src.Foreign {
		u.Types.GroupVersionVar = "SchemeGroupVersion"
	}
	return true
}

// hasClient reports whether a client is generated for a package without kinds, as in client-gen. The generated scheme
// calls AddToScheme, and does not compile without this function.
func (p *Facts) hasClient(src *load.Package) bool {
	return p.cfg.Policy.EmptyClients && p.cfg.Needs.ListTypes && p.addsToScheme(src.Path)
}

// nameGroupVersion determines the group and version of a package from its markers, or else its declarations, or else
// its path. It returns diagnostics about the names, which only matter if the package has kinds.
func (p *Facts) nameGroupVersion(u *unit, found []model.Marker) (said diag.List) {
	group, groupPos, hasGroup := p.single(found, "groupName", &said)
	version, versionPos, hasVersion := p.single(found, "versionName", &said)
	declared := registration.Declared(p.Loader, u.src)
	u.Types.GroupVersionVar = declared.Variable
	internal := isInternal(u.found)
	differs := func(marker string, pos token.Position, value string, declaredValue *string) {
		if declaredValue != nil && *declaredValue != value {
			said.Warnf(pos, "+%s=%s, but %s says %q", marker, value, cmp.Or(declared.Variable, "GroupName"), *declaredValue).
				WithRelated(declared.Pos).Suggest("make them the same")
		}
	}
	fromPath := model.Source{Kind: model.FromPath, Text: u.src.Path}
	fromCode := model.Source{Kind: model.FromDeclaration, Text: cmp.Or(declared.Variable, "GroupName"), Pos: declared.Pos}
	switch {
	case hasGroup:
		u.Group = group
		u.Types.GroupFrom = model.Source{Kind: model.FromMarker, Text: "+groupName=" + group, Pos: groupPos}
		if p.cfg.Policy.MarkersInDocGo && !gotypes.InDoc(groupPos) { // such a marker determines no names in Go
			u.Types.GroupFrom.Kind = model.FromDeclaration
		}
		differs("groupName", groupPos, group, declared.Group)
	case declared.Group != nil:
		u.Group, groupPos = *declared.Group, declared.Pos
		u.Types.GroupFrom = fromCode
	case internal:
		u.Group, u.Types.GroupFrom = path.Base(u.src.Path), fromPath
	default:
		u.Group, u.Types.GroupFrom = path.Base(path.Dir(u.src.Path)), fromPath
	}
	switch {
	case internal:
	case hasVersion:
		u.Version = version
		u.Types.VersionFrom = model.Source{Kind: model.FromMarker, Text: "+versionName=" + version, Pos: versionPos}
		differs("versionName", versionPos, version, declared.Version)
	case declared.Version != nil:
		u.Version, versionPos = strings.TrimPrefix(*declared.Version, model.InternalVersion), declared.Pos
		u.Types.VersionFrom = fromCode
	default:
		u.Version, u.Types.VersionFrom = path.Base(u.src.Path), fromPath
	}
	switch base := path.Base(u.src.Path); {
	case u.Version == "":
		u.Dir = base
	case p.cfg.Policy.GroupsByDirectory && strings.Contains(u.src.Path, "/"):
		u.Dir = path.Base(path.Dir(u.src.Path))
		if base != u.Version {
			u.Label = base
		}
	case strings.EqualFold(base, u.Version) && strings.Contains(u.src.Path, "/"):
		u.Dir = path.Base(path.Dir(u.src.Path))
	}

	if u.src.Broken() && (!groupPos.IsValid() || !versionPos.IsValid()) {
		return said // the declaration may be in a file that does not parse
	}
	accepted := p.cfg.Policy.AcceptMistakes // the names are only used for directories
	if u.Group == "." {
		said.Errorf(u.Types.Pos, "package %s has no parent directory to take the API group from", u.src.Path).
			Suggest("put +groupName=stable.example.com in the package comment")
	} else if u.Group != "" && !model.IsSubdomain(u.Group) {
		said.Mistakef(accepted, cmp.Or(groupPos, u.Types.Pos), "", "%q is not a valid group name", u.Group).
			Suggest("use lower case letters, digits, dashes and dots, as in +groupName=stable.example.com")
	}
	switch {
	case u.Version == "":
	case !model.IsLabel(u.Version):
		said.Mistakef(accepted, cmp.Or(versionPos, u.Types.Pos), "", "%q is not a valid version name", u.Version).
			Suggest("use lower case letters, digits and dashes, starting with a letter, as in +versionName=v1")
	case !versionPos.IsValid() && !model.IsVersion(u.Version) && declared.Group == nil:
		said.Warnf(u.Types.Pos, "using the directory name %s as the API version", u.Version).
			Suggest("declare SchemeGroupVersion, or put +versionName=v1 in the package comment")
	}
	return said
}

// single calls markers.Single.
func (p *Facts) single(found []model.Marker, name string, diags *diag.List) (value string, pos token.Position, ok bool) {
	return markers.Single(found, name, p.mode(), diags)
}

// switchedOff returns the generator switches of a package with the value false.
func (p *Facts) switchedOff(found []model.Marker, diags *diag.List) (off []string) {
	for _, name := range markers.Switches() {
		value, pos, ok := p.single(found, name, diags)
		if ok && value == "false" {
			off = append(off, name)
		}
		for _, m := range found {
			if m.Name == name && m.Text != value && p.cfg.Policy.OneSwitchValue { // also an error in the classic generators
				diags.Errorf(pos, "+%s is both true and false", name).WithRelated(m.Pos).Suggest("keep one of them")
			}
		}
	}
	return off
}

// whyNothing returns a short reason why nothing is generated for a package, and reports whether the package is a
// candidate: it has types that may have been meant.
func (p *Facts) whyNothing(s *load.Package) (why string, candidate bool) {
	for _, name := range s.Ignored {
		if text, err := p.ReadFile(name); err == nil && bytes.Contains(text, []byte(markers.Genclient)) {
			return filepath.Base(name) + " has +genclient, but build constraints exclude it", true
		}
	}
	types := 0
	var likely []string
	for name, d := range s.Decls {
		if d.Type == nil {
			continue
		}
		types++
		if _, ok := p.outline().FieldsOf(s, d).ByName("ObjectMeta"); ok {
			likely = append(likely, name)
		}
	}
	switch slices.Sort(likely); {
	case len(s.Files) == 0:
		return "no Go files", false
	case len(likely) > 0:
		return "no +genclient above " + strings.Join(likely, ", "), true
	}
	return fmt.Sprintf("no +genclient in %s with %s", count(len(s.Files), "file"), count(types, "type")), false
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// helpersOfAll returns the position of a marker for helpers above the package clause, which applies to all kinds, or an
// invalid position.
func (p *Facts) helpersOfAll(src *load.Package, found []model.Marker) token.Position {
	for _, m := range found {
		for f := range src.Parsed() {
			clause := p.Fset.Position(f.Syntax.Package)
			if m.Name == model.HelpersMarker && m.Pos.Filename == clause.Filename && m.Pos.Offset < clause.Offset {
				return m.Pos
			}
		}
	}
	return token.Position{}
}
