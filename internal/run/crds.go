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
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/naming"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/plan"
)

// crds derives the CustomResourceDefinitions of an output, for each set of feature gates. Manifests of removed kinds in
// the groups of this run, written by an earlier run or controller-gen, are stale.
func (o *Output) crds(_ plan.ManifestTarget, f *facts.Facts, said *diag.List) (all []written) {
	o.manifests = nil
	own, named := o.ownPackages(f)
	o.nameGates(f.Fset, own)
	types := f.NewTypeReader()
	var of []diag.List
	for _, set := range o.CRDs.Sets {
		var diags diag.List
		read := goschema.NewMarkers(types, o.gates(set.Gates), &diags)
		options := o.CRDs.Options
		if set.Name != "" {
			options.Header = set.Comment() + "\n" + options.Header
		}
		manifests := crd.Generate(read, facts.Define(read, named), options)
		o.manifests, of = append(o.manifests, manifests), append(of, diags)
		w := written{dir: set.Dir, mark: crd.Annotation + ":", stale: manifests.Stale}
		if o.AnyManifest {
			w.owned = func(text []byte) bool { return manifest.Holds(text, "CustomResourceDefinition") }
		}
		// controller-gen prints manifests in the order of kinds
		for _, file := range slices.SortedStableFunc(slices.Values(manifests.Files), func(a, b crd.File) int { return cmp.Compare(a.Kind(), b.Kind()) }) {
			w.files = append(w.files, output.File{Path: file.Name, Content: output.Held(file.Content)})
		}
		all = append(all, w)
	}
	all = append(all, o.removedSets()...)
	*said = o.ofSets(of)
	o.needPackages(f, o.manifests[0].Groups, own, said)
	return all
}

// removedSets returns the manifests of sets that an earlier run had, which are stale. Sets on the command line in place
// of those in kubegen.yaml are for one run, and remove none.
func (o *Output) removedSets() (all []written) {
	if o.NoGates || o.From != nil && o.Given["gates"] {
		return nil
	}
	for _, set := range o.CRDs.OtherDirs() {
		all = append(all, written{dir: set.Dir, mark: set.Comment(), stale: o.manifests[0].Stale, vanishes: true})
	}
	return all
}

// ownPackages returns the packages whose kinds may have manifests, and the ones among them that the command line names.
func (o *Output) ownPackages(f *facts.Facts) (own, named []*load.Package) {
	own = slices.DeleteFunc(slices.Clone(f.Sources()), func(src *load.Package) bool { return src.Foreign })
	return own, slices.DeleteFunc(slices.Clone(own), func(src *load.Package) bool { return o.Within != nil && !o.Within(src.Path) })
}

// gates returns gates that add the names in markers to namedGates, or nil if markers of feature gates have no effect.
func (o *Output) gates(gates markers.Gates) *markers.Gates {
	if o.NoGates {
		return nil
	}
	gates.Named = o.namedGates
	return &gates
}

// needPackages reports only that packages are missing, if the command line names some packages with kinds of the groups
// and not all. Other errors may follow from this one.
func (o *Output) needPackages(f *facts.Facts, groups []string, own []*load.Package, diags *diag.List) {
	if missing := o.missing(f, groups, own); len(missing) > 0 {
		*diags = nil
		o.reportMissing("the manifests of a group need all its packages", missing, diags)
	}
}

// nameGates adds the feature gates in comments of packages to namedGates, if --gates is set. The schemas of a set may
// leave out a field with markers in its type.
func (o *Output) nameGates(fset *token.FileSet, packages []*load.Package) {
	if len(o.Flags.CRDs.Gates) == 0 {
		return
	}
	for _, src := range packages {
		for _, gate := range markers.NamedGates(fset, src.Comments()...) {
			o.namedGates[gate.Name] = true
		}
	}
}

// ofSets returns the diagnostics of all sets of manifests, each once. The message names the sets if not all have the
// diagnostic.
func (o *Output) ofSets(of []diag.List) (all diag.List) {
	if len(of) == 1 {
		return of[0]
	}
	for i, diags := range of {
		for _, d := range diags {
			same := func(other *diag.Diagnostic) bool { return other.Equal(d) }
			var sets []string
			for j, others := range of {
				switch {
				case !slices.ContainsFunc(others, same):
				case o.CRDs.Sets[j].Name == "":
					sets = append(sets, filepath.Base(o.CRDs.Sets[j].Dir))
				default:
					sets = append(sets, o.CRDs.Sets[j].Name)
				}
			}
			if slices.ContainsFunc(of[:i], func(earlier diag.List) bool { return slices.ContainsFunc(earlier, same) }) {
				continue
			}
			named := *d
			if len(sets) < len(of) {
				named.SetMessage("in the manifests of %s: %s", strings.Join(sets, ", "), d.Message)
			}
			all = append(all, &named)
		}
	}
	return all
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
			maps.Copy(all, o.servedByOwn())
		}
	}
	return all
}

// servedByOwn returns how the manifests of the output serve kinds. For a kind in several sets of manifests, the first
// one counts.
func (o *Output) servedByOwn() map[model.TypeRef]*naming.Served {
	all := map[model.TypeRef]*naming.Served{}
	for _, m := range slices.Backward(o.manifests) {
		maps.Copy(all, m.Served())
	}
	return all
}

// CompareManifests returns breaking changes in the CustomResourceDefinitions of outputs since a revision, and reports
// whether the revision has any. It compares all manifests in each output directory, whatever tool wrote them.
func (r *Run) CompareManifests(ctx context.Context, rev string, outputs []*Output) (changes []crd.Change, ok bool, diags diag.List, err error) {
	for _, o := range outputs {
		for i, manifests := range o.manifests {
			set := o.CRDs.Sets[i]
			past, said, err := r.pastManifests(ctx, rev, set.Dir)
			if err != nil {
				return nil, false, nil, err
			}
			diags = append(diags, said...)
			ok = ok || len(past) > 0
			for _, change := range manifests.Breaking(past, &diags) {
				change.Set = set.Name
				changes = append(changes, change)
			}
			if len(past) == 0 {
				diags.Notef(token.Position{}, "%s has no CustomResourceDefinitions in %s, so none is compared", rev, r.Env.Name(set.Dir))
			}
		}
	}
	for _, d := range diags { // committed manifests cannot be corrected
		d.Severity = max(d.Severity, diag.Warning)
	}
	return changes, ok, diags, nil
}

// pastManifests returns the CustomResourceDefinitions in a directory at a revision.
func (r *Run) pastManifests(ctx context.Context, rev, dir string) (past []*crd.Definition, diags diag.List, err error) {
	at, err := gitrev.Open(ctx, dir, rev)
	if err != nil {
		return nil, nil, err
	}
	err = at.Files(dir, plan.ManifestExtensions, func(rel string, content []byte) {
		if !strings.Contains(rel, "/") {
			found, wrong := crd.Read(rev+":"+path.Join(r.Env.Name(dir), rel), content)
			past, diags = append(past, found...), append(diags, wrong...)
		}
	})
	return past, diags, err
}

// RemovedKinds warns if planned changes remove CustomResourceDefinitions or versions. The arguments may lack a package
// of the group.
func RemovedKinds(outputs []*Output, changes []output.Change) (diags diag.List) {
	for _, change := range changes {
		for _, o := range outputs {
			for i, manifests := range o.manifests {
				if filepath.Dir(change.Path) != filepath.Clean(o.CRDs.Sets[i].Dir) || change.Old == nil {
					continue
				}
				past, _ := crd.Read(change.Path, change.Old) // unreadable manifests have nothing to lose
				for _, removed := range manifests.Removed(past) {
					diags.Warnf(removed.Formerly, "CustomResourceDefinition %s: %s", removed.Name, removed.What).
						Suggest("name all packages of the group if it is not meant to go")
				}
			}
		}
	}
	return diags
}
