package run

import (
	"slices"

	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// settle completes the jobs of an output, and reports all that prevents or limits what is generated for them. given are
// the CustomResourceDefinitions named by --crds.
func (o *Output) settle(given []*crd.Definition, purpose facts.Purpose) (diags diag.List) {
	listing := purpose == facts.ToList
	diags = o.narrow(listing)
	for _, j := range o.Jobs {
		if o.Plan.Consistent && slices.ContainsFunc(j.Targets, func(t Target) bool { return t.Info().Switch == model.InformerSwitch }) {
			LeaveOutInformers(j.API, &diags)
		}
	}
	o.reportNothing(&diags)
	if !diags.HasErrors() && o.From == nil {
		diags = append(diags, warnUnused([]*Output{o})...)
	}
	for _, j := range o.Jobs {
		diags = append(diags, o.compare(j.API, given)...)
		CheckDirectories(j.Targets, j.API, o.Plan.Import != nil, &diags)
	}
	if diags.HasErrors() || !o.Plan.Needs.Kinds { // files in packages of types do not depend on client-go
		return diags
	}
	var said diag.List
	for i, j := range o.Jobs {
		choice, found := o.Plan.Choose(j.API.ClientGo)
		o.Jobs[i].Release, said = choice, append(said, found...)
		said = append(said, facts.RequireVerbs(j.API, choice.Client, o.Plan.Policy)...)
	}
	for _, d := range said {
		if d.Severity == diag.Error && listing { // a release that is too old does not prevent a listing
			d.Severity = diag.Warning
		}
	}
	return append(diags, said...)
}

// compare reports differences between the kinds of an API and the manifests named by --crds. Kinds of imported packages
// follow these.
func (o *Output) compare(api *model.API, given []*crd.Definition) diag.List {
	if o.Plan.Import != nil {
		api = api.Select(func(v *model.Version) bool {
			return slices.ContainsFunc(v.Packages, func(pkg *model.Package) bool { return !pkg.Foreign })
		})
	}
	return crd.Compare(api, given)
}
