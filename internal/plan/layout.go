package plan

import (
	"errors"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/templates"
)

// Layout returns the generators that a command runs and their output directories.
type Layout func(Request) ([]Target, error)

// Request is the input of a Layout.
type Request struct {
	*Flags
	OutputDir string // absolute
	Named     bool   // an output directory is known
	Package   string // import path of OutputDir
	Options   Options

	all []*Info
}

// Target is one generator and its output.
type Target struct {
	Of      *Info
	Dir     string // absolute directory of the generator's root or manifests; "" for a render.PackageGenerator
	Header  string // text above each manifest
	Options Options
	Only    func(*model.Version) bool // selects versions; nil selects all
	Lacks   string                    // a missing flag that is required if there are versions, or ""
}

// Info returns the properties of the generator.
func (t Target) Info() *Info { return t.Of }

// Marks returns the marks of the files that the generator, or a tool that it replaces, has written.
func (t Target) Marks() gofile.ToolMarks { return t.Info().Marks(t.Options.FileName) }

// Root returns the import path of the generator's root.
func (t Target) Root() string { return t.Options.Roots[t.Info().Templates].Path }

// OwnWrites reports whether the generated code imports the module with the store of own writes.
func (t Target) OwnWrites() bool { return t.Info().Needs.OwnWrites && t.Options.Consistency }

// Everything is the layout of all generators, or the ones in --only, each in the directory set by its flags.
func Everything(r Request) ([]Target, error) {
	var errs []error
	refuse := func(format string, args ...any) { errs = append(errs, diag.Errorf(format, args...)) }
	known := map[string]*Info{}
	for _, info := range r.all {
		known[info.Name] = info
	}
	for _, name := range r.Only {
		only := diag.Textf("%s %s", diag.Setting("only"), diag.Value(name))
		switch info := known[name]; {
		case info == nil:
			refuse("%s: unknown value %q (known are %s)", diag.Setting("only"), diag.Value(name), strings.Join(Names(r.all), ", "))
		case !r.with(info) && info.EnableFlag.Default != "false":
			refuse("%s and %s=false cannot be used together", only, diag.Setting(info.EnableFlag.Name))
		case r.elsewhere(info):
			refuse("%s and %s cannot be used together", only, diag.Setting("apply-configuration-package"))
		}
	}
	if !r.Named {
		refuse("no go.mod with a module path here or in a directory above: choose the output directory with %s", diag.Setting("output-dir"))
	}
	if len(errs) > 0 || r.Package == "" {
		return nil, errors.Join(errs...)
	}
	wanted := func(info *Info) bool {
		return r.selects(info.Name) && (len(r.Only) > 0 || r.with(info) && !r.elsewhere(info))
	}
	opts := r.options()
	var targets []Target
	for _, info := range r.all {
		t := Target{Of: info, Options: opts}
		if info.Manifests != nil {
			continue // for all modules together
		}
		if info.HasPackages() {
			below := r.place(info)
			if _, given := opts.Roots[info.Templates]; !given && r.with(info) {
				opts.Roots[info.Templates] = Root{Path: path.Join(r.Package, below), KeepsCase: info.KeepsCase}
			}
			t.Dir = filepath.Join(r.OutputDir, filepath.FromSlash(below))
		}
		if wanted(info) {
			targets = append(targets, t)
		}
	}
	return targets, nil
}

// Names returns the values of --only: the names of all generators.
func Names(all []*Info) (names []string) {
	for _, info := range all {
		names = append(names, info.Name)
	}
	return names
}

// selects reports whether --only contains name or is not set.
func (f *Flags) selects(name string) bool { return len(f.Only) == 0 || slices.Contains(f.Only, name) }

// affected has the generators on whose files a flag has an effect, for flags that generators do not declare, and those
// that also have an effect on others.
var affected = map[string][]string{
	"applyconfig-name": {"clientset"}, "clientset-name": {"informer"}, "versioned-name": {"informer"}, "listers-name": {"informer"},
	"fake-clientset": {"clientset"}, "clientset-api-path": {"clientset"}, "prefers-protobuf": {"clientset"},
	"apply-configuration-package": {"clientset"}, "applyconfig-externals": {"applyconfiguration", "clientset"},
	"with-consistency": {"informer"}, "extra-peer-dirs": {"conversion", "defaulter"},
	"gates": {"schemapatch"}, "crd-allow-dangerous-types": {"schemapatch"}, "crd-max-description-length": {"schemapatch"},
	"crd-embedded-object-meta": {"schemapatch"}, "crd-ignore-unexported-fields": {"schemapatch", "reference", "openapi-documents"},
	EditsKey: {"crd", "schemapatch", "reference", "openapi-documents"},
}

// Affected returns those of all generators on whose files each flag has an effect. Flags that affect the run itself,
// or all generators, are missing.
func Affected(all []*Info) map[string][]*Info {
	found := map[string][]*Info{}
	add := func(info *Info, flags ...string) {
		for _, flag := range flags {
			found[flag] = append(found[flag], info)
		}
	}
	for _, info := range all {
		for _, f := range append(slices.Concat(info.Flags, info.Place), info.EnableFlag) {
			if f.Usage != "" {
				add(info, f.Name)
			}
		}
		for flag, names := range affected {
			if slices.Contains(names, info.Name) {
				add(info, flag)
			}
		}
		if info.Templates != "" {
			add(info, "templates")
		}
		if info.Manifests == nil || info.Manifests.Ext == ".go" {
			add(info, "boilerplate")
		}
		if info.hasHeader() {
			add(info, ManifestHeader)
		}
	}
	return found
}

// hasHeader reports whether the generator writes the header of manifests.
func (i *Info) hasHeader() bool {
	return slices.ContainsFunc(i.Flags, func(f Flag) bool { return f.Name == HeaderFlag(i.Name) })
}

// Has reports whether the run has a generator. A run with imports sets flags itself.
func (p *Plan) Has(info *Info) bool {
	switch {
	case p.Import != nil || !p.Consistent:
		return true
	case info.Manifests != nil:
		return slices.ContainsFunc(p.ManifestTargets, func(t Target) bool { return t.Info() == info })
	}
	return p.Flags.selects(info.Name) && (len(p.Flags.Only) > 0 || p.Flags.with(info))
}

// HasHeader reports whether a flag names a file whose word YEAR --year replaces.
func (p *Plan) HasHeader() bool {
	return p.Import != nil || !p.Consistent || p.Flags.HeaderFile != "" || p.Flags.ManifestHeader != ""
}

// IsOff reports whether a flag says that its generators do not run.
func (p *Plan) IsOff(flag string) bool {
	isEnabling := func(info *Info) bool { return info.EnableFlag.Name == flag }
	return slices.ContainsFunc(p.all, isEnabling) && slices.Contains([]string{"", "false"}, p.Flags.Settings.Text(flag))
}

// elsewhere reports whether a flag names existing packages of the generator. This run does not generate them.
func (r Request) elsewhere(info *Info) bool {
	_, given := r.options().Roots[info.Templates]
	return given
}

// place returns the path of a generator's root below the output directory.
func (r Request) place(info *Info) string {
	var dirs []string
	for _, dir := range info.Place {
		name := dir.Default
		if given, ok := r.Settings[dir.Name]; ok {
			name = given.String()
		}
		dirs = append(dirs, name)
	}
	return path.Join(dirs...)
}

// One is the layout of a single generator, in the output directory, or in its subdirectory that the generator's first
// flag names if the command has that.
func One(info *Info) Layout {
	return func(r Request) ([]Target, error) {
		flag := info.Place[0].Name
		dir, named := r.Settings.Text(flag), r.Settings[flag] != nil
		err := errors.Join(r.require("output-dir", r.Named), r.require(flag, dir != "" || !named))
		if err != nil || r.Package == "" {
			return nil, err
		}
		return []Target{r.target(info, dir)}, nil
	}
}

// Beside is the layout of a single generator with output in the packages of types.
func Beside(info *Info) Layout {
	return func(r Request) ([]Target, error) {
		opts := r.options()
		opts.FileName = r.OutputFile
		return []Target{{Of: info, Options: opts}}, nil
	}
}

// Chosen is the layout of the generators in --only that write into packages of types.
func Chosen(r Request) (targets []Target, _ error) {
	for _, info := range r.all {
		if info.InPackages() && slices.Contains(r.Only, info.Name) {
			targets = append(targets, Target{Of: info, Options: r.options()})
		}
	}
	return targets, nil
}

// ByVersion is the layout of a generator that uses existing clientsets and listers, and has separate roots for
// versioned and unversioned types.
func ByVersion(info *Info) Layout {
	return func(r Request) ([]Target, error) {
		err := errors.Join(
			r.require("output-dir", r.Named), r.require("versioned-clientset-package", r.VersionedClientset != ""),
			r.require("listers-package", r.Listers != ""),
		)
		if err != nil || r.Package == "" {
			return nil, err
		}
		var targets []Target
		for _, internal := range []bool{false, true} {
			clients, sub, lacks := r.VersionedClientset, "externalversions", ""
			if internal {
				clients, sub = r.InternalClientset, "internalversion"
				if clients == "" {
					lacks = "internal-clientset-package"
				}
			}
			if r.SingleDirectory {
				sub = ""
			}
			t := r.target(info, sub)
			t.Options.Roots[templates.Clientset], t.Options.Roots[templates.Listers] = Root{Path: clients}, Root{Path: r.Listers}
			t.Only, t.Lacks = func(v *model.Version) bool { return v.Internal() == internal }, lacks
			targets = append(targets, t)
		}
		return targets, nil
	}
}

// target returns the target for one generator, at a path below the output directory.
func (r Request) target(info *Info, below string) Target {
	opts := r.options()
	opts.Bare = opts.Policy.BareClientsets && info.Bare
	opts.Policy.AcceptMistakes = opts.Policy.AcceptMistakes || r.Flags.Import.Copy // in markers of others
	opts.Roots[info.Templates] = Root{Path: path.Join(r.Package, below), KeepsCase: info.KeepsCase}
	return Target{Of: info, Dir: filepath.Join(r.OutputDir, filepath.FromSlash(below)), Options: opts}
}

// options returns a copy of the options for one target, including the root of existing apply configurations.
func (r Request) options() Options {
	opts := r.Options
	opts.Roots = maps.Clone(opts.Roots)
	if opts.Roots == nil {
		opts.Roots = map[string]Root{}
	}
	if r.ApplyConfigurations != "" {
		opts.Roots[templates.ApplyConfigurations] = Root{Path: strings.TrimSuffix(r.ApplyConfigurations, "/")}
	}
	return opts
}

func (r Request) require(flag string, given bool) error {
	if !given {
		return diag.Errorf("%s is required", diag.Setting(flag))
	}
	return nil
}
