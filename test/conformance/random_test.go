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
	switchSeed     = flag.Uint64("switch", 1, "seed of the packages of TestMigrationRandom")
	switchPackages = flag.Int("packages", 24, "number of packages of TestMigrationRandom")
	switchDir      = flag.String("dir", "", "directory in which TestMigrationRandom works and leaves what it generates; a temporary one by default")
)

// TestMigrationRandom generates code for random packages with the tools of k8s.io/code-generator and with the
// commands that replace them. The exported API must be the same.
func TestMigrationRandom(t *testing.T) {
	input := apitest.Migration(*switchSeed, *switchPackages)
	b := newBothTools(t, fmt.Sprint("-switch ", *switchSeed), cmp.Or(*switchDir, t.TempDir()), "tool", "./cmd/...", input.Files)
	for _, command := range ClassicCommands(input) {
		for dir, tool := range map[string]string{b.classic: command[0], b.ours: OurTools[command[0]]} {
			b.mustRun(t, dir, tool, command[1:]...)
		}
	}
	want, _ := Load(b.classic, "./out/...") // some packages do not compile
	got, err := Load(b.ours, "./out/...")
	if err != nil {
		t.Errorf("-switch %d: %s", *switchSeed, head(err.Error()))
	}
	report := Compare(below(want, "example.com/migration/out/"), below(got, "example.com/migration/out/"))
	if differences := report.Differences(); len(differences) > 0 {
		t.Errorf("-switch %d: %d differences\n%s", *switchSeed, len(differences), strings.Join(differences, "\n"))
	}
	fmt.Printf("random packages: %d packages, %d exported symbols compared\n", *switchPackages, report.Symbols)
	if report.Symbols == 0 {
		t.Error("nothing was compared")
	}
}
