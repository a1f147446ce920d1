package moduletest

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/mod/modfile"
)

// ModFile returns the go.mod in a directory.
func ModFile(t testing.TB, dir string) *modfile.File {
	t.Helper()
	return ParseModFile(t, read(t, dir, "go.mod"))
}

// ParseModFile returns the go.mod with a text.
func ParseModFile(t testing.TB, text []byte) *modfile.File {
	t.Helper()
	file, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// Copy writes the go.mod and go.sum of the module in the directory from to the directory to, with another module path.
// Replacements by directories stay valid.
func Copy(t testing.TB, to, from, path string) {
	t.Helper()
	from, err := filepath.Abs(from)
	if err != nil {
		t.Fatal(err)
	}
	file := ModFile(t, from)
	if err := file.AddModuleStmt(path); err != nil {
		t.Fatal(err)
	}
	for _, r := range file.Replace {
		if err := file.AddReplace(r.Old.Path, r.Old.Version, filepath.Join(from, r.New.Path), r.New.Version); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string][]byte{"go.mod": modfile.Format(file.Syntax), "go.sum": read(t, from, "go.sum")} {
		if err := os.WriteFile(filepath.Join(to, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Required returns the version of a module that a go.mod requires, or "".
func Required(file *modfile.File, module string) string {
	for _, r := range file.Require {
		if r.Mod.Path == module {
			return r.Mod.Version
		}
	}
	return ""
}
