package conformance

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var copiedValues = flag.Int("values", 3, "how many values of each type TestDeepCopy copies")

// copied are the modules whose DeepCopy methods are replaced, in the versions that migration/go.mod requires. Some
// methods are deepcopy-gen's, others controller-gen's.
var copied = []string{
	"github.com/cert-manager/cert-manager",
	"k8s.io/api",
	"k8s.io/apiextensions-apiserver",
	"k8s.io/apimachinery",
	"k8s.io/kube-aggregator",
	"sigs.k8s.io/gateway-api",
}

// ownTests are the packages of these modules whose tests are run: those with DeepCopy methods, and those that fuzz,
// convert, default or validate their types. The other tests need an API server, or have nothing to do with the types;
// those of cert-manager's configuration of the controller need over a hundred modules more.
var ownTests = map[string][]string{
	"github.com/cert-manager/cert-manager": {
		"./internal/apis/acme/...", "./internal/apis/certmanager/...", "./internal/apis/config/cainjector/...", "./internal/apis/config/shared/...",
		"./internal/apis/config/webhook/...", "./internal/apis/meta/...", "./pkg/apis/...",
	},
	"k8s.io/api":                     {"./..."},
	"k8s.io/apiextensions-apiserver": {"./pkg/apis/...", "./pkg/apiserver/schema/..."},
	"k8s.io/apimachinery":            {"./pkg/api/...", "./pkg/apis/...", "./pkg/labels", "./pkg/runtime/...", "./pkg/test", "./pkg/watch"},
	"k8s.io/kube-aggregator":         {"./pkg/apis/..."},
	"sigs.k8s.io/gateway-api":        {"./apis/...", "./pkg/..."},
}

const deepCopyFile = "zz_generated.deepcopy.go"

// deepCopyMethod matches one of the two methods that a generated file can complete.
var deepCopyMethod = regexp.MustCompile(`(?m)^func \(in \*?(\w+)\) DeepCopy(?:Into)?\(`)

// TestDeepCopy replaces the DeepCopy methods of public APIs with kubegen's. The exported methods must be the same,
// and so must be the copies of random values, which must share no memory with their originals. Copies that are wrong
// before and after are those of methods written by hand; the log has them. Then the modules' own tests must pass, with
// -modules of all modules, else of two small ones.
func TestDeepCopy(t *testing.T) {
	work := workDir(t)
	bin := filepath.Join(work, "gen-deepcopy")
	if _, err := output(goCommand(filepath.Join("..", ".."), "build", "-o", bin, "./cmd/gen-deepcopy")); err != nil {
		t.Fatal(err)
	}
	was, is := filepath.Join(work, "was"), filepath.Join(work, "is")
	for _, dir := range []string{was, is} {
		for _, file := range []string{"go.mod", "go.sum", "copies/main.go", "copies/values.go"} {
			copyFile(t, filepath.Join(dir, file), filepath.Join("migration", file))
		}
	}
	originals := make([]string, len(copied))
	var packages, visible []string
	types := 0
	imports, table := &bytes.Buffer{}, &bytes.Buffer{}
	for i, module := range copied {
		var err error
		if originals[i], err = ModuleDir("migration", module); err != nil {
			t.Fatal(err)
		}
		ours := filepath.Join(work, strconv.Itoa(i))
		if err := CopyModule(ours, originals[i]); err != nil {
			t.Fatal(err)
		}
		if _, err := output(goCommand(is, "mod", "edit", "-replace", module+"="+ours)); err != nil {
			t.Fatal(err)
		}
		err = fs.WalkDir(os.DirFS(ours), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && d.Name() == "testdata" {
				return fs.SkipDir
			}
			if d.Name() != deepCopyFile {
				return nil
			}
			text, err := os.ReadFile(filepath.Join(ours, name))
			if err != nil {
				return err
			}
			pkg := path.Join(module, path.Dir(name))
			packages = append(packages, pkg)
			if !strings.Contains("/"+pkg+"/", "/internal/") {
				visible = append(visible, pkg)
				fmt.Fprintf(imports, "\tp%d %q\n", len(visible), pkg)
				var names []string
				for _, match := range deepCopyMethod.FindAllSubmatch(text, -1) {
					names = append(names, string(match[1]))
				}
				for _, name := range slices.Compact(names) {
					fmt.Fprintf(table, "\t\treflect.TypeFor[p%d.%s](),\n", len(visible), name)
					types++
				}
			}
			return os.Remove(filepath.Join(ours, name))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	source := fmt.Sprintf("package main\n\nimport (\n\t\"reflect\"\n\n%s)\n\nfunc init() {\n\tall = append(all,\n%s\t)\n}\n", imports, table)
	for _, dir := range []string{was, is} {
		writeText(t, filepath.Join(dir, "copies", "types.go"), source)
	}
	generate := exec.Command(bin, packages...)
	generate.Dir, generate.Env = is, goEnv()
	if _, err := output(generate); err != nil {
		t.Fatal(err)
	}
	if _, err := output(goCommand(is, append([]string{"build"}, packages...)...)); err != nil {
		t.Fatal(err)
	}

	before, err := Load(was, visible...)
	if err != nil {
		t.Fatal(err)
	}
	after, err := Load(is, visible...)
	if err != nil {
		t.Fatal(err)
	}
	report := Compare(before, after)
	for _, difference := range slices.Concat(report.Differences(), prefixed("added ", report.Added)) {
		t.Error(difference)
	}

	copies := func(dir string) []string {
		out, err := output(goCommand(dir, "run", "./copies", "-values", strconv.Itoa(*copiedValues)))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(out)), "\n")
	}
	wanted, got := copies(was), copies(is)
	equal := 0
	for _, line := range got {
		switch mistake := strings.HasPrefix(line, "wrong ") || strings.HasPrefix(line, "shared "); {
		case !slices.Contains(wanted, line):
			t.Errorf("not as before: %s", line)
		case mistake:
			t.Logf("as before: %s", line)
		default:
			equal++
		}
	}
	if equal != types {
		t.Errorf("the copies of %d types are equal, of %d", equal, types)
	}
	fmt.Printf("conformance DeepCopy: %s; copies of %d values of %d types compared\n", report, types**copiedValues, types)

	for i, module := range copied {
		if !*allModules && module != "k8s.io/kube-aggregator" && module != "sigs.k8s.io/gateway-api" {
			continue
		}
		ours := filepath.Join(work, strconv.Itoa(i))
		replaceEqual(t, ours, is)
		list := append([]string{"list", "-find", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}"}, ownTests[module]...)
		tested, err := output(goCommand(ours, list...))
		if err != nil {
			t.Error(err)
			continue
		}
		packages := strings.Fields(string(tested))
		fmt.Printf("conformance DeepCopy: tests of %d packages of %s: %s\n",
			len(packages), module, compareTests(t, originals[i], ours, ours+"-original", packages...))
	}
}

// replaceEqual makes the module in dir use what the one in other uses instead of modules, as far as both require the
// same version.
func replaceEqual(t *testing.T, dir, other string) {
	t.Helper()
	type module struct{ Path, Version string }
	type goMod struct {
		Require []module
		Replace []struct{ Old, New module }
	}
	read := func(dir string) (mod goMod) {
		text, err := output(goCommand(dir, "mod", "edit", "-json"))
		if err == nil {
			err = json.Unmarshal(text, &mod)
		}
		if err != nil {
			t.Fatal(err)
		}
		return mod
	}
	mod, from := read(dir), read(other)
	for _, r := range from.Replace {
		i := slices.IndexFunc(mod.Require, func(m module) bool { return m.Path == r.Old.Path })
		if i < 0 || !slices.Contains(from.Require, mod.Require[i]) {
			continue
		}
		to, err := filepath.Rel(dir, r.New.Path) // always the same, so that the go command can reuse results
		if err != nil {
			t.Fatal(err)
		}
		if _, err := output(goCommand(dir, "mod", "edit", "-replace", r.Old.Path+"="+filepath.ToSlash(to))); err != nil {
			t.Fatal(err)
		}
	}
}
