package render

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/internal/text/parallel"
	"github.com/kubegen/kubegen/templates"
)

// Generate renders the files of a generator, ordered by path, into its root or into packages of types. It returns nil
// if there is nothing to generate. The files are only valid if there are no errors among the diagnostics.
func Generate(g Generator, in *Input) (trees []output.Tree, _ diag.List) {
	files, diags := Files(g, in.API, in.Options)
	if !g.Info().InPackages() {
		return []output.Tree{{Dir: in.Dir, Files: files}}, diags
	}
	dirs := map[string]string{} // by import path
	for _, pkg := range in.API.Packages {
		dirs[pkg.Path] = pkg.Dir
	}
	for _, file := range files {
		importPath, name := path.Split(file.Path)
		dir := dirs[path.Clean(importPath)]
		if last := len(trees) - 1; last < 0 || trees[last].Dir != dir {
			trees = append(trees, output.Tree{Dir: dir})
		}
		tree := &trees[len(trees)-1]
		tree.Files = append(tree.Files, output.File{Path: name, Content: file.Content})
	}
	return trees, diags
}

// Files renders the files of a generator for an API, with paths below its root or, for files in packages of types, with
// the import paths of these. It returns nil if there is nothing to generate, and for generators that are no
// CodeGenerator.
func Files(g Generator, api *model.API, opts *Options) ([]output.File, diag.List) {
	code, ok := g.(CodeGenerator)
	if !ok || !Has(g, api) && !g.Info().Always && !opts.Bare {
		return nil, nil
	}
	api = wanted(g, api)
	views, diags := code.Views(api, opts)
	if diags.HasErrors() {
		return nil, diags
	}
	names := goNames(api, opts)
	packages := packagesOf(g, api, opts, views)
	var lock sync.Mutex
	var files []output.File
	parallel.Each(packages, func(pkg []*file) {
		rendered, wrong := renderPackage(pkg, names)
		for _, one := range pkg { // all bodies together would need as much memory as the results
			if one.file != nil {
				one.imports, one.file = one.file.Refs(), nil
			}
		}
		lock.Lock()
		defer lock.Unlock()
		files, diags = append(files, rendered...), append(diags, wrong...)
	})
	if _, ok := g.(StructGenerator); ok && !diags.HasErrors() {
		if c, ok := cycleOf(packages); ok {
			c.report(&diags)
		}
	}
	slices.SortFunc(files, func(a, b output.File) int { return strings.Compare(a.Path, b.Path) })
	slices.SortStableFunc(diags, func(a, b *diag.Diagnostic) int { return strings.Compare(a.Message, b.Message) })
	return files, diags
}

// Check returns the diagnostics of a generator's views, for an API that cannot be rendered because of other errors.
func Check(g Generator, api *model.API, opts *Options) (diags diag.List) {
	if code, ok := g.(CodeGenerator); ok {
		_, diags = code.Views(wanted(g, api), opts)
	}
	return diags
}

// Written is a package with files of a generator.
type Written struct {
	Path      string            // import path
	Resources []*model.Resource // kinds with files in the package
}

// Packages returns the packages of the generator's files, ordered by path.
func Packages(g Generator, api *model.API, opts *Options) []Written {
	if !Has(g, api) {
		return nil
	}
	var found []Written
	for _, files := range packagesOf(g, wanted(g, api), opts, Views{}) {
		pkg := Written{Path: files[0].packagePath()}
		for _, one := range files {
			r := one.resource
			if one.of != nil {
				r = one.of.Resource
			}
			if r != nil && !slices.Contains(pkg.Resources, r) {
				pkg.Resources = append(pkg.Resources, r)
			}
		}
		found = append(found, pkg)
	}
	slices.SortFunc(found, func(a, b Written) int { return strings.Compare(a.Path, b.Path) })
	return found
}

// file is a file to render.
type file struct {
	*API
	out      *plan.Output
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
	group := newGroup(f.API, f.group)
	version := newVersion(f.API, f.group, f.version)
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
	return &Struct{newVersion(f.API, f.group, f.version), f.of}
}

// packagesOf returns the files to render, grouped by package and ordered by path. In each package, files for kinds come
// last: their names must not be taken by other files, whose names are fixed.
func packagesOf(g Generator, api *model.API, opts *Options, views Views) [][]*file {
	outputs := Outputs(g, opts)
	conditional, _ := g.(Conditional)
	found, taken := map[string][]*file{}, map[string]bool{}
	add := func(scope Scope, at file) {
		for i := range outputs {
			out := &outputs[i]
			layout, _ := layoutOf(out.Template)
			if layout.scope != scope || out.Of != nil && !out.Of(at.resource) || out.In != nil && !out.In(at.pkg) ||
				out.If != nil && !out.If(&opts.Options) {
				continue
			}
			one := at
			one.out = out
			one.API = &API{generator: g, opts: opts, Model: api, groups: api.Groups, views: views}
			if conditional != nil && !conditional.When(one.API, out.Template) {
				continue
			}
			dir, name := layout.expand(opts.Roots[g.Info().Templates], &one)
			if scope != PerPackage { // their names are the ones of templates
				name = safeName(name, func(name string) bool { return taken[path.Join(dir, name)] })
			}
			one.path = path.Join(dir, name)
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
	if in, ok := g.(PackageGenerator); ok {
		for _, pkg := range api.Packages {
			if in.Package(pkg) && !pkg.Foreign {
				add(PerPackage, file{pkg: pkg})
			}
		}
	}
	add(PerAPI, file{})
	for _, group := range api.Groups {
		add(PerGroup, file{group: group})
		for _, v := range group.Versions {
			add(PerVersion, file{group: group, version: v})
			for _, r := range Resources(g, v) {
				add(PerKind, file{group: group, version: v, resource: r})
			}
			for _, s := range structsOf(g, v) {
				add(PerStruct, file{group: group, version: v, of: s})
			}
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b []*file) int { return cmp.Compare(path.Dir(a[0].path), path.Dir(b[0].path)) })
}

// renderPackage renders the files of one package.
func renderPackage(pkg []*file, goNames map[string]string) ([]output.File, diag.List) {
	opts := pkg[0].opts
	overlay := opts.Overlay
	var diags diag.List
	var executed *gofile.Templates
	set, err := overlay.templates()
	if err == nil {
		executed, err = gofile.NewTemplates(set, maxBody)
	}
	if err != nil {
		diags.Errorf(noPosition, "%v", err)
		return nil, diags
	}
	files := make([]*gofile.File, len(pkg))
	for i, one := range pkg {
		one.file = &gofile.File{
			Name: one.path, Path: one.packagePath(), Package: one.packageName(), Header: one.header(), Doc: one.doc(),
			OtherNames: one.handWritten(), Clean: overlay == nil,
		}
		if one.file.Body, err = executed.Execute(one.out.Template, one.view()); err != nil {
			return nil, overlay.report(one, fmt.Errorf("render %s: %w", one.path, err))
		}
		files[i] = one.file
	}
	contents, err := gofile.Format(files, templates.Imports, goNames)
	if err != nil {
		return nil, explain(err, pkg)
	}
	rendered := make([]output.File, len(pkg))
	for i, content := range contents {
		rendered[i] = output.File{Path: pkg[i].path, Content: content}
	}
	return rendered, nil
}

// packagePath returns the import path of the file's package.
func (f *file) packagePath() string {
	return path.Join(f.opts.Roots[f.generator.Info().Templates].Path, path.Dir(f.path))
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
	version := newVersion(f.API, f.group, f.version)
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
	b.Add(gofile.Mark(f.generator.Info().GeneratedBy()))
	if sources := f.sources(); len(sources) > 0 {
		b.Add(gofile.Mark(gofile.SourceComment + strings.Join(sources, ", ")))
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
	names := map[string]string{}
	maps.Copy(names, api.PackageNames)
	maps.DeleteFunc(names, func(importPath, _ string) bool {
		for _, root := range opts.Roots {
			if root.Path != "" && strings.HasPrefix(importPath+"/", root.Path+"/") {
				return true
			}
		}
		return false
	})
	for _, importPath := range opts.Externals {
		names[importPath] = "" // another run may generate it
	}
	for v := range api.Versions() {
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
	for _, s := range api.Structs {
		if s.Package != nil {
			names[s.Path] = s.Package.Name
		}
	}
	return names
}

// maxBody limits the output of a template in bytes. Files are far smaller, and memory is not exhausted.
const maxBody = 64 << 20
