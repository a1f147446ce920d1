package applyconfiguration

import (
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/schemas/applyschema"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Builder returns the type of the struct's apply configuration: "CronTabSpecApplyConfiguration".
func (s *Struct) Builder() string { return s.Model.BuilderName() + render.ApplySuffix }

// ObjectKind returns the kind in objects. For a struct other than a kind, it returns the name of the constructor.
func (s *Struct) ObjectKind() string {
	if r := s.Model.Resource; r != nil && r.Wire != "" {
		return r.Wire
	}
	return s.Constructor()
}

// Constructor returns the name of the function that creates an apply configuration: "CronTabSpec".
func (s *Struct) Constructor() string { return s.Model.BuilderName() }

// BuilderRef returns the type named Builder, with its package if that is not the package of the file.
func (s *Struct) BuilderRef() gofile.Code {
	return s.Ident(s.ApplyPackage(s.Version.Model), s.Builder())
}

// HasTypeMeta reports whether the struct embeds metav1.TypeMeta.
func (s *Struct) HasTypeMeta() bool {
	return slices.ContainsFunc(s.Model.JSONFields(), func(f *model.Field) bool {
		return f.Embedded && f.Type.Name == model.TypeRef{Path: model.MetaV1, Name: "TypeMeta"}
	})
}

// IsApplyConfiguration reports whether the apply configuration implements runtime.ApplyConfiguration. It does for kinds
// and lists, unless a field has the name of the method.
func (s *Struct) IsApplyConfiguration() bool {
	takes := func(f builderField) bool { return f.Name == "IsApplyConfiguration" }
	return (s.IsKind() || s.HasTypeMeta()) && s.Has(model.ApplyConfigurationInterface) && !slices.ContainsFunc(s.builderFields(s.Model), takes)
}

// Extract returns the name of the function that extracts the fields of any subresource.
func (s *Struct) Extract() string {
	if s.Has(model.ExtractFrom) {
		return "Extract" + s.Kind() + "From"
	}
	return "extract" + s.Kind()
}

// Extracts reports whether there are Extract functions. They need the schema of the kind.
func (s *Struct) Extracts() bool { return s.Model.Resource != nil && s.Model.Resource.IsRoot() }

// SchemaType returns the name of the struct in the merge schema.
func (s *Struct) SchemaType() string { return applyschema.Name(s.Model) }

// Subresource is a part of a kind with its own Extract function.
type Subresource struct{ GoName, Path string }

// Subresources returns the subresources with an Extract function, ordered by path: the status, and the subresources of
// the kind's methods.
func (s *Struct) Subresources() []Subresource {
	var paths []string
	if s.Model.Resource.HasStatus || !s.Options().ClientGo().Has(model.ExtractFrom) { // older releases of client-go have it for every kind
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
		if goName != "From" && takenBy(s.Model, goName) == nil { // ExtractKindFrom takes the subresource as an argument
			list = append(list, Subresource{goName, p})
		}
	}
	return list
}

// takenBy returns the kind whose Extract function has the same name as the function for a part of this kind, or nil.
// For example, ExtractDeviceStatus is the function for the kind DeviceStatus, or for the status of Device.
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

// BuilderField is a field of an apply configuration.
type BuilderField struct {
	Doc  []string
	Decl gofile.Code // the declaration with its tag
}

// builderField is a field of a struct, with its form in the apply configuration.
type builderField struct {
	*model.Field
	inner    *model.Type // the type without pointers
	pointer  bool
	builder  gofile.Code // apply configuration of the type, or of the elements of a slice or map, or ""
	embedded bool        // embedded in the apply configuration
	pointers bool        // a slice of pointers whose setter takes pointers to the elements
	plain    bool        // embedded unchanged, or a field of a struct embedded unchanged
	within   gofile.Code // path of a plain field within the first embedded struct, ending in a dot
}

// BuilderFields returns the fields of the apply configuration, in the order of the struct's fields.
func (s *Struct) BuilderFields() []BuilderField {
	var list []BuilderField
	for _, f := range s.builderFields(s.Model) {
		list = append(list, BuilderField{f.Doc, f.decl(s) + " " + s.jsonTag(f.Field, f.plain || f.Inline())})
	}
	return list
}

// embedsStruct reports whether a struct is other, or embeds it directly or indirectly. Structs in seen do not.
// embedsStruct adds the structs that it visits.
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

// builderFields returns the fields of the apply configuration of a struct. If an embedded struct has no apply
// configuration, or one that cannot be embedded, it returns the inlined fields of the struct instead.
func (s *Struct) builderFields(of *model.StructType) []builderField {
	if of == s.Model && s.fields != nil {
		return s.fields
	}
	var list []builderField
	seen := map[string]bool{}
	embeds := map[string]bool{} // names that no embedded apply configuration may have
	for _, f := range of.JSONFields() {
		if !f.Embedded {
			embeds[f.Name] = true
		}
	}
	added := map[*model.StructType]bool{of: true}
	var add func(owner model.TypeRef, fields []*model.Field)
	add = func(owner model.TypeRef, fields []*model.Field) {
		for _, field := range fields {
			if s.hidden(owner, field) || seen[field.Name] || field.Untagged() && s.Options().Policy.OmitUntagged {
				continue
			}
			f := s.builderField(of, field)
			if f.embedded {
				f.embedded = !embeds[f.embed()] && !(f.Inline() && embedsStruct(f.inner.Struct, of, map[*model.StructType]bool{}))
				embeds[f.embed()] = true
				f.plain = f.plain && f.embedded
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

// builderField returns the form of a field in the apply configuration of a struct.
func (s *Struct) builderField(of *model.StructType, field *model.Field) builderField {
	f := builderField{Field: field, inner: field.Type.Target(), pointer: field.Type.IsPointer()}
	elem := f.inner
	if t := f.inner; t.Name.Name == "" && (t.Kind == model.Slice || t.Kind == model.Map) {
		elem = t.Elem
		if t.Kind == model.Slice && elem.IsPointer() {
			elem = elem.Underlying().Elem
			f.pointers = s.Options().Policy.PointersInSlices && s.builder(behindPointers(elem)) != ""
		}
	}
	if !f.pointers {
		f.builder = s.builder(elem)
	}
	if field.Unnamed() && f.builder == "" && (f.inner.Struct != nil || f.inner.Kind == model.Named) && token.IsExported(f.inner.Name.Name) {
		f.plain = s.Options().Policy.PlainEmbedded || encodes(of, f.inner)
		f.pointer = f.pointer && !f.plain
	}
	f.embedded = f.plain || field.Embedded && f.builder != "" && elem == f.inner
	return f
}

// encodes reports whether the methods of an embedded type determine the JSON form of a struct, as in
// struct{ resource.Quantity }.
func encodes(s *model.StructType, embedded *model.Type) bool {
	methods := methodSet(embedded)
	return (methods.JSON || methods.Text) && !s.Methods.JSON && !s.Methods.Text && encodesItself(s)
}

// behindPointers returns the target of a type of pointers to pointers.
func behindPointers(t *model.Type) *model.Type {
	for levels := 0; levels < 16 && t.IsPointer(); levels++ { // types with more levels, or such as "type P *P", have no apply configuration
		t = t.Underlying().Elem
	}
	return t
}

// plainFields returns the fields of a struct that an apply configuration embeds unchanged, and the fields of structs
// embedded in it. It skips structs in seen, and adds the structs that it visits.
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
				within.within = gofile.Name(f.Name) + "." + within.within
				list = append(list, within)
			}
		default:
			list = append(list, f)
		}
	}
	return list
}

// hidden reports whether apply configurations omit a field: a field of ObjectMeta that only servers write, a field with
// the NoApplyMarker, or a field marked as deprecated by its name.
func (s *Struct) hidden(owner model.TypeRef, f *model.Field) bool {
	return owner == model.TypeRef{Path: model.MetaV1, Name: "ObjectMeta"} && (f.Name == "ManagedFields" || f.Name == "SelfLink") ||
		strings.HasPrefix(f.Name, "ZZZ_") || !s.Options().Policy.NoOwnMarkers && model.HasMarker(f.Markers, model.NoApplyMarker)
}

// nillable reports whether the field is a slice or map without a type name. It is unset if it is nil, and needs no
// pointer.
func (f builderField) nillable() bool {
	return !f.pointer && f.inner.Name.Name == "" && (f.inner.Kind == model.Slice || f.inner.Kind == model.Map)
}

// typ returns the type of the parameter of the field's With method, without the pointer of an optional field.
func (f builderField) typ(s *Struct) gofile.Code {
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

// decl returns the declaration of the field: "Schedule *string".
func (f builderField) decl(s *Struct) gofile.Code {
	text := f.typ(s)
	if !f.plain && !f.nillable() && !(f.embedded && f.Inline()) {
		text = "*" + text
	}
	if f.embedded {
		return text
	}
	return gofile.Name(f.Name) + " " + text
}

// embed returns the name of the embedded field: the name of the apply configuration, or of the struct if it is plain.
func (f builderField) embed() string {
	if f.plain {
		return f.Name
	}
	return f.inner.Struct.BuilderName() + render.ApplySuffix
}

// jsonTag returns the struct tag of a field in the apply configuration, which may be inline.
func (s *Struct) jsonTag(f *model.Field, inline bool) gofile.Code {
	value := ",omitempty"
	switch {
	case !inline && f.Quoted():
		value = f.JSON() + ",omitempty,string"
	case !inline:
		value = f.JSON() + ",omitempty"
	case s.Has(model.PlainInlineTag):
		if !f.OmitEmpty() {
			value = ""
		}
	case f.OmitEmpty():
		value = ",omitempty,inline"
	default:
		value = ",inline"
	}
	return gofile.Tag("json", value)
}
