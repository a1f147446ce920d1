package render

import (
	"cmp"
	"go/token"
	"path"
	"strings"

	"github.com/kubegen/kubegen/internal/model"
)

// Options are what the flags say about the generated code.
type Options struct {
	// Roots says where the packages of the families are, by the directory of their templates. A family without an entry is
	// none that code can refer to.
	Roots map[string]Root
	// Header is the text that comes first in every file, comment signs included.
	Header string
	// APIPath is the path of all groups but the core one on the API server: "/apis".
	APIPath string
	// ClientsetOnly leaves out the clients of the groups.
	ClientsetOnly bool
	// Fake adds the fake clientset.
	Fake bool
	// PrefersProtobuf makes clients ask for protobuf where the config does not say otherwise.
	PrefersProtobuf bool
	// Externals are the import paths of packages that have apply configurations for types, where other than usual.
	Externals map[model.TypeRef]string
	// OpenAPI is an OpenAPI document, in JSON, that says how types merge; nil leaves that to the types themselves.
	OpenAPI []byte
	// Bare makes the files of a family that can do without kinds even where there are none: a clientset without groups.
	Bare bool
	// Classic gives apply configurations the API that applyconfiguration-gen of k8s.io/code-generator gives them, and makes
	// warnings of mistakes in what says how types merge; it then does not count.
	Classic bool
	// Release is the release of client-go that the code is for; 0 is the newest one known.
	Release model.Release
	// Backport gives the code capabilities that Release lacks, where it can express them itself.
	Backport bool
	// Overlay is templates of the user's; nil is for none.
	Overlay *Overlay
	// Clash takes what has generated names that collide with others, for families that packages can do without: it is then not
	// reported as a mistake, if it returns true. It may be nil, and several goroutines call it.
	Clash func(Clash) bool
	// FileName is what the first file is called that a family has in a package of types; "" leaves that to its template.
	FileName string
	// HandWritten returns the hand-written Go files in a directory below the family's root, by name; for files beside types the
	// directory is the import path of their package. It may be nil.
	HandWritten func(dir string) map[string][]byte
}

// Clash is a package that a family cannot have, since generated names of something in it collide with others.
type Clash struct {
	Package *model.Package
	Pos     token.Position
	Message string
}

// Root is where the packages of a family are.
type Root struct {
	// Path is the import path that they are below.
	Path string
	// KeepsCase leaves the directories of groups in the case of the group's directory; otherwise they are in lower case.
	KeepsCase bool
}

// packageOf returns the import path of a package of generated code: dir is its directory as the templates have it, such as
// "listers/group/version".
func (o *Options) packageOf(dir string, g *model.Group, v *model.Version) string {
	family, rel, _ := strings.Cut(dir, "/")
	root := o.Roots[family]
	return path.Join(root.Path, expandDirs(strings.Split(rel, "/"), root, g, v, ""))
}

// ClientGo returns the release of client-go that the code is for.
func (o *Options) ClientGo() model.Release { return cmp.Or(o.Release, model.NewestRelease) }
