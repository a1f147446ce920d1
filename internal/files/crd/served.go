package crd

import (
	"cmp"
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Served returns, for each Go type with a manifest, how the manifest serves it.
func (m Manifests) Served() map[model.TypeRef]*kinds.Served {
	served := map[model.TypeRef]*kinds.Served{}
	for _, f := range m.Files {
		for _, v := range f.Versions {
			s := f.served(v)
			s.Names, s.Unserved, s.Scale, s.From = f.Plural.Pos, false, nil, model.Source{} // the markers have told these
			schema, _ := v.Schema()
			s.Merging = mergingOf(schema, nil)
			served[v.typ.TypeRef] = s
		}
	}
	return served
}

// mergingOf returns how server-side apply merges the lists and objects in a schema at a path that edits have changed.
func mergingOf(s *crdschema.Schema, at []string) (all []model.Merging) {
	m := model.Merging{Path: at, Type: s.Type, ListType: s.ListType, MapType: s.MapType, Keys: s.ListMapKeys}
	if opaque := s.PreserveUnknownFields && len(s.Properties) == 0; opaque {
		m.Type = ""
	}
	for _, off := range s.Off {
		served := (len(at) == 0 || s.EmbeddedResource) && slices.Contains([]string{"apiVersion", "kind", "metadata"}, off.Name)
		if off.Edit.IsValid() && s.Index(off.Name) < 0 && !served {
			m.Lost = append(m.Lost, off.Name)
		}
	}
	if len(s.Edits) > 0 && slices.Contains([]string{"", "array", "object"}, m.Type) {
		all = append(all, m)
	}
	for _, p := range s.Properties {
		all = append(all, mergingOf(p.Schema, append(slices.Clip(at), p.Name))...)
	}
	for _, inner := range []*crdschema.Schema{s.Items, s.AdditionalProperties} {
		if inner != nil {
			all = append(all, mergingOf(inner, append(slices.Clip(at), model.Elements))...)
		}
	}
	return all
}

// ServedBy returns how definitions serve versions of kinds. Of several definitions of a kind, the first one counts that
// serves the version.
func ServedBy(definitions []*Definition) map[kinds.Version]*kinds.Served {
	served := map[kinds.Version]*kinds.Served{}
	for _, d := range definitions {
		for _, v := range d.Versions {
			key := kinds.Version{Group: d.Group.Text, Kind: d.Kind.Text, Version: v.Name.Text}
			if served[key] == nil || served[key].Unserved {
				served[key] = d.served(v)
			}
		}
	}
	return served
}

// served returns how the definition serves one of its versions.
func (d *Definition) served(v Version) *kinds.Served {
	path := func(value Value) []string { return strings.Split(strings.TrimPrefix(value.Text, "."), ".") }
	s := &kinds.Served{
		Group: d.Group.Text, Version: v.Name.Text, Plural: d.Plural.Text, Singular: cmp.Or(d.Singular.Text, strings.ToLower(d.Kind.Text)),
		ShortNames: Texts(d.ShortNames), Categories: Texts(d.Categories), Namespaced: d.Scope.Text != "Cluster",
		Unserved: v.Served.Text == "false",
		From:     model.Source{Kind: model.FromManifest, Text: d.Name(), Pos: d.Kind.Pos},
	}
	if v.Status.Pos.IsValid() {
		s.Subresources = append(s.Subresources, "status")
	}
	if v.Scale != nil {
		s.Subresources = append(s.Subresources, "scale")
		s.Scale = &model.Scale{SpecReplicas: path(v.Scale.SpecReplicas), StatusReplicas: path(v.Scale.StatusReplicas)}
		if v.Scale.Selector.Text != "" {
			s.Scale.Selector = path(v.Scale.Selector)
		}
	}
	return s
}

// checkSameNames reports kinds of a group that claim the same name. API servers serve the kind that they see first and
// never the other one.
func checkSameNames(all []*output, diags *diag.List) {
	type name struct{ group, text string }
	first := map[name]*output{}
	for _, m := range all {
		kinds := []name{{m.Group.Text, m.Kind.Text}, {m.Group.Text, m.Kind.Text + "List"}}
		names := []name{{m.Group.Text, m.Plural.Text}, {m.Group.Text, m.Singular.Text}}
		for _, short := range m.ShortNames {
			names = append(names, name{m.Group.Text, short.Text})
		}
		for i, n := range append(names, kinds...) {
			other := first[n]
			if other == nil {
				first[n] = m
			}
			if other == nil || other == m {
				continue
			}
			what, fix := "name", "choose another one in +kubebuilder:resource"
			switch {
			case i == 0 && other.Plural.Text == n.text:
				what, fix = "plural", "set +kubebuilder:resource:path above one of them"
			case i >= len(names):
				what, fix = "kind, or kind of lists,", "rename one of them"
			}
			diags.Errorf(m.Plural.Pos, "%s and %s of %s have the %s %s", other.Kind.Text, m.Kind.Text, m.Group.Text, what, n.text).
				WithRelated(other.Plural.Pos).Suggest("%s", fix)
			break // one error is enough
		}
	}
}

// CheckFiles reports kinds of a group that differ only in case, for files whose names have them in lower case. If there
// is a file for each version, only those with the same version count.
func CheckFiles(all []*Definition, versions bool, diags *diag.List) {
	first := map[string]*Definition{}
	for _, d := range all {
		names := []string{""}
		if versions {
			names = nil
			for _, v := range d.Versions {
				names = append(names, v.Name.Text)
			}
		}
		for _, name := range names {
			name = strings.ToLower(d.Kind.Text) + "." + d.Group.Text + "/" + name
			if other := first[name]; other != nil {
				diags.Errorf(d.Plural.Pos, "%s and %s of %s differ only in case", other.Kind.Text, d.Kind.Text, d.Group.Text).
					WithRelated(other.Plural.Pos).Suggest("rename one of them: file names are in lower case").Once("case " + d.Plural.Pos.String())
			}
			first[name] = d
		}
	}
}

// Cause returns the marker, field or type in the Go types that is the cause of a constraint.
func (m Manifests) Cause(c crdschema.Constraint) model.Source {
	switch {
	case c.Edit.IsValid():
		return model.Source{Kind: model.FromEdit, Pos: c.Edit}
	case c.Marker.Name != "":
		return model.Source{Kind: model.FromMarker, Text: "+" + c.Marker.Name, Pos: c.Marker.Pos}
	case c.Pos != token.NoPos:
		return model.Source{Kind: model.FromDeclaration, Pos: m.fset.Position(c.Pos)}
	}
	return model.Source{}
}
