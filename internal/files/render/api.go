package render

import (
	"fmt"

	"golang.org/x/mod/module"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/templates"
)

// API is the view for templates of files for the whole API. The views of other scopes embed it. Each view belongs to
// one file. If a method returns a reference to a package, the file imports that package.
type API struct {
	Model *model.API

	views       Views
	generator   Generator
	opts        *Options
	groups      []*model.Group // the groups of the view: all, or one
	version     *model.Version // the only version of the view, if it is for one
	path        string         // path of the file below the generator's root
	file        *gofile.File
	handWritten func() map[string]bool // names declared by hand-written files in the same directory
}

// Groups returns the groups of the API.
func (a *API) Groups() []any {
	var list []any
	for _, g := range a.Model.Groups {
		list = append(list, a.views.of(newGroup(a, g)))
	}
	return list
}

// Versions returns the versions of the group. In the view of the whole API, it returns the versions of all groups.
func (a *API) Versions() []any { return each(a.views, a.versions()) }

// Resources returns the kinds of the version for which the generator generates code. In a view without a version, it
// returns the kinds of all versions.
func (a *API) Resources() []any { return each(a.views, a.Kinds()) }

// Structs returns the structs of the version for which the generator has files. In a view without a version, it returns
// the structs of all versions.
func (a *API) Structs() []any {
	var list []any
	for _, v := range a.scoped() {
		for _, s := range structsOf(a.generator, v.Model) {
			list = append(list, a.views.of(&Struct{v, s}))
		}
	}
	return list
}

// Kinds is like Resources, but returns general views.
func (a *API) Kinds() []*Kind {
	var list []*Kind
	for _, v := range a.scoped() {
		for _, r := range Resources(a.generator, v.Model) {
			list = append(list, &Kind{v, r})
		}
	}
	return list
}

func (a *API) versions() []*Version {
	var list []*Version
	for _, g := range a.groups {
		for _, v := range g.Versions {
			list = append(list, newVersion(a, g, v))
		}
	}
	return list
}

// scoped returns the versions whose kinds and structs the view has.
func (a *API) scoped() []*Version {
	if a.version != nil {
		return []*Version{newVersion(a, a.groups[0], a.version)}
	}
	return a.versions()
}

// Ref returns the Go syntax of an identifier in a package, and makes the file import the package. An invalid import
// path is an error.
func (a *API) Ref(importPath, name string) (gofile.Code, error) {
	if err := module.CheckImportPath(importPath); err != nil {
		return "", fmt.Errorf("not a valid import path: %w", err)
	}
	return a.Ident(importPath, name), nil
}

// Ident is like Ref for a valid import path.
func (a *API) Ident(importPath, name string) gofile.Code {
	return a.file.Ref(gofile.Ident{Path: importPath, Name: name})
}

// TypeRef returns the Go syntax of a type.
func (a *API) TypeRef(t model.TypeRef) gofile.Code { return a.Ident(t.Path, t.Name) }

// HandWritten reports whether a hand-written file in the same directory declares a name.
func (a *API) HandWritten(name string) bool { return a.handWritten()[name] }

// Declared returns the names declared by hand-written files in the same directory. Methods are listed as
// "Receiver.Method".
func (a *API) Declared() map[string]bool { return a.handWritten() }

// Options returns the options of the run.
func (a *API) Options() *Options { return a.opts }

// Scheme refers to a name in the scheme package of the clientset.
func (a *API) Scheme(name string) gofile.Code { return a.RefIn(templates.Scheme, name) }

// ClientsetInterface returns the interface of the clientset.
func (a *API) ClientsetInterface() gofile.Code { return a.RefIn(templates.Clientset, "Interface") }

// Applies reports whether apply configurations are generated. In the view of a kind, it reports whether the kind has
// one.
func (a *API) Applies() bool { return a.opts.Roots[templates.ApplyConfigurations].Path != "" }

// PrefersProtobuf reports whether clients use protobuf by default.
func (a *API) PrefersProtobuf() bool { return a.opts.PrefersProtobuf }

// Fake reports whether a fake clientset is generated.
func (a *API) Fake() bool { return a.opts.Fake }

// Typed reports whether clients of groups are generated, in addition to the clientset.
func (a *API) Typed() bool { return !a.opts.ClientsetOnly }

// TypedFake reports whether fake clients of groups are generated.
func (a *API) TypedFake() bool { return a.Fake() && a.Typed() }

// AddToSchemes returns the functions that register the types of all packages.
func (a *API) AddToSchemes() []gofile.Code {
	var list []gofile.Code
	for _, v := range a.versions() {
		for _, pkg := range v.Model.Packages {
			if !pkg.Off(model.ClientSwitch) {
				switch {
				case pkg.Unregistered:
					list = append(list, v.registration(pkg))
				case pkg.SchemeBuilder != "":
					list = append(list, a.Ident(pkg.Path, pkg.SchemeBuilder)+".AddToScheme")
				default:
					list = append(list, a.Ident(pkg.Path, "AddToScheme"))
				}
			}
		}
	}
	return list
}

// registration returns a function that registers the kinds of a package without such a function.
func (v *Version) registration(pkg *model.Package) gofile.Code {
	var types gofile.Code
	for _, r := range v.Model.Resources {
		names := []string{r.Kind}
		if r.Listable() {
			names = append(names, r.List.Name)
		}
		for _, name := range names {
			if r.Package == pkg {
				types += "\t\t\t&" + v.Ident(pkg.Path, name) + "{},\n"
			}
		}
	}
	return "func(scheme *runtime.Scheme) error {\n" +
		"\t\tscheme.AddKnownTypes(\n\t\t\t" + v.groupVersionIn(pkg) + ",\n" + types + "\t\t)\n" +
		"\t\tmetav1.AddToGroupVersion(scheme, " + v.groupVersionIn(pkg) + ")\n\t\treturn nil\n\t}"
}

// RefIn refers to a name in a generated package outside of groups. dir is its directory of templates.
func (a *API) RefIn(dir, name string) gofile.Code {
	return a.Ident(a.opts.packageOf(dir, nil, nil), name)
}

// Has reports whether client-go has a capability, or the generated code provides it. In a template, an unknown
// capability is an error.
func (a *API) Has(c model.Capability) bool { return a.opts.ClientGo().Has(c) || a.Backports(c) }

// Backports reports whether the generated code provides a capability that the release of client-go lacks.
func (a *API) Backports(c model.Capability) bool { return a.opts.Backports(c) }
