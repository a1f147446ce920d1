package mutation

import (
	"context"
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

	"github.com/kubegen/kubegen/internal/moduletest"
)

var (
	all     = flag.Bool("all", false, "try all mutants")
	sample  = flag.Int("sample", 300, "try as many mutants")
	seed    = flag.Uint64("seed", 1, "which mutants are in the sample")
	report  = flag.String("report", "", "write what became of each mutant into a file")
	pattern = flag.String("mutant", "", "try the mutants whose descriptions match the regular expression, and print what the tests say")
)

// subjects are the programs that TestMutants breaks, with the directories of their tests.
var subjects = []struct {
	dir      string
	written  bool // all code is written by hand
	patterns []string
	tests    []string
}{
	{
		"examples/crontab-types", false, []string{"./apis/...", "./generated/..."},
		[]string{"examples/crontab-types", "examples/crontab-types/apis/stable/v1beta1"},
	},
	{"consistency", true, []string{"./..."}, []string{"consistency", "examples/crontab-types"}},
}

// candidate is a mutant, and the tests that may notice it.
type candidate struct {
	change
	suites []*suite
}

// try tries a mutant until one of the suites notices it.
func (c candidate) try(ctx context.Context, patient bool) (r result) {
	for _, s := range c.suites {
		before := r.reached
		r = s.try(ctx, c.change, patient)
		if r.reached = r.reached || before; r.noticed {
			break
		}
	}
	return r
}

// TestMutants breaks the generated code of the CronTab example, and the store of own writes. Tests must notice 95 % of
// the mutants, apart from those of equivalent.txt; the others are printed. A test that notices fails: one that only
// does not end is an error.
func TestMutants(t *testing.T) {
	var mutants []candidate
	left := 0
	for _, subject := range subjects {
		p, err := load(filepath.Join(moduletest.Root, subject.dir), subject.written, subject.patterns...)
		if err != nil {
			t.Fatal(err)
		}
		var dirs []string
		for _, dir := range subject.tests {
			dirs = append(dirs, filepath.Join(moduletest.Root, dir))
		}
		binaries, changes, others, err := p.build(t.TempDir(), dirs...)
		if err != nil {
			t.Fatal(err)
		}
		var suites []*suite
		for i, binary := range binaries {
			s, err := record(t.Context(), binary, dirs[i], runtime.NumCPU())
			if err != nil {
				t.Fatal(err)
			}
			suites = append(suites, s)
		}
		for _, of := range changes {
			mutants = append(mutants, candidate{of, suites})
		}
		left += others
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
		mutants = slices.DeleteFunc(mutants, func(m candidate) bool { return !matches.MatchString(m.String()) })
	case !*all && *sample < total:
		random := rand.New(rand.NewPCG(*seed, *seed))
		random.Shuffle(total, func(i, j int) { mutants[i], mutants[j] = mutants[j], mutants[i] })
		mutants = mutants[:*sample]
		slices.SortFunc(mutants, func(a, b candidate) int { return strings.Compare(a.String(), b.String()) })
	}
	results := make([]result, len(mutants))
	parallel(runtime.NumCPU(), len(mutants), func(i int) {
		results[i] = mutants[i].try(t.Context(), equivalent[mutants[i].String()] != "")
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
