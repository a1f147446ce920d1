package objects

import (
	"slices"

	"github.com/kubegen/kubegen/generators/rbac"
	"github.com/kubegen/kubegen/generators/webhook"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/manifest"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/plan"
)

// roles derives the roles of an output from the markers in all its packages.
func (o *deriving) roles(t plan.ManifestTarget, diags *diag.List) []manifests {
	flags, in := o.Flags.RBAC, o.facts.FileMarkers(t.Reads)
	*diags = append(*diags, in.Mistakes...)
	options := rbac.Options{RoleName: flags.RoleName, Header: t.Header}
	w := o.single(flags.FileName, rbac.Generate(slices.Concat(in.Found...), options), rbac.Kinds)
	w.of = func(m model.Marker, object manifest.Object) bool { return options.RoleOf(m) == object }
	return []manifests{w}
}

// webhooks derives the configurations of webhooks of an output from the markers in all its packages.
func (o *deriving) webhooks(t plan.ManifestTarget, diags *diag.List) []manifests {
	in := o.facts.FileMarkers(t.Reads)
	*diags = append(*diags, in.Mistakes...)
	w := o.single(webhook.FileName, webhook.Generate(in.Found, t.Header, diags), webhook.Kinds)
	w.of = func(m model.Marker, object manifest.Object) bool { return webhook.KindOf(m) == object.Kind }
	return []manifests{w}
}

// single returns the only file of a generator, whose content is nil if there is nothing to write. manifest.Owned
// determines whether a file of this name may be replaced. If there is nothing to write, it is stale if it has the form
// of a generated file, and the packages of the output include all in its module.
func (o *deriving) single(name string, content []byte, kinds []string) (w manifests) {
	w.owned = manifest.Owned(content, kinds...)
	w.stale = func(other string, text []byte) bool {
		return other == name && manifest.Written(text, kinds...) && o.coversModule()
	}
	if content != nil {
		w.files = []output.File{{Path: name, Content: output.Held(content)}}
	}
	return w
}

// coversModule reports whether the packages of the output include all packages of the module that has kubegen.yaml or
// the current directory.
func (o *deriving) coversModule() bool {
	_, module, ok := o.FindModule(".")
	covers := o.Covers("")
	return ok && covers(module) && covers(module+"/any")
}
