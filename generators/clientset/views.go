package clientset

import (
	"path"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/templates"
)

// The general views, renamed because embedding them must not hide their methods.
type (
	api  = render.API
	kind = render.Kind
)

// API is the view of the API as a whole.
type API struct{ *api }

// Client is the view of a kind.
type Client struct{ *kind }

var views = render.Views{
	API:  func(a *render.API) any { return API{a} },
	Kind: func(k *render.Kind) any { return Client{k} },
}

// NewTypeConverter returns the function that creates the type converter. It is generated with the apply configurations.
func (a API) NewTypeConverter() gofile.Code {
	return a.RefIn(templates.ApplyConfigurations, "NewTypeConverter")
}

// Converts reports whether the apply configurations have a type converter that servers in memory can use.
func (a API) Converts() bool { return a.Applies() && a.Has(model.SchemeTypeConverter) }

// Irregular returns the kinds whose resource name client-go's object tracker cannot derive from their name.
func (a API) Irregular() []Client {
	return kindsThat(a.api, func(k Client) bool { return k.DerivedResource() != k.Model.Name })
}

// DerivedResource returns the resource name that client-go's object tracker derives from the name of the kind.
func (k Client) DerivedResource() string { return model.GuessResource(k.ObjectKind()) }

// MethodSchemes returns the functions that register the input and result types of additional methods. It omits the
// functions in AddToSchemes.
func (a API) MethodSchemes() []gofile.Code {
	var paths []string
	for _, k := range a.Kinds() {
		for _, m := range k.Model.Methods {
			paths = append(paths, m.Schemes...)
		}
	}
	slices.Sort(paths)
	registered := a.AddToSchemes()
	var list []gofile.Code
	for _, importPath := range slices.Compact(paths) {
		if add := a.Ident(importPath, "AddToScheme"); !slices.Contains(registered, add) {
			list = append(list, add)
		}
	}
	return list
}

// Installs returns the functions that register the types of all groups in a clientset for unversioned types. Each group
// has one in its package "install".
func (a API) Installs() []gofile.Code {
	var list []gofile.Code
	internal := false
	for v := range a.Model.Versions() {
		internal = internal || v.Internal()
		dir := v.Packages[0].Path
		if !v.Internal() {
			dir = path.Dir(dir)
		}
		if install := a.Ident(dir+"/install", "Install"); !slices.Contains(list, install) {
			list = append(list, install)
		}
	}
	if !internal {
		return nil
	}
	return list
}

// AddsMethods reports whether the kind's client needs its own struct, because it has methods that the clients of
// all kinds lack: generated methods, hand-written methods of its expansion interface, or possibly methods from user
// templates.
func (k Client) AddsMethods(structName string) bool {
	if len(k.Methods()) > 0 || k.DeletesUnlisted() || k.Options().Overlay.Has(templates.Clientset) {
		return true
	}
	for name := range k.Declared() {
		if strings.HasPrefix(name, structName+".") {
			return true
		}
	}
	return false
}

// Methods returns the additional methods of the kind's client.
func (k Client) Methods() []Method {
	var list []Method
	for _, m := range k.kind.Methods() {
		list = append(list, Method{m})
	}
	return list
}
