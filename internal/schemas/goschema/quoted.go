package goschema

import (
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// isQuoted reports whether the option string of a field's tag makes encoding/json write its values as strings:
// Booleans, numbers, strings and pointers to them, unless they marshal themselves.
func (r *Reader) isQuoted(in *gotypes.Declaration, e *gotypes.Expr) bool {
	if e.Form == gotypes.PointerForm {
		e = e.Elem
	}
	e = r.encoded(in, e)
	_, basic := crdschema.Basics[e.Name.Name]
	return e.Form == gotypes.BuiltinForm && basic
}

// quotedSchema returns the schema of a field whose values are strings because of the option string in its tag. Markers
// of its type do not apply to these strings.
func (t *deriver) quotedSchema(f *gotypes.DeclaredField) *crdschema.Schema {
	e := f.Type
	if e.Form == gotypes.PointerForm {
		e = e.Elem
	}
	if e.Form == gotypes.NamedForm {
		d := t.types.Follow(t.of, e)
		restricts := func(m model.Marker) bool {
			return strings.HasPrefix(m.Name, markers.Validation) || m.Name == "k8s:enum"
		}
		above := t.ofType(d)
		if t.diags = append(t.diags, above.diags...); slices.ContainsFunc(above.markers, restricts) && isOwn(t.of.Package) {
			t.diags.Warnf(
				t.types.Fset.Position(f.Pos),
				"the markers above %s do not restrict field %s, because the option string of its JSON tag encodes its values as strings", d.Name,
				f.Name,
			).
				WithRelated(t.types.Fset.Position(d.Pos)).Suggest("delete the option, or write markers for strings above the field")
		}
	}
	return &crdschema.Schema{Type: "string", Origin: crdschema.Origin{Quoted: true}}
}
