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
// the manifests of random types. All files must be equal byte for byte, and both refuse the same command lines.
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
	fmt.Printf("patches: %d manifests are equal\n", equal)
}
