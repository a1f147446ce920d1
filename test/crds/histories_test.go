package crds_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/files/crd"
)

var allHistories = flag.Bool("histories", false, "compare the manifests of all pairs of releases, not only of those that are quick")

// histories are pairs of releases of public modules with manifests. Their narrowings were read: none is a false
// alarm, except that a rule in CEL about a new field is listed like any other.
var histories = []struct {
	module         string
	before, after  string // versions
	dir, nextDir   string // with the manifests; "" for the same directory
	kinds, removed int    // that both have, and that the second one has no more
	narrowings     int
	quick          bool
}{
	{module: "sigs.k8s.io/gateway-api", before: "v1.3.0", after: "v1.6.3", dir: "config/crd/standard", kinds: 5, narrowings: 27, quick: true},
	{module: "sigs.k8s.io/gateway-api", before: "v1.3.0", after: "v1.6.3", dir: "config/crd/experimental", kinds: 10, removed: 1, narrowings: 92, quick: true},
	{module: "github.com/vmware-tanzu/velero", before: "v1.16.2", after: "v1.18.3", dir: "config/crd/v1/bases", kinds: 11, narrowings: 0, quick: true},
	{module: "sigs.k8s.io/cluster-api", before: "v1.10.4", after: "v1.14.2", dir: "config/crd/bases", nextDir: "core/config/crd/bases", kinds: 13, narrowings: 0},
	{module: "sigs.k8s.io/cluster-api", before: "v1.10.2", after: "v1.10.4", dir: "config/crd/bases", kinds: 13, narrowings: 0},
	{module: "github.com/cert-manager/cert-manager", before: "v1.18.2", after: "v1.21.2", dir: "deploy/crds", kinds: 6, narrowings: 8},
	{module: "github.com/external-secrets/external-secrets", before: "v0.18.2", after: "v1.3.2", dir: "config/crds/bases", kinds: 21, narrowings: 15},
	{module: "sigs.k8s.io/kueue", before: "v0.11.4", after: "v0.13.2", dir: "config/components/crd/bases", kinds: 11, narrowings: 4},
	{module: "sigs.k8s.io/jobset", before: "v0.5.2", after: "v0.8.2", dir: "config/components/crd/bases", kinds: 1, narrowings: 18},
	{module: "github.com/kedacore/keda/v2", before: "v2.14.0", after: "v2.17.2", dir: "config/crd/bases", kinds: 5, narrowings: 27},
}

// TestHistories compares the schemas in two releases of public modules.
func TestHistories(t *testing.T) {
	releases, schemas, total := 0, 0, 0
	for _, h := range histories {
		if !h.quick && !*allHistories {
			continue
		}
		t.Run(h.module+"@"+h.before+"/"+h.dir, func(t *testing.T) {
			before := definitionsIn(t, filepath.Join(download(t, publicModule{path: h.module, version: h.before}), h.dir))
			nextDir := h.nextDir
			if nextDir == "" {
				nextDir = h.dir
			}
			after := definitionsIn(t, filepath.Join(download(t, publicModule{path: h.module, version: h.after}), nextDir))
			kinds, removed, narrowings := 0, 0, 0
			for _, name := range slices.Sorted(maps.Keys(before)) {
				is := after[name]
				if is == nil {
					removed++
					continue
				}
				kinds++
				for _, v := range before[name].Versions {
					old, diags := v.Schema()
					if found := crd.SchemaChanges(old, old); len(found) > 0 {
						t.Errorf("%s %s differs from itself: %v", name, v.Name.Text, found)
					}
					i := slices.IndexFunc(is.Versions, func(other crd.Version) bool { return other.Name.Text == v.Name.Text })
					if i < 0 || v.Served.Text != "true" {
						continue
					}
					now, mistakes := is.Versions[i].Schema()
					diags = append(diags, mistakes...)
					found := crd.SchemaChanges(old, now)
					for _, n := range found {
						t.Logf("%s %s %s: %s", name, v.Name.Text, n.Path, n.What)
					}
					if diags.HasErrors() {
						t.Error(messages(diags))
					}
					schemas++
					narrowings += len(found)
				}
			}
			releases, total = releases+1, total+narrowings
			if kinds != h.kinds || removed != h.removed || narrowings != h.narrowings {
				t.Errorf("kinds: %d, removed: %d, narrowings: %d; want %d, %d and %d", kinds, removed, narrowings, h.kinds, h.removed, h.narrowings)
			}
		})
	}
	fmt.Printf("histories: %d pairs of releases, %d schemas, %d narrowings\n", releases, schemas, total)
}

// definitionsIn returns the CustomResourceDefinitions directly in a directory by name.
func definitionsIn(t *testing.T, dir string) map[string]*crd.Definition {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*crd.Definition{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "kind: CustomResourceDefinition") {
			continue
		}
		all, diags := crd.Read(file, text)
		if diags.HasErrors() {
			t.Error(messages(diags))
		}
		for _, d := range all {
			found[d.Plural.Text+"."+d.Group.Text] = d
		}
	}
	return found
}
