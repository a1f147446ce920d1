// Package registration reads how the types of packages are registered with schemes: the group and version that a package declares, and
// in which ones its code registers kinds. It determines which types a run registers itself, and reports what the scheme of a clientset
// would lack. It gets packages and their markers. What a package's own group and version are is decided elsewhere, and so is what is
// generated.
package registration

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
	"github.com/kubegen/kubegen/internal/origin"
	"github.com/kubegen/kubegen/internal/policy"
)

// Config determines for which packages a run writes the registration of types.
type Config struct {
	Marks  origin.Marks // of the files that the run writes; none if it does not write any
	Kinds  bool         // also for packages with kinds, not only for those with +k8s:register-gen or +groupName
	Policy policy.Policy
}

// Hide removes the files of earlier runs from the packages whose registration the run writes again.
func (c Config) Hide(l *load.Loader, found []*load.Package) {
	if len(c.Marks) == 0 {
		return
	}
	for _, src := range found {
		var ignored diag.List
		if c.wants(src, gotypes.PackageMarkers(l.Fset, src, c.Policy, &ignored)) && !src.Foreign {
			src.Hide(c.Marks)
		}
	}
}

// wants reports whether the markers of a package ask for its registration.
func (c Config) wants(src *load.Package, found []markers.Marker) bool {
	if len(c.Marks) == 0 {
		return false
	}
	wanted := c.Kinds && src.Mentions(markers.Genclient)
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

// Types returns the names of the types that the run is to register for a package, sorted; none for one that registers
// its types itself. These are the structs that have a TypeMeta, unless some are unversioned. If some
// of them are objects or will be, the others are not registered: they only have the fields of a TypeMeta.
func (c Config) Types(outline *gotypes.Reader, src *load.Package, found []markers.Marker, isObject func(name string) bool) (names []string) {
	if !c.wants(src, found) || src.Broken() {
		return nil
	}
	if c.ByHand(outline.Loader, src, found) {
		return nil
	}
	for name, in := range outline.Objects(src) {
		if c.unversioned(in) {
			return nil
		}
		names = append(names, name)
	}
	slices.Sort(names)
	if slices.ContainsFunc(names, isObject) {
		names = slices.DeleteFunc(names, func(name string) bool { return !isObject(name) })
	}
	return names
}

// unversioned reports whether the metadata of a struct has no JSON tags. register-gen goes by that of TypeMeta alone.
func (c Config) unversioned(in gotypes.Fields) bool {
	for _, name := range []string{"TypeMeta", "ObjectMeta", "ListMeta"} {
		if meta, ok := in.Meta(name); ok && strings.Contains(string(meta.Tag), "json") {
			return false
		}
		if !c.Kinds {
			break
		}
	}
	return true
}

// ByHand reports whether a package whose markers ask for its registration registers its types itself.
func (c Config) ByHand(l *load.Loader, src *load.Package, found []markers.Marker) bool {
	hasFile := func(f *load.File) bool { return filepath.Base(f.Name) == "register.go" } // what register-gen goes by
	return c.wants(src, found) && (AddsToScheme(l, src) || c.Policy.RegisterGoByHand && !c.Kinds && slices.ContainsFunc(src.Files, hasFile))
}

// declaredByRegistration are the exported names that the registration declares.
var declaredByRegistration = []string{"GroupName", "SchemeGroupVersion", "GroupVersion", "SchemeBuilder", "AddToScheme", "Install", "Kind", "Resource"}

// CanRegister reports whether the registration of a package's types can be generated, and reports what prevents that. Some of
// what belongs to it may be there, such as SchemeGroupVersion, but not what collects functions for AddToScheme, since nothing
// tells whether it holds the types.
func CanRegister(l *load.Loader, src *load.Package) bool {
	for _, name := range []string{"SchemeBuilder", "localSchemeBuilder", "addKnownTypes"} {
		if d, ok := l.Lookup(src, name); ok {
			l.Errorf(l.Fset.Position(d.Node.Pos()), "package %s declares %s but not AddToScheme, so the registration of its types cannot be generated", src.Path, name).
				Suggest("declare AddToScheme as well, or remove %s", name)
			return false
		}
	}
	for _, name := range []string{"AddToScheme", "SchemeGroupVersion", "GroupName", "string", "error", "nil"} { // what it refers to
		if d, ok := l.Lookup(src, name); ok && (d.Type != nil || !token.IsExported(name)) {
			l.Errorf(l.Fset.Position(d.Node.Pos()), "package %s declares %s as something else, so the registration of its types cannot be generated", src.Path, name).
				Suggest("rename %s", name)
			return false
		}
	}
	for _, f := range src.Files {
		if f.Syntax == nil {
			continue
		}
		for _, importPath := range f.ImportsNamed(".") {
			imported := l.Imported(f, importPath)
			if imported == nil {
				continue
			}
			i := slices.IndexFunc(declaredByRegistration, func(name string) bool {
				_, ok := l.Lookup(imported, name)
				return ok
			})
			if i >= 0 {
				l.Errorf(l.Fset.Position(f.Syntax.Name.Pos()), "this file imports %s of %s by its bare name, so the registration of its types cannot be generated", declaredByRegistration[i], importPath).
					Suggest("import the package without the dot, or declare AddToScheme")
				return false
			}
		}
	}
	return true
}
