package crds_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

var mistakes = flag.Int("mistakes", 1000, "number of random packages with mistakes")

// verdict is what kubegen and a server say of a package.
type verdict struct {
	seed     uint64
	manifest []byte   // with all versions of the only kind
	derived  int      // number of errors of kubegen before its checks; the markers concerned are not in the manifest
	checked  []string // errors of its checks
	server   []string // errors of a server, except for those about CEL
}

// onlyHere are parts of errors of kubegen for what servers accept, with the reasons for which it does not.
var onlyHere = map[string]string{}

// onlyThere are parts of errors of servers that kubegen does not report, with the reasons.
var onlyThere = map[string]string{
	"protected groups must have approval annotation": "a warning: the annotation may be added before the manifest is applied",
}

// TestRefused compares what kubegen refuses with what a server does: random packages with mistakes, one kind each.
func TestRefused(t *testing.T) {
	verdicts := randomVerdicts(t, *mistakes)
	counts := map[string]int{}
	for _, v := range verdicts {
		if v.derived > 0 {
			counts["of all: some markers have no effect"]++
		}
		switch {
		case len(v.server) > 0 && len(v.checked) > 0:
			counts["both refuse"]++
		case len(v.server) == 0 && len(v.checked) == 0:
			counts["both accept"]++
		case len(v.server) == 0:
			if reason := excused(v.checked, onlyHere); reason != "" {
				counts["only kubegen refuses: "+reason]++
				continue
			}
			counts["only kubegen refuses"]++
			t.Errorf("seed %d: kubegen refuses what a server accepts:\n%s", v.seed, strings.Join(v.checked, "\n"))
		default:
			if reason := excused(v.server, onlyThere); reason != "" {
				counts["only a server refuses: "+reason]++
				continue
			}
			counts["only a server refuses"]++
			t.Errorf("seed %d: kubegen accepts what a server refuses:\n%s", v.seed, strings.Join(v.server, "\n"))
		}
	}
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%5d %s", counts[what], what)
	}
	if counts["both refuse"] < *mistakes/4 || counts["both accept"] < *mistakes/20 {
		t.Error("too few packages of a sort; change what is random")
	}
}

// excused returns the reason for which all errors may be there; "" if there is none.
func excused(errs []string, reasons map[string]string) (why string) {
	for _, err := range errs {
		known := ""
		for part, reason := range reasons {
			if strings.Contains(err, part) {
				known = reason
			}
		}
		if known == "" {
			return ""
		}
		why = known
	}
	return why
}

// randomVerdicts returns the verdicts on random packages, by seed.
func randomVerdicts(t *testing.T, n int) (all []verdict) {
	t.Helper()
	dir := randomModule(t)
	for i := range n {
		seed := *first + uint64(i)
		for version, text := range mistaken(seed) {
			write(t, filepath.Join(dir, fmt.Sprintf("s%d", seed), version, "types.go"), text)
		}
		all = append(all, verdict{seed: seed})
	}
	manifests := map[uint64][]byte{}
	errs := map[bool]map[uint64][]string{}
	for _, unchecked := range []bool{true, false} {
		found, diags := generateChecked(t, dir, unchecked)
		errs[unchecked] = map[uint64][]string{}
		for _, d := range diags {
			seed, ok := seedOf(d.Pos.Filename, dir)
			if d.Severity == diag.Error && ok {
				errs[unchecked][seed] = append(errs[unchecked][seed], fmt.Sprintf("%s: %s", d.Pos, d.Message))
			} else if d.Severity == diag.Error {
				t.Errorf("%s: %s", d.Pos, d.Message)
			}
		}
		for name, text := range found {
			group, _, _ := strings.Cut(strings.TrimLeft(strings.ToLower(name), "s_"), "_")
			number, _, _ := strings.Cut(group, ".")
			if seed, err := strconv.ParseUint(number, 10, 64); err != nil {
				t.Errorf("%s: %v", name, err)
			} else {
				manifests[seed] = text
			}
		}
	}
	scheme := runtime.NewScheme()
	install.Install(scheme)
	for i := range all {
		v := &all[i]
		before := errs[true][v.seed]
		v.derived, v.manifest = len(before), manifests[v.seed]
		if v.manifest == nil {
			t.Errorf("seed %d: no manifest", v.seed)
			continue
		}
		v.checked = slices.DeleteFunc(errs[false][v.seed], func(err string) bool { return slices.Contains(before, err) })
		v.server = serverErrors(t, scheme, v.manifest)
	}
	if t.Failed() {
		t.Logf("see %s", keep(t, dir))
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("see %s", keep(t, dir))
		}
	})
	return all
}

// seedOf returns the seed of the package of a file.
func seedOf(file, dir string) (uint64, bool) {
	rel, err := filepath.Rel(dir, file)
	if err != nil {
		return 0, false
	}
	number, _, _ := strings.Cut(strings.TrimPrefix(filepath.ToSlash(rel), "s"), "/")
	seed, err := strconv.ParseUint(number, 10, 64)
	return seed, err == nil
}

func generateChecked(t *testing.T, dir string, unchecked bool) (map[string][]byte, diag.List) {
	t.Helper()
	o := crd.Options{SkipValidation: unchecked}
	o.Floats = true
	vars := append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	l := load.NewLoader(t.Context(), load.Config{Env: load.Environment{Dir: dir, Vars: vars}, Marker: "+genclient"})
	packages, diags := l.Find([]string{"./..."})
	l.Read(packages)
	found := map[string][]byte{}
	types := gotypes.NewReader(l, model.Policy{})
	settings := goschema.NewMarkers(types, nil)
	for _, file := range crd.Generate(settings, facts.Served(types, l.Input), o, &diags).Files {
		found[file.Name] = file.Content
	}
	return found, slices.Concat(diags, types.Refused(), l.Mistakes())
}

// serverErrors returns the errors with which a server refuses a manifest, except for those about CEL.
func serverErrors(t *testing.T, scheme *runtime.Scheme, manifest []byte) (errs []string) {
	t.Helper()
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(manifest, definition); err != nil {
		return []string{err.Error()}
	}
	scheme.Default(definition)
	internal := &apiextensions.CustomResourceDefinition{}
	if err := scheme.Convert(definition, internal, nil); err != nil {
		return []string{err.Error()}
	}
	defer func() {
		if reason := recover(); reason != nil { // as a real server does, which answers "internal error"
			errs = append(errs, fmt.Sprintf("panic: %v", reason))
		}
	}()
	for _, err := range validation.ValidateCustomResourceDefinition(context.Background(), internal) {
		if text := err.Error(); !aboutCEL(text) {
			if len(text) > 500 {
				text = text[:200] + " ... " + text[len(text)-300:]
			}
			errs = append(errs, text)
		}
	}
	return errs
}

// sourceOfMistakes writes a random package, many of whose markers are wrong.
type sourceOfMistakes struct {
	source
	rate int // how often each marker is there, in ten thousand
}

func (s *sourceOfMistakes) at(rate int) bool { return s.IntN(10000) < rate }

// mistaken returns the files of a random package, by version.
func mistaken(seed uint64) map[string][]byte {
	random := rand.New(rand.NewPCG(seed, 11))
	found := map[string][]byte{}
	versions := []string{"v1"}
	if random.IntN(100) < 15 {
		versions = append(versions, []string{"v1beta1", "v2"}[random.IntN(2)])
	}
	group := fmt.Sprintf("s%d.example.com", seed)
	if random.IntN(100) < 6 {
		group = fmt.Sprintf([]string{"s%d", "S%d.example.com", "s%d.k8s.io", "s%d.x_y.com", "s%d." + strings.Repeat("x", 64) + ".io"}[random.IntN(5)], seed)
	}
	name := ""
	for i, version := range versions {
		s := &sourceOfMistakes{source: source{Rand: random}, rate: []int{2, 8, 30}[random.IntN(3)]}
		s.line("", "// +groupName=%s", group)
		if s.often(2) {
			s.line("", "// +versionName=%s", s.pick("V1", "1a", "a_b", "v1.2"))
		}
		s.line("", "package %s\n\nimport (\n\tcorev1 \"k8s.io/api/core/v1\"\n\tapiextensionsv1 \"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1\"\n"+
			"\t\"k8s.io/apimachinery/pkg/api/resource\"\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\t\"k8s.io/apimachinery/pkg/runtime\"\n"+
			"\t\"k8s.io/apimachinery/pkg/util/intstr\"\n)\n", version)
		s.line("", "var _ corev1.Pod\nvar _ apiextensionsv1.JSON\nvar _ resource.Quantity\nvar _ runtime.RawExtension\nvar _ intstr.IntOrString\n")
		s.types()
		if name == "" { // the same in all versions
			name = s.odd("Goose", "G_oose", strings.Repeat("G", 59), strings.Repeat("G", 60), "Gänse")
		}
		s.kindWithMistakes(name, i == 0)
		found[version] = []byte(s.String())
	}
	return found
}

// any writes random ones of some markers.
func (s *sourceOfMistakes) any(indent string, all ...string) {
	for _, marker := range all {
		if s.at(s.rate) {
			s.line(indent, "// +%s", marker)
		}
	}
}

var (
	values = []string{
		"1", "-1", "1.5", `"a"`, `""`, "true", "{}", "{a,b}", `{"a","a"}`, "{1,2}", "{a: b}", `{name: "x"}`, `{name: "x", size: 1}`, `{name: "x", other: {1}}`, `{{name: "x"}}`, `{{name: "x", size: 3}, {size: 4}}`,
		`{{size: "x"}}`, `"2024-01-01T00:00:00Z"`, `"2024-01-01"`, `"10.0.0.1"`, `"10.0.0.0/8"`, `"YWJj"`, "3000000000", "12345678901234567890", `{apiVersion: v1, kind: Pod}`, `{apiVersion: v1}`, `{matchLabels: {a: b}}`,
		`{matchLabels: {a: 1}}`, `{matchExpressions: {{key: a}}}`, "{a: {name: b}}", "{{a,b}}", `"5Gi"`, `"x y"`, "0.5", "100", "{key: k, name: n}",
	}
	forStrings = []string{
		"MinLength=1", "MinLength=3", "MaxLength=2", "MaxLength=0", "MaxLength=-1", "Pattern=`^[a-z]+$`", "Pattern=`^a(?=b)`", "Pattern=`[`", "Pattern=`\\1`", "Pattern=``", "Enum=a;b", "Enum=1;2", "Enum=a;a", `Enum=""`,
		"Format=date-time", "Format=uuid", "Format=byte", "Format=ipv4", "Format=cidr", "Format=unknown", "Format=int32", "Format=date", "Format=k8s-short-name", "Format=mac", "Format=ipv6", "Format=hostname", "Format=uri",
	}
	forNumbers = []string{
		"Minimum=1", "Minimum=-3", "Minimum=50", "Maximum=100", "Maximum=0", "Maximum=1e12", "ExclusiveMaximum=true", "ExclusiveMinimum=true", "MultipleOf=2", "MultipleOf=0", "MultipleOf=-1", "Enum=1;2;3", "Enum=a", "Enum=1.5",
		"Format=int32", "Format=int64", "Format=double", "Format=float", "Format=unknown",
	}
	forLists   = []string{"MinItems=1", "MinItems=3", "MaxItems=1", "MaxItems=5", "UniqueItems=true", "UniqueItems=false", "items:MaxLength=3", "items:Pattern=`(`", "items:Enum=a;b", "items:Minimum=2", "items:XValidation:rule=`self == oldSelf`"}
	forObjects = []string{"MinProperties=1", "MaxProperties=1", "MaxProperties=0"}
	forAll     = []string{
		"Type=string", "Type=object", "Type=array", "Type=null", "Type=int", "Type=number", "Schemaless", "XPreserveUnknownFields", "EmbeddedResource", "XEmbeddedResource", "XIntOrString",
		"XValidation:rule=``", "XValidation:rule=`  `", "XValidation:rule=`true`,message=`  `", "XValidation:rule=\"true\",message=\"a\\nb\"", "XValidation:rule=\"true ||\\n false\"", "XValidation:rule=\"true ||\\n false\",message=m",
		"XValidation:rule=`true`,messageExpression=` `", "XValidation:rule=`true`,fieldPath=`.name`", "XValidation:rule=`true`,fieldPath=`.nam`", "XValidation:rule=`true`,fieldPath=`name`", "XValidation:rule=`true`,fieldPath=` `",
		"XValidation:rule=`true`,fieldPath=`.item.name`", "XValidation:rule=`true`,fieldPath=`['name']`", "XValidation:rule=`true`,fieldPath=`.name[0]`", "XValidation:rule=`true`,fieldPath=`.`", "XValidation:rule=`true`,reason=FieldValueForbidden",
		"XValidation:rule=`true`,optionalOldSelf=true", "XValidation:rule=`!oldSelf.hasValue() || true`,optionalOldSelf=true", "XValidation:rule=`oldSelf == oldSelf`", "XValidation:rule=`'oldSelf' != ''`", "XValidation:rule=`self == self`,message=x",
	}
	validations = "kubebuilder:validation:"
)

// markersFor writes random markers above a type or field, most of them of the sort that fits.
func (s *sourceOfMistakes) markersFor(indent, sort string, field bool) {
	prefixed := func(all []string, rate int) {
		for _, marker := range all {
			if s.at(rate) {
				s.line(indent, "// +%s%s", validations, marker)
			}
		}
	}
	fits := map[string][]string{"string": forStrings, "number": forNumbers, "list": forLists, "objects": forLists, "object": forObjects}[sort]
	prefixed(fits, 3*s.rate)
	for _, marker := range forAll {
		if bare := strings.HasPrefix(marker, "EmbeddedResource") || strings.HasPrefix(marker, "Schemaless"); field || !bare {
			if s.at(s.rate / 2) {
				s.line(indent, "// +%s%s", validations, marker)
			}
		}
	}
	if sort == "list" && s.often(8*s.rate) {
		if kind := s.pick("set", "map", "map", "map", "atomic"); kind == "map" {
			s.line(indent, "// +listType=map")
			for range s.IntN(3) {
				s.line(indent, "// +listMapKey=%s", s.pick("name", "name", "size", "key", "nme", "list", "flag"))
			}
		} else {
			s.line(indent, "// +listType=%s", kind)
		}
	}
	if sort == "object" {
		s.any(indent, "mapType=atomic", "mapType=granular", "structType=atomic")
	}
	if field {
		for range 5 {
			s.any(indent, "optional", "required", "nullable")
		}
		s.any(indent, "kubebuilder:pruning:PreserveUnknownFields")
		if s.at(30 * s.rate) {
			s.line(indent, "// +kubebuilder:default=%s", s.fittingDefault(sort))
		}
	}
}

// fittingDefault returns a default, usually one of the sort.
func (s *sourceOfMistakes) fittingDefault(sort string) string {
	if s.often(30) {
		return s.pick(values...)
	}
	switch sort {
	case "string":
		return s.pick(`"a"`, `"abc"`, `""`, `"A b"`, `"2024-01-01T00:00:00Z"`, `"10.0.0.1"`, `"YWJj"`)
	case "number":
		return s.pick("1", "2", "0", "-3", "100", "1.5", "3000000000")
	case "list", "objects":
		return s.pick("{}", "{a,b}", "{1}", `{{name: "x"}}`, `{{}}`)
	case "object":
		return s.pick("{}", `{name: "x"}`, "{a: b}", `{name: "x", size: 1}`, "{a: {name: b}}")
	}
	return s.pick(values...)
}

// types declares types for fields.
func (s *sourceOfMistakes) types() {
	s.markersFor("", "string", false)
	s.line("", "type Text string\n")
	s.markersFor("", "number", false)
	s.line("", "type Number int32\n")
	s.markersFor("", "object", false)
	s.line("", "type Item struct {")
	for _, f := range [][3]string{{"Name", "string", "string"}, {"Size", "int32", "number"}, {"Flag", "*bool", ""}, {"List", "[]string", "list"}, {"Text", "Text", "string"}} {
		s.markersFor("\t", f[2], true)
		s.line("\t", "%s %s `json:\"%s%s\"`", f[0], f[1], strings.ToLower(f[0]), s.pick("", ",omitempty"))
	}
	s.line("", "}\n")
	s.markersFor("", "objects", false)
	s.line("", "type Items []Item\n")
	s.line("", "type Deep struct {")
	for _, f := range [][3]string{{"Name", "string", "string"}, {"List", "[]string", "list"}, {"Map", "map[string]Text", "object"}, {"Limit", "resource.Quantity", ""}} {
		s.markersFor("\t", f[2], true)
		s.line("\t", "%s %s `json:\"%s,omitempty\"`", f[0], f[1], strings.ToLower(f[0]))
	}
	s.line("", "}\n")
	s.markersFor("", "object", false)
	s.line("", "type Outer struct {\n\tItem Item `json:\"item,omitempty\"`")
	s.markersFor("\t", "string", true)
	s.line("\t", "Name string `json:\"name,omitempty\"`")
	if s.often(20) { // whose fields are merged with those that hide them
		s.line("\t", "Deep `json:\",inline\"`")
		if s.often(20) {
			s.line("\t", "%s", s.pick("List []string `json:\"list\"`", "Map map[string]string `json:\"map\"`", "Limit intstr.IntOrString `json:\"limit\"`", "Map map[string]Item `json:\"map\"`"))
		}
	}
	s.randomFields("O", 3)
	s.line("", "}\n")
}

// randomFields declares fields.
func (s *sourceOfMistakes) randomFields(prefix string, n int) {
	types := [][2]string{
		{"string", "string"}, {"string", "string"}, {"Text", "string"}, {"*string", "string"}, {"int32", "number"}, {"int64", "number"}, {"float64", "number"}, {"Number", "number"}, {"bool", ""}, {"[]byte", "string"},
		{"[]string", "list"}, {"[]Text", "list"}, {"[]int32", "list"}, {"[]Item", "objects"}, {"Items", "objects"}, {"[][]string", "list"}, {"map[string]string", "object"}, {"map[string]Item", "object"}, {"map[string][]Item", "object"},
		{"Item", "object"}, {"*Item", "object"}, {"metav1.Time", "string"}, {"metav1.Duration", "string"}, {"resource.Quantity", ""}, {"intstr.IntOrString", ""}, {"runtime.RawExtension", "object"}, {"apiextensionsv1.JSON", ""},
		{"metav1.LabelSelector", "object"}, {"corev1.SecretKeySelector", "object"}, {"[]corev1.EnvVar", "objects"}, {"[]metav1.Condition", "objects"}, {"corev1.ResourceRequirements", "object"},
	}
	for i := range 1 + s.IntN(n) {
		chosen := types[s.IntN(len(types))]
		s.markersFor("\t", chosen[1], true)
		s.line("\t", "%s%d %s `json:\"%s%d%s\"`", prefix, i, chosen[0], strings.ToLower(prefix), i, s.pick("", ",omitempty"))
	}
}

// kindWithMistakes declares the kind, in one version of which objects are stored.
func (s *sourceOfMistakes) kindWithMistakes(name string, stored bool) {
	if stored {
		s.line("", "// +kubebuilder:storageversion")
	}
	if s.often(50) {
		s.line("", "// +kubebuilder:subresource:status")
	}
	s.any("", "structType=atomic", validations+"MinProperties=1", validations+"XValidation:rule=`true`,fieldPath=`.spec.name`", validations+"XValidation:rule=`true`,fieldPath=`.spec.nme`",
		validations+"XPreserveUnknownFields", validations+"XEmbeddedResource", validations+"Type=string", "mapType=granular")
	if s.at(30 * s.rate) {
		s.line("", "// +kubebuilder:subresource:scale:specpath=%s,statuspath=%s%s", s.pick(".spec.size", ".spec.nothing", "spec.size", ".size", ".spec", `""`, ".spec."), s.pick(".status.size", ".status.name", ".spec.size", "status"),
			s.pick("", "", ",selectorpath=.status.name", ",selectorpath=.metadata.name", `,selectorpath=""`, ",selectorpath=.spec.name"))
	}
	for range s.IntN(4) {
		s.line("", "// +kubebuilder:printcolumn:name=%s,type=%s,JSONPath=%s%s", s.odd(`A`, `""`), s.odd(s.pick("string", "integer", "date", "boolean", "number"), "object", `""`, "String"),
			s.odd(s.pick(".spec.name", ".metadata.creationTimestamp", "`.status.conditions[?(@.type==\"Ready\")].status`"), "spec.name", `""`, ".", ".spec.nme", "`.spec[`"), s.odd("", ",format=int32", ",format=datetime", ",priority=1"))
	}
	paths := []string{".spec.name", ".spec.size", ".spec.item.name", ".spec.name"}
	for i := range s.IntN(2) * s.IntN(5) {
		s.line("", "// +kubebuilder:selectablefield:JSONPath=%s", s.odd(paths[i], ".spec.item", ".spec.nme", "spec.name", `""`, ".metadata.name", ".spec.list", ".kind", "`.spec['name']`", ".", ".spec..name", ".metadata"))
	}
	if s.at(s.rate) {
		for i := range 9 {
			s.line("", "// +kubebuilder:selectablefield:JSONPath=.spec.f%d", i)
		}
	}
	if s.at(30 * s.rate) {
		s.line("", "// +kubebuilder:resource:%s", s.pick("path=things", "path=Things", "path=a_b", "path=things,singular=Thing", "shortName=a;b", "shortName=A", "shortName=a.b", "categories=all", "categories=A", "scope=Cluster", "scope=Global", "singular=one",
			"path="+strings.Repeat("x", 64), "path="+strings.Repeat("x", 63), "shortName=-a", "path=1a"))
	}
	if s.at(12 * s.rate) {
		s.line("", "// +kubebuilder:deprecatedversion%s", s.pick("", ":warning=old", `:warning=""`, `:warning="a\nb"`, ":warning="+strings.Repeat("x", 257), ":warning="+strings.Repeat("x", 256)))
	}
	if s.at(12 * s.rate) {
		s.line("", "// +kubebuilder:metadata:%s", s.pick(`annotations="a=b"`, `annotations="a b=c"`, `annotations="A.example.com/b=c"`, `labels="a=b"`, `labels="a=b c"`, `labels="A.example.com/b=c"`, `labels="a/b/c=d"`,
			`labels="a=`+strings.Repeat("x", 64)+`"`, `annotations="api-approved.kubernetes.io=unapproved, x"`, `annotations="api-approved.kubernetes.io=https://example.com/1"`, `annotations="api-approved.kubernetes.io=yes"`))
	}
	s.line("", "type %s struct {", name)
	s.any("\t", "nullable", "nullable", "nullable")
	s.line("\t", "metav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n")
	s.line("\t", "Spec Spec `json:\"spec\"`\n\tStatus Spec `json:\"status,omitempty\"`")
	s.randomFields("F", 2)
	s.line("", "}\n\ntype Spec struct {\n\tOuter `json:\",inline\"`\n\tSize int32 `json:\"size\"`\n\tList []string `json:\"list,omitempty\"`")
	s.randomFields("F", 7)
	s.line("", "}")
}

// odd returns the usual text, and sometimes one of the others.
func (s *sourceOfMistakes) odd(usual string, others ...string) string {
	if s.at(2 * s.rate) {
		return s.pick(others...)
	}
	return usual
}

// aboutCEL reports whether an error is about the compilation, cost or evaluation of rules, which kubegen leaves to
// servers and to crdvalidation.Validate.
func aboutCEL(err string) bool {
	for _, part := range []string{"compilation failed", "rule cost", "failed rule"} {
		if strings.Contains(err, part) {
			return true
		}
	}
	return false
}
