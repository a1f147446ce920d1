package render

import (
	"fmt"

	"golang.org/x/mod/module"

	"github.com/kubegen/kubegen/internal/gofile"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/templates"
)

// API is the view for templates of files for the whole API; the views of its parts embed it. Every view belongs to one
// file, which imports the packages that the results of methods refer to.
type API struct {
	Model    *model.API
	Prepared any // result of Family.Prepare

	family      *Family
	opts        *Options
	path        string // of the file, below the family's root
	file        *gofile.File
	handWritten func() map[string]bool // names declared by the hand-written files beside it
}

// Groups returns the groups of the API.
func (a *API) Groups() []any {
	var list []any
	for _, g := range a.Model.Groups {
		list = append(list, a.view(&Group{a, g}))
	}
	return list
}

// Versions returns the versions of the group, or of all groups if there is no group.
func (a *API) Versions() []any { return views(a, a.versions()) }

// Resources returns the kinds of the version for which the family generates code; of all versions if there is no
// version.
func (a *API) Resources() []any { return views(a, a.Kinds()) }

// Structs returns the structs of the version for which the family has files; of all versions if there is no version.
func (a *API) Structs() []any {
	var list []any
	for _, v := range a.versions() {
		list = append(list, v.Structs()...)
	}
	return list
}

// Kinds is like Resources, but returns the general views.
func (a *API) Kinds() []*Kind {
	var list []*Kind
	for _, v := range a.versions() {
		list = append(list, v.Kinds()...)
	}
	return list
}

func (a *API) versions() []*Version {
	var list []*Version
	for _, g := range a.Model.Groups {
		list = append(list, (&Group{a, g}).versions()...)
	}
	return list
}

// view returns the family's own form of a view.
func (a *API) view(general any) any {
	if a.family.View == nil {
		return general
	}
	return a.family.View(general)
}

// views returns the family's own forms of views.
func views[V any](a *API, general []V) []any {
	list := make([]any, len(general))
	for i, v := range general {
		list[i] = a.view(v)
	}
	return list
}

// Ref returns the text for an identifier of any package, which the file then imports. An invalid import path is an
// error.
func (a *API) Ref(importPath, name string) (string, error) {
	if err := module.CheckImportPath(importPath); err != nil {
		return "", fmt.Errorf("not a valid import path: %w", err)
	}
	return a.Ident(importPath, name), nil
}

// Ident is Ref for import paths that are known to be valid.
func (a *API) Ident(importPath, name string) string {
	return a.file.Ref(gofile.Ident{Path: importPath, Name: name})
}

// TypeRef returns the text for a type.
func (a *API) TypeRef(t model.TypeRef) string { return a.Ident(t.Path, t.Name) }

// HandWritten reports whether a hand-written file beside this one declares a name.
func (a *API) HandWritten(name string) bool { return a.handWritten()[name] }

// Declared returns the names that hand-written files beside this one declare, those of methods as "receiver.Method".
func (a *API) Declared() map[string]bool { return a.handWritten() }

// Options returns the options of the run.
func (a *API) Options() *Options { return a.opts }

// Scheme returns a name of the clientset's scheme package.
func (a *API) Scheme(name string) string { return a.RefIn(templates.Scheme, name) }

// ClientsetInterface returns the interface of the clientset.
func (a *API) ClientsetInterface() string { return a.RefIn(templates.Clientset, "Interface") }

// Applies reports whether there are apply configurations; for a kind, whether it has one.
func (a *API) Applies() bool { return a.opts.Roots[templates.ApplyConfigurations].Path != "" }

// PrefersProtobuf reports whether clients use protobuf by default.
func (a *API) PrefersProtobuf() bool { return a.opts.PrefersProtobuf }

// Fake reports whether there is a fake clientset.
func (a *API) Fake() bool { return a.opts.Fake }

// Typed reports whether there are clients for groups, in addition to the clientset.
func (a *API) Typed() bool { return !a.opts.ClientsetOnly }

// TypedFake reports whether there are fake clients for groups.
func (a *API) TypedFake() bool { return a.Fake() && a.Typed() }

// AddToSchemes returns the functions that register the types of all packages.
func (a *API) AddToSchemes() []string {
	var list []string
	for _, v := range a.versions() {
		for _, pkg := range v.Model.Packages {
			if !pkg.Off(model.ClientSwitch) {
				list = append(list, a.Ident(pkg.Path, "AddToScheme"))
			}
		}
	}
	return list
}

// RefIn returns the text for a name of a generated package outside all groups. dir is its directory of templates.
func (a *API) RefIn(dir, name string) string { return a.Ident(a.opts.packageOf(dir, nil, nil), name) }
