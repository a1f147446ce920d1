package facts

import (
	"bytes"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/facts/products"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// readPackage reads the kinds of a package. It returns false if nothing is generated for it.
func (p *Facts) readPackage(pkg *kinds.Package, outline *gotypes.Reader) (ok bool, diags diag.List) {
	cfg, src, found := &p.cfg, pkg.Source, pkg.Markers
	pkg.Types.ByHand = cfg.ByHand(p.Loader, src, found)
	pkg.OnlyInPackage = !cfg.Needs.Kinds || p.clientless[src]
	if !pkg.OnlyInPackage {
		diags = append(diags, p.findKinds(pkg, outline)...)
	}
	pkg.Internal = isInternal(pkg.Kinds)
	pkg.GoName, pkg.GoNamePos, _ = markers.Single(found, "groupGoName", markers.ModeOf(cfg.Policy), &diags)
	switch {
	case pkg.GoName == "":
	case !token.IsIdentifier(pkg.GoName):
		diags.Errorf(pkg.GoNamePos, "%q is not a Go identifier", pkg.GoName).Suggest("use letters and digits, as in +groupGoName=Stable")
	case !model.Exportable(pkg.GoName):
		diags.Errorf(pkg.GoNamePos, "%q cannot be exported from a Go package", pkg.GoName).
			Suggest("start it with a letter that has an upper-case form, as in +groupGoName=Stable")
	case cfg.Policy.MarkersInDocGo && !gotypes.InDoc(pkg.GoNamePos): // the classic tools do not read it there
		pkg.GoName, pkg.GoNamePos = "", token.Position{}
	}
	off, mistakes := switchedOff(found)
	pkg.Types.SwitchedOff, diags = off, append(diags, mistakes...)
	var types []string
	if !cfg.Import.takes(src) {
		var said diag.List
		types, said = cfg.Types(outline, src, found, p.objects(src).Meant(outline))
		diags = append(diags, said...)
	}
	// As in client-gen, packages without kinds may have empty clients. The generated scheme calls their AddToScheme.
	if pkg.OnlyInPackage || len(cfg.IncludedTypes) == 0 && len(pkg.Kinds) == 0 &&
		!(cfg.Policy.EmptyClients && cfg.Needs.Scheme && p.addsToScheme(outline, src.Path)) {
		if len(types) > 0 {
			diags = append(diags, nameGroupVersion(p.Loader, pkg, cfg.Policy)...)
			diags = append(diags, p.register(pkg, types)...)
		}
		if pkg.OnlyInPackage {
			return false, diags
		}
		why, candidate := whyNothing(outline, src)
		if cfg.Import.takes(src) {
			why = noKinds + " it"
		}
		return p.passOver(src, why, candidate), diags
	}

	said := nameGroupVersion(p.Loader, pkg, cfg.Policy)
	p.named = append(p.named, pkg)
	switch pkg.Included = p.include(pkg, cfg.Import.selected(pkg), &diags); {
	case pkg.Clients.Version == "" && !cfg.Unversioned:
		p.leftOut = append(p.leftOut, src.Path)
		return p.passOver(src, "its types are unversioned (no JSON tags); gen-clientset, gen-lister and gen-informer accept those", true), diags
	case len(pkg.Included) == 0 && cfg.Import != nil:
		return false, diags // reportUnknown reports names without kinds
	case len(pkg.Included) == 0 && len(cfg.IncludedTypes) > 0:
		return p.passOver(src, "none of its types is included", true), diags
	case src.Name == "main":
		diags.Errorf(pkg.Types.Pos, "%s is package main, which generated code cannot import", src.Path).
			Suggest("move its types into a package of their own")
		said = nil // without kinds, its names do not matter
	}
	diags = append(diags, said...)
	if len(types) == 0 && p.registers(outline, src) {
		pkg.Types.GroupVersionVar = schemeGroupVersion
	} else if mistakes := p.register(pkg, types); len(mistakes) > 0 {
		diags = append(diags, mistakes...)
	} else if cfg.Needs.Scheme && cfg.Purpose != ToList && !pkg.Types.Off(model.ClientSwitch) {
		requireAddToScheme(p.Loader, pkg, &cfg.Output, &diags)
	}
	diags = append(diags, cfg.ReportMismatches(p.Loader, pkg)...)
	pkg.Helpers = helpersOfAll(p.Fset, src, found)
	for _, k := range pkg.Included {
		diags = append(diags, p.readKind(k)...)
		if cfg.Needs.Scheme && cfg.Purpose != ToList {
			readList(k, outline)
		}
	}
	return true, diags
}

// register sets the registration of types for a package, if there are any, or returns the reason why that is
// impossible.
func (p *Facts) register(pkg *kinds.Package, types []string) (impossible diag.List) {
	if len(types) == 0 {
		return nil
	}
	if !pkg.Source.Foreign && p.cfg.Purpose != ToList && !products.CanRegister(p.Loader, pkg.Source, &impossible) {
		return impossible
	}
	objects := p.registersObjects()[pkg.Source.Path]
	pkg.Types.Registration = &model.Registration{Group: pkg.Clients.Group, Version: pkg.Clients.Version, Types: types, Objects: objects}
	if !pkg.Source.Foreign {
		pkg.Types.GroupVersionVar = schemeGroupVersion
	}
	return nil
}

// schemeGroupVersion is the name of the variable in a generated registration.
const schemeGroupVersion = "SchemeGroupVersion"

// objects returns the types of a package with DeepCopy methods.
func (p *Facts) objects(src *load.Package) products.CopiedObjects {
	objects := products.CopiedObjects{Source: src, Promised: p.products.Promised(src)}
	if of := p.models[src]; of != nil {
		objects.Copies = of.Copies
	}
	return objects
}

// registers reports whether another output of the run writes the registration of a package's types.
func (p *Facts) registers(outline *gotypes.Reader, src *load.Package) bool {
	return p.products.Registers(outline, src, p.objects(src))
}

// nameGroupVersion sets the group and version of a package, as declared and in clients. It returns diagnostics about
// the names, which only matter if the package has kinds.
func nameGroupVersion(l *load.Loader, pkg *kinds.Package, policy model.Policy) (said diag.List) {
	pkg.Declared = kinds.ReadDeclared(l, pkg.Source)
	pkg.Clients, said = pkg.ForClients(policy)
	pkg.Types.GroupVersionVar = pkg.Declared.Variable
	pkg.Types.GroupFrom, pkg.Types.VersionFrom = pkg.Clients.GroupFrom, pkg.Clients.VersionFrom
	return said
}

// switchedOff returns the generator switches of a package with the value false.
func switchedOff(found []model.Marker) (off []string, diags diag.List) {
	for _, name := range markers.Switches() { // two values are an error in the classic generators as well
		if value, _, ok := markers.Single(found, name, markers.Strict, &diags); ok && value == "false" {
			off = append(off, name)
		}
	}
	return off, diags
}

// whyNothing returns a short reason why nothing is generated for a package, and reports whether the package is a
// candidate: it has types that may have been meant.
func whyNothing(outline *gotypes.Reader, s *load.Package) (why string, candidate bool) {
	for _, name := range s.Ignored {
		if text, err := outline.ReadFile(name); err == nil && bytes.Contains(text, []byte(markers.Genclient)) {
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
		if _, ok := outline.FieldsOf(s, d).ByName("ObjectMeta"); ok {
			likely = append(likely, name)
		}
	}
	switch slices.Sort(likely); {
	case len(s.Files) == 0:
		return "no Go files", false
	case len(likely) > 0:
		return "no +genclient above " + strings.Join(likely, ", "), true
	}
	return fmt.Sprintf("no +genclient in %s with %s", diag.Count(len(s.Files), "file"), diag.Count(types, "type")), false
}

// helpersOfAll returns the position of a marker for helpers above the package clause, which applies to all kinds, or an
// invalid position.
func helpersOfAll(fset *token.FileSet, src *load.Package, found []model.Marker) token.Position {
	for _, m := range found {
		for f := range src.Parsed() {
			clause := fset.Position(f.Syntax.Package)
			if m.Name == model.HelpersMarker && m.Pos.Filename == clause.Filename && m.Pos.Offset < clause.Offset {
				return m.Pos
			}
		}
	}
	return token.Position{}
}
