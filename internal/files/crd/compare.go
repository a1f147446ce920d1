package crd

import (
	"cmp"
	"go/token"
	"slices"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Compare reports differences between the kinds of an API and their definitions. Kinds of a group without any
// definition are skipped, because an aggregated API server may serve them.
func Compare(api *model.API, definitions []*Definition) diag.List {
	known := map[string]bool{}
	for _, g := range api.Groups {
		known[g.Name] = true
	}
	foreign := slices.DeleteFunc(slices.Clone(definitions), func(d *Definition) bool { return known[d.Group.Text] })
	var c comparison
	for _, g := range api.Groups {
		var ofGroup []*Definition
		for _, d := range definitions {
			if d.Group.Text == g.Name {
				ofGroup = append(ofGroup, d)
			}
		}
		for _, v := range g.Versions {
			for _, r := range v.Resources {
				if !v.Internal() {
					c.resource(r, ofGroup, foreign)
				}
			}
		}
	}
	return c.diags
}

type comparison struct{ diags diag.List }

// differ reports a difference between a type and a manifest.
func (c *comparison) differ(pos, manifest token.Position, format string, args ...any) *diag.Diagnostic {
	return c.diags.Errorf(pos, format, args...).WithRelated(manifest)
}

// resource compares a kind with its definition. It searches ofGroup, the definitions of the kind's group, for the name
// of the kind, or else of the resource. foreign holds the definitions of groups that the API does not have.
func (c *comparison) resource(r *model.Resource, ofGroup, foreign []*Definition) {
	i := slices.IndexFunc(ofGroup, func(d *Definition) bool { return d.Kind.Text == r.ObjectKind() })
	if i < 0 {
		i = slices.IndexFunc(ofGroup, func(d *Definition) bool { return d.Plural.Text == r.Name })
	}
	if i < 0 {
		c.missing(r, ofGroup, foreign)
		return
	}
	d := ofGroup[i]
	if d.Kind.Text != r.ObjectKind() {
		c.differ(
			r.Pos, d.Kind.Pos, "the kind of %s.%s is %s here, but %s in the CustomResourceDefinition", r.Name, d.Group.Text, r.ObjectKind(),
			d.Kind.Text,
		).Suggest("rename the type, or generate the manifest again")
	}
	if d.Plural.Text != r.Name {
		c.differ(
			r.PlaceOf(r.NameFrom), d.Plural.Pos, "clients of %s use the resource name %s, but the CustomResourceDefinition has %s", r.Kind, r.Name,
			d.Plural.Text,
		).Suggest("add +resourceName=%s, or generate the manifest again", d.Plural.Text)
	}
	if namespaced := d.Scope.Text == "Namespaced"; namespaced != r.Namespaced {
		scope, hint := "namespaced", "add +genclient:nonNamespaced"
		if !r.Namespaced {
			scope, hint = "cluster-scoped", "remove what makes it cluster-scoped"
		}
		c.differ(
			r.PlaceOf(r.ScopeFrom), d.Scope.Pos, "clients of %s are %s, but the scope in the CustomResourceDefinition is %s", r.Kind, scope,
			d.Scope.Text,
		).Suggest("%s, or generate the manifest again", hint)
	}
	for _, v := range d.Versions {
		if v.Name.Text == r.Version.Name {
			c.version(r, v)
			return
		}
	}
	c.differ(r.Pos, d.Kind.Pos, "kind %s has version %s here, but not in the CustomResourceDefinition", r.Kind, r.Version.Name).
		Suggest("generate the manifest again, or remove +genclient")
}

// missing reports a kind without a definition.
func (c *comparison) missing(r *model.Resource, ofGroup, foreign []*Definition) {
	for _, d := range foreign {
		if d.Kind.Text == r.ObjectKind() && d.Plural.Text == r.Name && len(ofGroup) == 0 {
			c.differ(
				r.PlaceOf(r.Package.GroupFrom), d.Group.Pos, "kind %s is of group %q here, but of %q in the CustomResourceDefinition", r.Kind,
				r.Version.Group.Name, d.Group.Text,
			).Suggest("correct +groupName, or generate the manifest again")
			return
		}
	}
	if len(ofGroup) > 0 {
		c.diags.Warnf(r.Pos, "kind %s of group %s has no CustomResourceDefinition", r.Kind, r.Version.Group.Name).
			WithRelated(ofGroup[0].Group.Pos)
	}
}

// version compares a kind with its version in the definition.
func (c *comparison) version(r *model.Resource, v Version) {
	if v.Served.Text == "false" {
		c.differ(
			r.Pos, v.Served.Pos, "version %s of kind %s has a client, but the CustomResourceDefinition does not serve it", r.Version.Name, r.Kind,
		).Suggest("remove +genclient, or serve the version")
	}
	if r.Marked("kubebuilder:storageversion") && v.Storage.Text != "true" {
		c.differ(
			r.Pos, cmp.Or(v.Storage.Pos, v.Name.Pos),
			"version %s of kind %s is marked +kubebuilder:storageversion, but the CustomResourceDefinition does not store it", r.Version.Name,
			r.Kind,
		).Suggest("correct the marker, or generate the manifest again")
	}
	served := v.Status.Pos.IsValid()
	switch {
	case r.HasStatus && !served:
		c.differ(
			r.PlaceOf(r.StatusFrom), v.Name.Pos, "clients of %s have UpdateStatus, but the CustomResourceDefinition has no status subresource",
			r.Kind,
		).Suggest("add +kubebuilder:subresource:status and generate the manifest again, or add +genclient:noStatus")
	case !r.HasStatus && served && r.StatusFrom == (model.Source{}):
		c.differ(r.Pos, v.Status.Pos, "clients of %s have no UpdateStatus, but the CustomResourceDefinition has a status subresource", r.Kind).
			Suggest("declare a Status field, or generate the manifest again")
	}
	c.scale(r, v)
	c.selectable(r, v)
}

func (c *comparison) scale(r *model.Resource, v Version) {
	switch {
	case r.Scale == nil && v.Scale != nil && !slices.ContainsFunc(r.Methods, func(m model.Method) bool { return m.Subresource == "scale" }):
		c.differ(r.Pos, v.Scale.Pos, "kind %s has no scale subresource here, but has one in the CustomResourceDefinition", r.Kind).
			Suggest("add +kubebuilder:subresource:scale, or generate the manifest again")
	case r.Scale != nil && v.Scale == nil:
		c.differ(r.Pos, v.Name.Pos, "kind %s has a scale subresource here, but none in the CustomResourceDefinition", r.Kind).
			Suggest("remove +kubebuilder:subresource:scale, or generate the manifest again")
	case r.Scale != nil:
		for _, path := range []struct {
			name  string
			here  []string
			there Value
		}{
			{"specpath", r.Scale.SpecReplicas, v.Scale.SpecReplicas},
			{"statuspath", r.Scale.StatusReplicas, v.Scale.StatusReplicas},
			{"selectorpath", r.Scale.Selector, v.Scale.Selector},
		} {
			if here := model.JSONPath(path.here); here != path.there.Text {
				c.differ(
					r.Pos, cmp.Or(path.there.Pos, v.Scale.Pos),
					"%s= of the scale subresource of kind %s is %q here, but %q in the CustomResourceDefinition", path.name, r.Kind, here,
					path.there.Text,
				).Suggest("correct +kubebuilder:subresource:scale, or generate the manifest again")
			}
		}
	}
}

func (c *comparison) selectable(r *model.Resource, v Version) {
	for _, path := range r.SelectableFields {
		if !slices.Contains(Texts(v.SelectableFields), path) {
			c.differ(r.Pos, v.Name.Pos, "field %s of kind %s is selectable here, but not in the CustomResourceDefinition", path, r.Kind).
				Suggest("generate the manifest again")
		}
	}
	for _, there := range v.SelectableFields {
		if !slices.Contains(r.SelectableFields, there.Text) {
			c.differ(r.Pos, there.Pos, "field %s of kind %s is selectable in the CustomResourceDefinition, but not here", there.Text, r.Kind).
				Suggest("add +kubebuilder:selectablefield:JSONPath=%s, or generate the manifest again", there.Text)
		}
	}
}
