package imported

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/kubegen/kubegen/generators/crd"
	"github.com/kubegen/kubegen/internal/imported/importer"
	"github.com/kubegen/kubegen/internal/imported/typecopy"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Resolve reads the manifests that a plan imports, and decides about the packages of their types, which do not have
// files yet. There are none if the plan imports nothing. Their packages are read with loading. It returns diags, which
// has those about the plan, with its own.
func Resolve(p *plan.Plan, loading load.Config, diags diag.List) (*Types, diag.List) {
	t, f := &Types{plan: p, loading: loading}, &p.Flags.Import
	if p.Import == nil {
		return t, diags
	}
	if f.TypesOnly && len(f.Packages) > 0 && !f.Copy {
		diags.AddError(diag.Errorf("%s: Go packages have types already; import only manifests with it", diag.Setting("types-only")))
	}
	if slices.Contains(f.Manifests, "") {
		diags.AddError(errors.New("the name of a manifest is empty; name files or directories, such as . for the current directory"))
		return t, diags
	}
	definitions, said := readManifests(p.Environment, f)
	diags = append(diags, said...)
	s := readSettings(f, &diags)
	defines := p.Writes(crd.Generator{}.Info().Name)
	if len(s.fields) > 0 && defines {
		diags.AddError(diag.Errorf("%s and %s cannot be used together: a CustomResourceDefinition with only some fields would make the server "+
			"drop all others",
			diag.Setting("fields"), diag.Setting(crd.Flag)))
	}
	if len(definitions) == 0 && len(f.Manifests) > 0 && !diags.HasErrors() {
		hint := ""
		if slices.ContainsFunc(f.Manifests, func(name string) bool { return len(load.GoFiles(p.At(name))) > 0 }) {
			hint = "; name Go packages by their import paths"
		}
		diags.AddError(diag.Errorf("no CustomResourceDefinition of apiextensions.k8s.io/v1 in %s%s", strings.Join(f.Manifests, ", "), hint))
	}
	diags.AddError(checkCopy(f, s.packages))
	if diags.HasErrors() {
		return t, diags
	}
	t.dirs, t.from, t.Fields = s.dirs, s.packages, map[string]string{}
	for _, field := range s.fields {
		if field.Kind != "" {
			t.Fields[field.Text] = field.Kind
		}
	}
	if f.Copy {
		t.from, t.copies = nil, s.packages
		t.copying = typecopy.Options{
			Kinds: f.Kinds, Versions: f.Versions, Keep: f.Keep, Methods: f.Methods, Values: f.Values, Fields: s.fields,
			Path: p.Import.Path, Dirs: s.dirs, Earlier: t.groupIn, Header: p.Options.Header, Policy: p.Policy,
		}
	}
	root, _, ok := p.FindModule(p.Flags.OutputDir)
	t.Packages, said = importer.Packages(definitions, importer.Options{
		Path: p.Import.Path, Kinds: f.Kinds, Versions: f.Versions, Dirs: s.dirs, Names: s.names, Fields: s.fields,
		Header: p.Options.Header,
		Strict: defines, Earlier: t.groupIn, Share: f.ShareTypes, Declared: t.typesIn,
		Name: func(file string) string {
			if rel, err := filepath.Rel(root, file); ok && err == nil && filepath.IsLocal(rel) {
				return filepath.ToSlash(rel)
			}
			return filepath.Base(file)
		},
	})
	diags = append(diags, said...)
	for _, d := range definitions {
		t.Definitions = append(t.Definitions, d.Name())
		isSelected := len(f.Kinds) == 0 || slices.ContainsFunc(f.Kinds, d.Names)
		maps.DeleteFunc(t.Fields, func(_, kind string) bool { return isSelected && d.Names(kind) })
		for _, name := range f.Kinds {
			if d.Names(name) {
				t.Defined = append(t.Defined, name)
			}
		}
		for _, v := range d.Versions {
			t.Defined = append(t.Defined, v.Name.Text)
		}
	}
	return t, diags
}

// settings are the parsed flags of an import.
type settings struct {
	dirs     map[string]string // of groups
	names    map[string]string // of types, by path
	packages []plan.GoPackages
	fields   []importer.Field
}

// readSettings parses the flags of an import.
func readSettings(f *plan.ImportFlags, diags *diag.List) (s settings) {
	var err error
	s.dirs, err = pairs(
		"group-dirs", f.GroupDirs, importer.IsDirectory, "the name of one directory in lower case that the go command treats as any other",
	)
	diags.AddError(err)
	s.names, err = pairs("names", f.Names, importer.IsTypeName, "an exported name in Go")
	diags.AddError(err)
	for _, text := range f.Packages {
		found, ok := plan.ParseGoPackages(text)
		if s.packages = append(s.packages, found); !ok {
			diags.AddError(diag.Errorf(
				"%s: %q is not the import path of a package in another module, such as example.com/api/v1 or example.com/api/...",
				diag.Setting("packages"), diag.Value(text),
			))
		}
	}
	for _, text := range f.Fields {
		field, err := importer.ParseField(text)
		if s.fields = append(s.fields, field); err != nil {
			diags.AddError(diag.Errorf("%s: %q is not a path of a field: %w", diag.Setting("fields"), diag.Value(text), err))
		}
	}
	return s
}

// checkCopy checks the flags for copies of Go packages.
func checkCopy(f *plan.ImportFlags, packages []plan.GoPackages) error {
	versions := slices.DeleteFunc(slices.Clone(packages), func(g plan.GoPackages) bool { return g.Version == "" })
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

// Covers returns a function that reports whether a package belongs to the import: its directory is below the one of the
// import, whatever the manifests contain, or it is in another module.
func (t *Types) Covers() func(importPath string) bool {
	root, _, inModule := t.plan.FindModule(t.plan.Import.Dir)
	var known sync.Map // by import path, because the function is called for each file
	return func(importPath string) bool {
		covered, ok := known.Load(importPath)
		if !ok {
			own := inModule && plan.InModule(t.plan.Environment, root, importPath)
			covered, _ = known.LoadOrStore(importPath, !own || t.covers(importPath))
		}
		return covered.(bool)
	}
}

// covers reports whether a package belongs to the import now or did so earlier. It must be a version directory in a
// group directory that contains imported types or no Go files.
func (t *Types) covers(importPath string) bool {
	rel, below := strings.CutPrefix(importPath, t.plan.Import.Path+"/")
	if !below || strings.Count(rel, "/") != 1 {
		return false
	}
	dir := filepath.Join(t.plan.Import.Dir, filepath.FromSlash(rel))
	return len(load.GoFiles(dir)) == 0 || importer.IsPackage(dir)
}

// typesIn returns a function that reports whether an earlier import has written a type into a directory.
func (t *Types) typesIn(dir string) func(name string) bool {
	text, _ := os.ReadFile(filepath.Join(t.plan.Import.Dir, filepath.FromSlash(dir), importer.TypesFile)) // the file may not exist
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
func (t *Types) groupIn(dir string) string {
	entries, _ := os.ReadDir(filepath.Join(t.plan.Import.Dir, dir)) // the directory may not exist
	for _, entry := range entries {
		if text, err := load.ReadFile(filepath.Join(t.plan.Import.Dir, dir, entry.Name(), "doc.go")); err == nil {
			if group := importer.GroupOf(text); group != "" {
				return group
			}
		}
	}
	return ""
}
