package naming

import (
	"slices"

	"github.com/kubegen/kubegen/internal/model"
)

// agreeOnResources compares the versions of each kind. They share a CustomResourceDefinition with one name and scope,
// so one +kubebuilder:resource is enough for all of them.
func (rv *resolver) agreeOnResources(packages []*Package) {
	type groupKind struct{ group, kind string }
	type groupName struct{ group, name string }
	kindOf := map[groupName]string{} // by resource name
	versions := map[groupKind][]*Kind{}
	var order []groupKind
	for _, pkg := range packages {
		for _, k := range pkg.Kinds {
			if pkg.Version == "" {
				continue
			}
			key := groupKind{pkg.Group, k.Resource.Kind}
			if versions[key] == nil {
				order = append(order, key)
			}
			versions[key] = append(versions[key], k)
			kindOf[groupName{pkg.Group, k.Resource.Name}] = k.Resource.Kind
		}
	}
	for _, key := range order {
		kinds := versions[key]
		if len(kinds) > 1 {
			rv.inherit(kinds)
		}
		rv.nameAsDefined(kinds, func(name string) bool {
			other, ok := kindOf[groupName{key.group, name}]
			return ok && other != key.kind
		})
		for _, k := range kinds {
			kindOf[groupName{key.group, k.Resource.Name}] = key.kind
		}
		if len(kinds) > 1 {
			rv.reportDifferences(slices.DeleteFunc(slices.Clone(kinds), func(k *Kind) bool { return rv.served[k.Resource.Type()] != nil }))
		}
	}
	for _, pkg := range packages {
		for _, k := range pkg.Kinds {
			rv.follow(pkg, k)
		}
	}
}

// inherit copies the names and scope of a resource to versions of the kind that do not declare them.
func (rv *resolver) inherit(kinds []*Kind) {
	for _, from := range kinds {
		if !from.Named {
			continue
		}
		for _, k := range kinds {
			if k.Named {
				continue
			}
			r, other := k.Resource, from.Resource
			if r.ScopeFrom == (model.Source{}) && !rv.policy.IgnoreKubebuilderScope {
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

// nameAsDefined gives the versions of a kind the resource name that controller-gen writes into its manifest, if a
// marker shows that controller-gen writes one, and nothing else determines the name. The plural in Go stays. If clients
// keep their resource names, it warns. isTaken reports the names of other kinds of the group, which it does not give
// again, because no server could serve both.
func (rv *resolver) nameAsDefined(kinds []*Kind, isTaken func(name string) bool) {
	i := slices.IndexFunc(kinds, func(k *Kind) bool { return k.Defined != (model.Source{}) })
	if i < 0 {
		return
	}
	warned := false
	for _, k := range kinds {
		r, from := k.Resource, kinds[i].Defined
		name := ManifestPlural(r.Kind)
		switch {
		case r.NameFrom.Kind != model.FromDefault || r.Name == name || isTaken(name) || rv.served[r.Type()] != nil: // follow reports the latter
		case !rv.policy.OwnResources:
			r.Name, r.NameFrom = name, from
		case !warned:
			warned = true
			rv.diags.Warnf(r.Pos, "clients of %s ask for %s, but the CustomResourceDefinition that controller-gen writes serves %s: their requests fail", r.Kind, r.Name, name).
				WithRelated(from.Pos).Suggest("write path=%s in +kubebuilder:resource above all versions of the kind, or +resourceName=%s", r.Name, name)
		}
	}
}

// reportDifferences warns about versions of a kind that cannot share a CustomResourceDefinition.
func (rv *resolver) reportDifferences(kinds []*Kind) {
	if len(kinds) == 0 {
		return
	}
	first := kinds[0].Resource
	for _, k := range kinds[1:] {
		r := k.Resource
		if r.Namespaced != first.Namespaced {
			rv.diags.Warnf(r.Pos, "kind %s is %s here, but %s in %s", r.Kind, scopeOf(r), scopeOf(first), first.Package.Path).WithRelated(first.PlaceOf(first.ScopeFrom)).
				Suggest("use the same scope in all versions")
		}
		if r.Name != first.Name {
			rv.diags.Warnf(r.Pos, "the resource of kind %s is %s here, but %s in %s", r.Kind, r.Name, first.Name, first.Package.Path).WithRelated(first.PlaceOf(first.NameFrom)).
				Suggest("use the same name in all versions")
		}
	}
	var stored *Kind
	for _, k := range kinds {
		switch {
		case !k.Stored.IsValid():
		case stored == nil:
			stored = k
		default:
			rv.diags.Warnf(k.Stored, "two versions of kind %s are marked +kubebuilder:storageversion", k.Resource.Kind).
				WithRelated(stored.Stored).Suggest("keep it only above the version that is stored")
		}
	}
}

func scopeOf(r *model.Resource) string {
	if r.Namespaced {
		return "namespaced"
	}
	return "cluster-scoped"
}
