// Package objects derives the objects that a cluster needs for an API from facts: CustomResourceDefinitions, roles and
// the configurations of admission webhooks. It writes them as manifests in memory, for each generator of manifests in a
// plan.
package objects

import (
	"cmp"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/crd"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/genmark"
	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/kinds"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/manifest"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/plan"
)

// Request determines the objects of an output.
type Request struct {
	*plan.Plan
	// Within reports whether the command line names a package. It is nil if the command line names none.
	Within func(importPath string) bool
	// Once means that the feature gates of the plan are for this run only, and manifests of other runs remain.
	Once bool
}

// Objects are the objects of an output. The zero Objects has none.
type Objects struct {
	// Definitions are the CustomResourceDefinitions, for each of the sets in the plan.
	Definitions []crd.Manifests
	// Patched are the CustomResourceDefinitions whose schemas are replaced.
	Patched crd.Manifests
	// Gates are the feature gates that markers name.
	Gates map[string]bool
	// Harmless has the positions of misspelled markers. It is true where the manifests are the same without the mistake.
	Harmless map[token.Position]bool
	// Missing are the packages that Request.Within excludes and whose kinds belong in these manifests.
	Missing []string

	manifests []manifests
}

// manifests are the manifests of a generator in a directory, and its earlier ones.
type manifests struct {
	dir, generator string // set by Derive, which keeps a directory
	files          []output.File
	mark           string                              // as in output.Tree
	owned          func(text []byte) bool              // as in output.Tree
	stale          func(name string, text []byte) bool // reports whether an earlier file is left over; nil for none
	vanishes       bool                                // as in output.Tree

	markers []model.Marker // in comments of files
	// of reports whether a marker determines an object. It is nil for manifests without such markers.
	of func(model.Marker, manifest.Object) bool
}

// deriving is the state of Derive.
type deriving struct {
	Request
	*Objects
	facts    *facts.Facts
	types    *gotypes.Reader  // nil before packages is set
	packages []*kinds.Package // see kinds
}

// kinds returns the packages whose kinds may have manifests, and the ones among them that the command line names. It
// reads their kinds once.
func (o *deriving) kinds() (own, named []*kinds.Package) {
	if o.types == nil {
		own := slices.DeleteFunc(slices.Clone(o.facts.Sources()), func(src *load.Package) bool { return src.Foreign })
		o.types = o.facts.NewTypeReader()
		o.packages = facts.Served(o.types, own)
	}
	return o.packages, slices.DeleteFunc(slices.Clone(o.packages), o.leftOut)
}

// leftOut reports whether the command line leaves out a package.
func (o *deriving) leftOut(pkg *kinds.Package) bool {
	return o.Within != nil && !o.Within(pkg.Source.Path)
}

// generators has a function for each generator of manifests, which derives these from facts without errors.
var generators = map[*plan.ManifestGenerator]func(*deriving, plan.ManifestTarget, *diag.List) []manifests{
	plan.CRD:  (*deriving).define,
	plan.RBAC: (*deriving).roles, plan.Webhook: (*deriving).webhooks, plan.SchemaPatch: (*deriving).patch,
}

// Derive derives the objects of an output from facts without errors. It returns diagnostics about the objects.
func Derive(request Request, f *facts.Facts) (Objects, diag.List) {
	d := &deriving{Request: request, Objects: &Objects{Gates: map[string]bool{}, Harmless: map[token.Position]bool{}}, facts: f}
	var said diag.List
	for _, t := range d.ManifestTargets {
		var diags diag.List
		for _, m := range generators[t.ManifestGenerator](d, t, &diags) {
			m.dir, m.generator = cmp.Or(m.dir, t.Dir), t.Name
			m.markers = slices.Concat(f.FileMarkers(t.Reads).Found...)
			d.manifests = append(d.manifests, m)
		}
		said = append(said, diags...)
	}
	d.types, d.packages = nil, nil // functions of manifests may keep d
	return *d.Objects, said
}

// WrittenBy reports whether a generator, or any generator if it is nil, writes files.
func (o *Objects) WrittenBy(g *plan.ManifestGenerator) bool {
	return slices.ContainsFunc(o.manifests, func(m manifests) bool {
		return len(m.files) > 0 && (g == nil || m.generator == g.Name)
	})
}

// Trees returns the files of all manifests. With keepStale, no files of earlier runs are stale.
func (o *Objects) Trees(disk *output.Disk, keepStale bool) (trees []output.Tree, err error) {
	for _, m := range o.manifests {
		snapshot, err := disk.ReadManifests(m.dir, genmark.Mark{Line: m.mark})
		switch {
		case m.vanishes && (err != nil || len(snapshot.Generated()) == 0): // any other directory
			continue
		case err != nil:
			return nil, err
		}
		tree := output.Tree{Dir: m.dir, Generator: m.generator, Flat: true, Mark: m.mark, Owned: m.owned, Files: m.files, Vanishes: m.vanishes, Snapshot: snapshot}
		if !keepStale && m.stale != nil {
			tree.Stale = func(rel string) bool { return m.stale(rel, snapshot.Top(rel)) }
		}
		trees = append(trees, tree)
	}
	return trees, nil
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

// FromMarkers returns the manifests that markers in comments of files determine.
func (o *Objects) FromMarkers() (all []FromMarkers) {
	for _, m := range o.manifests {
		for _, file := range m.files {
			if m.of == nil {
				continue
			}
			from := FromMarkers{Generator: m.generator, Path: filepath.Join(m.dir, file.Path)}
			for _, object := range manifest.Objects(file.Content.Bytes()) {
				marked := MarkedObject{Object: object}
				for _, found := range m.markers {
					if m.of(found, object) {
						text := "+" + found.Name + ":" + strings.TrimPrefix(found.Text, ":")
						marked.From = append(marked.From, model.Source{Kind: model.FromMarker, Text: text, Pos: found.Pos})
					}
				}
				from.Objects = append(from.Objects, marked)
			}
			all = append(all, from)
		}
	}
	return all
}
