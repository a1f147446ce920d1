package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/source/load"
)

// Messages are coloured only on a terminal, and not if NO_COLOR is set or TERM is dumb.
func TestTerminal(t *testing.T) {
	dir := t.TempDir()
	moduletest.Write(t, dir, []byte("module example.com/api"))
	writeFile(t, filepath.Join(dir, "v1", "types.go"), []byte("// +groupName=example.com\npackage v1\n\n// +genclient:nonNamespace\ntype CronTab struct{}\n"))
	const place, text = "v1/types.go:4:4:", " unknown marker +genclient:nonNamespace"
	for _, test := range []struct{ term, noColor, want string }{
		{"xterm", "", "\x1b[1m" + place + "\x1b[0m \x1b[1;31merror:\x1b[0m" + text},
		{"xterm", "1", place + " error:" + text},
		{"dumb", "", place + " error:" + text},
	} {
		t.Setenv("TERM", test.term)
		control, screen := openTerminal(t)
		shown := make(chan string)
		go func() {
			text, _ := io.ReadAll(control) // ends with an error once the screen is closed and everything is read
			shown <- string(text)
		}()
		env := load.Environment{Dir: dir, Vars: append(os.Environ(), "NO_COLOR="+test.noColor)}
		code := execute(t.Context(), Kubegen, []string{"./..."}, env, io.Discard, screen)
		if err := screen.Close(); err != nil {
			t.Fatal(err)
		}
		got := <-shown
		if code != exitError || len(got) < len(test.want) || got[:len(test.want)] != test.want {
			t.Errorf("TERM=%s NO_COLOR=%s: exit code %d, %q, want %q", test.term, test.noColor, code, got, test.want)
		}
	}
}

// A run on a terminal ends with a line about its files, and a diff there has colors. Elsewhere, a run that succeeds
// prints nothing.
func TestTerminalSummary(t *testing.T) {
	t.Setenv("TERM", "xterm")
	dir := t.TempDir()
	moduletest.Write(t, dir, []byte("module example.com/api"))
	types := "// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +genclient\n" +
		"type CronTab struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n}\n\n" +
		"type CronTabList struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ListMeta `json:\"metadata\"`\n\tItems []CronTab `json:\"items\"`\n}\n"
	writeFile(t, filepath.Join(dir, "v1", "types.go"), []byte(types))
	for _, test := range []struct {
		args, noColor string
		want          []string
	}{
		{"", "", []string{"\nkubegen: 2 files written, 0 unchanged\n"}},
		{"", "", []string{"\nkubegen: 0 files written, 2 unchanged\n"}},
		{"--verify", "", []string{"\nkubegen: 2 files up to date\n"}},
		{"--format json", "", []string{"\n"}},
		{"--verify --boilerplate none.txt", "", []string{"\n\x1b[1mdiff --git a/", "\n\x1b[36m@@ ", "\n\x1b[32m+// none", "\nkubegen: 2 files are out of date"}},
		{"--verify --boilerplate none.txt", "1", []string{"\ndiff --git a/", "\n+// none"}},
		{"--boilerplate none.txt", "", []string{"\nkubegen: 2 files written, 0 unchanged\n"}},
	} {
		writeFile(t, filepath.Join(dir, "none.txt"), []byte("// none\n"))
		control, screen := openTerminal(t)
		shown := make(chan string)
		go func() {
			text, _ := io.ReadAll(control)
			shown <- string(text)
		}()
		env := load.Environment{Dir: dir, Vars: append(os.Environ(), "NO_COLOR="+test.noColor)}
		args := append(strings.Fields(test.args), "--only", "lister", "./...")
		execute(t.Context(), Kubegen, args, env, screen, screen)
		if err := screen.Close(); err != nil {
			t.Fatal(err)
		}
		got := "\n" + strings.ReplaceAll(<-shown, "\r\n", "\n")
		for _, want := range test.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: got %q, want %q in it", args, got, want)
			}
		}
		var quiet strings.Builder
		if code := execute(t.Context(), Kubegen, args, env, &quiet, &quiet); code == exitDone && quiet.String() != "" {
			t.Errorf("%s: got %q without a terminal", args, quiet.String())
		}
	}
}

// openTerminal returns the two ends of a new pseudoterminal (pty(7)).
func openTerminal(t *testing.T) (control, screen *os.File) {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { control.Close() })
	var number, locked int32
	for request, value := range map[uintptr]*int32{syscall.TIOCGPTN: &number, syscall.TIOCSPTLCK: &locked} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, control.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Fatal(errno)
		}
	}
	screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return control, screen
}
