package crds_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/kubegen/kubegen/internal/apitest"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/schemas/edits"
	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// editedModules are public modules that edit their manifests with programs of their own. The files kubegen.yaml in
// testdata/edits say the same.
var editedModules = []struct {
	publicModule
	config    string
	got, want string // directories
	texts     bool   // descriptions are compared
}{
	{publicModule{path: "github.com/argoproj/argo-rollouts", version: "v1.8.3"}, "argo-rollouts.yaml", "out", "manifests/crds", true},
	{publicModule{path: "knative.dev/serving", version: "v0.48.1"}, "serving.yaml", "config/core/300-resources", "want", false},
	{publicModule{path: "sigs.k8s.io/gateway-api", version: "v1.6.3"}, "gateway-api.yaml", "out", "config/crd/standard", false},
}

// TestEditsOfModules compares schemas that edits change with those of the programs of public modules.
func TestEditsOfModules(t *testing.T) {
	bin := moduletest.Build(t, "kubegen")
	for _, m := range editedModules {
		t.Run(m.path, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "module")
			if err := os.CopyFS(dir, os.DirFS(download(t, m.publicModule))); err != nil {
				t.Fatal(err)
			}
			config, err := os.ReadFile(filepath.Join("testdata/edits", m.config))
			if err != nil {
				t.Fatal(err)
			}
			if lines := strings.Count(string(config), "\n"); lines > 40 {
				t.Errorf("%s has %d lines", m.config, lines)
			}
			write(t, filepath.Join(dir, "kubegen.yaml"), withTagged(t, dir, config))
			if m.want == "want" { // the manifests are replaced
				if err := os.CopyFS(filepath.Join(dir, m.want), os.DirFS(filepath.Join(dir, m.got))); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(filepath.Join(bin, "kubegen"))
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%.3000s", err, out)
			}
			got, want := schemasIn(t, filepath.Join(dir, m.got), m.texts), schemasIn(t, filepath.Join(dir, m.want), m.texts)
			if len(want) < 5 {
				t.Errorf("only %d schemas", len(want))
			}
			for name, schema := range want {
				if !reflect.DeepEqual(got[name], schema) {
					t.Errorf("the schema of %s differs: %s", name, firstDifference("", got[name], schema))
				}
			}
		})
	}
}

// tagged matches a rule in a tag of gateway-api's.
var tagged = regexp.MustCompile("<gateway:standard:validation:XValidation:message=\"([^\"]*)\",rule=\"([^\"]*)\">")

// withTagged replaces RULES in a configuration by the rules that the module writes in tags of its generator, about
// parents.
func withTagged(t *testing.T, dir string, config []byte) []byte {
	if !strings.Contains(string(config), "RULES") {
		return config
	}
	text, err := os.ReadFile(filepath.Join(dir, "apis/v1/shared_types.go"))
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	for _, m := range tagged.FindAllStringSubmatch(string(text), -1) {
		rules = append(rules, fmt.Sprintf("{message: %q, rule: %q}", m[1], m[2]))
	}
	return []byte(strings.ReplaceAll(string(config), "RULES", "["+strings.Join(rules, ", ")+"]"))
}

// schemasIn returns the schemas of CustomResourceDefinitions in a directory, by name and version.
func schemasIn(t *testing.T, dir string, texts bool) map[string]any {
	t.Helper()
	found := map[string]any{}
	names, _ := filepath.Glob(filepath.Join(dir, "*.yaml"))
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for key, schema := range schemasOf(t, text) {
			if !texts {
				schema = withoutTexts(schema)
			}
			found[key] = schema
		}
	}
	return found
}

func schemasOf(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var definition struct {
		Kind     string
		Metadata struct{ Name string }
		Spec     struct {
			Versions []struct {
				Name   string
				Schema struct{ OpenAPIV3Schema any }
			}
		}
	}
	if err := yaml.Unmarshal(text, &definition); err != nil {
		t.Fatal(err)
	}
	found := map[string]any{}
	for _, v := range definition.Spec.Versions {
		if definition.Kind == "CustomResourceDefinition" {
			found[definition.Metadata.Name+" "+v.Name] = v.Schema.OpenAPIV3Schema
		}
	}
	return found
}

// withoutTexts returns a schema without descriptions.
func withoutTexts(schema any) any {
	switch value := schema.(type) {
	case map[string]any:
		bare := map[string]any{}
		for key, inner := range value {
			if _, text := inner.(string); key != "description" || !text {
				bare[key] = withoutTexts(inner)
			}
		}
		return bare
	case []any:
		bare := make([]any, len(value))
		for i := range value {
			bare[i] = withoutTexts(value[i])
		}
		return bare
	}
	return schema
}

// firstDifference describes the first difference of two values.
func firstDifference(at string, got, want any) string {
	g, gok := got.(map[string]any)
	w, wok := want.(map[string]any)
	if !gok || !wok {
		return fmt.Sprintf("%s is %.200v, want %.200v", at, got, want)
	}
	for _, key := range slices.Sorted(maps.Keys(w)) {
		if !reflect.DeepEqual(g[key], w[key]) {
			return firstDifference(at+"/"+key, g[key], w[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(g)) {
		if _, ok := w[key]; !ok {
			return at + "/" + key + " is not wanted"
		}
	}
	return "none"
}

// twoPods is a kind whose manifest is larger than the limits of servers and of kubectl apply.
const twoPods = `// +groupName=example.com
package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +kubebuilder:object:root=true
type Pair struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	First  corev1.PodTemplateSpec ` + "`json:\"first\"`" + `
	Second corev1.PodTemplateSpec ` + "`json:\"second\"`" + `
}
`

// TestEditsOfSize measures the manifest of a kind with two PodSpecs, before and after the edit that the documentation
// recommends.
func TestEditsOfSize(t *testing.T) {
	dir := randomModule(t)
	write(t, filepath.Join(dir, "v1/types.go"), []byte(twoPods))
	sizes := func(config string) (inYAML, inJSON int) {
		found, diags := generateEdited(t, dir, config)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		text := found["example.com_pairs.yaml"]
		compact, err := yaml.YAMLToJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		return len(text), len(compact)
	}
	const annotation, stored = 262_144, 1_572_864 // in bytes of JSON: of kubectl apply, and of etcd
	before, beforeJSON := sizes("[]")
	after, afterJSON := sizes("- {type: k8s.io/api/core/v1.PodSpec, drop: [descriptions]}")
	t.Logf("%d bytes, %d of JSON; after: %d, %d", before, beforeJSON, after, afterJSON)
	if before < 1_000_000 || beforeJSON < annotation || afterJSON > annotation || after > stored {
		t.Error("the documentation is out of date")
	}
}

// workflow is the kind of the examples in docs/reference/edits.md.
const workflow = `// +groupName=example.com
package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +kubebuilder:object:root=true
type Workflow struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Spec WorkflowSpec ` + "`json:\"spec\"`" + `
}

type WorkflowSpec struct {
	Template corev1.PodTemplateSpec ` + "`json:\"template\"`" + `
	Hosts    []string               ` + "`json:\"hosts,omitempty\"`" + `
}
`

// TestEditsPage applies the edits in docs/reference/edits.md.
func TestEditsPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/edits.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\nedits:\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 1 {
		t.Fatalf("%d examples", len(blocks))
	}
	dir := randomModule(t)
	write(t, filepath.Join(dir, "v1/types.go"), []byte(workflow))
	found, diags := generateEdited(t, dir, blocks[0][1])
	for _, d := range diags {
		if d.Severity != diag.Error {
			continue
		}
		t.Errorf("%s: %s (%s)", d.Pos, d.Message, d.Hint)
	}
	pods := func(s map[string]any) map[string]any {
		for _, name := range []string{"spec", "template", "spec"} {
			s = s["properties"].(map[string]any)[name].(map[string]any)
		}
		return s["properties"].(map[string]any)
	}
	for _, schema := range schemasOf(t, found["example.com_workflows.yaml"]) {
		below(pods(schema.(map[string]any))["containers"].(map[string]any), func(s map[string]any) {
			if s["description"] != nil {
				t.Errorf("a description remains: %v", s["description"])
			}
		})
		opaque := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
		for name, want := range map[string]any{"affinity": opaque, "volumes": map[string]any{"type": "array", "items": opaque}} {
			if got := pods(schema.(map[string]any))[name]; !reflect.DeepEqual(got, want) {
				t.Errorf("the schema of %s is %v, want %v", name, got, want)
			}
		}
		spec := schema.(map[string]any)["properties"].(map[string]any)["spec"].(map[string]any)
		hosts := spec["properties"].(map[string]any)["hosts"].(map[string]any)
		if want := (map[string]any{"type": "string", "maxLength": 253.0}); !reflect.DeepEqual(hosts["items"], want) {
			t.Errorf("the schema of hosts[] is %v, want %v", hosts["items"], want)
		}
	}
}

// generateEdited returns manifests by name, with edits.
func generateEdited(t *testing.T, dir, config string) (map[string][]byte, diag.List) {
	t.Helper()
	var document yamlv3.Node
	if err := yamlv3.Unmarshal([]byte(config), &document); err != nil {
		t.Fatal(err)
	}
	o := crd.Options{}
	o.Floats = true
	var diags diag.List
	if len(document.Content[0].Content) > 0 {
		o.Edits, diags = edits.Read("kubegen.yaml", document.Content[0])
	}
	l, types, mistakes := typesIn(t, dir, []string{"./..."})
	manifests, wrong := crd.Generate(goschema.NewMarkers(types, nil), facts.ReadObjects(types, l.Input), o)
	found := map[string][]byte{}
	for _, file := range manifests.Files {
		found[file.Name] = file.Content
	}
	all := crd.NewFound()
	all.Definitions = []crd.Manifests{manifests}
	return found, slices.Concat(diags, mistakes, wrong, all.Unmatched())
}

// declared matches the beginning of a struct, and inlined the embedded ones.
var (
	declared = regexp.MustCompile(`(?m)^type (\w+) struct \{$`)
	inlined  = regexp.MustCompile("(?m)^\t\\*?(\\w+) `json:\",inline\"`$")
)

// TestRandomEdits edits random schemas at random paths, or random structs: the manifest equals the one without the edit
// but for the change at the path, or wherever the struct is, and a server accepts it, or there is an error at the edit.
func TestRandomEdits(t *testing.T) {
	t.Run("paths", func(t *testing.T) { testRandomEdits(t, false) })
	t.Run("types", func(t *testing.T) { testRandomEdits(t, true) })
}

func testRandomEdits(t *testing.T, ofTypes bool) {
	dir := randomModule(t)
	for i := range *seeds {
		seed := *first + uint64(i)
		text, _ := apitest.Schemas(seed, false)
		if ofTypes { // schemas of structs have their names as titles
			for _, m := range inlined.FindAllStringSubmatch(text, -1) { // in whose place are others
				text = strings.ReplaceAll(text, "type "+m[1]+" struct {", "type "+m[1]+" struct  {")
			}
			text = declared.ReplaceAllString(text, "// +kubebuilder:title=type-$1\n$0")
		}
		write(t, filepath.Join(dir, fmt.Sprintf("s%d/v1/types.go", seed)), []byte(text))
	}
	before, diags := generateEdited(t, dir, "[]")
	refused := map[string]bool{} // without edits
	for _, d := range diags {
		refused[d.Pos.Filename] = true
	}
	scheme := runtime.NewScheme()
	install.Install(scheme)
	var config strings.Builder
	names, all, lines := slices.Sorted(maps.Keys(before)), map[string]*randomEdit{}, map[int]string{}
	for i, name := range names {
		r := rand.New(rand.NewPCG(*first, uint64(i)))
		if e := newRandomEdit(t, r, before[name], ofTypes); e != nil && (ofTypes || len(serverErrors(t, scheme, before[name])) == 0) {
			all[name] = e
			lines[strings.Count(config.String(), "\n")+1] = name
			fmt.Fprintf(&config, "- {%s, %s}\n", e.entry(), e.change)
		}
	}
	after, diags := generateEdited(t, dir, config.String())
	mistaken := map[string]bool{}
	for _, d := range diags {
		for _, pos := range []int{d.Pos.Line, d.Related.Line} {
			if name := lines[pos]; name != "" && (d.Pos.Filename == "kubegen.yaml" || d.Related.Filename == "kubegen.yaml") && d.Severity == diag.Error {
				mistaken[name] = true
			}
		}
	}
	edited := 0
	for _, name := range names {
		e := all[name]
		switch {
		case e == nil && string(after[name]) != string(before[name]):
			t.Errorf("%s changes without an edit", name)
		case e == nil || mistaken[name]:
		default:
			edited++
			want, got := schemasOf(t, before[name]), schemasOf(t, after[name])
			for version := range want {
				e.apply(want[version])
				e.hide(got[version])
				e.hide(want[version])
				if !reflect.DeepEqual(got[version], want[version]) {
					t.Errorf("%s, %s: %s: %s", name, e.path, e.change, firstDifference("", got[version], want[version]))
				}
			}
			if errs := serverErrors(t, scheme, after[name]); len(errs) > 0 && len(serverErrors(t, scheme, before[name])) == 0 {
				t.Errorf("%s, %s: %s: a server refuses it: %s", name, e.path, e.change, errs[0])
			}
		}
	}
	if t.Logf("%d edits, %d mistakes", edited, len(mistaken)); edited < len(names)/4 && !ofTypes || edited < len(names)/8 {
		t.Error("there are few edits")
	}
	again, _ := generateEdited(t, dir, config.String())
	if !reflect.DeepEqual(again, after) {
		t.Error("a second run differs")
	}
	if t.Failed() {
		t.Logf("see %s", keep(t, dir))
	}
}

// randomEdit is an edit of a kind at a path or of a type, and its effect on a schema as data.
type randomEdit struct {
	kind, group, path, change string
	typ                       string   // "" for an edit of a kind
	steps                     []string // from schema to schema
	effect                    func(schema map[string]any)
}

// entry returns the beginning of the entry in kubegen.yaml.
func (e *randomEdit) entry() string {
	if e.typ != "" {
		return fmt.Sprintf("type: example.com/random/%s/v1.%s", strings.TrimSuffix(e.group, ".example.com"), strings.TrimPrefix(e.typ, "type-"))
	}
	return fmt.Sprintf("kind: %s.%s, paths: [%q]", e.kind, e.group, e.path)
}

// hide removes what fields decide where the type is, and not the type.
func (e *randomEdit) hide(schema any) {
	below(schema.(map[string]any), func(s map[string]any) {
		if e.typ != "" && s["title"] == e.typ {
			for _, key := range []string{"description", "default", "nullable", "x-kubernetes-map-type"} {
				delete(s, key)
			}
		}
	})
}

func newRandomEdit(t *testing.T, r *rand.Rand, manifest []byte, ofType bool) *randomEdit {
	var of struct {
		Spec struct {
			Group string
			Names struct{ Kind string }
		}
	}
	if err := yaml.Unmarshal(manifest, &of); err != nil {
		t.Fatal(err)
	}
	schemas := schemasOf(t, manifest)
	if len(schemas) != 1 {
		return nil
	}
	e := &randomEdit{kind: of.Spec.Names.Kind, group: of.Spec.Group}
	var at map[string]any
	for _, schema := range schemas {
		at = schema.(map[string]any)
	}
	if ofType {
		found := map[string]map[string]any{}
		below(at, func(s map[string]any) {
			if title, _ := s["title"].(string); strings.HasPrefix(title, "type-") && title != "type-"+e.kind {
				found[title] = s
			}
		})
		titles := slices.Sorted(maps.Keys(found))
		if len(titles) == 0 {
			return nil
		}
		e.typ = titles[r.IntN(len(titles))]
		e.choose(r, found[e.typ])
		return e
	}
	for depth := 0; depth < 4; depth++ {
		fields, _ := at["properties"].(map[string]any)
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(fields)), func(name string) bool {
			return slices.Contains([]string{"apiVersion", "kind", "metadata"}, name) || fields[name].(map[string]any)["type"] == nil
		})
		if len(names) == 0 || depth > 0 && r.IntN(3) == 0 {
			break
		}
		name := names[r.IntN(len(names))]
		e.steps = append(e.steps, "properties", name)
		if e.path += "." + name; depth == 0 {
			e.path = name
		}
		at = fields[name].(map[string]any)
		for _, key := range []string{"items", "additionalProperties"} {
			if inner, ok := at[key].(map[string]any); ok && r.IntN(2) == 0 && inner["type"] != nil {
				e.path, at, e.steps = e.path+"[]", inner, append(e.steps, key)
			}
		}
	}
	if len(e.steps) == 0 {
		return nil
	}
	e.choose(r, at)
	return e
}

// choose chooses the change of a schema.
func (e *randomEdit) choose(r *rand.Rand, at map[string]any) {
	fields, _ := at["properties"].(map[string]any)
	names := slices.Sorted(maps.Keys(fields))
	n := r.IntN(8)
	if e.typ != "" && (n == 3 || n == 4) { // the title stays
		n = 0
	}
	switch {
	case n == 0 && len(names) > 1:
		gone := names[r.IntN(len(names))]
		e.change, e.effect = fmt.Sprintf("drop-fields: [%q]", gone), func(s map[string]any) { dropField(s, gone) }
	case n == 1 && len(names) > 1:
		kept := names[r.IntN(len(names))]
		e.change, e.effect = fmt.Sprintf("keep-fields: [%q]", kept), func(s map[string]any) {
			for _, name := range names {
				if name != kept {
					dropField(s, name)
				}
			}
		}
	case n == 2 && at["type"] == "object" && len(names) > 0:
		e.change, e.effect = "preserve-unknown-fields: true", func(s map[string]any) {
			for key := range s {
				if !slices.Contains([]string{"type", "description", "title", "example", "externalDocs", "nullable", "x-kubernetes-map-type"}, key) {
					delete(s, key)
				}
			}
			s["x-kubernetes-preserve-unknown-fields"] = true
		}
	case n == 3:
		e.change, e.effect = "replace: {type: integer, minimum: 3}", func(s map[string]any) {
			clear(s)
			s["type"], s["minimum"] = "integer", 3.0
		}
	case n == 4:
		e.change, e.effect = "set: {title: T, description: null}", func(s map[string]any) {
			s["title"] = "T"
			delete(s, "description")
		}
	case n == 5:
		e.change, e.effect = "drop: [descriptions]", func(s map[string]any) { below(s, func(s map[string]any) { delete(s, "description") }) }
	case n == 6:
		e.change, e.effect = "drop: [defaults, list-types]", func(s map[string]any) {
			below(s, func(s map[string]any) {
				for _, key := range []string{"default", "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"} {
					delete(s, key)
				}
			})
		}
	default:
		e.change, e.effect = "drop: [required, list-types]", func(s map[string]any) {
			below(s, func(s map[string]any) {
				for _, key := range []string{"required", "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"} {
					delete(s, key)
				}
			})
		}
	}
}

// apply changes a schema at the path.
func (e *randomEdit) apply(schema any) {
	if e.typ != "" {
		below(schema.(map[string]any), func(s map[string]any) {
			if s["title"] == e.typ {
				e.effect(s)
			}
		})
		return
	}
	for _, step := range e.steps {
		schema = schema.(map[string]any)[step]
	}
	e.effect(schema.(map[string]any))
}

// dropField removes a field from a schema.
func dropField(s map[string]any, name string) {
	fields := s["properties"].(map[string]any)
	if delete(fields, name); len(fields) == 0 {
		delete(s, "properties")
	}
	required, _ := s["required"].([]any)
	if required = slices.DeleteFunc(required, func(other any) bool { return other == name }); len(required) == 0 {
		delete(s, "required")
	} else {
		s["required"] = required
	}
}

// below changes a schema and all schemas in it, but for alternatives.
func below(s map[string]any, change func(map[string]any)) {
	change(s)
	for _, key := range []string{"items", "additionalProperties"} {
		if inner, ok := s[key].(map[string]any); ok {
			below(inner, change)
		}
	}
	fields, _ := s["properties"].(map[string]any)
	for _, inner := range fields {
		below(inner.(map[string]any), change)
	}
}
