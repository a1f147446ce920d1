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
		above := t.ofType(d)
		t.diags, t.quoted[d] = append(t.diags, above.diags...), true
		if slices.ContainsFunc(above.markers, func(m model.Marker) bool { return restricts(m.Name) }) && isOwn(t.of.Package) {
			t.diags.Warnf(
				t.types.Fset.Position(f.Pos),
				"the markers above %s do not restrict field %s, because the option string of its JSON tag encodes its values as strings", d.Name,
				f.Name,
			).WithRelated(t.types.Fset.Position(d.Pos)).Suggest("delete the option, or write markers for strings above the field")
		}
	}
	return &crdschema.Schema{Type: "string", Origin: crdschema.Origin{Quoted: true}}
}

// restricts reports whether a marker validates the values of a type, for which quotedSchema reports fields.
func restricts(name string) bool {
	return strings.HasPrefix(name, markers.Validation) || name == "k8s:enum"
}
