package generators

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/schema"
)

// Builder returns "CronTabSpecApplyConfiguration", the type of the struct's apply configuration.
func (d *Data) Builder() string { return d.of.BuilderName() + suffix }

// Constructor returns "CronTabSpec", the function that makes one.
func (d *Data) Constructor() string { return d.of.BuilderName() }

// BuilderRef returns the same type for files of other packages.
func (d *Data) BuilderRef() string { return d.ref(d.applyPackage(d.of.Version), d.Builder()) }

// IsKind reports whether the struct is a kind.
func (d *Data) IsKind() bool { return d.of.Resource != nil }

// IsGeneric reports whether the struct is an instance of a generic type.
func (d *Data) IsGeneric() bool { return len(d.of.Args) > 0 }

// Doc returns the lines of the struct's comment.
func (d *Data) Doc() []string { return d.of.Doc }

// HasTypeMeta reports whether the struct says what kind it is.
func (d *Data) HasTypeMeta() bool {
	return slices.ContainsFunc(d.of.Fields, func(f *model.Field) bool { return f.Embedded && is(f.Type, "TypeMeta") })
}

// IsApplyConfiguration reports whether the apply configuration is a runtime.ApplyConfiguration: that of a kind or list is,
// unless a field takes the name of its method.
func (d *Data) IsApplyConfiguration() bool {
	takes := func(f builderField) bool { return f.Name == "IsApplyConfiguration" }
	return (d.IsKind() || d.HasTypeMeta()) && d.Has("ApplyConfigurationInterface") && !slices.ContainsFunc(d.builderFields(d.of), takes)
}

// APIVersion returns "stable.example.com/v1".
func (d *Data) APIVersion() string { return d.version.GroupVersion().String() }

// Extract returns the function for all subresources.
func (d *Data) Extract() string {
	if d.Has("ExtractFrom") {
		return "Extract" + d.Kind() + "From"
	}
	return "extract" + d.Kind()
}

// Extracts reports whether what was applied can be told from an object, as needs a schema of the kind.
func (d *Data) Extracts() bool { return d.of.Resource != nil && d.of.Resource.IsRoot() }

// SchemaType returns the name of the struct in the schema.
func (d *Data) SchemaType() string { return schema.Name(d.of) }

// Parser returns the function that returns the schema.
func (d *Data) Parser() string { return d.ref(d.opts.ApplyConfigurations+"/internal", "Parser") }

// SchemaPackage returns the package of structured-merge-diff that client-go works with.
func (d *Data) SchemaPackage() string {
	if d.Has("SchemeTypeConverter") {
		return "typed"
	}
	return "typedv4"
}

// Subresource is a part of a kind that is applied to separately.
type Subresource struct{ GoName, Path string }

// Subresources returns the parts that have an Extract function: the status, and the subresources of the kind's methods,
// ordered by path.
func (d *Data) Subresources() []Subresource {
	var paths []string
	if d.of.Resource.HasStatus || !d.opts.release().Has("ExtractFrom") { // older releases have it for all kinds
		paths = append(paths, "status")
	}
	for _, m := range d.of.Resource.Methods {
		if m.Subresource != "" && d.Has("ExtractFrom") {
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
		if goName != "From" { // ExtractKindFrom is for all of them
			list = append(list, Subresource{goName, p})
		}
	}
	return list
}

func isWord(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' }

const metav1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

// is reports whether a type is the one of metav1 with that name.
func is(t *model.Type, name string) bool { return t.Name == model.TypeRef{Path: metav1, Name: name} }

// BuilderField is a field of an apply configuration.
type BuilderField struct {
	Doc  []string
	Decl string // with tag
}

// builderField is a field of the struct, and what becomes of it.
type builderField struct {
	*model.Field
	inner    *model.Type // without pointers
	pointer  bool
	builder  string // apply configuration of the type, or of the elements of a slice or map
	embedded bool   // in the apply configuration
}

// BuilderFields returns the fields of the apply configuration.
func (d *Data) BuilderFields() []BuilderField {
	var list []BuilderField
	for _, f := range d.builderFields(d.of) {
		list = append(list, BuilderField{f.Doc, f.decl(d) + " " + d.jsonTag(f.Field)})
	}
	return list
}

// builderFields returns the fields of a struct's apply configuration. The fields of embedded structs without an apply
// configuration become its own where they are its own in JSON.
func (d *Data) builderFields(s *model.StructType) []builderField {
	var list []builderField
	seen := map[string]bool{}
	open := []*model.StructType{s}
	var add func(owner model.TypeRef, fields []*model.Field)
	add = func(owner model.TypeRef, fields []*model.Field) {
		for _, field := range fields {
			if hidden(owner, field.Name) || seen[field.Name] {
				continue
			}
			f := d.builderField(field)
			if inner := f.inner.Struct; f.Inline && !f.embedded {
				if inner == nil {
					add(model.TypeRef{}, f.inner.Fields)
				} else if !slices.Contains(open, inner) {
					open = append(open, inner)
					add(inner.TypeRef, inner.Fields)
					open = open[:len(open)-1]
				}
				continue
			}
			seen[field.Name] = true
			list = append(list, f)
		}
	}
	add(s.TypeRef, s.Fields)
	return list
}

func (d *Data) builderField(field *model.Field) builderField {
	f := builderField{Field: field, inner: field.Type}
	for f.inner.Kind == model.Pointer {
		f.inner, f.pointer = f.inner.Elem, true
	}
	elem := f.inner
	if t := f.inner; t.Name.Name == "" && (t.Kind == model.Slice || t.Kind == model.Map) {
		elem = t.Elem
		if t.Kind == model.Slice && elem.Kind == model.Pointer {
			elem = elem.Elem
		}
	}
	f.builder = d.builder(elem)
	f.embedded = field.Embedded && f.builder != "" && elem == f.inner
	return f
}

// hidden reports whether a field stays out of apply configurations: those of ObjectMeta that only servers write, and
// fields on their way out, which Kubernetes names so.
func hidden(owner model.TypeRef, field string) bool {
	return owner == model.TypeRef{Path: metav1, Name: "ObjectMeta"} && (field == "ManagedFields" || field == "SelfLink") ||
		strings.HasPrefix(field, "ZZZ_")
}

// nillable reports whether the field needs no pointer to tell nothing from zero.
func (f builderField) nillable() bool {
	return !f.pointer && f.inner.Name.Name == "" && (f.inner.Kind == model.Slice || f.inner.Kind == model.Map)
}

// typ returns the type of the field, less the pointer in front of what is not nillable.
func (f builderField) typ(d *Data) string {
	switch {
	case f.builder == "":
		return d.goType(f.inner)
	case f.inner.Kind == model.Slice:
		return "[]" + f.builder
	case f.inner.Kind == model.Map:
		return "map[" + d.goType(f.inner.Key) + "]" + f.builder
	}
	return f.builder
}

// decl returns "Schedule *string".
func (f builderField) decl(d *Data) string {
	text := f.typ(d)
	if !f.nillable() && !(f.embedded && f.Inline) {
		text = "*" + text
	}
	if f.embedded {
		return text
	}
	return f.Name + " " + text
}

// embed returns the name of the field that embeds the apply configuration.
func (f builderField) embed() string { return f.inner.Struct.BuilderName() + suffix }

// jsonTag returns the struct tag of what becomes of a field.
func (d *Data) jsonTag(f *model.Field) string {
	value := f.JSON + ",omitempty"
	switch {
	case f.Inline && d.Has("PlainInlineTag"):
		value = ""
	case f.Inline:
		value = ",inline"
	}
	tag := "json:" + strconv.Quote(value)
	if strconv.CanBackquote(tag) {
		return "`" + tag + "`"
	}
	return strconv.Quote(tag)
}

// SchemaYAML returns the schema of all structs as a Go string.
func (d *Data) SchemaYAML() string {
	if strings.Contains(d.schema, "`") {
		return strconv.Quote(d.schema)
	}
	return "`" + d.schema + "`"
}

// schema returns the schema of all structs. What an OpenAPI document says of a type wins.
func (o *Options) schema(api *model.API) (string, error) {
	text, diags := schema.Derive(api.Structs)
	if len(diags) > 0 {
		return "", SchemaMistakes{diags}
	}
	var err error
	if o.OpenAPI != nil {
		if text, err = schema.Override(text, o.OpenAPI); err != nil {
			err = fmt.Errorf("OpenAPI document: %w", err)
		}
	}
	return string(text), err
}

// SchemaMistakes is the error that there is no schema, for the reasons listed.
type SchemaMistakes struct{ diag.List }

func (SchemaMistakes) Error() string { return "there is no schema of the apply configurations" }
