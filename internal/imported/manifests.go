package imported

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/parallel"
)

// readManifests reads the CustomResourceDefinitions in files, below directories, and on standard input.
func readManifests(env load.Environment, f *plan.ImportFlags) (definitions []*crd.Definition, diags diag.List) {
	type manifest struct {
		name        string
		read        func() ([]byte, error)
		definitions []*crd.Definition
		diags       diag.List
	}
	var all []*manifest
	for _, name := range f.Manifests {
		if name == plan.Stdin {
			text, err := f.Stdin()
			if err != nil {
				err = diag.Errorf("cannot read standard input: %w", err)
			}
			all = append(all, &manifest{name: env.At("standard input"), read: func() ([]byte, error) { return text, err }})
			continue
		}
		files, err := manifestFiles(env, name)
		if err != nil {
			all = append(all, &manifest{read: func() ([]byte, error) { return nil, err }})
			continue
		}
		for _, file := range files {
			all = append(all, &manifest{name: file, read: func() ([]byte, error) { return load.ReadNamed(file, crd.MaxManifest) }})
		}
	}
	parallel.Each(all, func(m *manifest) {
		text, err := m.read()
		if err != nil {
			m.diags.AddError(err)
			return
		}
		m.definitions, m.diags = crd.ReadComplete(m.name, text)
	})
	for _, m := range all {
		definitions, diags = append(definitions, m.definitions...), append(diags, m.diags...)
	}
	return definitions, diags
}

// manifestFiles returns the manifest files for a name: the file itself, or all files below the directory, sorted.
func manifestFiles(env load.Environment, name string) (files []string, err error) {
	if err := plan.CheckLocal(name); err != nil {
		return nil, err
	}
	at := env.At(name)
	info, err := os.Stat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf(
			"%s does not exist; name files and directories with CustomResourceDefinitions, - for standard input, or Go packages such as "+
				"example.com/api/v1",
			name,
		)
	case err != nil:
		return nil, err
	case !info.IsDir():
		return []string{at}, nil
	}
	err = filepath.WalkDir(at, func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && slices.Contains(plan.ManifestExtensions, filepath.Ext(file)) {
			files, err = append(files, file), load.CheckRegular(file)
		}
		return err
	})
	return files, err
}
