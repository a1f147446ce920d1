package render

import "github.com/kubegen/kubegen/internal/model"

// Has reports whether client-go has a capability, or the generated code provides it. In a template, an unknown
// capability is an error.
func (a *API) Has(c model.Capability) bool {
	return a.opts.ClientGo().Has(c) || a.Backports(c)
}

// Backports reports whether the generated code provides a capability that the release of client-go lacks.
func (a *API) Backports(c model.Capability) bool {
	return a.opts.Backport && c.Expressible() && !a.opts.ClientGo().Has(c)
}
