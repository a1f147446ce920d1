package cli

import (
	"os"
	"path/filepath"
	"testing"
)

func TestImportPathOf(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "mod/go.mod"), []byte("// a comment\nmodule \"example.com/api\" // quoted\n"))
	writeFile(t, filepath.Join(dir, "mod/nested/go.mod"), []byte("module example.com/nested/v2\n"))
	writeFile(t, filepath.Join(dir, "nameless/go.mod"), []byte("go 1.26\n"))
	writeFile(t, filepath.Join(dir, "elsewhere/apis/v1/types.go"), nil)
	if err := os.Symlink(filepath.Join(dir, "elsewhere/apis"), filepath.Join(dir, "mod/apis")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(dir, "mod"))
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
		got, ok := importPathOf(test.dir)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("importPathOf(%q) = %q, %v; want %q", test.dir, got, ok, test.want)
		}
	}
}

func TestCoverage(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), []byte("module example.com/api\n"))
	t.Chdir(dir)
	for _, test := range []struct {
		patterns   []string
		importPath string
		want       bool
	}{
		{[]string{"./..."}, "example.com/api", true},
		{[]string{"./..."}, "example.com/api/apis/v1", true},
		{[]string{"./..."}, "example.com/apis/v1", false},
		{[]string{"./apis/..."}, "example.com/api/apis", true},
		{[]string{"./apis/..."}, "example.com/api/apis/v1", true},
		{[]string{"./apis/..."}, "example.com/api/apisother/v1", false},
		{[]string{"./apis/v1"}, "example.com/api/apis/v1", true},
		{[]string{"./apis/v1/"}, "example.com/api/apis/v1", true},
		{[]string{"./apis/v1"}, "example.com/api/apis/v1/more", false},
		{[]string{"./apis/v1", "./apis/v2"}, "example.com/api/apis/v2", true},
		{[]string{filepath.Join(dir, "apis") + "/..."}, "example.com/api/apis/v1", true},
		{[]string{"k8s.io/api/apps/..."}, "k8s.io/api/apps/v1", true},
		{[]string{"k8s.io/api/apps/v1"}, "k8s.io/api/apps/v1", true},
		{[]string{"k8s.io/api/apps/v1"}, "k8s.io/api/apps/v1beta1", false},
		{[]string{"../..."}, "example.com/api", false}, // in no module
		{nil, "example.com/api", false},
	} {
		if got := coverage(test.patterns)(test.importPath); got != test.want {
			t.Errorf("%q cover %s: %v", test.patterns, test.importPath, got)
		}
	}
}
