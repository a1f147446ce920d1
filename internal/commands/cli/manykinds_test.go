package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// TestManyKinds generates the options for one kind for as many kinds as the compiler accepts in a union, and for one
// more.
func TestManyKinds(t *testing.T) {
	for n, want := range map[int]string{100: "\t*stablev1.Kind0 |\n", 101: "\truntime.Object\n"} {
		dir := t.TempDir()
		moduletest.Write(t, dir, []byte("module example.com/api"))
		text := &bytes.Buffer{}
		fmt.Fprint(text, "// +groupName=stable.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n")
		for i := range n {
			fmt.Fprintf(text, `
// +genclient
type Kind%[1]d struct {
	metav1.TypeMeta   %[2]s
	metav1.ObjectMeta %[3]s
}

type Kind%[1]dList struct {
	metav1.TypeMeta %[2]s
	metav1.ListMeta %[3]s
	Items []Kind%[1]d %[4]s
}
`, i, "`json:\",inline\"`", "`json:\"metadata\"`", "`json:\"items\"`")
		}
		writeFile(t, filepath.Join(dir, "apis", "stable", "v1", "types.go"), text.Bytes())
		t.Chdir(dir)
		var stdout, stderr bytes.Buffer
		if code := Main(Kubegen, []string{"--with-deepcopy", "--with-register", "--with-applyconfig=false", "./apis/..."}, &stdout, &stderr); code != exitDone {
			t.Fatalf("exit code %d:\n%s", code, stderr.String())
		}
		options, err := os.ReadFile("pkg/generated/informers/externalversions/options.go")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(options), want) {
			t.Errorf("the options for %d kinds do not have %q", n, want)
		}
		if !testing.Short() {
			typeCheck(t, dir)
		}
	}
}
