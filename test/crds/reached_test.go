package crds_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
				write(t, filepath.Join(tree, fmt.Sprintf("v%d/types.go", n)), []byte(reachingPackage(r, n)))
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

// reachingPackage returns package n of a group, which refers to types of packages with greater numbers. Package 1
// declares all kinds.
func reachingPackage(r *rand.Rand, n int) string {
	forms := []string{
		"\tF%d v%d.T `json:\"f%d\"`\n", "\tF%d map[string]*v%d.T `json:\"f%d\"`\n", "\tF%d []v%d.Outer `json:\"f%d\"`\n", "\tF%d v%d.T `json:\"-\"` // %d\n",
		"\t// +kubebuilder:validation:Schemaless\n\t// +kubebuilder:pruning:PreserveUnknownFields\n\tF%d v%d.T `json:\"f%d\"`\n",
		"\t// +kubebuilder:validation:Type=object\n\tF%d v%d.T `json:\"f%d\"`\n",
	}
	imports := map[string]bool{}
	fields := func() (text string) {
		for m := n + 1; m <= 6; m++ {
			if r.IntN(5) == 0 {
				imports[fmt.Sprintf("\t\"example.com/random/v%d\"\n", m)] = true
				text += fmt.Sprintf(forms[r.IntN(len(forms))], m, m, m)
			}
		}
		return text
	}
	var types strings.Builder
	fmt.Fprintf(&types, "\ntype T struct {\n\tA string `json:\"a\"`\n}\n\ntype Outer struct {\n%s}\n", fields())
	for _, kind := range strings.Fields("Ant Bee Cat Dog Elk Fox") {
		if n > 1 && r.IntN(3) > 0 {
			continue
		}
		marker := "kubebuilder:storageversion"
		if n > 1 {
			marker = []string{"kubebuilder:object:root=true", "kubebuilder:object:root=true", "kubebuilder:skipversion", "kubebuilder:unservedversion"}[r.IntN(4)]
		}
		fmt.Fprintf(&types, "\n// +%s\ntype %s struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n%s}\n", marker, kind, fields())
	}
	return fmt.Sprintf("// +groupName=random.example.com\npackage v%d\n\nimport (\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n%s)\n%s\nvar _ metav1.TypeMeta\n",
		n, strings.Join(slices.Sorted(maps.Keys(imports)), ""), types.String())
}
