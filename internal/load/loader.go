// Package load finds Go packages by the go command or a driver, and reads and parses their files. It type-checks nothing and loads no
// dependencies, unless somebody asks for them. It knows nothing of Kubernetes, except for the modules whose versions it suggests.
package load

import (
	"context"
	"go/token"

	"golang.org/x/tools/go/packages"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/environment"
	"github.com/kubegen/kubegen/internal/gomod"
	"github.com/kubegen/kubegen/internal/input"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/origin"
)

// Config determines how packages are found and read.
type Config struct {
	// Env is the environment of the go command. Patterns are relative to its directory; "" is the current one.
	Env environment.Environment
	// Marker is a text that makes a file worth parsing, or worth a message if it cannot be read.
	Marker string
	// Parsed are texts that also make generated files worth parsing.
	Parsed []string
	// Generated are the marks of generated files that are not needed to read types, and whose imports go.mod may lack.
	Generated origin.Marks
	// Release is the release of client-go that packages must have, 0 if any will do. Commands that are suggested ask for it.
	Release model.Release
	// Likely are packages that will probably be imported, to be listed with the first ones, if a go.mod file requires their modules.
	// Running the go command takes longer than all other work for a small API.
	Likely []string
	// AlsoLoad returns a package to list together with an imported one, because its files will be needed; "" for none. It may be nil.
	AlsoLoad func(importPath string) string
	// Suggest returns what to do about a pattern that is no package, "" if it does not know. It may be nil.
	Suggest func(pattern string) string
	// List returns packages with their files and modules; nil stands for Sources.
	List func(ctx context.Context, patterns []string) ([]*packages.Package, error)
	// ReadFile reads a file; nil stands for input.File.
	ReadFile func(name string) ([]byte, error)
	// Sources list, read and parse. They may be shared with other Loaders; nil stands for new ones.
	Sources *Sources
}

// Loader finds packages, and reads and parses their files. Its List has the diagnostics about them.
type Loader struct {
	diag.List
	Modules *gomod.Modules
	Fset    *token.FileSet
	Input   []*Package          // packages that match the patterns, ordered by import path
	Known   map[string]*Package // all that were listed, by import path; nil for packages that do not exist

	cfg     Config
	ctx     context.Context
	shared  *Sources
	missing map[string]string // why a package does not exist, by import path
	list    listFunc
	places  []listFunc // of the modules of the patterns, in the order in which imported packages are sought
}

// NewLoader returns a Loader that has found nothing yet. ctx ends the go commands that it runs.
func NewLoader(ctx context.Context, cfg Config) *Loader {
	shared := cfg.Sources
	if shared == nil {
		shared = NewSources(cfg)
	}
	l := &Loader{
		Modules: gomod.New(ctx, cfg.Env, cfg.Release), Fset: shared.fset, Known: map[string]*Package{},
		cfg: cfg, ctx: ctx, shared: shared, missing: map[string]string{}, list: shared.list,
	}
	if cfg.List != nil {
		l.list = cfg.List
	}
	if cfg.ReadFile == nil {
		l.cfg.ReadFile = input.File
	}
	return l
}

// WhyMissing says why a package was not found, "" if it was, and which commands make it found, "" if that is not known.
func (l *Loader) WhyMissing(importPath string) (why, commands string) {
	return l.Modules.Explain(importPath, l.missing[importPath])
}

// Remedy says both in a few words.
func (l *Loader) Remedy(importPath string) string {
	why, commands := l.WhyMissing(importPath)
	if commands != "" {
		why += "; run " + commands
	}
	return why
}

// ReadFile reads a file that is not among the Files of a package, such as one of its Ignored files.
func (l *Loader) ReadFile(name string) ([]byte, error) { return l.cfg.ReadFile(name) }
