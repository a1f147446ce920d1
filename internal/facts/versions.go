package facts

import (
	"slices"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// agreeOnResources compares the versions of each kind. They share a CustomResourceDefinition with one name and scope,
// so one +kubebuilder:resource is enough for all of them.
func (rv *resolver) agreeOnResources(packages []*kinds.Package) {
	type groupKind struct{ group, kind string }
	type groupName struct{ group, name string }
	kindOf := map[groupName]string{} // by resource name
	versions := map[groupKind][]*kinds.Kind{}
	var order []groupKind
	for _, pkg := range packages {
		for k := range pkg.Readable() {
			if pkg.Clients.Version == "" {
				continue
			}
			key := groupKind{pkg.Clients.Group, k.Resource.Kind}
			if versions[key] == nil {
				order = append(order, key)
			}
			versions[key] = append(versions[key], k)
			kindOf[groupName{pkg.Clients.Group, k.Resource.Name}] = k.Resource.Kind
		}
	}
	for _, key := range order {
		same := versions[key]
		if len(same) > 1 {
			rv.inherit(same)
		}
		rv.nameAsDefined(same, func(name string) bool {
			other, ok := kindOf[groupName{key.group, name}]
			return ok && other != key.kind
		})
		for _, k := range same {
			kindOf[groupName{key.group, k.Resource.Name}] = key.kind
		}
		if len(same) > 1 {
			rv.reportDifferences(slices.DeleteFunc(slices.Clone(same), func(k *kinds.Kind) bool { return rv.served[k.Resource.Type()] != nil }))
		}
	}
	for _, pkg := range packages {
		for k := range pkg.Readable() {
			rv.follow(pkg, k)
		}
	}
}

// inherit copies the names and scope of a resource to versions of the kind that do not declare them.
func (rv *resolver) inherit(same []*kinds.Kind) {
	for _, from := range same {
		if from.CRD == nil {
			continue
		}
		for _, k := range same {
			if k.CRD != nil {
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
func (rv *resolver) nameAsDefined(same []*kinds.Kind, isTaken func(name string) bool) {
	i := slices.IndexFunc(same, func(k *kinds.Kind) bool { return k.NamedBy() != (model.Source{}) })
	if i < 0 {
		return
	}
	warned := false
	for _, k := range same {
		r, from := k.Resource, same[i].NamedBy()
		name := model.ManifestPlural(r.Kind)
		switch {
		case r.NameFrom.Kind != model.FromDefault || r.Name == name || isTaken(name) || rv.served[r.Type()] != nil: // follow reports the latter
		case !rv.policy.OwnResources:
			r.Name, r.NameFrom = name, from
		case !warned:
			warned = true
			rv.diags.Warnf(
				r.Pos, "clients of %s ask for %s, but the CustomResourceDefinition that controller-gen writes serves %s: their requests fail", r.Kind,
				r.Name, name,
			).WithRelated(from.Pos).Suggest(
				"write path=%s in +kubebuilder:resource above all versions of the kind, or +resourceName=%s", r.Name, name,
			)
		}
	}
}

// reportDifferences warns about versions of a kind that cannot share a CustomResourceDefinition.
func (rv *resolver) reportDifferences(same []*kinds.Kind) {
	if len(same) == 0 {
		return
	}
	first := same[0].Resource
	for _, k := range same[1:] {
		r := k.Resource
		if r.Namespaced != first.Namespaced {
			rv.diags.Warnf(r.Pos, "kind %s is %s here, but %s in %s", r.Kind, r.Scope(), first.Scope(), first.Package.Path).
				WithRelated(first.PlaceOf(first.ScopeFrom)).Suggest("use the same scope in all versions")
		}
		if r.Name != first.Name {
			rv.diags.Warnf(r.Pos, "the resource of kind %s is %s here, but %s in %s", r.Kind, r.Name, first.Name, first.Package.Path).
				WithRelated(first.PlaceOf(first.NameFrom)).Suggest("use the same name in all versions")
		}
	}
	var stored *kinds.Kind
	for _, k := range same {
		switch at := k.Stored(); {
		case !at.IsValid():
		case stored == nil:
			stored = k
		default:
			rv.diags.Warnf(at, "two versions of kind %s are marked +kubebuilder:storageversion", k.Resource.Kind).
				WithRelated(stored.Stored()).Suggest("keep it only above the version that is stored")
		}
	}
}
