package run

import (
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/generators/schemapatch"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// reportNothing reports the reasons if no generator has files for any kind.
func (o *Output) reportNothing(diags *diag.List) {
	if len(o.Types.Patterns()) == 0 && o.Plan.Policy.AcceptEmpty {
		return // plan.Resolve has reported this
	}
	if o.Plan.MayBeEmpty {
		return
	}
	hasFiles := func(j Job) bool {
		return slices.ContainsFunc(j.Targets, func(t Target) bool { return render.Has(t.Generator, j.API) })
	}
	if o.Objects.WrittenBy("") || slices.ContainsFunc(o.Jobs, hasFiles) {
		return // markers for the other generators may come later
	}
	for _, t := range o.Plan.ManifestTargets {
		if info := t.Info(); info.Needs.Markers != 0 {
			diags.Notef(token.Position{}, "no package has a marker for %s", info.Manifests.Objects)
		}
	}
	ofKinds := func(t plan.Target) bool {
		return t.Info().Needs.Schemas && Configured[schemapatch.Generator](o.Request) == nil
	}
	if !slices.ContainsFunc(o.Plan.ManifestTargets, ofKinds) && len(o.Plan.ManifestTargets) > 0 &&
		!slices.ContainsFunc(o.Jobs, func(j Job) bool { return len(j.Targets) > 0 }) {
		return
	}
	var names, asked []string
	for _, j := range o.Jobs {
		for _, t := range j.Targets {
			if name := t.Info().Name; !slices.Contains(names, name) {
				names = append(names, name)
				if hint := t.Info().EnableHint; hint != "" {
					asked = append(asked, hint)
				}
			}
		}
	}
	nothing := func(why, advice string) {
		d := diags.Errorf(token.Position{}, "nothing to generate: %s", why).Suggest("%s", advice)
		if o.Plan.Policy.AcceptEmpty {
			d.Severity = diag.Warning
		}
	}
	if targets := o.Plan.ManifestTargets; len(names) == 0 && len(targets) == 1 && targets[0].Info().EnableHint != "" {
		nothing(targets[0].Info().Nothing, targets[0].Info().EnableHint)
		return
	}
	if len(names) == 0 {
		diags.Errorf(
			token.Position{},
			"nothing to generate: no package declares a kind, which is a struct that embeds metav1.TypeMeta and metav1.ObjectMeta",
		).Suggest("name the packages of the API")
		return
	}
	if len(asked) == len(names) && o.Plan.Policy.AcceptEmpty && o.registersByHand() {
		return
	}
	if len(asked) == len(names) {
		nothing("no package requests "+strings.Join(names, " or ")+" code", strings.Join(asked, ", or "))
		return
	}
	if len(o.Jobs) == 1 && len(o.Jobs[0].API.Groups) == 0 && o.Plan.Policy.AcceptEmpty {
		return // package facts has reported this
	}
	nothing("no type marked +genclient gets any "+strings.Join(names, " or "), "correct the markers, or do not name these packages")
	for _, j := range o.Jobs {
		for v := range j.API.Versions() {
			for _, pkg := range v.Packages {
				diags.Notef(token.Position{}, "looked at %s: %s", pkg.Path, whyNothing(j.Targets, pkg))
			}
		}
	}
}

// registersByHand reports whether a package has hand-written code in place of the code that the run would generate.
func (o *Output) registersByHand() bool {
	return slices.ContainsFunc(o.Jobs, func(j Job) bool {
		return slices.ContainsFunc(j.API.Packages, func(pkg *model.Package) bool { return pkg.ByHand })
	})
}

// whyNothing returns the reasons why no generator has files for a package, such as markers that switch them off.
func whyNothing(targets []Target, pkg *model.Package) string {
	var reasons []string
	for _, t := range targets {
		reason := t.Info().Nothing
		if pkg.Off(t.Info().Switch) {
			reason = "+" + t.Info().Switch + "=false"
		}
		if reason != "" && !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	return strings.Join(reasons, ", ")
}
