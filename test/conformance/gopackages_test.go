package conformance

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/kubegen/kubegen/internal/moduletest"
)

var (
	allModules = flag.Bool("modules", false, "import the Go packages of all public modules, not only of those marked [quick], and run the tests of all modules whose DeepCopy methods are replaced")
	oneModule  = flag.String("module", "", "import only the Go packages of the public modules whose paths match this regular expression")
)

// controllerRuntimes are the versions of controller-runtime for releases of client-go.
var controllerRuntimes = map[string]string{"v0.33": "v0.21.0", "v0.34": "v0.22.5", "v0.35": "v0.23.3", "v0.36": "v0.24.1", "v0.37": "v0.25.2", "v0.38": "v0.25.2"}

// importedModule is a line of testdata/gopackages.txt or testdata/clients.txt.
type importedModule struct {
	path, version string
	options       []string
	patterns      []string // import paths
}

// importedModules returns the modules in a list that the flags select.
func importedModules(t *testing.T, list string) (all []importedModule) {
	t.Helper()
	selected := regexp.MustCompile(*oneModule)
	text, err := os.ReadFile(filepath.Join("testdata", list))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if strings.HasPrefix(line, "#") || len(fields) == 0 {
			continue
		}
		m := importedModule{}
		m.path, m.version, _ = strings.Cut(fields[0], "@")
		for _, field := range fields[1:] {
			if option, ok := strings.CutPrefix(field, "["); ok {
				m.options = append(m.options, strings.TrimSuffix(option, "]"))
			} else {
				m.patterns = append(m.patterns, m.path+"/"+field)
			}
		}
		if *oneModule != "" && selected.MatchString(m.path) || *oneModule == "" && (*allModules || slices.Contains(m.options, "quick")) {
			all = append(all, m)
		}
	}
	return all
}

// syncTest is a test of generated code: an informer of each kind finds an object on the fake clientset.
var syncTest = template.Must(template.New("").Parse(`package client

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"example.com/imports/client/clientset/versioned/fake"
	"example.com/imports/client/clientset/versioned/scheme"
	"example.com/imports/client/informers/externalversions"
)

func TestSync(t *testing.T) {
	client := fake.{{.NewClientset}}()
	factory := externalversions.NewSharedInformerFactory(client, 0)
	kinds := []struct{ group, version, resource, kind, scope string }{
{{- range .Kinds}}
		{ {{- printf "%q, %q, %q, %q, %q" .Group .Version .Resource .Kind .Scope -}} },
{{- end}}
	}
	var all []schema.GroupVersionResource
	for _, k := range kinds {
		gvr, kind := schema.GroupVersionResource{Group: k.group, Version: k.version, Resource: k.resource}, k.kind
		all = append(all, gvr)
		object, err := scheme.Scheme.New(gvr.GroupVersion().WithKind(kind))
		if err != nil {
			t.Fatal(err)
		}
		accessor, err := meta.Accessor(object)
		if err != nil {
			t.Fatal(err)
		}
		accessor.SetName("one")
		if k.scope == "Namespaced" {
			accessor.SetNamespace("default")
		}
		if err := client.Tracker().Create(gvr, object, accessor.GetNamespace()); err != nil {
			t.Errorf("%v: %v", gvr, err)
		}
		informer, err := factory.ForResource(gvr)
		if err != nil {
			t.Fatal(err)
		}
		informer.Informer()
	}
	factory.Start(t.Context().Done())
	begun := time.Now()
	for typ, synced := range factory.WaitForCacheSync(t.Context().Done()) {
		if !synced {
			t.Errorf("%v is not synced", typ)
		}
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("synced after %v", took)
	}
	for _, gvr := range all {
		informer, _ := factory.ForResource(gvr)
		if found := informer.Informer().GetStore().List(); len(found) != 1 || found[0].(metav1.Object).GetName() != "one" {
			t.Errorf("%v: found %v", gvr, found)
		}
	}
}
`))

// listedKind is a kind that "kubegen list --format json" prints.
type listedKind struct {
	Group, Version, Kind, Resource, Scope string
	Verbs                                 []string
}

// TestGoPackages imports Go packages of public modules, whose own clients are for other releases of client-go. The
// generated code must compile with the one of -release, and its informers must work with the fake clientset.
func TestGoPackages(t *testing.T) {
	goMod := moduletest.Release(*release)
	clientGo := moduletest.Required(moduletest.ModFile(t, goMod), "k8s.io/client-go")
	kubegen := buildKubegen(t)
	modules, kinds := 0, 0
	for _, m := range importedModules(t, "gopackages.txt") {
		t.Run(m.path, func(t *testing.T) {
			dir, begun := workDir(t), time.Now()
			goRun := func(args ...string) {
				t.Helper()
				goModuleRun(t, dir, args...)
			}
			moduletest.Copy(t, dir, goMod, "example.com/imports")
			get := []string{"get", "k8s.io/client-go/kubernetes/fake@" + clientGo, "k8s.io/api/core/v1@" + clientGo, "k8s.io/apimachinery/pkg/apis/meta/v1@" + clientGo}
			for _, pattern := range m.patterns {
				get = append(get, pattern+"@"+m.version)
			}
			if slices.Contains(m.options, "runtime") {
				get = append(get, "sigs.k8s.io/controller-runtime@"+controllerRuntimes[*release])
			}
			goRun(get...)
			config := fmt.Sprintf("version: 1\nimports:\n- packages: [%s]\n  output-dir: client\n", strings.Join(m.patterns, ", "))
			if slices.Contains(m.options, "crds") {
				config += "  crds: " + m.path + "\n"
			}
			writeFile(t, filepath.Join(dir, "kubegen.yaml"), []byte(config))
			run := func(args ...string) []byte {
				t.Helper()
				var stdout, stderr bytes.Buffer
				cmd := exec.Command(kubegen, args...)
				cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, goEnv(), &stdout, &stderr
				if err := cmd.Run(); err != nil {
					t.Fatalf("kubegen %s: %v\n%s%s", strings.Join(args, " "), err, head(stdout.String()), head(stderr.String()))
				}
				if stderr.Len() > 0 {
					t.Logf("kubegen %s\n%s", strings.Join(args, " "), head(stderr.String()))
				}
				return stdout.Bytes()
			}
			run()
			if testing.Short() {
				return
			}
			generated := time.Since(begun)
			goRun("mod", "tidy")
			if selected, err := output(goCommand(dir, "list", "-m", "k8s.io/client-go")); err != nil || !strings.Contains(string(selected), clientGo) {
				t.Fatalf("the module has %s, want %s (%v)", selected, clientGo, err)
			}
			run("verify")
			var listed struct{ Resources []listedKind }
			if err := json.Unmarshal(run("list", "--format", "json"), &listed); err != nil {
				t.Fatal(err)
			}
			all := len(listed.Resources)
			watched := slices.DeleteFunc(listed.Resources, func(r listedKind) bool {
				return !slices.Contains(r.Verbs, "list") || !slices.Contains(r.Verbs, "watch")
			})
			var test bytes.Buffer
			constructor := "NewClientset"
			if slices.Contains(m.options, "simple") {
				constructor = "NewSimpleClientset"
			}
			if err := syncTest.Execute(&test, struct {
				NewClientset string
				Kinds        []listedKind
			}{constructor, watched}); err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(dir, "client", "sync_test.go"), test.Bytes())
			goRun("mod", "tidy")
			vet := []string{"vet", "./..."}
			if slices.Contains(m.options, "locks") {
				vet = []string{"vet", "-copylocks=false", "./..."}
			}
			goRun(vet...)
			goTest := goCommand(dir, "test", "-count=1", "-vet=off", "./client")
			if out, err := goTest.CombinedOutput(); err != nil {
				t.Fatalf("go test: %v\n%s", err, head(string(out)))
			}
			t.Logf("%d kinds, %d with informers: generated after %v, all in %v", all, len(watched), generated.Round(time.Millisecond), time.Since(begun).Round(time.Millisecond))
			modules, kinds = modules+1, kinds+all
		})
	}
	fmt.Printf("gopackages: clients of %d kinds of %d public modules work with client-go %s\n", kinds, modules, clientGo)
}
