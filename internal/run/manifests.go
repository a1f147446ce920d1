package run

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/genmark"
	"github.com/kubegen/kubegen/internal/manifest"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/plan"
)

// written are the manifests of a generator in a directory, and its earlier ones.
type written struct {
	dir, generator string // set by readManifests, which keeps a directory
	files          []output.File
	mark           string                              // as in output.Tree
	owned          func(text []byte) bool              // as in output.Tree
	stale          func(name string, text []byte) bool // reports whether an earlier file is left over; nil for none
	vanishes       bool                                // as in output.Tree

	markers []model.Marker // in comments of files
	// of reports whether a marker determines an object. It is nil for manifests without such markers.
	of func(model.Marker, manifest.Object) bool
}

// FromMarkers is a file of manifests that markers in comments of files determine.
type FromMarkers struct {
	Generator, Path string
	Objects         []MarkedObject
}

// MarkedObject is an object with the markers that determine it.
type MarkedObject struct {
	manifest.Object
	From []model.Source
}

// FromMarkers returns the manifests of the output that markers in comments of files determine.
func (o *Output) FromMarkers() (all []FromMarkers) {
	for _, w := range o.written {
		for _, file := range w.files {
			if w.of == nil {
				continue
			}
			m := FromMarkers{Generator: w.generator, Path: filepath.Join(w.dir, file.Path)}
			for _, object := range manifest.Objects(file.Content.Bytes()) {
				marked := MarkedObject{Object: object}
				for _, found := range w.markers {
					if w.of(found, object) {
						text := "+" + found.Name + ":" + strings.TrimPrefix(found.Text, ":")
						marked.From = append(marked.From, model.Source{Kind: model.FromMarker, Text: text, Pos: found.Pos})
					}
				}
				m.Objects = append(m.Objects, marked)
			}
			all = append(all, m)
		}
	}
	return all
}

// manifestsOf has a function for each generator of manifests, which derives these from facts without errors.
var manifestsOf = map[*plan.ManifestGenerator]func(*Output, plan.ManifestTarget, *facts.Facts, *diag.List) []written{
	plan.CRD:  (*Output).crds,
	plan.RBAC: (*Output).roles, plan.Webhook: (*Output).webhooks, plan.SchemaPatch: (*Output).patches,
}

// readManifests derives the manifests that the output writes from the facts, unless these have errors. It returns the
// diagnostics about the manifests.
func (o *Output) readManifests(f *facts.Facts) (said diag.List) {
	o.written, o.namedGates = nil, map[string]bool{}
	if f.HasErrors() {
		return nil
	}
	for _, t := range o.ManifestTargets {
		var diags diag.List
		for _, w := range manifestsOf[t.ManifestGenerator](o, t, f, &diags) {
			w.dir, w.generator = cmp.Or(w.dir, t.Dir), t.Name
			w.markers = slices.Concat(f.FileMarkers(t.Reads).Found...)
			o.written = append(o.written, w)
		}
		said = append(said, diags...)
	}
	return said
}

// writesManifests reports whether any generator has manifests.
func (o *Output) writesManifests() bool {
	for _, w := range o.written {
		if len(w.files) > 0 {
			return true
		}
	}
	return false
}

// manifestTrees returns the trees of manifests.
func (o *Output) manifestTrees() (trees []output.Tree, err error) {
	for _, w := range o.written {
		snapshot, err := o.disk.ReadManifests(w.dir, genmark.Mark{Line: w.mark})
		switch {
		case w.vanishes && (err != nil || len(snapshot.Generated()) == 0): // any other directory
			continue
		case err != nil:
			return nil, err
		}
		tree := output.Tree{Dir: w.dir, Generator: w.generator, Flat: true, Mark: w.mark, Owned: w.owned, Files: w.files, Vanishes: w.vanishes, Snapshot: snapshot}
		if !o.KeepStale && w.stale != nil {
			tree.Stale = func(rel string) bool { return w.stale(rel, snapshot.Top(rel)) }
		}
		trees = append(trees, tree)
	}
	return trees, nil
}
