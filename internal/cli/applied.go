package cli

import (
	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/model"
)

// ownApply reports whether the run is to make the apply configurations that its clients use, or is about them alone.
func (r *run) ownApply() bool {
	return r.tool.Name == GenApplyConfiguration.Name || r.tool.Name == Kubegen.Name && r.withApply && r.applyConfigurations == ""
}

// needsTypes reports whether a target depends on what kinds consist of.
func (r *run) needsTypes(t target) bool {
	return r.ownApply() && (t.Name == generators.ApplyConfigurations.Name || t.Name == generators.Clientset.Name)
}

// leaveOutApply keeps clientsets from using apply configurations that there are not, because no kind has any.
func (r *run) leaveOutApply(targets []target, api *model.API) {
	if !r.ownApply() {
		return
	}
	for _, g := range api.Groups {
		for _, v := range g.Versions {
			if generators.ApplyConfigurations.Wants(v) {
				return
			}
		}
	}
	for i := range targets {
		targets[i].opts.ApplyConfigurations = ""
	}
}
