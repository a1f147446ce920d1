package crd

import (
	"bytes"
	"cmp"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
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

// convertingCode finds the registration of conversion functions in a line of code, and the marker of conversion-gen.
var convertingCode = regexp.MustCompile(
	`(?m)^[^/\n]*\b(RegisterConversions|AddConversionFunc|AddGeneratedConversionFunc)\(|^\s*//\s*\+k8s:conversion-gen=`,
)

// isConverted reports whether the code of a version converts its objects, by methods for controller-runtime or by
// functions that its package registers, or whether a marker says how they are converted.
func isConverted(v *kinds.Kind) bool {
	hasMethod := func(name string) bool { return v.Source.HasMethod(v.Type.Name, name) }
	return model.HasMarker(v.Markers, markers.ConversionMarker) ||
		slices.ContainsFunc([]string{"Hub", "ConvertTo", "ConvertFrom"}, hasMethod) ||
		slices.ContainsFunc(v.Source.Files, func(f *load.File) bool { return convertingCode.Match(f.Text) })
}

// hubMarker finds the marker of a hub.
var hubMarker = regexp.MustCompile(`(?m)^\s*//\s*\+` + model.HubMarker + `\s*$`)

// isHub reports whether the package of a version has a hub that generated code converts to and from.
func isHub(v *kinds.Kind) bool {
	return slices.ContainsFunc(v.Source.Files, func(f *load.File) bool { return hubMarker.Match(f.Text) })
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
	var k struct {
		Patches []patch
		Json    []patch  `yaml:"patchesJson6902"`
		Merge   []string `yaml:"patchesStrategicMerge"`
	}
	if _, text := ManifestIn(dir)(file); yaml.Unmarshal(text, &k) != nil {
		return
	}
	for _, merge := range k.Merge {
		if strings.Contains(merge, "\n") { // a patch in the place of a file
			k.Patches = append(k.Patches, patch{Patch: merge})
		} else {
			k.Patches = append(k.Patches, patch{Path: merge})
		}
	}
	for _, p := range slices.Concat(k.Patches, k.Json) {
		p.addConverted(dir, names)
	}
}

// patch is a patch in a kustomization.
type patch struct {
	Path, Patch string
	Target      struct{ Kind, Name string }
}

// addConverted adds the names of the CustomResourceDefinitions that get a webhook for conversions from a patch.
func (p patch) addConverted(dir string, names map[string]bool) {
	if p.Target.Kind != "" && p.Target.Kind != "CustomResourceDefinition" {
		return
	}
	text := []byte(p.Patch)
	if p.Path != "" {
		_, text = ManifestIn(dir)(p.Path)
	}
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var node yaml.Node
		if decoder.Decode(&node) != nil {
			return
		}
		var operations []struct {
			Op, Path string
			Value    yaml.Node
		}
		var merged struct {
			Kind     string
			Metadata struct{ Name string }
			Spec     struct{ Conversion struct{ Strategy string } }
		}
		switch {
		case node.Decode(&operations) == nil:
			for _, o := range operations {
				var value struct{ Strategy string } // others are no mistakes of this patch
				switch o.Path {
				case "/spec/conversion":
					_ = o.Value.Decode(&value)
				case "/spec/conversion/strategy":
					_ = o.Value.Decode(&value.Strategy)
				}
				if o.Op != "remove" && value.Strategy == "Webhook" {
					names[p.Target.Name] = true
				}
			}
		case node.Decode(&merged) == nil && merged.Spec.Conversion.Strategy == "Webhook" &&
			(merged.Kind == "CustomResourceDefinition" || p.Target.Kind != ""):
			names[cmp.Or(p.Target.Name, regexp.QuoteMeta(merged.Metadata.Name))] = true
		}
	}
}
