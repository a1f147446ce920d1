package goschema

import (
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// formOf returns the schema that markers must fit: the schema itself or, if it is a reference without a type, the form
// of the type.
func (r *Reader) formOf(s *crdschema.Schema) *crdschema.Schema {
	if s.Ref == nil || s.Type != "" {
		return s
	}
	return r.form(RefOf(s))
}

// form returns the schema of a declared type without its parts: its type and format, and whether it allows integers and
// strings.
func (r *Reader) form(d *gotypes.Declaration) *crdschema.Schema {
	if s, ok := crdschema.Known[d.TypeRef]; ok {
		return s
	}
	if s, ok := r.forms[d]; ok {
		return s
	}
	r.forms[d] = &crdschema.Schema{} // for a type that is declared as a pointer to itself
	s := &crdschema.Schema{}
	if json, text := r.types.Marshals(d); text && !json {
		s.Type = "string"
	} else {
		*s = *r.exprForm(d, d.Type)
	}
	for _, m := range r.OfType(d).Markers {
		switch m.Name {
		case markers.Validation + "Type":
			s.Type, s.Format = m.Value.(string), ""
		case markers.Validation + "XIntOrString":
			s.IntOrString = true
		}
	}
	r.forms[d] = s
	return s
}

// exprForm returns the form of a type expression in a declaration, or the zero Schema if it is unknown.
func (r *Reader) exprForm(in *gotypes.Declaration, e *gotypes.Expr) *crdschema.Schema {
	switch e.Form {
	case gotypes.BuiltinForm:
		basic := crdschema.Basics[e.Name.Name]
		return &crdschema.Schema{Type: basic.Type, Format: basic.Format}
	case gotypes.NamedForm:
		if ofNumber(in, e) {
			return &crdschema.Schema{Type: "string"}
		}
		if d := r.types.Follow(in, e); d != nil {
			return r.form(d)
		}
	case gotypes.PointerForm:
		return r.exprForm(in, e.Elem)
	case gotypes.SliceForm, gotypes.ArrayForm:
		if r.isBytes(in, e) {
			return &crdschema.Schema{Type: "string", Format: "byte"}
		}
		return &crdschema.Schema{Type: "array"}
	case gotypes.MapForm, gotypes.StructForm:
		return &crdschema.Schema{Type: "object"}
	}
	return &crdschema.Schema{}
}

// isBytes reports whether encoding/json writes a list as a base64 string: a slice of bytes that do not marshal
// themselves.
func (r *Reader) isBytes(in *gotypes.Declaration, e *gotypes.Expr) bool {
	if e.Form != gotypes.SliceForm {
		return false
	}
	elem := r.encoded(in, e.Elem)
	return elem.Form == gotypes.BuiltinForm && (elem.Name == model.TypeRef{Name: "byte"} || elem.Name == model.TypeRef{Name: "uint8"})
}

// encoded returns the type that encoding/json writes for a type expression in a declaration: a predeclared type or type
// literal. It returns a type without a name if the type is not found or marshals itself.
func (r *Reader) encoded(in *gotypes.Declaration, e *gotypes.Expr) *gotypes.Expr {
	if e.Form != gotypes.NamedForm {
		return e
	}
	if d := r.types.Follow(in, e); d != nil {
		json, text := r.types.Marshals(d)
		if under, _ := r.types.Underlying(d); under != nil && !json && !text {
			return under
		}
	}
	return &gotypes.Expr{Form: gotypes.NamedForm}
}

// isQuoted reports whether the option string of a field's tag makes encoding/json write its values as strings:
// Booleans, numbers, strings and pointers to them, unless they marshal themselves.
func (r *Reader) isQuoted(in *gotypes.Declaration, e *gotypes.Expr) bool {
	e = r.encoded(in, e.Target())
	_, basic := crdschema.Basics[e.Name.Name]
	return e.Form == gotypes.BuiltinForm && basic
}

// elementForm returns the form of the list elements of a declared type.
func (r *Reader) elementForm(d *gotypes.Declaration) *crdschema.Schema {
	if list, in := r.types.Underlying(d); list != nil && list.Elem != nil {
		return r.exprForm(in, list.Elem)
	}
	return &crdschema.Schema{}
}
