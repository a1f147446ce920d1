package facts

import (
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// follow adapts the client of a kind to the manifest that the run writes: its resource name and scope, and its
// subresources. It reports markers that contradict the manifest.
func (rv *resolver) follow(pkg *kinds.Package, k *kinds.Kind) {
	r := k.Resource
	s := rv.served[r.Type()]
	if s == nil || pkg.Clients.Version == "" {
		return
	}
	if pkg.Clients.Group != s.Group {
		rv.differ(
			r.PlaceOf(pkg.Types.GroupFrom), s.Names, "clients of %s use the group %q, but its CustomResourceDefinition has %q", r.Kind,
			pkg.Clients.Group, s.Group,
		).Suggest("write // +groupName=%s above the package clause", pkg.Clients.Group)
	}
	if pkg.Clients.Version != s.Version {
		rv.differ(
			r.PlaceOf(pkg.Types.VersionFrom), s.Names, "clients of %s use the version %s, but its CustomResourceDefinition has %s", r.Kind,
			pkg.Clients.Version, s.Version,
		).Suggest("write // +versionName=%s above the package clause", pkg.Clients.Version)
	}
	if r.Name != s.Plural && r.NameFrom.Kind != model.FromMarker && !rv.policy.OwnResources {
		r.Name, r.NameFrom = s.Plural, model.Source{}
	}
	if r.Name != s.Plural {
		rv.differ(
			r.PlaceOf(r.NameFrom), s.Names, "clients of %s ask for %s%s, but its CustomResourceDefinition serves %s", r.Kind, r.Name,
			because(r.NameFrom), s.Plural,
		).Suggest("write path=%s in +kubebuilder:resource above all versions of the kind, or +resourceName=%s", r.Name, s.Plural)
	}
	if r.ScopeFrom == (model.Source{}) && !rv.policy.OwnResources {
		r.Namespaced = s.Namespaced
	}
	if r.Namespaced != s.Namespaced {
		hint := "write scope=Namespaced in +kubebuilder:resource above all versions of the kind"
		if !r.Namespaced {
			hint = "write scope=Cluster in +kubebuilder:resource above all versions of the kind, or remove +genclient:nonNamespaced"
		}
		rv.differ(
			r.PlaceOf(r.ScopeFrom), s.Names, "clients of %s are %s%s, but its CustomResourceDefinition is not", r.Kind, r.Scope(),
			because(r.ScopeFrom),
		).Suggest("%s", hint)
	}
	if !rv.policy.OwnResources {
		r.Singular, r.ShortNames, r.Categories = s.Singular, s.ShortNames, s.Categories
	}
	r.Merging = s.Merging
	rv.requireSubresources(r, s)
}

// differ reports a contradiction to a manifest. there is the position of its source.
func (rv *resolver) differ(pos, there token.Position, format string, args ...any) *diag.Diagnostic {
	d := rv.diags.Mistakef(rv.policy.AcceptMistakes, pos, "its requests fail", format, args...)
	if there != pos {
		d.WithRelated(there)
	}
	return d
}

// requireSubresources omits UpdateStatus, which is implied by a field, if the manifest has no status subresource. It
// reports methods for subresources that the manifest does not have.
func (rv *resolver) requireSubresources(r *model.Resource, s *kinds.Served) {
	if r.Package.Off(model.ClientSwitch) {
		return
	}
	updates := !r.NoVerbs && (r.Verbs.Has(model.VerbUpdateStatus) || r.Verbs.Has(model.VerbApplyStatus))
	if updates && !slices.Contains(s.Subresources, "status") {
		then := "clients have no UpdateStatus"
		if rv.policy.OwnResources {
			then = "requests of UpdateStatus fail"
		} else {
			r.HasStatus, r.Verbs = false, r.Verbs.Without(model.VerbUpdateStatus, model.VerbApplyStatus)
		}
		rv.diags.Warnf(
			r.PlaceOf(r.StatusFrom), "%s has a Status field, but its CustomResourceDefinition has no status subresource: %s", r.Kind, then,
		).Suggest("add +kubebuilder:subresource:status above the type, or +genclient:noStatus")
	}
	for _, m := range r.Methods {
		name, _, _ := strings.Cut(m.Subresource, "/")
		switch {
		case name == "" || slices.Contains(s.Subresources, name):
		case name == "status" || name == "scale":
			rv.differ(
				m.Pos, r.Pos, "the method %s of %s is for the subresource %s, which its CustomResourceDefinition does not have", m.Name, r.Kind, name,
			).Suggest("add +kubebuilder:subresource:%s above the type, or remove the method", name)
		default:
			rv.differ(
				m.Pos, r.Pos, "the method %s of %s is for the subresource %s, but CustomResourceDefinitions have only status and scale", m.Name,
				r.Kind, name,
			).Suggest("remove the method, or write +kubebuilder:skip above the package clause if another server serves its kinds")
		}
	}
}

// because returns the end of a sentence with the marker that causes a fact, or "".
func because(from model.Source) string {
	if from.Kind != model.FromMarker {
		return ""
	}
	return " because of " + from.Text
}
