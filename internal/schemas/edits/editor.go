package edits

import (
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Schemas are the schemas of a reader before edits.
type Schemas struct {
	Declared func(*gotypes.Declaration) *crdschema.Schema // of a type, with references to other types
	Whole    func(*crdschema.Schema) *crdschema.Schema    // without references, with those of the types after their edits
}

// Editor edits the schemas of Go types. An edit at a path through a type leaves the type as it is for other fields: it
// makes a variant of the type, a declaration of its own.
type Editor struct {
	of       Schemas
	edits    []*Edit
	ofKinds  map[*gotypes.Declaration][]*Edit
	after    map[*gotypes.Declaration]*crdschema.Schema // of types and variants, with references
	variants map[*gotypes.Declaration]bool
	found    map[token.Position]bool // edits, paths and fields that exist
	lacking  diag.List               // about paths and fields that a type lacks
	mistakes diag.List
}

// New returns an Editor for edits in the order of the file.
func New(edits []*Edit, of Schemas) *Editor {
	type d = *gotypes.Declaration
	return &Editor{of, edits, map[d][]*Edit{}, map[d]*crdschema.Schema{}, map[d]bool{}, map[token.Position]bool{}, nil, nil}
}

// OfKind makes the edits of a kind concern a type. It must be called before the first schema of the type is read.
func (r *Editor) OfKind(d *gotypes.Declaration, kind, version, group string) {
	r.ofKinds[d] = slices.DeleteFunc(slices.Clone(r.edits), func(e *Edit) bool { return !e.is(kind, version, group) })
}

// Idle reports whether there are no edits.
func (r *Editor) Idle() bool { return len(r.edits) == 0 }

// IsVariant reports whether a declaration is a variant.
func (r *Editor) IsVariant(d *gotypes.Declaration) bool { return r.variants[d] }

// Mistakes returns the contradictions so far.
func (r *Editor) Mistakes() diag.List { return r.mistakes }

// Unmatched returns an error for each edit, path and field of an edit that no type has so far.
func (r *Editor) Unmatched() (diags diag.List) {
	for _, d := range r.lacking {
		if !r.found[d.Pos] {
			diags = append(diags, d)
		}
	}
	for _, e := range r.edits {
		if e.Kind != "" && !r.found[e.Pos] {
			known := map[string]bool{}
			for d := range r.ofKinds {
				known[d.Name] = true
			}
			diags.Errorf(e.Pos, "no kind %s in this run", e.Kind).Meant(e.Kind, slices.Sorted(maps.Keys(known)), "the edit has no effect: delete it")
		} else if !r.found[e.Pos] {
			known := map[string]bool{}
			for d := range r.after {
				known[d.Path+"."+d.Name] = true
			}
			diags.Errorf(e.Pos, "no schema of this run has the type %s.%s", e.Type.Path, e.Type.Name).
				Meant(e.Type.Path+"."+e.Type.Name, slices.Sorted(maps.Keys(known)), "the edit has no effect: delete it")
		}
	}
	return diags
}

// Declared returns the schema of a type or a variant after all edits, with references to others.
func (r *Editor) Declared(d *gotypes.Declaration) *crdschema.Schema {
	s, ok := r.after[d]
	if ok {
		return s
	}
	s = r.of.Declared(d)
	for _, e := range r.edits {
		r.after[d] = s
		if e.Kind == "" && e.Type != d.TypeRef || e.Kind != "" && !slices.Contains(r.ofKinds[d], e) {
			continue
		}
		r.found[e.Pos] = true
		for _, path := range e.Paths {
			t := &editing{r, e, path, map[within]*gotypes.Declaration{}, false}
			if s = t.descend(s, path.path, t.change); t.reached {
				r.found[path.Pos] = true
			} else {
				t.lacks(r.of.Whole(s), path, path.path)
			}
		}
	}
	r.after[d] = s
	return s
}

// variant returns a declaration like d with a schema of its own.
func (r *Editor) variant(d *gotypes.Declaration, s *crdschema.Schema) *gotypes.Declaration {
	v := *d
	r.variants[&v], r.after[&v] = true, s
	return &v
}

// editing applies an edit at a path below a type.
type editing struct {
	*Editor
	*Edit
	at      Name
	within  map[within]*gotypes.Declaration // variants, because types may contain themselves
	reached bool                            // the path exists
}

// within is a type whose schemas below are edited, with the keys of the list that has it as elements, or that it is.
type within struct {
	of           *gotypes.Declaration
	keys, ofList string
}

// lacks reports that a schema has nothing at a path, unless feature gates leave it out.
func (t *editing) lacks(whole *crdschema.Schema, name Name, path crdschema.Path) {
	fields := slices.DeleteFunc(slices.Clone(path), func(name string) bool { return name == elements })
	i, in := whole.Missing(fields)
	switch {
	case in == nil && len(fields) == len(path):
		t.lacking.Errorf(name.Pos, "%s is a path, not the name of a field", fields).
			Suggest("write an edit with paths that end with %s", fields[:len(fields)-1])
		return
	case in == nil:
		t.lacking.Errorf(name.Pos, "%s is neither a list nor a map", fields).Suggest("write it without []")
		return
	}
	off := in.LeftOut(fields[i])
	switch field := fields[:i+1]; {
	case off != nil && off.Gate == "":
		t.lacking.Errorf(name.Pos, "another edit drops the field %s", field).WithRelated(off.Edit).Suggest("delete one of the two")
	case off != nil:
	case in.PreserveUnknownFields && len(in.Properties) == 0:
		t.lacking.Errorf(name.Pos, "%s has no schema, because unknown fields are preserved there", field).Suggest("correct the path")
	case len(in.Properties) == 0:
		t.lacking.Errorf(name.Pos, "there is no field %s in a value %s", field, crdschema.KindOf(in)).Suggest("correct the path")
	default:
		var known []string
		for _, name := range in.Names() {
			known = append(known, crdschema.Path{name}.String())
		}
		word := crdschema.Path{strings.Join(fields[i:], ".")}.String() // of a name with a dot, without quotes
		if _, ok := diag.Nearest(word, known); !ok {
			word = fields[i : i+1].String()
		}
		t.lacking.Errorf(name.Pos, "there is no field %s", field).Meant(word, known, "known are %s", strings.Join(known, ", "))
	}
}

// descend returns a schema with the results of do in place of the schemas at a path.
func (t *editing) descend(
	s *crdschema.Schema, path crdschema.Path, do func(*crdschema.Schema) *crdschema.Schema,
) *crdschema.Schema {
	if len(path) == 0 {
		return do(s)
	}
	return t.parts(s, nil, func(part *crdschema.Schema) (changed bool) {
		if i := part.Index(path[0]); i >= 0 {
			part.Properties = slices.Clone(part.Properties)
			part.Properties[i].Schema = t.descend(part.Properties[i].Schema, path[1:], do)
			return true
		}
		rest := path
		if path[0] == elements {
			rest = path[1:]
		}
		for _, inner := range []**crdschema.Schema{&part.Items, &part.AdditionalProperties} {
			if *inner != nil && len(part.Properties) == 0 {
				*inner, changed = t.descend(*inner, rest, do), true
			}
		}
		return changed
	})
}

// parts returns a schema whose parts are edited: its own keywords, those of the type that it refers to, unless it is in
// seen, and those of embedded structs. A part must not be changed if edit returns false.
func (t *editing) parts(s *crdschema.Schema, seen []*gotypes.Declaration, edit func(*crdschema.Schema) bool) *crdschema.Schema {
	out := *s
	changed := edit(&out)
	if d, ok := out.Ref.(*gotypes.Declaration); ok && !slices.Contains(seen, d) {
		before := t.Declared(d)
		if after := t.parts(before, append(slices.Clip(seen), d), edit); after != before {
			out.Ref, changed = t.variant(d, after), true
		}
	}
	out.AllOf = slices.Clone(out.AllOf)
	for i, part := range out.AllOf {
		if !part.Literal {
			out.AllOf[i] = t.parts(part, seen, edit)
			changed = changed || out.AllOf[i] != part
		}
	}
	if !changed {
		return s
	}
	return &out
}

// change returns the schema at the path after the edit.
func (t *editing) change(s *crdschema.Schema) *crdschema.Schema {
	t.reached = true
	if t.Replace != nil {
		s = t.whole(t.of.Whole(s))
	}
	if len(t.Drop) > 0 || t.Descriptions != "" {
		s = t.below(s, nil, nil)
	}
	if t.Preserve || len(t.KeepFields)+len(t.DropFields) > 0 {
		s = t.object(s)
	}
	if !t.fits(s) {
		return s
	}
	first := len(t.Set) > 0
	s = t.parts(s, nil, func(part *crdschema.Schema) bool {
		t.contradicts(part, func(earlier Keyword) bool {
			i := slices.IndexFunc(t.Set, func(k Keyword) bool { return k.Keyword == earlier.Keyword })
			return i >= 0 && t.Set[i].Value.JSON() != earlier.Value.JSON()
		})
		for _, set := range t.Set {
			if m := part.Marker(set.Names(), nil); m.Name != "" {
				t.mistakes.Errorf(set.Pos, "the marker +%s sets %s, too", m.Name, set.Name).WithRelated(m.Pos).
					Suggest("change the marker instead")
			}
		}
		before := part.Properties
		changed := t.clear(part) || first
		if first {
			for _, set := range t.Set {
				if set.Inherit(part, set.Value); !set.Describes {
					part.SetBy = t.Pos
				}
			}
		}
		first = false
		t.without(part, before)
		return t.mark(part, changed)
	})
	return s
}

// fits reports keywords that have no effect on the values of a schema, because of the type that it has, or gets. It
// reports whether there are none.
func (t *editing) fits(s *crdschema.Schema) bool {
	if len(t.Set) == 0 {
		return true
	}
	whole, typed, before := *t.of.Whole(s), Keyword{}, len(t.mistakes)
	for _, set := range t.Set {
		if set.Clear(&whole); set.Name == "type" {
			typed = set
		}
		set.Inherit(&whole, set.Value)
	}
	for _, k := range crdschema.Keywords {
		why := k.Unfit(&whole, &whole)
		i := slices.IndexFunc(t.Set, func(set Keyword) bool { return set.Keyword == k })
		switch {
		case !k.Has(&whole) || why == "":
		case i >= 0:
			t.mistakes.Errorf(t.Set[i].Pos, "%s has no effect: %s", k.Name, why).Suggest("correct the path, or delete the keyword")
		case whole.Type != "" && typed.Keyword != nil:
			t.mistakes.Errorf(typed.Pos, "%s then has no effect: %s", k.Name, why).Suggest("add %s: null", k.Name)
		}
	}
	return len(t.mistakes) == before
}

// object edits the fields of an object, of the elements of a list, or of the values of a map.
func (t *editing) object(s *crdschema.Schema) *crdschema.Schema {
	switch whole := t.of.Whole(s); {
	case whole.Items != nil, whole.AdditionalProperties != nil && len(whole.Properties) == 0:
		return t.descend(s, crdschema.Path{elements}, t.object)
	case whole.Type != "object":
		t.mistakes.Errorf(t.at.Pos, "only objects have fields, and this is %s", crdschema.KindOf(whole)).Suggest("correct the path")
		return s
	case t.Preserve:
		return t.whole(whole)
	default:
		for _, name := range slices.Concat(t.KeepFields, t.DropFields) {
			if len(name.path) == 1 && whole.Index(name.path[0]) >= 0 {
				t.found[name.Pos] = true
			} else {
				t.lacks(whole, name, name.path)
			}
		}
	}
	return t.parts(s, nil, func(part *crdschema.Schema) bool { return t.mark(part, t.fields(part)) })
}

// below edits a schema and all schemas in it. keys are the keys of the list that has it as elements, and ofList of the
// list that it is.
func (t *editing) below(s *crdschema.Schema, keys, ofList []string) *crdschema.Schema {
	if len(s.ListMapKeys) > 0 {
		ofList = s.ListMapKeys
	}
	out := s.Map(func(part *crdschema.Schema) *crdschema.Schema {
		switch {
		case part == s.Items:
			return t.below(part, ofList, nil)
		case slices.Contains(s.AllOf, part):
			return t.below(part, keys, ofList)
		}
		return t.below(part, nil, nil)
	})
	if slices.Contains(t.Drop, "defaults") && !slices.Contains(t.Drop, "list-types") {
		for i, p := range s.Properties {
			if slices.Contains(keys, p.Name) && p.Default != nil { // otherwise, the key may be absent
				key := *out.Properties[i].Schema
				key.Default, out.Properties[i].Schema = p.Default, &key
			}
		}
	}
	t.contradicts(out, func(k Keyword) bool {
		return k.Has(out) && slices.ContainsFunc(t.Drop, func(name string) bool { return dropped[name](k.Keyword, out) })
	})
	t.mark(out, t.strip(out, keys))
	if d, ok := s.Ref.(*gotypes.Declaration); ok {
		key := within{d, strings.Join(keys, " "), strings.Join(ofList, " ")}
		if t.within[key] == nil {
			t.within[key] = t.variant(d, nil)
			t.after[t.within[key]] = t.below(t.Declared(d), keys, ofList)
		}
		out.Ref = t.within[key]
	}
	return out
}

// contradicts reports keywords of a schema that an earlier edit sets, and this one changes.
func (t *editing) contradicts(s *crdschema.Schema, changes func(Keyword) bool) {
	for _, e := range t.edits {
		for _, earlier := range e.Set {
			if e != t.Edit && slices.Contains(s.Edits, e.Pos) && changes(earlier) {
				t.mistakes.Errorf(t.Pos, "another edit sets %s of the same schema", earlier.Name).WithRelated(earlier.Pos).
					Suggest("delete one of the two")
			}
		}
	}
}
