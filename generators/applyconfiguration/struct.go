package applyconfiguration

import (
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/render"
	"github.com/kubegen/kubegen/internal/schema"
)

// Builder returns "CronTabSpecApplyConfiguration", the type of the struct's apply configuration.
func (s *Struct) Builder() string { return s.Model.BuilderName() + render.ApplySuffix }

// Constructor returns "CronTabSpec", the name of the constructor.
func (s *Struct) Constructor() string { return s.Model.BuilderName() }

// BuilderRef returns the same type for files of other packages.
func (s *Struct) BuilderRef() string {
	return s.Ident(s.ApplyPackage(s.Version.Model), s.Builder())
}

// HasTypeMeta reports whether the struct has kind and apiVersion.
func (s *Struct) HasTypeMeta() bool {
	return slices.ContainsFunc(s.Model.JSONFields(), func(f *model.Field) bool { return f.Embedded && is(f.Type, "TypeMeta") })
}

// IsApplyConfiguration reports whether the apply configuration implements runtime.ApplyConfiguration: it does for a
// kind or list, unless a field has the name of the method.
func (s *Struct) IsApplyConfiguration() bool {
	takes := func(f builderField) bool { return f.Name == "IsApplyConfiguration" }
	return (s.IsKind() || s.HasTypeMeta()) && s.Has(model.ApplyConfigurationInterface) && !slices.ContainsFunc(s.builderFields(s.Model), takes)
}

// Extract returns the function for all subresources.
func (s *Struct) Extract() string {
	if s.Has(model.ExtractFrom) {
		return "Extract" + s.Kind() + "From"
	}
	return "extract" + s.Kind()
}

// Extracts reports whether there are Extract functions, which need the schema of the kind.
func (s *Struct) Extracts() bool { return s.Model.Resource != nil && s.Model.Resource.IsRoot() }

// SchemaType returns the name of the struct in the schema.
func (s *Struct) SchemaType() string { return schema.Name(s.Model) }

// Subresource is a part of a kind that is applied separately.
type Subresource struct{ GoName, Path string }

// Subresources returns the parts that have an Extract function: the status, and the subresources of the kind's methods,
// ordered by path.
func (s *Struct) Subresources() []Subresource {
	var paths []string
	if s.Model.Resource.HasStatus || !s.Options().ClientGo().Has(model.ExtractFrom) { // older releases of client-go have it for all kinds
		paths = append(paths, "status")
	}
	for _, m := range s.Model.Resource.Methods {
		if m.Subresource != "" && s.Has(model.ExtractFrom) {
			paths = append(paths, m.Subresource)
		}
	}
	slices.Sort(paths)
	var list []Subresource
	for _, p := range slices.Compact(paths) {
		goName := ""
		for _, word := range strings.FieldsFunc(p, func(r rune) bool { return !isWord(r) }) {
			goName += strings.ToUpper(word[:1]) + strings.ToLower(word[1:])
		}
		if goName != "From" && s.takenBy(goName) == nil { // ExtractKindFrom is for all of them
			list = append(list, Subresource{goName, p})
		}
	}
	return list
}

// takenBy returns the kind that has the function for a part of this kind as its own, such as ExtractDeviceStatus, nil if
// there is none.
func (s *Struct) takenBy(part string) *model.StructType { return takenBy(s.Model, part) }

func takenBy(s *model.StructType, part string) *model.StructType {
	if s.Version == nil || s.Resource == nil {
		return nil
	}
	for _, other := range s.Version.Structs {
		if other != s && other.Resource != nil && other.Resource.IsRoot() && other.Resource.Kind == s.Resource.Kind+part {
			return other
		}
	}
	return nil
}

func isWord(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' }

// is reports whether a type is the one of meta/v1 with that name.
func is(t *model.Type, name string) bool {
	return t.Name == model.TypeRef{Path: model.MetaV1, Name: name}
}

// BuilderField is a field of an apply configuration.
type BuilderField struct {
	Doc  []string
	Decl string // with tag
}

// builderField is a field of the struct, with its form in the apply configuration.
type builderField struct {
	*model.Field
	inner    *model.Type // without pointers
	pointer  bool
	builder  string // apply configuration of the type, or of the elements of a slice or map
	embedded bool   // in the apply configuration
	pointers bool   // a slice of pointers whose elements are not replaced with apply configurations
	plain    bool   // embedded unchanged, or a field of such a struct
	within   string // path, ending in a dot, of a plain field within the first embedded struct
}

// BuilderFields returns the fields of the apply configuration.
func (s *Struct) BuilderFields() []BuilderField {
	var list []BuilderField
	for _, f := range s.builderFields(s.Model) {
		list = append(list, BuilderField{f.Doc, f.decl(s) + " " + s.jsonTag(f.Field)})
	}
	return list
}

// embedsStruct reports whether a struct is another one, or embeds it directly or indirectly. seen are structs that are not and do
// not.
func embedsStruct(s, other *model.StructType, seen map[*model.StructType]bool) bool {
	if s == other || seen[s] {
		return s == other
	}
	seen[s] = true
	return slices.ContainsFunc(s.JSONFields(), func(f *model.Field) bool {
		t := f.Type.Deref()
		return f.Inline() && t.Struct != nil && embedsStruct(t.Struct, other, seen)
	})
}

// builderFields returns the fields of a struct's apply configuration. If an embedded struct has no apply configuration,
// or one that cannot be embedded, its inlined fields are included.
func (s *Struct) builderFields(of *model.StructType) []builderField {
	if of == s.Model && s.fields != nil {
		return s.fields
	}
	var list []builderField
	seen := map[string]bool{}
	embeds := map[string]bool{} // names that an embedded apply configuration cannot have
	for _, f := range of.JSONFields() {
		if !f.Embedded {
			embeds[f.Name] = true
		}
	}
	added := map[*model.StructType]bool{of: true}
	var add func(owner model.TypeRef, fields []*model.Field)
	add = func(owner model.TypeRef, fields []*model.Field) {
		for _, field := range fields {
			if hidden(owner, field.Name) || seen[field.Name] || field.Untagged() && s.Options().Classic {
				continue
			}
			f := s.builderField(field)
			if f.embedded {
				f.embedded = !embeds[f.embed()] && !(f.Inline() && embedsStruct(f.inner.Struct, of, map[*model.StructType]bool{}))
				embeds[f.embed()] = true
			}
			if inner := f.inner.Struct; f.Inline() && !f.embedded {
				if inner == nil {
					add(model.TypeRef{}, f.inner.JSONFields())
				} else if !added[inner] {
					added[inner] = true
					add(inner.TypeRef, inner.JSONFields())
				}
				continue
			}
			seen[field.Name] = true
			list = append(list, f)
		}
	}
	add(of.TypeRef, of.JSONFields())
	if of == s.Model {
		s.fields = list
	}
	return list
}

func (s *Struct) builderField(field *model.Field) builderField {
	f := builderField{Field: field, inner: field.Type.Deref(), pointer: field.Type.Kind == model.Pointer}
	elem := f.inner
	if t := f.inner; t.Name.Name == "" && (t.Kind == model.Slice || t.Kind == model.Map) {
		elem = t.Elem
		if t.Kind == model.Slice && elem.Kind == model.Pointer {
			elem = elem.Elem
			f.pointers = s.Options().Classic && s.builder(elem) != ""
		}
	}
	if !f.pointers {
		f.builder = s.builder(elem)
	}
	f.plain = s.Options().Classic && f.Inline() && f.builder == "" && f.inner.Struct != nil && token.IsExported(f.inner.Name.Name)
	f.embedded = f.plain || field.Embedded && f.builder != "" && elem == f.inner
	return f
}

// plainFields returns the fields of a struct that an apply configuration embeds unchanged, including those of nested
// embedded structs. It looks into each struct that is not among seen, once.
func (s *Struct) plainFields(of *model.StructType, seen map[*model.StructType]bool) []builderField {
	if seen[of] {
		return nil
	}
	seen[of] = true
	var list []builderField
	for _, field := range of.JSONFields() {
		f := builderField{Field: field, inner: field.Type, plain: true}
		if f.inner.Kind == model.Pointer {
			f.inner, f.pointer = f.inner.Elem, true
		}
		switch {
		case field.Untagged(), f.inner.Kind == model.Pointer, field.Embedded && f.pointer:
		case field.Embedded && f.inner.Struct != nil:
			for _, within := range s.plainFields(f.inner.Struct, seen) {
				within.within = f.Name + "." + within.within
				list = append(list, within)
			}
		default:
			list = append(list, f)
		}
	}
	return list
}

// hidden reports whether apply configurations omit a field: fields of ObjectMeta that only servers write, and fields
// whose name marks them as deprecated.
func hidden(owner model.TypeRef, field string) bool {
	return owner == model.TypeRef{Path: model.MetaV1, Name: "ObjectMeta"} && (field == "ManagedFields" || field == "SelfLink") ||
		strings.HasPrefix(field, "ZZZ_")
}

// nillable reports whether the field's type has nil, so that it needs no pointer to be unset.
func (f builderField) nillable() bool {
	return !f.pointer && f.inner.Name.Name == "" && (f.inner.Kind == model.Slice || f.inner.Kind == model.Map)
}

// typ returns the type of the field, without the pointer for types that are not nillable.
func (f builderField) typ(s *Struct) string {
	switch {
	case f.builder == "":
		return s.goType(f.inner)
	case f.inner.Kind == model.Slice:
		return "[]" + f.builder
	case f.inner.Kind == model.Map:
		return "map[" + s.goType(f.inner.Key) + "]" + f.builder
	}
	return f.builder
}

// decl returns "Schedule *string".
func (f builderField) decl(s *Struct) string {
	text := f.typ(s)
	if !f.nillable() && !(f.embedded && f.Inline()) {
		text = "*" + text
	}
	if f.embedded {
		return text
	}
	return f.Name + " " + text
}

// embed returns the name of the embedded field: of the apply configuration, or of the struct if that has none.
func (f builderField) embed() string {
	if f.plain {
		return f.Name
	}
	return f.inner.Struct.BuilderName() + render.ApplySuffix
}

// jsonTag returns the struct tag of a field in the apply configuration.
func (s *Struct) jsonTag(f *model.Field) string {
	value := f.JSON() + ",omitempty"
	switch {
	case f.Inline() && s.Has(model.PlainInlineTag):
		if !f.OmitEmpty() {
			value = ""
		}
	case f.Inline():
		value = ",inline"
	}
	tag := "json:" + strconv.Quote(value)
	if strconv.CanBackquote(tag) {
		return "`" + tag + "`"
	}
	return strconv.Quote(tag)
}
