// This file reads how packages register types with schemes: the declared group and version, and the ones
// that kinds are registered in. It determines the types that a run registers, and reports gaps in the scheme of a
// clientset. It does not choose group and version, and generates nothing.

package kinds

import (
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// RegistrationConfig determines the packages for which a run writes the registration of types.
type RegistrationConfig struct {
	Marks  gofile.ToolMarks // marks of the files that the run writes; empty if it writes none
	Stale  gofile.ToolMarks // the ones among them of files that the run removes from packages without a registration
	Kinds  bool             // include packages with kinds, not only packages with +k8s:register-gen or +groupName
	Policy model.Policy
}

// Hide hides the files of a package that the run writes again or removes. found are the markers of the package.
func (c RegistrationConfig) Hide(src *load.Package, found []model.Marker) {
	if c.wants(src, found) {
		src.Hide(c.Marks)
	} else {
		src.Hide(c.Stale)
	}
}

// wants reports whether the run may write a registration for a package with these markers.
func (c RegistrationConfig) wants(src *load.Package, found []model.Marker) bool {
	if len(c.Marks) == 0 {
		return false
	}
	wanted := c.Kinds && src.Mentions(markers.Genclient)
	for _, m := range found {
		switch {
		case m.Name == model.RegisterSwitch && m.Text == "false":
			return false
		case m.Name == model.RegisterSwitch, m.Name == "groupName":
			wanted = true
		}
	}
	return wanted
}

// Types returns the sorted names of the types to register for a package. There are none for a package that registers
// its types itself; if it does so with a scheme builder of controller-runtime, a warning says what to delete.
// Types to register are the structs with a TypeMeta, unless some are unversioned. If some of them are or will be
// objects, only these are registered.
func (c RegistrationConfig) Types(
	outline *gotypes.Reader, src *load.Package, found []model.Marker, isObject func(name string) bool, diags *diag.List,
) (names []string) {
	if !c.wants(src, found) || src.Broken() {
		return nil
	}
	byHand := c.ByHand(outline.Loader, src, found)
	builder, built := schemeBuilder(outline.Loader, src)
	if byHand && !built {
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
	if built && len(names) > 0 && !src.Foreign {
		reportBuilder(outline.Loader, src, builder, diags)
	}
	if byHand {
		return nil
	}
	return names
}

// unversioned reports whether the metadata of a struct has no JSON tags. As in register-gen, only TypeMeta is
// considered unless c.Kinds is set.
func (c RegistrationConfig) unversioned(in gotypes.Fields) bool {
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

// ByHand reports whether a package for which a registration is requested registers its types itself.
func (c RegistrationConfig) ByHand(l *load.Loader, src *load.Package, found []model.Marker) bool {
	hasFile := func(f *load.File) bool { return filepath.Base(f.Name) == "register.go" } // register-gen's criterion
	return c.wants(src, found) && (AddsToScheme(l, src) || c.Policy.RegisterGoByHand && !c.Kinds && slices.ContainsFunc(src.Files, hasFile))
}

// RegistrationNames lists the exported names that a generated registration declares. The last two are optional
// functions.
var RegistrationNames = []string{
	"GroupName", "SchemeGroupVersion", "GroupVersion", "SchemeBuilder", "AddToScheme", "Install", "Kind", "Resource",
}

// CanRegister reports whether the registration of a package's types can be generated, and adds an error to diags if it
// cannot. The package may already declare some parts, such as SchemeGroupVersion, but not a list of functions for
// AddToScheme, because it is unknown whether that registers the types.
func CanRegister(l *load.Loader, src *load.Package, diags *diag.List) bool {
	for _, name := range []string{"SchemeBuilder", "localSchemeBuilder", "addKnownTypes"} {
		if d, ok := l.Lookup(src, name); ok {
			diags.Errorf(
				l.Fset.Position(d.Node.Pos()), "package %s declares %s but not AddToScheme, so the registration of its types cannot be generated",
				src.Path, name,
			).
				Suggest("declare AddToScheme as well, or remove %s", name)
			return false
		}
	}
	for _, name := range []string{
		"AddToScheme", "SchemeGroupVersion", "GroupName", "string", "error", "nil",
	} { // generated code refers to these
		if d, ok := l.Lookup(src, name); ok && (d.Type != nil || !token.IsExported(name)) {
			diags.Errorf(
				l.Fset.Position(d.Node.Pos()), "package %s declares %s as something else, so the registration of its types cannot be generated",
				src.Path, name,
			).
				Suggest("rename %s", name)
			return false
		}
	}
	for f := range src.Parsed() {
		for _, importPath := range f.ImportsNamed(".") {
			imported := l.Imported(f, importPath)
			if imported == nil {
				continue
			}
			i := slices.IndexFunc(RegistrationNames, func(name string) bool {
				_, ok := l.Lookup(imported, name)
				return ok
			})
			if i >= 0 {
				diags.Errorf(
					l.Fset.Position(f.Syntax.Name.Pos()),
					"this file imports %s of %s by its bare name, so the registration of its types cannot be generated", RegistrationNames[i], importPath,
				).
					Suggest("import the package without the dot, or declare AddToScheme")
				return false
			}
		}
	}
	return true
}
