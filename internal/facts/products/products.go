// Package products reads what a run writes into packages of types: registrations, DeepCopy methods, conversions, and
// functions that set defaults. Each of these products is a value in All; plan, facts and the model follow from it.
// It does not read the kinds that clients and manifests need, and generates nothing.
package products

import (
	"slices"

	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Product is what a generator writes into packages of types.
type Product struct {
	// Generator is the name of the generator.
	Generator string
	// requested reports whether something in a package of the input requests the product from an output. It only
	// determines whether the product's files are Files.Marks or Files.Stale, so it may be true for too many packages.
	requested func(*Reading, *Output, *load.Package) bool
	// read sets the product in the models of packages. It is nil for registrations, which depend on groups and
	// versions; see Output.Types.
	read func(*Reading, map[*load.Package]*model.Package) diag.List
}

// Names of the generators of products.
const (
	Registration = "register"
	Copies       = "deepcopy"
	Conversions  = "conversion"
	Defaults     = "defaulter"
)

// All lists the products in reading order.
var All = []Product{
	{Registration, wantsRegistration, nil},
	{Copies, requestsCopies, readCopies},
	{Conversions, requestsConversions, readConversions},
	{Defaults, requestsDefaults, readDefaults},
}

// ModelNames returns gotypes.Reader.ModelNames for a reader and an output that reads some packages. Nothing but names
// of schemas depends on methods OpenAPIModelName, so that this promise is all that others need to know of this product.
type ModelNames func(types *gotypes.Reader, reads func(*load.Package) bool) func(*gotypes.Declaration) (string, bool)

// Output is what an output of the run writes into packages of types.
type Output struct {
	*plan.Plan
	Files      map[string]Files // by the name of a generator
	ModelNames ModelNames       // nil if it writes no methods OpenAPIModelName
	// Reads reports whether the output reads a package. It is not called for the output that packages are read for.
	Reads func(importPath string) bool
}

// Files describes the files of a product.
type Files struct {
	Marks gofile.ToolMarks // of the files that the output writes
	Stale gofile.ToolMarks // the first ones among them, of files that the output removes from packages that do not request them
}

// kinds reports whether packages with kinds are registered, not only packages with +k8s:register-gen or +groupName.
func (o *Output) kinds() bool { return o.Consistent && !o.Flags.Classic }

// Writes reports whether the output writes the product of a generator.
func (o *Output) Writes(generator string) bool { return len(o.Files[generator].Marks) > 0 }

// ReadsTypes reports whether a product depends on the types of fields.
func (o *Output) ReadsTypes() bool {
	return slices.ContainsFunc(All, func(p Product) bool { return p.read != nil && o.Writes(p.Generator) })
}

// Reading reads the products of a run.
type Reading struct {
	*load.Loader
	Own    *Output // that packages are read for
	Others []Output
	// MarkersOf returns the markers of a package that was read.
	MarkersOf  func(*load.Package) []model.Marker
	promised   map[*load.Package]gotypes.Promised
	registered map[*load.Package]bool
}

// NewReading returns a Reading of the products of an output. It takes into account what other outputs of the run write,
// which the files on disk may lack.
func NewReading(l *load.Loader, own *Output, others []Output, markersOf func(*load.Package) []model.Marker) *Reading {
	return &Reading{l, own, others, markersOf, map[*load.Package]gotypes.Promised{}, map[*load.Package]bool{}}
}

// Hidden returns the marks of the files in a package of the input that the run writes again or removes, for load.Read.
func (r *Reading) Hidden(src *load.Package) (marks gofile.ToolMarks) {
	for _, p := range All {
		if !src.Foreign {
			marks = append(marks, r.hidden(p, r.Own, src)...)
		}
		for i := range r.Others {
			if r.Others[i].takes(src) {
				marks = append(marks, r.hidden(p, &r.Others[i], src)...)
			}
		}
	}
	return marks
}

func (r *Reading) hidden(p Product, o *Output, src *load.Package) gofile.ToolMarks {
	files := o.Files[p.Generator]
	kept := files.Marks[len(files.Stale):] // if nothing is requested
	isKept := func(f *load.File) bool { return f.Has(kept) }
	if slices.ContainsFunc(src.Files, isKept) && p.requested(r, o, src) {
		return files.Marks
	}
	return files.Stale
}

// takes reports whether an output reads a package that users can change. An import makes packages of a workspace
// read-only, but only for itself.
func (o *Output) takes(src *load.Package) bool {
	return (!src.Foreign || src.Module != "") && o.Reads(src.Path)
}

// by returns the other output that writes a product into a package, or nil.
func (r *Reading) by(generator string, src *load.Package) *Output {
	for i := range r.Others {
		if o := &r.Others[i]; o.Writes(generator) && o.takes(src) {
			return o
		}
	}
	return nil
}

// Writes reports whether an output of the run writes a product into a package that requests it.
func (r *Reading) Writes(generator string, src *load.Package) bool {
	return !src.Foreign && r.Own.Writes(generator) || r.by(generator, src) != nil
}

// Read sets the products in the models of packages.
func (r *Reading) Read(models map[*load.Package]*model.Package) (diags diag.List) {
	for _, p := range All {
		if p.read != nil && r.Own.Writes(p.Generator) {
			diags = append(diags, p.read(r, models)...)
		}
	}
	return diags
}

// NotRead reports the packages that request products, if all packages of the input are in other modules. Other runs
// name such packages for their clients.
func (r *Reading) NotRead() (diags diag.List) {
	if slices.ContainsFunc(r.Input, func(src *load.Package) bool { return !src.Foreign }) {
		return nil
	}
	for _, p := range All {
		for _, src := range r.Input {
			if p.read != nil && r.Own.Writes(p.Generator) && p.requested(r, r.Own, src) {
				diags.Warnf(r.PackagePos(src), NotWritten, p.Generator, src.Path)
			}
		}
	}
	return diags
}

// NotWritten is the format of a warning, with a generator and a package.
const NotWritten = "no %s code is generated for package %s, which is in another module"

// Promised returns the DeepCopy methods that another output generates for a package. That output reports mistakes in
// markers.
func (r *Reading) Promised(src *load.Package) gotypes.Promised {
	known, ok := r.promised[src]
	if ok {
		return known
	}
	if other := r.by(Copies, src); other != nil {
		r.ReadOnce(src)
		known = promisedCopies(r, other, src)
	}
	r.promised[src] = known
	return known
}

// ModelNames returns gotypes.Reader.ModelNames for a reader, for what all outputs of the run write.
func (r *Reading) ModelNames(types *gotypes.Reader) func(*gotypes.Declaration) (string, bool) {
	var all []func(*gotypes.Declaration) (string, bool)
	if r.Own.ModelNames != nil {
		all = append(all, r.Own.ModelNames(types, func(src *load.Package) bool { return slices.Contains(r.Input, src) }))
	}
	for i := range r.Others {
		if o := &r.Others[i]; o.ModelNames != nil {
			all = append(all, o.ModelNames(types, o.takes))
		}
	}
	if all == nil {
		return nil
	}
	return func(d *gotypes.Declaration) (name string, written bool) {
		for i := 0; i < len(all) && !written; i++ {
			name, written = all[i](d)
		}
		return name, written
	}
}

// IsObject reports whether a type has a DeepCopyObject method, in a file or from another output.
func (r *Reading) IsObject(src *load.Package, name string) bool {
	return src.HasMethod(name, "DeepCopyObject") || r.Promised(src).IsObject(name)
}

// Registers reports whether another output writes the registration of a package's types, if some are objects. That
// output reports mistakes in markers.
func (r *Reading) Registers(outline *gotypes.Reader, src *load.Package, objects CopiedObjects) bool {
	registered, ok := r.registered[src]
	if ok {
		return registered
	}
	if other := r.by(Registration, src); other != nil {
		types, _ := other.Types(outline, src, r.MarkersOf(src), objects.Meant(outline))
		registered = len(types) > 0
	}
	r.registered[src] = registered
	return registered
}
