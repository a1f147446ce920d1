package impact

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Between returns breaking changes between two sets of CustomResourceDefinitions, which no Go types need describe. Each
// is the name of a file or directory, "-" for stdin, or REVISION:PATH for a file or directory in a revision of git,
// with a PATH as for git show: relative to the top of the repository, or to the working directory if it begins with ./
// or ../. Manifests of other kinds are skipped; a set without definitions is an error, and so is a definition that is
// in a set twice.
func Between(
	ctx context.Context, env load.Environment, before, after string, stdin func() ([]byte, error),
) (changes []crd.Change, diags diag.List, err error) {
	if before == plan.Stdin && after == plan.Stdin {
		return nil, nil, diag.Errorf("only one of the two sets of manifests can be standard input")
	}
	sets := make([][]*crd.Definition, 2)
	var errs []error
	for i, name := range []string{before, after} {
		set, said, err := definitionsIn(ctx, env, name, stdin)
		if err == nil && len(set) == 0 && !said.HasErrors() {
			err = diag.Errorf("%s has no CustomResourceDefinition", diag.Value(name))
		}
		reportTwice(set, &said)
		sets[i], diags, errs = set, append(diags, said...), append(errs, err)
	}
	for _, d := range sets[1] {
		diags = append(diags, d.CheckWhole()...)
	}
	if err := errors.Join(errs...); err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	changes, mistakes := crd.ManifestsOf(sets[1], sets[0]).Breaking(sets[0])
	return changes, append(diags, mistakes...), nil
}

// reportTwice reports definitions with the same name.
func reportTwice(definitions []*crd.Definition, diags *diag.List) {
	first := map[string]*crd.Definition{}
	for _, d := range definitions {
		if other := first[d.Name()]; other != nil {
			diags.Errorf(d.Group.Pos, "CustomResourceDefinition %s is there twice", d.Name()).WithRelated(other.Group.Pos).
				Suggest("compare one of the manifests")
		} else {
			first[d.Name()] = d
		}
	}
}

// definitionsIn returns the definitions of a set, ordered by file.
func definitionsIn(
	ctx context.Context, env load.Environment, name string, stdin func() ([]byte, error),
) (found []*crd.Definition, diags diag.List, err error) {
	patches := map[string]func(string) bool{} // by directory
	read := func(file, dir string, in func(dir string) crd.Files, text []byte) {
		definitions, said := crd.Read(file, text)
		if len(definitions) == 0 && !strings.Contains(string(text), "CustomResourceDefinition") {
			return // of other kinds, or templates for them
		}
		if patches[dir] == nil && in != nil {
			patches[dir] = crd.ConvertedByPatches(dir, in)
		}
		for _, d := range definitions {
			d.Converted = patches[dir]
		}
		found, diags = append(found, definitions...), append(diags, said...)
	}
	if name == plan.Stdin {
		text, err := stdin()
		if err != nil {
			return nil, nil, diag.Errorf("cannot read standard input: %w", err)
		}
		read(env.At("standard input"), "", nil, text)
		return found, diags, nil
	}
	files, err := plan.ManifestFiles(env, name, true)
	revision, inside, isRevision := strings.Cut(name, ":")
	switch {
	case errors.Is(err, fs.ErrNotExist) && isRevision && revision != "":
		err = inRevision(ctx, env, revision, inside, func(at *Revision, rel string, text []byte) {
			read(revision+":"+rel, filepath.Dir(at.At(rel)), at.In, text)
		})
		return found, diags, err
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, diag.Errorf(
			"%s does not exist; name files or directories of manifests, - for standard input, or REVISION:PATH as in origin/main:config/crd",
			diag.Value(name),
		)
	}
	for _, file := range files {
		var text []byte
		if err == nil {
			text, err = load.ReadNamed(file, crd.MaxManifest)
		}
		read(file, filepath.Dir(file), crd.ManifestIn, text)
	}
	return found, diags, err
}

// inRevision calls read for the manifests at a path of a revision, with their paths from the top of the repository.
func inRevision(ctx context.Context, env load.Environment, rev, inside string, read func(at *Revision, rel string, text []byte)) error {
	at, err := OpenRevision(ctx, env.At("."), rev)
	if err == nil {
		at, err = OpenRevision(ctx, at.At("."), rev) // at the top, of which all paths are below
	}
	if err != nil {
		return err
	}
	dir := at.At(inside)
	if strings.HasPrefix(inside, "./") || strings.HasPrefix(inside, "../") {
		dir = env.At(filepath.FromSlash(inside))
	}
	found := false
	in := func(dir, only string) error {
		root, err := at.path(dir)
		if err != nil {
			return err
		}
		return at.Files(dir, plan.ManifestExtensions, func(rel string, text []byte) {
			if only == "" || rel == only {
				found = true
				read(at, path.Join(root, rel), text)
			}
		})
	}
	if err := in(dir, ""); err != nil || found {
		return err
	}
	if err := in(filepath.Dir(dir), filepath.Base(dir)); err != nil || found {
		return err
	}
	return diag.Errorf("revision %s has no manifests at %s", diag.Value(rev), diag.Value(cmp.Or(inside, ".")))
}
