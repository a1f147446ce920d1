package run

import (
	"cmp"
	"context"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/crd"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/gitrev"
	"github.com/kubegen/kubegen/internal/goschema"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/manifest"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/naming"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/plan"
)

// crds derives the CustomResourceDefinitions of an output. Manifests of removed kinds in the groups of this run are
// stale if an earlier run or controller-gen wrote them.
func (o *Output) crds(f *facts.Facts, said *diag.List) written {
	read := goschema.NewMarkers(f.NewTypeReader(), nil, said)
	own := slices.DeleteFunc(slices.Clone(f.Sources()), func(src *load.Package) bool { return src.Foreign })
	named := slices.DeleteFunc(slices.Clone(own), func(src *load.Package) bool { return o.Within != nil && !o.Within(src.Path) })
	definitions := facts.Define(read, named)
	o.manifests = crd.Generate(read, definitions, o.CRDs.Options)
	if missing := o.missing(f, definitions.Groups, own); len(missing) > 0 { // other errors may follow from this one
		*said = nil
		o.reportMissing("the manifests of a group need all its packages", missing, said)
	}
	w := written{mark: crd.Annotation + ":", stale: o.manifests.Stale}
	if o.AnyManifest {
		w.owned = func(text []byte) bool { return manifest.Holds(text, "CustomResourceDefinition") }
	}
	// controller-gen prints manifests in the order of kinds
	for _, file := range slices.SortedStableFunc(slices.Values(o.manifests.Files), func(a, b crd.File) int { return cmp.Compare(a.Kind(), b.Kind()) }) {
		w.files = append(w.files, output.File{Path: file.Name, Content: file.Content})
	}
	return w
}

// missing returns the packages with kinds of some groups that the command line does not name. Each manifest may need
// all packages of its group.
func (o *Output) missing(f *facts.Facts, groups []string, own []*load.Package) (paths []string) {
	if o.Within == nil {
		return nil
	}
	read := goschema.NewMarkers(f.NewTypeReader(), nil, &diag.List{})
	for _, src := range own {
		if o.Within(src.Path) {
			continue
		}
		isMissing := func(k *facts.Definition) bool {
			return slices.Contains(groups, k.Group) && slices.ContainsFunc(k.Versions, func(v facts.DefinedVersion) bool { return !v.Skipped() })
		}
		if slices.ContainsFunc(facts.Define(read, []*load.Package{src}).Kinds, isMissing) {
			paths = append(paths, src.Path)
		}
	}
	return paths
}

// served returns the kinds for which other outputs write manifests, as far as these outputs are prepared.
func (r *Run) served(by *Output) map[model.TypeRef]*naming.Served {
	all := map[model.TypeRef]*naming.Served{}
	for _, o := range r.withManifests {
		if o != by {
			maps.Copy(all, o.manifests.Served())
		}
	}
	return all
}

// CompareManifests returns breaking changes in the CustomResourceDefinitions of outputs since a revision, and reports
// whether the revision has any. It compares all manifests in the output directories, whatever tool wrote them.
func (r *Run) CompareManifests(ctx context.Context, rev string, outputs []*Output) (changes []crd.Change, ok bool, diags diag.List, err error) {
	for _, o := range outputs {
		if o.CRDs == nil {
			continue
		}
		at, err := gitrev.Open(ctx, o.CRDs.Dir, rev)
		if err != nil {
			return nil, false, nil, err
		}
		var past []*crd.Definition
		err = at.Files(o.CRDs.Dir, plan.ManifestExtensions, func(rel string, content []byte) {
			if !strings.Contains(rel, "/") {
				found, wrong := crd.Read(rev+":"+path.Join(r.Env.Name(o.CRDs.Dir), rel), content)
				past, diags = append(past, found...), append(diags, wrong...)
			}
		})
		if err != nil {
			return nil, false, nil, err
		}
		ok = ok || len(past) > 0
		changes = append(changes, o.manifests.Breaking(past, &diags)...)
		for _, d := range diags { // committed manifests cannot be corrected
			d.Severity = max(d.Severity, diag.Warning)
		}
		if len(past) == 0 {
			diags.Notef(token.Position{}, "%s has no CustomResourceDefinitions in %s, so none is compared", rev, r.Env.Name(o.CRDs.Dir))
		}
	}
	return changes, ok, diags, nil
}

// RemovedKinds warns if planned changes remove CustomResourceDefinitions or versions. The arguments may lack a package
// of the group.
func RemovedKinds(outputs []*Output, changes []output.Change) (diags diag.List) {
	for _, change := range changes {
		for _, o := range outputs {
			if o.CRDs == nil || filepath.Dir(change.Path) != filepath.Clean(o.CRDs.Dir) || change.Old == nil {
				continue
			}
			past, _ := crd.Read(change.Path, change.Old) // unreadable manifests have nothing to lose
			for _, removed := range o.manifests.Removed(past) {
				diags.Warnf(removed.Formerly, "CustomResourceDefinition %s: %s", removed.Name, removed.What).
					Suggest("name all packages of the group if it is not meant to go")
			}
		}
	}
	return diags
}
