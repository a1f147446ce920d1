package plan

import (
	"cmp"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Options are the settings that affect generated code, as far as users choose them.
type Options struct {
	// Roots maps each generator's directory of templates to the location of its packages. Generated code cannot refer
	// to the packages of a generator without an entry.
	Roots map[string]Root
	// Header is the text at the beginning of every file.
	Header gofile.Code
	ClientOptions
	// Externals has the import paths of apply configurations outside the usual location, by type.
	Externals map[model.TypeRef]string
	// Bare generates the files of generators with Info.Bare even without kinds, such as a clientset without
	// groups.
	Bare   bool
	Policy model.Policy
	// Client is the client-go to generate code for. The zero value means the newest published release.
	Client model.Client
	// Backport makes generated code provide capabilities that Client lacks, where it can.
	Backport bool
	// FileName is the name of the first file that a generator writes into a package of types. If it is "", the path of
	// the template determines the name.
	FileName string
	// SkipUnsafe makes conversion functions copy where they could use the same memory.
	SkipUnsafe bool
}

// ClientOptions are the settings of clients.
type ClientOptions struct {
	// APIPath is the path under which API servers serve all groups except the core group: "/apis".
	APIPath string
	// ClientsetOnly omits the clients of groups.
	ClientsetOnly bool
	// Fake adds the fake clientset.
	Fake bool
	// Consistency adds code with which controllers wait until informer caches contain their own writes.
	Consistency bool
	// PrefersProtobuf makes clients use protobuf unless the config sets another content type.
	PrefersProtobuf bool
}

// Root is the location of a generator's packages.
type Root struct {
	// Path is the import path of the generator's root directory.
	Path string
	// KeepsCase leaves the case of group directories unchanged. Otherwise they are converted to lower case.
	KeepsCase bool
}

// ClientGo returns the client-go for which code is generated.
func (o *Options) ClientGo() model.Client {
	return model.Client{Release: cmp.Or(o.Client.Release, model.NewestRelease), Shown: o.Client.Shown}
}

// Backports reports whether the generated code provides a capability that the release of client-go lacks.
func (o *Options) Backports(c model.Capability) bool {
	return o.Backport && c.Expressible() && !o.ClientGo().Has(c)
}
