package facts

import (
	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Provided describes what another output of the run writes into packages of types. The files on disk may lack it.
type Provided struct {
	Reads        func(importPath string) bool // reports whether the output reads a package
	Registration kinds.RegistrationConfig
	Copies       kinds.CopyConfig
}

// provided determines what other outputs of the run write into packages. These report mistakes in the markers.
type provided struct {
	*load.Loader
	by         []Provided
	marked     *packageMarkers
	promised   map[*load.Package]gotypes.Promised
	registered map[*load.Package]bool
}

func newProvided(l *load.Loader, by []Provided, marked *packageMarkers) *provided {
	return &provided{l, by, marked, map[*load.Package]gotypes.Promised{}, map[*load.Package]bool{}}
}

// hide hides the files of a package that other outputs write again or remove.
func (p *provided) hide(src *load.Package) {
	if other := p.registration(src); other != nil {
		other.Hide(src, p.marked.of(src))
	}
	src.Hide(p.methods(src).Marks)
}

// takes reports whether an output reads a package that users can change. An import makes packages of a workspace
// read-only, but only for itself.
func (o Provided) takes(src *load.Package) bool {
	return (!src.Foreign || src.Module != "") && o.Reads(src.Path)
}

// isObject reports whether a type has a DeepCopyObject method, in a file or from another output.
func (p *provided) isObject(src *load.Package, name string) bool {
	return src.HasMethod(name, "DeepCopyObject") || p.methods(src).IsObject(name)
}

// methods returns the DeepCopy methods that another output generates for a package.
func (p *provided) methods(src *load.Package) gotypes.Promised {
	known, ok := p.promised[src]
	for i := 0; !ok && i < len(p.by); i++ {
		if other := p.by[i]; len(other.Copies.Marks) > 0 && other.takes(src) {
			p.ReadOnce(src)
			known, ok = kinds.PromisedCopies(p.Loader, other.Copies, src, p.marked.of(src)), true
		}
	}
	p.promised[src] = known
	return known
}

// registration returns the configuration of another output that registers the types of a package, if it has any to
// register, or nil.
func (p *provided) registration(src *load.Package) *kinds.RegistrationConfig {
	for i, other := range p.by {
		if len(other.Registration.Marks) > 0 && other.takes(src) {
			return &p.by[i].Registration
		}
	}
	return nil
}

// registers reports whether another output writes the registration of a package's types, if some are objects.
func (p *provided) registers(outline *gotypes.Reader, src *load.Package, objects kinds.CopiedObjects) bool {
	registered, ok := p.registered[src]
	if other := p.registration(src); !ok && other != nil {
		var ofOutput diag.List
		registered = len(other.Types(outline, src, p.marked.of(src), objects.Meant(outline), &ofOutput)) > 0
	}
	p.registered[src] = registered
	return registered
}
