package crds_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	goimporter "go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	yamlv3 "go.yaml.in/yaml/v3"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
)

var objectsOfEach = flag.Int("objects", 10, "random objects of each imported version")

// definition is a CustomResourceDefinition of a public module, as decoded JSON.
type definition struct {
	name, text string
	tree       map[string]any
}

// versions returns the versions that are served.
func (d definition) versions() (found []map[string]any) {
	for _, v := range d.tree["spec"].(map[string]any)["versions"].([]any) {
		if v := v.(map[string]any); v["served"] != false {
			found = append(found, v)
		}
	}
	return found
}

// isStructural reports whether a server accepts the schemas of all versions.
func (d definition) isStructural(t *testing.T) bool {
	for _, v := range d.versions() {
		if newServer(t, asInts(deepCopy(v["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any))).(map[string]any)) == nil {
			return false
		}
	}
	return true
}

// imported is what was imported from a module.
type imported struct {
	module      string // directory of the packages
	definitions []definition
}

// importModules lists the modules whose manifests are imported. A word in brackets is an option: [quick] marks those
// of an ordinary run.
func importModules(t *testing.T) (all []publicModule) {
	text, err := os.ReadFile("imports.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		m := publicModule{options: map[string]bool{}}
		m.path, m.version, _ = strings.Cut(words[0], "@")
		for _, word := range words[1:] {
			m.options[strings.Trim(word, "[]")] = true
		}
		if *allModules || m.options["quick"] {
			all = append(all, m)
		}
	}
	return all
}

// manifestsIn returns the CustomResourceDefinitions in the files of a directory, each once: the largest one of a
// name. Templates, definitions of v1beta1 and what is in directories for tests is left out.
func manifestsIn(t *testing.T, dir string) []definition {
	found := map[string]definition{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.Contains(entry.Name(), "test") || entry.Name() == "vendor"):
			return fs.SkipDir
		case !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(name)):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(text, []byte("CustomResourceDefinition")) || bytes.Contains(text, []byte("{{")) {
			return nil
		}
		decoder := yamlv3.NewDecoder(bytes.NewReader(text))
		for {
			var tree map[string]any
			if err := decoder.Decode(&tree); err != nil {
				return nil // the end, or no manifest
			}
			if d, ok := asDefinition(tree); ok && len(d.text) > len(found[d.name].text) {
				found[d.name] = d
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.SortedFunc(maps.Values(found), func(a, b definition) int { return strings.Compare(a.name, b.name) })
}

func asDefinition(tree map[string]any) (d definition, ok bool) {
	if tree["kind"] != "CustomResourceDefinition" || tree["apiVersion"] != "apiextensions.k8s.io/v1" {
		return d, false
	}
	text, err := json.Marshal(tree)
	if err != nil {
		return d, false
	}
	var decoded struct {
		Metadata struct{ Name string }
		Spec     struct {
			Group    string
			Versions []struct {
				Schema struct{ OpenAPIV3Schema map[string]any }
			}
		}
	}
	if json.Unmarshal(text, &decoded) != nil || decoded.Spec.Group == "" || len(decoded.Spec.Versions) == 0 {
		return d, false // a patch
	}
	for _, v := range decoded.Spec.Versions {
		if v.Schema.OpenAPIV3Schema == nil {
			return d, false
		}
	}
	d = definition{name: decoded.Metadata.Name, text: string(text)}
	return d, json.Unmarshal(text, &d.tree) == nil
}

// importAll imports the manifests of all modules into a project in a directory, and returns what was imported.
func importAll(t *testing.T, bin, project string, flags ...string) (all []imported) {
	for _, m := range importModules(t) {
		one := imported{module: regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(m.path), "-")}
		for _, d := range manifestsIn(t, download(t, m)) {
			one.definitions = append(one.definitions, d)
			write(t, filepath.Join(project, one.module, "crds", d.name+".json"), []byte(d.text))
		}
		if len(one.definitions) == 0 {
			t.Errorf("%s has no manifests", m.path)
			continue
		}
		args := append([]string{"import", "--output-dir", one.module + "/api"}, flags...)
		runIn(t, project, bin, append(args, one.module+"/crds")...)
		all = append(all, one)
	}
	return all
}

// importProject builds kubegen, and makes a module to import into.
func importProject(t *testing.T) (bin, project string) {
	t.Helper()
	bin, project = moduletest.Build(t, "kubegen"), t.TempDir()
	moduletest.Write(t, project, []byte("module example.com/imports\n"))
	return bin, project
}

// runIn runs kubegen in a directory; it must not fail.
func runIn(t *testing.T, dir, bin string, args ...string) (output string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "kubegen"), args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("kubegen %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestImports imports the manifests of public modules. All packages must compile, what is generated must be up to
// date, the manifests that are generated again from the types must be the same, and random valid objects must be the
// same after they were decoded and encoded.
func TestImports(t *testing.T) {
	bin, project := importProject(t)
	begun := time.Now()
	all := importAll(t, bin, project, "--core-types=false")
	definitions := 0
	for _, one := range all {
		definitions += len(one.definitions)
	}
	fmt.Printf("imports: %d definitions of %d modules, in %v with downloads\n", definitions, len(all), time.Since(begun).Round(time.Second))
	if t.Failed() {
		return
	}
	t.Run("verify", func(t *testing.T) {
		for _, one := range all {
			runIn(t, project, bin, "import", "--output-dir", one.module+"/api", "--core-types=false", "--verify", one.module+"/crds")
		}
	})
	t.Run("again", func(t *testing.T) {
		for _, one := range all {
			args := []string{"import", "--output-dir", one.module + "/types", "--only", "crd", "--with-crds=" + one.module + "/again", "--crd-allow-dangerous-types", "--core-types=false", "--share-types"}
			for _, d := range one.definitions {
				if d.isStructural(t) {
					args = append(args, one.module+"/crds/"+d.name+".json")
				}
			}
			if len(args) > 10 {
				runIn(t, project, bin, args...)
			}
			if err := os.RemoveAll(filepath.Join(project, one.module, "types")); err != nil {
				t.Fatal(err)
			}
		}
	})
	t.Run("core types", func(t *testing.T) {
		for _, one := range all {
			if !*allModules { // of which one half is enough
				runIn(t, project, bin, "import", "--output-dir", one.module+"/core", "--share-types", one.module+"/crds")
			}
		}
	})
	t.Run("compile", func(t *testing.T) { typeCheck(t, project) })
	t.Run("roundtrip", func(t *testing.T) { testRoundTrip(t, project, all) })
	t.Run("controller-gen", func(t *testing.T) { testControllerGen(t, project, all) })
	t.Run("values", func(t *testing.T) { testValues(t, project, all) })
	t.Run("server", func(t *testing.T) { testServerValues(t, project, all) })
}

// onServer are the modules whose objects are also sent to a real API server.
var onServer = []string{"github-com-cert-manager-cert-manager", "istio-io-api", "knative-dev-serving"}

// testServerValues creates random objects on a real API server, and replaces them by what the imported types make of
// them: the server must accept both, and there must be no difference. Objects that break a rule in CEL are left out.
func testServerValues(t *testing.T, project string, all []imported) {
	all = slices.DeleteFunc(slices.Clone(all), func(one imported) bool { return !slices.Contains(onServer, one.module) })
	config := startServer(t)
	client := definitionsOf(t, config)
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	c := newCodec(t, project, all)
	sent, broken := 0, 0
	for _, one := range all {
		for _, d := range one.definitions {
			if !d.isStructural(t) {
				continue
			}
			definition := &apiextensionsv1.CustomResourceDefinition{}
			if err := json.Unmarshal([]byte(d.text), definition); err != nil {
				t.Fatal(err)
			}
			definition.Spec.Conversion = nil // for there is no such server
			if _, err := client.Create(t.Context(), definition, metav1.CreateOptions{}); err != nil {
				t.Errorf("%s: %v", d.name, err)
				continue
			}
			if err := established(t, client, d.name); err != nil {
				t.Fatal(err)
			}
			for i, v := range definition.Spec.Versions {
				if !v.Served {
					continue
				}
				tree := d.versions()[0]["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
				for _, other := range d.versions() {
					if other["name"] == v.Name {
						tree = other["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
					}
				}
				server := newServer(t, asInts(deepCopy(tree)).(map[string]any))
				gvr := schema.GroupVersionResource{Group: definition.Spec.Group, Version: v.Name, Resource: definition.Spec.Names.Plural}
				var resources dynamic.ResourceInterface = objects.Resource(gvr)
				if definition.Spec.Scope == apiextensionsv1.NamespaceScoped {
					resources = objects.Resource(gvr).Namespace("default")
				}
				g := &valueGenerator{rand.New(rand.NewPCG(uint64(i), 2))}
				for n := range *objectsOfEach {
					object := g.object(tree, definition.Spec.Group+"/"+v.Name, definition.Spec.Names.Kind)
					if server.take(deepCopy(object)) != "" {
						continue
					}
					object["metadata"] = map[string]any{"name": fmt.Sprintf("%s-%d", v.Name, n)}
					created, err := resources.Create(t.Context(), &unstructured.Unstructured{Object: object}, metav1.CreateOptions{})
					if err != nil {
						if broken++; !apierrors.IsInvalid(err) {
							t.Errorf("%s: %v", d.name, err)
						}
						continue
					}
					var again unstructured.Unstructured
					line := c.again(t, one.module+"/"+gvr.Group+"/"+gvr.Version, inJSON(created.Object))
					if err := again.UnmarshalJSON([]byte(line)); err != nil {
						t.Errorf("%s: %s", d.name, line)
						continue
					}
					updated, err := resources.Update(t.Context(), &again, metav1.UpdateOptions{})
					if err != nil {
						t.Errorf("%s: the server refuses what the imported type encodes: %v", d.name, err)
						continue
					}
					for _, o := range []*unstructured.Unstructured{created, updated} {
						o.SetManagedFields(nil)
						o.SetResourceVersion("")
						o.SetGeneration(0)
					}
					want, got := canonical(tree, decoded(t, inJSON(created.Object))), canonical(tree, decoded(t, inJSON(updated.Object)))
					if !reflect.DeepEqual(want, got) {
						t.Errorf("%s: %s", d.name, strings.Join(schemaDifferences(want, got, ""), "\n"))
					}
					sent++
				}
			}
		}
	}
	fmt.Printf("imports: a server accepts %d objects before and after; it refuses %d, by rules in CEL\n", sent, broken)
	if sent < 100 {
		t.Error("the server accepts too few objects")
	}
}

// testRoundTrip compares the manifests that are generated from imported types with those that were imported.
func testRoundTrip(t *testing.T, project string, all []imported) {
	versions, equal, old := 0, 0, 0
	excused := map[string]int{}
	for _, one := range all {
		for _, d := range one.definitions {
			if !d.isStructural(t) {
				old++
				continue
			}
			again := readAgain(t, filepath.Join(project, one.module, "again"), d)
			for _, v := range d.versions() {
				versions++
				name := v["name"].(string)
				want, got := schemaOf(t, v), again[name]
				if got == nil {
					t.Errorf("%s %s: version %s is not generated again", one.module, d.name, name)
					continue
				}
				differences := schemaDifferences(want, got, "")
				why := ""
				for _, difference := range differences {
					if why = excuse(difference); why == "" {
						t.Errorf("%s %s %s: %s", one.module, d.name, name, difference)
						break
					}
				}
				if len(differences) == 0 {
					equal++
				} else if why != "" {
					excused[why]++
				}
			}
		}
	}
	fmt.Printf("imports: %d of %d versions have the same schema again; %d definitions that a server no longer accepts are not compared\n", equal, versions, old)
	for _, why := range slices.Sorted(maps.Keys(excused)) {
		fmt.Printf("imports: %d versions: %s\n", excused[why], why)
	}
	if equal*100 < versions*99 {
		t.Errorf("%d of %d versions are less than 99 %%", equal, versions)
	}
}

// forControllerGen are the modules whose types controller-gen reads.
var forControllerGen = []string{"github-com-cert-manager-cert-manager", "sigs-k8s-io-gateway-api", "github-com-kyverno-kyverno", "istio-io-api"}

// unsaid are the keywords for which controller-gen has no markers, and which +kubegen:schema says.
var unsaid = regexp.MustCompile(`^[^:]*\.(oneOf|anyOf|allOf|not|example|description)(\[\d+\])*:`)

// testControllerGen compares the manifests that controller-gen makes from imported types with those that were imported.
func testControllerGen(t *testing.T, project string, all []imported) {
	versions, equal, unsayable := 0, 0, 0
	for _, one := range all {
		if !slices.Contains(forControllerGen, one.module) {
			continue
		}
		files, err := filepath.Glob(filepath.Join(project, one.module, "api", "*", "*", "zz_generated.types.go"))
		if err != nil {
			t.Fatal(err)
		}
		var patterns []string
		for _, file := range files {
			rel, _ := filepath.Rel(project, filepath.Dir(file))
			patterns = append(patterns, "./"+filepath.ToSlash(rel))
		}
		made, refused := run(t, project, "crd:allowDangerousTypes=true", patterns...)
		if refused {
			t.Errorf("controller-gen refuses the types of %s", one.module)
			continue
		}
		again := filepath.Join(t.TempDir(), "crds")
		for name, text := range made {
			write(t, filepath.Join(again, name), []byte(text))
		}
		for _, d := range one.definitions {
			if !d.isStructural(t) {
				continue
			}
			theirs := readAgain(t, again, d)
			for _, v := range d.versions() {
				versions++
				differences := schemaDifferences(schemaOf(t, v), theirs[v["name"].(string)], "")
				said := slices.DeleteFunc(slices.Clone(differences), unsaid.MatchString)
				switch {
				case len(differences) == 0:
					equal++
				case len(said) == 0:
					unsayable++
				default:
					t.Errorf("%s %s: %s", d.name, v["name"], said[0])
				}
			}
		}
	}
	fmt.Printf("imports: of %d versions, controller-gen makes the same schemas of %d; %d have keywords for which it has no markers\n", versions, equal, unsayable)
}

// excuses are differences that are known, by a part of their text.
var excuses = map[string]string{
	".optional: ": "keywords that API servers ignore are not kept",
}

func excuse(difference string) string {
	for part, why := range excuses {
		if strings.Contains(difference, part) {
			return why
		}
	}
	return ""
}

// readAgain returns the schemas in the manifest that was generated for a definition, by version.
func readAgain(t *testing.T, dir string, d definition) map[string]map[string]any {
	spec := d.tree["spec"].(map[string]any)
	plural := spec["names"].(map[string]any)["plural"].(string)
	text, err := os.ReadFile(filepath.Join(dir, spec["group"].(string)+"_"+plural+".yaml"))
	if err != nil {
		t.Errorf("%s: %v", d.name, err)
		return nil
	}
	var tree map[string]any
	if err := yamlv3.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	again, ok := asDefinition(tree)
	if !ok {
		t.Fatalf("%s is no manifest", d.name)
	}
	found := map[string]map[string]any{}
	for _, v := range again.versions() {
		found[v["name"].(string)] = schemaOf(t, v)
	}
	return found
}

// schemaOf returns the schema of a version as API servers have it: without keywords that are empty, and without the
// properties of all kinds.
func schemaOf(t *testing.T, version map[string]any) map[string]any {
	tree := deepCopy(version["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any))
	if properties, ok := tree["properties"].(map[string]any); ok {
		for _, name := range []string{"apiVersion", "kind", "metadata"} {
			delete(properties, name)
		}
	}
	return withoutEmpty(tree).(map[string]any)
}

func withoutEmpty(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			inner = withoutEmpty(inner)
			list, isList := inner.([]any)
			object, isObject := inner.(map[string]any)
			switch {
			case inner == nil, inner == "" && slices.Contains([]string{"description", "title", "format", "pattern"}, key),
				inner == false && slices.Contains([]string{"nullable", "uniqueItems", "exclusiveMinimum", "exclusiveMaximum"}, key),
				isList && len(list) == 0 && slices.Contains([]string{"required", "enum", "allOf", "anyOf", "oneOf"}, key), isObject && len(object) == 0 && key == "properties":
				delete(v, key)
				continue
			case isList && key == "required":
				slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			}
			v[key] = inner
		}
	case []any:
		for i := range v {
			v[i] = withoutEmpty(v[i])
		}
	}
	return value
}

// schemaDifferences lists where two schemas differ.
func schemaDifferences(want, got any, at string) (found []string) {
	a, okA := want.(map[string]any)
	b, okB := got.(map[string]any)
	if !okA || !okB {
		listA, okA := want.([]any)
		listB, okB := got.([]any)
		if okA && okB && len(listA) == len(listB) {
			for i := range listA {
				found = append(found, schemaDifferences(listA[i], listB[i], fmt.Sprintf("%s[%d]", at, i))...)
			}
			return found
		}
		if !reflect.DeepEqual(want, got) {
			return []string{fmt.Sprintf("%s: %.200s became %.200s", at, fmt.Sprint(want), fmt.Sprint(got))}
		}
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(a)) {
		found = append(found, schemaDifferences(a[key], b[key], at+"."+key)...)
	}
	for _, key := range slices.Sorted(maps.Keys(b)) {
		if _, ok := a[key]; !ok {
			found = append(found, fmt.Sprintf("%s.%s: there was none, now %.200s", at, key, fmt.Sprint(b[key])))
		}
	}
	return found
}

// testValues decodes random objects into imported types, and encodes them again.
func testValues(t *testing.T, project string, all []imported) {
	c := newCodec(t, project, all)
	versions, objects, short := 0, 0, 0
	for _, one := range all {
		for _, d := range one.definitions {
			spec := d.tree["spec"].(map[string]any)
			group, kind := spec["group"].(string), spec["names"].(map[string]any)["kind"].(string)
			for _, v := range d.versions() {
				name := v["name"].(string)
				tree := v["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
				server := newServer(t, asInts(deepCopy(tree)).(map[string]any))
				if server == nil {
					continue // with a schema from before structural ones
				}
				versions++
				g := &valueGenerator{rand.New(rand.NewPCG(uint64(versions), 1))}
				valid := 0
				for try := 0; try < 20**objectsOfEach && valid < *objectsOfEach; try++ {
					object := g.object(tree, group+"/"+name, kind)
					taken := deepCopy(object)
					if server.take(taken) != "" {
						continue
					}
					valid++
					c.check(t, one.module+"/"+group+"/"+name, object, tree)
				}
				if objects += valid; valid < *objectsOfEach {
					short++
					t.Logf("%s %s: only %d valid objects", d.name, name, valid)
				}
			}
		}
	}
	fmt.Printf("imports: %d objects of %d versions are the same after decoding and encoding; of %d versions fewer than %d valid ones were found\n", objects, versions, short, *objectsOfEach)
	if short*20 > versions {
		t.Errorf("too few objects of %d versions", short)
	}
}

// asInts returns a value with numbers that are integers as int64, as API servers decode them.
func asInts(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = asInts(v[key])
		}
	case []any:
		for i := range v {
			v[i] = asInts(v[i])
		}
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	}
	return value
}

// codec is a program that decodes and encodes objects of imported types.
type codec struct {
	in     io.WriteCloser
	out    *bufio.Reader
	failed int
}

// newCodec builds the program and runs it until the end of the test.
func newCodec(t *testing.T, project string, all []imported) *codec {
	t.Helper()
	var imports, adds strings.Builder
	n := 0
	for _, one := range all {
		dirs, err := filepath.Glob(filepath.Join(project, one.module, "api", "*", "*", "zz_generated.types.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range dirs {
			rel, _ := filepath.Rel(project, filepath.Dir(file))
			doc, err := os.ReadFile(filepath.Join(filepath.Dir(file), "doc.go"))
			if err != nil {
				t.Fatal(err)
			}
			group := regexp.MustCompile(`\+groupName=(.*)`).FindStringSubmatch(string(doc))[1]
			n++
			fmt.Fprintf(&imports, "\tp%d %q\n", n, "example.com/imports/"+filepath.ToSlash(rel))
			fmt.Fprintf(&adds, "\t%q: p%d.AddToScheme,\n", one.module+"/"+group+"/"+filepath.Base(rel), n)
		}
	}
	write(t, filepath.Join(project, "codec", "main.go"), []byte(`package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"

`+imports.String()+`)

var adds = map[string]func(*runtime.Scheme) error{
`+adds.String()+`}

func main() {
	schemes := map[string]*runtime.Scheme{}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		key, data, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if schemes[key] == nil {
			schemes[key] = runtime.NewScheme()
			if err := adds[key](schemes[key]); err != nil {
				panic(err)
			}
		}
		fmt.Println(again(schemes[key], []byte(data)))
	}
}

func again(scheme *runtime.Scheme, data []byte) string {
	var meta struct{ APIVersion, Kind string }
	if err := json.Unmarshal(data, &meta); err != nil {
		return "error: " + err.Error()
	}
	object, err := scheme.New(schema.FromAPIVersionAndKind(meta.APIVersion, meta.Kind))
	if err != nil {
		return "error: " + err.Error()
	}
	strict, err := kjson.UnmarshalStrict(data, object)
	if err != nil || len(strict) > 0 {
		return fmt.Sprintf("error: %v %v", err, strict)
	}
	text, err := json.Marshal(object.DeepCopyObject())
	if err != nil {
		return "error: " + err.Error()
	}
	return string(text)
}
`))
	return startCodec(t, project)
}

// startCodec builds the program in the directory codec of a project, and runs it until the end of the test.
func startCodec(t *testing.T, project string) *codec {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "codec")
	build := exec.Command("go", "build", "-o", binary, "./codec")
	build.Dir, build.Env = project, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(binary)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	return &codec{in: in, out: bufio.NewReaderSize(out, 1<<20)}
}

// again returns what the program makes of an object: JSON, or "error: " and an error.
func (c *codec) again(t *testing.T, key, text string) string {
	if _, err := fmt.Fprintf(c.in, "%s\t%s\n", key, text); err != nil {
		t.Fatal(err)
	}
	line, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatalf("%s: the program ended at %s", key, text)
	}
	return strings.TrimSpace(line)
}

// check sends an object through the program.
func (c *codec) check(t *testing.T, key string, object, schema map[string]any) {
	text := inJSON(object)
	line := c.again(t, key, text)
	if strings.HasPrefix(line, "error: ") {
		if c.failed++; c.failed < 30 {
			t.Errorf("%s: %s\n%.2000s", key, line, text)
		}
		return
	}
	want, got := canonical(schema, decoded(t, text)), canonical(schema, decoded(t, line))
	if !reflect.DeepEqual(want, got) {
		if c.failed++; c.failed < 30 {
			t.Errorf("%s: %s", key, strings.Join(schemaDifferences(want, got, ""), "\n"))
		}
	}
}

func decoded(t *testing.T, text string) (value any) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}

// quantityPattern is the pattern of a schema for quantities.
var quantityPattern = func() string {
	for ref, s := range crdschema.Known {
		if ref.Name == "Quantity" {
			return s.Pattern
		}
	}
	return ""
}()

// canonical returns a value as docs/import.md says that a type keeps it.
func canonical(s map[string]any, value any) any {
	switch v := value.(type) {
	case map[string]any:
		properties, _ := s["properties"].(map[string]any)
		required, _ := s["required"].([]any)
		additional, _ := s["additionalProperties"].(map[string]any)
		for name, inner := range v {
			of, known := properties[name].(map[string]any)
			if !known {
				of = additional
			}
			if inner == nil && known && !slices.Contains(required, any(name)) {
				delete(v, name)
				continue
			}
			v[name] = canonical(of, inner)
		}
		return v
	case []any:
		items, _ := s["items"].(map[string]any)
		for i := range v {
			v[i] = canonical(items, v[i])
		}
	case json.Number:
		if s["pattern"] == quantityPattern && s["x-kubernetes-int-or-string"] == true {
			return canonical(s, v.String())
		}
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return n
		}
		n, _ := v.Float64()
		if n == float64(int64(n)) {
			return int64(n)
		}
		return n
	case string:
		if s["format"] == "date-time" && s["enum"] == nil {
			if at, err := time.Parse(time.RFC3339, v); err == nil {
				return at.UTC().Format(time.RFC3339)
			}
		}
		if s["pattern"] == quantityPattern && s["x-kubernetes-int-or-string"] == true {
			if q, err := resource.ParseQuantity(v); err == nil {
				return q.String()
			}
		}
	}
	return value
}

// typeCheck compiles, as far as types go, all packages below a directory.
func typeCheck(t *testing.T, project string) {
	t.Helper()
	list := exec.Command("go", "list", "-modfile="+moduletest.Client, "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "k8s.io/client-go/kubernetes/fake", "k8s.io/client-go/informers",
		"k8s.io/client-go/util/apply", "k8s.io/client-go/discovery/fake", "k8s.io/client-go/util/retry", "std")
	list.Dir, list.Env, list.Stderr = moduletest.Releases, append(os.Environ(), "GOWORK=off"), os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	c := &checker{fset: token.NewFileSet(), exports: map[string]string{}, dirs: map[string]string{}, done: map[string]*checked{}}
	for line := range strings.Lines(string(out)) {
		importPath, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		c.exports[importPath] = file
	}
	c.compiled = goimporter.ForCompiler(token.NewFileSet(), "gc", func(importPath string) (io.ReadCloser, error) {
		if c.exports[importPath] == "" {
			return nil, fmt.Errorf("package %s is not among what a client depends on", importPath)
		}
		return os.Open(c.exports[importPath])
	})
	err = filepath.WalkDir(project, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(name) == ".go" {
			rel, _ := filepath.Rel(project, filepath.Dir(name))
			c.dirs[path.Join("example.com/imports", filepath.ToSlash(rel))] = filepath.Dir(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	work := make(chan string)
	var group sync.WaitGroup
	var lock sync.Mutex
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for importPath := range work {
				if _, err := c.Import(importPath); err != nil {
					lock.Lock()
					t.Errorf("%s does not compile: %v", importPath, err)
					lock.Unlock()
				}
			}
		})
	}
	for _, importPath := range slices.Sorted(maps.Keys(c.dirs)) {
		work <- importPath
	}
	close(work)
	group.Wait()
	fmt.Printf("imports: %d packages compile\n", len(c.dirs))
}

// checker checks packages of a project from source, and knows what they import from the compiler.
type checker struct {
	fset     *token.FileSet
	exports  map[string]string
	compiled types.Importer
	reading  sync.Mutex // compiled
	dirs     map[string]string

	lock sync.Mutex
	done map[string]*checked
}

type checked struct {
	once sync.Once
	pkg  *types.Package
	err  error
}

func (c *checker) Import(importPath string) (*types.Package, error) {
	dir, own := c.dirs[importPath]
	if !own {
		c.reading.Lock()
		defer c.reading.Unlock()
		return c.compiled.Import(importPath)
	}
	c.lock.Lock()
	one := c.done[importPath]
	if one == nil {
		one = &checked{}
		c.done[importPath] = one
	}
	c.lock.Unlock()
	one.once.Do(func() { one.pkg, one.err = c.check(importPath, dir) })
	return one.pkg, one.err
}

func (c *checker) check(importPath, dir string) (*types.Package, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range names {
		if match, err := build.Default.MatchFile(dir, filepath.Base(name)); err != nil || !match {
			return nil, fmt.Errorf("%s is no part of the package: %w", name, err)
		}
		file, err := parser.ParseFile(c.fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	var errs []error
	config := types.Config{Importer: c, Error: func(err error) {
		if !strings.Contains(err.Error(), "could not import") { // which is reported where it fails
			errs = append(errs, err)
		}
	}}
	pkg, _ := config.Check(importPath, c.fset, files, nil)
	if len(errs) > 5 {
		errs = errs[:5]
	}
	if len(errs) == 0 && !pkg.Complete() {
		pkg.MarkComplete()
	}
	return pkg, errors.Join(errs...)
}
