package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// TestReadOnly generates into a directory that cannot be written to: that is an error, but no reason not to compare.
func TestReadOnly(t *testing.T) {
	if os.Getuid() <= 0 { // root, or Windows
		t.Skip("this user may write to directories without write permission")
	}
	archive, err := txtar.ParseFile("testdata/golden/crontab.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range archive.Files {
		if !strings.HasPrefix(f.Name, "want/") {
			writeFile(t, filepath.Join(dir, f.Name), f.Data)
		}
	}
	moduletest.Complete(t, dir)
	env := environment(t, dir)
	chmod := func(mode fs.FileMode) {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
	}
	chmod(0o555)
	defer chmod(0o755) // or t.TempDir could not remove it
	before := listFiles(t, dir)
	code, stdout, stderr := runCommand(t, &env, "kubegen ./apis/...")
	const want = "kubegen: cannot write to directory .: permission denied; change its permissions or choose another output directory\n"
	if code != exitError || stdout != "" || stderr != want {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if code, stdout, _ := runCommand(t, &env, "kubegen --verify ./apis/..."); code != exitStale || !strings.Contains(stdout, "+++ b/pkg/generated/") {
		t.Errorf("--verify: exit code %d\n%s", code, stdout)
	}
	if after := listFiles(t, dir); len(after) != len(before) {
		t.Errorf("files before %q, after %q", before, after)
	}
}
