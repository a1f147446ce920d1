// Package render turns a model into files, for any generator. It determines the files and their paths, executes each
// template with the view of its scope, and formats the result. It does not use disk, clock, environment or network, and
// does not depend on any particular generator.
package render

import (
	"path"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/genmark"
	"github.com/kubegen/kubegen/internal/model"
)

// Generator is a generator, such as the one for listers. It may also implement Conditional, StructGenerator,
// PackageGenerator and TypeReader.
type Generator interface {
	// Info returns the generator's properties, which must not be modified.
	Info() *Info
	// Kind reports whether a kind has files, unless its package switches the generator off.
	Kind(*model.Resource) bool
	// Views returns the generator's own views. It is called before any file is rendered.
	Views(*model.API, *Options) (Views, diag.List)
}

// Conditional is a Generator with outputs that depend on the API.
type Conditional interface {
	// When reports whether an output is generated. It is also called for outputs added by the user's templates.
	When(a *API, template string) bool
}

// StructGenerator is a Generator with files for structs. It is optional for packages of types; see Clashes.
type StructGenerator interface {
	Generator
	// Structs returns the structs with files.
	Structs(*model.Version) []*model.StructType
	// Declares returns the names declared by the file of a struct, in order. Refer refers to every identifier that the
	// file uses.
	Declares(*Struct) []string
	Refer(*Struct)
}

// PackageGenerator is a Generator that only writes into packages of types. It has no Place, and no files for kinds.
type PackageGenerator interface {
	Generator
	// Package reports whether a package of types has files.
	Package(*model.Package) bool
}

// TypeReader is a Generator that needs types in addition to kinds. At most one generator is a TypeReader, because the
// result is API.Structs.
type TypeReader interface {
	// Read reads the types. Companions returns packages whose files it needs.
	Read(model.Reader, *Options) (model.Types, diag.List)
	Companions() model.Companions
}

// Info holds the properties of a generator.
type Info struct {
	Name      string // name in the first line of generated files, such as "lister"
	Templates string // directory of the templates in templates.FS
	Replaces  []Tool // the tool of k8s.io/code-generator is first
	KeepsCase bool   // value of Root.KeepsCase for its root
	// Switch is the marker that switches the generator off for a package, without "+" and "=false", such as
	// "k8s:lister-gen", or "".
	Switch string

	Needs    Needs
	Provides Provides
	// Place is the path of the generator's root below kubegen's output directory. Each directory has a fixed name, or a
	// name set by a flag.
	Place []Flag
	// EnableFlag is kubegen's flag that omits the generator if it is false. If its Default is "", that means "true".
	// The zero Flag means that there is no such flag.
	EnableFlag Flag

	// Nothing is the reason if the kinds of a package have no files, such as "its kinds cannot be listed or watched".
	// It may be "" for a generator with files for all kinds. EnableHint describes how a package of types requests the
	// files of a PackageGenerator.
	Nothing, EnableHint string
	Outputs             []Output
	// Always means that files are generated even without kinds. Bare means the same if Options.Bare is set.
	Always, Bare bool
	// Empty means that files are generated for groups and versions even if they have no kinds.
	Empty bool
}

// Tool is a tool that a generator replaces.
type Tool struct {
	Name string // in the first line of its files
	File string // name of its files, if other generators of the tool write the same first line; "" for any name
}

// Needs lists what a generator requires of the input.
type Needs struct {
	Scheme  bool // list types of kinds, and AddToScheme in packages
	Types   bool // the types read by the TypeReader, if generated code can refer to that generator's packages
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
func (i *Info) GeneratedBy() string { return genmark.Line("kubegen " + i.Name) }

// ByMain is the line of all tools of code-generator if their main.go is run: they write the name of their program.
var ByMain = genmark.Line("main")

// ReplacedBy returns the marks of the tools that the generator replaces, with ByMain if there are any. In packages of
// types, ByMain counts only on the file of the generator.
func (i *Info) ReplacedBy() (marks genmark.Marks) {
	for _, tool := range i.Replaces {
		marks = append(marks, genmark.Mark{Line: genmark.Line(tool.Name), File: tool.File})
	}
	if len(i.Replaces) == 0 {
		return nil
	}
	file := path.Base(strings.TrimSuffix(i.Outputs[0].Template, ".tmpl"))
	if !strings.HasPrefix(file, "zz_generated.") {
		file = ""
	}
	return append(marks, genmark.Mark{Line: ByMain, File: file})
}

// Marks returns the marks of the generator and of the tools that it replaces.
func (i *Info) Marks() genmark.Marks {
	return append(genmark.Marks{{Line: i.GeneratedBy()}}, i.ReplacedBy()...)
}

// Writes reports whether a generator can write files into a slash-separated directory below its root: files for the
// whole API, which have no source comment, or files for parts of it.
func Writes(g Generator, opts *Options, dir string, whole bool) bool {
	return slices.ContainsFunc(Outputs(g, opts), func(o Output) bool {
		l, _ := layoutOf(o.Template)
		return (l.scope == PerAPI) == whole && l.matches(dir)
	})
}

// Outputs returns the outputs of a generator, including outputs added by the user's templates.
func Outputs(g Generator, opts *Options) []Output {
	if opts.Overlay == nil {
		return g.Info().Outputs
	}
	return slices.Concat(g.Info().Outputs, opts.Overlay.outputs[g.Info().Templates])
}

// HasDir reports whether a generator has a directory with this name beside the directories of groups.
func HasDir(g Generator, opts *Options, name string) bool {
	grouped, own := false, false
	for _, o := range Outputs(g, opts) {
		l, _ := layoutOf(o.Template)
		switch {
		case len(l.dirs) == 0 || o.If != nil && !o.If(opts):
		case l.dirs[0] == "group":
			grouped = true
		case l.dirs[0] == name:
			own = true
		}
	}
	return grouped && own
}

// InPackages reports whether a generator is a PackageGenerator.
func InPackages(g Generator) bool {
	_, ok := g.(PackageGenerator)
	return ok
}

// Wants reports whether a generator has files for a version.
func Wants(g Generator, v *model.Version) bool {
	empty := func(pkg *model.Package) bool { return !pkg.Off(g.Info().Switch) }
	return len(Resources(g, v)) > 0 || len(structsOf(g, v)) > 0 ||
		g.Info().Empty && len(v.Resources) == 0 && slices.ContainsFunc(v.Packages, empty)
}

// wanted returns the part of an API for which a generator has files.
func wanted(g Generator, api *model.API) *model.API {
	return api.Select(func(v *model.Version) bool { return Wants(g, v) })
}

// Resources returns the kinds of a version for which a generator has files.
func Resources(g Generator, v *model.Version) []*model.Resource {
	return v.Filter(func(r *model.Resource) bool { return !r.Package.Off(g.Info().Switch) && g.Kind(r) })
}

// structsOf returns the structs of a version for which a generator has files.
func structsOf(g Generator, v *model.Version) []*model.StructType {
	if of, ok := g.(StructGenerator); ok {
		return of.Structs(v)
	}
	return nil
}

// Has reports whether a generator has files for any part of an API.
func Has(g Generator, api *model.API) bool {
	if in, ok := g.(PackageGenerator); ok {
		return slices.ContainsFunc(api.Packages, in.Package)
	}
	return len(wanted(g, api).Groups) > 0
}
