// Package render defines generators, and turns a model into Go files, for any generator with templates. It determines
// the files and their paths, executes each template with the view of its scope, and formats the result. It does not use
// disk, clock, environment or network, and does not depend on any particular generator.
package render

import (
	"slices"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Generator is a generator, such as the one for listers or the one for roles: a CodeGenerator, a Definer or an
// ObjectGenerator.
type Generator interface {
	// Info returns the generator's properties, which must not be modified.
	Info() *plan.Info
}

// ObjectGenerator is a Generator of other files than CodeGenerators have. It may also implement Configurable and
// MarkerReader.
type ObjectGenerator interface {
	Generator
	// Generate returns the generator's files by directory. The trees also determine the files of earlier runs that may
	// be replaced, and the stale ones.
	Generate(*Input) ([]output.Tree, diag.List)
}

// CodeGenerator is a Generator of Go files from templates. It may also implement Conditional, KindGenerator,
// StructGenerator and PackageGenerator.
type CodeGenerator interface {
	Generator
	// Views returns the generator's own views. It is called before any file is rendered.
	Views(*model.API, *Options) (Views, diag.List)
}

// KindGenerator is a CodeGenerator with files for kinds.
type KindGenerator interface {
	CodeGenerator
	// Kind reports whether a kind has files, unless its package switches the generator off.
	Kind(*model.Resource) bool
}

// Conditional is a CodeGenerator with outputs that depend on the API.
type Conditional interface {
	// When reports whether an output is generated. It is also called for outputs added by the user's templates.
	When(a *API, template string) bool
}

// StructGenerator is a KindGenerator with files for structs. It is optional for packages of types; see Clashes.
type StructGenerator interface {
	KindGenerator
	// Structs returns the structs with files.
	Structs(*model.Version) []*model.StructType
	// Declares returns the names declared by the file of a struct, in order. Refer refers to every identifier that the
	// file uses.
	Declares(*Struct) []string
	Refer(*Struct)
}

// PackageGenerator is a CodeGenerator that only writes into packages of types. It has no Place.
type PackageGenerator interface {
	CodeGenerator
	// Package reports whether a package of types has files.
	Package(*model.Package) bool
}

// Writes reports whether a generator can write files into a slash-separated directory below its root: files for the
// whole API, which have no source comment, or files for parts of it.
func Writes(g Generator, opts *Options, dir string, whole bool) bool {
	return slices.ContainsFunc(Outputs(g, opts), func(o plan.Output) bool {
		l, _ := layoutOf(o.Template)
		return (l.scope == PerAPI) == whole && l.matches(dir)
	})
}

// Names reports whether a generator, or a tool that it replaces, gives files in some directory this base name. Tools
// write doc.go into each directory.
func Names(g Generator, opts *Options, base string) bool {
	return base == "doc.go" || slices.ContainsFunc(Outputs(g, opts), func(o plan.Output) bool {
		l, _ := layoutOf(o.Template)
		return l.names(base)
	})
}

// Outputs returns the outputs of a generator, including outputs added by the user's templates.
func Outputs(g Generator, opts *Options) []plan.Output {
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
		case len(l.dirs) == 0 || o.If != nil && !o.If(&opts.Options):
		case l.dirs[0] == "group":
			grouped = true
		case l.dirs[0] == name:
			own = true
		}
	}
	return grouped && own
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
	code, ok := g.(KindGenerator)
	return v.Filter(func(r *model.Resource) bool { return ok && !r.Package.Off(g.Info().Switch) && code.Kind(r) })
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
