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
	conversionsSeed   = flag.Uint64("conversions", 1, "seed of the packages of TestMigrationConversions")
	conversionsGroups = flag.Int("converted", 60, "number of pairs of packages of TestMigrationConversions")
	conversionsDir    = flag.String("conversions-dir", "", "directory in which TestMigrationConversions works and leaves what it generates; a temporary one by default")
)

// TestMigrationConversions generates functions that convert types of random packages, with conversion-gen and with
// gen-conversion. The exported functions must be the same, and must make the same objects of random ones. Without a
// hand-written function that a field needs, gen-conversion must refuse the field, and no other.
func TestMigrationConversions(t *testing.T) {
	bin := t.TempDir() + string(filepath.Separator)
	for _, build := range []*exec.Cmd{
		goCommand("migration", "build", "-o", bin, "k8s.io/code-generator/cmd/conversion-gen"),
		goCommand(filepath.Join("..", ".."), "build", "-o", bin, "./cmd/gen-conversion"),
	} {
		if _, err := output(build); err != nil {
			t.Fatal(err)
		}
	}
	input := apitest.Conversions(*conversionsSeed, *conversionsGroups)
	work := cmp.Or(*conversionsDir, t.TempDir())
	classic, ours := filepath.Join(work, "classic"), filepath.Join(work, "ours")
	generate := func(dir, tool string) (string, error) {
		cmd := exec.Command(bin+tool, "--output-file=zz_generated.conversion.go", "./apis/...")
		cmd.Dir, cmd.Env = dir, goEnv()
		said, err := cmd.CombinedOutput()
		return string(said), err
	}
	for dir, tool := range map[string]string{classic: "conversion-gen", ours: "gen-conversion"} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"go.mod", "go.sum"} {
			copyFile(t, filepath.Join(dir, file), filepath.Join("migration", file))
		}
		for name, text := range input.Files {
			writeText(t, filepath.Join(dir, filepath.FromSlash(name)), text)
		}
		if said, err := generate(dir, tool); err != nil {
			t.Fatalf("-conversions %d: %s: %v\n%s", *conversionsSeed, tool, err, head(said))
		}
	}
	if out, err := goCommand(ours, "build", "./apis/...").CombinedOutput(); err != nil {
		t.Fatalf("-conversions %d: gen-conversion: %s", *conversionsSeed, head(string(out)))
	}
	replaced := withoutErrors(t, classic, ours, "zz_generated.conversion.go")
	results := map[string]string{}
	for _, dir := range []string{classic, ours} {
		result, err := output(goCommand(dir, "run", "./check"))
		if err != nil {
			t.Fatalf("-conversions %d: %s: %v", *conversionsSeed, filepath.Base(dir), err)
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
		t.Errorf("-conversions %d: %d differences\n%s", *conversionsSeed, len(differences), strings.Join(differences, "\n"))
	}
	is, objects := strings.Split(results[ours], "\n"), 0
	for i, line := range strings.Split(results[classic], "\n") {
		if objects++; i >= len(is) || is[i] != line {
			t.Errorf("-conversions %d: conversion-gen and gen-conversion:\n%s\n%s", *conversionsSeed, line, is[min(i, len(is)-1)])
		}
	}
	refused := 0
	for _, needed := range input.Needed[:min(len(input.Needed), *conversionsGroups/2)] {
		file, text := filepath.Join(ours, filepath.FromSlash(needed.File)), input.Files[needed.File]
		renamed := strings.TrimSuffix(strings.TrimPrefix(needed.Text, "func "), "(")
		writeText(t, file, strings.ReplaceAll(text, needed.Text, "func other"+renamed+"("))
		said, err := generate(ours, "gen-conversion")
		errors := strings.Count(said, ": error: ")
		if err == nil || errors != 1 || !strings.Contains(said, "write func "+renamed+"(") {
			t.Errorf("-conversions %d: without %s, gen-conversion says %s", *conversionsSeed, renamed, said)
		}
		refused += errors
		writeText(t, file, text)
	}
	fmt.Printf("conversions: %d pairs of packages, %d exported symbols and %d objects compared, %d fields refused; conversion-gen's code does not compile in %d packages\n",
		*conversionsGroups, report.Symbols, objects, refused, replaced)
	if refused == 0 || replaced > *conversionsGroups/2 {
		t.Error("nothing is refused, or too many packages do not compile")
	}
}
