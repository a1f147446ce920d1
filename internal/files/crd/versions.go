package crd

import (
	"cmp"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// checkVersions warns about values of a served version that the stored version does not keep, or that do not fit it.
// Without conversion, an API server changes only the apiVersion of an object before it stores it.
func (m *output) checkVersions(fset *token.FileSet) {
	i := slices.IndexFunc(m.Versions, func(v Version) bool { return v.Storage.Text == "true" })
	if i < 0 {
		return
	}
	for _, v := range m.Versions {
		if v.Served.Text != "true" || v.Storage.Text == "true" {
			continue
		}
		for _, change := range crdschema.ChangesBetween(v.written(), m.Versions[i].written()) {
			m.warnOfLoss(fset, v, m.Versions[i], change)
		}
	}
}

// warnOfLoss warns about an incompatible difference between a served and the stored version.
func (m *output) warnOfLoss(fset *token.FileSet, served, stored Version, change crdschema.Change) {
	pos, there := change.Formerly(fset), change.Pos(fset)
	if !pos.IsValid() {
		pos = served.pos
	}
	path, name := cmp.Or(change.Path, "the object"), stored.Name.Text
	warn := func(format string, args ...any) {
		m.diags.Warnf(pos, m.Kind.Text+" "+served.Name.Text+": "+format, args...).WithRelated(cmp.Or(there, stored.pos)).
			Suggest("make the two versions equal in this").Or("convert them in a webhook, which +%s describes", markers.ConversionMarker)
	}
	switch change.Effect {
	case crdschema.Drops:
		warn("API servers drop %s, which %s, the stored version, lacks", path, name)
	case crdschema.Prunes:
		warn("API servers drop fields of %s that %s, the stored version, lacks: %s", path, name, change.What)
	case crdschema.Requires:
		warn("API servers store objects without %s, which %s, the stored version, requires", path, name)
	case crdschema.Excludes:
		warn("API servers store values of %s that %s, the stored version, excludes: %s", path, name, change.What)
	case crdschema.Merges:
		warn("server-side apply merges %s in another way than in %s, the stored version: %s", path, name, change.What)
	}
}

// ConvertedByPatches returns a function that reports whether kustomize adds a conversion to the
// CustomResourceDefinition of a name. It reads the patches of the kustomizations in the directory of the manifests and
// its parent.
func ConvertedByPatches(dir string) func(name string) bool {
	read := sync.OnceValue(func() map[string]bool {
		names := map[string]bool{}
		for _, in := range []string{dir, filepath.Dir(dir)} {
			for _, file := range []string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
				readKustomization(in, file, names)
			}
		}
		return names
	})
	return func(name string) bool {
		for pattern := range read() {
			if matches, err := regexp.MatchString("^(?:"+pattern+")$", name); pattern == "" || err == nil && matches {
				return true
			}
		}
		return false
	}
}

// readKustomization adds the names of the CustomResourceDefinitions to which the patches of a kustomization add a
// conversion, as regular expressions; "" stands for all. kustomize itself reports what cannot be read.
func readKustomization(dir, file string, names map[string]bool) {
	_, text := ManifestIn(dir)(file)
	documents, _ := yamltext.Read(text)
	for _, document := range documents {
		k := node{file, document.Node}
		for _, merge := range k.at("patchesStrategicMerge").values() {
			if strings.Contains(merge.Text, "\n") { // a patch in the place of a file
				addConverted(node{}, []byte(merge.Text), names)
			} else {
				_, text := ManifestIn(dir)(merge.Text)
				addConverted(node{}, text, names)
			}
		}
		for _, patch := range slices.Concat(k.at("patches").elements(), k.at("patchesJson6902").elements()) {
			text := []byte(patch.at("patch").value().Text)
			if path := patch.at("path").value().Text; path != "" {
				_, text = ManifestIn(dir)(path)
			}
			addConverted(patch.at("target"), text, names)
		}
	}
}

// addConverted adds the names of the CustomResourceDefinitions that get a webhook for conversions from a patch.
func addConverted(target node, patch []byte, names map[string]bool) {
	kind, name := target.at("kind").value().Text, target.at("name").value().Text
	if kind != "" && kind != definitionKind {
		return
	}
	documents, _ := yamltext.Read(patch)
	for _, document := range documents {
		merged := node{node: document.Node}
		for _, operation := range merged.elements() {
			value := operation.at("value")
			switch operation.at("path").value().Text {
			case "/spec/conversion":
				value = value.at("strategy")
			case "/spec/conversion/strategy":
			default:
				continue
			}
			if operation.at("op").value().Text != "remove" && value.value().Text == webhook {
				names[name] = true
			}
		}
		if merged.at("spec", "conversion", "strategy").value().Text == webhook && cmp.Or(kind, merged.at("kind").value().Text) == definitionKind {
			names[cmp.Or(name, regexp.QuoteMeta(merged.at("metadata", "name").value().Text))] = true
		}
	}
}
