package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/terms/markers"
)

// TestClassicHasNoOwnMarkers checks that the markers of kubegen for kinds, and for their packages, change nothing of
// what the classic tools generate, and that a warning says so.
func TestClassicHasNoOwnMarkers(t *testing.T) {
	generated := func(types string) (files map[string]string, said string) {
		t.Helper()
		dir := writeCrontab(t, types)
		var stdout, stderr bytes.Buffer
		code := execute(t.Context(), Kubegen, []string{"--classic", "--output-dir", "gen", "./apis/..."}, environment(t, dir), &stdout, &stderr)
		if code != exitDone {
			t.Fatalf("exit code %d: %s", code, &stderr)
		}
		files = map[string]string{}
		for _, name := range listFiles(t, filepath.Join(dir, "gen")) {
			text, err := os.ReadFile(filepath.Join(dir, "gen", filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			files[name] = string(text)
		}
		return files, stderr.String()
	}
	plain, _ := generated(strings.Replace(crontabTypes, "MARKER", "+other:marker", 1))
	tried := 0
	for _, def := range markers.Listed() {
		if def.Tools != 0 || def.Effect&markers.Code == 0 || def.Targets[0] == markers.Field {
			continue
		}
		tried++
		line := "12:4"
		types := strings.Replace(crontabTypes, "MARKER", def.Example(), 1)
		if def.Targets[0] == markers.Package {
			line = "1:4"
			types = "// " + def.Example() + "\n" + strings.Replace(crontabTypes, "MARKER", "+other:marker", 1)
		}
		marked, said := generated(types)
		for name, text := range plain {
			if strings.ReplaceAll(marked[name], def.Example(), "+other:marker") != text { // the comments of types are copied
				t.Errorf("%s %s changes %s", def.Example(), def.Where(), name)
			}
		}
		if len(marked) != len(plain) {
			t.Errorf("%s %s: %d files instead of %d", def.Example(), def.Where(), len(marked), len(plain))
		}
		if !strings.Contains(said, "types.go:"+line+": warning: +"+def.Name) {
			t.Errorf("%s %s has no warning at %s:\n%s", def.Example(), def.Where(), line, said)
		}
	}
	if tried == 0 {
		t.Error("there are no such markers")
	}
}
