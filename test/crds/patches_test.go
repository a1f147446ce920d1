package crds_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// TestPatches runs schemapatch of gen-controller and of controller-gen for the manifests in testdata/patches and for
// the manifests of random types. All files must be equal byte for byte, and both refuse the same command lines. So must
// the files of kubegen --patch-crds, in manifests with the layout of controller-gen. kubegen keeps other layouts if the
// schemas do not change, so a second run changes nothing.
func TestPatches(t *testing.T) {
	tree := commandTree(t)
	if err := os.CopyFS(filepath.Join(tree, "base"), os.DirFS("testdata/patches")); err != nil {
		t.Fatal(err)
	}
	real, own := controllerGen(t), filepath.Join(moduletest.Build(t, "gen-controller"), "gen-controller")
	generated, _, err := runCommandLine(t, tree, ".", real, []string{"crd:allowDangerousTypes=true,maxDescLen=10", "paths=./...", "output:dir=all"})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range generated {
		write(t, filepath.Join(tree, name), []byte("# A comment.\n"+strings.Replace(text, "spec:\n", "# Of the spec.\nspec:\n", 1)))
	}
	equal := 0
	for line, files := range map[string]int{
		"schemapatch:manifests=base paths=./one/... output:dir=base":                                       3,
		"schemapatch:manifests=base,maxDescLen=0 paths=./one/... output:schemapatch:dir=out":               6,
		"schemapatch:manifests=base,maxDescLen=15 paths=./one/... output:artifacts:config=out":             6,
		"schemapatch:manifests=base,generateEmbeddedObjectMeta=true paths=./apis/...;./e2e/...":            6,
		"schemapatch:manifests=all,generateEmbeddedObjectMeta=true paths=./... output:dir=out":             1,
		"schemapatch:manifests=all,maxDescLen=40 crd:allowDangerousTypes=true paths=./... output:crd:none": 1,
		"schemapatch:manifests=base paths=. output:dir=out":                                                0,
		"schemapatch:manifests=empty paths=./one/... output:dir=out":                                       0,
		"schemapatch:manifests=missing paths=./one/... output:dir=out":                                     -1,
		"schemapatch:manifests=base/beta paths=./one/... output:dir=out":                                   -1,
		"schemapatch:maxDescLen=0 paths=./one/... output:dir=out":                                          -1,
		"schemapatch:manifests=base paths=./nested/... output:dir=out":                                     6,
	} {
		t.Run(line, func(t *testing.T) {
			want, out, err := runCommandLine(t, tree, ".", real, strings.Fields(line))
			got, ownOut, ownErr := runCommandLine(t, tree, ".", own, strings.Fields(line))
			if (err != nil) != (files < 0) || (ownErr != nil) != (files < 0) {
				t.Fatalf("controller-gen: %v %.2000s\ngen-controller: %v %.2000s", err, out, ownErr, ownOut)
			}
			if len(want) < files {
				t.Errorf("controller-gen writes %d files, want %d or more", len(want), files)
			}
			for _, name := range slices.Sorted(maps.Keys(want)) {
				if got[name] != want[name] {
					t.Errorf("%s: %s", name, difference(got[name], want[name]))
				} else {
					equal++
				}
				delete(got, name)
			}
			for name := range got {
				t.Errorf("gen-controller writes %s", name)
			}
		})
	}
	equal += patchInPlace(t, tree, real)
	fmt.Printf("patches: %d manifests are equal\n", equal)
}

// patchInPlace compares kubegen --patch-crds with schemapatch of controller-gen. It returns the number of equal
// manifests with new schemas.
func patchInPlace(t *testing.T, tree, real string) (equal int) {
	bin := filepath.Join(moduletest.Build(t, "kubegen"), "kubegen")
	write(t, filepath.Join(tree, "meta/meta.go"), []byte("package meta\n\nimport _ \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n"))
	for _, c := range []struct {
		dir     string
		paths   []string
		options string
		flags   []string
		changed int
	}{
		{"base", []string{"./one/..."}, "", nil, 3},
		{"base", []string{"./...", "./nested/..."}, ",maxDescLen=15", []string{"--crd-max-description-length=15"}, 4},
		{"all", []string{"./...", "./nested/..."}, ",maxDescLen=40,generateEmbeddedObjectMeta=true", []string{"--crd-max-description-length=40", "--crd-embedded-object-meta"}, 1},
	} {
		t.Run("kubegen "+c.dir+c.options, func(t *testing.T) {
			laidOut, out, err := runCommandLine(t, tree, ".", real, []string{"schemapatch:manifests=" + c.dir, "paths=./meta", "output:dir=laid"})
			if err != nil {
				t.Fatal(out)
			}
			for name, text := range laidOut {
				write(t, filepath.Join(tree, name), []byte(text))
			}
			defer os.RemoveAll(filepath.Join(tree, "laid"))
			want, out, err := runCommandLine(t, tree, ".", real, []string{"schemapatch:manifests=laid" + c.options, "paths=" + strings.Join(c.paths, ";"), "output:dir=laid"})
			if err != nil {
				t.Fatal(out)
			}
			args := slices.Concat(c.paths, c.flags, []string{"--only=schemapatch", "--patch-crds=laid", "--crd-allow-dangerous-types"})
			got, out, err := runCommandLine(t, tree, ".", bin, args)
			if err != nil {
				t.Fatal(out)
			}
			for name, text := range got {
				if text != want[name] {
					t.Errorf("%s: %s", name, difference(text, want[name]))
				}
				write(t, filepath.Join(tree, name), []byte(text))
			}
			for name, text := range want {
				if _, ok := got[name]; !ok && text != laidOut[name] {
					t.Errorf("kubegen does not write %s", name)
				}
			}
			if len(got) < c.changed {
				t.Errorf("kubegen writes %d files, want %d or more", len(got), c.changed)
			}
			equal += len(got)
			if _, out, err := runCommandLine(t, tree, ".", bin, append(args, "--verify")); err != nil {
				t.Errorf("second run: %s", out)
			}
		})
	}
	return equal
}
