package run

import (
	"bytes"
	"context"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/crd"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/input"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/plan"
)

// readModule reads the CustomResourceDefinitions below the directory of a module, or below another import path in it.
// Files that are not manifests, such as templates of these, do not matter.
func (o *Output) readModule(ctx context.Context, l *load.Loader) (diags diag.List) {
	if o.Module == "" || o.ofModule != nil {
		return nil
	}
	importPath := strings.TrimSuffix(o.Module, "/...")
	dir, module := l.Modules.DirOf(ctx, importPath)
	switch {
	case module == "":
		diags.Errorf(token.Position{}, "%s: %s does not exist, and no required module contains it", diag.Setting("crds"), importPath).Suggest("run go get %s@latest", importPath)
		return diags
	case dir == "":
		diags.Errorf(token.Position{}, "%s: module %s is not downloaded", diag.Setting("crds"), module).Suggest("run go mod download %s", module)
		return diags
	}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		base := filepath.Base(name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != dir && (strings.HasPrefix(base, ".") || slices.Contains([]string{"testdata", "vendor", "node_modules"}, base)):
			return fs.SkipDir
		case !entry.Type().IsRegular() || !slices.Contains(plan.ManifestExtensions, filepath.Ext(base)):
			return nil
		}
		text, err := input.Named(name, plan.MaxManifest)
		if err != nil || !bytes.Contains(text, []byte("CustomResourceDefinition")) {
			return err
		}
		found, _ := crd.Read(name, text)
		o.ofModule = append(o.ofModule, found...)
		return nil
	})
	if err == nil && len(o.ofModule) == 0 {
		err = diag.Errorf("%s: no file of %s has a CustomResourceDefinition", diag.Setting("crds"), importPath)
	}
	diags.AddError(err)
	return diags
}

// served adds the manifests named by --crds to the description of an import.
func (o *Output) served(imported *facts.Import) *facts.Import {
	if imported == nil {
		return nil
	}
	all := *imported
	all.Served = crd.ServedBy(slices.Concat(o.Manifests, o.ofModule))
	return &all
}

// compare reports differences between the kinds of an API and the manifests named by --crds. Kinds of imported packages
// follow these.
func (o *Output) compare(api *model.API) diag.List {
	if o.Import != nil {
		api = api.Select(func(v *model.Version) bool {
			return slices.ContainsFunc(v.Packages, func(pkg *model.Package) bool { return !pkg.Foreign })
		})
	}
	return crd.Compare(api, slices.Concat(o.Manifests, o.ofModule))
}
