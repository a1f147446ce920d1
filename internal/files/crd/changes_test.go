package crd_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/files/crd"
)

// goKind is a kind in Go: markers above its type, the fields of its spec, and other declarations of the package.
type goKind struct{ above, spec, others string }

// text returns the package of a kind in a version.
func (k goKind) text(version string) string {
	return fmt.Sprintf("// +groupName=example.com\npackage %s\n\nimport (\n\t\"k8s.io/apimachinery/pkg/api/resource\"\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n"+
		"\t\"k8s.io/apimachinery/pkg/util/intstr\"\n)\n\n%s\ntype Goose struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n"+
		"\tSpec GooseSpec `json:\"spec,omitempty\"`\n}\n\ntype GooseSpec struct {\n%s\n}\n\n%s\n", version, k.above, k.spec, k.others)
}

const (
	stored   = "// +kubebuilder:storageversion"
	valid    = "// +kubebuilder:validation:"
	anInt    = "\nA int32 `json:\"a,omitempty\"`"
	aString  = "\nA string `json:\"a,omitempty\"`"
	required = "\nA string `json:\"a\"`"
	list     = "\nA []Item `json:\"a,omitempty\"`"
	item     = "type Item struct {\n\tK string `json:\"k\"`\n\tL string `json:\"l\"`\n}"
)

func spec(fields string) []goKind { return []goKind{{spec: fields}} }

// listedChanges has the changes of docs/reference/crd-changes.md, each with pairs of a kind before and after. A kind is
// in the versions v1 and v2, or in v1 alone.
var listedChanges = []struct {
	row           string
	before, after []goKind
	breaks        bool
}{
	{"version removed", []goKind{{above: stored}, {}}, []goKind{{above: stored}}, true},
	{"version removed", []goKind{{above: stored}, {above: "// +kubebuilder:unservedversion"}}, []goKind{{above: stored}}, false},
	{"version no longer served", []goKind{{above: stored}, {}}, []goKind{{above: stored}, {above: "// +kubebuilder:unservedversion"}}, true},
	{"scope changed", []goKind{{}}, []goKind{{above: "// +kubebuilder:resource:scope=Cluster"}}, true},
	{"`status` subresource added or removed", []goKind{{}}, []goKind{{above: "// +kubebuilder:subresource:status"}}, true},
	{"`status` subresource added or removed", []goKind{{above: "// +kubebuilder:subresource:status"}}, []goKind{{}}, true},
	{"`scale` subresource removed, or one of its paths changed",
		[]goKind{{above: "// +kubebuilder:subresource:scale:specpath=.spec.a,statuspath=.status.a"}}, []goKind{{}}, true},
	{"`scale` subresource removed, or one of its paths changed", []goKind{{above: "// +kubebuilder:subresource:scale:specpath=.spec.a,statuspath=.status.a"}},
		[]goKind{{above: "// +kubebuilder:subresource:scale:specpath=.spec.b,statuspath=.status.a"}}, true},
	{"selectable field removed", []goKind{{above: "// +kubebuilder:selectablefield:JSONPath=.spec.a", spec: aString}}, spec(aString), true},
	{"printer column, short name, category or deprecation changed", []goKind{{spec: aString}},
		[]goKind{{above: "// +kubebuilder:printcolumn:name=A,type=string,JSONPath=.spec.a\n// +kubebuilder:resource:shortName=g,categories=all\n// +kubebuilder:deprecatedversion", spec: aString}}, false},
	{"objects no longer converted, or converted by another storage version, where versions differ",
		[]goKind{{above: stored + "\n// +kubegen:conversion:strategy=Webhook", spec: aString}, {}}, []goKind{{above: stored, spec: aString}, {}}, true},
	{"objects no longer converted, or converted by another storage version, where versions differ",
		[]goKind{{above: stored, spec: aString}, {}}, []goKind{{spec: aString}, {above: stored}}, true},
	{"objects no longer converted, or converted by another storage version, where versions differ",
		[]goKind{{above: stored + "\n// +kubegen:conversion:strategy=Webhook", spec: aString}, {spec: aString}}, []goKind{{above: stored, spec: aString}, {spec: aString}}, false},
	{"field added to one of several served versions", []goKind{{above: stored}, {}}, []goKind{{above: stored}, {spec: aString}}, true},
	{"field added to one of several served versions", []goKind{{above: stored}, {}}, []goKind{{above: stored, spec: aString}, {}}, true},
	{"field added to one of several served versions", []goKind{{above: stored}, {}}, []goKind{{above: stored, spec: aString}, {spec: aString}}, false},
	{"field added to one of several served versions", []goKind{{above: stored + "\n// +kubegen:conversion:strategy=Webhook"}, {}}, []goKind{{above: stored + "\n// +kubegen:conversion:strategy=Webhook"}, {spec: aString}}, false},
	{"field removed", spec(aString), spec(""), true},
	{"field removed, but unknown fields are kept", spec("// +kubebuilder:pruning:PreserveUnknownFields\nA Item `json:\"a\"`"), []goKind{{spec: "// +kubebuilder:pruning:PreserveUnknownFields\nA Item `json:\"a\"`", others: "type Item struct {\n\tK string `json:\"k\"`\n}"}}, false},
	{"field removed, but unknown fields are kept", []goKind{{spec: "// +kubebuilder:pruning:PreserveUnknownFields\nA Item `json:\"a\"`", others: "type Item struct {\n\tK string `json:\"k\"`\n\t// +kubebuilder:default=x\n\tL string `json:\"l\"`\n}"}},
		[]goKind{{spec: "// +kubebuilder:pruning:PreserveUnknownFields\nA Item `json:\"a\"`", others: "type Item struct {\n\tK string `json:\"k\"`\n}"}}, true},
	{"new required field, or field now required", spec(aString), spec(required), true},
	{"new required field, or field now required", spec(""), spec(required), true},
	{"the same, with a default", spec(""), spec("// +kubebuilder:default=x" + required), false},
	{"type changed", spec(anInt), spec(aString), true},
	{"`integer` to `number`; `integer` or `string` to `x-kubernetes-int-or-string`", spec(anInt), spec("A intstr.IntOrString `json:\"a,omitempty\"`"), false},
	{"`integer` to `number`; `integer` or `string` to `x-kubernetes-int-or-string`", spec(aString), spec("A *intstr.IntOrString `json:\"a,omitempty\"`"), false},
	{"`integer` to `number`; `integer` or `string` to `x-kubernetes-int-or-string`", spec(anInt), spec("A *resource.Quantity `json:\"a,omitempty\"`"), false},
	{"`integer` to `number`; `integer` or `string` to `x-kubernetes-int-or-string`", spec(aString), spec("A resource.Quantity `json:\"a,omitempty\"`"), true}, // the pattern
	{"`integer` to `number`; `integer` or `string` to `x-kubernetes-int-or-string`", spec("A intstr.IntOrString `json:\"a,omitempty\"`"), spec(anInt), true},
	{"`nullable` removed", spec("// +nullable" + aString), spec(aString), true},
	{"`nullable` added", spec(aString), spec("// +nullable" + aString), false},
	{"the same, with a default that replaces null", spec("// +kubebuilder:default=x" + aString), spec("// +nullable\n// +kubebuilder:default=x" + aString), true},
	{"enum added", spec(aString), spec(valid + "Enum=a;b" + aString), true},
	{"value removed from an enum", spec(valid + "Enum=a;b" + aString), spec(valid + "Enum=a" + aString), true},
	{"value added to an enum", spec(valid + "Enum=a;b" + aString), spec(valid + "Enum=a;b;c" + aString), false},
	{"limit added or tightened: number, length, elements, fields", spec(valid + "Maximum=9" + anInt), spec(valid + "Maximum=8" + anInt), true},
	{"limit added or tightened: number, length, elements, fields", spec(aString), spec(valid + "MinLength=1" + aString), true},
	{"limit added or tightened: number, length, elements, fields", spec(list), spec(valid + "MaxItems=3" + list), true},
	{"limit added or tightened: number, length, elements, fields", spec("A map[string]string `json:\"a,omitempty\"`"), spec(valid + "MaxProperties=3\nA map[string]string `json:\"a,omitempty\"`"), true},
	{"limit removed or loosened", spec(valid + "Maximum=8" + anInt), spec(valid + "Maximum=9" + anInt), false},
	{"limit removed or loosened", spec(valid + "MinLength=1" + aString), spec(aString), false},
	{"`exclusiveMinimum`, `exclusiveMaximum` or `multipleOf` added or tightened", spec(valid + "Minimum=1" + anInt), spec(valid + "Minimum=1\n" + valid + "ExclusiveMinimum=true" + anInt), true},
	{"`exclusiveMinimum`, `exclusiveMaximum` or `multipleOf` added or tightened", spec(anInt), spec(valid + "MultipleOf=2" + anInt), true},
	{"the same, removed or loosened", spec(valid + "MultipleOf=4" + anInt), spec(valid + "MultipleOf=2" + anInt), false},
	{"pattern added or changed", spec(valid + "Pattern=`^a`" + aString), spec(valid + "Pattern=`^b`" + aString), true},
	{"pattern added or changed", spec(aString), spec(valid + "Pattern=`^b`" + aString), true},
	{"pattern added or changed", spec(valid + "Pattern=`^[a-f]{1,3}$`" + aString), spec(valid + "Pattern=`^[a-z]{1,5}$`" + aString), false},
	{"pattern added or changed", spec(valid + "Pattern=`^[a-z]{1,5}$`" + aString), spec(valid + "Pattern=`^[a-f]{1,3}$`" + aString), true},
	{"pattern added or changed", []goKind{{spec: "A Named `json:\"a,omitempty\"`", others: valid + "Pattern=`^[a-f]+$`\ntype Named string"}}, spec(valid + "Pattern=`^[a-z]+$`" + aString), false},
	{"pattern removed", spec(valid + "Pattern=`^a`" + aString), spec(aString), false},
	{"format added or changed", spec(aString), spec("A metav1.Time `json:\"a,omitempty\"`"), true},
	{"format added or changed", spec(anInt), spec("A int64 `json:\"a,omitempty\"`"), false},
	{"format removed", spec(valid + "Format=date" + aString), spec(aString), false},
	{"rule in CEL added or changed", spec(aString), spec(valid + "XValidation:rule=\"self != 'b'\"" + aString), true},
	{"rule in CEL removed, or its message changed", spec(valid + "XValidation:rule=\"self != 'b'\"" + aString), spec(valid + "XValidation:rule=\"self != 'b'\",message=no" + aString), false},
	{"condition added to `allOf`, `not`, `anyOf` or `oneOf`", []goKind{{spec: "A Named `json:\"a,omitempty\"`", others: valid + "Pattern=`^a`\ntype Named string"}},
		[]goKind{{spec: valid + "Pattern=`b$`\nA Named `json:\"a,omitempty\"`", others: valid + "Pattern=`^a`\ntype Named string"}}, true},
	{"default changed or removed", spec("// +kubebuilder:default=x" + aString), spec("// +kubebuilder:default=y" + aString), true},
	{"default changed or removed", spec("// +kubebuilder:default=x" + aString), spec(aString), true},
	{"default added", spec(aString), spec("// +kubebuilder:default=x" + aString), false},
	{"default added", []goKind{{spec: aString, above: valid + `XValidation:rule="!has(self.spec.a)"`}}, []goKind{{spec: "// +kubebuilder:default=x" + aString, above: valid + `XValidation:rule="!has(self.spec.a)"`}}, true},
	{"list type, keys of a list map or map type changed", spec(list), spec("// +listType=map\n// +listMapKey=k" + list), true},
	{"list type, keys of a list map or map type changed", spec("// +listType=map\n// +listMapKey=k" + list), spec("// +listType=map\n// +listMapKey=l" + list), true},
	{"list type, keys of a list map or map type changed", spec("// +listType=atomic" + list), spec(list), false},
	{"unknown fields no longer kept", spec("// +kubebuilder:pruning:PreserveUnknownFields\nA Item `json:\"a\"`"), spec("A Item `json:\"a\"`"), true},
	{"description changed", spec("// A is one." + aString), spec("// A is another." + aString), false},
}

// withoutGo are the changes of the table for which Go types are not changed in a version, with the golden archives that
// have them.
var withoutGo = map[string]string{
	"CustomResourceDefinition removed": "command-breaking-manifests", "kind or kind of lists changed": "command-breaking-manifests",
	"`preserveUnknownFields` is no longer true": "command-breaking-versions", "restriction of `metadata.name` added": "TestNarrowings",
}

// TestListedChanges compares the manifests of kinds that differ as the page on changes says, in the form that
// controller-gen writes.
func TestListedChanges(t *testing.T) {
	tested := map[string]bool{}
	for _, change := range listedChanges {
		var sets [2][]*crd.Definition
		for i, kinds := range [][]goKind{change.before, change.after} {
			files := map[string]string{
				"k8s.io/apimachinery/pkg/util/intstr/intstr.go":    "package intstr\ntype IntOrString struct{}\n",
				"k8s.io/apimachinery/pkg/api/resource/quantity.go": "package resource\ntype Quantity struct{}\n",
				"example.com/v2/types.go":                          "package v2\n",
			}
			for j, k := range kinds {
				if !strings.Contains(k.others, "type Item") {
					k.others += "\n" + item
				}
				files[fmt.Sprintf("example.com/v%d/types.go", j+1)] = k.text(fmt.Sprintf("v%d", j+1))
			}
			for name, text := range manifestsOf(t, files, nil) {
				found, diags := crd.Read(name, []byte(text))
				if len(diags) > 0 {
					t.Fatal(diags[0])
				}
				sets[i] = append(sets[i], found...)
			}
		}
		found, _ := crd.ManifestsOf(sets[1], sets[0]).Breaking(sets[0])
		if len(found) > 0 != change.breaks || len(sets[1]) == 0 {
			t.Errorf("%s, from %q to %q: %v", change.row, change.before, change.after, found)
		}
		tested[change.row] = true
	}
	page, err := os.ReadFile("../../../docs/reference/crd-changes.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) < 5 || strings.HasPrefix(cells[1], "--") || strings.TrimSpace(cells[1]) == "change" {
			continue
		}
		row := strings.TrimSpace(cells[1])
		if listed[row] = true; !tested[row] && withoutGo[row] == "" {
			t.Errorf("no test has the change %q", row)
		}
	}
	for row := range tested {
		if !listed[row] {
			t.Errorf("the page does not have the change %q", row)
		}
	}
}
