package kinds

import (
	"go/token"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// Version names a version of a kind.
type Version struct{ Group, Kind, Version string }

// Served is a version of a kind as served according to a CustomResourceDefinition that the same run writes, or
// according to one of an imported kind.
type Served struct {
	Group, Version         string
	Plural, Singular       string
	ShortNames, Categories []string
	Namespaced             bool
	Subresources           []string // "status", "scale", or both
	Unserved               bool
	Schema
	From  model.Source   // the manifest of an imported kind
	Names token.Position // position of the marker that determines names and scope, or else of the type
}

// Schema has what clients follow of a schema.
type Schema struct {
	Scale   *model.Scale    // of an imported kind
	Merging []model.Merging // of edited parts
}

// Manifests are the CustomResourceDefinitions that a run reads and writes.
type Manifests struct {
	// Defines means that the run writes some, for this or for other outputs, and Own that it does for this one. Clients
	// then follow the manifests, and follow.go reports contradictions instead of checks.
	Defines, Own bool
	Gates        []string // names of the feature gates of sets
	Definitions  []string // names of those that the run reads
	Statuses     []string // their versions that have a status subresource, as KIND.GROUP/VERSION
}
