package markers

import (
	"fmt"
	"strings"
	"testing"
)

func TestMisspellings(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"+kubebuilder:subresouce:status", "kubebuilder:subresouce:status -> kubebuilder:subresource:status at 4"},
		{"+kubebuilder:selectablefields:JSONPath=.spec.a", "kubebuilder:selectablefields:JSONPath -> kubebuilder:selectablefield:JSONPath at 4"},
		{"+kubebuilder:selectablefields:", "kubebuilder:selectablefields -> kubebuilder:selectablefield at 4"},
		{"+k8s:deepcopy-gn=true", "k8s:deepcopy-gn -> k8s:deepcopy-gen at 4"},
		{"+k8s:deepcopy-gen:interface=a.B", "k8s:deepcopy-gen:interface -> k8s:deepcopy-gen:interfaces at 4"},
		{"+kubebulder:resource:path=foos", "kubebulder:resource:path -> kubebuilder:resource:path at 4"},
		{"+kubebuilder:validation:enum=a;b", "kubebuilder:validation:enum -> kubebuilder:validation:Enum at 4"},
		{"+kubebuilder:validation:items:MaxLenght=3", "kubebuilder:validation:items:MaxLenght -> kubebuilder:validation:items:MaxLength at 4"},
		{"+kubebuilder:XValidations:rule=a", ""},
		{"+kubebuilder:printcolum:name=Age,type=date", "kubebuilder:printcolum:name -> kubebuilder:printcolumn:name at 4"},
		{"+kubebuilder:rabc:groups=apps,verbs=get", "kubebuilder:rabc:groups -> kubebuilder:rbac:groups at 4"},
		{"+kubebuilder:subresource:status please", ""}, // Read reports it above a kind
		{"+kubegen:helper", "kubegen:helper -> kubegen:helpers at 4"},
		{"+genclient:nonnamespaced", "genclient:nonnamespaced -> genclient:nonNamespaced at 4"},
		{"+k8s:requird", "k8s:requird -> k8s:required at 4"},
		{"+k8s:eachVal=+k8s:maxLenght=63", "k8s:maxLenght -> k8s:maxLength at 17"},
		{`+k8s:ifEnabled("Some Gate")=+k8s:alpha(since: "1.36")=+k8s:minimun=1`, "k8s:minimun -> k8s:minimum at 58"},
		{"+k8s:validation:maxlength=3", "k8s:validation:maxlength -> k8s:validation:maxLength at 4"},
		{"+k8s:prerelease-lifecycle-gen:introducd=1.36", "k8s:prerelease-lifecycle-gen:introducd -> k8s:prerelease-lifecycle-gen:introduced at 4"},
		{"+Optional", "Optional -> optional at 4"},
		{"+opitonal", "opitonal -> optional at 4"},
		{"+listMapkey=name", "listMapkey -> listMapKey at 4"},
		{"+patchStategy=merge", "patchStategy -> patchStrategy at 4"},
		{"+gropuName=example.com", "gropuName -> groupName at 4"},
		{"+ optional", " -> optional at 4"},
		{"+ k8s:deepcopy-gen=true", " -> k8s:deepcopy-gen=true at 4"},

		{"+listType:=map", ""},
		{"+kubebuilder:validation:Enum:=a;b", ""},
		{"+groupName()=x", ""},
		{"+kubebuilder:webhook:path=/x,mutating=true", ""},
		{"+kubebuilder:scaffold:imports", ""},
		{"+k8s:validation:cel[0]:rule> a+b", ""},
		{"+k8s:validation:items:properties:a:maxLength=3", ""},
		{"+protobuf.options.(gogoproto.goproto_stringer)=false", ""},
		{"+k8s:listType=map", ""},
		{`+k8s:eq="auto"`, ""},
		{`+k8s:eachVal=+k8s:eq="auto"`, ""},
		{"+k8s:validation-gen-deep-equal-func=example.com/eq.DeepEqual", ""},
		{"+kubebuilder:listType=map", ""},

		{"+openshift:compatibility-gen:level=1", ""},
		{"+genreconciler:krshapedlogic=false", ""},
		{"+deepequal-gen=true", ""},
		{"+k8s:lint-gen=true", ""},
		{"+operator-sdk:csv:customresourcedefinitions:type=spec", ""},
		{"+featureGate=Some", ""},
		{"+union-like prose", ""},
		{"+ optional fields follow", ""},
		{"+ zero", ""},
		{"+listens", ""},
		{"+enums", ""}, // too short to decide
		{"+optionally set", ""},
		{"+build linux", ""},
		{"+", ""}, {"+1", ""}, {"++", ""}, {"+:", ""}, {"+=", ""}, {"+k8s::x", ""}, {"+é", ""},
	} {
		fset, groups := comments(t, "// "+test.line)
		var got []string
		for _, m := range Misspellings(fset, groups...) {
			got = append(got, fmt.Sprintf("%s -> %s at %d", m.Name, m.Nearest, m.Pos.Column))
		}
		if list := strings.Join(got, ", "); list != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.line, list, test.want)
		}
	}
}

// TestKnownNames checks that no known name, in any spelling that is allowed, counts as a misspelling of another one.
func TestKnownNames(t *testing.T) {
	if len(sortedNames()) < 180 {
		t.Fatalf("there are %d names", len(sortedNames()))
	}
	for _, name := range sortedNames() {
		forms := []string{"", "=x", ":=x", "(a)=x"}
		if knownNames()[name] {
			forms = append(forms, ":key=x", ":some:key=x")
		}
		for _, form := range forms {
			fset, groups := comments(t, "/*\n * +"+name+form+"\n*/")
			if found := Misspellings(fset, groups...); len(found) > 0 {
				t.Errorf("+%s%s is taken for %v", name, form, found)
			}
		}
	}
}
