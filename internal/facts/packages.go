package facts

import (
	"bytes"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/copies"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/kinds"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/registration"
)

// readPackage reads the markers and kinds of a package. It returns nil if nothing is generated for it.
func (p *Facts) readPackage(src *load.Package, diags *diag.List) *kinds.Package {
	found := p.markersOf(src)
	*diags = append(*diags, p.mistakes[src]...)
	onlyInPackage := !p.cfg.Needs.Kinds || p.excluded[src]
	pkg := &kinds.Package{Source: src, Markers: found, OnlyInPackage: onlyInPackage}
	pkg.Types = &model.Package{Path: src.Path, Name: src.Name, Pos: p.PackagePos(src), Dir: src.Dir(), Foreign: src.Foreign}
	pkg.Types.Copies, pkg.Types.ByHand = p.copies[src], p.cfg.Registration.ByHand(p.Loader, src, found)
	p.models[src] = pkg.Types
	p.checked = append(p.checked, pkg)
	if !onlyInPackage {
		p.findKinds(pkg, diags)
	}
	pkg.Internal = isInternal(pkg.Kinds)
	pkg.GoName, pkg.GoNamePos, _ = p.single(found, "groupGoName", diags)
	switch {
	case pkg.GoName == "":
	case !token.IsIdentifier(pkg.GoName):
		diags.Errorf(pkg.GoNamePos, "%q is not a Go identifier", pkg.GoName).Suggest("use letters and digits, as in +groupGoName=Stable")
	case !model.Exportable(pkg.GoName):
		diags.Errorf(pkg.GoNamePos, "%q cannot be exported from a Go package", pkg.GoName).Suggest("start it with a letter that has an upper-case form, as in +groupGoName=Stable")
	case p.cfg.Policy.MarkersInDocGo && !gotypes.InDoc(pkg.GoNamePos): // the classic tools do not read it there
		pkg.GoName, pkg.GoNamePos = "", token.Position{}
	}
	pkg.Types.SwitchedOff = p.switchedOff(found, diags)
	var types []string
	if !p.imports(src) {
		types = p.cfg.Registration.Types(p.outline(), src, found, copies.Objects{Source: src, Copies: p.copies[src]}.Meant(p.outline()), diags)
	}
	if onlyInPackage || len(p.cfg.IncludedTypes) == 0 && len(pkg.Kinds) == 0 && !p.hasClient(src) {
		if len(types) > 0 {
			*diags = append(*diags, p.nameGroupVersion(pkg)...)
			p.register(pkg, types, diags)
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

	said := p.nameGroupVersion(pkg)
	p.named = append(p.named, pkg)
	pkg.Skipped = slices.ContainsFunc(markers.Lines(p.Fset, gotypes.PackageComments(src)...), func(line markers.Line) bool {
		return line.Text == "+kubebuilder:skip"
	})
	switch pkg.Included = p.include(pkg, p.selected(pkg), diags); {
	case pkg.Clients.Version == "" && !p.cfg.Internal:
		p.leftOut = append(p.leftOut, src.Path)
		return p.passOver(src, "its types are unversioned (no JSON tags); gen-clientset, gen-lister and gen-informer accept those", true)
	case len(pkg.Included) == 0 && p.cfg.Import != nil:
		return nil // reportUnknown reports names without kinds
	case len(pkg.Included) == 0 && len(p.cfg.IncludedTypes) > 0:
		return p.passOver(src, "none of its types is included", true)
	case src.Name == "main":
		diags.Errorf(pkg.Types.Pos, "%s is package main, which generated code cannot import", src.Path).
			Suggest("move its types into a package of their own")
		said = nil // without kinds, its names do not matter
	}
	*diags = append(*diags, said...)
	if p.register(pkg, types, diags) && p.cfg.Needs.ListTypes && p.cfg.Purpose != ToList && !pkg.Types.Off(model.ClientSwitch) {
		p.requireAddToScheme(pkg, diags)
	}
	p.cfg.Registration.ReportMismatches(p.Loader, pkg, diags)
	pkg.Helpers = p.helpersOfAll(src, found)
	for _, k := range pkg.Included {
		p.readKind(k, diags)
	}
	return pkg
}

// register sets the registration of types for a package, if there are any. If that is impossible, it reports the reason
// and returns false.
func (p *Facts) register(pkg *kinds.Package, types []string, diags *diag.List) bool {
	if len(types) == 0 {
		return true
	}
	if !pkg.Source.Foreign && p.cfg.Purpose != ToList && !registration.CanRegister(p.Loader, pkg.Source, diags) {
		return false
	}
	objects := registration.RegistersObjects(p.Loader, p.all, pkg.Source)
	pkg.Types.Registration = &model.Registration{Group: pkg.Clients.Group, Version: pkg.Clients.Version, Types: types, Objects: objects}
	if !pkg.Source.Foreign {
		pkg.Types.GroupVersionVar = "SchemeGroupVersion"
	}
	return true
}

// hasClient reports whether a client is generated for a package without kinds, as in client-gen. The generated scheme
// calls AddToScheme, and does not compile without this function.
func (p *Facts) hasClient(src *load.Package) bool {
	return p.cfg.Policy.EmptyClients && p.cfg.Needs.ListTypes && p.addsToScheme(src.Path)
}

// nameGroupVersion sets the group and version of a package in clients. It returns diagnostics about the names, which
// only matter if the package has kinds.
func (p *Facts) nameGroupVersion(pkg *kinds.Package) (said diag.List) {
	pkg.Declared = registration.Declared(p.Loader, pkg.Source)
	pkg.Clients, said = pkg.ForClients(p.cfg.Policy)
	pkg.Types.GroupVersionVar, pkg.Types.GroupFrom, pkg.Types.VersionFrom = pkg.Declared.Variable, pkg.Clients.GroupFrom, pkg.Clients.VersionFrom
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
