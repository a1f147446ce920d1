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
	for _, command := range classicCommands(input) {
		for dir, tool := range map[string]string{b.classic: command[0], b.ours: ourTools[command[0]]} {
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

// classicCommands returns the command lines of the classic tools for a module.
func classicCommands(in *apitest.Module) [][]string {
	const out = "example.com/migration/out"
	var inputs, paths []string
	for _, dir := range in.Dirs {
		inputs, paths = append(inputs, strings.TrimPrefix(dir, "apis/")), append(paths, "example.com/migration/"+dir)
	}
	return [][]string{
		append([]string{"applyconfiguration-gen", "--output-dir", "out/apply", "--output-pkg", out + "/apply", "--external-applyconfigurations", strings.Join(in.Externals, ",")}, paths...),
		{"client-gen", "--output-dir", "out/clientset", "--output-pkg", out + "/clientset", "--clientset-name", "versioned", "--input-base", "example.com/migration/apis",
			"--apply-configuration-package", out + "/apply", "--input", strings.Join(inputs, ",")},
		append([]string{"lister-gen", "--output-dir", "out/listers", "--output-pkg", out + "/listers"}, paths...),
		append([]string{"informer-gen", "--output-dir", "out/informers", "--output-pkg", out + "/informers",
			"--versioned-clientset-package", out + "/clientset/versioned", "--listers-package", out + "/listers"}, paths...),
	}
}
