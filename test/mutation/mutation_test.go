package mutation

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	all     = flag.Bool("all", false, "try all mutants")
	sample  = flag.Int("sample", 300, "try as many mutants")
	seed    = flag.Uint64("seed", 1, "which mutants are in the sample")
	report  = flag.String("report", "", "write what became of each mutant into a file")
	pattern = flag.String("mutant", "", "try the mutants whose descriptions match the regular expression, and print what the tests say")
)

// TestMutants breaks the generated code of the CronTab example. Its tests must notice 95 % of the mutants, apart from
// those of equivalent.txt; the others are printed. A test that notices fails: one that only does not end is an error.
func TestMutants(t *testing.T) {
	dir, err := filepath.Abs("../../examples/crontab-types")
	if err != nil {
		t.Fatal(err)
	}
	p, err := load(dir, "./apis/...", "./generated/...")
	if err != nil {
		t.Fatal(err)
	}
	binary, mutants, left, err := p.build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	equivalent := readEquivalent(t, "equivalent.txt")
	known := map[string]bool{}
	for _, mutant := range mutants {
		known[mutant.String()] = true
	}
	for entry := range equivalent {
		if !known[entry] {
			t.Errorf("equivalent.txt: there is no mutant %s", entry)
		}
	}
	total := len(mutants)
	switch {
	case *pattern != "":
		matches := regexp.MustCompile(*pattern)
		mutants = slices.DeleteFunc(mutants, func(m change) bool { return !matches.MatchString(m.String()) })
	case !*all && *sample < total:
		random := rand.New(rand.NewPCG(*seed, *seed))
		random.Shuffle(total, func(i, j int) { mutants[i], mutants[j] = mutants[j], mutants[i] })
		mutants = mutants[:*sample]
		slices.SortFunc(mutants, func(a, b change) int { return a.id - b.id })
	}
	suite, err := record(t.Context(), binary, dir, runtime.NumCPU())
	if err != nil {
		t.Fatal(err)
	}
	results := make([]result, len(mutants))
	parallel(runtime.NumCPU(), len(mutants), func(i int) {
		results[i] = suite.try(t.Context(), mutants[i], equivalent[mutants[i].String()] != "")
	})

	noticed, same := 0, 0
	var lines strings.Builder
	for _, r := range results {
		fmt.Fprintf(&lines, "%s\n\treached %t, noticed %t, hung %t, after %v by one of %s\n", r, r.reached, r.noticed, r.hung, r.took.Round(time.Millisecond), r.by)
		switch reason := equivalent[r.String()]; {
		case r.noticed && reason != "":
			complain := t.Logf
			if *all { // which takes a quiet machine: on a busy one, tests also fail because their time is up
				complain = t.Errorf
			}
			complain("equivalent.txt: %s is noticed by one of %s", r, r.by)
		case r.hung:
			t.Errorf("not noticed by a test that fails, only by one that does not end: %s, by one of %s", r, r.by)
		case r.noticed:
			noticed++
		case reason != "":
			same++
		case !r.reached:
			t.Logf("not reached: %s", r)
		default:
			t.Logf("not noticed: %s", r)
		}
		if *pattern != "" {
			t.Logf("%s: noticed: %t, by one of %s\n%s", r, r.noticed, r.by, r.out)
		}
	}
	if *report != "" {
		if err := os.WriteFile(*report, []byte(lines.String()), 0o644); err != nil {
			t.Error(err)
		}
	}
	if others := len(mutants) - same; noticed*100 < others*95 && *pattern == "" {
		t.Errorf("%d of %d mutants are noticed, less than 95 %%", noticed, others)
	}
	t.Logf("seed %d: %d of %d mutants, %d equivalent, %d of %d others noticed; %d more do not compile",
		*seed, len(mutants), total, same, noticed, len(mutants)-same, left)
}

// readEquivalent reads mutants that change nothing: a line with a reason, and below it the mutants, indented.
func readEquivalent(t *testing.T, name string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	entries, reason := map[string]string{}, ""
	for line := range strings.Lines(string(text)) {
		switch entry, indented := strings.CutPrefix(strings.TrimRight(line, "\n"), "\t"); {
		case entry == "" || strings.HasPrefix(entry, "#"):
		case !indented:
			reason = entry
		case reason == "" || entries[entry] != "":
			t.Errorf("%s: %s has no reason, or two", name, entry)
		default:
			entries[entry] = reason
		}
	}
	return entries
}
