package render

import (
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/templates"
)

// Group is the view for templates of files for a group.
type Group struct {
	*API
	Model *model.Group
}

// newGroup returns the view of a group for the file of another view.
func newGroup(a *API, g *model.Group) *Group {
	one := *a
	one.groups = []*model.Group{g}
	return &Group{&one, g}
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
