package openapi

import (
	"slices"

	"github.com/kubegen/kubegen/internal/source/gotypes"
)

// unions returns the unions of a struct: of its fields, of the structs that it embeds, and of marked fields. seen has
// the structs so far.
func (r *reader) unions(t goType, seen map[*gotypes.Declaration]bool) (all []any) {
	if !t.isStruct() || seen[t.decl] {
		return nil
	}
	seen[t.decl] = true
	has := func(f *field, name string) bool { return len(r.values(f.comment, name)) > 0 }
	add := func(isMember func(*field) bool, mayBeEmpty bool) {
		members, union := map[string]any{}, map[string]any{}
		for _, f := range r.fieldsOf(t) {
			if f.json == "" || r.inline(f) {
				continue
			}
			if has(f, "unionDiscriminator") {
				union["discriminator"] = f.json
			}
			if isMember(f) {
				members[f.json] = f.name
			}
		}
		if union["fields-to-discriminateBy"] = members; len(members) > 0 || mayBeEmpty {
			all = append(all, union)
		}
	}
	if len(r.values(r.commentOf(t.decl), "union")) > 0 {
		add(func(f *field) bool { return !has(f, "unionDeprecated") && !has(f, "unionDiscriminator") }, true)
	}
	for _, f := range r.fieldsOf(t) {
		if r.inline(f) && !slices.Contains(r.values(f.comment, marker), "false") {
			all = append(all, r.unions(r.typeOf(f), seen)...)
		}
	}
	add(func(f *field) bool { return !has(f, "union") && has(f, "unionDeprecated") }, false)
	return all
}
