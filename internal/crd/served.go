package crd

import (
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/naming"
)

// Served returns, for each Go type with a manifest, how the manifest serves it.
func (m Manifests) Served() map[model.TypeRef]*naming.Served {
	served := map[model.TypeRef]*naming.Served{}
	for _, f := range m.Files {
		for _, v := range f.versions {
			s := &naming.Served{
				Group: f.group, Version: v.name, Plural: f.plural, Singular: f.singular, ShortNames: f.shortNames, Categories: f.categories,
				Namespaced: f.scope != "Cluster", Names: f.last("resource"),
			}
			if v.status {
				s.Subresources = append(s.Subresources, "status")
			}
			if v.scale != nil {
				s.Subresources = append(s.Subresources, "scale")
			}
			served[v.typ] = s
		}
	}
	return served
}

// checkSameNames reports kinds of a group that claim the same name. API servers serve the kind that they see first and
// never the other one.
func checkSameNames(all []*output, diags *diag.List) {
	type name struct{ group, text string }
	first := map[name]*output{}
	for _, m := range all {
		kinds := []name{{m.group, m.kind}, {m.group, m.kind + "List"}}
		names := []name{{m.group, m.plural}, {m.group, m.singular}}
		for _, short := range m.shortNames {
			names = append(names, name{m.group, short})
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
			case i == 0 && other.plural == n.text:
				what, fix = "plural", "set +kubebuilder:resource:path above one of them"
			case i >= len(names):
				what, fix = "kind, or kind of lists,", "rename one of them"
			}
			diags.Errorf(m.last("resource"), "%s and %s of %s have the %s %s", other.kind, m.kind, m.group, what, n.text).
				WithRelated(other.last("resource")).Suggest("%s", fix)
			break // one error is enough
		}
	}
}
