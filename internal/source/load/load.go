// Package load finds Go packages with the go command or a driver, and reads and parses their files. It does not
// type-check, and loads dependencies only on request. It also describes the environment of a command and its modules.
// Of Kubernetes, it knows the modules whose versions it suggests, and which capabilities a client-go has.
package load

import (
	"bytes"
	"context"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Config determines how packages are found and read.
type Config struct {
	// Env is the environment of the go command. Patterns are relative to its directory; "" is the current one.
	Env Environment
	// Marker is a text that makes a file worth parsing, or worth a message if it cannot be read.
	Marker string
	// Typed lists texts in packages whose imports are listed together, like the imports of packages with Marker.
	Typed []string
	// Parsed lists other texts that make generated files worth parsing.
	Parsed []string
	// Generated identifies generated files that are not needed to read types, and whose imports go.mod may lack.
	Generated gofile.ToolMarks
	// Release is the release of client-go that packages must have, or 0 for any. Suggested commands ask for it.
	Release model.Release
	// Likely lists packages that will probably be imported. They are listed together with the first ones if a go.mod
	// file requires their modules, because running the go command takes longer than all other work for a small API.
	Likely []string
	// Companions are listed together with the imported packages that they belong to.
	Companions model.Companions
	// Suggest returns advice for a pattern that matches no package, or "". It may be nil.
	Suggest func(pattern string) string
	// List returns packages with their files and modules; nil stands for Sources.
	List func(ctx context.Context, patterns []string) ([]*packages.Package, error)
	// ReadFile reads a file; nil stands for the function ReadFile.
	ReadFile func(name string) ([]byte, error)
	// Sources lists, reads and parses files. It may be shared with other Loaders; nil stands for a new one.
	Sources *Sources
}

// Loader finds packages, and reads and parses their files.
type Loader struct {
	Modules *Modules
	Fset    *token.FileSet
	Input   []*Package          // packages that match the patterns, ordered by import path
	Known   map[string]*Package // all listed packages by import path; nil for packages that do not exist

	cfg     Config
	ctx     context.Context
	shared  *Sources
	missing map[string]string // messages about missing packages, by import path
	list    listFunc
	places  []listFunc // one for each module of the patterns, in the order of the search for imported packages
}

// NewLoader returns a Loader that has found nothing yet. Its go commands end when ctx is done.
func NewLoader(ctx context.Context, cfg Config) *Loader {
	cfg.Env.Dir, _ = filepath.Abs(cfg.Env.Dir)
	shared := cfg.Sources
	if shared == nil {
		shared = NewSources(cfg)
	}
	l := &Loader{
		Modules: NewModules(ctx, cfg.Env, cfg.Release), Fset: shared.fset, Known: map[string]*Package{},
		cfg: cfg, ctx: ctx, shared: shared, missing: map[string]string{}, list: shared.list,
	}
	if cfg.List != nil {
		l.list = cfg.List
	}
	if cfg.ReadFile == nil {
		l.cfg.ReadFile = ReadFile
	}
	return l
}

// WhyMissing returns the reason why a package was not found, or "" if it was, and the commands that help, or "" if they
// are unknown.
func (l *Loader) WhyMissing(importPath string) (why, commands string) {
	return l.Modules.Explain(importPath, l.missing[importPath])
}

// Unsummed returns the modules with listed packages that are in the module graph, but for which go.sum has no checksum.
func (l *Loader) Unsummed() []string {
	l.shared.listing.Lock()
	defer l.shared.listing.Unlock()
	return slices.Clone(l.shared.unsummed)
}

// Remedy returns the results of WhyMissing as one text.
func (l *Loader) Remedy(importPath string) string {
	why, commands := l.WhyMissing(importPath)
	if commands != "" {
		why += "; run " + commands
	}
	return why
}

// ReadFile reads a file that is not among the Files of a package, such as one of its Ignored files.
func (l *Loader) ReadFile(name string) ([]byte, error) { return l.cfg.ReadFile(name) }

// Find finds the packages that match the patterns, and returns them ordered by import path. Read reads them.
func (l *Loader) Find(patterns []string) (found []*Package, diags diag.List) {
	l.Modules.Find()
	existing := l.existing(patterns, &diags)
	if len(existing) == 0 {
		return nil, diags
	}
	groups := l.byModule(existing)
	probable := slices.DeleteFunc(slices.Clone(l.cfg.Likely), l.beside(existing))
	for _, m := range groups {
		l.places = append(l.places, m.list)
		ok, wrong := l.find(m, l.likely(probable, m.patterns), l.Named(existing))
		if diags = append(diags, wrong...); !ok {
			return nil, diags
		}
	}
	slices.SortFunc(l.Input, func(a, b *Package) int { return strings.Compare(a.Path, b.Path) })
	return l.Input, diags
}

// find adds the packages that match the patterns of one module to Input. It reports whether the go command could list
// them. The likely packages are listed together with them.
func (l *Loader) find(m located, likely []string, named func(importPath, dir string) bool) (ok bool, diags diag.List) {
	hasErrors := func(pkg *packages.Package) bool { return len(pkg.Errors) > 0 }
	loaded, err := m.list(l.ctx, slices.Concat(likely, m.patterns))
	if len(likely) > 0 && (err != nil || slices.ContainsFunc(loaded, hasErrors)) {
		likely = nil // it may have caused the error
		loaded, err = m.list(l.ctx, m.patterns)
	}
	if (err != nil || slices.ContainsFunc(loaded, hasErrors)) && l.reportElsewhere(m.patterns, &diags) {
		return false, diags
	}
	if err != nil {
		return false, append(diags, l.reportRefusal(err, m.file)...)
	}
	for _, pkg := range loaded {
		l.Modules.Note(pkg.Module)
		if slices.Contains(likely, pkg.PkgPath) {
			if l.Known[pkg.PkgPath] == nil {
				l.Known[pkg.PkgPath] = l.newPackage(pkg)
			}
			continue
		}
		if len(pkg.Errors) > 0 {
			diags = append(diags, l.reportListing(pkg, l.matters(pkg, named))...)
		}
		if l.Known[pkg.PkgPath] != nil || len(pkg.Errors) > 0 && len(pkg.GoFiles) == 0 && len(pkg.IgnoredFiles) == 0 {
			continue
		}
		src := l.newPackage(pkg)
		l.Known[src.Path] = src
		l.Input = append(l.Input, src)
	}
	return true, diags
}

// likely returns the ones among probable imports that match no pattern and belong to modules required by a go.mod file.
func (l *Loader) likely(probable, patterns []string) []string {
	return slices.DeleteFunc(slices.Clone(probable), func(importPath string) bool {
		_, required := l.Modules.Required(l.Modules.With(importPath))
		return !required || slices.ContainsFunc(patterns, func(pattern string) bool { return mayMatch(pattern, importPath) })
	})
}

// beside returns a function that reports whether a package belongs to the module with a directory that one of the
// patterns names, so that the pattern may match the package.
func (l *Loader) beside(patterns []string) func(importPath string) bool {
	modules := map[string]bool{}
	for _, pattern := range patterns {
		if l.IsLocal(pattern) {
			if f := l.Modules.Above(l.At(PatternDir(pattern))); f != nil && f.Module != nil {
				modules[f.Module.Mod.Path] = true
			}
		}
	}
	return func(importPath string) bool { return modules[l.Modules.With(importPath)] }
}

// matters reports whether an invalid package is an error: it was named explicitly or contains Config.Marker, and does
// not merely match a pattern.
func (l *Loader) matters(pkg *packages.Package, named func(importPath, dir string) bool) bool {
	files := slices.Concat(pkg.GoFiles, pkg.OtherFiles)
	if len(files) == 0 {
		return true // the package does not exist
	}
	return named(pkg.PkgPath, filepath.Dir(files[0])) || slices.ContainsFunc(pkg.GoFiles, func(name string) bool {
		text, err := l.cfg.ReadFile(name)
		return err == nil && bytes.Contains(text, []byte(l.cfg.Marker))
	})
}

// Named returns a function that reports whether one of the patterns is the path of a package, or names its directory.
func (l *Loader) Named(patterns []string) func(importPath, dir string) bool {
	paths, dirs := map[string]bool{}, map[string]bool{}
	for _, pattern := range patterns {
		if !l.IsLocal(pattern) {
			paths[pattern] = true
		} else {
			dirs[l.At(pattern)] = true
		}
	}
	return func(importPath, dir string) bool { return paths[importPath] || dirs[filepath.Clean(dir)] }
}

// placeOf returns the position of an error of the go command: the position in the message, or else the package's first
// file.
func placeOf(pkg *packages.Package, e packages.Error) token.Position {
	if pos := Position(e.Pos); pos.IsValid() {
		return pos
	}
	for _, name := range slices.Concat(pkg.OtherFiles, pkg.GoFiles) {
		if strings.Contains(e.Msg, filepath.Base(name)) {
			return token.Position{Filename: name, Line: 1}
		}
	}
	for _, name := range pkg.GoFiles {
		return token.Position{Filename: name, Line: 1}
	}
	return token.Position{}
}

// reportListing reports the errors of the go command for a package, except for errors that parsing reports better.
func (l *Loader) reportListing(pkg *packages.Package, matters bool) (diags diag.List) {
	for _, e := range pkg.Errors {
		pos := Position(e.Pos)
		inFile := slices.ContainsFunc(pkg.GoFiles, func(name string) bool { return filepath.Base(name) == filepath.Base(pos.Filename) })
		switch {
		case inFile, strings.HasPrefix(e.Msg, "found packages "), strings.Contains(e.Msg, "build constraints exclude all Go files"):
		case strings.HasPrefix(e.Msg, "no Go files in "):
			diags.Errorf(pos, "no Go files in %s", diag.Value(pkg.ID)).
				Suggest("write %s/... for the directories below it", strings.TrimSuffix(pkg.ID, "/"))
		case strings.Contains(e.Msg, "does not contain main module"):
			diags.Errorf(pos, "%s is not in a module that the go command uses here", diag.Value(pkg.ID)).
				Suggest("run the command in that directory's module, or add the module to go.work")
		case !matters:
			diags.Warnf(placeOf(pkg, e), "the go command rejects this package: %s", l.shortened(e.Msg)).
				Suggest("nothing is generated for it; to leave it out, name only the packages of the API")
		case l.reportOwn(pkg.ID, &diags):
		default:
			message := l.shortened(e.Msg)
			if why, commands := l.Modules.Explain(pkg.ID, message); commands != "" {
				diags.Errorf(placeOf(pkg, e), "cannot read %s: %s", pkg.ID, why).Run("%s", commands).CausedBy(why)
			} else {
				l.Suggest(diags.Errorf(placeOf(pkg, e), "%s", message).About(pkg.ID), pkg.ID)
			}
		}
	}
	return diags
}

// shortened removes absolute paths from a message of the go command: "package apis is not in std
// (/usr/local/go/src/apis)".
func (l *Loader) shortened(message string) string {
	if before, inside, ok := strings.Cut(message, " ("); ok && filepath.IsAbs(inside) {
		message = before
	}
	return l.cfg.Env.Shorten(message)
}

// goMessage returns the output of a failed go command.
func goMessage(err error) string {
	before, stderr, _ := strings.Cut(err.Error(), ": stderr: ")
	if stderr = strings.TrimSpace(stderr); stderr != "" {
		return stderr
	}
	return strings.TrimPrefix(before, "err: ")
}

func (l *Loader) newPackage(pkg *packages.Package) *Package {
	src := &Package{Path: pkg.PkgPath, Name: pkg.Name, Ignored: pkg.IgnoredFiles, Owner: pkg.Module}
	if m := pkg.Module; m != nil && m.Main {
		src.Module = m.Dir
	} else if m != nil {
		src.Foreign = m.Replace == nil || m.Replace.Version != ""
	}
	for _, name := range l.shared.goFiles(pkg) {
		src.Files = append(src.Files, &File{Name: name})
	}
	return src
}

// position matches the position of a packages.Error: "file:line:col", "file:line" or "file".
var position = regexp.MustCompile(`^(.*?)(?::(\d+))?(?::(\d+))?$`)

// Position parses the position of a packages.Error. It is invalid for "-".
func Position(s string) (pos token.Position) {
	if at := position.FindStringSubmatch(s); at != nil && s != "-" { // as packages.Error.Pos says
		pos.Filename = at[1]
		pos.Line, _ = strconv.Atoi(at[2])
		pos.Column, _ = strconv.Atoi(at[3])
	}
	return pos
}

// Imported returns a package that a file of API types refers to, or nil if it does not exist. Listing many packages
// takes little longer than listing one. Therefore, when a package is missing, Imported also lists all imports of input
// packages with Config.Marker or a text of Config.Typed, the other imports of f, and the companions of all these.
func (l *Loader) Imported(f *File, importPath string) *Package {
	if importPath == "" {
		return nil
	}
	if _, ok := l.Known[importPath]; ok {
		return l.Known[importPath]
	}
	wanted := f.Imports()
	for _, src := range l.Input {
		if !slices.ContainsFunc(l.typed(), src.Mentions) {
			continue
		}
		for _, other := range src.Files {
			wanted = append(wanted, other.Imports()...)
		}
	}
	l.Preload(append(l.withCompanions(wanted), importPath)...)
	return l.Known[importPath]
}

// typed returns the texts in packages whose imports are listed together.
func (l *Loader) typed() []string { return append(slices.Clone(l.cfg.Typed), l.cfg.Marker) }

// withCompanions returns import paths and their companions, without the standard library.
func (l *Loader) withCompanions(importPaths []string) []string {
	for _, path := range importPaths {
		importPaths = append(importPaths, l.cfg.Companions.Of(path))
	}
	return slices.DeleteFunc(importPaths, func(path string) bool { return path == "" || model.IsStandard(path) })
}

// ImportPath returns the import path for a package name in a file; see File.ImportPath.
func (l *Loader) ImportPath(f *File, name string) string {
	return f.ImportPath(name, func(importPath string) *Package { return l.Imported(f, importPath) })
}

// Names returns the names in the package clauses of the known packages, by import path.
func (l *Loader) Names() map[string]string {
	names := map[string]string{}
	for importPath, src := range l.Known {
		if src != nil && src.Name != "" {
			names[importPath] = src.Name
		}
	}
	return names
}

// Preload lists the packages that are not known yet. Callers report missing ones where it matters.
func (l *Loader) Preload(importPaths ...string) {
	importPaths = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(importPaths))), func(path string) bool {
		_, known := l.Known[path]
		return known
	})
	if len(importPaths) == 0 {
		return
	}
	loaded, err := l.listImported(importPaths)
	if err != nil && len(importPaths) > 1 { // the error may concern only one of them
		for _, importPath := range importPaths {
			l.Preload(importPath)
		}
		return
	}
	for _, importPath := range importPaths {
		l.Known[importPath] = nil
		if err != nil {
			l.missing[importPath] = l.shortened(goMessage(err))
		}
	}
	for _, pkg := range loaded {
		switch {
		case l.Known[pkg.PkgPath] != nil:
		case len(pkg.GoFiles) > 0:
			l.Known[pkg.PkgPath] = l.newPackage(pkg)
		case len(pkg.Errors) > 0:
			l.missing[pkg.PkgPath] = l.shortened(pkg.Errors[0].Msg)
		}
	}
}

// Match returns the packages that patterns match: import paths, directories, and either with "/..." at the end. It also
// returns the patterns without packages.
func (l *Loader) Match(patterns []string) (found []*Package, unmatched []string) {
	importPaths := make([][]string, len(patterns)) // of each pattern
	for i, pattern := range patterns {
		local := l.IsLocal(pattern)
		if local {
			pattern = l.cfg.Env.At(filepath.FromSlash(pattern))
		}
		switch {
		case strings.Contains(pattern, "..."):
			loaded, _ := l.listImported([]string{pattern})
			for _, pkg := range loaded {
				importPaths[i] = append(importPaths[i], pkg.PkgPath)
			}
		case local:
			if importPath, ok := l.cfg.Env.ImportPath(pattern); ok {
				importPaths[i] = []string{importPath}
			}
		default:
			importPaths[i] = []string{pattern}
		}
	}
	l.Preload(slices.Concat(importPaths...)...)
	for i, pattern := range patterns {
		before := len(found)
		for _, importPath := range importPaths[i] {
			if src := l.Known[importPath]; src != nil {
				found = append(found, src)
			}
		}
		if len(found) == before {
			unmatched = append(unmatched, pattern)
		}
	}
	return found, unmatched
}

// PackagePos returns the position for messages about a whole package: the package clause of doc.go, or else of its
// first file.
func (l *Loader) PackagePos(src *Package) token.Position {
	var pos token.Position
	for f := range src.Parsed() {
		if !pos.IsValid() || filepath.Base(f.Name) == "doc.go" {
			pos = l.Fset.Position(f.Syntax.Package)
		}
	}
	return pos
}
