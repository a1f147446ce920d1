package conformance

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// clientDifferences are the differences between the exported API of generated clients and that of clients that modules
// publish. Each row has a reason, and is used by a module.
var clientDifferences = []struct {
	module  string // "" for all
	classic bool   // for --classic, or for imports without it
	pattern string
	reason  string
}{
	{"", false, `(was|changed from) .*k8s\.io/api/.*(, is| to) .*k8s\.io/client-go/applyconfigurations/`,
		"apply configurations have those of client-go for the types of k8s.io/api"},
	{"", false, `Interface\.(Get|Update)Scale: added$`, "+kubebuilder:subresource:scale adds methods"},
	{"knative.dev/serving", false, `PodScalables: added$`, "a kind without +genclient"},
	{"knative.dev/serving", true, `PodScalables: added$`, "a kind without +genclient"},
	{"sigs.k8s.io/kueue", false, emptyClient, "the version has no kinds"},
	{"sigs.k8s.io/kueue", true, emptyClient, "the version has no kinds"},
}

// ruleDifferences are the differences between the merge rules that follow from types and those that modules publish,
// which applyconfiguration-gen has taken from OpenAPI documents.
var ruleDifferences = []struct{ pattern, reason string }{
	{`, default of field `, "the documents lack the defaults of +kubebuilder:default, which API servers take from the manifests"},
	{`resource\.Quantity: was "scalar: string`, "applyconfiguration-gen does not know this type by a reversed name"},
}

const emptyClient = `KueueV1alpha1\b|/kueue/v1alpha1(/fake)?$`

// option returns the value of an option [key=value] of a module.
func (m importedModule) option(key string) string {
	for _, option := range m.options {
		if value, ok := strings.CutPrefix(option, key+"="); ok {
			return value
		}
	}
	return ""
}

// TestGoPackagesClients imports the packages of public modules that publish their own clients, for the release of
// client-go that these require. The exported API must be the same, with --classic and without, except for
// clientDifferences.
func TestGoPackagesClients(t *testing.T) {
	kubegen := buildKubegen(t)
	used := make([]bool, len(clientDifferences))
	modules, symbols, allowed := 0, 0, 0
	for _, m := range importedModules(t, "clients.txt") {
		t.Run(m.path, func(t *testing.T) {
			dir, own := t.TempDir(), t.TempDir()
			publisher := cmp.Or(m.option("module"), m.path+"@"+m.version)
			writeFile(t, filepath.Join(own, "go.mod"), []byte("module example.com/imports\n\ngo 1.24.0\n"))
			goModuleRun(t, own, "get", m.path+"@"+m.version, publisher)
			publisher, _, _ = strings.Cut(publisher, "@")
			copyClients(t, own, publisher, m)
			goModuleRun(t, own, "mod", "tidy")
			want, err := LoadSource(own, "./...")
			if err != nil {
				t.Fatal(head(err.Error()))
			}
			release, err := output(goCommand(own, "list", "-m", "-f", "{{.Version}}", "k8s.io/client-go"))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range []string{"go.mod", "go.sum"} {
				copyFile(t, filepath.Join(dir, file), filepath.Join(own, file))
			}
			for _, classic := range []bool{false, true} {
				args := []string{"import", "--output-dir", "client", fmt.Sprintf("--classic=%t", classic)}
				if _, err := os.Stat(filepath.Join(own, "client", "applyconfiguration")); errors.Is(err, fs.ErrNotExist) {
					args = append(args, "--with-applyconfig=false")
				}
				if names := m.option("externals"); names != "" && classic {
					args = append(args, "--applyconfig-externals", external.ReplaceAllString(names, "k8s.io/api/$1.$2:k8s.io/client-go/applyconfigurations/$1"))
				}
				cmd := exec.Command(kubegen, slices.Concat(args, m.patterns)...)
				cmd.Dir, cmd.Env = dir, goEnv()
				if _, err := output(cmd); err != nil {
					t.Fatal(err)
				}
				goModuleRun(t, dir, "mod", "tidy")
				got, err := LoadSource(dir, "./...")
				if err != nil {
					t.Error(head(err.Error()))
				}
				report := Compare(want, got)
				differences := slices.DeleteFunc(report.Differences(), func(difference string) bool {
					for i, d := range clientDifferences {
						if (d.module == "" || d.module == m.path) && d.classic == classic && regexp.MustCompile(d.pattern).MatchString(difference) {
							used[i] = true
							allowed++
							return true
						}
					}
					return false
				})
				if len(differences) > 0 {
					t.Errorf("%s: %d differences\n%s", strings.Join(args, " "), len(differences), head(strings.Join(differences, "\n")))
				}
				t.Logf("client-go %s, classic %t: %s", strings.TrimSpace(string(release)), classic, report)
				if !slices.Contains(args, "--with-applyconfig=false") {
					compareRules(t, filepath.Join(own, "client", "applyconfiguration"), filepath.Join(dir, "client", "applyconfiguration"))
				}
				if !classic {
					modules, symbols = modules+1, symbols+report.Symbols
				}
			}
		})
	}
	for i, d := range clientDifferences {
		if *allModules && *oneModule == "" && !used[i] {
			t.Errorf("no module has the difference %s %q any more", d.module, d.pattern)
		}
	}
	fmt.Printf("gopackages: clients of %d public modules have the exported API of those that the modules publish: %d symbols, %d differences for known reasons\n", modules, symbols, allowed)
}

var reversedName = regexp.MustCompile(`(?m)((?:name|namedType): )(\S+\.k8s\.io)$`)

// compareRules compares the merge rules of two directories of apply configurations, unless there are none in the first.
// Some modules publish the names of the types of Kubernetes with the labels in reverse order.
func compareRules(t *testing.T, published, generated string) {
	t.Helper()
	want, err := EmbeddedSchema(published)
	if err != nil {
		t.Fatal(err)
	}
	got, err := EmbeddedSchema(generated)
	if err != nil {
		t.Fatal(err)
	}
	want = reversedName.ReplaceAllStringFunc(want, func(line string) string {
		key, name, _ := strings.Cut(line, ": ")
		labels := strings.Split(name, ".")
		slices.Reverse(labels)
		return key + ": " + strings.Join(labels, ".")
	})
	report, err := CompareSchemas(want, got)
	if err != nil {
		t.Fatal(err)
	}
	if report.Fields == 0 {
		return
	}
	t.Logf("merge rules: %s", report)
	for _, difference := range report.Differences {
		known := slices.ContainsFunc(ruleDifferences, func(d struct{ pattern, reason string }) bool {
			return regexp.MustCompile(d.pattern).MatchString(difference)
		})
		if !known {
			t.Errorf("merge rules: %s", difference)
		}
	}
}

// goModuleRun runs a go command that may change go.mod and go.sum in dir.
func goModuleRun(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := goCommand(dir, args...)
	cmd.Env = append(cmd.Env, "GOFLAGS=-mod=mod -buildvcs=false")
	if _, err := output(cmd); err != nil {
		t.Fatal(err)
	}
}

var external = regexp.MustCompile(`([\w/]+)\.(\w+)`)

var applyConfiguration = regexp.MustCompile(`(?m)^type (\w+ApplyConfiguration) struct`)

// copyClients copies the clients that a module publishes to the directories of a module in which kubegen writes
// imports. Apply configurations that ForKind does not return are from an earlier release of the module: the classic
// tools remove no files.
func copyClients(t *testing.T, dir, module string, m importedModule) {
	t.Helper()
	from, err := ModuleDir(dir, module)
	if err != nil {
		t.Fatal(err)
	}
	trees := [][2]string{
		{cmp.Or(m.option("clientset"), path.Join(m.option("client"), "clientset/versioned")), "client/clientset/versioned"},
		{path.Join(m.option("client"), "informers/externalversions"), "client/informers/externalversions"},
		{path.Join(m.option("client"), "listers"), "client/listers"},
		{cmp.Or(m.option("apply"), path.Join(m.option("client"), "applyconfiguration")), "client/applyconfiguration"},
	}
	var paths []string
	for _, tree := range trees {
		for _, end := range []string{"/", `"`} {
			paths = append(paths, `"`+path.Join(module, tree[0])+end, `"example.com/imports/`+tree[1]+end)
		}
	}
	rename := strings.NewReplacer(paths...)
	forKind, _ := os.ReadFile(filepath.Join(from, trees[3][0], "utils.go"))
	for i, tree := range trees {
		from := filepath.Join(from, tree[0])
		err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			version := filepath.Base(filepath.Dir(name))
			if declared := applyConfiguration.FindSubmatch(text); declared != nil && !strings.Contains(string(forKind), version+"."+string(declared[1])+"{}") {
				return nil
			}
			target := filepath.Join(dir, tree[1], strings.TrimPrefix(name, from))
			if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
				return err
			}
			return os.WriteFile(target, []byte(rename.Replace(string(text))), 0o644)
		})
		if err != nil && (i < 3 || !errors.Is(err, fs.ErrNotExist)) { // not all modules have apply configurations
			t.Fatal(err)
		}
	}
}
