package clientset

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/templates"
)

// resources is the template of the file that lists the resources of a fake clientset.
const resources = templates.FakeClientset + "/resources.go.tmpl"

// APIResourceList describes the resources of a group and version, as metav1.APIResourceList does.
type APIResourceList struct {
	GroupVersion string
	Resources    []APIResource // ordered by name
}

// APIResource describes a resource or a subresource, as metav1.APIResource does.
type APIResource struct {
	Name, SingularName string
	Namespaced         bool
	Group, Version     string // group and version of Kind, or "" if they equal GroupVersion of the list
	Kind               string

	verbs, shortNames, categories []string
}

// Verbs returns the verbs of discovery as the elements of a Go slice, in order.
func (r APIResource) Verbs() gofile.Code { return gofile.QuoteAll(r.verbs) }

// ShortNames returns the short names as the elements of a Go slice, or "".
func (r APIResource) ShortNames() gofile.Code { return gofile.QuoteAll(r.shortNames) }

// Categories returns the categories as the elements of a Go slice, or "".
func (r APIResource) Categories() gofile.Code { return gofile.QuoteAll(r.categories) }

// APIResources returns the resources and subresources that the clients use, in the form of discovery, ordered by group
// and version. It omits unversioned types, and kinds whose clients have no methods. It returns nil for the classic
// tools, whose fakes have no such list.
func (a API) APIResources() []APIResourceList {
	if a.Options().Policy.NoFakeDiscovery {
		return nil
	}
	var lists []APIResourceList
	for _, k := range a.Kinds() {
		if k.Model.Version.Internal() {
			continue
		}
		gv := k.Model.Version.GroupVersion().String()
		i := slices.IndexFunc(lists, func(l APIResourceList) bool { return l.GroupVersion == gv })
		if i < 0 {
			i = len(lists)
			lists = append(lists, APIResourceList{GroupVersion: gv})
		}
		lists[i].Resources = append(lists[i].Resources, Client{k}.apiResources(a.Model)...)
	}
	lists = slices.DeleteFunc(lists, func(l APIResourceList) bool { return len(l.Resources) == 0 })
	for _, l := range lists {
		slices.SortFunc(l.Resources, func(a, b APIResource) int { return cmp.Compare(a.Name, b.Name) })
	}
	return lists
}

// discovered maps the verbs of clients to the verbs of discovery.
var discovered = map[model.Verb]string{
	model.VerbCreate: "create", model.VerbUpdate: "update",
	model.VerbDelete: "delete", model.VerbDeleteWithResult: "delete", model.VerbDeleteCollection: "deletecollection",
	model.VerbGet: "get", model.VerbList: "list", model.VerbWatch: "watch", model.VerbPatch: "patch", model.VerbApply: "patch",
}

// apiResources returns the kind's resource and subresources that methods of the client use.
func (k Client) apiResources(api *model.API) []APIResource {
	verbs := map[string][]string{} // by subresource
	of := map[string]model.TypeRef{"": k.Model.Type()}
	use := func(subresource string, object model.TypeRef, used ...string) {
		verbs[subresource] = append(verbs[subresource], used...)
		if _, ok := of[subresource]; !ok {
			of[subresource] = object
		}
	}
	for _, verb := range k.Verbs() {
		switch verb := model.Verb(verb); verb {
		case model.VerbUpdateStatus, model.VerbApplyStatus:
			use("status", k.Model.Type(), "get", "patch", "update")
		default:
			use("", k.Model.Type(), discovered[verb])
		}
	}
	if k.Model.Scale != nil {
		use("scale", model.TypeRef{Path: "k8s.io/api/autoscaling/v1", Name: "Scale"}, "get", "patch", "update")
	}
	for _, m := range k.Model.Methods {
		object := m.Result
		if m.Verb == model.VerbCreate || m.Verb == model.VerbUpdate {
			object = m.Input
		}
		use(m.Subresource, object, discovered[m.Verb])
	}
	var list []APIResource
	for subresource, used := range verbs {
		slices.Sort(used)
		r := APIResource{Name: k.ResourceName(), Namespaced: k.Namespaced(), Kind: of[subresource].Name, verbs: slices.Compact(used)}
		if of[subresource] == k.Model.Type() {
			r.Kind = k.ObjectKind()
		}
		if subresource == "" {
			r.SingularName, r.shortNames, r.categories = k.Model.Singular, k.Model.ShortNames, k.Model.Categories
		} else {
			r.Name += "/" + subresource
			if of[subresource].Path != k.Model.Package.Path {
				r.Group, r.Version = groupVersionOf(api, of[subresource].Path)
			}
		}
		list = append(list, r)
	}
	return list
}

// groupVersionOf returns the group and version of the types of a package of the API or of k8s.io/api. Both are "" for
// other packages.
func groupVersionOf(api *model.API, importPath string) (group, version string) {
	for v := range api.Versions() {
		if slices.ContainsFunc(v.Packages, func(p *model.Package) bool { return p.Path == importPath }) {
			return v.Group.Name, v.Name
		}
	}
	if rest, ok := strings.CutPrefix(importPath, "k8s.io/api/"); ok {
		group, version, _ = strings.Cut(rest, "/")
	}
	return group, version
}

// Selectable returns the kinds with selectable fields.
func (a API) Selectable() []Client {
	return kindsThat(a.api, func(k Client) bool { return len(k.Model.SelectableFields) > 0 })
}

// Scaled returns the kinds whose markers declare the paths of a scale subresource.
func (a API) Scaled() []Client {
	return kindsThat(a.api, func(k Client) bool { return k.Model.Scale != nil })
}

func kindsThat(a *render.API, hold func(Client) bool) (list []Client) {
	for _, k := range a.Kinds() {
		if hold(Client{k}) {
			list = append(list, Client{k})
		}
	}
	return list
}

// GroupVersionResource returns the fields of a schema.GroupVersionResource literal.
func (k Client) GroupVersionResource() gofile.Code {
	gv := k.Model.Version.GroupVersion()
	return gofile.Codef("Group: %q, Version: %q, Resource: %q", gv.Group, gv.Version, k.ResourceName())
}

// SelectableFields returns the paths of the kind's selectable fields as the elements of a Go slice.
func (k Client) SelectableFields() gofile.Code { return gofile.QuoteAll(k.Model.SelectableFields) }

// FieldConstant is a constant that names a field for use in field selectors.
type FieldConstant struct{ Name, Field string }

// FieldConstants returns the constants for the kind's selectable fields, such as KINDFieldSpecImage for .spec.image. If
// two paths result in the same name, a number is appended to the later one: KINDFieldSpecImage2. Names declared by
// hand-written files are omitted. With NoFieldConstants, there are none.
func (k Client) FieldConstants() (constants []FieldConstant) {
	if k.Options().Policy.NoFieldConstants {
		return nil
	}
	var names []string
	for _, path := range k.Model.SelectableFields {
		names = append(names, model.FieldName(path))
	}
	for i, path := range k.Model.SelectableFields {
		name := names[i]
		if slices.Contains(names[:i], name) {
			for n := 2; slices.Contains(names, name); n++ {
				name = names[i] + strconv.Itoa(n)
			}
			names = append(names, name)
		}
		c := FieldConstant{Name: k.Kind() + name, Field: strings.TrimPrefix(path, ".")}
		if !k.HandWritten(c.Name) {
			constants = append(constants, c)
		}
	}
	return constants
}

// ScalePath is a path of the scale subresource. Name is the name of its field in a CustomResourceDefinition.
type ScalePath struct{ Name, Path string }

// ScalePaths returns the paths of the kind's scale subresource.
func (k Client) ScalePaths() []ScalePath {
	paths := []ScalePath{
		{"specReplicasPath", model.JSONPath(k.Model.Scale.SpecReplicas)}, {"statusReplicasPath", model.JSONPath(k.Model.Scale.StatusReplicas)},
	}
	if len(k.Model.Scale.Selector) > 0 {
		paths = append(paths, ScalePath{"labelSelectorPath", model.JSONPath(k.Model.Scale.Selector)})
	}
	return paths
}

// When reports whether the API needs the output file of a template.
func (Generator) When(a *render.API, template string) bool {
	switch {
	case template == subresources && len(foreign(a)) == 0,
		template == resources && len(API{a}.APIResources()) == 0,
		template == sharedHelpers && !(a.Typed() && slices.ContainsFunc(a.Kinds(), hasHelpers)),
		template == sharedFakes && !(a.TypedFake() && len(a.Kinds()) > 0),
		strings.HasPrefix(template, templates.TypedClients+"/") && !a.Typed(),
		strings.Contains(template, "/fake/") && !a.Fake():
		return false
	}
	return true
}
