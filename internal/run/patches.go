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

// patches replaces the schemas in the manifests of an output. Like controller-gen, it writes nothing if no package
// imports the metadata of objects.
func (o *Output) patches(_ plan.ManifestTarget, f *facts.Facts, diags *diag.List) []written {
	own := slices.DeleteFunc(slices.Clone(f.Sources()), func(src *load.Package) bool { return src.Foreign || o.Within != nil && !o.Within(src.Path) })
	if !slices.ContainsFunc(own, func(src *load.Package) bool { return src.Imports(model.MetaV1) }) {
		return nil
	}
	read := goschema.NewMarkers(f.NewTypeReader(), nil, diags)
	crd.Patch(o.Patch.Templates, read, facts.Define(read, own), o.Patch.Options)
	w := written{owned: func(text []byte) bool { return manifest.Holds(text, "CustomResourceDefinition") }}
	for _, t := range o.Patch.Templates {
		content, err := t.Content()
		if err != nil {
			diags.Errorf(token.Position{Filename: t.File()}, "cannot write this manifest: %v", err)
		}
		w.files = append(w.files, output.File{Path: filepath.Base(t.File()), Content: content})
	}
	return []written{w}
}
