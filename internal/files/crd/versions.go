package crd

import (
	"cmp"
	"iter"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// kustomizations yields the documents of the kustomizations in some directories, with the files there.
func kustomizations(in func(dir string) Files, dirs ...string) iter.Seq2[Files, node] {
	return func(yield func(Files, node) bool) {
		for _, dir := range dirs {
			files := in(dir)
			for _, file := range []string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
				name, text := files(file)
				documents, _ := yamltext.Read(text) // kustomize itself reports what cannot be read
				for _, document := range documents {
					if !yield(files, node{name, document.Node}) {
						return
					}
				}
			}
		}
	}
}

// Unlisted warns of kustomizations that list deleted manifests, in the directories of these or the parents.
func Unlisted(deleted []string) (diags diag.List) {
	dirs, gone := map[string]bool{}, map[string]bool{}
	for _, name := range deleted {
		dir := filepath.Dir(name)
		dirs[dir], dirs[filepath.Dir(dir)], gone[name] = true, true, true
	}
	for _, k := range kustomizations(ManifestIn, slices.Sorted(maps.Keys(dirs))...) {
		for _, resource := range k.at("resources").values() {
			if gone[filepath.Join(filepath.Dir(k.file), filepath.FromSlash(resource.Text))] {
				diags.Warnf(resource.Pos, "%s is deleted, and kustomize fails without it", resource.Text).Suggest("delete the line")
			}
		}
	}
	return diags
}

// ConvertedByPatches returns a function that reports whether kustomize adds a conversion to the
// CustomResourceDefinition of a name. It reads the patches of the kustomizations in the directory of the manifests and
// its parent; in returns a function for a directory, such as ManifestIn does.
func ConvertedByPatches(dir string, in func(dir string) Files) func(name string) bool {
	read := sync.OnceValue(func() map[string]bool {
		names := map[string]bool{}
		for files, k := range kustomizations(in, dir, filepath.Dir(dir)) {
			readPatches(files, k, names)
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

// readPatches adds the names of the CustomResourceDefinitions to which the patches of a kustomization add a conversion,
// as regular expressions; "" stands for all.
func readPatches(files Files, k node, names map[string]bool) {
	for _, merge := range k.at("patchesStrategicMerge").values() {
		if strings.Contains(merge.Text, "\n") { // a patch in the place of a file
			addConverted(node{}, []byte(merge.Text), names)
		} else {
			_, text := files(merge.Text)
			addConverted(node{}, text, names)
		}
	}
	for _, patch := range slices.Concat(k.at("patches").elements(), k.at("patchesJson6902").elements()) {
		text := []byte(patch.at("patch").value().Text)
		if path := patch.at("path").value().Text; path != "" {
			_, text = files(path)
		}
		addConverted(patch.at("target"), text, names)
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
