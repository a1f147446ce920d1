// Package nouns tests clients and manifests of one run.
package nouns

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"

	"sigs.k8s.io/yaml"

	"github.com/kubegen/kubegen/internal/moduletest"
)

var nounSeed = flag.Uint64("nouns", 1, "TestNouns chooses the markers of kinds from this seed")

// nouns are the names of kinds. Many have plurals on which generators disagree, or endings that they take for those
// of plurals. Status is not among them: the field-managed tracker of client-go ignores kinds of that name.
//
//go:embed testdata/nouns.txt
var nouns string

// nounKind is a kind with random markers.
type nounKind struct {
	Name    string
	Markers []string
	Status  bool // it has the field
	Refused bool // its markers contradict each other, or the manifest

	// Of the manifest.
	Resource                  string
	Namespaced, Serves, Scale bool
	// Of the client.
	Plural string // in Go
}

// randomNouns returns a kind for each noun.
func randomNouns(seed uint64) []*nounKind {
	random := rand.New(rand.NewPCG(seed, 0))
	often := func(percent int) bool { return random.IntN(100) < percent }
	var all []*nounKind
	for _, name := range strings.Fields(nouns) {
		k := &nounKind{Name: name, Status: often(60)}
		mark := func(format string, args ...any) { k.Markers = append(k.Markers, fmt.Sprintf(format, args...)) }
		var arguments []string
		cluster, path := often(25), ""
		if cluster {
			arguments = append(arguments, "scope=Cluster")
		} else if often(10) {
			arguments = append(arguments, "scope=Namespaced")
		}
		if often(20) {
			path = strings.ToLower(name) + "-set"
			arguments = append(arguments, "path="+path)
		}
		if often(10) {
			arguments = append(arguments, "singular="+strings.ToLower(name)+"-one")
		}
		if len(arguments) > 0 {
			mark("kubebuilder:resource:%s", strings.Join(arguments, ","))
		}
		if often(20) {
			mark("genclient:nonNamespaced")
			k.Refused = k.Refused || !cluster
		}
		switch {
		case path != "" && often(30):
			mark("resourceName=%s", path)
		case often(5):
			mark("resourceName=%s-other", strings.ToLower(name))
			k.Refused = true
		}
		if often(50) {
			mark("kubebuilder:subresource:status")
		}
		if often(10) {
			mark("genclient:noStatus")
		}
		if often(20) {
			mark("kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas")
		}
		if often(5) {
			mark("genclient:method=Rescale,verb=update,subresource=scale,input=k8s.io/api/autoscaling/v1.Scale,result=k8s.io/api/autoscaling/v1.Scale")
			k.Refused = k.Refused || !slices.ContainsFunc(k.Markers, func(m string) bool { return strings.HasPrefix(m, "kubebuilder:subresource:scale") })
		}
		all = append(all, k)
	}
	return all
}

var nounTypes = template.Must(template.New("types").Parse(`package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +genclient
{{- range .Markers}}
// +{{.}}
{{- end}}
type {{.Name}} struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `
	Spec Counted ` + "`json:\"spec,omitempty\"`" + `
{{- if .Status}}
	Status Counted ` + "`json:\"status,omitempty\"`" + `
{{- end}}
}

type {{.Name}}List struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata,omitempty\"`" + `
	Items []{{.Name}} ` + "`json:\"items\"`" + `
}
`))

var nounUses = template.Must(template.New("uses").Parse(`package uses

import (
	"sync"
	"testing"

	"github.com/kubegen/kubegen/fakeapi"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "example.com/nouns/apis/nouns/v1"
	apply "example.com/nouns/pkg/generated/applyconfiguration/nouns/v1"
	"example.com/nouns/pkg/generated/clientset/versioned"
	"example.com/nouns/pkg/generated/clientset/versioned/fake"
	"example.com/nouns/pkg/generated/clientset/versioned/scheme"
)

// server serves all manifests.
var server = sync.OnceValues(func() (*fakeapi.API, error) {
	options, err := crdvalidation.Options(scheme.Scheme, "../crds")
	return fakeapi.New(options...), err
})

// on calls a function with each clientset.
func on(t *testing.T, use func(t *testing.T, set versioned.Interface, applies bool)) {
	t.Run("server", func(t *testing.T) {
		api, err := server()
		if err != nil {
			t.Fatal(err)
		}
		use(t, versioned.NewForConfigOrDie(api.RESTConfig()), true)
	})
	t.Run("simple", func(t *testing.T) { use(t, fake.NewSimpleClientset(), false) })
	t.Run("managed", func(t *testing.T) { use(t, fake.NewClientset(), true) })
}

func must(t *testing.T, verb string, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", verb, err)
	}
}
{{range .}}
func Test{{.Name}}(t *testing.T) {
	initial := &v1.{{.Name}}{ObjectMeta: metav1.ObjectMeta{Name: "initial"{{if .Namespaced}}, Namespace: "d"{{end}}}}
	for _, set := range []versioned.Interface{fake.NewSimpleClientset(initial.DeepCopy()), fake.NewClientset(initial.DeepCopy())} {
		_, err := set.NounsV1().{{.Plural}}({{if .Namespaced}}"d"{{end}}).Get(t.Context(), "initial", metav1.GetOptions{})
		must(t, "get initial object", err)
	}
	on(t, func(t *testing.T, set versioned.Interface, applies bool) {
		c, ctx := set.NounsV1().{{.Plural}}({{if .Namespaced}}"d"{{end}}), t.Context()
		made, err := c.Create(ctx, &v1.{{.Name}}{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
		must(t, "create", err)
		made, err = c.Get(ctx, "a", metav1.GetOptions{})
		must(t, "get", err)
		made.Spec.Replicas = 2
		made, err = c.Update(ctx, made, metav1.UpdateOptions{})
		must(t, "update", err)
{{- if .Serves}}
		made.Status.Replicas = 3
		made, err = c.UpdateStatus(ctx, made, metav1.UpdateOptions{})
		must(t, "update status", err)
		if made.Status.Replicas != 3 {
			t.Error("the status is not updated")
		}
{{- end}}
{{- if .Scale}}
		scale, err := c.GetScale(ctx, "a", metav1.GetOptions{})
		must(t, "get scale", err)
		if scale.Spec.Replicas != 2 {
			t.Errorf("scale has %d replicas", scale.Spec.Replicas)
		}
{{- end}}
		if applies {
			_, err = c.Apply(ctx, apply.{{.Name}}("b"{{if .Namespaced}}, "d"{{end}}).WithSpec(apply.Counted().WithReplicas(1)), metav1.ApplyOptions{FieldManager: "m", Force: true})
			must(t, "apply", err)
		} else {
			_, err = c.Create(ctx, &v1.{{.Name}}{ObjectMeta: metav1.ObjectMeta{Name: "b"}}, metav1.CreateOptions{})
			must(t, "create", err)
		}
		list, err := c.List(ctx, metav1.ListOptions{})
		must(t, "list", err)
		if len(list.Items) != 2 {
			t.Errorf("%d items", len(list.Items))
		}
		must(t, "delete", c.Delete(ctx, "a", metav1.DeleteOptions{}))
		if _, err := c.Get(ctx, "a", metav1.GetOptions{}); err == nil || err.Error() != "{{.Resource}}.nouns.example.com \"a\" not found" {
			t.Errorf("get after delete: %v", err)
		}
	})
}
{{end}}`))

// TestNouns names kinds by English nouns and gives them random markers. One run writes clients that ask for what its
// manifests serve, or refuses a kind at a position of it; and each clientset works. The clients of every fifth kind are
// compiled and used, as are those of test/fakeapi/random.
func TestNouns(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it builds a command and hundreds of clients")
	}
	kubegen, dir := filepath.Join(moduletest.Build(t, "kubegen"), "kubegen"), t.TempDir()
	moduletest.Copy(t, dir, "../../go.mod", "example.com/nouns")
	writeIn(t, dir, "apis/nouns/v1/doc.go", []byte("// +groupName=nouns.example.com\npackage v1\n\n// Counted has replicas.\ntype Counted struct {\n\tReplicas int32 `json:\"replicas,omitempty\"`\n}\n"))
	kinds := randomNouns(*nounSeed)
	for _, k := range kinds {
		writeIn(t, dir, k.file(), execute(t, nounTypes, k))
	}

	run := func(name string, args ...string) ([]byte, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		return cmd.CombinedOutput()
	}
	generate := func() ([]byte, error) {
		return run(kubegen, "--with-deepcopy", "--with-register", "--with-crds=crds", "./apis/...")
	}
	remove := func(k *nounKind) {
		if err := os.Remove(filepath.Join(dir, k.file())); err != nil {
			t.Fatal(err)
		}
	}
	refused := 0
	for {
		out, err := generate()
		if err == nil {
			break
		}
		before := len(kinds)
		for _, line := range regexp.MustCompile(`(?m)^apis/nouns/v1/(\w+)\.go:\d+:\d+: error: .*`).FindAllStringSubmatch(string(out), -1) {
			kinds = slices.DeleteFunc(kinds, func(k *nounKind) bool {
				if strings.ToLower(k.Name) != line[1] {
					return false
				}
				if !k.Refused && !regexp.MustCompile(` ha(s|ve) the (plural|name) `).MatchString(line[0]) {
					t.Errorf("%s with %v is refused: %s", k.Name, k.Markers, line[0])
				}
				remove(k)
				return true
			})
		}
		if refused += before - len(kinds); len(kinds) == before {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for _, k := range kinds {
		if k.Refused {
			t.Errorf("%s with %v is not refused", k.Name, k.Markers)
		}
		k.compare(t, dir)
	}
	if t.Failed() || refused < 10 || len(kinds) < 100 {
		t.Fatalf("%d kinds, %d refused", len(kinds), refused)
	}
	t.Logf("%d kinds, %d refused", len(kinds), refused)
	var used []*nounKind
	for i, k := range kinds {
		if i%5 == 0 {
			used = append(used, k)
		} else {
			remove(k)
		}
	}
	if out, err := generate(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	writeIn(t, dir, "uses/uses_test.go", execute(t, nounUses, used))
	if out, err := run("go", "test", "-vet=off", "./uses"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func (k *nounKind) file() string { return "apis/nouns/v1/" + strings.ToLower(k.Name) + ".go" }

// compare reads the manifest of a kind and its client, and reports where they disagree.
func (k *nounKind) compare(t *testing.T, dir string) {
	t.Helper()
	client := readIn(t, dir, "pkg/generated/clientset/versioned/typed/nouns/v1/"+strings.ToLower(k.Name)+".go")
	asked := regexp.MustCompile(`\n\s+("[^"]+"),\s+c\.RESTClient\(\)`).FindStringSubmatch(client)
	getter := regexp.MustCompile(`\n\t(\w+)\((namespace string)?\) ` + k.Name + `Interface\n`).FindStringSubmatch(client)
	if asked == nil || getter == nil {
		t.Errorf("the client of %s has another form", k.Name)
		return
	}
	k.Resource, _ = strconv.Unquote(asked[1])
	k.Plural, k.Namespaced = getter[1], getter[2] != ""
	k.Serves = strings.Contains(client, "UpdateStatus(")
	k.Scale = strings.Contains(client, "GetScale(")

	var manifest struct {
		Spec struct {
			Scope    string
			Names    struct{ Kind, Plural string }
			Versions []struct {
				Subresources struct{ Status, Scale *struct{} }
			}
		}
	}
	if err := yaml.Unmarshal([]byte(readIn(t, dir, "crds/nouns.example.com_"+k.Resource+".yaml")), &manifest); err != nil {
		t.Fatal(err)
	}
	spec := manifest.Spec
	if spec.Names.Kind != k.Name || spec.Names.Plural != k.Resource || (spec.Scope == "Namespaced") != k.Namespaced {
		t.Errorf("%s: client %+v, manifest %+v", k.Name, k, spec)
	}
	if sub := spec.Versions[0].Subresources; k.Serves && sub.Status == nil || k.Scale && sub.Scale == nil {
		t.Errorf("%s: client %+v, manifest %+v", k.Name, k, sub)
	}
}

func execute(t *testing.T, tmpl *template.Template, data any) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := tmpl.Execute(&text, data); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

func writeIn(t *testing.T, dir, name string, text []byte) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func readIn(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
