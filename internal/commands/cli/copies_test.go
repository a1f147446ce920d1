package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/apitest"
)

var copiesFlag = flag.Uint64("copies", 4, "TestRandomCopies copies values of so many packages of types")

// TestRandomCopies generates DeepCopy methods for types of random shapes, compiles them, and runs them: copies must
// equal their originals, and share no memory with them.
//
//	go test ./internal/commands/cli -run TestRandomCopies -args -copies 50
func TestRandomCopies(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it builds a program and runs it")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/copies")); err != nil {
		t.Fatal(err)
	}
	imports, all := &strings.Builder{}, &strings.Builder{}
	for seed := range *copiesFlag {
		text, copied := apitest.Shapes(seed)
		name := fmt.Sprint("p", seed)
		writeFile(t, filepath.Join(dir, name, "types.go"), []byte(text))
		fmt.Fprintf(imports, "\t%s \"example.com/copies/%[1]s\"\n", name)
		fmt.Fprintf(all, "\tshapes[\"example.com/copies/%s\"] = reflect.TypeFor[%[1]s.Square]()\n", name)
		for _, typ := range copied {
			fmt.Fprintf(all, "\tall = append(all, reflect.TypeFor[%s.%s]())\n", name, typ)
		}
	}
	writeFile(t, filepath.Join(dir, "check", "types.go"), fmt.Appendf(nil, "package main\n\nimport (\n\t\"reflect\"\n\n%s)\n\nfunc init() {\n%s}\n", imports, all))
	var stdout, stderr bytes.Buffer
	env := environment(t, dir)
	if code := execute(t.Context(), GenDeepCopy, []string{"./..."}, env, &stdout, &stderr); code != exitDone || stderr.Len() > 0 {
		t.Fatalf("exit code %d\n%s", code, stderr.String())
	}
	run := exec.Command("go", "run", "./check")
	run.Dir = dir
	out, err := run.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
