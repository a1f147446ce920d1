package cli

import (
	"cmp"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/plan"
)

// warnUnused warns about values of flags that name kinds or types that were not read.
func warnUnused(p *plan.Plan, jobs []job, diags *diag.List) {
	kinds, types := map[string]bool{}, map[model.TypeRef]bool{}
	read := false // what types kinds consist of
	for _, j := range jobs {
		read = read || len(j.api.Structs) > 0
		for _, g := range j.api.Groups {
			for _, v := range g.Versions {
				for _, resource := range v.Resources {
					kinds[resource.Kind] = true
				}
			}
		}
		if len(p.Externals) > 0 {
			mentioned(j.api, types)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(p.Plurals)) {
		if !kinds[kind] {
			diags.Warnf(token.Position{}, "--plural-exceptions: there is no kind %s, so %s:%s has no effect%s", kind, kind, p.Plurals[kind], perhaps(kind, kinds))
		}
	}
	byName := func(a, b model.TypeRef) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Name, b.Name))
	}
	for _, t := range slices.SortedFunc(maps.Keys(p.Externals), byName) {
		if read && !types[t] {
			siblings := map[string]bool{}
			for other := range types {
				if other.Path == t.Path {
					siblings[other.Name] = true
				}
			}
			name := t.Path + "." + t.Name
			diags.Warnf(token.Position{}, "--%s: no kind has a field of type %s, so %s:%s has no effect%s", p.ExternalsFlag, name, name, p.Externals[t], perhaps(t.Name, siblings))
		}
	}
}

// perhaps says which of the names was likely meant.
func perhaps(name string, names map[string]bool) string {
	if nearest, ok := markers.Nearest(name, slices.Sorted(maps.Keys(names))); ok {
		return " (did you mean " + nearest + "?)"
	}
	return ""
}

// mentioned adds the types that the fields of kinds lead to, and those that their methods take and return.
func mentioned(api *model.API, types map[model.TypeRef]bool) {
	seen := map[*model.Type]bool{} // a type may lead to itself
	var visit func(*model.Type)
	fields := func(list []*model.Field) {
		for _, f := range list {
			visit(f.Type)
		}
	}
	visit = func(t *model.Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		types[t.Name] = true
		if t.Struct != nil {
			types[t.Struct.TypeRef] = true // api.Structs has its fields
		}
		for _, part := range append([]*model.Type{t.Elem, t.Key}, t.Args...) {
			visit(part)
		}
		fields(t.JSONFields())
	}
	for _, s := range api.Structs {
		types[s.TypeRef] = true
		fields(s.JSONFields())
	}
	for _, g := range api.Groups {
		for _, v := range g.Versions {
			for _, r := range v.Resources {
				for _, m := range r.Methods {
					types[m.Input], types[m.Result] = true, true
				}
			}
		}
	}
}
