package applyconfiguration

import (
	"cmp"
	"maps"
	"slices"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Read reads the types of the fields of all kinds with apply verbs, and the input types of their apply methods. It
// reports the fields that apply configurations omit.
func Read(r model.Reader, opts *render.Options) (model.Types, diag.List) {
	var roots, inputs, others, applied []model.TypeRef
	for _, kind := range r.Kinds() {
		if kind.IsRoot() {
			roots = append(roots, kind.Type())
		} else {
			others = append(others, kind.Type())
		}
		for _, m := range kind.Methods {
			switch {
			case m.Verb != model.VerbApply || m.Input == kind.Type() || kind.Package.Off(model.ApplySwitch):
			case m.Input.Path == kind.Package.Path:
				inputs = append(inputs, m.Input)
			default:
				roots, applied = append(roots, m.Input), append(applied, m.Input)
			}
		}
	}
	types := model.Types{All: r.Structs(roots...)}
	more := r.Structs(inputs...)
	external := map[model.TypeRef]bool{}
	if opts.Policy.UnusedExternals {
		externals := externalsIn(r.Packages(), opts)
		for _, t := range externals {
			external[t] = true
		}
		unused := r.Structs(externals...)
		for _, s := range unused {
			s.External = external[s.TypeRef]
		}
		more, inputs = append(more, unused...), append(inputs, externals...)
	}
	// client-go has apply configurations for the inputs of methods, but not for all structs in them.
	plain := map[*model.StructType]bool{}
	for _, s := range more {
		plain[s] = !slices.Contains(inputs, s.TypeRef)
	}
	types.All = append(types.All, more...)
	diags := append(reportOmitted(types.All, r, opts.Policy), reportUntracked(r, types.All, others)...)
	slices.SortFunc(types.All, func(a, b *model.StructType) int {
		if a.Path != b.Path {
			return cmp.Compare(a.Path, b.Path)
		}
		return cmp.Compare(a.BuilderName(), b.BuilderName())
	})
	for _, s := range types.All {
		if !plain[s] && isOwn(s) {
			applied := hasFields(s, opts.Policy.OmitUntagged)
			s.External = s.External || external[s.TypeRef] && !applied
			if applied || s.External {
				types.Own = append(types.Own, s)
			}
		}
	}
	return types, append(diags, findPublished(types.All, applied, r, opts)...)
}

// isOwn reports whether a struct belongs to the input, and may have an apply configuration.
func isOwn(s *model.StructType) bool {
	return s.Package != nil && !s.Package.Off(model.ApplySwitch) &&
		!(s.Path == runtimePath && (s.Name == "RawExtension" || s.Name == "Unknown"))
}

// hasFields reports whether a struct has fields to apply, or is a kind.
func hasFields(s *model.StructType, omitUntagged bool) bool {
	return s.Resource != nil || slices.ContainsFunc(s.JSONFields(), func(f *model.Field) bool { return !f.Untagged() || !omitUntagged })
}

const runtimePath = "k8s.io/apimachinery/pkg/runtime"

// externalsIn returns the types of the packages that have external apply configurations, ordered by path and name.
func externalsIn(packages []*model.Package, opts *render.Options) (types []model.TypeRef) {
	for _, name := range model.PublishedMetaV1 {
		types = append(types, model.TypeRef{Path: model.MetaV1, Name: name})
	}
	types = slices.DeleteFunc(slices.AppendSeq(types, maps.Keys(opts.Externals)), func(t model.TypeRef) bool {
		return !slices.ContainsFunc(packages, func(pkg *model.Package) bool { return pkg.Path == t.Path })
	})
	slices.SortFunc(types, func(a, b model.TypeRef) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Name, b.Name))
	})
	return slices.Compact(types)
}
