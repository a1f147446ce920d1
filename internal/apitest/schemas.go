package apitest

import (
	"fmt"
	"strings"
)

// schemaPackage is a package whose types have random markers.
type schemaPackage struct {
	source
	structs, texts, numbers, lists, maps []string // names of declared types
	base                                 string   // text of a package with the first types, if there is one
}

// Schemas returns the text of a package with a kind, whose types refer only to those declared before them. If split is
// true, the first types are in a package of their own, base.
func Schemas(seed uint64, split bool) (text, base string) {
	s := &schemaPackage{source: newSource(seed, 7)}
	optional := s.chance(20)
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
	return s.text.String(), s.base
}

// begin begins a package.
func (s *schemaPackage) begin(name, marker string, optional bool, imports ...string) {
	s.line("", "%s", marker)
	if optional {
		s.line("", "// +kubebuilder:validation:Optional")
	}
	s.imports(name, append([]string{"time"}, imports...)...)
	s.line("", "var _ time.Duration\n")
}

// apart makes what was written a package of its own, to whose types the following ones refer.
func (s *schemaPackage) apart(seed uint64, optional bool) {
	marker, rest, _ := strings.Cut(s.text.String(), "\n")
	s.base = strings.Replace(rest, "package v1", "package base", 1)
	s.text.Reset()
	s.begin("v1", marker, optional, fmt.Sprintf("example.com/random/s%d/base", seed))
	for _, names := range [][]string{s.structs, s.texts, s.numbers, s.lists, s.maps} {
		for i := range names {
			names[i] = "base." + names[i]
		}
	}
}

// declare declares a type.
func (s *schemaPackage) declare(i int) {
	name := fmt.Sprintf("T%d", i)
	chosen := s.IntN(9)
	if s.chance(15) && chosen < 2 {
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
		s.line("", "type %s %s\n", name, s.oneOf("int32", "int64", "int", "uint8", "uint32"))
		s.numbers = append(s.numbers, name)
	case 3:
		s.rules("", "array", false)
		s.line("", "type %s []%s\n", name, s.oneOf(append(s.structs, "string", "int32")...))
		s.lists = append(s.lists, name)
	case 4:
		s.rules("", "object", false)
		s.line("", "type %s map[string]%s\n", name, s.oneOf(append(s.texts, "string", "bool")...))
		s.maps = append(s.maps, name)
	default:
		s.structure(name)
	}
}

// doc writes a comment.
func (s *schemaPackage) doc(indent, what string) {
	for range s.IntN(4) {
		s.line(indent, "// %s", s.oneOf(
			"The "+what+" is described here: at some length, so that the line has to be folded somewhere after column eighty of the file.",
			"Short.", "", "TODO: later",
			"  - a list item", "\ta block of code", "// twice", "---", "It's \"quoted\" & <escaped> `code`.", "```", "#hash", "key: value",
			"Trailing space ", "é日本 😀", "nolint:all is no directive here", "yes", "1.5",
		))
	}
}

// rules writes markers that fit a type; on fields, also those for fields alone.
func (s *schemaPackage) rules(indent, typ string, field bool) {
	var all []string
	switch typ {
	case "string":
		all = []string{"MinLength=1", "MaxLength=63", "Pattern=`^[a-z]+: \\S$`", "Pattern:=\"^x{1,3}$\"", "Format=date-time",
			"Enum=a;b;\"c d\"", "Enum={x,y}"}
	case "integer":
		all = []string{"Minimum=1", "Minimum=-3", "Maximum=100", "ExclusiveMaximum=true", "MultipleOf=2", "Enum=1;2;3",
			"Enum=9007199254740993;-9223372036854775808", "Maximum=9007199254740993", "Format=int64"}
	case "number":
		all = []string{"Minimum=0.5", "Maximum=1e21", "MultipleOf=0.25", "ExclusiveMinimum=false", "Minimum=1e-7"}
	case "array":
		all = []string{"MinItems=1", "MaxItems=10", "UniqueItems=true", "XValidation:rule=\"self.size() > 0\""}
	case "object":
		all = []string{"MinProperties=1", "MaxProperties=5",
			"XValidation:rule=\"has(self.a)\",message=\"needs a\",reason=FieldValueRequired,fieldPath=`.a`",
			"XValidation:rule=`true`,messageExpression=\"'x: ' + self.y\",optionalOldSelf=true"}
	}
	for _, rule := range all {
		if s.chance(20) {
			s.line(indent, "// +kubebuilder:validation:%s", rule)
		}
	}
	if s.chance(5) {
		s.line(indent, "// +kubebuilder:title=%s", s.oneOf("Title", `"A: title"`))
	}
	if s.chance(5) {
		s.line(indent, "// +kubebuilder:externalDocs:url=\"https://example.com/a\",description=%s", s.oneOf("here", `"see: there"`))
	}
	if s.chance(3) {
		s.line(indent, "// +kubebuilder:pruning:PreserveUnknownFields")
	}
	if !field {
		return
	}
	for _, marker := range []string{"optional", "required", "kubebuilder:validation:Optional", "kubebuilder:validation:Required",
		"k8s:optional", "k8s:required", "nullable", "unknown"} {
		if s.chance(8) && (marker != "k8s:required" || typ == "string" || typ == "array" || typ == "object") { // see exceptions
			s.line(indent, "// +%s", marker)
		}
	}
	if s.chance(15) {
		s.line(indent, "// +kubebuilder:default%s%s", s.oneOf("=", ":="), map[string][]string{
			"string": {"a", `"b: c"`, "`d`", "1", "true", "a b", "2024-01-01", "100Mi", `""`}, "integer": {"1", "-5", "12345678901",
				"9007199254740993", "-9223372036854775808"}, "number": {"1.5", "2", "1e3"},
			"array": {"{}", "{a,b}", "a;b", "{1,9007199254740993}", `{{a: 9223372036854775807}}`}, "object": {"{}",
				`{a: b, "c": {1, 2}, d: {e: true}}`, "{a: 1.5}"}, "boolean": {"true", "false"}, "": {"x"},
		}[typ][s.IntN(max(1, map[string]int{"string": 9, "integer": 5, "number": 3, "array": 5, "object": 3, "boolean": 2}[typ]))])
	}
	if s.chance(8) {
		s.line(indent, "// +default=%s", s.oneOf("1", `"x"`, `{"b":1,"a":[true,null]}`, "ref(Constant)", "[]", "1e2"))
	}
	if s.chance(5) {
		s.line(indent, "// +kubebuilder:example=%s", s.oneOf("1", `"x y"`, "{a: b}", "x;y", "9007199254740993", "{{a: 9007199254740993}}"))
	}
	if s.chance(10) && typ != "array" && typ != "object" { // where controller-gen puts the rule among others is random
		s.line(indent, "// +k8s:immutable")
	}
}

// structure declares a struct.
func (s *schemaPackage) structure(name string) {
	s.rules("", "object", false)
	s.line("", "type %s struct {", name)
	fields := s.IntN(8)
	if len(s.structs) > 0 && s.chance(30) {
		s.line("\t", "%s `json:\",inline\"`", s.oneOf("", "*")+s.oneOf(s.structs...))
	}
	for i := range fields {
		s.field(fmt.Sprintf("%s%s%d", s.oneOf("A", "B", "Other"), name, i))
	}
	s.line("", "}\n")
	s.structs = append(s.structs, name)
}

// field declares a field of a random type.
func (s *schemaPackage) field(name string) {
	if s.chance(10) {
		s.line("\t", "// +optional\n\n")
	}
	types := [][2]string{
		{"string", "string"}, {"string", "string"}, {"int32", "integer"}, {"int64", "integer"}, {"float64", "number"}, {"bool", "boolean"},
		{"[]byte", "string"},
		{"[]string", "array"}, {"map[string]string", "object"}, {"map[string][]int", "object"}, {"[][]string", "array"}, {"metav1.Time", ""},
		{"metav1.Duration", ""},
		{"resource.Quantity", ""}, {"intstr.IntOrString", ""}, {"runtime.RawExtension", ""}, {"apiextensionsv1.JSON", ""},
		{"corev1.SecretKeySelector", ""},
		{"metav1.LabelSelector", ""}, {"corev1.ResourceList", "object"}, {"time.Duration", ""}, {"[]corev1.EnvVar", "array"},
		{"corev1.PullPolicy", ""}, {"metav1.ObjectMeta", ""},
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
	if isMap := typ == "list" && s.chance(20); isMap {
		s.line("\t", "// +listType=map\n\t// +listMapKey=name\n\t// +listMapKey=%s", s.oneOf("name", "other"))
	} else if (typ == "list" || typ == "array") && s.chance(15) {
		s.line("\t", "// +listType=%s", s.oneOf("set", "atomic"))
	}
	if typ == "list" {
		typ = "array"
	}
	if goType == "[]string" && s.chance(40) {
		s.line("\t", "// +kubebuilder:validation:items:%s", s.oneOf("MaxLength=5", "Enum=a;b", "Pattern=`^a`"))
	}
	if typ == "object" && s.chance(10) {
		s.line("\t", "// +mapType=%s", s.oneOf("atomic", "granular"))
	}
	s.rules("\t", typ, true)
	if strings.HasPrefix(strings.TrimPrefix(goType, "base."), "T") && typ == "" && s.chance(10) {
		s.line("\t", "// +structType=atomic")
	}
	if typ == "" && s.chance(10) {
		s.line("\t", "// +kubebuilder:validation:%s", s.oneOf("Schemaless", "EmbeddedResource", "XPreserveUnknownFields", "Nullable"))
	}
	json := strings.ToLower(name[:1]) + name[1:]
	s.line("\t", "%s %s `json:\"%s%s\"`%s", name, goType, json, s.oneOf("", "", ",omitempty", ",omitzero"), s.oneOf("", "", " // +optional"))
}

// kind declares the kind.
func (s *schemaPackage) kind(seed uint64) {
	s.doc("", "kind")
	if s.chance(50) {
		s.line("", "// +kubebuilder:subresource:status")
	}
	if s.chance(30) {
		s.line("", "// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas%s", s.oneOf("",
			",selectorpath=.status.selector"))
	}
	for range s.IntN(3) {
		s.line("", "// +kubebuilder:printcolumn:name=%s,type=%s,JSONPath=`.spec.x[?(@.type==\"Ready\")]`%s", s.oneOf("A", `"A b"`),
			s.oneOf("string", "date"), s.oneOf("", ",priority=1", `,description="what: it is"`))
	}
	if s.chance(40) {
		s.line("", "// +kubebuilder:resource:%s", s.oneOf("path=things", "scope=Cluster", "shortName=a;b,categories={x,y}", "singular=one"))
	}
	if s.chance(10) {
		s.line("", "// +kubebuilder:deprecatedversion%s", s.oneOf("", `:warning="do not: use"`))
	}
	if s.chance(10) {
		s.line("", "// +kubebuilder:metadata:annotations=\"a/b=c=d\";\"x10=y\",labels=\"x9=z\"")
	}
	if s.chance(10) {
		s.line("", "// +kubebuilder:selectablefield:JSONPath=`.spec.x`")
	}
	kind := s.oneOf("Goose", "Thing", "Policy", "Box", "Gateway", "Status", "Index", "HTTPRoute", "Chassis", "Quota", "Bus", "Series",
		"Person", "Hero", "Buzz", "Leaf", "Media", "Analysis")
	s.line("",
		"type %s struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\t// standard metadata\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n",
		kind)
	for i := range 1 + s.IntN(4) {
		s.field(fmt.Sprintf("Spec%d", i))
	}
	s.line("", "}")
}
