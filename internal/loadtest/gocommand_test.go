package loadtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// TestGo checks which commands Go answers, and that its answers are those of the go command.
func TestGo(t *testing.T) {
	for _, test := range []struct {
		name, file, text string // a file beside the package apis/v1
		patterns         []string
		answers          bool
	}{
		{"plain", "apis/v1/v1_test.go", "package v1", []string{"./apis/...", "k8s.io/api/core/v1", "time"}, true},
		{"nothing imported", "apis/v1/none.go", "//go:build ignore\n\npackage main", []string{"./apis/v1"}, true},
		{"a package that does not exist", "apis/v2/doc.go", "package v2", []string{"example.com/m/apis/v2", "list", "example.org/none"}, true},
		{"a nested module", "nested/go.mod", "module example.com/nested", []string{"./..."}, true},
		{"two packages in a directory", "apis/v1/other.go", "package other", []string{"./..."}, false},
		{"C", "apis/v1/c.go", "package v1\n\nimport \"C\"", []string{"./..."}, false},
		{"another module", "nested/go.mod", "module example.com/nested", []string{"./nested"}, false},
		{"a vendor directory", "vendor/x.go", "package x", []string{"./apis/v1"}, false},
		{"a workspace", "go.work", "go 1.26\n\nuse .", []string{"./apis/v1"}, false},
		{"a directory that does not exist", "doc.go", "package m", []string{"./none"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			moduletest.Write(t, dir, []byte("module example.com/m\n"))
			for name, text := range map[string]string{"apis/v1/doc.go": "package v1", test.file: test.text} {
				name = filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			list := func(patterns []string) *exec.Cmd {
				cmd := exec.Command("go", append([]string{
					"list", "-e", "-find", "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,IgnoredGoFiles,IgnoredOtherFiles,Module,Match,Error", "--",
				}, patterns...)...)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "PWD="+dir)
				return cmd
			}
			_, _ = Go(list([]string{"k8s.io/apimachinery/pkg/runtime"})) // some of the modules have mistakes
			if _, ok := answer(list(test.patterns)); ok != test.answers {
				t.Errorf("Go answers: %t", ok)
			}
			_, _ = Compare(t)(list(test.patterns))
		})
	}
}
