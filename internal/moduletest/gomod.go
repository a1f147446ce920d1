package moduletest

import (
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

// Required returns the version of a module that a go.mod requires, or "".
func Required(file *modfile.File, module string) string {
	for _, r := range file.Require {
		if r.Mod.Path == module {
			return r.Mod.Version
		}
	}
	return ""
}
