package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// completions are what a user types, with tabs, and the arguments that the command gets then.
var completions = [][2]string{
	{"kubegen li\t\n", "list"},
	{"kubegen lis\t./ap\tstab\tv\t\n", "list|./apis/stable/v1/"},
	{"kubegen --format=js\t--verif\t\n", "--format=json|--verify"},
	{"kubegen --only clientset,inf\t./apis/.\t\n", "--only|clientset,informer|./apis/..."},
	{"kubegen markers +genclient:noSt\t\n", "markers|+genclient:noStatus"},
	{"kubegen markers genclient:nonN\t\n", "markers|genclient:nonNamespaced"},
	{"kubegen --boilerplate hack/\t\n", "--boilerplate|hack/my header.txt"},
	{"kubegen completion fi\t\n", "completion|fish"},
}

// In real bash and zsh, on a terminal, where kubegen is a function as for modules that have it as a tool.
func TestTabs(t *testing.T) {
	const function = `kubegen() {
	if [[ $1 == __complete || $1 == completion && $2 == NAME ]]; then
		command kubegen "$@"
	else
		(IFS='|'; printf '\n[%s]\n' "$*") # on the terminal: all that is typed is there as well, but without brackets
	fi
}
`
	for _, shell := range []struct {
		name, rc, setup string
		args            []string
	}{
		{"bash", ".bashrc", "bind 'set enable-bracketed-paste off' 'set bell-style none'\n", []string{"--noprofile", "-i"}},
		{"zsh", ".zshrc", "unset zle_bracketed_paste\nunsetopt beep\nautoload -U compinit\ncompinit -D -u\n", []string{"-d", "-i"}},
	} {
		t.Run(shell.name, func(t *testing.T) {
			name, err := exec.LookPath(shell.name)
			if err != nil && shell.name != "bash" {
				t.Skip(shell.name + " is not installed")
			} else if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "apis", "stable", "v1", "types.go"), nil)
			writeFile(t, filepath.Join(dir, "hack", "my header.txt"), nil)
			writeFile(t, filepath.Join(dir, shell.rc), []byte(shell.setup+strings.ReplaceAll(function, "NAME", shell.name)+
				"source <(kubegen completion "+shell.name+")\nPS1='> '\nkubegen ready\n"))
			control, screen := openTerminal(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // for what would otherwise never end
			defer cancel()
			run := exec.CommandContext(ctx, name, shell.args...)
			run.Dir, run.Stdin, run.Stdout, run.Stderr = dir, screen, screen, screen
			run.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			run.Env = append(os.Environ(), "HOME="+dir, "ZDOTDIR="+dir, "TERM=vt100", "PATH="+kubegenCommand(t)+":"+os.Getenv("PATH"))
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			if err := screen.Close(); err != nil {
				t.Fatal(err)
			}
			shown := &terminalReader{r: control}
			if text, ok := shown.until("[ready]"); !ok {
				t.Fatalf("%s does not start:\n%s", shell.name, text)
			}
			for _, c := range completions {
				if _, err := io.WriteString(control, c[0]); err != nil {
					t.Fatal(err)
				}
				text, ok := shown.until("\n[", "]\r")
				if at := strings.LastIndex(text, "\n["); !ok || text[at+2:len(text)-2] != c[1] {
					t.Errorf("%q runs\n%s\nwant %s", c[0], text, c[1])
				}
				if !ok {
					break
				}
			}
			if _, err := io.WriteString(control, "exit\n"); err != nil {
				t.Error(err)
			}
			shown.until() // everything
			_ = run.Wait()
		})
	}
}

// terminalReader reads what is shown on a terminal.
type terminalReader struct {
	r    io.Reader
	read []byte // and not returned yet
}

// until returns what is shown up to the texts, in this order. If that ends before, all the rest is returned, and false.
func (t *terminalReader) until(texts ...string) (string, bool) {
	buffer := make([]byte, 4096)
	for {
		at, ok := 0, len(texts) > 0
		for _, text := range texts {
			i := bytes.Index(t.read[at:], []byte(text))
			if ok = i >= 0; !ok {
				break
			}
			at += i + len(text)
		}
		if ok {
			shown := string(t.read[:at])
			t.read = t.read[at:]
			return shown, true
		}
		n, err := t.r.Read(buffer)
		t.read = append(t.read, buffer[:n]...)
		if err != nil { // the shell has ended
			return string(t.read), false
		}
	}
}
