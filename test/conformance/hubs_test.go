package conformance

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/apitest"
)

var (
	hubsSeed   = flag.Uint64("hubs", 1, "seed of the packages of TestMigrationHubs")
	hubsGroups = flag.Int("hub-groups", 3, "number of groups of TestMigrationHubs")
	hubsDir    = flag.String("hubs-dir", "", "directory in which TestMigrationHubs works and leaves what it generates; a temporary one by default")
)

// TestMigrationHubs generates conversions of random kinds with two versions, and the tests of these. The tests must
// pass. After a change in each kind that makes its conversion lose a field, they must name this field, and no other.
func TestMigrationHubs(t *testing.T) {
	const kinds = 12
	input := apitest.Versions(*hubsSeed, *hubsGroups, kinds)
	dir, bin := cmp.Or(*hubsDir, t.TempDir()), t.TempDir()
	if _, err := output(goCommand(filepath.Join("..", ".."), "build", "-o", bin, "./cmd/kubegen")); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		copyFile(t, filepath.Join(dir, file), filepath.Join("migration", file))
	}
	const module = "github.com/kubegen/kubegen/conversion"
	own, err := filepath.Abs(filepath.Join("..", "..", "conversion"))
	if err == nil {
		_, err = output(goCommand(dir, "mod", "edit", "-require="+module+"@v0.0.0", "-replace="+module+"="+own))
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range input.Files {
		writeText(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	generate := func() {
		t.Helper()
		cmd := exec.Command(filepath.Join(bin, "kubegen"), "--only", "conversion,deepcopy", "./apis/...")
		cmd.Dir, cmd.Env = dir, goEnv()
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("-hubs %d: %v: %s", *hubsSeed, err, head(string(said)))
		}
	}
	generate()
	if out, err := goCommand(dir, "test", "./apis/...").CombinedOutput(); err != nil {
		t.Fatalf("-hubs %d: nothing is lost, but the generated tests say: %s", *hubsSeed, head(string(out)))
	}
	want := map[string]bool{}
	lose := func(inGenerated bool) {
		for _, loss := range input.Losses {
			if strings.Contains(loss.File, "zz_generated") != inGenerated {
				continue
			}
			name := filepath.Join(dir, filepath.FromSlash(loss.File))
			content, err := os.ReadFile(name)
			text := string(content)
			if err != nil || strings.Count(text, loss.Old) != 1 {
				t.Fatalf("-hubs %d: %q is not once in %s", *hubsSeed, loss.Old, loss.File)
			}
			writeText(t, name, strings.Replace(text, loss.Old, loss.New, 1))
			_, kind, _ := strings.Cut(loss.Kind, " ")
			for version, paths := range map[string][]string{"v1": loss.V1, "v1beta1": loss.Beta} {
				for _, path := range paths {
					want[fmt.Sprintf("%s: %s.%s: %s%s", loss.Kind, version, kind, path, map[bool]string{true: " (given up)"}[loss.GivenUp])] = true
				}
			}
		}
	}
	lose(false)
	generate()
	lose(true)
	out, _ := goCommand(dir, "test", "-v", "./apis/...").CombinedOutput() // it fails
	found := lostFields(string(out))
	for _, one := range slices.Sorted(maps.Keys(found)) {
		whole := one
		for !want[whole] && strings.Contains(whole, ".") && !strings.HasSuffix(one, ")") { // a part of the field
			whole = whole[:strings.LastIndex(whole, ".")]
		}
		embeds := func(lost string) bool { return strings.HasPrefix(lost, one+".") } // a pointer to a struct that is empty now
		if found[whole] = true; !want[whole] && !slices.ContainsFunc(slices.Collect(maps.Keys(want)), embeds) {
			t.Errorf("-hubs %d: the generated test says wrongly that this is lost: %s", *hubsSeed, one)
		}
	}
	for _, one := range slices.Sorted(maps.Keys(want)) {
		if !found[one] {
			t.Errorf("-hubs %d: the generated test does not find that this is lost: %s", *hubsSeed, one)
		}
	}
	fmt.Printf("hubs: %d groups, %d losses found\n", *hubsGroups, len(input.Losses))
	if len(input.Losses) < *hubsGroups*kinds/2 {
		t.Errorf("-hubs %d: only %d kinds have versions that differ", *hubsSeed, len(input.Losses))
	}
}

// A loss in the output of generated tests.
var (
	lostKind    = regexp.MustCompile(`^=== RUN +TestGeneratedConversions/(\w+)`)
	lostField   = regexp.MustCompile(`: \*(\w+\.\w+) to \*\w+\.\w+ and back: (\S+) is lost: `)
	givenUp     = regexp.MustCompile(`: \*(\w+\.\w+): (\S+) is given up by a marker`)
	lostPackage = regexp.MustCompile(`^(?:FAIL|ok  )\texample.com/migration/(\S+)\t`)
)

// lostFields returns the losses that generated tests report, and the fields that markers give up, each with package,
// kind, version and path. It leaves out annotations, because what is kept in one of them depends on the fields that
// are lost.
func lostFields(out string) map[string]bool {
	found := map[string]bool{}
	kind := ""
	var inPackage []string // the losses, without the package, whose line comes last
	for line := range strings.Lines(out) {
		if m := lostKind.FindStringSubmatch(line); m != nil {
			kind = m[1]
		}
		if m := lostField.FindStringSubmatch(line); m != nil && m[2] != ".metadata.annotations" {
			inPackage = append(inPackage, fmt.Sprintf(" %s: %s: %s", kind, m[1], m[2]))
		}
		if m := givenUp.FindStringSubmatch(line); m != nil {
			inPackage = append(inPackage, fmt.Sprintf(" %s: %s: %s (given up)", kind, m[1], m[2]))
		}
		if m := lostPackage.FindStringSubmatch(line); m != nil {
			for _, one := range inPackage {
				found[m[1]+one] = true
			}
			inPackage = nil
		}
	}
	return found
}
