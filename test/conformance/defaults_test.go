package conformance

import (
	"cmp"
	"flag"
	"fmt"
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
	input := apitest.Defaults(*defaultsSeed, *defaultsPackages)
	of := fmt.Sprint("-defaults ", *defaultsSeed)
	b := newBothTools(
		t, of, cmp.Or(*defaultsDir, t.TempDir()), "k8s.io/code-generator/cmd/defaulter-gen", "./cmd/gen-defaulter", input.Files,
	)
	c := b.compare(t, "defaulter-gen", "gen-defaulter", "zz_generated.defaults.go")
	objects, changed := 0, 0
	for i, line := range c.theirs {
		if i >= len(c.results) || c.results[i] != line {
			t.Errorf("%s: defaulter-gen: %s", of, line)
			continue
		}
		if objects++; !strings.Contains(line, " 0 calls ") {
			changed++
		}
	}
	fmt.Printf("defaults: %d packages, %d exported symbols and %d kinds compared, functions are called for %d of these; defaulter-gen's code does not compile in %d packages\n",
		*defaultsPackages, c.symbols, objects, changed, c.replaced)
	if changed < objects/5 || c.replaced > *defaultsPackages/4 {
		t.Error("too few functions are called, or too many packages do not compile")
	}
}
