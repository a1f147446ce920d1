package applyconfiguration

import (
	"go/token"
	"strings"

	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/render"
)

// builder returns the apply configuration of a struct type; "" for other types, and structs that have none.
func (s *Struct) builder(t *model.Type) string {
	if t.Kind != model.Struct || t.Struct == nil {
		return ""
	}
	of := t.Struct
	pkg := s.Options().Externals[of.TypeRef]
	switch {
	case pkg != "":
	case of.Version != nil:
		pkg = s.ApplyPackage(of.Version)
	case of.Published != "":
		pkg = of.Published
	default:
		return ""
	}
	return s.Ident(pkg, of.BuilderName()+render.ApplySuffix)
}

// goType returns the text for a Go type. For an unexported type of another package it is that of the underlying type.
func (s *Struct) goType(t *model.Type) string {
	switch t.Kind {
	case model.Slice:
		return "[]" + s.goType(t.Elem)
	case model.Array:
		return "[" + t.Len + "]" + s.goType(t.Elem)
	case model.Map:
		return "map[" + s.goType(t.Key) + "]" + s.goType(t.Elem)
	case model.Pointer:
		return "*" + s.goType(t.Elem)
	}
	switch exported := token.IsExported(t.Name.Name); {
	case t.Name.Name == "" && t.Kind == model.Interface:
		return "any"
	case t.Name.Path == "" && t.Name.Name != "":
		return t.Name.Name
	case exported:
		name := s.TypeRef(t.Name)
		var args []string
		for _, arg := range t.Args {
			args = append(args, s.goType(arg))
		}
		if len(args) > 0 {
			name += "[" + strings.Join(args, ", ") + "]"
		}
		return name
	case t.Kind == model.Interface:
		return "any"
	case t.Elem != nil:
		return s.goType(t.Elem)
	}
	var b strings.Builder
	b.WriteString("struct {\n")
	for _, f := range t.JSONFields() {
		if !f.Embedded {
			b.WriteString(f.Name + " ")
		}
		b.WriteString(s.goType(f.Type) + " " + s.jsonTag(f) + "\n")
	}
	return b.String() + "}"
}
