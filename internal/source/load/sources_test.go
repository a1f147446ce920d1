package load

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The first call lists the packages of all patterns, and the second what these import; the others need no go command.
func TestSources(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/kubegen/kubegen/internal/"
	s := NewSources(Config{Env: Environment{Dir: root, Vars: os.Environ()}}, "./internal/text/diag/", "./internal/terms//model/...", root+"/internal/files/crd")
	list := func(pattern, want string) {
		t.Helper()
		found, err := s.list(t.Context(), []string{pattern})
		if err != nil || len(found) != 1 || found[0].PkgPath != module+want {
			t.Errorf("%s: got %v, %v, want the package %s", pattern, found, err, want)
		}
	}
	known := func(patterns ...string) {
		t.Helper()
		if unknown := s.unknown(patterns); len(unknown) > 0 {
			t.Errorf("the go command is still needed for %v", unknown)
		}
	}
	list("./internal/text/gofile", "text/gofile")
	known("./internal/text/diag/", "./internal/terms//model/...", root+"/internal/files/crd", module+"files/crd")
	list("./internal/text/diag/", "text/diag")
	list("./internal/terms//model/...", "terms/model")
	list(module+"files/crd", "files/crd")
	list("./internal/terms/markers", "terms/markers")
	known("go.yaml.in/yaml/v3") // which crd imports

	name := s.Files(t.Context(), module+"text/diag")[0]
	if text := s.file(name, func(string) ([]byte, error) { return []byte("package diag"), nil }).text; string(text) == "package diag" {
		t.Error("a file is read twice")
	}
	s.Change(name, nil)
	added := filepath.Join(filepath.Dir(name), "added.go")
	if !s.Change(added, []byte("package diag\r\n")) || s.Change(added, []byte("package diag\r\n")) {
		t.Error("only the first change to a content is one")
	}
	names := s.goFiles(s.byPath[module+"text/diag"])
	if text := s.file(added, nil).text; string(text) != "package diag\n" || !slices.Contains(names, added) || slices.Contains(names, name) {
		t.Errorf("got files %v and text %q, want the changed ones", names, text)
	}
}
