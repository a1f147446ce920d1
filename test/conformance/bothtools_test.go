package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// bothTools runs a tool of k8s.io/code-generator and the command that replaces it on the same random module, in a
// directory each.
type bothTools struct {
	of            string // the flag with the seed, and its value, for messages
	bin           string // directory of the tools, with a separator at the end
	classic, ours string // directories
}

// newBothTools builds tools, each from the packages that a pattern matches, and writes a module into two directories
// below one.
func newBothTools(t *testing.T, of, work, tools, commands string, files map[string]string) *bothTools {
	t.Helper()
	b := &bothTools{
		of: of, bin: t.TempDir() + string(filepath.Separator), classic: filepath.Join(work, "classic"), ours: filepath.Join(work, "ours"),
	}
	for _, build := range []*exec.Cmd{
		goCommand("migration", "build", "-o", b.bin, tools),
		goCommand(filepath.Join("..", ".."), "build", "-o", b.bin, commands),
	} {
		if _, err := output(build); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{b.classic, b.ours} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"go.mod", "go.sum"} {
			copyFile(t, filepath.Join(dir, file), filepath.Join("migration", file))
		}
		for name, text := range files {
			writeText(t, filepath.Join(dir, filepath.FromSlash(name)), text)
		}
	}
	return b
}

// run runs a tool in a directory, and returns what it prints.
func (b *bothTools) run(dir, tool string, args ...string) (string, error) {
	cmd := exec.Command(b.bin+tool, args...)
	cmd.Dir, cmd.Env = dir, goEnv()
	said, err := cmd.CombinedOutput()
	return string(said), err
}

// mustRun is like run for a tool that must succeed.
func (b *bothTools) mustRun(t *testing.T, dir, tool string, args ...string) {
	t.Helper()
	if said, err := b.run(dir, tool, args...); err != nil {
		t.Fatalf("%s: %s: %v\n%s", b.of, tool, err, head(said))
	}
}

// comparison is the result of compare.
type comparison struct {
	replaced        int      // packages in which the classic tool's code does not compile
	symbols         int      // exported ones
	theirs, results []string // the lines that the program prints with the code of either tool
}

// compare generates a file in the packages below apis with both tools. The exported declarations must be the same. Then
// it runs the program in the directory check with the code of each.
func (b *bothTools) compare(t *testing.T, classic, ours, file string) (c comparison) {
	t.Helper()
	for dir, tool := range map[string]string{b.classic: classic, b.ours: ours} {
		b.mustRun(t, dir, tool, "--output-file="+file, "./apis/...")
	}
	if out, err := goCommand(b.ours, "build", "./apis/...").CombinedOutput(); err != nil {
		t.Fatalf("%s: %s: %s", b.of, ours, head(string(out)))
	}
	c.replaced = b.withoutErrors(t, file)
	for dir, lines := range map[string]*[]string{b.classic: &c.theirs, b.ours: &c.results} {
		result, err := output(goCommand(dir, "run", "./check"))
		if err != nil {
			t.Fatalf("%s: %s: %v", b.of, filepath.Base(dir), err)
		}
		*lines = strings.Split(string(result), "\n")
	}
	want, err := Load(b.classic, "./apis/...")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Load(b.ours, "./apis/...")
	if err != nil {
		t.Fatal(err)
	}
	report := Compare(want, got)
	if differences := report.Differences(); len(differences) > 0 {
		t.Errorf("%s: %d differences\n%s", b.of, len(differences), strings.Join(differences, "\n"))
	}
	c.symbols = report.Symbols
	return c
}

// withoutErrors replaces a file in packages of classic that do not compile by the file of ours, and returns the number
// of these packages. defaulter-gen cannot write code for slices of slices, and conversion-gen none for arrays, for
// example.
func (b *bothTools) withoutErrors(t *testing.T, name string) (replaced int) {
	t.Helper()
	for {
		out, err := goCommand(b.classic, "build", "./apis/...").CombinedOutput()
		if err == nil {
			return replaced
		}
		before := replaced
		for line := range strings.Lines(string(out)) {
			if pkg, ok := strings.CutPrefix(strings.TrimSpace(line), "# example.com/migration/"); ok {
				file := filepath.Join(filepath.FromSlash(pkg), name)
				copyFile(t, filepath.Join(b.classic, file), filepath.Join(b.ours, file))
				replaced++
			}
		}
		if replaced == before {
			t.Fatal(head(string(out)))
		}
	}
}
