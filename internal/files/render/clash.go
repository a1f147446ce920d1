package render

import (
	"cmp"
	"go/token"
	"slices"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Clash describes why a generator cannot generate code for a package of types: generated names collide, or generated
// packages import each other.
type Clash struct {
	Generator Generator
	Package   *model.Package // nil if no package is the cause
	Pos       token.Position
	Message   string

	hint string // advice; "" means to omit the generator
}

// Warn reports that no code is generated for the package.
func (c Clash) Warn(diags *diag.List) {
	c.suggestWithout(diags.Warnf(c.Pos, "no %s code for package %s: %s", c.Generator.Info().Name, c.Package.Path, c.Message))
}

// suggestWithout suggests omitting the generator, if it is optional.
func (c Clash) suggestWithout(d *diag.Diagnostic) {
	if g, ok := c.Generator.(StructGenerator); ok {
		of := g.Info()
		d.Suggest("generate no %s code for its package with +%s=false in the package comment", of.Name, of.Switch).
			Or("none at all with %s=false", diag.Setting(of.EnableFlag.Name))
	}
}

// report reports the clash as an error.
func (c Clash) report(diags *diag.List) {
	d := diags.Errorf(c.Pos, "%s", c.Message)
	if c.hint != "" {
		d.Suggest("%s", c.hint)
	} else if c.Package != nil {
		c.suggestWithout(d)
	}
}

// Clashes returns the packages of types for which a StructGenerator cannot generate code, because the authors of an API
// cannot always rename its kinds. There is one Clash for each package, ordered by path. Without these packages, others
// may clash. Clashes returns nil for any other generator.
func Clashes(generator Generator, api *model.API, opts *Options) []Clash {
	g, ok := generator.(StructGenerator)
	if !ok {
		return nil
	}
	var clashes []Clash
	add := func(c Clash, ok bool) {
		if ok && c.Package != nil && !c.Package.Off(g.Info().Switch) {
			clashes = append(clashes, c)
		}
	}
	packages := packagesOf(g, wanted(g, api), opts, Views{})
	shared := false
	for _, pkg := range packages {
		for _, one := range pkg {
			one.file = &gofile.File{Path: one.packagePath()}
		}
		if duplicate, ok := firstDuplicate(g, pkg); ok {
			add(culprit(duplicate, pkg))
		}
		shared = shared || len(sourcesOf(pkg)) > 1
	}
	if shared { // otherwise generated packages import each other only if packages of types do
		for _, pkg := range packages {
			for _, one := range pkg {
				if one.of != nil {
					g.Refer(one.structView())
				}
				one.imports = one.file.Refs()
			}
		}
		add(cycleOf(packages))
	}
	slices.SortFunc(clashes, func(a, b Clash) int {
		return cmp.Or(cmp.Compare(a.Package.Path, b.Package.Path), cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(clashes, func(a, b Clash) bool { return a.Package.Path == b.Package.Path })
}

// firstDuplicate returns the first name that files of a package declare twice.
func firstDuplicate(g StructGenerator, pkg []*file) (d gofile.Mistake, ok bool) {
	declared := map[string]string{}
	for _, one := range pkg {
		if o := one.opts.Overlay; one.of == nil || o != nil && o.own[one.out.Template] { // a user's template declares unknown names
			continue
		}
		for _, name := range g.Declares(one.structView()) {
			if first, again := declared[name]; again {
				return gofile.Mistake{Cause: gofile.Duplicate, File: one.path, Name: name, First: first}, true
			}
			declared[name] = one.path
		}
	}
	return gofile.Mistake{}, false
}
