package main

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// TestTagsIn finds the markers in each form in which tools name them.
func TestTagsIn(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"cmd/a-gen/a.go": "package a\n\nconst (\n\teqTagName = \"eq\"\n\tname = \"other\"\n)\n\nvar tags = []string{\"genclient:readonly\", \"k8s: prose\"}\n" +
			"\nvar doc = \"+k8s:required=\"\n",
		"cmd/a-gen/a_test.go":           "package a\n\nconst testTag = \"tested\"\n",
		"cmd/a-gen/output_tests/out.go": "package out\n\nconst outTag = \"out\"\n",
	} {
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(name)), text); err != nil {
			t.Fatal(err)
		}
	}
	tags, err := tagsIn(dir)
	if got := strings.Join(slices.Sorted(maps.Keys(tags)), " "); err != nil || got != "genclient:readonly k8s:eq k8s:required" {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestMatrix checks that the module for the tools has each pair of verbs, and each marker of the tools that takes
// effect on its own.
func TestMatrix(t *testing.T) {
	in := matrix()
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(in.Files)) {
		all.WriteString(in.Files[name])
	}
	verbs := model.AllVerbs()
	for _, marker := range []string{"onlyVerbs", "skipVerbs"} {
		for i, v := range verbs {
			for _, w := range verbs[i:] {
				if want := "// +genclient:" + marker + "=" + string(v) + "," + string(w) + "\n"; !strings.Contains(all.String(), want) {
					t.Errorf("no kind has %s", want)
				}
			}
		}
	}
	for _, name := range []string{"genclient:method", model.ListerSwitch, model.DeepCopyMarker + ":interfaces"} {
		if !strings.Contains(all.String(), "// +"+name) {
			t.Errorf("nothing has +%s", name)
		}
	}
}
