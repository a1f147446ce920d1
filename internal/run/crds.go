package run

import (
	"slices"

	"github.com/kubegen/kubegen/internal/crd"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/output"
)

// readKinds makes the parser read the kinds that get CustomResourceDefinitions, if the output has any.
func (o *Output) readKinds() func(*gotypes.Reader, []*load.Package) (bool, diag.List) {
	if o.CRDs == nil {
		return nil
	}
	return func(types *gotypes.Reader, packages []*load.Package) (something bool, said diag.List) {
		own := slices.DeleteFunc(slices.Clone(packages), func(src *load.Package) bool { return src.Foreign })
		o.manifests = crd.Generate(types, own, o.CRDs.Options, &said)
		return len(o.manifests.Files) > 0, said
	}
}

// crds returns the tree of CustomResourceDefinitions. Those that a tool has written for a group of this run, and whose kinds are no more,
// are stale.
func (o *Output) crds(store *output.Store) ([]output.Tree, error) {
	if o.CRDs == nil {
		return nil, nil
	}
	const mark = crd.Annotation + ":"
	snapshot, err := store.ReadManifests(o.CRDs.Dir, mark)
	if err != nil {
		return nil, err
	}
	tree := output.Tree{
		Dir: o.CRDs.Dir, Flat: true, Mark: mark, Snapshot: snapshot,
		Stale: func(rel string, _ []string) bool { return slices.Contains(o.manifests.Groups, crd.Group(rel)) },
	}
	for _, file := range o.manifests.Files {
		tree.Files = append(tree.Files, output.File{Path: file.Name, Content: output.TextOf(file.Content)})
	}
	return []output.Tree{tree}, nil
}
