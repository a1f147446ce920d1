// Package render turns a model into files, for any generator. It determines the files and their paths, executes each
// template with the view of its scope, and formats the result. It does not use disk, clock, environment or network, and
// does not depend on any particular generator.
package render

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/gofile"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/origin"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/parallel"
	"github.com/kubegen/kubegen/templates"
)

// Generator describes a generator, such as the one for listers.
type Generator struct {
	Name      string // name in the first line of generated files, such as "lister"
	Templates string // directory of the templates in templates.FS
	Replaces  []Tool // the tool of k8s.io/code-generator is first
	KeepsCase bool   // value of Root.KeepsCase for its root
	Switch    string // marker that switches the generator off for a package, without "+" and "=false", such as "k8s:lister-gen"

	// Needs lists requirements on the input, and Provides additions to the input.
	Needs    Needs
	Provides Provides
	// Read reads the types that the generator needs in addition to kinds, and Companions are packages whose files it
	// needs. At most one generator has these, because the result of Read is API.Structs.
	Read       func(model.Reader, *Options) (model.Types, diag.List)
	Companions model.Companions
	// Place is the path of the generator's root below kubegen's output directory. Each directory has a fixed name, or a
	// name set by a flag.
	Place []Flag
	// EnableFlag is kubegen's flag that omits the generator if it is false. If its Default is "", that means "true".
	// The zero Flag means that there is no such flag.
	EnableFlag Flag

	// Resources and Structs return the kinds and structs with files. Structs may be nil.
	Resources func(*model.Version) []*model.Resource
	Structs   func(*model.Version) []*model.StructType
	// Package reports whether a package of types has files. A generator with this function only writes into packages of
	// types, and has no Place, Resources or Structs.
	Package func(*model.Package) bool
	// EnableHint describes how a package requests the generator's files, if Package is set.
	EnableHint string
	// Nothing is the reason if the kinds of a package have no files, such as "its kinds cannot be listed or watched".
	// It may be "" for a generator with files for all kinds.
	Nothing string
	// Outputs lists the kinds of files that the generator writes.
	Outputs []Output
	// When reports whether an output is generated. It is also called for outputs added by the user's templates. If it
	// is nil, all outputs are generated.
	When func(a *API, template string) bool
	// Always means that files are generated even without kinds. Bare means the same if Options.Bare is set.
	Always, Bare bool
	// Empty means that files are generated for groups and versions even if they have no kinds.
	Empty bool

	// Declares returns the names declared by the file of a struct, in order. Refer refers to every identifier that the
	// file uses. A generator with these functions is optional for packages of types; see Clashes.
	Declares func(*Struct) []string
	Refer    func(*Struct)

	// Views returns the generator's own views. It is called before any file is rendered, and may be nil.
	Views func(*model.API, *Options) (Views, diag.List)
}

// Tool is a tool that a generator replaces.
type Tool struct {
	Name string // in the first line of its files
	File string // name of its files, if other generators of the tool write the same first line; "" for any name
}

// Needs lists what a generator requires of the input.
type Needs struct {
	Scheme bool // list types of kinds, and AddToScheme in packages
	Types  bool // the types read by the generator with Read, if generated code can refer to that generator's packages

	Indexes bool // indexes of kinds
}

// Provides lists what a generator adds to packages of types, with the same effect as hand-written code.
type Provides struct {
	Scheme   bool // AddToScheme and SchemeGroupVersion
	DeepCopy bool // DeepCopy methods
}

// Flag is a flag of kubegen. Without a Name, it is a constant with the value Default.
type Flag struct{ Name, Default, Usage string }

// GeneratedBy returns the line that marks the generator's files (https://go.dev/s/generatedcode).
func (f *Generator) GeneratedBy() string { return origin.Line("kubegen " + f.Name) }

// ReplacedBy returns the marks of the tools that the generator replaces.
func (f *Generator) ReplacedBy() (marks origin.Marks) {
	for _, tool := range f.Replaces {
		marks = append(marks, origin.Mark{Line: origin.Line(tool.Name), File: tool.File})
	}
	return marks
}

// Marks returns the marks of the generator and of the tools that it replaces.
func (f *Generator) Marks() origin.Marks {
	return append(origin.Marks{{Line: f.GeneratedBy()}}, f.ReplacedBy()...)
}

// Writes reports whether the generator can write files into a slash-separated directory below its root: files for the
// whole API, which have no source comment, or files for parts of it.
func (f *Generator) Writes(dir string, whole bool) bool {
	return slices.ContainsFunc(f.Outputs, func(o Output) bool {
		l, _ := layoutOf(o.Template)
		return (l.scope == PerAPI) == whole && l.matches(dir)
	})
}

// Optional reports whether the generator can be omitted for a package of types.
func (f *Generator) Optional() bool { return f.Declares != nil }

// suggestWithout suggests omitting the generator, if it is optional.
func (f *Generator) suggestWithout(d *diag.Diagnostic) {
	if f.Optional() {
		d.Suggest("generate no %s code for its package with +%s=false in the package comment", f.Name, f.Switch).Or("none at all with %s=false", diag.Setting(f.EnableFlag.Name))
	}
}

// Wants reports whether the generator has files for a version.
func (f *Generator) Wants(v *model.Version) bool {
	empty := func(pkg *model.Package) bool { return !pkg.Off(f.Switch) }
	return f.Resources != nil && len(f.Resources(v)) > 0 || f.Structs != nil && len(f.Structs(v)) > 0 ||
		f.Empty && len(v.Resources) == 0 && slices.ContainsFunc(v.Packages, empty)
}

// Has reports whether the generator has files for any part of the API.
func (f *Generator) Has(api *model.API) bool {
	if f.Package != nil {
		return slices.ContainsFunc(api.Packages, f.Package)
	}
	return slices.ContainsFunc(api.Groups, func(g *model.Group) bool { return slices.ContainsFunc(g.Versions, f.Wants) })
}

// Render renders the generator's files for an API, ordered by path. It returns nil if there is nothing to generate. The
// files are only valid if there are no errors among the diagnostics.
func (f *Generator) Render(api *model.API, opts *Options) ([]output.File, diag.List) {
	if !f.Has(api) && !f.Always && !opts.Bare {
		return nil, nil
	}
	api = api.Select(f.Wants)
	views, diags := f.views(api, opts)
	if diags.HasErrors() {
		return nil, diags
	}
	names := goNames(api, opts)
	packages := f.packages(api, opts, views)
	var lock sync.Mutex
	var files []output.File
	parallel.Each(packages, func(pkg []*file) {
		rendered, wrong := f.renderPackage(pkg, names)
		for _, one := range pkg { // all bodies together would need as much memory as the results
			if one.file != nil {
				one.imports, one.file = one.file.Refs(), nil
			}
		}
		lock.Lock()
		defer lock.Unlock()
		files, diags = append(files, rendered...), append(diags, wrong...)
	})
	if f.Structs != nil && !diags.HasErrors() {
		if c, ok := f.cycleOf(packages); ok {
			c.report(&diags)
		}
	}
	slices.SortFunc(files, func(a, b output.File) int { return strings.Compare(a.Path, b.Path) })
	slices.SortStableFunc(diags, func(a, b *diag.Diagnostic) int { return strings.Compare(a.Message, b.Message) })
	return files, diags
}

// Check returns the diagnostics of Views, for an API that cannot be rendered because of other errors.
func (f *Generator) Check(api *model.API, opts *Options) diag.List {
	_, diags := f.views(api.Select(f.Wants), opts)
	return diags
}

func (f *Generator) views(api *model.API, opts *Options) (Views, diag.List) {
	if f.Views == nil {
		return Views{}, nil
	}
	return f.Views(api, opts)
}

// file is a file to render.
type file struct {
	*API
	out      *Output
	group    *model.Group // like the fields below, nil in wider scopes
	version  *model.Version
	resource *model.Resource
	of       *model.StructType
	pkg      *model.Package // package of types, if the file is generated into it

	imports []string // import paths, set when the file is rendered
}

// view returns the data for the file's template.
func (f *file) view() any {
	var view any = f.API
	group := &Group{f.API, f.group}
	version := &Version{group, f.version}
	switch {
	case f.pkg != nil:
		view = &Package{f.API, f.pkg}
	case f.of != nil:
		view = f.structView()
	case f.resource != nil:
		view = &Kind{version, f.resource}
	case f.version != nil:
		view = version
	case f.group != nil:
		view = group
	}
	return f.views.of(view)
}

func (f *file) structView() *Struct {
	return &Struct{&Version{&Group{f.API, f.group}, f.version}, f.of}
}

// packages returns the files to render, grouped by package and ordered by path. In each package, files for kinds come
// last: their names must not be taken by other files, whose names are fixed.
func (f *Generator) packages(api *model.API, opts *Options, views Views) [][]*file {
	found, taken := map[string][]*file{}, map[string]bool{}
	add := func(scope Scope, at file) {
		for i := range f.Outputs {
			out := &f.Outputs[i]
			layout, _ := layoutOf(out.Template)
			if layout.scope != scope || out.Of != nil && !out.Of(at.resource) || out.If != nil && !out.If(opts) {
				continue
			}
			one := at
			one.out = out
			one.API = &API{generator: f, opts: opts, Model: api, views: views}
			if f.When != nil && !f.When(one.API, out.Template) {
				continue
			}
			dir, name := layout.expand(opts.Roots[f.Templates], &one)
			one.path = path.Join(dir, safeName(name, func(name string) bool { return taken[path.Join(dir, name)] }))
			if opts.FileName != "" && scope == PerPackage && i == 0 {
				one.path = path.Join(dir, opts.FileName)
			}
			taken[one.path] = true
			one.handWritten = sync.OnceValue(func() map[string]bool {
				if opts.HandWritten == nil {
					return nil
				}
				return gofile.DeclaredNames(opts.HandWritten(dir))
			})
			found[dir] = append(found[dir], &one)
		}
	}
	for _, pkg := range api.Packages {
		if f.Package != nil && f.Package(pkg) && !pkg.Foreign {
			add(PerPackage, file{pkg: pkg})
		}
	}
	add(PerAPI, file{})
	for _, g := range api.Groups {
		add(PerGroup, file{group: g})
		for _, v := range g.Versions {
			add(PerVersion, file{group: g, version: v})
			for _, r := range f.Resources(v) {
				add(PerKind, file{group: g, version: v, resource: r})
			}
			if f.Structs == nil {
				continue
			}
			for _, s := range f.Structs(v) {
				add(PerStruct, file{group: g, version: v, of: s})
			}
		}
	}
	packages := make([][]*file, 0, len(found))
	for _, files := range found {
		packages = append(packages, files)
	}
	slices.SortFunc(packages, func(a, b []*file) int { return cmp.Compare(path.Dir(a[0].path), path.Dir(b[0].path)) })
	return packages
}

// renderPackage renders the files of one package.
func (f *Generator) renderPackage(pkg []*file, goNames map[string]string) ([]output.File, diag.List) {
	opts := pkg[0].opts
	overlay := opts.Overlay
	var diags diag.List
	set, err := overlay.templates()
	if err != nil {
		diags.Errorf(noPosition, "%v", err)
		return nil, diags
	}
	files := make([]*gofile.File, len(pkg))
	executed, err := gofile.NewTemplates(set, maxBody)
	if err != nil {
		diags.Errorf(noPosition, "%v", err)
		return nil, diags
	}
	for i, one := range pkg {
		one.file = &gofile.File{
			Name: one.path, Path: one.packagePath(), Package: one.packageName(), Header: one.header(), Doc: one.doc(),
			OtherNames: one.handWritten(), Clean: overlay == nil,
		}
		if one.file.Body, err = executed.Execute(one.out.Template, one.view()); err != nil {
			overlay.report(one, fmt.Errorf("render %s: %w", one.path, err), &diags)
			return nil, diags
		}
		files[i] = one.file
	}
	contents, err := gofile.Format(files, templates.Imports, goNames)
	if err != nil {
		f.explain(err, pkg, &diags)
		return nil, diags
	}
	rendered := make([]output.File, len(pkg))
	for i, content := range contents {
		rendered[i] = output.File{Path: pkg[i].path, Content: content}
	}
	return rendered, nil
}

// packagePath returns the import path of the file's package.
func (f *file) packagePath() string {
	return path.Join(f.opts.Roots[f.generator.Templates].Path, path.Dir(f.path))
}

// packageName returns the Go name of the file's package.
func (f *file) packageName() string {
	if f.pkg != nil {
		return f.pkg.Name
	}
	return model.PackageName(path.Base(f.packagePath()))
}

// doc returns the package comment, or "".
func (f *file) doc() string {
	if f.version == nil || f.out.Doc == "" {
		return f.out.Doc
	}
	version := &Version{&Group{f.API, f.group}, f.version}
	return strings.NewReplacer("{gv}", version.Describe(), "{package}", model.PackageName(f.version.Dir())).Replace(f.out.Doc)
}

// header returns the first lines of the file: the configured header, the line that marks generated files, and the
// source packages.
func (f *file) header() gofile.Code {
	var b gofile.Builder
	if f.pkg != nil {
		b.Add(besideTypes + "\n\n")
	}
	b.Add(f.opts.Header)
	b.Add(gofile.Mark(f.generator.GeneratedBy()))
	if sources := f.sources(); len(sources) > 0 {
		b.Add(gofile.Mark(origin.SourceComment + strings.Join(sources, ", ")))
	}
	b.Add("\n")
	return b.Code()
}

// besideTypes is the build constraint of files in packages of types. Tools that set the tag read these packages without
// the generated files, which may not match changed types.
const besideTypes = "//go:build !ignore_autogenerated"

// sources returns the packages that the file is generated from, or nil for all packages.
func (f *file) sources() []string {
	versions := []*model.Version{f.version}
	switch {
	case f.of != nil:
		return []string{f.of.Package.Path}
	case f.resource != nil:
		return []string{f.resource.Package.Path}
	case f.group == nil:
		return nil
	case f.version == nil:
		versions = f.group.Versions
	}
	var list []string
	for _, v := range versions {
		for _, pkg := range v.Packages {
			list = append(list, pkg.Path)
		}
	}
	slices.Sort(list)
	return list
}

// goNames returns the Go names of packages by import path. The output must not depend on the files of an earlier run,
// so a generated package always has the name derived from its directory. The name of a package that was not listed is
// "".
func goNames(api *model.API, opts *Options) map[string]string {
	names := maps.Clone(api.PackageNames)
	maps.DeleteFunc(names, func(importPath, _ string) bool {
		for _, root := range opts.Roots {
			if root.Path != "" && strings.HasPrefix(importPath+"/", root.Path+"/") {
				return true
			}
		}
		return false
	})
	if names == nil {
		names = map[string]string{}
	}
	for _, importPath := range opts.Externals {
		names[importPath] = "" // another run may generate it
	}
	for _, g := range api.Groups {
		for _, v := range g.Versions {
			for _, pkg := range v.Packages {
				names[pkg.Path] = pkg.Name
			}
			for _, r := range v.Resources {
				for _, m := range r.Methods {
					names[m.Input.Path] += ""
					names[m.Result.Path] += ""
				}
			}
		}
	}
	for _, s := range api.Structs {
		if s.Package != nil {
			names[s.Path] = s.Package.Name
		}
	}
	return names
}

// maxBody limits the output of a template in bytes. Files are far smaller, and memory is not exhausted.
const maxBody = 64 << 20
