package facts

import (
	"go/token"
	"maps"
	"slices"

	"github.com/kubegen/kubegen/internal/diag"
)

// include applies --included-types-overrides, which overrides the markers of the group/versions it names, and returns
// the selected kinds.
func (p *Facts) include(u *unit) []*kind {
	var wanted []string
	ok := false
	names := []string{u.group, u.dir}
	if p.cfg.Policy.IncludeByGroup {
		names = names[:1]
	}
	for _, name := range names {
		key := name + "/" + u.version
		if !ok {
			wanted, ok = p.cfg.IncludedTypes[key]
		}
		p.groupVersions[key] = true
	}
	if !ok {
		return slices.DeleteFunc(u.kinds, func(k *kind) bool { return !k.marked })
	}
	for _, name := range wanted {
		if !slices.ContainsFunc(u.kinds, func(k *kind) bool { return k.Spec.Name.Name == name }) {
			p.mistakef(u.pkg.Pos, "it has no effect", "%s names %s, but package %s has no such type", diag.Setting("included-types-overrides"), name, u.src.Path).
				Meant(name, slices.Sorted(maps.Keys(u.src.Decls)), "correct the flag, or declare the type")
		}
	}
	return slices.DeleteFunc(u.kinds, func(k *kind) bool { return !slices.Contains(wanted, k.Spec.Name.Name) })
}

// reportUnusedIncludes reports group/versions in --included-types-overrides that no package has.
func (p *Facts) reportUnusedIncludes() {
	known := slices.Sorted(maps.Keys(p.groupVersions))
	for _, key := range slices.Sorted(maps.Keys(p.cfg.IncludedTypes)) {
		if p.groupVersions[key] || len(known) == 0 {
			continue
		}
		p.mistakef(token.Position{}, "it has no effect", "%s names %s, but no package has that group and version", diag.Setting("included-types-overrides"), key).
			Meant(key, known, "correct the flag, or name more packages")
	}
}
