package crds_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/kube-openapi/pkg/spec3"
	"sigs.k8s.io/yaml"

	"github.com/kubegen/kubegen/internal/apitest"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/moduletest"
)

var published = flag.Int("published", 20, "number of random packages of TestPublishedRandom")

// TestPublished compares the OpenAPI documents of --with-openapi with what a real API server publishes about the same
// kinds: the same paths, and the same schemas with those of types in place of references.
func TestPublished(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds an API server")
	}
	bin := moduletest.Build(t, "kubegen")
	config := startServer(t)
	client := definitionsOf(t, config)
	server := discovery.NewDiscoveryClientForConfigOrDie(config).RESTClient()
	for dir, pattern := range map[string]string{"examples/crontab-types": "./apis/...", "test/e2e": "./apis/cluster/...", "test/e2e/apis/sites": "./..."} {
		root, out := filepath.Join(moduletest.Root, dir), t.TempDir()
		cmd := exec.Command(filepath.Join(bin, "kubegen"), "--only", "openapi-documents", "--with-openapi="+out, pattern)
		cmd.Dir = root
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		manifests, err := filepath.Glob(filepath.Join(root, "crds", "*.yaml"))
		if err != nil || len(manifests) == 0 {
			t.Fatalf("no manifests in %s: %v", root, err)
		}
		served := map[string]string{} // paths of kinds, by the path of the document
		for _, name := range manifests {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			definition := &apiextensionsv1.CustomResourceDefinition{}
			if err := yaml.UnmarshalStrict(text, definition); err != nil {
				t.Fatal(err)
			}
			if _, err := client.Create(t.Context(), definition, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := established(t, client, definition.Name); err != nil {
				t.Fatal(err)
			}
			for _, v := range definition.Spec.Versions {
				if at := "/apis/" + definition.Spec.Group + "/" + v.Name; v.Served {
					served[at] += " " + at + "/" + definition.Spec.Names.Plural
				}
			}
		}
		for _, at := range slices.Sorted(maps.Keys(served)) {
			p := &publication{ours: document(t, func() ([]byte, error) {
				return os.ReadFile(filepath.Join(out, "v3", strings.ReplaceAll(at[1:], "/", "__")+"_openapi.json"))
			})}
			for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) { // it publishes kinds later than it serves them
				p.server = document(t, func() ([]byte, error) { return server.Get().AbsPath("/openapi/v3" + at).DoRaw(t.Context()) })
				paths, _ := p.server["paths"].(map[string]any)
				lacks := slices.ContainsFunc(strings.Fields(served[at]), func(of string) bool {
					return !slices.ContainsFunc(slices.Collect(maps.Keys(paths)), func(path string) bool {
						return strings.HasSuffix(path, of[len(at):]) || strings.HasPrefix(path, of)
					})
				})
				if !lacks {
					break
				} else if time.Now().After(deadline) {
					t.Fatalf("the server does not publish %s", served[at])
				}
			}
			t.Logf("%s: %d values compared", at, p.compareAll(t, at))
		}
	}
}

// TestPublishedRandom compares the OpenAPI documents of random packages with those that the library of API servers
// derives from their manifests.
func TestPublishedRandom(t *testing.T) {
	dir, out := randomModule(t), t.TempDir()
	for i := range *published {
		seed := *first + uint64(i)
		text, base := apitest.Schemas(seed, true)
		write(t, filepath.Join(dir, fmt.Sprintf("s%d/v1/types.go", seed)), []byte(text))
		write(t, filepath.Join(dir, fmt.Sprintf("s%d/base/types.go", seed)), []byte(base))
	}
	cmd := exec.Command(filepath.Join(moduletest.Build(t, "kubegen"), "kubegen"), "--only", "openapi-documents", "--with-openapi="+out, "./...")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.4000s", err, text)
	}
	manifests, _ := generate(t, dir, crd.Options{}, "./...")
	of := map[string][]*spec3.OpenAPI{}
	for _, text := range manifests {
		definition := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict([]byte(text), definition); err != nil {
			t.Fatal(err)
		}
		for _, v := range definition.Spec.Versions {
			document, err := builder.BuildOpenAPIV3(definition, v.Name, builder.Options{IncludeSelectableFields: true})
			if err != nil {
				t.Fatal(err)
			}
			isPublished := false
			for name, s := range document.Components.Schemas {
				isKind := strings.HasSuffix(name, "."+definition.Spec.Names.Kind) && !strings.HasPrefix(name, ofMeta)
				isPublished = isPublished || isKind && len(s.Properties) > 0
			}
			if !isPublished { // servers refuse the schema
				continue
			}
			name := "apis__" + definition.Spec.Group + "__" + v.Name + "_openapi.json"
			of[name] = append(of[name], document)
		}
	}
	compared := 0
	for _, name := range slices.Sorted(maps.Keys(of)) {
		merged, err := builder.MergeSpecsV3(of[name]...)
		if err != nil {
			t.Fatal(err)
		}
		p := &publication{
			server: document(t, func() ([]byte, error) { return json.Marshal(merged) }),
			ours:   document(t, func() ([]byte, error) { return os.ReadFile(filepath.Join(out, "v3", name)) }),
		}
		compared += p.compareAll(t, name)
	}
	if compared == 0 {
		t.Fatal("no document was compared")
	}
	t.Logf("%d documents, %d values compared", len(of), compared)
	if t.Failed() {
		t.Logf("see %s", keep(t, dir))
	}
}

// document returns a document in JSON, or an empty one if there is none yet.
func document(t *testing.T, read func() ([]byte, error)) map[string]any {
	t.Helper()
	found := map[string]any{}
	if text, err := read(); err == nil && len(text) > 0 { // a server may answer with nothing at first
		if err := json.Unmarshal(text, &found); err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// publication compares a document of a server with one of kubegen.
type publication struct {
	server, ours map[string]any
	differences  []string
	compared     int
}

func (p *publication) schemas(of map[string]any) map[string]any {
	components, _ := of["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	return schemas
}

const ofMeta = "io.k8s.apimachinery.pkg.apis.meta.v1."

// isIntended reports whether a difference is intended: Kubernetes' own schemas have what only openapi-gen adds or its
// markers say, metadata inside of objects is described, and some descriptions differ.
func isIntended(at string, theirs, ours any) bool {
	switch key := path.Base(at); {
	case strings.HasPrefix(at, "io.k8s.") && ours == nil:
		return strings.HasPrefix(key, "x-kubernetes-patch-") || key == "x-kubernetes-group-version-kind" || key == "default" &&
			slices.ContainsFunc([]any{"", 0.0, map[string]any{}}, func(zero any) bool { return reflect.DeepEqual(theirs, zero) })
	case key == "description":
		inEmbedded := strings.Count(at, "/properties/") > 1 &&
			(strings.HasSuffix(at, "/apiVersion/description") || strings.HasSuffix(at, "/kind/description"))
		return inEmbedded || strings.Contains(at, "/parameters/") || strings.HasSuffix(at, "List/properties/items/description")
	}
	return false
}

// compareAll reports the differences. It returns the number of values compared.
func (p *publication) compareAll(t *testing.T, of string) int {
	t.Helper()
	p.compare("paths", p.server["paths"], p.ours["paths"])
	theirs := p.schemas(p.server)
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		p.compare(name, theirs[name], p.schemas(p.ours)[name])
	}
	for _, difference := range p.differences {
		t.Errorf("%s: %s", of, difference)
	}
	return p.compared
}

func (p *publication) compare(at string, theirs, ours any) {
	p.compared++
	switch want := theirs.(type) {
	case map[string]any:
		if got, ok := ours.(map[string]any); ok {
			p.compareObjects(at, want, got)
			return
		}
	case []any:
		if got, ok := ours.([]any); ok && len(want) == len(got) {
			if path.Base(at) == "x-kubernetes-validations" { // their order has no effect
				want, got = sorted(want), sorted(got)
			}
			for i := range want {
				p.compare(fmt.Sprintf("%s/%d", at, i), want[i], got[i])
			}
			return
		}
	case string:
		if got, ok := ours.(string); ok && slices.Equal(strings.Fields(want), strings.Fields(got)) { // lines end elsewhere
			return
		}
	}
	if !reflect.DeepEqual(theirs, ours) && !isIntended(at, theirs, ours) {
		p.differences = append(p.differences, fmt.Sprintf("%s: a server publishes %v, kubegen writes %v", at, theirs, ours))
	}
}

func sorted(list []any) []any {
	return slices.SortedFunc(slices.Values(list), func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
}

func (p *publication) compareObjects(at string, theirs, ours map[string]any) {
	for name, ok := refIn(ours); ok; name, ok = refIn(ours) {
		if other, too := refIn(theirs); too && other == name {
			break
		} else if name == ofMeta+"ObjectMeta" && theirs["properties"] == nil {
			return // servers do not list the fields of metadata inside of objects
		}
		target, _ := p.schemas(p.ours)[name].(map[string]any)
		if target["properties"] == nil && strings.HasPrefix(name, "io.k8s.") { // manifests leave out descriptions of types such as Time
			target = maps.Clone(target)
			delete(target, "description")
		}
		ours = inserted(ours, target)
	}
	keys := maps.Clone(theirs)
	maps.Copy(keys, ours)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		p.compare(at+"/"+key, theirs[key], ours[key])
	}
}

// refIn returns the name of the schema to which another one refers.
func refIn(schema map[string]any) (string, bool) {
	if parts, ok := schema["allOf"].([]any); ok && len(parts) > 0 {
		schema, _ = parts[0].(map[string]any)
	}
	ref, ok := schema["$ref"].(string)
	return path.Base(ref), ok
}

// inserted returns a schema with the one that it refers to in it.
func inserted(schema, target map[string]any) map[string]any {
	all := maps.Clone(target)
	for key, value := range schema {
		switch list, _ := value.([]any); {
		case key == "$ref":
		case key == "allOf" && len(list) == 1:
		case key == "allOf":
			all[key] = list[1:]
		case key == "x-kubernetes-validations" || key == "required":
			earlier, _ := all[key].([]any)
			all[key] = slices.Concat(earlier, list)
		case key == "properties" && all[key] != nil:
			both := maps.Clone(all[key].(map[string]any))
			maps.Copy(both, value.(map[string]any))
			all[key] = both
		default:
			all[key] = value
		}
	}
	return all
}
