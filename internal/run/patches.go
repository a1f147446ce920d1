package run

import (
	"go/token"
	"path/filepath"
	"slices"

	"github.com/kubegen/kubegen/internal/crd"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/goschema"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/manifest"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/plan"
)

// patches replaces the schemas in the manifests of an output. Like controller-gen, gen-controller writes nothing if no
// package imports the metadata of objects, and all manifests otherwise.
func (o *Output) patches(_ plan.ManifestTarget, f *facts.Facts, diags *diag.List) []written {
	own, named := o.ownPackages(f)
	if o.Patch.All && !slices.ContainsFunc(named, func(src *load.Package) bool { return src.Imports(model.MetaV1) }) {
		return nil
	}
	o.nameGates(f.Fset, own)
	read := goschema.NewMarkers(f.NewTypeReader(), o.gates(o.Patch.Gates), diags)
	definitions := facts.Define(read, named)
	crd.Patch(o.Patch.Templates, read, definitions, o.Patch.Options)
	w := written{owned: func(text []byte) bool { return manifest.Holds(text, "CustomResourceDefinition") }}
	for _, t := range o.Patch.Templates {
		content, ok, err := t.Update()
		if o.Patch.All {
			ok = true
			content, err = t.Content()
		}
		if err != nil {
			diags.Errorf(token.Position{Filename: t.File()}, "cannot write this manifest: %v", err)
		}
		if ok {
			w.files = append(w.files, output.File{Path: filepath.Base(t.File()), Content: output.Held(content)})
		}
	}
	o.needPackages(f, definitions.Groups, own, diags)
	return []written{w}
}

// warnUnpatched warns if the directory in --patch-crds has manifests, but none for a kind of an output with the same
// value.
func (o *Output) warnUnpatched(alike []*Output, diags *diag.List) {
	patched := func(other *Output) bool {
		return slices.ContainsFunc(other.written, func(w written) bool { return w.generator == plan.SchemaPatch.Name && len(w.files) > 0 })
	}
	if len(o.Patch.Templates) == 0 || slices.ContainsFunc(alike, patched) {
		return
	}
	dir := o.Flags.Patches.Dir
	pos, flag := (&unusedValues{Output: o, flag: plan.SchemaPatch.Flag}).at(dir)
	diags.Warnf(pos, "%s: no CustomResourceDefinition in directory %s is of a kind and version in these packages", flag, dir).
		Suggest("name the packages of its kinds, or another directory")
}
