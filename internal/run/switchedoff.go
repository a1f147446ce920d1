package run

import (
	"strings"

	"github.com/kubegen/kubegen/generators/informer"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// LeaveOutInformers switches informers off for packages whose markers switch off the clients or listers that informers
// use, with a warning if there would be informers. It is for commands that generate all three. For other commands,
// clients and listers may exist elsewhere.
func LeaveOutInformers(api *model.API, diags *diag.List) {
	for v := range api.Versions() {
		for _, r := range render.Resources(informer.Generator{}, v) {
			var missing []string
			if r.Package.Off(model.ClientSwitch) {
				missing = append(missing, "client")
			}
			if r.Package.Off(model.ListerSwitch) {
				missing = append(missing, "lister")
			}
			if missing == nil {
				continue
			}
			r.Package.SwitchedOff = append(r.Package.SwitchedOff, model.InformerSwitch)
			diags.Warnf(r.Package.Pos, "no informers are generated for package %s: its markers switch off the %ss that they need",
				r.Package.Path, strings.Join(missing, "s and ")).Suggest("add +k8s:informer-gen=false, or remove +k8s:%s-gen=false", missing[0])
		}
	}
}

// switchOff switches optional generators off for packages whose code they cannot generate because of clashes, with a
// warning. It reports whether there are such packages. A command that does not generate everything that refers to the
// packages switches nothing off.
func (o *Request) switchOff(api *model.API) (warnings diag.List, off bool) {
	if !o.Plan.Consistent {
		return nil, false
	}
	choice, _ := o.Plan.Choose(api.ClientGo) // reported when the choice counts
	return SwitchOff(o.targets(o.Plan.Targets), choice.Client, api)
}

// SwitchOff is like Request.switchOff, for any targets and client-go.
func SwitchOff(targets []Target, client model.Client, api *model.API) (warnings diag.List, off bool) {
	for _, t := range targets {
		opts := t.Options
		opts.Client = client
		clashes := render.Clashes(t.Generator, api, &opts)
		if len(clashes) > 0 && render.Check(t.Generator, api, &opts).HasErrors() {
			continue // the generator reports these errors
		}
		for _, clash := range clashes {
			clash.Package.SwitchedOff = append(clash.Package.SwitchedOff, t.Info().Switch)
			clash.Warn(&warnings)
			off = true
		}
	}
	return warnings, off
}
