package plan

import (
	"cmp"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Flags holds the flags of all commands. Each command has some of them.
type Flags struct {
	InputFlags
	OutputFlags
	ClientFlags
	ApplyFlags

	SkipUnsafe bool // of conversion functions

	ClientGoVersion string
	Backport        bool
	Classic         bool

	// All generators in one run.
	Manifests string // directory
	Import    ImportFlags
	Only      []string
	Settings  Settings // of the generators; see Info
}

// InputFlags select packages and kinds, and describe them.
type InputFlags struct {
	Patterns              []string // package patterns, the arguments
	Inputs, IncludedTypes []string
	InputBase             string
	OneInputAPI           string
	PluralExceptions      []string
	BasePeers, ExtraPeers []string // patterns of packages with functions for types of other packages
	LintRules, KnownRules []string
}

// OutputFlags determine the locations of files, and the text above and around their code.
type OutputFlags struct {
	OutputDir, OutputPkg string
	OutputFile           string // the file in each package of types, if there is one
	CodeDir              string // directory of Go files instead of the packages of types; "" for these
	HeaderFile           string
	HeaderFlag           string // name of the flag for HeaderFile
	ManifestHeader       string // file with the text above manifests
	Year                 string // replaces YEAR in both
	Templates            string
}

// ClientFlags are the flags of clientsets, listers and informers.
type ClientFlags struct {
	ClientOptions
	ApplyConfigurations string

	VersionedClientset, InternalClientset, Listers string
	SingleDirectory                                bool
}

// ApplyFlags are the flags of apply configurations.
type ApplyFlags struct {
	Externals     []string
	OpenAPIFlag   string // name of the flag for OpenAPISchema
	OpenAPISchema string // has no effect
	ApplyMarkers  bool   // also those that +kubebuilder:ac:generate=true requests

	ApplyHeaderFile string // the header of those
	ApplyHeaderFlag string // name of the flag for ApplyHeaderFile; "" if their header is HeaderFile

	// ByMarkers means only those, of one package; see Plan.ByMarkers. +kubebuilder:resource, or else
	// +kubebuilder:ac:generate=true, then marks kinds like +genclient, unless a type has +kubebuilder:ac:generate=false.
	ByMarkers bool
}

// check reports the errors in single flags. all are all generators.
func (f *Flags) check(all []*Info, diags *diag.List) {
	refuse := func(flag, format string, args ...any) {
		diags.Errorf(token.Position{}, "%s: "+format, append([]any{diag.Setting(flag)}, args...)...)
	}
	for _, rule := range f.LintRules {
		if !slices.Contains(f.KnownRules, rule) {
			refuse("lint-rules", "unknown rule %q (known are %s)", diag.Value(rule), strings.Join(f.KnownRules, ", "))
		}
	}
	for _, info := range all {
		for _, dir := range info.Place {
			if name := f.Settings.Text(dir.Name); name != "" && module.CheckImportPath("x/"+name) != nil {
				refuse(dir.Name, "%q cannot be part of an import path; use a name such as clients", diag.Value(name))
			}
		}
		for _, flag := range info.Flags {
			if value, ok := f.Settings[flag.Name]; ok && flag.Mistake != nil {
				diags.AddError(flag.Mistake(value.String()))
			}
		}
	}
	for _, pkg := range []struct{ flag, path string }{
		{"versioned-clientset-package", f.VersionedClientset}, {"internal-clientset-package", f.InternalClientset},
		{"listers-package", f.Listers}, {"apply-configuration-package", f.ApplyConfigurations},
	} {
		if err := module.CheckImportPath(strings.TrimSuffix(pkg.path, "/")); pkg.path != "" && err != nil {
			refuse(pkg.flag, "%w", err)
		}
	}
	diags.AddError(FileMistake("output-file", f.OutputFile))
}

// FileMistake returns the mistake in the value of a flag for the name of a file in packages, or nil.
func FileMistake(flag, name string) error {
	if name == "" || filepath.Base(name) == name && filepath.IsLocal(name) && !strings.HasSuffix(name, "_test.go") {
		return nil
	}
	return diag.Errorf(
		"%s: %q is not the name of a file in a package; use a name such as zz_generated.register.go", diag.Setting(flag), diag.Value(name),
	)
}

// checkAPIPath checks --clientset-api-path. The classic tools accept any value except "".
func (f *Flags) checkAPIPath(diags *diag.List) {
	if strings.HasPrefix(f.APIPath, "/") && !strings.HasSuffix(f.APIPath, "/") {
		return
	}
	diags.Mistakef(f.policy().AcceptMistakes && f.APIPath != "", token.Position{}, "clients use it as it is",
		"%s: %q must start with / and not end with it", diag.Setting("clientset-api-path"), f.APIPath)
}

// policy returns the policy selected by --classic.
func (f *Flags) policy() model.Policy {
	if f.Classic {
		return model.ClassicPolicy()
	}
	return model.Policy{}
}

// with reports whether the generator's flag is true, names a directory, or is not set.
func (f *Flags) with(info *Info) bool { return f.Settings.Text(info.EnableFlag.Name) != "false" }

// plurals parses --plural-exceptions.
func (f *Flags) plurals(diags *diag.List) map[string]string {
	plurals := map[string]string{}
	for _, pair := range f.PluralExceptions {
		kind, plural, ok := strings.Cut(pair, ":")
		if !ok || kind == "" || plural == "" || strings.Contains(plural, ":") {
			diags.Errorf(token.Position{}, "%s: %q is not of the form Kind:Plural", diag.Setting("plural-exceptions"), diag.Value(pair))
			continue
		}
		plurals[kind] = plural
	}
	return plurals
}

// external parses --external-applyconfigurations, whose name in a command is ExternalsFlag. The classic tools also take
// the path of a package for a type, and find none.
func (f *Flags) external(cmd Command, diags *diag.List) map[model.TypeRef]string {
	external := map[model.TypeRef]string{}
	separator := cmp.Or(cmd.ExternalsSeparator, ":")
	for _, entry := range f.Externals {
		typ, pkg, ok := strings.Cut(entry, separator)
		ref := model.ParseTypeRef(typ)
		if !ok || !token.IsIdentifier(ref.Name) || module.CheckImportPath(ref.Path) != nil || module.CheckImportPath(pkg) != nil {
			dot := strings.LastIndexByte(typ, '.')
			accepted := f.policy().AcceptMistakes && dot >= 0 && dot < len(typ)-1 && strings.Count(entry, separator) == 1
			diags.Mistakef(accepted, token.Position{}, "it has no effect", "%s: %q is not of the form PATH.TYPE%sPATH, as in "+
				"example.com/api/v1.Foo%[3]sexample.com/client/applyconfiguration/api/v1", diag.Setting(cmd.ExternalsFlag), entry, separator)
			continue
		}
		external[ref] = pkg
	}
	return external
}

// included parses --included-types-overrides.
func (f *Flags) included(diags *diag.List) map[string][]string {
	included := map[string][]string{}
	for _, entry := range f.IncludedTypes {
		parts := strings.Split(entry, "/")
		if len(parts) == 2 { // group/Kind of unversioned types
			parts = []string{parts[0], "", parts[1]}
		}
		if len(parts) != 3 || parts[2] == "" {
			diags.Errorf(
				token.Position{}, "%s: %q is not of the form group/version/Kind", diag.Setting("included-types-overrides"), diag.Value(entry),
			)
			continue
		}
		key := parts[0] + "/" + parts[1]
		included[key] = append(included[key], parts[2])
	}
	return included
}
