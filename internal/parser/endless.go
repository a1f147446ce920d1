package parser

import (
	"go/ast"
	"maps"
	"slices"

	"github.com/kubegen/kubegen/internal/model"
)

// refuse reports a declared type of infinite size. An outline does not report; the reader that needs the type does.
func (r *typeReader) refuse(spec *ast.TypeSpec, format, hint string) {
	if r.near == r {
		return
	}
	r.Errorf(r.fset.Position(spec.Name.Pos()), format, spec.Name.Name).Suggest("%s", hint)
	r.refused = true
}

// reportAliasCycle reports an alias that refers to itself through nothing but aliases.
func (r *typeReader) reportAliasCycle(known *model.Type) {
	i := slices.IndexFunc(r.open, func(o opened) bool { return o.typ == known })
	if i < 0 || slices.ContainsFunc(r.open[i:], func(o opened) bool { return !o.spec.Assign.IsValid() }) {
		return
	}
	r.refuse(r.open[i].spec, "the alias %s refers to itself", "declare a defined type")
}

// nesting returns how deep type arguments are nested.
func nesting(t *model.Type) int {
	deepest := 0
	for ; t != nil; t = t.Elem {
		for _, arg := range t.Args {
			deepest = max(deepest, nesting(arg))
		}
		if t.Name.Name != "" {
			break
		}
		deepest++
	}
	if t != nil && len(t.Args) > 0 {
		deepest++
	}
	return deepest
}

// reportEndless reports types that contain themselves by value, once for each cycle; of types read since the last call.
func (r *typeReader) reportEndless() {
	reported := map[model.TypeRef]bool{}
	report := func(ref model.TypeRef, t *model.Type) {
		src := r.sources[ref.Path]
		if src == nil || reported[ref] {
			return
		}
		circle := circleOf(t)
		for _, member := range circle {
			if reported[member] {
				return
			}
		}
		if d, ok := r.lookup(src, ref.Name); ok && d.typ != nil && slices.Contains(circle, ref) {
			r.refuse(d.typ, "the type %s contains itself by value", "use a pointer")
		}
		for _, member := range circle {
			reported[member] = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.types)) {
		if t := r.types[key]; t.Name.Path != "" && !r.finite[key] {
			report(t.Name, t)
		}
		r.finite[key] = true
	}
}

// circleOf returns the cycle of types by which a type contains itself by value, or nil.
func circleOf(start *model.Type) []model.TypeRef {
	var path []model.TypeRef
	seen := map[any]bool{}
	var visit func(t *model.Type) bool
	inside := func(fields []*model.Field) bool {
		return slices.ContainsFunc(fields, func(f *model.Field) bool { return visit(f.Type) })
	}
	same := func(t *model.Type) bool { return t == start || t.Struct != nil && t.Struct == start.Struct }
	visit = func(t *model.Type) bool {
		if len(path) > 0 && same(t) {
			return true
		}
		if t.Name.Path == "" { // not declared
			switch t.Kind {
			case model.Array:
				return visit(t.Elem)
			case model.Struct:
				return inside(t.Fields)
			}
			return false
		}
		id := any(t)
		if t.Struct != nil {
			id = t.Struct
		}
		if seen[id] {
			return false
		}
		seen[id] = true
		path = append(path, t.Name)
		switch {
		case t.Struct != nil && inside(t.Struct.Fields), t.Struct == nil && t.Elem != nil && visit(t.Elem):
			return true
		}
		path = path[:len(path)-1]
		return false
	}
	if visit(start) {
		return path
	}
	return nil
}
