package objects

import (
	"cmp"
	"go/token"
	"maps"
	"path/filepath"
	"slices"

	"github.com/kubegen/kubegen/internal/crd"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/goschema"
	"github.com/kubegen/kubegen/internal/kinds"
	"github.com/kubegen/kubegen/internal/manifest"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/plan"
)

// patch replaces the schemas in the manifests of an output. Like controller-gen, gen-controller writes nothing if no
// package imports the metadata of objects, and all manifests otherwise.
func (o *deriving) patch(_ plan.ManifestTarget, diags *diag.List) []manifests {
	own, named := o.kinds()
	if o.Patch.All && !slices.ContainsFunc(named, func(pkg *kinds.Package) bool { return pkg.Source.Imports(model.MetaV1) }) {
		return nil
	}
	o.nameGates(own)
	templates := o.templates(diags)
	replace := func(respelled map[token.Position]bool, diags *diag.List) {
		read := goschema.NewMarkers(o.types, o.gates(o.Patch.Gates)).Respell(respelled)
		o.Patched = crd.Patch(templates, read, named, o.Patch.Options, diags)
	}
	o.compare(named, func(respelled map[token.Position]bool) (files []crd.File, diags diag.List) {
		replace(respelled, &diags)
		for _, t := range templates {
			content, err := t.Content()
			diags.AddError(err)
			files = append(files, crd.File{Name: t.File(), Content: content})
		}
		return files, diags
	})
	replace(nil, diags)
	*diags = append(*diags, o.types.Refused()...)
	w := manifests{owned: func(text []byte) bool { return manifest.Holds(text, "CustomResourceDefinition") }}
	for _, t := range templates {
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
	o.needPackages(o.Patched.Groups, diags)
	return []manifests{w}
}

// templates returns the manifests whose schemas are replaced: the ones on disk, and in place of them the ones of this
// run that are written before.
func (o *deriving) templates(diags *diag.List) []*crd.Template {
	if !o.Patch.AfterCRDs {
		return o.Patch.Templates
	}
	byFile := map[string]*crd.Template{}
	for _, t := range o.Patch.Templates {
		byFile[t.File()] = t
	}
	for _, m := range o.manifests {
		if m.generator != plan.CRD.Name {
			continue
		}
		for _, file := range m.files {
			name := filepath.Join(m.dir, file.Path)
			if byFile[name] = crd.ReadTemplate(name, file.Content.Bytes(), diags); byFile[name] == nil {
				delete(byFile, name)
			}
		}
	}
	return slices.SortedFunc(maps.Values(byFile), func(a, b *crd.Template) int { return cmp.Compare(a.File(), b.File()) })
}
