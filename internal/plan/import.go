package plan

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Stdin is the file name for standard input.
const Stdin = "-"

// CheckLocal returns an error for the URL of a manifest.
func CheckLocal(name string) error {
	if scheme, _, isURL := strings.Cut(name, "://"); !isURL || strings.Contains(scheme, "/") {
		return nil
	}
	return diag.Errorf("%s is a URL, and kubegen downloads nothing; save it with curl -fsSLO %[1]s, and name the file", diag.Value(name))
}

// ImportFlags are the flags for importing CustomResourceDefinitions and Go packages.
type ImportFlags struct {
	Arguments       []string // manifests and Go packages on the command line
	Manifests       []string // files and directories
	Packages        []string // in the form of ParseGoPackages
	Kinds, Versions []string
	GroupDirs       []string // GROUP=DIRECTORY
	Names           []string // PATH=NAME
	Fields          []string // in the form of importer.ParseField
	TypesOnly       bool
	ShareTypes      bool
	CoreTypes       bool
	CopyFlags
	Stdin func() ([]byte, error)
}

// CopyFlags are the flags for copies of Go types.
type CopyFlags struct {
	Copy    bool     // copy Go types instead of importing them where they are
	Keep    []string // import paths of packages that are not copied
	Methods []string // Type.Method
	Values  []string // variables, PATH.NAME
}

// GoPackages are Go packages of types to import.
type GoPackages struct {
	Pattern string // an import path, or one followed by /...
	Version string // of the module, as in go get, or "" for the version in the build list
}

// String returns the packages as an argument of the command.
func (g GoPackages) String() string {
	if g.Version == "" {
		return g.Pattern
	}
	return g.Pattern + "@" + g.Version
}

// ParseGoPackages parses PATH, PATH/..., and either with @VERSION. ok is false for other texts, for paths whose first
// element has no dot, as in the standard library, and for names of manifests.
func ParseGoPackages(text string) (found GoPackages, ok bool) {
	pattern, version, versioned := strings.Cut(text, "@")
	path := strings.TrimSuffix(pattern, "/...")
	first, _, _ := strings.Cut(path, "/")
	ok = strings.Contains(first, ".") && module.CheckImportPath(path) == nil && !slices.Contains(ManifestExtensions, filepath.Ext(path)) &&
		versioned == (version != "") && !strings.ContainsAny(version, "@ ")
	return GoPackages{pattern, version}, ok
}

// Imports reports whether the run imports anything.
func (f *ImportFlags) Imports() bool { return len(f.Arguments)+len(f.Manifests)+len(f.Packages) > 0 }

// IsGoPackage reports whether an argument names Go packages. A name that exists or begins with a dot or slash does not.
func IsGoPackage(env load.Environment, arg string) bool {
	_, ok := ParseGoPackages(arg)
	if !ok || arg[0] == '.' || filepath.IsAbs(arg) {
		return false
	}
	_, err := os.Stat(env.At(arg))
	return errors.Is(err, fs.ErrNotExist)
}

// classify adds the arguments to the manifests and Go packages.
func (f *ImportFlags) classify(env load.Environment) {
	for _, arg := range f.Arguments {
		if IsGoPackage(env, arg) {
			f.Packages = append(f.Packages, arg)
		} else {
			f.Manifests = append(f.Manifests, arg)
		}
	}
	f.Arguments = nil
}

// Import is where the packages of an import are, as far as flags determine it.
type Import struct {
	Dir  string // directory of all packages
	Path string // import path of Dir
}

// imports sets the flags implied by an import: imported types always need DeepCopy methods and registration.
func (f *Flags) imports(all []*Info) error {
	if f.Import.TypesOnly && len(f.Only) > 0 {
		return diag.Errorf("%s and %s cannot be used together", diag.Setting("types-only"), diag.Setting("only"))
	}
	f.Settings = maps.Clone(f.Settings)
	for _, info := range all {
		switch {
		case info.Imported:
			f.Settings[info.EnableFlag.Name] = Literal("true")
		case info.Manifests == nil || !info.Manifests.Defines || f.Settings.Text(info.EnableFlag.Name) == "":
			continue
		}
		if f.Import.TypesOnly {
			f.Only = append(f.Only, info.Name)
		}
	}
	return nil
}

// imports returns the places of an import into a package, or nil if the run imports nothing.
func (p *Plan) imports(outputPkg string) *Import {
	if !p.Flags.Import.Imports() {
		return nil
	}
	return &Import{Dir: p.At(p.Flags.OutputDir), Path: outputPkg}
}
