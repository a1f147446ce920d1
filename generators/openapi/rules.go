package openapi

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// violationText is the beginning of the text of a violation.
const violationText = "API rule violation: "

// violation is a violation of the API rules that openapi-gen checks.
type violation struct {
	text string
	*field
}

// violations returns the violations in the fields of a struct.
func (r *reader) violations(d *gotypes.Declaration) (found []violation) {
	fields := r.fieldsOf(r.declared(d))
	report := func(is bool, rule string, f *field) {
		if is {
			found = append(found, violation{violationText + rule + "," + d.Path + "," + d.Name + "," + f.name, f})
		}
	}
	has := func(name string) bool {
		return slices.ContainsFunc(fields, func(f *field) bool { return f.name == name })
	}
	for _, f := range fields {
		report(!r.hides(d, f) && !r.fits(f), "names_match", f)
		for _, option := range f.options {
			isOther := option != "omitempty" && strings.EqualFold(option, "omitempty")
			report(isOther && !strings.HasPrefix(f.tag, "-,"), "omitempty_match_case", f)
		}
		isItems := f.name == "Items" && has("ListMeta")
		report(r.isSlice(f, isItems) && r.marks(f.comment, "listType") == isItems, "list_type_missing", f)
	}
	if len(fields) != 3 || !has("TypeMeta") || !has("ListMeta") || !has("Items") {
		return found
	}
	for i, of := range []struct{ name, json, protobuf string }{
		{"TypeMeta", ",inline", ""}, {"ListMeta", "metadata,omitempty", "bytes,1,opt,name=metadata"},
		{"Items", "items", "bytes,2,rep,name=items"},
	} {
		f := fields[slices.IndexFunc(fields, func(f *field) bool { return f.name == of.name })]
		isInline := i == 0 && r.byTag && f.embedded && f.tagged && f.tag == ""
		report(fields[i] != f, "streaming_list_type_field_order", f)
		report(f.tag != of.json && !isInline || i == 0 && r.byTag && !f.embedded, "streaming_list_type_json_tags", f)
		protobuf := f.Tag.Get("protobuf")
		report(protobuf != "" && protobuf != of.protobuf, "streaming_list_type_proto_tags", f)
	}
	return found
}

// isSlice reports whether the type of a field is a slice without a name, other than of bytes unless these count. The
// type of a field that JSON ignores is only known as it is written.
func (r *reader) isSlice(f *field, bytes bool) bool {
	isByte := func(name string) bool { return name == "byte" || name == "uint8" || name == "int8" } // the same for openapi-gen
	if f.Type.Form != gotypes.OtherForm {
		t := r.typeOf(f)
		return t.Form == gotypes.SliceForm && t.decl == nil && (bytes || !isByte(t.Elem.Name.Name))
	}
	decl, _ := r.Lookup(f.in.Package, f.in.Name)
	written, ok := decl.Type.Type.(*ast.StructType)
	if !ok {
		return false
	}
	i := slices.IndexFunc(written.Fields.List, func(one *ast.Field) bool { return one.Pos() <= f.Pos && f.Pos < one.End() })
	t, ok := written.Fields.List[i].Type.(*ast.ArrayType)
	return ok && t.Len == nil && (bytes || !isByte(types.ExprString(t.Elt)))
}

// fits reports whether the name of a field in JSON follows from its name in Go.
func (r *reader) fits(f *field) bool {
	name, _, _ := strings.Cut(f.tag, ",")
	if !f.tagged || f.tag == "-" {
		return f.tagged
	}
	if name == "-" {
		return false
	}
	t := r.typeOf(f)
	isUpper := func(b byte) bool { return 'A' <= b && b <= 'Z' }
	switch {
	case name == "":
		if t.Form == gotypes.PointerForm {
			t = r.elem(t)
		}
		return t.Form == gotypes.StructForm
	case t.decl != nil && t.decl.Path == model.MetaV1 && (t.decl.Name == "ListMeta" || t.decl.Name == "ObjectMeta"):
		return name == "metadata"
	case strings.ContainsAny(f.name+name, "_-"), !strings.EqualFold(f.name, name), !isUpper(f.name[0]), isUpper(name[0]):
		return false
	}
	for i := range len(f.name) {
		if f.name[i] == name[i] { // the first word ends before
			return f.name[i:] == name[i:] && (i == 1 || isUpper(f.name[i]))
		}
	}
	return true
}
