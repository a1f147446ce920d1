package parser

import (
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
)

// hideRegistrations removes the files of earlier runs from the packages whose registration the run writes again.
func (p *parser) hideRegistrations(found []*load.Package) {
	if len(p.cfg.Registration) == 0 {
		return
	}
	for _, src := range found {
		var ignored diag.List
		if p.registers(src, gotypes.PackageMarkers(p.Fset, src, p.cfg.Policy, &ignored)) && !src.Foreign {
			src.Hide(p.cfg.Registration)
			p.outlined = nil
		}
	}
}

// registers reports whether the markers of a package ask for its registration.
func (p *parser) registers(src *load.Package, found []markers.Marker) bool {
	if len(p.cfg.Registration) == 0 {
		return false
	}
	wanted := p.cfg.RegisterKinds && src.Mentions(markers.Genclient)
	for _, m := range found {
		switch {
		case m.Name == model.RegisterSwitch && m.Value == "false":
			return false
		case m.Name == model.RegisterSwitch, m.Name == "groupName":
			wanted = true
		}
	}
	return wanted
}

// toRegister returns the names of the types that the run is to register for a package, sorted; none for one that registers
// its types itself. These are the structs that embed TypeMeta, as long as the first one gives it a JSON tag: others are
// unversioned.
func (p *parser) toRegister(src *load.Package, found []markers.Marker) (names []string) {
	if !p.registers(src, found) || src.Broken() {
		return nil
	}
	if p.cfg.Policy.RegisterGoByHand && !p.cfg.RegisterKinds && slices.ContainsFunc(src.Files, func(f *load.File) bool { return filepath.Base(f.Name) == "register.go" }) {
		return nil // what register-gen goes by
	}
	if d, ok := p.Lookup(src, "AddToScheme"); ok && d.Type == nil {
		return nil
	}
	p.ParseMentioning(src, "TypeMeta")
	for name, d := range src.Decls {
		if d.Type == nil || !token.IsExported(name) || d.Type.Assign.IsValid() || d.Type.TypeParams != nil {
			continue
		}
		meta, ok := p.fieldsOf(src, d).KindMeta()
		switch {
		case !ok:
		case !strings.Contains(string(meta.Tag), "json"):
			return nil
		default:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// register gives a package the registration of types, if there are any. It returns false where that is impossible, which it
// reports.
func (p *parser) register(u *unit, types []string) bool {
	if len(types) == 0 {
		return true
	}
	if !u.src.Foreign && !p.cfg.Listing && !p.canRegister(u.src) {
		return false
	}
	u.pkg.Registration = &model.Registration{Group: u.group, Version: u.version, Types: types}
	if !u.src.Foreign {
		u.pkg.GroupVersionVar = "SchemeGroupVersion"
	}
	return true
}

// declaredByRegistration are the exported names that the registration declares.
var declaredByRegistration = []string{"GroupName", "SchemeGroupVersion", "GroupVersion", "SchemeBuilder", "AddToScheme", "Install", "Kind", "Resource"}

// canRegister reports whether the registration of a package's types can be generated, and reports what prevents that. Some of
// what belongs to it may be there, such as SchemeGroupVersion, but not what collects functions for AddToScheme, since nothing
// tells whether it holds the types.
func (p *parser) canRegister(src *load.Package) bool {
	for _, name := range []string{"SchemeBuilder", "localSchemeBuilder", "addKnownTypes"} {
		if d, ok := p.Lookup(src, name); ok {
			p.Errorf(p.Fset.Position(d.Node.Pos()), "package %s declares %s but not AddToScheme, so the registration of its types cannot be generated", src.Path, name).
				Suggest("declare AddToScheme as well, or remove %s", name)
			return false
		}
	}
	for _, name := range []string{"AddToScheme", "SchemeGroupVersion", "GroupName", "string", "error", "nil"} { // what it refers to
		if d, ok := p.Lookup(src, name); ok && (d.Type != nil || !token.IsExported(name)) {
			p.Errorf(p.Fset.Position(d.Node.Pos()), "package %s declares %s as something else, so the registration of its types cannot be generated", src.Path, name).
				Suggest("rename %s", name)
			return false
		}
	}
	for _, f := range src.Files {
		if f.Syntax == nil {
			continue
		}
		for _, importPath := range f.ImportsNamed(".") {
			imported := p.Imported(f, importPath)
			if imported == nil {
				continue
			}
			i := slices.IndexFunc(declaredByRegistration, func(name string) bool {
				_, ok := p.Lookup(imported, name)
				return ok
			})
			if i >= 0 {
				p.Errorf(p.Fset.Position(f.Syntax.Name.Pos()), "this file imports %s of %s by its bare name, so the registration of its types cannot be generated", declaredByRegistration[i], importPath).
					Suggest("import the package without the dot, or declare AddToScheme")
				return false
			}
		}
	}
	return true
}
