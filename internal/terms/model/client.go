package model

// Client describes the client-go that code is generated for.
type Client struct {
	Release Release
	// Shown holds the capabilities found in the source of client-go. They take precedence over the capabilities of
	// Release. Shown is nil for a known release.
	Shown Shown
}

// Shown reports for each capability whether a source has it. A capability has no entry if the source lacks its package.
type Shown map[Capability]bool

// Has reports whether client-go has a capability.
func (c Client) Has(capability Capability) bool {
	if has, ok := c.Shown[capability]; ok {
		return has
	}
	return c.Release.Has(capability)
}

// Release returns the newest known release all of whose capabilities the source has, but at least OldestRelease.
func (s Shown) Release() Release {
	newest := PreviewRelease
	for c, has := range s {
		if !has {
			newest = min(newest, c.introduced().release-1)
		}
	}
	return max(newest, OldestRelease)
}

// Evidence is a declaration in the source of client-go or apimachinery, or in generated code.
type Evidence struct {
	Package string // import path
	Name    string // name of a declaration, or Type.Member; may be a pattern as in path.Match
	Tag     string // of the field Name
	Import  string // import path that a file of the package imports
	// Expression is Go code in the body of a function of the package. A single identifier may also be the name of a
	// declaration.
	Expression string
}

// String describes the evidence for messages.
func (e Evidence) String() string {
	switch {
	case e.Import != "":
		return "the import of " + e.Import + " in " + e.Package
	case e.Expression != "":
		return e.Expression + " in " + e.Package
	}
	return e.Package + "." + e.Name
}

const (
	client    = "k8s.io/client-go/"
	machinery = "k8s.io/apimachinery/pkg/"
	mergeDiff = "sigs.k8s.io/structured-merge-diff/"
)

// Evidence returns the declaration whose presence proves the capability.
func (c Capability) Evidence() Evidence { return c.introduced().evidence }

// Capabilities returns all capabilities in unspecified order.
func Capabilities() (all []Capability) {
	for c := range since {
		all = append(all, c)
	}
	return all
}

// Required returns the evidence of everything that generated code needs in all releases of client-go. Each element
// lists alternatives. At least one of them must be present.
func Required() [][]Evidence {
	return [][]Evidence{
		{{Package: client + "gentype", Name: "NewClientWithListAndApply"}},
		{{Package: client + "gentype", Name: "NewFakeClientWithListAndApply"}},
		{{Package: client + "rest", Name: "CodecFactoryForGeneratedClient"}},
		{{Package: client + "util/apply", Name: "NewRequest"}},
		{{Package: client + "tools/cache", Name: "NewSharedIndexInformerWithOptions"}},
		{{Package: client + "tools/cache", Name: "ListWatch.ListWithContextFunc"}},
		{{Package: client + "testing", Name: "NewFieldManagedObjectTracker"}},
		{
			{Package: machinery + "util/managedfields", Import: mergeDiff + "v4/typed"},
			{Package: machinery + "util/managedfields", Import: mergeDiff + "v6/typed"},
			{Package: machinery + "util/managedfields", Import: mergeDiff + "v7/typed"},
		},
	}
}
