package impact

import (
	"context"
	"errors"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"

	generator "github.com/kubegen/kubegen/generators/crd"
	"github.com/kubegen/kubegen/generators/schemapatch"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/run"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// OnManifests returns breaking changes in the CustomResourceDefinitions of outputs since a revision, and reports
// whether the revision has any. It compares all manifests in each output directory, whatever tool wrote them.
func OnManifests(
	ctx context.Context, env load.Environment, rev string, outputs []*run.Output,
) (changes []crd.Change, ok bool, diags diag.List, err error) {
	compare := func(set, dir string, manifests crd.Manifests) error {
		past, said, err := pastManifests(ctx, env, rev, dir)
		if err != nil {
			return err
		}
		breaking, mistakes := manifests.Breaking(past)
		diags = slices.Concat(diags, said, mistakes)
		ok = ok || len(past) > 0
		for _, change := range breaking {
			change.Set = set
			changes = append(changes, change)
		}
		if len(past) == 0 {
			diags.Notef(token.Position{}, "%s has no CustomResourceDefinitions in %s, so none is compared", rev, env.Name(dir))
		}
		return nil
	}
	var errs []error
	for _, o := range outputs {
		for i, manifests := range o.Objects.Definitions {
			set := definitions(o).Sets[i]
			errs = append(errs, compare(set.Name, set.Dir, manifests))
		}
		removed, err := removedSets(ctx, env, rev, o)
		changes, errs = append(changes, removed...), append(errs, err)
		if patch := run.Configured[schemapatch.Generator](o.Request); patch != nil {
			errs = append(errs, compare("", patch.Set.Dir, o.Objects.Patched))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, false, nil, err
	}
	for _, d := range diags { // committed manifests cannot be corrected
		d.Severity = max(d.Severity, diag.Warning)
	}
	return changes, ok, diags, nil
}

// definitions returns the generator of the Objects.Definitions of an output.
func definitions(o *run.Output) *generator.Generator {
	return run.Configured[generator.Generator](o.Request)
}

// removedSets returns the CustomResourceDefinitions that a revision has for sets of feature gates which an output no
// longer writes.
func removedSets(ctx context.Context, env load.Environment, rev string, o *run.Output) (changes []crd.Change, err error) {
	if len(o.Objects.Definitions) == 0 || o.Plan.NoGates || o.HasOwnGates() {
		return nil, nil
	}
	dir := definitions(o).ParentOfSets()
	at, err := OpenRevision(ctx, dir, rev)
	if err != nil {
		return nil, err
	}
	none := crd.Manifests{Groups: o.Objects.Definitions[0].Groups}
	err = at.Files(dir, plan.ManifestExtensions, func(rel string, content []byte) {
		name, file, _ := strings.Cut(rel, "/")
		set, ok := definitions(o).OtherDir(name)
		if !ok || !gofile.HasMark(content, set.Comment()) || !o.Objects.Definitions[0].Stale(file, content) {
			return
		}
		past, _ := crd.Read(rev+":"+path.Join(env.Name(dir), rel), content)
		for _, change := range none.Removed(past) {
			change.Set = name
			changes = append(changes, change)
		}
	})
	return changes, err
}

// pastManifests returns the CustomResourceDefinitions in a directory at a revision.
func pastManifests(ctx context.Context, env load.Environment, rev, dir string) (past []*crd.Definition, diags diag.List, err error) {
	at, err := OpenRevision(ctx, dir, rev)
	if err != nil {
		return nil, nil, err
	}
	converted := crd.ConvertedByPatches(dir, at.In)
	err = at.Files(dir, plan.ManifestExtensions, func(rel string, content []byte) {
		if !strings.Contains(rel, "/") {
			found, wrong := crd.Read(rev+":"+path.Join(env.Name(dir), rel), content)
			for _, d := range found {
				d.Converted = converted
			}
			past, diags = append(past, found...), append(diags, wrong...)
		}
	})
	return past, diags, err
}

// RemovedKinds warns if planned changes remove CustomResourceDefinitions or versions. The arguments may lack a package
// of the group.
func RemovedKinds(outputs []*run.Output, changes []output.Change) (diags diag.List) {
	for _, change := range changes {
		for _, o := range outputs {
			for i, manifests := range o.Objects.Definitions {
				if filepath.Dir(change.Path) != filepath.Clean(definitions(o).Sets[i].Dir) || change.Old == nil {
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
