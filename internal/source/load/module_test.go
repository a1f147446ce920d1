package load

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestImportPath(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "mod/go.mod"), "// a comment\nmodule \"example.com/api\" // quoted\n")
	writeFile(t, filepath.Join(dir, "mod/nested/go.mod"), "module example.com/nested/v2\n")
	writeFile(t, filepath.Join(dir, "nameless/go.mod"), "go 1.26\n")
	writeFile(t, filepath.Join(dir, "elsewhere/apis/v1/types.go"), "")
	if err := os.Symlink(filepath.Join(dir, "elsewhere/apis"), filepath.Join(dir, "mod/apis")); err != nil {
		t.Fatal(err)
	}
	env := Environment{Dir: filepath.Join(dir, "mod")}
	for _, test := range []struct{ dir, want string }{ // "" for none
		{"", "example.com/api"},
		{".", "example.com/api"},
		{"a/b", "example.com/api/a/b"}, // need not exist
		{"./a/../c", "example.com/api/c"},
		{"apis/v1", "example.com/api/apis/v1"},
		{"nested", "example.com/nested/v2"},
		{"nested/x", "example.com/nested/v2/x"},
		{"vendor/k8s.io/api/apps/v1", "k8s.io/api/apps/v1"},
		{"my-vendor/x", "example.com/api/my-vendor/x"},
		{"..", ""},
		{"../nameless/x", ""},
		{filepath.Join(dir, "mod", "x"), "example.com/api/x"},
	} {
		got, ok := env.ImportPath(test.dir)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("ImportPath(%q) = %q, %v; want %q", test.dir, got, ok, test.want)
		}
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}
