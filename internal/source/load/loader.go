// Package load finds Go packages with the go command or a driver, and reads and parses their files. It does not
// type-check, and loads dependencies only on request. It also describes the environment of a command and its modules.
// Of Kubernetes, it knows the modules whose versions it suggests, and which capabilities a client-go has.
package load

import (
	"context"
	"go/token"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/kubegen/kubegen/internal/terms/model"
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
	// FieldTypes means that the types of fields will be read, and the packages to which they refer listed. Those that
	// files show are listed together with the first ones, too.
	FieldTypes bool
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
