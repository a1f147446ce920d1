package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// withSchemeBuilder are modules whose packages register their types with controller-runtime's scheme builder.
var withSchemeBuilder = []string{
	"github.com/fluxcd/helm-controller/api@v1.3.0",
	"github.com/fluxcd/image-reflector-controller/api@v0.35.2",
	"github.com/fluxcd/notification-controller/api@v1.6.0",
	"github.com/fluxcd/source-controller/api@v1.6.2",
}

// probe prints the types that packages register. It refers to what callers of these packages use.
const probe = `package main

import (
	"fmt"
	"sort"

	"k8s.io/apimachinery/pkg/runtime"

%s)

func main() {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{%s} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	var lines []string
	for gvk, typ := range scheme.AllKnownTypes() {
		lines = append(lines, fmt.Sprint(gvk, typ))
	}
	sort.Strings(lines)
	for _, line := range lines {
		fmt.Println(line)
	}
	for _, gvk := range []any{%s} {
		fmt.Println(gvk)
	}
}
`

// TestMigrationSchemeBuilder runs kubegen --with-register, which warns, deletes what it warns of, and runs it again.
// The same types are registered, callers compile, and the module does not require controller-runtime any longer. In the
// second half, only the variables are deleted, and the calls of SchemeBuilder.Register remain.
func TestMigrationSchemeBuilder(t *testing.T) {
	tool := buildKubegen(t)
	for _, module := range withSchemeBuilder {
		for _, calls := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s,calls=%t", module, calls), func(t *testing.T) {
				dir := t.TempDir()
				listed, err := output(goCommand(dir, "mod", "download", "-json", module))
				if err != nil {
					t.Fatal(err)
				}
				var at struct{ Dir, Path string }
				if err := json.Unmarshal(listed, &at); err != nil {
					t.Fatal(err)
				}
				copyWritable(t, dir, at.Dir)
				packages := writeProbe(t, dir, at.Path)
				tidy := func() {
					cmd := goCommand(dir, "mod", "tidy")
					cmd.Env = append(cmd.Env, "GOFLAGS=-mod=mod")
					if _, err := output(cmd); err != nil {
						t.Fatal(err)
					}
				}
				registered := func() string {
					text, err := output(goCommand(dir, "run", "./probe"))
					if err != nil {
						t.Fatal(err)
					}
					return string(text)
				}
				run := func() string {
					var stderr bytes.Buffer
					cmd := exec.Command(tool, "--only", "deepcopy,register", "./...")
					cmd.Dir, cmd.Env, cmd.Stderr = dir, goEnv(), &stderr
					if err := cmd.Run(); err != nil {
						t.Fatalf("%v\n%s", err, stderr.String())
					}
					return stderr.String()
				}
				tidy()
				before := registered()
				if messages := run(); !strings.Contains(messages, "warning: SchemeBuilder is ") {
					t.Errorf("the first run says\n%s", messages)
				}
				for _, pkg := range packages {
					deleteBuilder(t, filepath.Join(dir, pkg), calls)
				}
				if messages := run(); messages != "" {
					t.Errorf("the second run says\n%s", messages)
				}
				for _, pkg := range packages {
					text, _ := os.ReadFile(filepath.Join(dir, pkg, "zz_generated.register.go"))
					if objects := bytes.Contains(text, []byte("objects ...runtime.Object")); objects == calls || len(text) == 0 {
						t.Errorf("in %s, Register takes objects: %t", pkg, objects)
					}
				}
				tidy()
				if text, _ := os.ReadFile(filepath.Join(dir, "go.mod")); bytes.Contains(text, []byte("controller-runtime")) {
					t.Errorf("go.mod:\n%s", text)
				}
				if _, err := output(goCommand(dir, "vet", "./...")); err != nil {
					t.Error(err)
				}
				if after := registered(); after != before || before == "" {
					t.Errorf("registered\n%s\nbut before\n%s", after, before)
				}
			})
		}
	}
}

// writeProbe writes the program, and returns the directories of the packages with scheme builders.
func writeProbe(t *testing.T, dir, module string) (packages []string) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "groupversion_info.go"))
	if err != nil {
		t.Fatal(err)
	}
	var imports, adds, versions strings.Builder
	for _, file := range files {
		pkg := filepath.Base(filepath.Dir(file))
		packages = append(packages, pkg)
		fmt.Fprintf(&imports, "\t%q\n", module+"/"+pkg)
		fmt.Fprintf(&adds, "%s.AddToScheme, %s.SchemeBuilder.AddToScheme, ", pkg, pkg)
		fmt.Fprintf(&versions, "%s.GroupVersion.WithKind(%q), ", pkg, "Kind")
	}
	if err := os.MkdirAll(filepath.Join(dir, "probe"), 0o755); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(probe, imports.String(), adds.String(), versions.String())
	if err := os.WriteFile(filepath.Join(dir, "probe", "main.go"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return packages
}

var (
	variables = regexp.MustCompile(`(?m)^\t(// (SchemeBuilder|AddToScheme) .*|(SchemeBuilder|AddToScheme)\s+=.*|"sigs.k8s.io/controller-runtime/pkg/scheme")\n`)
	inits     = regexp.MustCompile(`(?m)^func init\(\) \{\n\tSchemeBuilder\.Register\([^()]*\)\n\}\n`)
)

// deleteBuilder deletes the variables that the warning names from groupversion_info.go, where kubebuilder writes them.
// With calls, it also deletes the functions that call SchemeBuilder.Register.
func deleteBuilder(t *testing.T, dir string, calls bool) {
	gone := map[string]*regexp.Regexp{filepath.Join(dir, "groupversion_info.go"): variables}
	files, _ := filepath.Glob(filepath.Join(dir, "*_types.go"))
	for _, file := range files {
		if calls {
			gone[file] = inits
		}
	}
	for file, gone := range gone {
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, gone.ReplaceAll(text, nil), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
