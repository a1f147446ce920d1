package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Maximum sizes in bytes of files named by flags. They protect against files such as /dev/zero.
const (
	maxConfiguration = 1 << 20
	maxHeader        = 1 << 20
	maxTemplate      = 1 << 20
)

// ManifestExtensions are the extensions of manifest files, as in kubectl apply -f.
var ManifestExtensions = []string{".yaml", ".yml", ".json"}

// readManifests reads the CustomResourceDefinitions in the files of a directory, as kubectl apply -f does. The name ""
// means no directory.
func readManifests(e load.Environment, dir string, diags *diag.List) ([]*crd.Definition, error) {
	if dir == "" {
		return nil, nil
	}
	err := CheckLocal(dir)
	var entries []os.DirEntry
	if err == nil {
		entries, err = os.ReadDir(e.At(dir))
	}
	if err != nil {
		return nil, diag.Errorf("%s: %w", diag.Setting("crds"), err)
	}
	var definitions []*crd.Definition
	for _, entry := range entries {
		if entry.IsDir() || !slices.Contains(ManifestExtensions, filepath.Ext(entry.Name())) {
			continue
		}
		name := filepath.Join(e.At(dir), entry.Name())
		var text []byte
		if err = load.CheckRegular(name); err == nil {
			text, err = load.ReadNamed(name, crd.MaxManifest)
		}
		if err != nil {
			return nil, diag.Errorf("%s: %w", diag.Setting("crds"), err)
		}
		found, wrong := crd.Read(name, text)
		definitions, *diags = append(definitions, found...), append(*diags, wrong...)
	}
	if len(definitions) == 0 && !diags.HasErrors() {
		return nil, diag.Errorf("%s: no file in directory %s has a CustomResourceDefinition", diag.Setting("crds"), diag.Value(dir))
	}
	return definitions, nil
}

// readTemplates reads the templates in the directory named by a flag. The name "" means no directory.
func readTemplates(e load.Environment, dir string, all []render.Generator) (*render.Overlay, diag.List, error) {
	if dir == "" {
		return nil, nil, nil
	}
	if info, err := os.Stat(e.At(dir)); err != nil {
		return nil, nil, diag.Errorf("%s: directory %s does not exist", diag.Setting("templates"), diag.Value(dir))
	} else if !info.IsDir() {
		return nil, nil, diag.Errorf("%s: %s is a file; name the directory with templates", diag.Setting("templates"), diag.Value(dir))
	}
	overlay, diags := render.ReadOverlay(templateFS{os.DirFS(e.At(dir))}, e.At(dir), all)
	return overlay, diags, nil
}

// templateFS is the file system of a directory of templates. It limits the size of files.
type templateFS struct{ fs.FS }

// ReadFile implements fs.ReadFileFS.
func (t templateFS) ReadFile(name string) ([]byte, error) {
	info, err := fs.Stat(t.FS, name)
	if err == nil && !info.Mode().IsRegular() {
		err = &load.IrregularError{Name: name, Mode: info.Mode()}
	}
	if err != nil {
		return nil, err
	}
	f, err := t.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return load.ReadBounded(f, name, maxTemplate)
}

// ReadConfiguration reads kubegen.yaml in the directory of the current module or, outside a module, in the current
// directory. It returns the directory and the text, which is nil if there is no such file.
func ReadConfiguration(e load.Environment) (dir string, text []byte, err error) {
	dir, _, ok := e.FindModule(".")
	if !ok {
		dir = e.Dir
	}
	text, err = load.ReadNamed(filepath.Join(dir, ConfigName), maxConfiguration)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		const other = "kubegen.yml"
		if _, err := os.Stat(filepath.Join(dir, other)); err == nil {
			return dir, nil, fmt.Errorf("configuration: %s is not read; rename it to %s", other, ConfigName)
		}
		return dir, nil, nil
	case err != nil:
		return dir, nil, fmt.Errorf("configuration: %w", err)
	}
	return dir, append([]byte{}, text...), nil
}
