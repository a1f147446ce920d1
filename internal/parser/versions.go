package parser

import "github.com/kubegen/kubegen/internal/model"

// agreeOnResources compares the versions of each kind. They share a CustomResourceDefinition, with one name and one
// scope, so +kubebuilder:resource above one of them is enough.
func (p *parser) agreeOnResources(units []*unit) {
	type groupKind struct{ group, kind string }
	versions := map[groupKind][]*kind{}
	var order []groupKind
	for _, u := range units {
		for _, k := range u.kinds {
			if k.resource == nil || u.version == "" {
				continue
			}
			key := groupKind{u.group, k.resource.Kind}
			if versions[key] == nil {
				order = append(order, key)
			}
			versions[key] = append(versions[key], k)
		}
	}
	for _, key := range order {
		if kinds := versions[key]; len(kinds) > 1 {
			p.inherit(kinds)
			p.reportDifferences(kinds)
		}
	}
}

// inherit copies the names and scope of a resource to the versions of a kind that do not declare them.
func (p *parser) inherit(kinds []*kind) {
	for _, from := range kinds {
		if from.crd == nil {
			continue
		}
		for _, k := range kinds {
			if k.crd != nil {
				continue
			}
			r, other := k.resource, from.resource
			if r.ScopeFrom == (model.Source{}) && !p.cfg.Policy.IgnoreKubebuilderScope {
				r.Namespaced, r.ScopeFrom = other.Namespaced, other.ScopeFrom
			}
			if r.NameFrom.Kind == model.FromDefault {
				r.Name, r.NameFrom = other.Name, other.NameFrom
			}
			r.Singular, r.ShortNames, r.Categories = other.Singular, other.ShortNames, other.Categories
		}
		return
	}
}

// reportDifferences warns about versions of a kind that cannot share a CustomResourceDefinition.
func (p *parser) reportDifferences(kinds []*kind) {
	first := kinds[0].resource
	for _, k := range kinds[1:] {
		r := k.resource
		if r.Namespaced != first.Namespaced {
			p.Warnf(r.Pos, "kind %s is %s here, but %s in %s", r.Kind, scopeOf(r), scopeOf(first), first.Package.Path).SaidAt(first.PlaceOf(first.ScopeFrom)).
				Suggest("use the same scope in all versions")
		}
		if r.Name != first.Name {
			p.Warnf(r.Pos, "the resource of kind %s is %s here, but %s in %s", r.Kind, r.Name, first.Name, first.Package.Path).SaidAt(first.PlaceOf(first.NameFrom)).
				Suggest("use the same name in all versions")
		}
	}
	var stored *kind
	for _, k := range kinds {
		switch m := k.find("kubebuilder:storageversion"); {
		case m == nil:
		case stored == nil:
			stored = k
		default:
			p.Warnf(m.Pos, "two versions of kind %s are marked +kubebuilder:storageversion", k.resource.Kind).
				SaidAt(stored.find("kubebuilder:storageversion").Pos).Suggest("keep it only above the version that is stored")
		}
	}
}

func scopeOf(r *model.Resource) string {
	if r.Namespaced {
		return "namespaced"
	}
	return "cluster-scoped"
}
