// This file reads how packages register types with schemes: the declared group and version, and the ones
// that kinds are registered in. It determines the types that a run registers, and reports gaps in the scheme of a
// clientset. It does not choose group and version, and generates nothing.

package products

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// wantsRegistration reports whether an output may write a registration for a package.
func wantsRegistration(r *Reading, o *Output, src *load.Package) bool {
	return o.wants(src, r.MarkersOf(src))
}

// wants reports whether the output may write a registration for a package with these markers.
func (o *Output) wants(src *load.Package, found []model.Marker) bool {
	if !o.Writes(Registration) {
		return false
	}
	wanted := o.kinds() && src.Mentions(markers.Genclient)
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
func (o *Output) Types(
	outline *gotypes.Reader, src *load.Package, found []model.Marker, isObject func(name string) bool,
) (names []string, diags diag.List) {
	if !o.wants(src, found) || src.Broken() {
		return nil, nil
	}
	byHand := o.ByHand(outline.Loader, src, found)
	builder, built := schemeBuilder(outline.Loader, src)
	if byHand && !built {
		return nil, nil
	}
	for name, in := range outline.Objects(src) {
		if o.unversioned(in) {
			return nil, nil
		}
		names = append(names, name)
	}
	slices.Sort(names)
	if slices.ContainsFunc(names, isObject) {
		names = slices.DeleteFunc(names, func(name string) bool { return !isObject(name) })
	}
	if built && len(names) > 0 && !src.Foreign {
		reportBuilder(outline.Loader, src, builder, &diags)
	}
	if byHand {
		return nil, diags
	}
	return names, diags
}

// unversioned reports whether the metadata of a struct has no JSON tags. As in register-gen, only TypeMeta is
// considered unless kinds is true.
func (o *Output) unversioned(in gotypes.Fields) bool {
	for _, name := range []string{"TypeMeta", "ObjectMeta", "ListMeta"} {
		if meta, ok := in.Meta(name); ok && strings.Contains(string(meta.Tag), "json") {
			return false
		}
		if !o.kinds() {
			break
		}
	}
	return true
}

// ByHand reports whether a package for which a registration is requested registers its types itself.
func (o *Output) ByHand(l *load.Loader, src *load.Package, found []model.Marker) bool {
	hasFile := func(f *load.File) bool { return filepath.Base(f.Name) == "register.go" } // register-gen's criterion
	return o.wants(src, found) && (o.addsByHand(l, src) || o.Policy.RegisterGoByHand && !o.kinds() && slices.ContainsFunc(src.Files, hasFile))
}

// addsByHand reports whether a package declares AddToScheme, in a file that the output does not write.
func (o *Output) addsByHand(l *load.Loader, src *load.Package) bool {
	d, ok := l.Lookup(src, "AddToScheme")
	return ok && d.Type == nil && !d.File.Has(o.Files[Registration].Marks)
}

// CanRegister reports whether the registration of a package's types can be generated, and adds an error to diags if it
// cannot. The package may already declare some parts, such as SchemeGroupVersion, but not a list of functions for
// AddToScheme, because it is unknown whether that registers the types.
func CanRegister(l *load.Loader, src *load.Package, diags *diag.List) bool {
	declares := func(name, how, hint string, matters func(load.Decl) bool) bool {
		d, ok := l.Lookup(src, name)
		if ok = ok && matters(d); ok {
			diags.Errorf(
				l.Fset.Position(d.Node.Pos()), "package %s declares %s %s, so the registration of its types cannot be generated", src.Path, name, how,
			).Suggest(hint, name)
		}
		return ok
	}
	for _, name := range []string{"SchemeBuilder", "localSchemeBuilder", "addKnownTypes"} {
		if declares(name, "but not AddToScheme", "declare AddToScheme as well, or remove %s", func(load.Decl) bool { return true }) {
			return false
		}
	}
	for _, name := range []string{"AddToScheme", "SchemeGroupVersion", "GroupName"} { // generated code refers to these
		if declares(name, "as something else", "rename %s", func(d load.Decl) bool { return d.Type != nil }) {
			return false
		}
	}
	for f := range src.Parsed() {
		for _, importPath := range f.ImportsNamed(".") {
			imported := l.Imported(f, importPath)
			if imported == nil {
				continue
			}
			i := slices.IndexFunc(model.RegistrationNames, func(name string) bool {
				_, ok := l.Lookup(imported, name)
				return ok
			})
			if i >= 0 {
				diags.Errorf(
					l.Fset.Position(f.Syntax.Name.Pos()),
					"this file imports %s of %s by its bare name, so the registration of its types cannot be generated",
					model.RegistrationNames[i], importPath,
				).Suggest("import the package without the dot, or declare AddToScheme")
				return false
			}
		}
	}
	return true
}
