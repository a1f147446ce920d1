// This file derives the objects that a cluster needs for an API from facts, such as CustomResourceDefinitions and
// roles. It runs each generator of manifests in a plan, and holds the manifests in memory.

package run

import (
	"bytes"
	"cmp"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// Objects are the objects of an output. The zero Objects has none.
type Objects struct {
	crd.Found
	manifests []manifests
}

// manifests are the manifests of a generator in a directory, and its earlier ones.
type manifests struct {
	output.Tree
	ext     string         // of file names
	markers []model.Marker // in comments of files
	// of reports whether a marker determines an object. It is nil for manifests without such markers.
	of func(model.Marker, yamltext.ManifestObject) bool
}

// deriveObjects derives the objects of an output from facts without errors. It returns diagnostics about the objects.
func (r *Request) deriveObjects(f *facts.Facts) (o Objects, said diag.List) {
	o.Found = crd.NewFound()
	types, all := f.Objects()
	read := render.Kinds{Types: types, All: all, Named: slices.DeleteFunc(slices.Clone(all), func(pkg *kinds.Package) bool {
		return r.Within != nil && !r.Within(pkg.Source.Path)
	})}
	options := render.Options{Options: r.Plan.Options}
	var trees []output.Tree
	for _, t := range r.Manifests {
		marked := withGenerated(trees, f.FileMarkers(t.Info().Needs.Markers), t.Info().Needs.Markers)
		in := &render.Input{
			Dir: t.Dir, Options: &options, Header: t.Header, Markers: marked, Kinds: read,
			Earlier: trees, Complete: r.coversModule, Covers: r.Plan.Covers(""), Once: r.HasOwnGates(),
		}
		var made []output.Tree
		var found crd.Found
		var diags diag.List
		switch g := t.Generator.(type) {
		case render.Definer:
			made, found, diags = g.Define(in)
		case render.ObjectGenerator:
			made, diags = g.Generate(in)
		}
		o.Add(found)
		said = slices.Concat(said, marked.Mistakes, diags)
		for _, tree := range made {
			tree.Generator, tree.Flat = t.Info().Name, true
			m := manifests{Tree: tree, ext: cmp.Or(t.Info().Manifests.Ext, ".yaml"), markers: slices.Concat(marked.Found...)}
			if reader, ok := t.Generator.(render.MarkerReader); ok {
				m.of = reader.Determines
			}
			o.manifests, trees = append(o.manifests, m), append(trees, tree)
		}
	}
	return o, said
}

// withGenerated returns the markers that were read, with those in the Go files of trees in place of the ones in earlier
// versions of these files.
func withGenerated(trees []output.Tree, read *markers.InFiles, effect markers.Effect) *markers.InFiles {
	all, fset, texts := *read, token.NewFileSet(), markers.Texts(effect)
	for _, tree := range trees {
		for _, file := range tree.Files {
			hasText := func(text string) bool { return bytes.Contains(file.Content, []byte(text)) }
			if path.Ext(file.Path) != ".go" || !slices.ContainsFunc(texts, hasText) {
				continue
			}
			name := tree.At(file.Path)
			parsed, err := parser.ParseFile(fset, name, file.Content, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				continue // its generator reports it
			}
			lines, _ := markers.OfFile(fset, parsed, effect)
			found, _ := markers.ReadFile(lines, effect)
			all.Found = append([][]model.Marker{found}, all.Found...)
			for i, others := range all.Found[1:] {
				all.Found[i+1] = slices.DeleteFunc(slices.Clone(others), func(m model.Marker) bool { return m.Pos.Filename == name })
			}
		}
	}
	return &all
}

// coversModule reports whether the packages of the output include all packages of the module that has kubegen.yaml or
// the current directory.
func (r *Request) coversModule() bool {
	_, module, ok := r.Plan.FindModule(".")
	covers := r.Plan.Covers("")
	return ok && covers(module) && covers(module+"/any")
}

// WrittenBy reports whether the generator with a name, or any generator if it is "", writes files.
func (o *Objects) WrittenBy(generator string) bool {
	return slices.ContainsFunc(o.manifests, func(m manifests) bool {
		return len(m.Files) > 0 && (generator == "" || m.Generator == generator)
	})
}

// Trees returns the files of all manifests. With keepStale, no files of earlier runs are stale.
func (o *Objects) Trees(disk *output.Disk, keepStale bool) (trees []output.Tree, err error) {
	for _, m := range o.manifests {
		tree := m.Tree
		tree.Snapshot, err = disk.ReadOthers(m.Dir, m.ext, gofile.ToolMark{Line: m.Mark})
		switch {
		case m.Vanishes && (err != nil || len(tree.Snapshot.Generated()) == 0): // any other directory
			continue
		case err != nil:
			return nil, err
		}
		if keepStale {
			tree.Stale = nil
		}
		trees = append(trees, tree)
	}
	return trees, nil
}

// FromMarkers returns the manifests that markers in comments of files determine.
func (o *Objects) FromMarkers(env load.Environment) (all []Manifest) {
	for _, m := range o.manifests {
		for _, file := range m.Files {
			if m.of == nil {
				continue
			}
			listed := Manifest{Generator: m.Generator, File: env.Name(m.At(file.Path))}
			for _, object := range yamltext.ManifestObjects(file.Content) {
				one := Object{Kind: object.Kind, Namespace: object.Namespace, Name: object.Name}
				for _, found := range m.markers {
					if m.of(found, object) {
						text := "+" + found.Name + ":" + strings.TrimPrefix(found.Text, ":")
						one.From = append(one.From, listSource(model.Source{Kind: model.FromMarker, Text: text, Pos: found.Pos}, env.Dir))
					}
				}
				listed.Objects = append(listed.Objects, one)
			}
			all = append(all, listed)
		}
	}
	return all
}
