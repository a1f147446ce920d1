package moduletest

import (
	"path/filepath"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/kubegen/kubegen/hack/modules"
)

// ModFile returns what a go.mod file contains.
func ModFile(t testing.TB, name string) *modfile.File {
	t.Helper()
	return ParseModFile(t, read(t, name))
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

// Copy writes a go.mod file and the file with its sums into the directory to, with another module path. Replacements by
// directories stay valid.
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
		if err := file.AddReplace(r.Old.Path, r.Old.Version, replacement(from, r), r.New.Version); err != nil {
			t.Fatal(err)
		}
	}
	write(t, to, modfile.Format(file.Syntax), sums(t, from))
}

// Replacements returns an argument of "go mod edit" for each replacement in a go.mod file. A prerelease of client-go
// may require modules that cannot be downloaded, and others replace these.
func Replacements(t testing.TB, name string) (args []string) {
	t.Helper()
	for _, r := range ModFile(t, name).Replace {
		r.New.Path = replacement(name, r)
		args = append(args, "-replace="+r.Old.String()+"="+r.New.String())
	}
	return args
}

// replacement returns the path of a module, or the absolute path of a directory, that replaces a module in the go.mod
// file name.
func replacement(name string, r *modfile.Replace) string {
	if r.New.Version != "" || filepath.IsAbs(r.New.Path) {
		return r.New.Path
	}
	return filepath.Join(filepath.Dir(name), r.New.Path)
}

// Published returns the directories of the modules that users require in the repository at root. The first one is ".".
func Published(t testing.TB, root string) []string {
	t.Helper()
	dirs, err := modules.Published(root)
	if err != nil {
		t.Fatal(err)
	}
	return dirs
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
