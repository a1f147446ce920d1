package render

import (
	"github.com/kubegen/kubegen/internal/gofile"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/templates"
)

// Group is the view for templates of files for a group.
type Group struct {
	*API
	Model *model.Group
}

// Versions returns the versions of the group.
func (g *Group) Versions() []any { return each(g.views, g.versions()) }

// Resources returns the kinds of the group for which the generator generates code.
func (g *Group) Resources() []any { return each(g.views, g.Kinds()) }

// Structs returns the structs of the group for which the generator has files.
func (g *Group) Structs() []any {
	var list []any
	for _, v := range g.versions() {
		list = append(list, v.Structs()...)
	}
	return list
}

// Kinds is like Resources, but returns general views.
func (g *Group) Kinds() []*Kind {
	var list []*Kind
	for _, v := range g.versions() {
		list = append(list, v.Kinds()...)
	}
	return list
}

func (g *Group) versions() []*Version {
	list := make([]*Version, len(g.Model.Versions))
	for i, v := range g.Model.Versions {
		list[i] = &Version{g, v}
	}
	return list
}

// GroupName returns the name of the group: "stable.example.com".
func (g *Group) GroupName() string { return g.Model.Name }

// GroupGoName returns the Go name of the group, such as "Stable". It is unique in the API.
func (g *Group) GroupGoName() string { return g.API.Model.GoName(g.Model) }

// APIPath returns the path under which API servers serve the group: "/apis", or "/api" for the core group.
func (g *Group) APIPath() string {
	if g.Model.Name == "" {
		return "/api"
	}
	return g.opts.APIPath
}

// InformersRef refers to a name in the package of the group's informers.
func (g *Group) InformersRef(name string) gofile.Code {
	return g.Ident(g.opts.packageOf(templates.GroupInformers, g.Model, nil), name)
}
