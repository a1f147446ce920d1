package cli

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// crontabTypes is an API of one kind, in apis/stable/v1/types.go, for a module example.com/api. MARKER stands for a
// line above the kind.
const crontabTypes = `// +groupName=stable.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func AddToScheme(*runtime.Scheme) error { return nil }

// +genclient
// MARKER
type CronTab struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `
}

type CronTabList struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata,omitempty\"`" + `
	Items           []CronTab ` + "`json:\"items\"`" + `
}
`

// writeCrontab writes the module of an API of one kind, and returns its directory.
func writeCrontab(t *testing.T, types string) string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), []byte("module example.com/api\n"))
	writeFile(t, filepath.Join(dir, "apis/stable/v1/types.go"), []byte(types))
	moduletest.Complete(t, dir)
	return dir
}

// TestSubcommandsWriteNothing checks that a subcommand with the flags of kubegen says what it does in place of
// writing files, which is what kubegen itself does.
func TestSubcommandsWriteNothing(t *testing.T) {
	dir := writeCrontab(t, crontabTypes)
	before := listFiles(t, dir)
	for _, c := range Kubegen.commands {
		if c.of == "" || c.maxArgs != anyNumber {
			continue
		}
		var stdout, stderr bytes.Buffer
		execute(t.Context(), Kubegen, []string{c.Name, "./apis/..."}, environment(t, dir), &stdout, &stderr)
		if after := listFiles(t, dir); !slices.Equal(before, after) {
			t.Fatalf("kubegen %s wrote files: %q\n%s%s", c.Name, after, &stdout, &stderr)
		}
	}
}
