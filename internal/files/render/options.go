package render

import (
	"path"
	"strings"

	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// Options are the settings that affect generated code.
type Options struct {
	plan.Options
	// Overlay holds the user's templates. It may be nil.
	Overlay *Overlay
	// HandWritten returns the hand-written Go files in a directory below the generator's root, by name. For files in a
	// package of types, dir is the import path of the package. It may be nil.
	HandWritten func(dir string) map[string][]byte
}

// packageOf returns the import path of a generated package. dir is its directory of templates, such as
// "listers/group/version".
func (o *Options) packageOf(dir string, g *model.Group, v *model.Version) string {
	generator, rel, _ := strings.Cut(dir, "/")
	root := o.Roots[generator]
	return path.Join(root.Path, path.Join(expanded(strings.Split(rel, "/"), root, g, v, "")...))
}
