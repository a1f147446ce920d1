package render

import (
	"cmp"
	"go/token"
	"math"
	"path"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/schema"
)

// Options are the flags that affect the generated code.
type Options struct {
	// Roots says where the packages of the families are, by the directory of their templates. Generated code cannot
	// refer to a family without an entry.
	Roots map[string]Root
	// Header is the text that comes first in every file, comment signs included.
	Header string
	// APIPath is the path of all groups but the core one on the API server: "/apis".
	APIPath string
	// ClientsetOnly leaves out the clients of the groups.
	ClientsetOnly bool
	// Fake adds the fake clientset.
	Fake bool
	// PrefersProtobuf makes clients use protobuf unless the config sets another content type.
	PrefersProtobuf bool
	// Externals are the import paths of the apply configurations of types that are not at the usual place.
	Externals map[model.TypeRef]string
	// OpenAPI is a document whose merge rules override those of the types; it may be nil.
	OpenAPI *schema.Document
	// Bare generates the files of families with Family.Bare even if there are no kinds: a clientset without groups.
	Bare bool
	// Classic generates apply configurations with the API of applyconfiguration-gen of k8s.io/code-generator. Mistakes
	// in merge markers are then warnings, and the markers are ignored.
	Classic bool
	// Release is the release of client-go that the code is for; 0 is the newest one known.
	Release model.Release
	// Backport makes the generated code provide capabilities that Release lacks, where it can.
	Backport bool
	// Overlay are the user's templates; it may be nil.
	Overlay *Overlay
	// Clash, if not nil, is called for a package with a clash in an optional family. If it returns true, that is not reported as
	// an error. Several goroutines call it.
	Clash func(Clash) bool
	// FileName is what the first file is called that a family has in a package of types; "" leaves that to its template.
	FileName string
	// HandWritten returns the hand-written Go files in a directory below the family's root, by name; for files beside types the
	// directory is the import path of their package. It may be nil.
	HandWritten func(dir string) map[string][]byte
	// Keep returns the contents of files in such a directory, by name, as they are to be held until the end of the run. It may be
	// nil. Several goroutines call it.
	Keep func(dir string, names []string, contents [][]byte) []output.Text
}

// Clash is a package for which a family cannot be generated, because generated names collide or generated packages import each
// other.
type Clash struct {
	Family  *Family
	Package *model.Package
	Pos     token.Position
	Message string
}

// Same reports whether both are about the same family in the same package.
func (c Clash) Same(other Clash) bool {
	return c.Package.Path == other.Package.Path && c.Family.Name == other.Family.Name
}

// Warn reports that the package goes without the family.
func (c Clash) Warn(diags *diag.List) {
	diags.Warnf(c.Pos, "no %s code for package %s: %s", c.Family.Name, c.Package.Path, c.Message).Suggest("%s", c.Family.without())
}

// omits reports whether the package, which may be nil, goes without the family because of what the message says.
func (f *Family) omits(opts *Options, pkg *model.Package, pos token.Position, message string) bool {
	return f.Optional && pkg != nil && opts.Clash != nil && opts.Clash(Clash{f, pkg, pos, message})
}

// Root is the place of a family's packages.
type Root struct {
	// Path is the import path of the family's root directory.
	Path string
	// KeepsCase leaves the directories of groups in the case of the group's directory; otherwise they are in lower case.
	KeepsCase bool
}

// packageOf returns the import path of a generated package. dir is its directory of templates, such as
// "listers/group/version".
func (o *Options) packageOf(dir string, g *model.Group, v *model.Version) string {
	family, rel, _ := strings.Cut(dir, "/")
	root := o.Roots[family]
	return path.Join(root.Path, expandDirs(strings.Split(rel, "/"), root, g, v, ""))
}

// ClientGo returns the release of client-go that the code is for.
func (o *Options) ClientGo() model.Release { return cmp.Or(o.Release, model.NewestRelease) }

// keep is Keep, or holds the contents as they are.
func (o *Options) keep(dir string, names []string, contents [][]byte) []output.Text {
	if o.Keep != nil {
		return o.Keep(dir, names, contents)
	}
	return (&output.Store{Plain: math.MaxInt64}).Keep(contents...)
}
