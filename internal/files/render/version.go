package render

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/templates"
)

// Version is the view for templates of files for a version of a group.
type Version struct {
	*Group
	Model *model.Version
}

// newVersion returns the view of a version for the file of another view.
func newVersion(a *API, g *model.Group, v *model.Version) *Version {
	group := newGroup(a, g)
	group.version = v
	return &Version{group, v}
}

// Describe returns the group and version for comments: "stable.example.com/v1".
func (v *Version) Describe() string {
	return cmp.Or(v.Group.Model.Name, "core") + "/" + cmp.Or(v.Model.Name, "(unversioned)")
}

// Internal reports whether the types of the version are unversioned.
func (v *Version) Internal() bool { return v.Model.Internal() }

// GoVersion returns the Go names of group and version: "StableV1".
func (v *Version) GoVersion() string { return v.Model.ClientName() }

// Field returns the name of the version's field in the clientset: "stableV1".
func (v *Version) Field() string { return model.Unexported(v.GoVersion()) }

// MethodName returns the name of the version's method in the informers of the group: "V1".
func (v *Version) MethodName() string { return cmp.Or(v.Model.GoName(), "InternalVersion") }

// GroupVersion returns an expression for the schema.GroupVersion of the kind or version: the variable in the package of
// the types, if there is one, because the types are registered with it, or else a composite literal.
func (v *Version) GroupVersion() gofile.Code { return v.groupVersionIn(v.Model.Packages[0]) }

func (v *Version) groupVersionIn(pkg *model.Package) gofile.Code {
	if pkg.GroupVersionVar != "" {
		return v.Ident(pkg.Path, pkg.GroupVersionVar)
	}
	gv := v.Model.GroupVersion()
	return gofile.Codef("schema.GroupVersion{Group: %q, Version: %q}", gv.Group, gv.Version)
}

// HasMethods reports whether any kind of the version has additional methods.
func (v *Version) HasMethods() bool {
	return slices.ContainsFunc(v.Kinds(), func(k *Kind) bool { return len(k.Methods()) > 0 })
}

// refIn refers to a name in a generated package of the version. dir is its directory of templates.
func (v *Version) refIn(dir, name string) gofile.Code {
	return v.Ident(v.opts.packageOf(dir, v.Group.Model, v.Model), name)
}

// ClientInterface returns the interface of the version's client.
func (v *Version) ClientInterface() gofile.Code { return v.ClientFunc(v.GoVersion() + "Interface") }

// Client returns the type of the version's client.
func (v *Version) Client() gofile.Code { return v.ClientFunc(v.GoVersion() + "Client") }

// ClientFunc refers to a name in the package of the version's clients.
func (v *Version) ClientFunc(name string) gofile.Code { return v.refIn(templates.Clients, name) }

// FakeClient returns the type of the version's fake client.
func (v *Version) FakeClient() gofile.Code {
	return v.refIn(templates.FakeClients, "Fake"+v.GoVersion())
}

// InformersRef refers to a name in the package of the version's informers.
func (v *Version) InformersRef(name string) gofile.Code {
	return v.refIn(templates.VersionInformers, name)
}

// ListerRef refers to a name in the package of the version's listers. The parts of the name are concatenated.
func (v *Version) ListerRef(parts ...string) gofile.Code {
	return v.refIn(templates.VersionListers, strings.Join(parts, ""))
}
