package clientset

import (
	"slices"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/templates"
)

// subresources is the template of the file of a fake clientset that handles the kinds of Foreign.
const subresources = templates.FakeClientset + "/subresources.go.tmpl"

// Foreign returns the kinds with methods whose input or result type is not the kind. The object tracker of a fake
// clientset would store objects of these types as objects of the kind.
func (a API) Foreign() []Client { return foreign(a.api) }

func foreign(a *render.API) []Client {
	return kindsThat(a, func(k Client) bool { return slices.ContainsFunc(k.Model.Methods, k.isForeign) })
}

func (k Client) isForeign(m model.Method) bool {
	kind := k.Model.Type()
	switch m.Verb {
	case model.VerbCreate, model.VerbUpdate, model.VerbApply:
		return m.Input != kind || m.Subresource != "" && m.Result != kind
	}
	return m.Subresource != "" && m.Result != kind
}

// ForeignSubresources returns the subresources of such methods, except for a Scale, as the elements of a Go slice.
func (k Client) ForeignSubresources() gofile.Code {
	var list []string
	for _, m := range k.Model.Methods {
		if m.Subresource != "" && k.isForeign(m) && !(m.Subresource == "scale" && k.Scale() != nil) {
			list = append(list, m.Subresource)
		}
	}
	slices.Sort(list)
	return gofile.QuoteAll(slices.Compact(list))
}

// HasScales reports whether a kind of Foreign has a scale subresource.
func (a API) HasScales() bool {
	return slices.ContainsFunc(a.Foreign(), func(k Client) bool { return k.Scale() != nil })
}

// Scale returns the kind's scale subresource, or nil if it has none or no marker declares its paths.
func (k Client) Scale() *Scale {
	for _, m := range k.Model.Methods {
		if k.Model.Scale != nil && m.Subresource == "scale" && m.Result == (model.TypeRef{Path: "k8s.io/api/autoscaling/v1", Name: "Scale"}) {
			return &Scale{k, m.Result}
		}
	}
	return nil
}

// Scale is the scale subresource of a kind.
type Scale struct {
	of     Client
	object model.TypeRef
}

// Type returns the Go type of the subresource.
func (s Scale) Type() gofile.Code { return s.of.TypeRef(s.object) }

// Patches reports whether a method patches or applies the subresource.
func (s Scale) Patches() bool {
	return slices.ContainsFunc(s.of.Model.Methods, func(m model.Method) bool {
		return m.Subresource == "scale" && m.Result == s.object && (m.Verb == model.VerbPatch || m.Verb == model.VerbApply && s.of.Applies())
	})
}

// Spec, Status and Selector return the paths of the scale's fields in the kind, each as the elements of a Go slice.
func (s Scale) Spec() gofile.Code     { return gofile.QuoteAll(s.of.Model.Scale.SpecReplicas) }
func (s Scale) Status() gofile.Code   { return gofile.QuoteAll(s.of.Model.Scale.StatusReplicas) }
func (s Scale) Selector() gofile.Code { return gofile.QuoteAll(s.of.Model.Scale.Selector) }
