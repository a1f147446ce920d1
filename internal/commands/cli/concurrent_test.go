package cli

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// TestConcurrent runs several processes at once while the types change, and kills some. The next run always succeeds at
// once, generates the files for the current types, and leaves no other files behind.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	kubegen := filepath.Join(moduletest.Build(t, "kubegen"), "kubegen")
	dir := t.TempDir()
	moduletest.Write(t, dir, []byte("module example.com/api"))
	types := filepath.Join(dir, "apis", "stable", "v1", "types.go")
	texts := []string{kindsNamed("Foo", "Bar"), kindsNamed("Foo"), kindsNamed("Foo", "Baz"), strings.ReplaceAll(kindsNamed("Foo", "Bar"), "Bars", "Rods")}
	change := func(version int) { // like an editor, which leaves no half file
		writeFile(t, types+".new", []byte(texts[version]))
		if err := os.Rename(types+".new", types); err != nil {
			t.Fatal(err)
		}
	}
	command := func() (*exec.Cmd, *bytes.Buffer) {
		cmd, stderr := exec.Command(kubegen, "--with-deepcopy", "--with-register", "./apis/..."), &bytes.Buffer{}
		cmd.Dir, cmd.Stderr = dir, stderr
		return cmd, stderr
	}
	run := func() map[string]string {
		cmd, stderr := command()
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v\n%s", err, stderr)
		}
		files := readFiles(t, dir)
		delete(files, "apis/stable/v1/types.go")
		return files
	}
	var want []map[string]string
	for version := range texts {
		change(version)
		want = append(want, run())
	}
	late := regexp.MustCompile(`(?m)^kubegen: cannot (create|update|delete) .*: it was changed during the run; run the command again; no file was changed$`)
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	lost, killed := 0, 0
	for round := range 12 {
		killing := round%3 == 2
		type process struct {
			*exec.Cmd
			stderr *bytes.Buffer
			killed bool
		}
		var processes []*process
		for range 4 {
			change(random.IntN(len(texts)))
			cmd, stderr := command()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			processes = append(processes, &process{cmd, stderr, false})
			time.Sleep(time.Duration(random.IntN(150)) * time.Millisecond)
		}
		version := random.IntN(len(texts))
		change(version)
		if killing {
			time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
			for _, p := range processes[:2] {
				p.killed = p.Process.Kill() == nil
				killed++
			}
		}
		for _, p := range processes {
			switch err := p.Wait(); {
			case err == nil, p.killed:
			case late.MatchString(p.stderr.String()):
				lost++
			default:
				t.Errorf("seed %d, round %d: %v\n%s", seed, round, err, p.stderr)
			}
		}
		if got := run(); !maps.Equal(got, want[version]) {
			t.Errorf("seed %d, round %d: the files after the next run are wrong:\n%s", seed, round, mixture(got, want))
		}
	}
	t.Logf("%d processes were too late, %d killed", lost, killed)
}

// mixture says of which versions each file is.
func mixture(files map[string]string, versions []map[string]string) string {
	var b strings.Builder
	for name, text := range files {
		fmt.Fprintf(&b, "%s:", name)
		for i, version := range versions {
			if version[name] == text {
				fmt.Fprintf(&b, " %d", i)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// kindsNamed returns a file with types of kinds.
func kindsNamed(kinds ...string) string {
	text := "// +groupName=stable.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n"
	for _, kind := range kinds {
		text += strings.NewReplacer("KIND", kind, "'", "`").Replace(`
// +genclient
type KIND struct {
	metav1.TypeMeta   'json:",inline"'
	metav1.ObjectMeta 'json:"metadata"'
	KINDs             []string 'json:"KINDs"'
}

type KINDList struct {
	metav1.TypeMeta 'json:",inline"'
	metav1.ListMeta 'json:"metadata"'
	Items           []KIND 'json:"items"'
}
`)
	}
	return text
}
