// This file lists the differences between kubegen and the tools of k8s.io/code-generator. A command chooses a
// policy. All other code asks for a single decision of the policy, never for the tools that a run imitates.

package model

import "reflect"

// Policy has a decision for each difference. The comment of a decision is also its row in docs/reference/classic.md.
// The zero value is the policy of kubegen. Classic returns the other one.
type Policy struct {
	InputPolicy
	NamePolicy
	CodePolicy
	ApplyPolicy
}

// InputPolicy has the decisions about input and its meaning.
type InputPolicy struct {
	AcceptMistakes        bool // mistakes that the classic tools accept are warnings that name the consequence
	AcceptEmpty           bool // input for which nothing is generated is a warning, a flag value without a match a note
	CommentsAcrossLines   bool // a comment may end two lines above its declaration, whatever is on the line between
	MarkersThroughAliases bool // markers above `type A = B` are also markers of B
	MarkersInDocGo        bool // package markers in doc.go take precedence over package markers in other files
	AllFields             bool // fields of all structs are read, including fields outside the JSON form
	RegisterGoByHand      bool // a package with a file register.go is assumed to register its types by hand
	CopyOnRequest         bool // DeepCopy methods are generated only where a marker requests them, not for all kinds
	FirstVerbList         bool // of several +genclient:onlyVerbs or skipVerbs, only the first is used
	SelectedVerbsWin      bool // skipped verbs are ignored if a marker selects verbs
	SkippedAlone          bool // +genclient:skipVerbs=delete leaves DeleteWithResult, which clients have since v0.38
	IncludeByGroup        bool // --included-types-overrides accepts names of groups, but no directories
	NoOwnMarkers          bool // markers with the prefix kubegen: have no effect: kinds are named like their types, and have no helpers
}

// NamePolicy has the decisions about groups, names and scopes.
type NamePolicy struct {
	GroupsByDirectory      bool // the packages in a directory form a group with the name of the directory
	GoNameByPackage        bool // +groupGoName applies to the version in its own package, not to the whole group
	IgnoreKubebuilderScope bool // +kubebuilder:resource:scope does not make a kind cluster-scoped
	IgnoreKubebuilderScale bool // +kubebuilder:subresource:scale adds no methods
	OwnResources           bool // clients keep their resource names and scopes where manifests of the same run differ, and resource names where controller-gen's plurals differ
	PublishedOnlyOfMetaV1  bool // the only apply configurations of client-go in use are those for metav1
	UnusedExternals        bool // unused types with an external apply configuration, such as types of metav1, have another one
	AdviseGenRegister      bool // for packages without AddToScheme, the advice is gen-register instead of kubegen's flag
}

// CodePolicy has the decisions about generated code other than apply configurations.
type CodePolicy struct {
	EmptyClients     bool // packages without kinds have a client of their group and version if they register types
	BareClientsets   bool // a clientset without kinds is generated
	NoIndexes        bool // no indexes are generated
	NoFieldConstants bool // no constants for selectable fields are generated
	NoFakeDiscovery  bool // the discovery client of fakes lists no resources
	NoFeeds          bool // informer factories do not track how their caches are filled
	NoAdvice         bool // no advice on requirements of the generated code: DeepCopyObject methods and modules
}

// ApplyPolicy has the decisions about apply configurations.
type ApplyPolicy struct {
	OmitUntagged       bool // apply configurations omit fields without a JSON tag
	SettersByFieldName bool // an embedded struct hides the setter of a field with the same name
	SettersOfHidden    bool // fields that JSON ignores in favor of an outer field of the same name have setters
	PromotedSetters    bool // for structs embedded by pointer, no setters are generated beyond the ones that Go promotes
	GettersOfNested    bool // apply configurations of structs other than kinds also have GetName and GetNamespace
	PointersInSlices   bool // setters of slices of struct pointers take pointers to the elements, not apply configurations
	PlainEmbedded      bool // types without an apply configuration are embedded unchanged, and setters change the fields of structs
}

// ControllerGenPolicy returns the policy of controller-gen's generator of apply configurations, which calls the classic
// tool, but reads its own markers.
func ControllerGenPolicy() Policy {
	p := ClassicPolicy()
	p.MarkersInDocGo, p.IgnoreKubebuilderScope = false, false
	return p
}

// ClassicPolicy returns the policy of the tools of k8s.io/code-generator, with all differences. --classic and the gen-*
// commands use it.
func ClassicPolicy() (p Policy) {
	all := reflect.ValueOf(&p).Elem()
	for i := range all.NumField() {
		for j := range all.Field(i).NumField() {
			all.Field(i).Field(j).SetBool(true)
		}
	}
	return p
}
