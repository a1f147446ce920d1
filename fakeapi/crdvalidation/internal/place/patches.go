package place

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Patches has the files that kustomizations name as patches, by directory with a kustomization.
type Patches map[string][]string

// Has reports whether a kustomization in the directory of a file, or above it, names the file as a patch.
func (p Patches) Has(file string) bool {
	abs, err := filepath.Abs(file)
	if err != nil {
		return false
	}
	for dir := filepath.Dir(abs); ; dir = filepath.Dir(dir) {
		if _, known := p[dir]; !known {
			p[dir] = patchesOf(dir)
		}
		if slices.Contains(p[dir], abs) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// patchesOf returns the files that the kustomization in a directory names as patches.
func patchesOf(dir string) (files []string) {
	for _, name := range []string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		root := &yaml.Node{}
		if err != nil || yaml.NewDecoder(bytes.NewReader(text)).Decode(root) != nil || len(root.Content) == 0 {
			continue
		}
		for _, key := range []string{"patches", "patchesStrategicMerge", "patchesJson6902"} {
			_, list := Child(root.Content[0], key)
			for i := 0; list != nil && i < len(list.Content); i++ {
				at := list.Content[i]
				if _, inner := Child(at, "path"); inner != nil {
					at = inner
				}
				if at.Kind == yaml.ScalarNode {
					files = append(files, filepath.Join(dir, filepath.FromSlash(at.Value)))
				}
			}
		}
	}
	return files
}
