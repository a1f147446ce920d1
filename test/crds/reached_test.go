package crds_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/apitest"
	"github.com/kubegen/kubegen/internal/moduletest"
)

// TestReachedVersions compares the manifests of random packages of one group, of which the command line names some.
// Packages of types in the schemas of earlier kinds add versions to later kinds. If several named packages import such
// a package, controller-gen may write its version several times, which no server accepts. gen-controller writes it
// once.
func TestReachedVersions(t *testing.T) {
	real, own := controllerGen(t), filepath.Join(moduletest.Build(t, "gen-controller"), "gen-controller")
	added := 0
	for i := range 12 {
		seed := *first + uint64(i)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			tree := randomModule(t)
			named := []string{"paths=./v1"}
			for n := 6; n >= 1; n-- {
				write(t, filepath.Join(tree, fmt.Sprintf("v%d/types.go", n)), []byte(apitest.Reaching(r, n)))
				if n > 1 && r.IntN(4) == 0 {
					named = append(named, fmt.Sprintf("paths=./v%d", n))
				}
			}
			args := append(named, "crd", "output:dir=manifests")
			want, out, err := runCommandLine(t, tree, ".", real, args)
			got, ownOut, ownErr := runCommandLine(t, tree, ".", own, args)
			if err != nil || ownErr != nil || len(want) == 0 {
				t.Fatalf("%v\ncontroller-gen: %v %.2000s\ngen-controller: %v %.2000s", args, err, out, ownErr, ownOut)
			}
			for _, name := range slices.Sorted(maps.Keys(want)) {
				wanted, twice := versions(want[name])
				found, _ := versions(got[name])
				if !twice && got[name] != want[name] || !slices.Equal(found, wanted) {
					t.Errorf("%v %s: %s", args, name, difference(got[name], want[name]))
				}
				for _, version := range found {
					if !slices.Contains(named, "paths=./"+version) {
						added++
					}
				}
			}
			if len(got) != len(want) {
				t.Errorf("%v: gen-controller writes %d files, controller-gen %d", args, len(got), len(want))
			}
		})
	}
	if added < 10 {
		t.Errorf("packages that no command line names add %d versions", added)
	}
	fmt.Printf("reached: packages that no command line names add %d versions\n", added)
}

// versions returns the versions in a manifest, each once, and reports whether one of them is there twice.
func versions(manifest string) (names []string, twice bool) {
	for line := range strings.Lines(manifest) {
		if name, ok := strings.CutPrefix(line, "  - name: "); ok {
			names = append(names, strings.TrimSpace(name))
		}
	}
	each := slices.Compact(slices.Clone(names))
	return each, len(each) < len(names)
}
