package cli

import (
	"cmp"
	"fmt"
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
	read := false // whether the types of fields were read
	for _, j := range jobs {
		read = read || len(j.api.Structs) > 0
		for _, g := range j.api.Groups {
			for _, v := range g.Versions {
				for _, resource := range v.Resources {
					kinds[resource.Kind], kinds[resource.List.Name] = true, true
				}
			}
		}
		if len(p.Externals) > 0 {
			mentioned(j.api, types)
		}
	}
	unused := unusedValues{flag: "plural-exceptions", what: "kind of that name", classic: p.Parser.Classic}
	for _, kind := range slices.Sorted(maps.Keys(p.Plurals)) {
		if !kinds[kind] {
			unused.add(kind, kind, kinds, diags)
		}
	}
	unused.report(diags)
	byName := func(a, b model.TypeRef) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Name, b.Name))
	}
	unused = unusedValues{flag: p.ExternalsFlag, what: "field of that type", classic: p.Parser.Classic}
	for _, t := range slices.SortedFunc(maps.Keys(p.Externals), byName) {
		if read && !types[t] {
			siblings := map[string]bool{}
			for other := range types {
				if other.Path == t.Path {
					siblings[other.Name] = true
				}
			}
			unused.add(t.Path+"."+t.Name, t.Name, siblings, diags)
		}
	}
	unused.report(diags)
}

// unusedValues collects the values of a flag that have no effect.
type unusedValues struct {
	flag, what string
	classic    bool
	names      []string
}

// add adds a value that names something. One that is likely mistyped is reported by itself.
func (u *unusedValues) add(full, name string, known map[string]bool, diags *diag.List) {
	if nearest, ok := markers.Nearest(name, slices.Sorted(maps.Keys(known))); ok {
		diags.Warnf(token.Position{}, "--%s: %s has no effect, since there is no %s (did you mean %s?)", u.flag, full, u.what, nearest)
		return
	}
	u.names = append(u.names, full)
}

// report reports the others together. Scripts for the classic tools pass the same values to many commands, for which this
// is only a note.
func (u *unusedValues) report(diags *diag.List) {
	const shown = 3
	names, verb, why := u.names, "has", "there is no "+u.what
	if len(names) == 0 {
		return
	}
	if len(names) > 1 {
		verb = "have"
	}
	list := strings.Join(names[:min(shown, len(names))], ", ")
	if more := len(names) - shown; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	complain := diags.Warnf
	if u.classic {
		complain = diags.Notef
	}
	complain(token.Position{}, "--%s: %s %s no effect, since %s", u.flag, list, verb, why)
}

// mentioned adds the types that kinds consist of, and the input and result types of their methods.
func mentioned(api *model.API, types map[model.TypeRef]bool) {
	seen := map[*model.Type]bool{} // types may be recursive
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
