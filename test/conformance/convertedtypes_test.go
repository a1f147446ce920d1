package conformance

import (
	"cmp"
	"flag"
	"fmt"
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
	input := apitest.Conversions(*conversionsSeed, *conversionsGroups)
	of := fmt.Sprint("-conversions ", *conversionsSeed)
	b := newBothTools(
		t, of, cmp.Or(*conversionsDir, t.TempDir()), "k8s.io/code-generator/cmd/conversion-gen", "./cmd/gen-conversion", input.Files,
	)
	const generated = "zz_generated.conversion.go"
	c := b.compare(t, "conversion-gen", "gen-conversion", generated)
	objects := 0
	for i, line := range c.theirs {
		if objects++; i >= len(c.results) || c.results[i] != line {
			t.Errorf("%s: conversion-gen and gen-conversion:\n%s\n%s", of, line, c.results[min(i, len(c.results)-1)])
		}
	}
	refused := 0
	for _, needed := range input.Needed[:min(len(input.Needed), *conversionsGroups/2)] {
		file, text := filepath.Join(b.ours, filepath.FromSlash(needed.File)), input.Files[needed.File]
		renamed := strings.TrimSuffix(strings.TrimPrefix(needed.Text, "func "), "(")
		writeText(t, file, strings.ReplaceAll(text, needed.Text, "func other"+renamed+"("))
		said, err := b.run(b.ours, "gen-conversion", "--output-file="+generated, "./apis/...")
		errors := strings.Count(said, ": error: ")
		if err == nil || errors != 1 || !strings.Contains(said, "write func "+renamed+"(") {
			t.Errorf("%s: without %s, gen-conversion says %s", of, renamed, said)
		}
		refused += errors
		writeText(t, file, text)
	}
	fmt.Printf("conversions: %d pairs of packages, %d exported symbols and %d objects compared, %d fields refused; conversion-gen's code does not compile in %d packages\n",
		*conversionsGroups, c.symbols, objects, refused, c.replaced)
	if refused == 0 || c.replaced > *conversionsGroups/2 {
		t.Error("nothing is refused, or too many packages do not compile")
	}
}
