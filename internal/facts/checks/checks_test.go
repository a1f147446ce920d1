package checks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/facts/checks"
	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/facts/products"
	"github.com/kubegen/kubegen/internal/loadtest"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// short has abbreviations in the code of tests: META and LIST stand for the metadata of kinds and of lists, and ALIST
// for the list type of A.
var short = strings.NewReplacer("META", "metav1.TypeMeta `json:\",inline\"`;metav1.ObjectMeta `json:\"metadata\"`",
	"ALIST", "type AList struct { metav1.TypeMeta `json:\",inline\"`;metav1.ListMeta `json:\"metadata\"`; Items []A }",
	"PACKAGE", "package v1; import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"",
	"LIST", "metav1.TypeMeta `json:\",inline\"`;metav1.ListMeta `json:\"metadata\"`")

// reported returns what a check reports about code, as LINE: MESSAGE. Line 1 is the first line of the code. PACKAGE is
// the package clause, which otherwise precedes the code.
func reported(t *testing.T, check, code string) string {
	t.Helper()
	const path = "example.com/apis/v1"
	before := 0
	if !strings.Contains(code, "PACKAGE") {
		code, before = "// +groupName=a.example.com\nPACKAGE\n"+code, 2
	}
	cfg := facts.Config{Manifests: kinds.Manifests{Gates: []string{"Alpha"}}}
	cfg.Plan = &plan.Plan{
		Needs: plan.Needs{Kinds: true, Scheme: true, Markers: markers.Roles | markers.Webhooks},
		Flags: &plan.Flags{InputFlags: plan.InputFlags{LintRules: checks.Rules()}},
	}
	cfg.Files = map[string]products.Files{products.Defaults: {Marks: gofile.ToolMarks{{Line: gofile.MarkLine("kubegen defaulter")}}}}
	l := load.NewLoader(t.Context(), loadtest.InMemory(cfg.Loading(nil), map[string]string{
		path + "/types.go": short.Replace(code) + "\n",
		"k8s.io/apimachinery/pkg/apis/meta/v1/types.go": "package v1\ntype TypeMeta struct{ Kind string `json:\"kind\"` }\n" +
			"type ObjectMeta struct{ Name string `json:\"name\"` }\ntype ListMeta struct{}\nfunc (ObjectMeta) GetName() string { return \"\" }\n",
	}))
	found, diags := l.Find([]string{path})
	_, diags = facts.Read(l, found, []string{path}, cfg, diags)
	var lines []string
	for _, d := range diags {
		if d.Check == check {
			lines = append(lines, fmt.Sprintf("%d: %s", d.Pos.Line-before, d.Message))
		}
	}
	return strings.Join(lines, "; ")
}

// TestChecks compares what each check that does not run last reports.
func TestChecks(t *testing.T) {
	tested := map[string]bool{}
	for _, test := range []struct{ check, code, want string }{
		{"metadata", "// +genclient\ntype A struct { META }\nALIST", ""},
		{"metadata", "// +genclient\ntype A struct {}\nALIST",
			"2: kind A does not embed metav1.TypeMeta and metav1.ObjectMeta"},
		{"metadata", "// +genclient\ntype A struct { metav1.TypeMeta `json:\",inline\"`; M metav1.ObjectMeta `json:\"metadata\"` }\nALIST",
			"2: kind A does not embed metav1.ObjectMeta"},
		{"metadata", "// +genclient\ntype A struct { metav1.TypeMeta `json:\",inline\"`; *metav1.ObjectMeta `json:\"metadata\"` }\nALIST",
			"2: kind A embeds a pointer to ObjectMeta, but kinds and lists embed metav1.TypeMeta and metav1.ObjectMeta by value"},
		{"metadata", "// +genclient\ntype A struct { metav1.TypeMeta `json:\"meta\"`; metav1.ObjectMeta `json:\"meta\"` }\nALIST",
			`2: TypeMeta of kind A is tagged json:"meta", but API servers use json:",inline"; 2: ObjectMeta of kind A is tagged json:"meta", but API servers use json:"metadata,omitempty"`},
		{"metadata", "// +genclient\ntype A struct { B `json:\"b\"` }\ntype B struct { META }\nALIST",
			`2: the metadata of kind A is in B, which is tagged json:"b"`},
		{"metadata", "// +genclient\ntype A struct { TypeMeta; metav1.ObjectMeta `json:\"metadata\"` }\ntype TypeMeta struct{}\nALIST",
			"2: TypeMeta of kind A is not the one of metav1"},
		{"metadata", "// +genclient\ntype A struct { metav1.TypeMeta `json:\",inline\"`; ObjectMeta metav1.ObjectMeta `json:\"metadata\"` }\nALIST",
			"2: ObjectMeta of kind A is not embedded"},
		{"hidden-method", "// +genclient\ntype A struct { META; GetName string }\nALIST",
			"2: the field GetName hides the method of that name, which clients need of kind A"},
		{"resource-name", "// +genclient\n// +resourceName=a_b\ntype A struct { META }\nALIST",
			`2: "a_b" is not a valid resource name`},
		{"resource-name", "// +genclient\n// +resourceName=bs\n// +kubebuilder:resource:path=cs\ntype A struct { META }\nALIST",
			"2: +resourceName=bs, but +kubebuilder:resource says path=cs"},
		{"list-type", "// +genclient\ntype A struct { META }\n",
			"2: kind A has no list type AList"},
		{"list-type", "// +genclient\ntype A struct { META }\ntype AList []A",
			"3: list type AList is not a struct"},
		{"list-type", "// +genclient\ntype A struct { META }\ntype AList struct { LIST }",
			"3: list type AList has no Items"},
		{"list-type", "// +genclient\ntype A struct { META }\ntype AList struct { LIST; Items []B }\ntype B int",
			"3: Items of AList is a list of B, not of A"},
		{"list-type", "// +genclient\ntype A struct { META }\ntype AList struct { LIST; Items A }",
			"3: Items of AList is not a slice"},
		{"list-type", "// +genclient\ntype A struct { META }\ntype AList struct { metav1.TypeMeta `json:\",inline\"`; Items []A }",
			"3: list type AList does not embed metav1.ListMeta"},
		{"list-type", "// +genclient\n// +genclient:skipVerbs=list,watch,deleteCollection\ntype A struct { META }", ""},
		{"scope", "// +genclient\n// +kubebuilder:resource:scope=Other\ntype A struct { META }\nALIST",
			`2: the scope of +kubebuilder:resource must be Cluster or Namespaced, not "Other"`},
		{"scope", "// +genclient\n// +kubebuilder:resource:scope=Cluster\n// +kubebuilder:resource:path=bs\ntype A struct { META }\nALIST",
			"3: a second +kubebuilder:resource, without scope=, overrides scope=Cluster"},
		{"scope", "// +genclient\n// +genclient:nonNamespaced\n// +kubebuilder:resource:path=bs\ntype A struct { META }\nALIST",
			"2: +genclient:nonNamespaced, but +kubebuilder:resource means scope=Namespaced"},
		{"scope", "// +genclient\n// +genclient:nonNamespaced\n// +kubebuilder:resource:scope=Cluster\ntype A struct { META }\nALIST", ""},
		{"scope", "// +genclient\n// +kubebuilder:resource:scope=Cluster\n// +kubebuilder:resource:scope=Namespaced\ntype A struct { META }\nALIST", ""},
		{"status", "// +genclient\n// +genclient:noStatus\n// +kubebuilder:subresource:status\ntype A struct { META; Status int }\nALIST",
			"2: +genclient:noStatus, but +kubebuilder:subresource:status"},
		{"status", "// +genclient\n// +kubebuilder:subresource:status\ntype A struct { META }\nALIST",
			"2: +kubebuilder:subresource:status, but A has no Status field"},
		{"status", "// +genclient\n// +kubebuilder:resource\ntype A struct { META; Status int }\nALIST",
			"3: clients of A have UpdateStatus because of the Status field, but there is +kubebuilder:resource without +kubebuilder:subresource:status"},
		{"status", "// +genclient\n// +kubebuilder:subresource:status\ntype A struct { META; Status int }\nALIST", ""},
		{"unserved-version", "// +genclient\n// +kubebuilder:unservedversion\ntype A struct { META }\nALIST",
			"1: +genclient, but +kubebuilder:unservedversion: no API server serves this version of A"},
		{"helpers-marker", "// +genclient\n// +kubegen:helpers\n// +genclient:onlyVerbs=get\ntype A struct { META }\nALIST",
			"2: +kubegen:helpers has no effect: the client of A has neither list nor both get and update"},
		{"helpers-marker", "// +genclient\n// +kubegen:helpers\n// +genclient:onlyVerbs=get,update\ntype A struct { META }\nALIST", ""},
		{"unmarked-kind", "// +genclient:nonNamespaced\ntype A struct { META }\nALIST",
			"1: +genclient:nonNamespaced has no effect: type A is not marked +genclient"},
		{"unversioned-kind", "// +genclient\ntype A struct { metav1.TypeMeta `json:\",inline\"`; metav1.ObjectMeta }\nALIST",
			"2: ObjectMeta of kind A has no JSON tag, which makes the kind unversioned, but its package has a version"},
		{"unknown-verb", "// +kubebuilder:rbac:groups=a,resources=b,verbs=read\n\n",
			`1: unknown verb "read" in +kubebuilder:rbac`},
		{"nameless-verb", "// +kubebuilder:rbac:groups=a,resources=b,resourceNames=c,verbs=get;create\n\n",
			"1: the rule does not grant create, because resourceNames= excludes requests without a name"},
		{"wildcard-rule", "// +kubebuilder:rbac:groups=a,resources=*,verbs=*\n\n",
			"1: +kubebuilder:rbac grants all resources"},
		{"covered-rule", "// +kubebuilder:rbac:groups=a,resources=b,verbs=get;list\n// +kubebuilder:rbac:groups=a,resources=b,verbs=list\n\n",
			"2: another rule of the role grants all of this one"},
		{"refused-rule", "// +kubebuilder:rbac:groups=a,verbs=get\n\n",
			"1: servers refuse this rule: it has no resources"},
		{"refused-rule", "// +kubebuilder:rbac:groups=a,resources=b,urls=/c,verbs=get\n\n",
			"1: servers refuse this rule: a rule is for resources or for URLs"},
		{"refused-webhook", "// +kubebuilder:webhook:path=/a,mutating=false,failurePolicy=fail,sideEffects=None,groups=a,resources=b,verbs=create,versions=v1,name=a.b,admissionReviewVersions=v1\n\n",
			"1: servers refuse this webhook: name=a.b is not a domain of three labels or more"},
		{"webhook-path", "// +kubebuilder:webhook:path=/validate-b-v1-a,mutating=false,failurePolicy=fail,sideEffects=None,groups=a,resources=b,verbs=create,versions=v1,name=a.b.c,admissionReviewVersions=v1\n\n",
			"1: controller-runtime's builder serves no handler at path=/validate-b-v1-a for this group and version"},
		{"apply-marker", "// +kubebuilder:ac:generate=true\ntype A struct { META }\nALIST",
			"1: +kubebuilder:ac:generate has no effect, because package v1 is not marked with it"},
		{"apply-marker", "// +kubebuilder:ac:generate=true\ntype A int",
			"1: +kubebuilder:ac:generate has no effect, because A is not a kind"},
		{"misplaced-marker", "// +genclient\nvar a int",
			"1: +genclient belongs above a type, not above a var: it has no effect"},
		{"ignored-marker", "// f is documented.\n// +kubebuilder:rbac:groups=a,resources=b,verbs=get\nfunc f() {}",
			"2: +kubebuilder:rbac has no effect here: nothing is generated from it"},
		{"unlisted-gate", "// +genclient\ntype A struct {\n META\n// +openshift:enable:FeatureGate=Other\nF int `json:\"f\"` }\nALIST",
			"4: no set of feature gates has Other"},
		{"differing-default", "// +k8s:defaulter-gen=TypeMeta\nPACKAGE\ntype A struct {\n// +kubebuilder:default=1\n// +default=2\nF int }",
			"5: API servers set the default 1, and the generated function sets 2"},
		{"differing-default", "// +k8s:defaulter-gen=TypeMeta\nPACKAGE\ntype A struct {\n// +kubebuilder:default={a,b}\n// +default=[\"a\", \"b\"]\nF []string }", ""},
		{"differing-default", "type A struct {\n// +kubebuilder:default=1\n// +default=2\nF int }", ""},
		{"known-tags-only", "// +k8s:other-gen=package\n// +k8s:deepcopy-gen=package\nPACKAGE",
			"1: +k8s:other-gen is not a marker of a known generator"},
		{"known-tags-only", "// +k8s:validation-gen-deep-equal-func=a.Equal\n// +k8s:prerelease-lifecycle-gen:introduced=1.30\nPACKAGE", ""},
		{"require-explicit-disablement", "// +groupName=a\nPACKAGE\ntype A struct { META }",
			"2: package example.com/apis/v1 has no marker that switches deepcopy-gen on or off"},
		{"require-explicit-disablement", "// +groupName=a\n// +k8s:deepcopy-gen=false\nPACKAGE\ntype A struct { META }", ""},
	} {
		tested[test.check] = true
		if got := reported(t, test.check, test.code); got != test.want {
			t.Errorf("%s\n%s\ngot  %s\nwant %s", test.check, test.code, got, test.want)
		}
	}
	for _, c := range checks.All {
		if !c.Last && !tested[c.Name] {
			t.Errorf("the check %s has no row", c.Name)
		}
	}
}
