package crds_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation/crdtest"
	"github.com/kubegen/kubegen/internal/apitest"
	"github.com/kubegen/kubegen/internal/moduletest"
)

// TestConstraints finds the marker, field or type of each constraint in manifests of random types with random markers.
// Package crdtest reads the manifests, and kubegen lists the constraints of the types. Packages whose manifests servers
// refuse are left out.
func TestConstraints(t *testing.T) {
	dir := randomModule(t)
	kubegen := moduletest.Build(t, "kubegen")
	flags := []string{"--only", "crd", "--with-crds", "crds", "--crd-allow-dangerous-types"}
	for seed := range uint64(*seeds) {
		text, base := apitest.Schemas(seed, true)
		write(t, filepath.Join(dir, fmt.Sprintf("s%d/v1/types.go", seed)), []byte(text))
		write(t, filepath.Join(dir, fmt.Sprintf("s%d/base/types.go", seed)), []byte(base))
	}
	cmd := exec.Command(filepath.Join(kubegen, "kubegen"), append(slices.Clone(flags), "./...")...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatal("no package is refused")
	}
	for _, refused := range regexp.MustCompile(`(?m)^(s\d+)/.*: error: `).FindAllSubmatch(out, -1) {
		if err := os.RemoveAll(filepath.Join(dir, string(refused[1]))); err != nil {
			t.Fatal(err)
		}
	}
	flags = append(flags, "./...")
	runIn(t, dir, kubegen, flags...)
	placesFor := func(flags ...string) crdtest.Places {
		list := runIn(t, dir, kubegen, append([]string{"list", "--long", "--format", "json"}, flags...)...)
		places, err := crdtest.ReadPlaces([]byte(list[strings.Index(list, "{\n"):])) // behind warnings
		if err != nil {
			t.Fatal(err)
		}
		return places
	}
	places := placesFor(flags...)
	patched := placesFor("--only", "schemapatch", "--patch-crds", "crds", "--crd-allow-dangerous-types", "./...")
	for c, place := range places {
		if patched[c] != place {
			t.Errorf("%v is at %s, but in a patched manifest at %q", c, place, patched[c])
		}
	}
	definitions, err := crdvalidation.Definitions(filepath.Join(dir, "crds"))
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for i, d := range definitions {
		if err := d.Validate(); err != nil { // a suite would say so; kubegen does not know all that a server refuses
			t.Logf("%s: %v", d.Name, err)
			refused++
			continue
		}
		suite := fmt.Sprintf("name: %[1]s\ncrdName: %[1]s\ntests:\n  onCreate:\n  - name: nothing\n    initial: |\n      apiVersion: %[2]s/%[3]s\n      kind: %[4]s\n",
			d.Name, d.Spec.Group, d.Spec.Versions[0].Name, d.Spec.Names.Kind)
		write(t, filepath.Join(dir, fmt.Sprintf("suites/%d.testsuite.yaml", i)), []byte(suite))
	}
	if refused > len(definitions)/10 {
		t.Fatalf("servers refuse %d of %d definitions", refused, len(definitions))
	}
	report, err := crdtest.Check([]string{filepath.Join(dir, "crds")}, []string{filepath.Join(dir, "suites")})
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string][]string{}
	markers := 0
	for _, c := range report.Untested {
		at := places.Locate(c)
		if filepath.Ext(at.File) != ".go" {
			t.Errorf("no place is known: %s", c)
			continue
		}
		if lines[at.File] == nil {
			text, err := os.ReadFile(filepath.Join(dir, at.File))
			if err != nil {
				t.Fatal(err)
			}
			lines[at.File] = strings.Split(string(text), "\n")
		}
		line := lines[at.File][at.Line-1]
		marker, ok := strings.CutPrefix(strings.TrimSpace(line), "// +")
		if !ok {
			continue // the field or type
		}
		markers++
		keyword, rule := strings.CutPrefix(c.Keyword, "rule ")
		keyword, list := strings.CutPrefix(keyword, "list type ")
		switch {
		case rule && (strings.Contains(marker, "XValidation") || strings.Contains(marker, "immutable") || strings.Contains(marker, "OneOf")), list && strings.Contains(marker, "listType"):
		case !rule && !list && strings.Contains(strings.ToLower(marker), strings.ToLower(keyword)):
		default:
			t.Errorf("%s has the marker %s", at, marker)
		}
	}
	if markers < *seeds/2 {
		t.Errorf("%d of %d constraints have markers", markers, len(report.Untested))
	}
	fmt.Printf("crds: the places of %d constraints are found, %d of them markers\n", len(report.Untested), markers)
}
