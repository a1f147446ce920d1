package importer

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"go/token"
	"maps"
	"slices"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// nameGiven assigns the names in Writing.Names. Types with the same name and equal schemas become one.
func (w *writer) nameGiven(used map[string]bool) {
	if len(w.Names) == 0 {
		return
	}
	paths, owners := map[string]*declared{}, map[string]*declared{}
	for _, d := range w.declared {
		if paths[d.path.String()] == nil {
			paths[d.path.String()] = d
		}
	}
	prints := fingerprints{}
	for _, at := range slices.Sorted(maps.Keys(w.Names)) {
		d, name := paths[at], w.Names[at]
		switch other := owners[name]; {
		case d == nil:
			w.found.Unused = append(w.found.Unused, at)
		case d.same != nil: // part of a type that was united with another one
		case other != nil && prints.of(other) == prints.of(d):
			d.unite(other)
		case other != nil:
			w.found.Wrong.Errorf(token.Position{}, "%s: %s and %s cannot both be %s, because their schemas in %s differ", diag.Setting("names"),
				other.path, at, name, w.Path).Suggest("give one of them another name")
		case used[name] || w.Taken(name):
			w.found.Wrong.Errorf(token.Position{}, "%s: the type of %s cannot be %s, which is another type or function of %s",
				diag.Setting("names"), at, name, w.Path).Suggest("choose another name")
		default:
			d.name, d.named, used[name], owners[name] = name, true, true, d
		}
	}
}

// unite replaces a type and the types of its parts by another one with an equal schema.
func (d *declared) unite(other *declared) {
	if d = d.itself(); d == other.itself() {
		return
	}
	d.same = other.itself()
	for i, f := range d.fields {
		f.typ.unite(other.fields[i].typ)
	}
	if d.under != nil {
		d.under.unite(other.under)
	}
}

func (t *goType) unite(other *goType) {
	switch {
	case t.list != nil:
		t.list.unite(other.list)
	case t.mapped != nil:
		t.mapped.unite(other.mapped)
	case t.declared != nil:
		t.declared.unite(other.declared)
	}
}

// itself returns the type that replaces this one, or the type itself.
func (d *declared) itself() *declared {
	for d.same != nil {
		d = d.same
	}
	return d
}

// share unites types with equal schemas. It keeps a given name, or else the name of a type that the package declared
// before, or else the name with the shortest path. Thus names remain when definitions are added or removed, as long as
// the named type exists.
func (w *writer) share() {
	same := map[[sha256.Size]byte][]*declared{}
	prints := fingerprints{}
	for _, d := range w.declared {
		if d.same == nil {
			key := prints.of(d)
			same[key] = append(same[key], d)
		}
	}
	rank := func(d *declared) int {
		switch {
		case d.named:
			return 0
		case w.Earlier(d.name):
			return 1
		}
		return 2
	}
	for _, all := range same {
		slices.SortStableFunc(all, func(a, b *declared) int {
			return cmp.Or(rank(a)-rank(b), len(a.path)-len(b.path), slices.Compare(a.path, b.path))
		})
		for _, d := range all[1:] {
			if !d.named {
				d.same = all[0]
			}
		}
	}
}

// reachable returns the declared types that are written: the types that the fields of kinds refer to, directly or
// indirectly.
func (w *writer) reachable(roots []*declared) []*declared {
	found := map[*declared]bool{}
	var visit func(d *declared)
	ofType := func(t *goType) {
		for t.list != nil || t.mapped != nil {
			t = cmp.Or(t.list, t.mapped)
		}
		if t.declared != nil {
			visit(t.declared.itself())
		}
	}
	visit = func(d *declared) {
		if found[d] {
			return
		}
		found[d] = true
		for _, f := range d.fields {
			ofType(f.typ)
		}
		if d.under != nil {
			ofType(d.under)
		}
	}
	for _, d := range roots {
		visit(d)
	}
	return slices.DeleteFunc(slices.Clone(w.declared), func(d *declared) bool { return !found[d] })
}

// fingerprints holds hashes that are equal for types with equal schemas and comments.
type fingerprints map[*declared][sha256.Size]byte

// of returns the fingerprint of a type. The order of required fields does not matter.
func (f fingerprints) of(d *declared) [sha256.Size]byte {
	if found, ok := f[d]; ok {
		return found
	}
	s := *inOrder(d.schema)
	s.Description = ""
	if d.under == nil || len(d.enum) > 0 { // these are written above the fields that use it
		s.Default, s.Nullable = nil, false
	}
	f[d] = sha256.Sum256(fmt.Appendf(nil, "%s%t%s", s.JSON(), d.under == nil, d.doc))
	return f[d]
}

// inOrder returns a schema with the required fields in order.
func inOrder(s *crdschema.Schema) *crdschema.Schema {
	out := s.Map(inOrder)
	out.Required = slices.Sorted(slices.Values(s.Required))
	return out
}
