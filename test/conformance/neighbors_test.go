package conformance

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// neighbors are the tools that may have written into the tree that kubegen generates into: their packages below the
// module, and arguments. A tool needs the files of those before it.
var neighbors = map[string][][]string{
	"controller-gen": {
		{"controller-gen", "object", "paths=./apis/..."},
		{"controller-gen", "crd", "paths=./apis/...", "output:crd:dir=config/crd/bases"},
		{"controller-gen", "rbac:roleName=manager", "paths=./apis/...", "output:rbac:dir=config/rbac"},
		{"controller-gen", "webhook", "paths=./apis/...", "output:webhook:dir=config/webhook"},
		{"controller-gen", "applyconfiguration", "paths=./apis/..."},
		{"controller-gen", "schemapatch:manifests=config/crd/bases", "paths=./apis/...", "output:dir=config/crd/patched"},
	},
	"code-generator": {
		{"deepcopy-gen", "--output-file=zz_generated.deepcopy.go", "./apis/v1", "./apis/v2"},
		{"register-gen", "--output-file=zz_generated.register.go", "./apis/v1", "./apis/v2"},
		{"defaulter-gen", "--output-file=zz_generated.defaults.go", "./apis/v1", "./apis/v2"},
		{"prerelease-lifecycle-gen", "--output-file=zz_generated.prerelease-lifecycle.go", "./apis/v1", "./apis/v2"},
		{"applyconfiguration-gen", "--output-dir=pkg/generated/applyconfiguration", "--output-pkg=" + neighborhood + "/pkg/generated/applyconfiguration", "./apis/v1", "./apis/v2"},
		{"client-gen", "--clientset-name=versioned", "--input-base=", "--input=" + neighborhood + "/apis/v1," + neighborhood + "/apis/v2", "--output-dir=pkg/generated/clientset",
			"--output-pkg=" + neighborhood + "/pkg/generated/clientset", "--apply-configuration-package=" + neighborhood + "/pkg/generated/applyconfiguration"},
		{"lister-gen", "--output-dir=pkg/generated/listers", "--output-pkg=" + neighborhood + "/pkg/generated/listers", "./apis/v1", "./apis/v2"},
		{"informer-gen", "--output-dir=pkg/generated/informers", "--output-pkg=" + neighborhood + "/pkg/generated/informers", "--listers-package=" + neighborhood + "/pkg/generated/listers",
			"--versioned-clientset-package=" + neighborhood + "/pkg/generated/clientset/versioned", "./apis/v1", "./apis/v2"},
	},
}

// neighborhood is the module of the tree.
const neighborhood = "example.com/migration"

// replaced are the tools that a generator replaces, with a pattern of the files by which it does: what these tools
// have written for something that is no more is stale.
var replaced = map[string]map[string]string{
	"clientset":          {"client-gen": `^pkg/`},
	"lister":             {"lister-gen": `^pkg/`},
	"informer":           {"informer-gen": `^pkg/`},
	"applyconfiguration": {"applyconfiguration-gen": `^pkg/`},
	"deepcopy":           {"deepcopy-gen": `^apis/`, "object": `^apis/.*/zz_generated\.deepcopy\.go$`},
	"register":           {"register-gen": `^apis/`},
	"defaulter":          {"defaulter-gen": `^apis/`},
	"crd":                {"crd": `^config/crd/bases/`},
}

// TestMigrationNeighbors runs each generator of kubegen in trees of other tools, before and after a kind and a
// version are deleted from the types. The files of tools that it does not replace must stay as they are. Of those
// that it replaces, and of its own, no file of what was deleted may stay.
func TestMigrationNeighbors(t *testing.T) {
	bin := t.TempDir() + string(filepath.Separator)
	builds := []*exec.Cmd{
		goCommand(filepath.Join("..", "crds"), "build", "-o", bin, "sigs.k8s.io/controller-tools/cmd/controller-gen"),
		goCommand(filepath.Join("..", ".."), "build", "-o", bin, "./cmd/kubegen"),
	}
	for _, command := range neighbors["code-generator"] {
		builds = append(builds, goCommand("migration", "build", "-o", bin, "k8s.io/code-generator/cmd/"+command[0]))
	}
	for _, build := range builds {
		if _, err := output(build); err != nil {
			t.Fatal(err)
		}
	}
	run := func(t *testing.T, dir string, command ...string) {
		t.Helper()
		cmd := exec.Command(bin+command[0], command[1:]...)
		cmd.Dir, cmd.Env = dir, goEnv()
		if _, err := output(cmd); err != nil {
			t.Fatal(err)
		}
	}
	for family, commands := range neighbors {
		tree := t.TempDir()
		writeNeighborhood(t, tree, family == "controller-gen")
		by := map[string]string{} // what a file was written by
		was := filesIn(t, tree)
		for _, command := range commands {
			run(t, tree, command...)
			tool, _, _ := strings.Cut(command[0], ":")
			if tool == "controller-gen" {
				tool, _, _ = strings.Cut(command[1], ":")
			}
			is, some := filesIn(t, tree), false
			for name, text := range is {
				if was[name] != text {
					by[name], some = tool, true
				}
			}
			if was = is; !some {
				t.Fatalf("%s has written nothing", tool)
			}
		}
		for _, generator := range slices.Sorted(maps.Keys(replaced)) {
			t.Run(family+"/"+generator, func(t *testing.T) {
				dir := t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(tree)); err != nil {
					t.Fatal(err)
				}
				if generator == "register" {
					for _, version := range []string{"v1", "v2"} {
						_ = os.Remove(filepath.Join(dir, "apis", version, "register.go")) // or nothing is generated
					}
				}
				generate := []string{"kubegen", "--only=" + generator, "--output-dir=pkg/generated", "./apis/..."}
				if generator == "crd" {
					generate = append(generate, "--with-crds")
				}
				run(t, dir, generate...)
				own := filesIn(t, dir)
				maps.DeleteFunc(own, func(name, text string) bool { return was[name] == text })
				deleteTypes(t, dir)
				run(t, dir, generate...)
				is, untouched, gone := filesIn(t, dir), 0, 0
				for name, tool := range by {
					at := replaced[generator][tool]
					switch {
					case at == "" || !regexp.MustCompile(at).MatchString(name):
						if untouched++; is[name] != was[name] {
							t.Errorf("%s of %s was changed or deleted", name, tool)
						}
					case isStale(name):
						if gone++; is[name] != "" {
							t.Errorf("%s of %s is still there", name, tool)
						}
					}
				}
				for name := range own {
					if isStale(name) && is[name] != "" {
						t.Errorf("its own %s is still there", name)
					}
				}
				t.Logf("%d files of others are as they were, %d of replaced tools and %d of its own were written or deleted", untouched, gone, len(own))
			})
		}
	}
}

// isStale reports whether a file is for the kind or the version that deleteTypes deletes.
func isStale(name string) bool {
	return strings.Contains(name, "egret") || slices.Contains(strings.Split(path.Dir(name), "/"), "v2")
}

// deleteTypes deletes the kind Egret and the version v2, but no generated file.
func deleteTypes(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"apis/v1/egret.go", "apis/v2/heron.go", "apis/v2/egret.go", "apis/v2/doc.go", "apis/v2/register.go"} {
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil && !(strings.HasSuffix(name, "register.go") && os.IsNotExist(err)) {
			t.Fatal(err)
		}
	}
}

// writeNeighborhood writes a module with two kinds in two versions, which have markers for all tools.
func writeNeighborhood(t *testing.T, dir string, registered bool) {
	t.Helper()
	for _, file := range []string{"go.mod", "go.sum"} {
		copyFile(t, filepath.Join(dir, file), filepath.Join("migration", file))
	}
	for _, version := range []string{"v1", "v2"} {
		write := func(name, format string, args ...any) {
			writeText(t, filepath.Join(dir, "apis", version, name), fmt.Sprintf(format, args...))
		}
		write("doc.go", `// Package %[1]s has the types of birds.
//
// +groupName=birds.example.com
// +k8s:deepcopy-gen=package
// +k8s:register-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:prerelease-lifecycle-gen=true
// +kubebuilder:object:generate=true
// +kubebuilder:ac:generate=true
// +kubebuilder:rbac:groups=birds.example.com,resources=herons,verbs=get
// +kubebuilder:webhook:path=/%[1]s,mutating=false,failurePolicy=fail,groups=birds.example.com,resources=herons,verbs=create,versions=%[1]s,name=%[1]s.heron.example.com,sideEffects=None,admissionReviewVersions=v1
package %[1]s
`, version)
		for _, kind := range []string{"Heron", "Egret"} {
			storage := ""
			if version == "v1" {
				storage = "// +kubebuilder:storageversion\n"
			}
			write(strings.ToLower(kind)+".go", `package %[1]s

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// %[2]s is a bird.
//
// +genclient
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +k8s:prerelease-lifecycle-gen:introduced=1.1
// +kubebuilder:object:root=true
%[4]stype %[2]s struct {
	metav1.TypeMeta   `+"`json:\",inline\"`"+`
	metav1.ObjectMeta `+"`json:\"metadata,omitempty\"`"+`
	Spec %[2]sSpec `+"`json:\"spec\"`"+`
}

// %[2]sSpec says what the bird is like.
type %[2]sSpec struct {
	Weight int32 `+"`json:\"weight\"`"+`
}

// %[2]sList is a list of birds.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +k8s:prerelease-lifecycle-gen:introduced=1.1
// +kubebuilder:object:root=true
type %[2]sList struct {
	metav1.TypeMeta `+"`json:\",inline\"`"+`
	metav1.ListMeta `+"`json:\"metadata,omitempty\"`"+`
	Items []%[2]s `+"`json:\"items\"`"+`
}

func SetDefaults_%[2]s(bird *%[2]s) { bird.Spec.Weight = 1 }
`, version, kind, strings.ToLower(kind), storage)
		}
		if registered {
			write("register.go", `package %[1]s

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var SchemeGroupVersion = schema.GroupVersion{Group: "birds.example.com", Version: %[1]q}

func AddToScheme(scheme *runtime.Scheme) error { return nil }
`, version)
		}
	}
}

// filesIn returns the texts of the files in a directory, by slash-separated name.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		files[name] = string(bytes.TrimSpace(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
