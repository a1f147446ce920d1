// Package policy names what the tools of k8s.io/code-generator do differently from kubegen. A command chooses a policy; everything
// else asks for the decision that it has to make, and never which tools a run imitates.
package policy

// Policy has a decision for each difference, of which its comment is the row in docs/migrating.md. The zero value is kubegen's own
// policy; see Classic for the other one.
type Policy struct {
	// Which input is read, and what it means.

	AcceptMistakes        bool // mistakes in the input that the classic tools accept are warnings that say what they lead to
	AcceptEmpty           bool // so is an input for which nothing is generated, and a value of a flag that names nothing
	CommentsAcrossLines   bool // a comment that ends two lines above a declaration is about it whatever is on the line between
	MarkersThroughAliases bool // markers above `type A = B` are also markers of B
	MarkersInDocGo        bool // markers of packages in doc.go take precedence over those in other files
	AllFields             bool // fields of all structs are followed, whether they are part of the JSON form or not
	OneSwitchValue        bool // a switch that is both true and false is an error
	RegisterGoByHand      bool // a package with a file register.go registers its types itself
	CopyOnRequest         bool // DeepCopy methods are written only where a marker requests them, not for all kinds
	FirstVerbList         bool // of several +genclient:onlyVerbs or skipVerbs, the first has an effect
	SelectedVerbsWin      bool // skipped verbs are ignored where others are selected
	IncludeByGroup        bool // --included-types-overrides names groups, not directories

	// Names.

	GroupsByDirectory      bool // packages of a directory are a group, which has the name of the directory
	GoNameByPackage        bool // +groupGoName names the group for its own package alone, not for all versions
	IgnoreKubebuilderScope bool // +kubebuilder:resource:scope makes no kind cluster-scoped
	IgnoreKubebuilderScale bool // +kubebuilder:subresource:scale adds no methods
	IgnoreNames            bool // +kubegen:names gives kinds no other names than those of their types
	OwnResources           bool // clients keep their own names and scopes of resources where manifests of the same run have others
	PublishedOnlyOfMetaV1  bool // of client-go's apply configurations, only those of metav1 are known
	UnusedExternals        bool // types of the input with an external apply configuration, such as those of metav1, get their own even if no kind uses them
	AdviseGenRegister      bool // advice for packages without AddToScheme names gen-register, not kubegen's flag

	// What is generated.

	EmptyClients       bool // packages without kinds that register types get a client of their group and version
	BareClientsets     bool // a clientset without kinds is generated
	NoHelpers          bool // there are no functions around requests
	NoIndexes          bool // there are no indexes
	NoFieldConstants   bool // there are no constants for selectable fields
	NoFakeDiscovery    bool // the discovery client of fakes lists no resources
	NoFeeds            bool // factories of informers do not track how caches are filled
	NoAdvice           bool // nothing is said of what the generated code needs besides: DeepCopyObject methods and modules
	OmitUntagged       bool // apply configurations leave out fields without a JSON tag
	SettersByFieldName bool // an embedded struct hides setters of a field of its name
	SettersOfHidden    bool // fields that JSON ignores because an outer one has their name get setters
	PromotedSetters    bool // setters of structs embedded by pointer are those that Go promotes
	GettersOfNested    bool // apply configurations that are not of kinds have GetName and GetNamespace, too
	PointersInSlices   bool // setters of slices of pointers to structs take these pointers, not apply configurations
	PlainEmbedded      bool // fields of embedded structs without an apply configuration are set through the struct itself
}

// Classic is the policy of the tools of k8s.io/code-generator, which --classic and the gen-* commands follow: all differences.
func Classic() Policy {
	return Policy{
		AcceptMistakes: true, AcceptEmpty: true, CommentsAcrossLines: true, MarkersThroughAliases: true, MarkersInDocGo: true, AllFields: true,
		OneSwitchValue: true, RegisterGoByHand: true, CopyOnRequest: true, FirstVerbList: true, SelectedVerbsWin: true, IncludeByGroup: true,

		GroupsByDirectory: true, GoNameByPackage: true, IgnoreKubebuilderScope: true, IgnoreKubebuilderScale: true, IgnoreNames: true, OwnResources: true,
		PublishedOnlyOfMetaV1: true, UnusedExternals: true, AdviseGenRegister: true,

		EmptyClients: true, BareClientsets: true, NoHelpers: true, NoIndexes: true, NoFieldConstants: true, NoFakeDiscovery: true, NoFeeds: true,
		NoAdvice: true, OmitUntagged: true, SettersByFieldName: true, SettersOfHidden: true, PromotedSetters: true, GettersOfNested: true,
		PointersInSlices: true, PlainEmbedded: true,
	}
}
