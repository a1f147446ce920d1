package plan

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/kubegen/kubegen/internal/source/load"
)

func TestCoverage(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/api\n")
	writeFile(t, filepath.Join(dir, "nested/go.mod"), "module example.com/api/nested\n")
	env := load.Environment{Dir: dir}
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
		{[]string{"./..."}, "example.com/api/nested/v1", false}, // of another module
		{[]string{"./nested/..."}, "example.com/api/nested/v1", true},
		{[]string{"example.com/api/..."}, "example.com/api/nested/v1", true},
		{[]string{"../..."}, "example.com/api", false}, // in no module
		{[]string{"./apis/.../v1"}, "example.com/api/apis/batch/v1", true},
		{[]string{"./apis/.../v1"}, "example.com/api/apis/batch/v2", false},
		{[]string{"./.../v1"}, "example.com/api/apis/batch/v1", true},
		{[]string{"./api..."}, "example.com/api/apis/v1", true},
		{[]string{"./api..."}, "example.com/api/pkg", false},
		{[]string{"example.com/.../v1"}, "example.com/api/apis/v1", true},
		{[]string{"./a+is/..."}, "example.com/api/aais/v1", false},
		{[]string{"."}, "example.com/api", true},
		{[]string{"."}, "example.com/api/apis", false},
		{[]string{"..."}, "example.com/api", true},
		{nil, "example.com/api", false},
	} {
		if got := Coverage(env, test.patterns, "")(test.importPath); got != test.want {
			t.Errorf("%q cover %s: %v", test.patterns, test.importPath, got)
		}
	}
	all := Coverage(env, []string{"./...", "./nested/..."}, dir)
	if !all("example.com/api/v1") || all("example.com/api/nested/v1") {
		t.Error("within one module, not that alone is covered")
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}
