package run

import (
	"bytes"
	"context"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// readModule reads the CustomResourceDefinitions below the directory of a module, or below another import path in it.
// Files that are not manifests, such as templates of these, do not matter.
func readModule(ctx context.Context, modules *load.Modules, importPath string) (definitions []*crd.Definition, diags diag.List) {
	dir, module := modules.DirOf(ctx, importPath)
	switch {
	case module == "":
		diags.Errorf(token.Position{}, "%s: %s does not exist, and no required module contains it", diag.Setting("crds"), diag.Value(importPath)).
			Suggest("run go get with the path of the module that contains it")
		return nil, diags
	case dir == "":
		diags.Errorf(token.Position{}, "%s: module %s is not downloaded", diag.Setting("crds"), module).Run("go mod download %s", module)
		return nil, diags
	}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		base := filepath.Base(name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != dir && (base[0] == '.' || base == "testdata" || base == "vendor" || base == "node_modules"):
			return fs.SkipDir
		case !entry.Type().IsRegular() || !slices.Contains(plan.ManifestExtensions, filepath.Ext(base)):
			return nil
		}
		text, err := load.ReadNamed(name, crd.MaxManifest)
		if err != nil || !bytes.Contains(text, []byte("CustomResourceDefinition")) {
			return err
		}
		found, _ := crd.Read(name, text)
		definitions = append(definitions, found...)
		return nil
	})
	if err == nil && len(definitions) == 0 {
		err = diag.Errorf("%s: no file of %s has a CustomResourceDefinition", diag.Setting("crds"), diag.Value(importPath))
	}
	diags.AddError(err)
	return definitions, diags
}
