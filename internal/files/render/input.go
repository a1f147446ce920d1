package render

import (
	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// Input is the input of a generator.
type Input struct {
	Dir string // absolute directory of the generator's root or manifests; "" for a PackageGenerator

	API     *model.API // of generators of Go files with templates
	Options *Options

	// Of generators of manifests, which run before an API exists, because its clients follow the manifests.
	Header  string           // text above each manifest
	Markers *markers.InFiles // of the effect Needs.Markers; their mistakes are reported
	Kinds   Kinds            // the zero Kinds if no generator of the run needs schemas
	Earlier []output.Tree    // the manifests of generators before this one
	// Complete reports whether the packages include all packages of the module. Otherwise, other runs may have written
	// manifests for the others.
	Complete func() bool
	// Covers reports whether the run would read a package if it existed. Otherwise, another run may have written files
	// for it.
	Covers func(importPath string) bool
	// Once means that the settings are for this run only, and manifests for other settings remain.
	Once bool
}

// Kinds are the packages whose kinds may have manifests.
type Kinds struct {
	Types *gotypes.Reader
	All   []*kinds.Package
	Named []*kinds.Package // without the ones that the command line leaves out
}

// Definer is a generator of CustomResourceDefinitions.
type Definer interface {
	Generator
	// Define is like ObjectGenerator.Generate, and also returns the CustomResourceDefinitions. Clients follow them.
	Define(*Input) ([]output.Tree, crd.Found, diag.List)
	// GateNames returns the names of the feature gates that are on in some manifests, in order.
	GateNames() []string
	// WritesInto reports whether all manifests in a directory are of this generator, so that clients agree with them
	// without a comparison.
	WritesInto(dir string) bool
}

// MarkerReader is a Generator of manifests that markers in comments of files determine.
type MarkerReader interface {
	// Determines reports whether an object contains what a marker says.
	Determines(model.Marker, yamltext.ManifestObject) bool
}

// File returns the only file of a generator, whose content is nil if there is nothing to write. manifest.Owned
// determines whether a file of this name may be replaced. If there is nothing to write, it is stale if it has the form
// of a generated file, and the input is complete. kinds are the kinds of the objects that the file can have.
func (in *Input) File(name string, content []byte, kinds ...string) []output.Tree {
	complete := in.Complete // the tree must not keep the input
	tree := output.Tree{Dir: in.Dir, Owned: yamltext.OwnedManifest(content, kinds...), Stale: func(other string, text []byte) bool {
		return other == name && yamltext.WrittenManifest(text, kinds...) && complete()
	}}
	if content != nil {
		tree.Files = []output.File{{Path: name, Content: content}}
	}
	return []output.Tree{tree}
}
