package gotypes

import (
	"cmp"
	"maps"
	"slices"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// reportRecursive reports types that contain themselves by value, once for each cycle. It checks the types read since
// the last call.
func (r *Reader) reportRecursive() {
	s := search{on: map[any]int{}, done: r.limits.checked}
	reported := map[model.TypeRef]bool{}
	s.found = func(circle []model.TypeRef) {
		if slices.ContainsFunc(circle, func(member model.TypeRef) bool { return reported[member] }) {
			return
		}
		for _, member := range circle {
			reported[member] = true
		}
		first := slices.MinFunc(circle, func(a, b model.TypeRef) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Name, b.Name)) })
		if src := r.Known[first.Path]; src != nil {
			if d, ok := r.Lookup(src, first.Name); ok && d.Type != nil {
				r.limits.refuse(d.Type, "the type %s contains itself by value", "use a pointer")
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.found.named)) {
		if t := r.found.named[key]; t.Name.Path != "" {
			s.visit(t)
		}
	}
}

// search finds types that contain themselves by value. It visits each type once.
type search struct {
	found func(circle []model.TypeRef) // called for each cycle
	path  []model.TypeRef              // the nested types being visited
	on    map[any]int                  // indexes in path, by identity
	done  map[any]bool                 // by identity
}

// identity returns a key that is the same for all representations of a declared type.
func identity(t *model.Type) any {
	if t.Struct != nil {
		return t.Struct
	}
	return t
}

func (s *search) visit(t *model.Type) {
	if t.Name.Path == "" { // not declared
		switch t.Kind {
		case model.Array:
			s.visit(t.Elem)
		case model.Struct:
			s.inside(t.Fields)
		}
		return
	}
	id := identity(t)
	if at, open := s.on[id]; open {
		s.found(s.path[at:])
	}
	if s.done[id] {
		return
	}
	s.done[id] = true
	s.on[id] = len(s.path)
	s.path = append(s.path, t.Name)
	switch {
	case t.Struct != nil:
		s.inside(t.Struct.Fields)
	case t.Elem != nil:
		s.visit(t.Elem)
	}
	s.path = s.path[:len(s.path)-1]
	delete(s.on, id)
}

func (s *search) inside(fields []*model.Field) {
	for _, f := range fields {
		s.visit(f.Type)
	}
}
