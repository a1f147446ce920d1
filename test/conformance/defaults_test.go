package conformance

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/apitest"
)

var (
	defaultsSeed     = flag.Uint64("defaults", 1, "seed of the packages of TestMigrationDefaults")
	defaultsPackages = flag.Int("defaulted", 200, "number of packages of TestMigrationDefaults")
	defaultsDir      = flag.String("defaults-dir", "", "directory in which TestMigrationDefaults works and leaves what it generates; a temporary one by default")
)

// TestMigrationDefaults generates functions that set defaults for random packages, with defaulter-gen and with
// gen-defaulter. The exported functions must be the same, and must set the same defaults in random objects, with the
// same calls in the same order.
func TestMigrationDefaults(t *testing.T) {
	bin := t.TempDir() + string(filepath.Separator)
	for _, build := range []*exec.Cmd{
		goCommand("migration", "build", "-o", bin, "k8s.io/code-generator/cmd/defaulter-gen"),
		goCommand(filepath.Join("..", ".."), "build", "-o", bin, "./cmd/gen-defaulter"),
	} {
		if _, err := output(build); err != nil {
			t.Fatal(err)
		}
	}
	input := apitest.Defaults(*defaultsSeed, *defaultsPackages)
	work := cmp.Or(*defaultsDir, t.TempDir())
	classic, ours := filepath.Join(work, "classic"), filepath.Join(work, "ours")
	for dir, tool := range map[string]string{classic: "defaulter-gen", ours: "gen-defaulter"} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"go.mod", "go.sum"} {
			copyFile(t, filepath.Join(dir, file), filepath.Join("migration", file))
		}
		for name, text := range input.Files {
			writeText(t, filepath.Join(dir, filepath.FromSlash(name)), text)
		}
		generate := exec.Command(bin+tool, "--output-file=zz_generated.defaults.go", "./apis/...")
		generate.Dir, generate.Env = dir, goEnv()
		if said, err := generate.CombinedOutput(); err != nil {
			t.Fatalf("-defaults %d: %s: %v\n%s", *defaultsSeed, tool, err, head(string(said)))
		}
	}
	if out, err := goCommand(ours, "build", "./apis/...").CombinedOutput(); err != nil {
		t.Fatalf("-defaults %d: gen-defaulter: %s", *defaultsSeed, head(string(out)))
	}
	replaced := withoutErrors(t, classic, ours, "zz_generated.defaults.go")
	results := map[string]string{}
	for _, dir := range []string{classic, ours} {
		result, err := output(goCommand(dir, "run", "./check"))
		if err != nil {
			t.Fatalf("-defaults %d: %s: %v", *defaultsSeed, filepath.Base(dir), err)
		}
		results[dir] = string(result)
	}
	want, err := Load(classic, "./apis/...")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Load(ours, "./apis/...")
	if err != nil {
		t.Fatal(err)
	}
	report := Compare(want, got)
	if differences := report.Differences(); len(differences) > 0 {
		t.Errorf("-defaults %d: %d differences\n%s", *defaultsSeed, len(differences), strings.Join(differences, "\n"))
	}
	is, objects, changed := strings.Split(results[ours], "\n"), 0, 0
	for i, line := range strings.Split(results[classic], "\n") {
		if i >= len(is) || is[i] != line {
			t.Errorf("-defaults %d: defaulter-gen: %s", *defaultsSeed, line)
			continue
		}
		if objects++; !strings.Contains(line, " 0 calls ") {
			changed++
		}
	}
	fmt.Printf("defaults: %d packages, %d exported symbols and %d kinds compared, functions are called for %d of these; defaulter-gen's code does not compile in %d packages\n",
		*defaultsPackages, report.Symbols, objects, changed, replaced)
	if changed < objects/5 || replaced > *defaultsPackages/4 {
		t.Error("too few functions are called, or too many packages do not compile")
	}
}

// withoutErrors replaces a file in packages of classic that do not compile by the file of ours, and returns the number
// of these packages. defaulter-gen cannot write code for slices of slices, and conversion-gen none for arrays, for
// example.
func withoutErrors(t *testing.T, classic, ours, name string) (replaced int) {
	t.Helper()
	for {
		out, err := goCommand(classic, "build", "./apis/...").CombinedOutput()
		if err == nil {
			return replaced
		}
		before := replaced
		for line := range strings.Lines(string(out)) {
			if pkg, ok := strings.CutPrefix(strings.TrimSpace(line), "# example.com/migration/"); ok {
				file := filepath.Join(filepath.FromSlash(pkg), name)
				copyFile(t, filepath.Join(classic, file), filepath.Join(ours, file))
				replaced++
			}
		}
		if replaced == before {
			t.Fatal(head(string(out)))
		}
	}
}
