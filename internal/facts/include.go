package facts

import (
	"go/token"
	"maps"
	"slices"

	"github.com/kubegen/kubegen/internal/diag"
)

// include applies --included-types-overrides, which overrides the markers of the group/versions it names, and returns
// the included ones of the kinds.
func (p *Facts) include(u *unit, kinds []*kind) []*kind {
	var wanted []string
	ok := false
	for _, key := range p.groupVersions(u) {
		if !ok {
			wanted, ok = p.cfg.IncludedTypes[key]
		}
	}
	if !ok {
		return slices.DeleteFunc(kinds, func(k *kind) bool { return !k.marked })
	}
	for _, name := range wanted {
		if !slices.ContainsFunc(kinds, func(k *kind) bool { return k.Spec.Name.Name == name }) {
			p.mistakef(u.Types.Pos, "it has no effect", "%s names %s, but package %s has no such type", diag.Setting("included-types-overrides"), name, u.src.Path).
				Meant(name, slices.Sorted(maps.Keys(u.src.Decls)), "correct the flag, or declare the type")
		}
	}
	return slices.DeleteFunc(kinds, func(k *kind) bool { return !slices.Contains(wanted, k.Spec.Name.Name) })
}

// groupVersions returns the forms of a package's group and version in --included-types-overrides.
func (p *Facts) groupVersions(u *unit) []string {
	if p.cfg.Policy.IncludeByGroup {
		return []string{u.Group + "/" + u.Version}
	}
	return []string{u.Group + "/" + u.Version, u.Dir + "/" + u.Version}
}

// reportUnusedIncludes reports group/versions in --included-types-overrides that no package has.
func (p *Facts) reportUnusedIncludes() {
	var known []string
	for _, u := range p.named {
		known = append(known, p.groupVersions(u)...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, key := range slices.Sorted(maps.Keys(p.cfg.IncludedTypes)) {
		if slices.Contains(known, key) || len(known) == 0 {
			continue
		}
		p.mistakef(token.Position{}, "it has no effect", "%s names %s, but no package has that group and version", diag.Setting("included-types-overrides"), key).
			Meant(key, known, "correct the flag, or name more packages")
	}
}
