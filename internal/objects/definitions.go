package objects

import (
	"cmp"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/crd"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/goschema"
	"github.com/kubegen/kubegen/internal/kinds"
	"github.com/kubegen/kubegen/internal/manifest"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/plan"
)

// define derives the CustomResourceDefinitions, for each set of feature gates. Manifests of removed kinds in the groups
// of this run, written by an earlier run or controller-gen, are stale.
func (o *deriving) define(_ plan.ManifestTarget, said *diag.List) (all []manifests) {
	own, named := o.kinds()
	o.nameGates(own)
	var of []diag.List
	for _, set := range o.CRDs.Sets {
		options := o.CRDs.Options
		if set.Name != "" {
			options.Header = set.Comment() + "\n" + options.Header
		}
		generate := func(respelled map[token.Position]bool) (found crd.Manifests, diags diag.List) {
			read := goschema.NewMarkers(o.types, o.gates(set.Gates)).Respell(respelled)
			found = crd.Generate(read, named, options, &diags)
			return found, diags
		}
		o.compare(named, func(respelled map[token.Position]bool) ([]crd.File, diag.List) {
			found, diags := generate(respelled)
			return found.Files, diags
		})
		found, diags := generate(nil)
		o.Definitions, of = append(o.Definitions, found), append(of, diags)
		w := manifests{dir: set.Dir, mark: crd.Annotation + ":", stale: found.Stale}
		if o.AnyManifest {
			var contents []byte
			for _, file := range found.Files {
				contents = append(contents, file.Content...)
			}
			w.owned = manifest.Owned(contents, "CustomResourceDefinition")
		}
		// controller-gen prints manifests in the order of kinds
		for _, file := range slices.SortedStableFunc(slices.Values(found.Files), func(a, b crd.File) int { return cmp.Compare(a.Kind(), b.Kind()) }) {
			w.files = append(w.files, output.File{Path: file.Name, Content: output.Held(file.Content)})
		}
		all = append(all, w)
	}
	all = append(all, o.removedSets()...)
	*said = append(o.ofSets(of), o.types.Refused()...)
	o.needPackages(o.Definitions[0].Groups, said)
	return all
}

// removedSets returns the manifests of sets that an earlier run had, which are stale.
func (o *deriving) removedSets() (all []manifests) {
	if o.NoGates || o.Once {
		return nil
	}
	for _, set := range o.CRDs.OtherDirs() {
		all = append(all, manifests{dir: set.Dir, mark: set.Comment(), stale: o.Definitions[0].Stale, vanishes: true})
	}
	return all
}

// gates returns gates that add the names in markers to Gates, or nil if markers of feature gates have no effect.
func (o *deriving) gates(gates markers.Gates) *markers.Gates {
	if o.NoGates {
		return nil
	}
	gates.Named = o.Gates
	return &gates
}

// needPackages adds packages of some groups that the command line does not name to Missing, because each manifest may
// need all packages of its group. If there are any, it removes the diagnostics, because other errors may follow from
// this one.
func (o *deriving) needPackages(groups []string, diags *diag.List) {
	others := slices.DeleteFunc(slices.Clone(o.packages), func(pkg *kinds.Package) bool { return !o.leftOut(pkg) })
	for _, missing := range crd.OfGroups(o.types, groups, others) {
		*diags = nil
		if !slices.Contains(o.Missing, missing.Source.Path) {
			o.Missing = append(o.Missing, missing.Source.Path)
		}
	}
}

// nameGates adds the feature gates in comments of packages to Gates, if --gates is set. The schemas of a set may
// leave out a field with markers in its type.
func (o *deriving) nameGates(packages []*kinds.Package) {
	if len(o.Flags.CRDs.Gates) == 0 {
		return
	}
	for _, pkg := range packages {
		for _, gate := range markers.NamedGates(o.facts.Fset, pkg.Source.Comments()...) {
			o.Gates[gate.Name] = true
		}
	}
}

// ofSets returns the diagnostics of all sets of manifests, each once. The message names the sets if not all have the
// diagnostic.
func (o *deriving) ofSets(of []diag.List) (all diag.List) {
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
