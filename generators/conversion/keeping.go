package conversion

import (
	"cmp"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// keeping describes the fields of a struct that are lost on conversion to another one, and are kept in an annotation.
type keeping struct {
	model.TypePair // the struct, and what it is converted to
	fields         []*keptField
}

// keptField is a field of a keeping.
type keptField struct {
	*model.Field
	inJSON string       // the name in JSON, or "" if there is none, or if the struct embeds the field
	other  *model.Field // the field of the other struct in which some is kept, or nil if the whole field is
}

// isKept reports whether a marker demands that a field is kept.
func isKept(f *model.Field) bool { return model.HasMarker(f.Markers, model.RestoreMarker) }

// checkKept reports a field that is marked to be kept, but has no JSON that can be read again, and a marker with a
// value.
func (c *converter) checkKept(f *model.Field) {
	for _, m := range f.Markers {
		if m.Name != model.RestoreMarker {
			continue
		}
		key := "kept " + f.Pos.String() // once for all versions
		switch kind := f.Type.Underlying().Kind; {
		case m.Text != "":
			c.diags.Errorf(f.Pos, "+%s takes no value", m.Name).Suggest("remove =%s", m.Text).Once(key)
		case !token.IsExported(f.Name):
			c.diags.Errorf(f.Pos, "field %s cannot be kept: it is not exported", f.Name).Suggest("remove +%s", m.Name).Once(key)
		case kind == model.Interface || kind == model.Func:
			c.diags.Errorf(f.Pos, "field %s cannot be kept: values of type %s cannot be read from JSON", f.Name, c.name(f.Type)).
				Suggest("give it another type, or mark it +%s=false to lose it", model.ConversionMarker).Once(key)
		}
	}
}

// keepings returns the kept fields of the kinds of the package and of their hubs, ordered by the names of functions. It
// reports marked fields that are not kept.
func (c *converter) keepings() (all []*keeping) {
	for _, spoke := range c.Spokes {
		c.keep(spoke.TypePair)
		c.keep(spoke.Reversed())
	}
	for _, k := range c.keeping {
		if len(k.fields) > 0 {
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b *keeping) int { return strings.Compare(a.FuncName(), b.FuncName()) })
	return all
}

// reportUnkept reports the fields that are marked to be kept, but are not in any of the keepings of all packages.
func reportUnkept(functions map[*model.Package][]*function, keepings map[*model.Package][]*keeping) (diags diag.List) {
	kept, lacking := map[*model.Field]bool{}, map[*model.Field]bool{} // lacking holds all marked fields, true if some version lacks it
	for _, all := range keepings {
		for _, k := range all {
			for _, f := range k.fields {
				kept[f.Field] = kept[f.Field] || f.other == nil
			}
		}
	}
	for pkg, all := range functions {
		partial := slices.ContainsFunc(pkg.Conversions.Spokes, func(s *model.Spoke) bool { return s.Partial })
		for _, f := range all {
			for _, one := range f.fields {
				if isKept(one.Field) && (one.kept || !partial) { // another version may lack the field
					lacking[one.Field] = lacking[one.Field] || one.kept
				}
			}
		}
	}
	inOrder := func(a, b *model.Field) int {
		return cmp.Or(strings.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Offset, b.Pos.Offset))
	}
	for _, f := range slices.SortedFunc(maps.Keys(lacking), inOrder) {
		switch {
		case kept[f]:
		case lacking[f]:
			diags.Errorf(f.Pos, "field %s cannot be kept: the conversion of no kind to its hub, or back, reaches it", f.Name).
				Suggest("mark the hub of the kind +%s, or write a function for the field whose types differ", model.HubMarker)
		default:
			diags.Warnf(f.Pos, "+%s has no effect: every version has field %s", model.RestoreMarker, f.Name).Suggest("remove the marker")
		}
	}
	return diags
}

// keep determines the kept fields of a struct.
func (c *converter) keep(pair model.TypePair) {
	id := pair.Identity()
	if c.keeping[id] != nil || !c.loses(pair, map[string]bool{}) {
		return
	}
	k := &keeping{TypePair: pair}
	c.keeping[id] = k
	others := model.Counterparts(fieldsOf(pair.In), fieldsOf(pair.Out))
	for _, f := range fieldsOf(pair.In) {
		other := others[f]
		switch {
		case isOff(f):
		case other == nil && isKept(f):
			k.fields = append(k.fields, &keptField{Field: f, inJSON: nameInJSON(f)})
		case other != nil && c.loses(model.TypePair{In: f.Type, Out: other.Type}, map[string]bool{}):
			k.fields = append(k.fields, &keptField{Field: f, inJSON: nameInJSON(f), other: other})
			c.keepIn(model.TypePair{In: f.Type, Out: other.Type})
		}
	}
}

// keepIn determines the kept fields of the structs in values of a type.
func (c *converter) keepIn(pair model.TypePair) {
	switch pair.In.Underlying().Kind {
	case model.Struct:
		c.keep(pair)
	case model.Pointer, model.Slice, model.Array, model.Map:
		c.keepIn(pair.Elems())
	}
}

// loses reports whether values of a type have fields to keep. seen has the pairs that were asked for on the way.
func (c *converter) loses(pair model.TypePair, seen map[string]bool) bool {
	in, out := pair.In.Underlying(), pair.Out.Underlying()
	if in.Kind != out.Kind || in == out || !pair.In.HasName(c.home) || !pair.Out.HasName(c.home) {
		return false
	}
	switch in.Kind {
	case model.Pointer, model.Slice, model.Array:
		return c.loses(pair.Elems(), seen)
	case model.Map:
		return isBasic(in.Key) && in.Key.Underlying().Same(out.Key.Underlying()) && c.loses(pair.Elems(), seen)
	case model.Struct:
	default:
		return false
	}
	id := pair.Identity()
	if pair.In.Name.Name == "" || seen[id] {
		return false
	}
	seen[id] = true
	others := model.Counterparts(fieldsOf(pair.In), fieldsOf(pair.Out))
	return slices.ContainsFunc(fieldsOf(pair.In), func(f *model.Field) bool {
		other := others[f]
		return !isOff(f) && (other == nil && isKept(f) || other != nil && c.loses(model.TypePair{In: f.Type, Out: other.Type}, seen))
	})
}

// nameInJSON returns the name of a field in the JSON of its struct, or "" if there is none, or if the struct embeds the
// field.
func nameInJSON(f *model.Field) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" || name == "" && f.Embedded {
		return ""
	}
	return cmp.Or(name, f.Name)
}

// keysOf returns the names in JSON of the fields that identify the elements of a list in a kept field, by the markers
// of the list in two versions. It returns nil if there are none.
func keysOf(f *keptField, list model.TypePair, elem *model.Type) (names []string) {
	if elem.Underlying().Kind != model.Struct {
		return nil
	}
	found := slices.Concat(list.Out.Markers, list.In.Markers)
	if list.In.Same(f.Type.Deref()) {
		found = slices.Concat(f.other.Markers, f.Markers, found)
	}
	for _, m := range found {
		if strings.TrimPrefix(m.Name, "k8s:") != "listMapKey" {
			continue
		}
		name := strings.Trim(m.Text, `"`)
		if !hasInJSON(elem, name) {
			return nil
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// hasInJSON reports whether the JSON of a struct has a field with a name, of its own or of a struct that it embeds.
func hasInJSON(t *model.Type, name string) bool {
	return slices.ContainsFunc(fieldsOf(t), func(f *model.Field) bool {
		found := nameInJSON(f)
		return found == name || found == "" && f.Embedded && f.Type.Deref().Underlying().Kind == model.Struct && hasInJSON(f.Type.Deref(), name)
	})
}
