package render

import "github.com/kubegen/kubegen/internal/model"

// Has reports whether there is a capability: client-go has it, or the generated code has it in its place. To ask for one
// that model does not know is an error of the template.
func (a *API) Has(c model.Capability) bool {
	return a.opts.ClientGo().Has(c) || a.Backports(c)
}

// Backports reports whether the generated code has a capability in client-go's place.
func (a *API) Backports(c model.Capability) bool {
	return a.opts.Backport && c.Expressible() && !a.opts.ClientGo().Has(c)
}
