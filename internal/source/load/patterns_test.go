package load

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kubegen/kubegen/internal/text/diag"
)

func TestExisting(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"apis/stable/v1", "apis/batch/v1"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/api\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ dir, pattern, want string }{ // the hint; "" for none
		{dir, "./...", ""},
		{dir, ".", ""},
		{dir, "./apis/stable/v1/", ""},
		{dir, "./ap...", ""}, // it may match apis
		{dir, "example.com/api/...", ""},
		{dir, filepath.Join(dir, "apis") + "/...", ""},
		{dir, "./apis/sable/vl/...", "did you mean ./apis/stable/v1/...?"},
		{dir, "./apsi/stable", "did you mean ./apis/stable?"},
		{dir, "./apis/stable/more/v1", "name directories such as ./apis/... or import paths"},
		{dir, "../nope-nope-nope", "name directories such as ./apis/... or import paths"},
		{t.TempDir(), "./apis/...", "name directories such as ./... or import paths"},
		{filepath.Join(dir, "nope"), "./other", "name directories such as ./apis/... or import paths"},
	} {
		l := NewLoader(t.Context(), Config{Env: Environment{Dir: test.dir}})
		var diags diag.List
		rest := l.existing([]string{test.pattern}, &diags)
		got := ""
		for _, d := range diags {
			got += d.Hint
		}
		if got != test.want || (len(rest) == 0) != (test.want != "") {
			t.Errorf("%s: left %q, said %q, want %q", test.pattern, rest, got, test.want)
		}
	}
}
