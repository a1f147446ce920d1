package cli

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/apitest"
	"github.com/kubegen/kubegen/internal/moduletest"
)

var predeclaredFlag = flag.Uint64("predeclared", 4, "seed of TestPredeclared")

// TestPredeclared generates code in packages that use predeclared names for something else. It compiles, or there is an
// error about the package.
//
//	go test ./internal/commands/cli -run TestPredeclared -args -predeclared 17
func TestPredeclared(t *testing.T) {
	conversions, defaults := apitest.Conversions(*predeclaredFlag, 30), apitest.Defaults(*predeclaredFlag, 60)
	shapes := map[string]string{"other/other.go": readText(t, "testdata/copies/other/other.go")}
	for seed := range uint64(16) {
		shapes[fmt.Sprintf("p%d/types.go", seed)], _ = apitest.Shapes(seed)
	}
	for _, test := range []struct {
		name, module, generators string
		files                    map[string]string
	}{
		{"conversions", "example.com/migration", "conversion,deepcopy", conversions.Files},
		{"defaults", "example.com/migration", "defaulter,deepcopy", defaults.Files},
		{"copies", "example.com/copies", "deepcopy", shapes},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := &predeclaredLab{t: t, short: testing.Short(), dir: t.TempDir(), module: test.module, names: map[string]string{}, refused: map[string]bool{}}
			l.write(test.files)
			for {
				var stderr bytes.Buffer
				args := []string{"--only", test.generators, "./..."}
				if execute(t.Context(), Kubegen, args, environment(t, l.dir), &bytes.Buffer{}, &stderr) != exitError {
					break
				}
				for line := range strings.Lines(stderr.String()) {
					if strings.Contains(line, ": error: ") {
						l.accept(line)
					}
				}
				if t.Failed() {
					return
				}
			}
			l.check()
			if t.Logf("%d of %d packages are refused", len(l.refused), len(l.names)); !l.refused[refusedDir] || len(l.refused) > len(l.names)/2 {
				t.Errorf("too many packages are refused, or %s is not", refusedDir)
			}
		})
	}
}

const (
	predeclaredFile = "zz.go"   // the file of a package that uses a predeclared name
	refusedDir      = "refused" // the directory of a package in every module, whose DeepCopy methods need new
)

// predeclaredLab is a module whose packages use predeclared names.
type predeclaredLab struct {
	t           *testing.T
	dir, module string
	short       bool
	dirs        map[string]bool   // of the packages
	names       map[string]string // the names, by the directory of the package
	refused     map[string]bool   // directories of packages that nothing is generated for
}

func readText(t *testing.T, name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// write writes the packages, and uses a predeclared name in each that still compiles then.
func (l *predeclaredLab) write(files map[string]string) {
	moduletest.Write(l.t, l.dir, []byte("module "+l.module))
	l.dirs = map[string]bool{}
	for name, text := range files {
		if path.Dir(name) != "check" {
			l.dirs[path.Dir(name)] = true
			writeFile(l.t, filepath.Join(l.dir, filepath.FromSlash(name)), []byte(text))
		}
	}
	writeFile(l.t, filepath.Join(l.dir, refusedDir, "types.go"), []byte("// +k8s:deepcopy-gen=package\npackage refused\n\ntype Text struct{ A []byte }\n"))
	writeFile(l.t, filepath.Join(l.dir, refusedDir, predeclaredFile), []byte("package refused\n\nfunc new() {}\n"))
	l.names[refusedDir] = "new"
	seed := *predeclaredFlag * 1000
	for _, dir := range slices.Sorted(maps.Keys(l.dirs)) {
		pkg := path.Base(dir)
		if strings.HasPrefix(pkg, "p") && l.module == "example.com/copies" {
			pkg = "p"
		}
		file := filepath.Join(l.dir, filepath.FromSlash(dir), predeclaredFile)
		if pkg != "v1" { // whose types are those of the package before, which they are converted to
			seed++
		}
		text, used := apitest.Predeclared(seed, pkg)
		before := l.mistakes(dir)
		writeFile(l.t, file, []byte(text))
		if l.mistakes(dir) == before {
			l.names[dir] = used
		} else if err := os.Remove(file); err != nil {
			l.t.Fatal(err)
		}
	}
}

// checker returns a checker of the module, without what it imports if tests must be short.
func (l *predeclaredLab) checker() *checker {
	check := newChecker()
	check.alone = l.short
	for dir := range l.dirs {
		check.dirs[path.Join(l.module, dir)] = filepath.Join(l.dir, filepath.FromSlash(dir))
	}
	return check
}

// mistakes returns why a package does not compile before code is generated.
func (l *predeclaredLab) mistakes(dir string) string {
	_, err := l.checker().Import(path.Join(l.module, dir))
	return fmt.Sprint(err)
}

// check reports packages that do not compile.
func (l *predeclaredLab) check() {
	check := l.checker()
	for _, importPath := range slices.Sorted(maps.Keys(check.dirs)) {
		if _, err := check.Import(importPath); err != nil {
			declared, _ := os.ReadFile(filepath.Join(check.dirs[importPath], predeclaredFile))
			l.t.Errorf("%s: %v\n%s", importPath, err, declared)
		}
	}
}

// accept reports an error that is not about a package that uses a predeclared name, or about one beside it, which may
// be converted to its types. It removes these uses.
func (l *predeclaredLab) accept(line string) {
	file, _, _ := strings.Cut(line, ":")
	found := false
	for dir := range l.names {
		if parent := path.Dir(dir); dir != path.Dir(file) && (parent != path.Dir(path.Dir(file)) || !strings.HasPrefix(parent, "apis/group")) {
			continue
		}
		found, l.refused[dir] = true, true
		if err := os.RemoveAll(filepath.Join(l.dir, filepath.FromSlash(dir), predeclaredFile)); err != nil {
			l.t.Fatal(err)
		}
	}
	if !found {
		l.t.Error(line)
	}
}
