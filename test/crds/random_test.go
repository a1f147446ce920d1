// Package crds_test compares CustomResourceDefinitions with those of controller-gen.
package crds_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "k8s.io/api/core/v1"
	_ "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	_ "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

var (
	seeds = flag.Int("seeds", 200, "number of random packages")
	first = flag.Uint64("first", 0, "first seed")
)

// TestRandom compares manifests of random types with random markers. Those of kubegen must not depend on which types
// are in a package of their own, where controller-gen refuses most markers above the fields that have these types.
func TestRandom(t *testing.T) {
	one, several := randomModule(t), randomModule(t)
	for i := range *seeds {
		seed := *first + uint64(i)
		s, base := randomPackage(seed, false), fmt.Sprintf("s%d/base/types.go", seed)
		write(t, filepath.Join(one, fmt.Sprintf("s%d/v1/types.go", seed)), []byte(s.String()))
		s = randomPackage(seed, true)
		write(t, filepath.Join(several, fmt.Sprintf("s%d/v1/types.go", seed)), []byte(s.String()))
		write(t, filepath.Join(several, base), []byte(s.base))
	}
	want := reference(t, one, "crd:allowDangerousTypes=true", "./...")
	for _, dir := range []string{one, several} {
		var o crd.Options
		o.Floats = true
		got, diags := generate(t, dir, o, "./...")
		for _, d := range diags {
			if d.Severity == diag.Error {
				t.Errorf("%s: %s", d.Pos, d.Message)
			}
		}
		compare(t, got, want)
		if t.Failed() {
			t.Fatalf("see %s", keep(t, dir))
		}
	}
}

// randomModule returns the directory of a new module with the requirements of the module test.
func randomModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	moduletest.Copy(t, dir, "../go.mod", "example.com/random")
	return dir
}

// keep copies a directory to one that outlives the test.
func keep(t *testing.T, dir string) string {
	to, err := os.MkdirTemp("", "crds-")
	if err == nil {
		err = os.CopyFS(to, os.DirFS(dir))
	}
	if err != nil {
		t.Log(err)
	}
	return to
}

// reference returns the manifests of controller-gen by name.
func reference(t *testing.T, dir, generator string, patterns ...string) map[string]string {
	t.Helper()
	found, _ := run(t, dir, generator, patterns...) // what it wrote although it reports errors is compared
	return found
}

// run returns the manifests of controller-gen by name, and whether it reports errors.
func run(t *testing.T, dir, generator string, patterns ...string) (found map[string]string, refused bool) {
	t.Helper()
	tool, err := exec.Command("go", "tool", "-n", "controller-gen").Output()
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	cmd := exec.Command(strings.TrimSpace(string(tool)), generator, "paths="+strings.Join(patterns, ";"), "output:dir="+out)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Logf("controller-gen: %v\n%.4000s", err, text)
	}
	found = map[string]string{}
	names, _ := filepath.Glob(filepath.Join(out, "*.yaml"))
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Base(name)] = string(text)
	}
	return found, err != nil
}

// generate returns our manifests by name.
func generate(t *testing.T, dir string, o crd.Options, patterns ...string) (map[string]string, diag.List) {
	t.Helper()
	o.Tool, o.SkipValidation = "kubegen", true
	vars := append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	l := load.NewLoader(t.Context(), load.Config{Env: load.Environment{Dir: dir, Vars: vars}, Marker: "+genclient"})
	packages, diags := l.Find(patterns)
	l.Read(packages)
	found := map[string]string{}
	types := gotypes.NewReader(l, model.Policy{})
	settings := goschema.NewMarkers(types, nil)
	for _, file := range crd.Generate(settings, facts.Served(types, l.Input), o, &diags).Files {
		found[file.Name] = string(file.Content)
	}
	return found, slices.Concat(diags, types.Refused(), l.Mistakes())
}

// tool is the line with the version of the tool.
var tool = regexp.MustCompile(`(?m)^ +` + regexp.QuoteMeta(crd.Annotation) + `: .*\n`)

// compare reports differences, and returns how many manifests are equal.
func compare(t *testing.T, got, want map[string]string) int {
	t.Helper()
	equal, report := differences(got, want)
	if report != "" {
		t.Error(report)
	}
	return equal
}

// differences returns how many manifests are equal, and describes the first difference of each of the others.
func differences(got, want map[string]string) (equal int, report string) {
	names := slices.AppendSeq(slices.Collect(maps.Keys(got)), maps.Keys(want))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		g, w := tool.ReplaceAllString(got[name], ""), tool.ReplaceAllString(want[name], "")
		if g == w {
			equal++
			continue
		}
		gl, wl := strings.Split(g, "\n"), strings.Split(w, "\n")
		i := 0
		for i < min(len(gl), len(wl)) && gl[i] == wl[i] {
			i++
		}
		around := func(lines []string) string { return strings.Join(lines[max(0, i-6):min(len(lines), i+6)], "\n") }
		report += fmt.Sprintf("%s differs at line %d\ngot\n%s\nwant\n%s\n", name, i+1, around(gl), around(wl))
	}
	return equal, report
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// source writes a random package.
type source struct {
	strings.Builder
	*rand.Rand
	structs, texts, numbers, lists, maps []string // names of declared types
	base                                 string   // text of a package with the first types, if there is one
}

func (s *source) pick(options ...string) string { return options[s.IntN(len(options))] }

func (s *source) often(percent int) bool { return s.IntN(100) < percent }

func (s *source) line(indent, format string, args ...any) {
	fmt.Fprintf(s, "%s%s\n", indent, fmt.Sprintf(format, args...))
}

// randomPackage returns a package with a kind, whose types refer only to those declared before them. If split is
// true, the first types are in a package of their own.
func randomPackage(seed uint64, split bool) *source {
	s := &source{Rand: rand.New(rand.NewPCG(seed, 7))}
	optional := s.often(20)
	s.begin("v1", fmt.Sprintf("// +groupName=s%d.example.com", seed), optional)
	types := 2 + s.IntN(8)
	first := s.IntN(types + 1)
	for i := range types + 1 {
		if i == first && split {
			s.apart(seed, optional)
		}
		if i < types {
			s.declare(i)
		}
	}
	s.kind(seed)
	return s
}

// begin begins a package.
func (s *source) begin(name, marker string, optional bool, imports ...string) {
	s.line("", "%s", marker)
	if optional {
		s.line("", "// +kubebuilder:validation:Optional")
	}
	s.line("", "package %s\n\nimport (\n\tcorev1 \"k8s.io/api/core/v1\"\n\tapiextensionsv1 \"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1\"\n"+
		"\t\"k8s.io/apimachinery/pkg/api/resource\"\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\t\"k8s.io/apimachinery/pkg/runtime\"\n"+
		"\t\"k8s.io/apimachinery/pkg/util/intstr\"\n\t\"time\"\n%s)\n", name, strings.Join(imports, ""))
	s.line("", "var _ corev1.Pod\nvar _ apiextensionsv1.JSON\nvar _ resource.Quantity\nvar _ runtime.RawExtension\nvar _ intstr.IntOrString\nvar _ time.Duration\n")
}

// apart makes what was written a package of its own, to whose types the following ones refer.
func (s *source) apart(seed uint64, optional bool) {
	marker, rest, _ := strings.Cut(s.String(), "\n")
	s.base = strings.Replace(rest, "package v1", "package base", 1)
	s.Reset()
	s.begin("v1", marker, optional, fmt.Sprintf("\t\"example.com/random/s%d/base\"\n", seed))
	for _, names := range [][]string{s.structs, s.texts, s.numbers, s.lists, s.maps} {
		for i := range names {
			names[i] = "base." + names[i]
		}
	}
}

// declare declares a type.
func (s *source) declare(i int) {
	name := fmt.Sprintf("T%d", i)
	chosen := s.IntN(9)
	if s.often(15) && chosen < 2 {
		s.line("", "// +kubebuilder:validation:MinLength=9\n// a comment apart, whose markers count\n")
	} else {
		s.doc("", "type")
	}
	switch chosen {
	case 0, 1:
		s.rules("", "string", false)
		s.line("", "type %s string\n", name)
		s.texts = append(s.texts, name)
	case 2:
		s.rules("", "integer", false)
		s.line("", "type %s %s\n", name, s.pick("int32", "int64", "int", "uint8", "uint32"))
		s.numbers = append(s.numbers, name)
	case 3:
		s.rules("", "array", false)
		s.line("", "type %s []%s\n", name, s.pick(append(s.structs, "string", "int32")...))
		s.lists = append(s.lists, name)
	case 4:
		s.rules("", "object", false)
		s.line("", "type %s map[string]%s\n", name, s.pick(append(s.texts, "string", "bool")...))
		s.maps = append(s.maps, name)
	default:
		s.structure(name)
	}
}

// doc writes a comment.
func (s *source) doc(indent, what string) {
	for range s.IntN(4) {
		s.line(indent, "// %s", s.pick(
			"The "+what+" is described here: at some length, so that the line has to be folded somewhere after column eighty of the file.", "Short.", "", "TODO: later",
			"  - a list item", "\ta block of code", "// twice", "---", "It's \"quoted\" & <escaped> `code`.", "```", "#hash", "key: value", "Trailing space ", "é日本 😀", "nolint:all is no directive here", "yes", "1.5",
		))
	}
}

// rules writes markers that fit a type; on fields, also those for fields alone.
func (s *source) rules(indent, typ string, field bool) {
	var all []string
	switch typ {
	case "string":
		all = []string{"MinLength=1", "MaxLength=63", "Pattern=`^[a-z]+: \\S$`", "Pattern:=\"^x{1,3}$\"", "Format=date-time", "Enum=a;b;\"c d\"", "Enum={x,y}"}
	case "integer":
		all = []string{"Minimum=1", "Minimum=-3", "Maximum=100", "ExclusiveMaximum=true", "MultipleOf=2", "Enum=1;2;3", "Enum=9007199254740993;-9223372036854775808", "Maximum=9007199254740993", "Format=int64"}
	case "number":
		all = []string{"Minimum=0.5", "Maximum=1e21", "MultipleOf=0.25", "ExclusiveMinimum=false", "Minimum=1e-7"}
	case "array":
		all = []string{"MinItems=1", "MaxItems=10", "UniqueItems=true", "XValidation:rule=\"self.size() > 0\""}
	case "object":
		all = []string{"MinProperties=1", "MaxProperties=5", "XValidation:rule=\"has(self.a)\",message=\"needs a\",reason=FieldValueRequired,fieldPath=`.a`", "XValidation:rule=`true`,messageExpression=\"'x: ' + self.y\",optionalOldSelf=true"}
	}
	for _, rule := range all {
		if s.often(20) {
			s.line(indent, "// +kubebuilder:validation:%s", rule)
		}
	}
	if s.often(5) {
		s.line(indent, "// +kubebuilder:title=%s", s.pick("Title", `"A: title"`))
	}
	if s.often(5) {
		s.line(indent, "// +kubebuilder:externalDocs:url=\"https://example.com/a\",description=%s", s.pick("here", `"see: there"`))
	}
	if s.often(3) {
		s.line(indent, "// +kubebuilder:pruning:PreserveUnknownFields")
	}
	if !field {
		return
	}
	for _, marker := range []string{"optional", "required", "kubebuilder:validation:Optional", "kubebuilder:validation:Required", "k8s:optional", "k8s:required", "nullable", "unknown"} {
		if s.often(8) && (marker != "k8s:required" || typ == "string" || typ == "array" || typ == "object") { // see exceptions
			s.line(indent, "// +%s", marker)
		}
	}
	if s.often(15) {
		s.line(indent, "// +kubebuilder:default%s%s", s.pick("=", ":="), map[string][]string{
			"string": {"a", `"b: c"`, "`d`", "1", "true", "a b", "2024-01-01", "100Mi", `""`}, "integer": {"1", "-5", "12345678901", "9007199254740993", "-9223372036854775808"}, "number": {"1.5", "2", "1e3"},
			"array": {"{}", "{a,b}", "a;b", "{1,9007199254740993}", `{{a: 9223372036854775807}}`}, "object": {"{}", `{a: b, "c": {1, 2}, d: {e: true}}`, "{a: 1.5}"}, "boolean": {"true", "false"}, "": {"x"},
		}[typ][s.IntN(max(1, map[string]int{"string": 9, "integer": 5, "number": 3, "array": 5, "object": 3, "boolean": 2}[typ]))])
	}
	if s.often(8) {
		s.line(indent, "// +default=%s", s.pick("1", `"x"`, `{"b":1,"a":[true,null]}`, "ref(Constant)", "[]", "1e2"))
	}
	if s.often(5) {
		s.line(indent, "// +kubebuilder:example=%s", s.pick("1", `"x y"`, "{a: b}", "x;y", "9007199254740993", "{{a: 9007199254740993}}"))
	}
	if s.often(10) && typ != "array" && typ != "object" { // where controller-gen puts the rule among others is random
		s.line(indent, "// +k8s:immutable")
	}
}

// structure declares a struct.
func (s *source) structure(name string) {
	s.rules("", "object", false)
	s.line("", "type %s struct {", name)
	fields := s.IntN(8)
	if len(s.structs) > 0 && s.often(30) {
		s.line("\t", "%s `json:\",inline\"`", s.pick("", "*")+s.pick(s.structs...))
	}
	for i := range fields {
		s.field(fmt.Sprintf("%s%s%d", s.pick("A", "B", "Other"), name, i))
	}
	s.line("", "}\n")
	s.structs = append(s.structs, name)
}

// field declares a field of a random type.
func (s *source) field(name string) {
	if s.often(10) {
		s.line("\t", "// +optional\n\n")
	}
	types := [][2]string{
		{"string", "string"}, {"string", "string"}, {"int32", "integer"}, {"int64", "integer"}, {"float64", "number"}, {"bool", "boolean"}, {"[]byte", "string"},
		{"[]string", "array"}, {"map[string]string", "object"}, {"map[string][]int", "object"}, {"[][]string", "array"}, {"metav1.Time", ""}, {"metav1.Duration", ""},
		{"resource.Quantity", ""}, {"intstr.IntOrString", ""}, {"runtime.RawExtension", ""}, {"apiextensionsv1.JSON", ""}, {"corev1.SecretKeySelector", ""},
		{"metav1.LabelSelector", ""}, {"corev1.ResourceList", "object"}, {"time.Duration", ""}, {"[]corev1.EnvVar", "array"}, {"corev1.PullPolicy", ""}, {"metav1.ObjectMeta", ""},
		{"[3]string", "array"}, {"map[string]runtime.RawExtension", "object"},
	}
	add := func(names []string, typ string) {
		for _, n := range names {
			types = append(types, [2]string{n, typ}, [2]string{"*" + n, ""})
		}
	}
	add(s.structs, "")
	add(s.texts, "string")
	add(s.numbers, "integer")
	add(s.lists, "array")
	add(s.maps, "object")
	for _, n := range s.structs {
		types = append(types, [2]string{"[]" + n, "list"}, [2]string{"map[string]" + n, "object"})
	}
	chosen := types[s.IntN(len(types))]
	goType, typ := chosen[0], chosen[1]
	s.doc("\t", "field")
	if isMap := typ == "list" && s.often(20); isMap {
		s.line("\t", "// +listType=map\n\t// +listMapKey=name\n\t// +listMapKey=%s", s.pick("name", "other"))
	} else if (typ == "list" || typ == "array") && s.often(15) {
		s.line("\t", "// +listType=%s", s.pick("set", "atomic"))
	}
	if typ == "list" {
		typ = "array"
	}
	if goType == "[]string" && s.often(40) {
		s.line("\t", "// +kubebuilder:validation:items:%s", s.pick("MaxLength=5", "Enum=a;b", "Pattern=`^a`"))
	}
	if typ == "object" && s.often(10) {
		s.line("\t", "// +mapType=%s", s.pick("atomic", "granular"))
	}
	s.rules("\t", typ, true)
	if strings.HasPrefix(strings.TrimPrefix(goType, "base."), "T") && typ == "" && s.often(10) {
		s.line("\t", "// +structType=atomic")
	}
	if typ == "" && s.often(10) {
		s.line("\t", "// +kubebuilder:validation:%s", s.pick("Schemaless", "EmbeddedResource", "XPreserveUnknownFields", "Nullable"))
	}
	json := strings.ToLower(name[:1]) + name[1:]
	s.line("\t", "%s %s `json:\"%s%s\"`%s", name, goType, json, s.pick("", "", ",omitempty", ",omitzero"), s.pick("", "", " // +optional"))
}

// kind declares the kind.
func (s *source) kind(seed uint64) {
	s.doc("", "kind")
	if s.often(50) {
		s.line("", "// +kubebuilder:subresource:status")
	}
	if s.often(30) {
		s.line("", "// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas%s", s.pick("", ",selectorpath=.status.selector"))
	}
	for range s.IntN(3) {
		s.line("", "// +kubebuilder:printcolumn:name=%s,type=%s,JSONPath=`.spec.x[?(@.type==\"Ready\")]`%s", s.pick("A", `"A b"`), s.pick("string", "date"), s.pick("", ",priority=1", `,description="what: it is"`))
	}
	if s.often(40) {
		s.line("", "// +kubebuilder:resource:%s", s.pick("path=things", "scope=Cluster", "shortName=a;b,categories={x,y}", "singular=one"))
	}
	if s.often(10) {
		s.line("", "// +kubebuilder:deprecatedversion%s", s.pick("", `:warning="do not: use"`))
	}
	if s.often(10) {
		s.line("", "// +kubebuilder:metadata:annotations=\"a/b=c=d\";\"x10=y\",labels=\"x9=z\"")
	}
	if s.often(10) {
		s.line("", "// +kubebuilder:selectablefield:JSONPath=`.spec.x`")
	}
	kind := s.pick("Goose", "Thing", "Policy", "Box", "Gateway", "Status", "Index", "HTTPRoute", "Chassis", "Quota", "Bus", "Series", "Person", "Hero", "Buzz", "Leaf", "Media", "Analysis")
	s.line("", "type %s struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\t// standard metadata\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n", kind)
	for i := range 1 + s.IntN(4) {
		s.field(fmt.Sprintf("Spec%d", i))
	}
	s.line("", "}")
}
