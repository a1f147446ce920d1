package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/internal/crd"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/environment"
	"github.com/kubegen/kubegen/internal/gofile"
	"github.com/kubegen/kubegen/internal/importer"
	"github.com/kubegen/kubegen/internal/input"
	"github.com/kubegen/kubegen/internal/parallel"
	"github.com/kubegen/kubegen/internal/render"
	"github.com/kubegen/kubegen/internal/schematypes"
	"github.com/kubegen/kubegen/internal/typecopy"
)

// Stdin is the file name for standard input.
const Stdin = "-"

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

	only bool // --only was given
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
func IsGoPackage(env environment.Environment, arg string) bool {
	_, ok := ParseGoPackages(arg)
	if !ok || arg[0] == '.' || filepath.IsAbs(arg) {
		return false
	}
	_, err := os.Stat(env.At(arg))
	return errors.Is(err, fs.ErrNotExist)
}

// classify adds the arguments to the manifests and Go packages.
func (f *ImportFlags) classify(env environment.Environment) {
	for _, arg := range f.Arguments {
		if IsGoPackage(env, arg) {
			f.Packages = append(f.Packages, arg)
		} else {
			f.Manifests = append(f.Manifests, arg)
		}
	}
	f.Arguments = nil
}

// Import describes the imported packages of a plan.
type Import struct {
	Dir      string            // directory of all packages
	Path     string            // import path of Dir
	Dirs     map[string]string // requested directories of groups
	Packages []*importer.Package
	Go       []GoPackages
	Copies   []GoPackages // whose types are copied
	Copying  typecopy.Options
	Shapes   bool     // use Kubernetes types for schemas of the same shape
	Others   []Target // generators with packages of their own that are not targets of the plan

	defined     []string // the requested kinds and versions that manifests define
	definitions []string // names of all definitions in the manifests
}

// imports sets the flags implied by an import: imported types always need DeepCopy methods and registration.
func (f *Flags) imports() {
	yes := true
	f.Import.only = len(f.Only) > 0
	f.With = maps.Clone(f.With)
	for _, g := range generators.All {
		if render.InPackages(g) {
			f.With[g.Info().EnableFlag.Name] = &yes
			if f.Import.TypesOnly {
				f.Only = append(f.Only, g.Info().Name)
			}
		}
	}
	if f.Import.TypesOnly && f.CRDs.Dir != "" {
		f.Only = append(f.Only, CRD.Name)
	}
}

// imports reads the manifests and decides about the packages of their types. These packages become the patterns of the
// plan.
func (p *Plan) imports(outputPkg string, header gofile.Code, diags *diag.List) *Import {
	f := &p.Flags.Import
	if !f.Imports() {
		return nil
	}
	if f.TypesOnly && f.only {
		diags.AddError(diag.Errorf("%s and %s cannot be used together", diag.Setting("types-only"), diag.Setting("only")))
	}
	if f.TypesOnly && len(f.Packages) > 0 && !f.Copy {
		diags.AddError(diag.Errorf("%s: Go packages have types already; import only manifests with it", diag.Setting("types-only")))
	}
	if slices.Contains(f.Manifests, "") {
		diags.AddError(errors.New("the name of a manifest is empty; name files or directories, such as . for the current directory"))
		return nil
	}
	definitions := p.readImported(f.Manifests, diags)
	dirs, err := pairs("group-dirs", f.GroupDirs, importer.IsDirectory, "the name of one directory in lower case that the go command treats as any other")
	diags.AddError(err)
	names, err := pairs("names", f.Names, schematypes.IsTypeName, "an exported name in Go")
	diags.AddError(err)
	var packages []GoPackages
	for _, text := range f.Packages {
		found, ok := ParseGoPackages(text)
		if packages = append(packages, found); !ok {
			diags.AddError(diag.Errorf("%s: %q is not the import path of a package in another module, such as example.com/api/v1 or example.com/api/...", diag.Setting("packages"), diag.Value(text)))
		}
	}
	var fields []importer.Field
	for _, text := range f.Fields {
		field, err := importer.ParseField(text)
		if fields = append(fields, field); err != nil {
			diags.AddError(diag.Errorf("%s: %q is not a path of a field: %w", diag.Setting("fields"), diag.Value(text), err))
		}
	}
	if len(fields) > 0 && p.CRDs != nil {
		diags.AddError(diag.Errorf("%s and %s cannot be used together: a CustomResourceDefinition with only some fields would make the server drop all others",
			diag.Setting("fields"), diag.Setting(CRD.Flag)))
	}
	if len(definitions) == 0 && len(f.Manifests) > 0 && !diags.HasErrors() {
		hint := ""
		if slices.ContainsFunc(f.Manifests, p.isPackage) {
			hint = "; name Go packages by their import paths"
		}
		diags.AddError(diag.Errorf("no CustomResourceDefinition of apiextensions.k8s.io/v1 in %s%s", strings.Join(f.Manifests, ", "), hint))
	}
	if err := f.checkCopy(packages); err != nil {
		diags.AddError(err)
	}
	if diags.HasErrors() {
		return nil
	}
	i := &Import{Dir: p.At(p.Flags.OutputDir), Path: outputPkg, Dirs: dirs, Go: packages, Shapes: f.CoreTypes}
	if f.Copy {
		i.Go, i.Copies = nil, packages
		i.Copying = typecopy.Options{
			Kinds: f.Kinds, Versions: f.Versions, Others: len(definitions) > 0, Keep: f.Keep, Methods: f.Methods, Values: f.Values, Fields: fields,
			Path: outputPkg, Dirs: dirs, Header: header, Policy: p.options.Policy,
		}
	}
	for _, g := range generators.All {
		if !render.InPackages(g) && !slices.ContainsFunc(p.Targets, func(t Target) bool { return t.Info() == g.Info() }) {
			i.Others = append(i.Others, Target{Generator: g, Dir: filepath.Join(i.Dir, filepath.FromSlash(Request{Flags: p.Flags}.place(g.Info())))})
		}
	}
	root, _, ok := p.FindModule(p.Flags.OutputDir)
	i.Packages = importer.Packages(definitions, importer.Options{
		Path: outputPkg, Kinds: f.Kinds, Versions: f.Versions, Others: len(packages) > 0, Dirs: dirs, Names: names, Fields: fields, Header: header,
		Strict: p.CRDs != nil, Earlier: i.groupIn, Share: f.ShareTypes, Declared: i.typesIn,
		Name: func(file string) string {
			if rel, err := filepath.Rel(root, file); ok && err == nil && filepath.IsLocal(rel) {
				return filepath.ToSlash(rel)
			}
			return filepath.Base(file)
		},
	}, diags)
	p.Patterns = nil
	for _, pkg := range i.Packages {
		p.Patterns = append(p.Patterns, pkg.Path)
	}
	for _, d := range definitions {
		i.definitions = append(i.definitions, d.Name())
		for _, name := range f.Kinds {
			if d.Names(name) {
				i.defined = append(i.defined, name)
			}
		}
		for _, v := range d.Versions {
			i.defined = append(i.defined, v.Name.Text)
		}
	}
	for _, pkg := range i.Go {
		p.Patterns = append(p.Patterns, pkg.Pattern)
	}
	return i
}

// isPackage reports whether a name is the name of a directory with Go files.
func (p *Plan) isPackage(name string) bool {
	files, _ := filepath.Glob(filepath.Join(p.At(name), "*.go"))
	return len(files) > 0
}

// checkCopy checks the flags for copies of Go packages.
func (f *ImportFlags) checkCopy(packages []GoPackages) error {
	versions := slices.DeleteFunc(slices.Clone(packages), func(g GoPackages) bool { return g.Version == "" })
	switch {
	case !f.Copy && len(f.Keep) > 0:
		return diag.Errorf("%s requires %s", diag.Setting("keep"), diag.Setting("copy"))
	case !f.Copy && len(f.Fields) > 0 && len(packages) > 0:
		return diag.Errorf("%s of Go types requires %s, because the types must be here", diag.Setting("fields"), diag.Setting("copy"))
	case !f.Copy && len(f.Methods) > 0:
		return diag.Errorf("%s requires %s", diag.Setting("methods"), diag.Setting("copy"))
	case !f.Copy && len(f.Values) > 0:
		return diag.Errorf("%s requires %s", diag.Setting("values"), diag.Setting("copy"))
	case f.Copy && len(packages) == 0:
		return diag.Errorf("%s: no Go packages to copy; name import paths such as example.com/api/v1@v1.2.3", diag.Setting("copy"))
	case f.Copy && len(versions) > 0 && len(versions) < len(packages):
		return diag.Errorf("%s: some packages have a version and others have none; name the version of all of them", diag.Setting("copy"))
	}
	return nil
}

// covers reports whether a package belongs to the import now or did so earlier. It must be a version directory in a
// group directory that contains imported types or no Go files.
func (i *Import) covers(importPath string) bool {
	rel, below := strings.CutPrefix(importPath, i.Path+"/")
	if !below || strings.Count(rel, "/") != 1 {
		return false
	}
	dir := filepath.Join(i.Dir, filepath.FromSlash(rel))
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	return len(files) == 0 || importer.IsPackage(dir)
}

// isOwn reports whether a package belongs to the module of the output.
func (p *Plan) isOwn(importPath string) bool {
	root, _, ok := p.FindModule(p.Import.Dir)
	return ok && inModule(p.Environment, root, importPath)
}

// typesIn returns a function that reports whether an earlier import has written a type into a directory.
func (i *Import) typesIn(dir string) func(name string) bool {
	text, _ := os.ReadFile(filepath.Join(i.Dir, filepath.FromSlash(dir), importer.TypesFile)) // the file may not exist
	names := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "type "); ok {
			name, _, _ := strings.Cut(rest, " ")
			names[name] = true
		}
	}
	return func(name string) bool { return names[name] }
}

// groupIn returns the group of the types in a directory, or "".
func (i *Import) groupIn(dir string) string {
	entries, _ := os.ReadDir(filepath.Join(i.Dir, dir)) // the directory may not exist
	for _, entry := range entries {
		if text, err := input.File(filepath.Join(i.Dir, dir, entry.Name(), "doc.go")); err == nil {
			if group := importer.GroupOf(text); group != "" {
				return group
			}
		}
	}
	return ""
}

// pairs parses the values of a flag of the form KEY=VALUE.
func pairs(flag string, texts []string, valid func(string) bool, what string) (map[string]string, error) {
	found := map[string]string{}
	var errs []error
	for _, text := range texts {
		key, value, ok := strings.Cut(text, "=")
		switch {
		case !ok || key == "":
			errs = append(errs, diag.Errorf("%s: %q is not of the form KEY=VALUE", diag.Setting(flag), diag.Value(text)))
		case !valid(value):
			errs = append(errs, diag.Errorf("%s: %q is not %s", diag.Setting(flag), value, what))
		case found[key] != "" && found[key] != value:
			errs = append(errs, diag.Errorf("%s: %s has two values, %s and %s; write one", diag.Setting(flag), key, found[key], value))
		default:
			found[key] = value
		}
	}
	return found, errors.Join(errs...)
}

// readImported reads the CustomResourceDefinitions in files, below directories, and on standard input.
func (p *Plan) readImported(names []string, diags *diag.List) (definitions []*crd.Definition) {
	type manifest struct {
		name        string
		read        func() ([]byte, error)
		definitions []*crd.Definition
		diags       diag.List
	}
	var all []*manifest
	for _, name := range names {
		if name == Stdin {
			text, err := p.Flags.Import.Stdin()
			if err != nil {
				err = diag.Errorf("cannot read standard input: %w", err)
			}
			all = append(all, &manifest{name: p.At("standard input"), read: func() ([]byte, error) { return text, err }})
			continue
		}
		files, err := ManifestFiles(p.Environment, name)
		if err != nil {
			all = append(all, &manifest{read: func() ([]byte, error) { return nil, err }})
			continue
		}
		for _, file := range files {
			all = append(all, &manifest{name: file, read: func() ([]byte, error) { return input.Named(file, MaxManifest) }})
		}
	}
	parallel.Each(all, func(m *manifest) {
		text, err := m.read()
		if err != nil {
			m.diags.AddError(err)
			return
		}
		m.definitions, m.diags = crd.ReadComplete(m.name, text)
	})
	for _, m := range all {
		definitions, *diags = append(definitions, m.definitions...), append(*diags, m.diags...)
	}
	return definitions
}

// ManifestFiles returns the manifest files for a name: the file itself, or all files below the directory, sorted.
func ManifestFiles(env environment.Environment, name string) (files []string, err error) {
	at := env.At(name)
	info, err := os.Stat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s does not exist; name files and directories with CustomResourceDefinitions, - for standard input, or Go packages such as example.com/api/v1", name)
	case err != nil:
		return nil, err
	case !info.IsDir():
		return []string{at}, nil
	}
	err = filepath.WalkDir(at, func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && slices.Contains(ManifestExtensions, filepath.Ext(file)) {
			files, err = append(files, file), input.Regular(file)
		}
		return err
	})
	return files, err
}
