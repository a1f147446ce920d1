package applyconfiguration

import (
	"cmp"
	"go/token"
	"slices"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// builder returns the apply configuration of a struct type. It returns "" for other types, and for structs without one.
func (s *Struct) builder(t *model.Type) gofile.Code {
	if t.Kind != model.Struct || t.Struct == nil {
		return ""
	}
	pkg := s.home(t.Struct)
	if pkg == "" {
		return ""
	}
	return s.Ident(pkg, t.Struct.BuilderName()+render.ApplySuffix)
}

// home returns the package of the apply configuration of a struct, or "" if there is none.
func (s *Struct) home(of *model.StructType) string {
	if of.Version != nil && !of.External {
		return s.ApplyPackage(of.Version)
	}
	return cmp.Or(s.Options().Externals[of.TypeRef], of.Published)
}

// isPublishedMeta reports whether a struct is ObjectMeta, with the apply configuration of client-go.
func (s *Struct) isPublishedMeta(of *model.StructType) bool {
	return of.TypeRef == model.TypeRef{Path: model.MetaV1, Name: "ObjectMeta"} && s.home(of) == Published.Of(model.MetaV1)
}

// goType returns the Go syntax of a type. An unexported type of another package is replaced with its underlying type,
// or with any if that contains itself or is too large.
func (s *Struct) goType(t *model.Type) gofile.Code {
	switch t.Kind {
	case model.Slice:
		return "[]" + s.goType(t.Elem)
	case model.Array:
		return "[" + gofile.Length(t.Len) + "]" + s.goType(t.Elem)
	case model.Map:
		return "map[" + s.goType(t.Key) + "]" + s.goType(t.Elem)
	case model.Pointer:
		return "*" + s.goType(t.Elem)
	}
	switch exported := token.IsExported(t.Name.Name); {
	case t.Name.Name == "" && t.Kind == model.Interface:
		return "any"
	case t.Name.Path == "" && t.Name.Name != "":
		return gofile.Name(t.Name.Name)
	case exported:
		name := s.TypeRef(t.Name)
		var args []gofile.Code
		for _, arg := range t.Args {
			args = append(args, s.goType(arg))
		}
		if len(args) > 0 {
			name += "[" + gofile.Join(args, ", ") + "]"
		}
		return name
	case t.Kind == model.Interface || !t.Unfolds():
		return "any"
	case t.Elem != nil:
		return s.goType(t.Elem)
	}
	b := gofile.Code("struct {\n")
	for _, f := range unfolded(t, map[*model.Type]bool{}) {
		name := f.Name
		switch {
		case !token.IsExported(name): // an embedded struct with a name in JSON
			name = f.Type.Deref().Struct.BuilderName()
		case f.Embedded:
			name = ""
		}
		if name != "" {
			b += gofile.Name(name) + " "
		}
		b += s.goType(f.Type) + " " + s.jsonTag(f, f.Inline()) + "\n"
	}
	return b + "}"
}

// unfolded returns the JSON fields of an unexported struct. Embedded unexported structs are replaced with their fields.
// Each struct is visited once, to end recursion.
func unfolded(t *model.Type, seen map[*model.Type]bool) (list []*model.Field) {
	if seen[t] {
		return nil
	}
	seen[t] = true
	var embedded []*model.Type
	for _, f := range t.JSONFields() {
		switch inner := f.Type.Deref(); {
		case token.IsExported(f.Name):
			list = append(list, f)
		case f.Inline():
			embedded = append(embedded, inner)
		case inner.Struct != nil: // JSON ignores other unexported fields
			list = append(list, f)
		}
	}
	for _, inner := range embedded {
		for _, f := range unfolded(inner, seen) {
			if !slices.ContainsFunc(list, func(outer *model.Field) bool { return outer.Name == f.Name || outer.JSON() == f.JSON() }) {
				list = append(list, f)
			}
		}
	}
	return list
}
