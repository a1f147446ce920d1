package checks

import (
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/text/diag"
)

func knownTags(p *Pass, diags *diag.List) {
	for _, pkg := range p.Packages {
		for _, line := range markers.Lines(p.Types.Fset, gotypes.PackageComments(pkg.Source)...) {
			name, isGenerator := generatorTag(line.Text)
			if !isGenerator || slices.Contains(generatorTags, name) {
				continue
			}
			d := diags.Errorf(line.Pos, "+%s is not a marker of a known generator", name)
			if nearest, ok := diag.Nearest(name, generatorTags); ok {
				d.Suggest("did you mean +%s?", nearest)
			} else {
				d.Suggest("remove it").Or("leave known-tags-only out of %s", diag.Setting("lint-rules"))
			}
		}
	}
}

// generatorTags lists the package markers of the Kubernetes generators.
var generatorTags = []string{
	"k8s:applyconfiguration-gen", "k8s:client-gen", "k8s:conversion-gen", "k8s:conversion-gen-external-types",
	"k8s:deepcopy-gen", "k8s:defaulter-gen", "k8s:defaulter-gen-input", "k8s:informer-gen", "k8s:lister-gen",
	"k8s:openapi-gen", "k8s:openapi-model-package", "k8s:prerelease-lifecycle-gen", "k8s:protobuf-gen",
	"k8s:register-gen", "k8s:validation-gen", "k8s:validation-gen-input", "k8s:validation-gen-nolint",
	"k8s:validation-gen-scheme-registry", "k8s:validation-gen-test-fixture", "k8s:validation-gen-test-targets",
}

// generatorTag returns the name of a marker, without arguments and value, and whether it has the form "k8s:...-gen...".
func generatorTag(text string) (name string, isGenerator bool) {
	name = strings.TrimPrefix(text, "+")
	if i := strings.IndexAny(name, "=( \t"); i >= 0 {
		name = name[:i]
	}
	rest, ok := strings.CutPrefix(name, "k8s:")
	if !ok || !strings.Contains(rest, "-gen") {
		return name, false
	}
	base, _, _ := strings.Cut(rest, ":") // +k8s:prerelease-lifecycle-gen:introduced=1.30
	return "k8s:" + base, true
}
