package imported

import (
	"errors"
	"fmt"
	"io/fs"

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
		files, err := plan.ManifestFiles(env, name, true)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf(
				"%s does not exist; name files and directories with CustomResourceDefinitions, - for standard input, or Go packages such as "+
					"example.com/api/v1",
				name,
			)
		}
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
