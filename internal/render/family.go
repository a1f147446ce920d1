// Package render turns a model into files, for any family of generated packages: it determines the files and their
// paths, executes each template with the view of its scope, and formats the result. It does not use disk, clock,
// environment or network, and knows no family by name.
package render

import (
	"bytes"
	"cmp"
	"fmt"
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

// Family is a family of generated packages, such as the listers.
type Family struct {
	Name      string   // "lister"; as in the first line of its files
	Templates string   // the directory of its templates in templates.FS
	Replaces  []string // the tools whose files these replace, that of k8s.io/code-generator first
	KeepsCase bool     // Root.KeepsCase of its root
	Switch    string   // the marker with which a package switches the family off, without "+" and "=false": "k8s:lister-gen"

	// Needs is what the family needs of the input, and Provides what it adds to that.
	Needs    Needs
	Provides Provides
	// Read reads the types that the family needs beyond the kinds; see Config.Read of the parser, and Config.Along there. At most
	// one family has these, because API.Structs is the result.
	Read  func(model.Reader, *Options) (model.Types, diag.List)
	Along func(importPath string, opts *Options) string
	// Place is the path of the family's root below kubegen's output directory: directories, each with a fixed name or
	// one that a flag sets.
	Place []Flag
	// With is the flag of kubegen that omits the family if it is false; the zero Flag if there is none. Its Default is
	// "true" unless it is given.
	With Flag

	// Resources and Structs return the kinds and structs that have files; Structs may be nil.
	Resources func(*model.Version) []*model.Resource
	Structs   func(*model.Version) []*model.StructType
	// Package reports whether there are files for a package of types. A family that has it writes into these packages alone,
	// and has no Place, Resources or Structs.
	Package func(*model.Package) bool
	// Asked says how a package asks for its files, for a family that has Package.
	Asked string
	// Outputs are the kinds of files that the family has.
	Outputs []Output
	// When reports whether an output is generated, including outputs that the user's templates add; nil means always.
	When func(a *API, template string) bool
	// Always generates files even if there are no kinds. Bare does so if Options.Bare is set.
	Always, Bare bool
	// Empty makes files of groups and versions also for those that the parser found without kinds.
	Empty bool

	// Optional is set if a package can do without the family, which it does if there is a Clash: not every API can rename its
	// kinds.
	Optional bool

	// Prepare computes data for all files of the family before any is rendered; it may be nil. Views have the result as
	// Prepared.
	Prepare func(*model.API, *Options) (any, diag.List)
	// View wraps an *API, *Group, *Version, *Kind or *Struct with the methods that only the family's templates use; nil
	// uses the general view.
	View func(view any) any
}

// Needs are a family's requirements of the input.
type Needs struct {
	Scheme bool // list types of kinds, and AddToScheme of packages
	Types  bool // what the family with Read reads, if generated code can refer to that

	Indexes bool // the indexes of kinds
}

// Provides is what the files of a family give the packages that they are in, as if people had written it there.
type Provides struct {
	Scheme   bool // AddToScheme and SchemeGroupVersion
	DeepCopy bool // DeepCopy methods
}

// Flag is a flag of kubegen. Without a name it is a constant, the default.
type Flag struct{ Name, Default, Usage string }

// GeneratedBy returns the line that marks the family's files as generated (https://go.dev/s/generatedcode).
func (f *Family) GeneratedBy() string { return origin.Mark("kubegen " + f.Name) }

// ReplacedBy returns the lines that mark the files of the tools that the family replaces.
func (f *Family) ReplacedBy() (lines []string) {
	for _, tool := range f.Replaces {
		lines = append(lines, origin.Mark(tool))
	}
	return lines
}

// Marks returns the lines that mark the family's files and those of the tools that it replaces.
func (f *Family) Marks() []string { return append([]string{f.GeneratedBy()}, f.ReplacedBy()...) }

// without is the advice for omitting the family; "" if it is not optional.
func (f *Family) without() string {
	if !f.Optional {
		return ""
	}
	return fmt.Sprintf("generate no %s code for its package with +%s=false in the package comment, or none at all with --%s=false", f.Name, f.Switch, f.With.Name)
}

// Wants reports whether the family has files for a version.
func (f *Family) Wants(v *model.Version) bool {
	empty := func(pkg *model.Package) bool { return !pkg.Off(f.Switch) }
	return f.Resources != nil && len(f.Resources(v)) > 0 || f.Structs != nil && len(f.Structs(v)) > 0 ||
		f.Empty && len(v.Resources) == 0 && slices.ContainsFunc(v.Packages, empty)
}

// Has reports whether the family has anything for an API.
func (f *Family) Has(api *model.API) bool {
	if f.Package != nil {
		return slices.ContainsFunc(api.Packages, f.Package)
	}
	return slices.ContainsFunc(api.Groups, func(g *model.Group) bool { return slices.ContainsFunc(g.Versions, f.Wants) })
}

// Render renders the family's files for an API, ordered by path; nil if it has none for any kind. The files are valid
// only if there are no errors.
func (f *Family) Render(api *model.API, opts *Options) ([]output.File, diag.List) {
	if !f.Has(api) && !f.Always && !opts.Bare {
		return nil, nil
	}
	api = api.Select(f.Wants)
	var prepared any
	var diags diag.List
	if f.Prepare != nil {
		if prepared, diags = f.Prepare(api, opts); diags.HasErrors() {
			return nil, diags
		}
	}
	names := goNames(api, opts)
	packages := f.packages(api, opts, prepared)
	var lock sync.Mutex
	var files []output.File
	parallel.Each(packages, func(pkg []*file) {
		rendered, wrong := f.renderPackage(pkg, names)
		for _, one := range pkg { // their bodies would need as much memory as the results
			if one.file != nil {
				one.imports, one.file = one.file.Refs(), nil
			}
		}
		lock.Lock()
		defer lock.Unlock()
		files, diags = append(files, rendered...), append(diags, wrong...)
	})
	if f.Structs != nil && !diags.HasErrors() {
		f.reportCycle(packages, &diags)
	}
	slices.SortFunc(files, func(a, b output.File) int { return strings.Compare(a.Path, b.Path) })
	slices.SortStableFunc(diags, func(a, b *diag.Diagnostic) int { return strings.Compare(a.Message, b.Message) })
	return files, diags
}

// Check returns the diagnostics of Prepare, for an API that cannot be rendered because of other errors.
func (f *Family) Check(api *model.API, opts *Options) diag.List {
	if f.Prepare == nil {
		return nil
	}
	_, diags := f.Prepare(api.Select(f.Wants), opts)
	return diags
}

// file is one file to render.
type file struct {
	*API
	out      *Output
	group    *model.Group // nil if the scope is wider, like the following fields
	version  *model.Version
	resource *model.Resource
	of       *model.StructType
	pkg      *model.Package // that the file lies in, for one beside the types

	imports []string // import paths, once the file was rendered
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
		view = &Struct{version, f.of}
	case f.resource != nil:
		view = &Kind{version, f.resource}
	case f.version != nil:
		view = version
	case f.group != nil:
		view = group
	}
	return f.API.view(view)
}

// packages returns the files to render, grouped by package and ordered by path. In each package files for kinds come
// last, so that the fixed file names are known when their names are chosen.
func (f *Family) packages(api *model.API, opts *Options, prepared any) [][]*file {
	found := map[string][]*file{}
	add := func(scope Scope, at file) {
		for i := range f.Outputs {
			out := &f.Outputs[i]
			layout, _ := layoutOf(out.Template)
			if layout.scope != scope || out.Of != nil && !out.Of(at.resource) {
				continue
			}
			one := at
			one.out = out
			one.API = &API{family: f, opts: opts, Model: api, Prepared: prepared}
			if f.When != nil && !f.When(one.API, out.Template) {
				continue
			}
			dir, name := layout.expand(opts.Roots[f.Templates], &one)
			one.path = path.Join(dir, safeName(name, found[dir]))
			if opts.FileName != "" && scope == PerPackage && i == 0 {
				one.path = path.Join(dir, opts.FileName)
			}
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
func (f *Family) renderPackage(pkg []*file, goNames map[string]string) ([]output.File, diag.List) {
	opts := pkg[0].opts
	overlay := opts.Overlay
	var diags diag.List
	set, err := overlay.templates()
	if err != nil {
		diags.Errorf(noPosition, "%v", err)
		return nil, diags
	}
	files := make([]*gofile.File, len(pkg))
	var text body
	for i, one := range pkg {
		one.file = &gofile.File{
			Name: one.path, Path: one.packagePath(), Package: one.packageName(), Header: one.header(), Doc: one.doc(),
			Beside: one.handWritten(), Clean: overlay == nil,
		}
		text.Reset()
		if err := set.ExecuteTemplate(&text, one.out.Template, one.view()); err != nil {
			overlay.report(one, fmt.Errorf("render %s: %w", one.path, err), &diags)
			return nil, diags
		}
		one.file.Body = text.String()
		files[i] = one.file
	}
	contents, err := gofile.Format(files, templates.Imports, goNames)
	if err != nil {
		f.explain(err, pkg, &diags)
		return nil, diags
	}
	names := make([]string, len(pkg))
	for i, one := range pkg {
		names[i] = path.Base(one.path)
	}
	rendered := make([]output.File, len(pkg))
	for i, text := range opts.keep(path.Dir(pkg[0].path), names, contents) {
		rendered[i] = output.File{Path: pkg[i].path, Content: text}
	}
	return rendered, nil
}

// packagePath returns the import path of the file's package.
func (f *file) packagePath() string {
	return path.Join(f.opts.Roots[f.family.Templates].Path, path.Dir(f.path))
}

// packageName returns the Go name of the file's package.
func (f *file) packageName() string {
	if f.pkg != nil {
		return f.pkg.Name
	}
	return model.PackageName(path.Base(f.packagePath()))
}

// doc returns the package comment.
func (f *file) doc() string {
	if f.version == nil || f.out.Doc == "" {
		return f.out.Doc
	}
	version := &Version{&Group{f.API, f.group}, f.version}
	return strings.NewReplacer("{gv}", version.Describe(), "{package}", model.PackageName(f.version.Dir())).Replace(f.out.Doc)
}

// header returns the first lines of the file: the configured text, the line that marks generated files, and the source
// packages.
func (f *file) header() string {
	var b strings.Builder
	if f.pkg != nil {
		b.WriteString(besideTypes + "\n\n")
	}
	if text := strings.TrimRight(f.opts.Header, "\n"); text != "" {
		b.WriteString(text + "\n\n")
	}
	b.WriteString(f.family.GeneratedBy() + "\n")
	if sources := f.sources(); len(sources) > 0 {
		b.WriteString(origin.SourceComment + strings.Join(sources, ", ") + "\n")
	}
	return b.String() + "\n"
}

// besideTypes keeps a file from those who read the package's types with the tag: tools which must not depend on whether
// what was generated fits the types.
const besideTypes = "//go:build !ignore_autogenerated"

// sources returns the packages that the file is generated from, nil for all of them.
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

// goNames returns the Go names of packages that differ from the last element of their import path. Those that are generated are
// left out, as if there were none before: output must not depend on what an earlier run wrote.
func goNames(api *model.API, opts *Options) map[string]string {
	names := map[string]string{}
	for _, pkg := range api.Packages {
		generated := false
		for _, root := range opts.Roots {
			generated = generated || root.Path != "" && strings.HasPrefix(pkg.Path+"/", root.Path+"/")
		}
		if !generated {
			names[pkg.Path] = pkg.Name
		}
	}
	for _, g := range api.Groups {
		for _, v := range g.Versions {
			for _, pkg := range v.Packages {
				names[pkg.Path] = pkg.Name
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

// maxBody is the maximal output of a template, in bytes: far more than any file needs, but not enough to exhaust
// memory.
const maxBody = 64 << 20

// body is the output of a template.
type body struct{ bytes.Buffer }

func (b *body) Write(text []byte) (int, error) {
	if b.Len()+len(text) > maxBody {
		return 0, fmt.Errorf("the template writes more than %d MiB; check that its loops end", maxBody>>20)
	}
	return b.Buffer.Write(text)
}
