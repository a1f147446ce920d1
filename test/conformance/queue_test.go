package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// TestQueue runs a program that prints the type of the queue in informers, by default and with the feature switched
// off. docs/informers.md says what it is with each release of client-go.
func TestQueue(t *testing.T) {
	dir := workDir(t)
	moduletest.Copy(t, dir, moduletest.Release(*release), "conformance")
	copyFile(t, filepath.Join(dir, "main.go"), filepath.Join("testdata", "queue", "main.go"))
	if _, err := output(goCommand(dir, "mod", "tidy")); err != nil { // the program needs less
		t.Fatal(err)
	}
	program := filepath.Join(dir, "queue")
	if _, err := output(goCommand(dir, "build", "-o", program, ".")); err != nil {
		t.Fatal(err)
	}
	off := "DeltaFIFO"
	if *release >= "v0.36" {
		off = "RealFIFO" // the feature is locked
	}
	for _, test := range []struct{ env, want string }{
		{"", "RealFIFO"},
		{"KUBE_FEATURE_InOrderInformers=true", "RealFIFO"},
		{"KUBE_FEATURE_InOrderInformers=false", off},
	} {
		cmd := goCommand(dir, "version")
		cmd.Path, cmd.Args, cmd.Env = program, []string{program}, append(os.Environ(), test.env)
		out, err := output(cmd)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(string(out)); got != test.want {
			t.Errorf("with %q client-go queues in a %s, want a %s", test.env, got, test.want)
		}
	}
}
