package checks

import (
	"path"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

func unversionedKind(p *Pass) {
	for _, pkg := range p.Packages {
		if !pkg.Internal {
			continue
		}
		declared := kinds.ReadDeclared(p.Types.Loader, pkg.Source).Version
		versioned := model.HasMarker(pkg.Markers, "versionName") || declared != nil && *declared != model.InternalVersion && *declared != "" ||
			declared == nil && model.IsVersion(path.Base(pkg.Source.Path))
		for _, k := range pkg.Kinds {
			tagged := slices.ContainsFunc(k.Fields.List, func(f gotypes.Field) bool { return strings.Contains(string(f.Tag), "json:") })
			meta, ok := k.Fields.Meta("ObjectMeta")
			if !ok || strings.Contains(string(meta.Tag), "json") || !versioned && !tagged {
				continue
			}
			severity, but := diag.Warning, "other fields have tags"
			if versioned {
				severity, but = diag.Error, "its package has a version"
			}
			p.diags.Add(severity, meta.Pos, "ObjectMeta of kind %s has no JSON tag, which makes the kind unversioned, but %s", k.Name(), but).
				Suggest("write %s", objectMeta)
		}
	}
}
