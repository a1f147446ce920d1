package apitest

import (
	"fmt"
	"strings"
)

// mistakePackage writes a random package, many of whose markers are wrong.
type mistakePackage struct {
	source
	rate int // how often each marker is there, in ten thousand
}

func (s *mistakePackage) at(rate int) bool { return s.IntN(10000) < rate }

// Mistakes returns the files of the package of a seed, by version.
func Mistakes(seed uint64) map[string]string {
	random := newSource(seed, 11)
	found := map[string]string{}
	versions := []string{"v1"}
	if random.IntN(100) < 15 {
		versions = append(versions, []string{"v1beta1", "v2"}[random.IntN(2)])
	}
	group := fmt.Sprintf("s%d.example.com", seed)
	if random.IntN(100) < 6 {
		group = fmt.Sprintf([]string{"s%d", "S%d.example.com", "s%d.k8s.io", "s%d.x_y.com", "s%d." + strings.Repeat("x",
			64) + ".io"}[random.IntN(5)], seed)
	}
	name := ""
	for i, version := range versions {
		s := &mistakePackage{source: source{Rand: random.Rand}, rate: []int{2, 8, 30}[random.IntN(3)]}
		s.line("", "// +groupName=%s", group)
		if s.chance(2) {
			s.line("", "// +versionName=%s", s.oneOf("V1", "1a", "a_b", "v1.2"))
		}
		s.imports(version)
		s.line("", "")
		s.types()
		if name == "" { // the same in all versions
			name = s.odd("Goose", "G_oose", strings.Repeat("G", 59), strings.Repeat("G", 60), "Gänse")
		}
		s.kindWithMistakes(name, i == 0)
		found[version] = s.text.String()
	}
	return found
}

// any writes random ones of some markers.
func (s *mistakePackage) any(indent string, all ...string) {
	for _, marker := range all {
		if s.at(s.rate) {
			s.line(indent, "// +%s", marker)
		}
	}
}

var (
	values = []string{
		"1", "-1", "1.5", `"a"`, `""`, "true", "{}", "{a,b}", `{"a","a"}`, "{1,2}", "{a: b}", `{name: "x"}`, `{name: "x", size: 1}`,
		`{name: "x", other: {1}}`, `{{name: "x"}}`, `{{name: "x", size: 3}, {size: 4}}`,
		`{{size: "x"}}`, `"2024-01-01T00:00:00Z"`, `"2024-01-01"`, `"10.0.0.1"`, `"10.0.0.0/8"`, `"YWJj"`, "3000000000",
		"12345678901234567890", `{apiVersion: v1, kind: Pod}`, `{apiVersion: v1}`, `{matchLabels: {a: b}}`,
		`{matchLabels: {a: 1}}`, `{matchExpressions: {{key: a}}}`, "{a: {name: b}}", "{{a,b}}", `"5Gi"`, `"x y"`, "0.5", "100",
		"{key: k, name: n}",
	}
	forStrings = []string{
		"MinLength=1", "MinLength=3", "MaxLength=2", "MaxLength=0", "MaxLength=-1", "Pattern=`^[a-z]+$`", "Pattern=`^a(?=b)`", "Pattern=`[`",
		"Pattern=`\\1`", "Pattern=``", "Enum=a;b", "Enum=1;2", "Enum=a;a", `Enum=""`,
		"Format=date-time", "Format=uuid", "Format=byte", "Format=ipv4", "Format=cidr", "Format=unknown", "Format=int32", "Format=date",
		"Format=k8s-short-name", "Format=mac", "Format=ipv6", "Format=hostname", "Format=uri",
	}
	forNumbers = []string{
		"Minimum=1", "Minimum=-3", "Minimum=50", "Maximum=100", "Maximum=0", "Maximum=1e12", "ExclusiveMaximum=true", "ExclusiveMinimum=true",
		"MultipleOf=2", "MultipleOf=0", "MultipleOf=-1", "Enum=1;2;3", "Enum=a", "Enum=1.5",
		"Format=int32", "Format=int64", "Format=double", "Format=float", "Format=unknown",
	}
	forLists = []string{"MinItems=1", "MinItems=3", "MaxItems=1", "MaxItems=5", "UniqueItems=true", "UniqueItems=false",
		"items:MaxLength=3", "items:Pattern=`(`", "items:Enum=a;b", "items:Minimum=2", "items:XValidation:rule=`self == oldSelf`"}
	forObjects = []string{"MinProperties=1", "MaxProperties=1", "MaxProperties=0"}
	forAll     = []string{
		"Type=string", "Type=object", "Type=array", "Type=null", "Type=int", "Type=number", "Schemaless", "XPreserveUnknownFields",
		"EmbeddedResource", "XEmbeddedResource", "XIntOrString",
		"XValidation:rule=``", "XValidation:rule=`  `", "XValidation:rule=`true`,message=`  `", "XValidation:rule=\"true\",message=\"a\\nb\"",
		"XValidation:rule=\"true ||\\n false\"", "XValidation:rule=\"true ||\\n false\",message=m",
		"XValidation:rule=`true`,messageExpression=` `", "XValidation:rule=`true`,fieldPath=`.name`",
		"XValidation:rule=`true`,fieldPath=`.nam`", "XValidation:rule=`true`,fieldPath=`name`", "XValidation:rule=`true`,fieldPath=` `",
		"XValidation:rule=`true`,fieldPath=`.item.name`", "XValidation:rule=`true`,fieldPath=`['name']`",
		"XValidation:rule=`true`,fieldPath=`.name[0]`", "XValidation:rule=`true`,fieldPath=`.`",
		"XValidation:rule=`true`,reason=FieldValueForbidden",
		"XValidation:rule=`true`,optionalOldSelf=true", "XValidation:rule=`!oldSelf.hasValue() || true`,optionalOldSelf=true",
		"XValidation:rule=`oldSelf == oldSelf`", "XValidation:rule=`'oldSelf' != ''`", "XValidation:rule=`self == self`,message=x",
	}
	validations = "kubebuilder:validation:"
)

// markersFor writes random markers above a type or field, most of them of the sort that fits.
func (s *mistakePackage) markersFor(indent, sort string, field bool) {
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
	if sort == "list" && s.chance(8*s.rate) {
		if kind := s.oneOf("set", "map", "map", "map", "atomic"); kind == "map" {
			s.line(indent, "// +listType=map")
			for range s.IntN(3) {
				s.line(indent, "// +listMapKey=%s", s.oneOf("name", "name", "size", "key", "nme", "list", "flag"))
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
func (s *mistakePackage) fittingDefault(sort string) string {
	if s.chance(30) {
		return s.oneOf(values...)
	}
	switch sort {
	case "string":
		return s.oneOf(`"a"`, `"abc"`, `""`, `"A b"`, `"2024-01-01T00:00:00Z"`, `"10.0.0.1"`, `"YWJj"`)
	case "number":
		return s.oneOf("1", "2", "0", "-3", "100", "1.5", "3000000000")
	case "list", "objects":
		return s.oneOf("{}", "{a,b}", "{1}", `{{name: "x"}}`, `{{}}`)
	case "object":
		return s.oneOf("{}", `{name: "x"}`, "{a: b}", `{name: "x", size: 1}`, "{a: {name: b}}")
	}
	return s.oneOf(values...)
}

// types declares types for fields.
func (s *mistakePackage) types() {
	s.markersFor("", "string", false)
	s.line("", "type Text string\n")
	s.markersFor("", "number", false)
	s.line("", "type Number int32\n")
	s.markersFor("", "object", false)
	s.line("", "type Item struct {")
	for _, f := range [][3]string{{"Name", "string", "string"}, {"Size", "int32", "number"}, {"Flag", "*bool", ""}, {"List", "[]string",
		"list"}, {"Text", "Text", "string"}} {
		s.markersFor("\t", f[2], true)
		s.line("\t", "%s %s `json:\"%s%s\"`", f[0], f[1], strings.ToLower(f[0]), s.oneOf("", ",omitempty"))
	}
	s.line("", "}\n")
	s.markersFor("", "objects", false)
	s.line("", "type Items []Item\n")
	s.line("", "type Deep struct {")
	for _, f := range [][3]string{{"Name", "string", "string"}, {"List", "[]string", "list"}, {"Map", "map[string]Text", "object"},
		{"Limit", "resource.Quantity", ""}} {
		s.markersFor("\t", f[2], true)
		s.line("\t", "%s %s `json:\"%s,omitempty\"`", f[0], f[1], strings.ToLower(f[0]))
	}
	s.line("", "}\n")
	s.markersFor("", "object", false)
	s.line("", "type Outer struct {\n\tItem Item `json:\"item,omitempty\"`")
	s.markersFor("\t", "string", true)
	s.line("\t", "Name string `json:\"name,omitempty\"`")
	if s.chance(20) { // whose fields are merged with those that hide them
		s.line("\t", "Deep `json:\",inline\"`")
		if s.chance(20) {
			s.line("\t", "%s", s.oneOf("List []string `json:\"list\"`", "Map map[string]string `json:\"map\"`",
				"Limit intstr.IntOrString `json:\"limit\"`", "Map map[string]Item `json:\"map\"`"))
		}
	}
	s.randomFields("O", 3)
	s.line("", "}\n")
}

// randomFields declares fields.
func (s *mistakePackage) randomFields(prefix string, n int) {
	types := [][2]string{
		{"string", "string"}, {"string", "string"}, {"Text", "string"}, {"*string", "string"}, {"int32", "number"}, {"int64", "number"},
		{"float64", "number"}, {"Number", "number"}, {"bool", ""}, {"[]byte", "string"},
		{"[]string", "list"}, {"[]Text", "list"}, {"[]int32", "list"}, {"[]Item", "objects"}, {"Items", "objects"}, {"[][]string", "list"},
		{"map[string]string", "object"}, {"map[string]Item", "object"}, {"map[string][]Item", "object"},
		{"Item", "object"}, {"*Item", "object"}, {"metav1.Time", "string"}, {"metav1.Duration", "string"}, {"resource.Quantity", ""},
		{"intstr.IntOrString", ""}, {"runtime.RawExtension", "object"}, {"apiextensionsv1.JSON", ""},
		{"metav1.LabelSelector", "object"}, {"corev1.SecretKeySelector", "object"}, {"[]corev1.EnvVar", "objects"}, {"[]metav1.Condition",
			"objects"}, {"corev1.ResourceRequirements", "object"},
	}
	for i := range 1 + s.IntN(n) {
		chosen := types[s.IntN(len(types))]
		s.markersFor("\t", chosen[1], true)
		s.line("\t", "%s%d %s `json:\"%s%d%s\"`", prefix, i, chosen[0], strings.ToLower(prefix), i, s.oneOf("", ",omitempty"))
	}
}

// kindWithMistakes declares the kind, with one storage version.
func (s *mistakePackage) kindWithMistakes(name string, stored bool) {
	if stored {
		s.line("", "// +kubebuilder:storageversion")
	}
	if s.chance(50) {
		s.line("", "// +kubebuilder:subresource:status")
	}
	s.any("", "structType=atomic", validations+"MinProperties=1", validations+"XValidation:rule=`true`,fieldPath=`.spec.name`",
		validations+"XValidation:rule=`true`,fieldPath=`.spec.nme`",
		validations+"XPreserveUnknownFields", validations+"XEmbeddedResource", validations+"Type=string", "mapType=granular")
	if s.at(30 * s.rate) {
		s.line("", "// +kubebuilder:subresource:scale:specpath=%s,statuspath=%s%s", s.oneOf(".spec.size", ".spec.nothing", "spec.size",
			".size", ".spec", `""`, ".spec."), s.oneOf(".status.size", ".status.name", ".spec.size", "status"),
			s.oneOf("", "", ",selectorpath=.status.name", ",selectorpath=.metadata.name", `,selectorpath=""`, ",selectorpath=.spec.name"))
	}
	for range s.IntN(4) {
		s.line("", "// +kubebuilder:printcolumn:name=%s,type=%s,JSONPath=%s%s", s.odd(`A`, `""`), s.odd(s.oneOf("string", "integer", "date",
			"boolean", "number"), "object", `""`, "String"),
			s.odd(s.oneOf(".spec.name", ".metadata.creationTimestamp", "`.status.conditions[?(@.type==\"Ready\")].status`"), "spec.name", `""`,
				".", ".spec.nme", "`.spec[`"), s.odd("", ",format=int32", ",format=datetime", ",priority=1"))
	}
	paths := []string{".spec.name", ".spec.size", ".spec.item.name", ".spec.name"}
	for i := range s.IntN(2) * s.IntN(5) {
		s.line("", "// +kubebuilder:selectablefield:JSONPath=%s", s.odd(paths[i], ".spec.item", ".spec.nme", "spec.name", `""`,
			".metadata.name", ".spec.list", ".kind", "`.spec['name']`", ".", ".spec..name", ".metadata"))
	}
	if s.at(s.rate) {
		for i := range 9 {
			s.line("", "// +kubebuilder:selectablefield:JSONPath=.spec.f%d", i)
		}
	}
	if s.at(30 * s.rate) {
		s.line("", "// +kubebuilder:resource:%s", s.oneOf("path=things", "path=Things", "path=a_b", "path=things,singular=Thing",
			"shortName=a;b", "shortName=A", "shortName=a.b", "categories=all", "categories=A", "scope=Cluster", "scope=Global", "singular=one",
			"path="+strings.Repeat("x", 64), "path="+strings.Repeat("x", 63), "shortName=-a", "path=1a"))
	}
	if s.at(12 * s.rate) {
		s.line("", "// +kubebuilder:deprecatedversion%s", s.oneOf("", ":warning=old", `:warning=""`, `:warning="a\nb"`,
			":warning="+strings.Repeat("x", 257), ":warning="+strings.Repeat("x", 256)))
	}
	if s.at(12 * s.rate) {
		s.line("", "// +kubebuilder:metadata:%s", s.oneOf(`annotations="a=b"`, `annotations="a b=c"`, `annotations="A.example.com/b=c"`,
			`labels="a=b"`, `labels="a=b c"`, `labels="A.example.com/b=c"`, `labels="a/b/c=d"`,
			`labels="a=`+strings.Repeat("x", 64)+`"`, `annotations="api-approved.kubernetes.io=unapproved, x"`,
			`annotations="api-approved.kubernetes.io=https://example.com/1"`, `annotations="api-approved.kubernetes.io=yes"`))
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
func (s *mistakePackage) odd(usual string, others ...string) string {
	if s.at(2 * s.rate) {
		return s.oneOf(others...)
	}
	return usual
}
