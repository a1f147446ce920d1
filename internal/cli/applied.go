package cli

import "github.com/kubegen/kubegen/templates"

// ownApply reports whether the run is to make the apply configurations that its clients use, or is about them alone.
func (r *run) ownApply() bool {
	return r.tool.Name == GenApplyConfiguration.Name || r.tool.Name == Kubegen.Name && r.withApply && r.applyConfigurations == ""
}

// needsTypes reports whether a target depends on what kinds consist of.
func (r *run) needsTypes(t target) bool {
	return r.ownApply() && (t.Templates == templates.ApplyConfigurations || t.Templates == templates.Clientset)
}
