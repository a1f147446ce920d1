package parser

import (
	"go/ast"
	"go/token"
	"reflect"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/model"
)

// readStruct reads the fields of a struct. The tools of k8s.io/code-generator also follow the types of fields that are
// not in JSON.
func (r *typeReader) readStruct(s *pendingStruct) {
	if s.fields == nil {
		return
	}
	s.Fields = r.fieldsIn(s.scope, s.fields, r.cfg.Classic)
	if s.Package == nil || s.Methods.JSON {
		return
	}
	for _, f := range s.fields.List {
		if _, tagged := structTag(f).Lookup("json"); tagged || len(f.Names) == 0 {
			continue
		}
		if name := f.Names[0].Name; token.IsExported(name) {
			r.Warnf(r.fset.Position(f.Pos()), "field %s of %s has no JSON tag: the apply configuration omits it", name, s.Name).
				Suggest("add one, or `json:\"-\"` if the field is not part of the API")
		}
	}
}

// fieldsIn returns the fields of a struct. It follows the types of those that are in JSON, or of all.
func (r *typeReader) fieldsIn(at scope, list *ast.FieldList, all bool) []*model.Field {
	var fields []*model.Field
	for _, f := range list.List {
		names, embedded := f.Names, len(f.Names) == 0
		if embedded {
			names = []*ast.Ident{{NamePos: f.Type.Pos(), Name: baseName(f.Type)}}
		}
		tag := structTag(f)
		reader := r
		if json, tagged := tag.Lookup("json"); !all && (json == "-" || !tagged && !embedded) {
			reader = r.outline()
		}
		t := reader.typeOf(at, f.Type)
		var doc []string
		var markers []model.Marker
		if r.copies == nil {
			doc, markers = docLines(f.Doc), reader.withConstants(at, schemaMarkers(r.fset, f.Doc))
		}
		for _, name := range names {
			fields = append(fields, &model.Field{
				Pos: r.fset.Position(name.Pos()), Name: name.Name, Tag: tag, Embedded: embedded, Type: t, Doc: doc, Markers: markers,
			})
		}
	}
	return fields
}

// reportClashes warns about fields with the name of a field of a preceding embedded struct, which gets the With method.
func (r *typeReader) reportClashes(s *model.StructType) {
	before := map[string]string{} // name of a field -> JSON name if it is a field of the enclosing struct, or "."
	var add func(fields []*model.Field, inline bool, depth int)
	add = func(fields []*model.Field, inline bool, depth int) {
		for _, f := range fields {
			inner := f.Type.Behind()
			switch {
			case f.Embedded && inner.Struct != nil && depth < 8:
				add(inner.Struct.JSONFields(), inline && f.Inline(), depth+1)
			case depth == 0:
				if json, ok := before[f.Name]; ok && json != f.JSON() {
					r.Warnf(f.Pos, "field %s of %s has the name of a field of an embedded struct: the apply configuration has no With method for it", f.Name, s.Name).
						Suggest("set the field directly, or rename it")
				}
			case inline:
				before[f.Name] = f.JSON()
			default:
				before[f.Name] = "."
			}
		}
	}
	add(s.JSONFields(), true, 0)
}

// reportType warns about a field whose type cannot be written in generated code, or that apply cannot handle.
func (r *typeReader) reportType(s *model.StructType, f *model.Field) {
	switch bad := f.Type.Unwritable(); {
	case bad == nil:
		if what, instead := unappliable(f.Type, 0); what != "" {
			r.Warnf(f.Pos, "field %s of %s contains %s, which Extract functions and fake Apply cannot handle", f.Name, s.Name, what).
				Suggest("use %s", instead)
		}
	case bad.Kind == model.Func:
		r.Warnf(f.Pos, "field %s of %s is a func or channel, which JSON cannot represent: the apply configuration omits it", f.Name, s.Name).
			Suggest("tag it `json:\"-\"`")
	case bad.Name.Name == "":
		r.Warnf(f.Pos, "the type of field %s of %s cannot be written in generated code: the apply configuration omits it", f.Name, s.Name).
			Suggest("declare a named type for it")
	case bad.Name.Path == "":
		r.Warnf(f.Pos, "field %s of %s: no import is known to declare the type %s, so the apply configuration omits it", f.Name, s.Name, bad.Name.Name).
			Suggest("import its package under a name")
	case f.Embedded && s.Resource != nil:
		if len(r.unseen) == 0 { // one is enough
			why, commands := r.whyMissing(bad.Name.Path)
			if commands == "" {
				commands = "go mod tidy"
			}
			r.Errorf(f.Pos, "cannot read %s, which kind %s embeds: %s", bad.Name.Path, s.Name, why).
				Suggest("run %s, then run the command again; or generate no apply configurations", commands)
		}
		r.unseen[bad.Name.Path] = true
	case r.unseen[bad.Name.Path]:
	default:
		r.Warnf(f.Pos, "field %s of %s: there is no type %s in %s, so the apply configuration omits it", f.Name, s.Name, bad.Name.Name, bad.Name.Path).Suggest("%s", r.whyUnknown(bad.Name))
	}
}

func (r *typeReader) whyUnknown(t model.TypeRef) string {
	switch why, commands := r.whyMissing(t.Path); {
	case commands != "":
		return why + "; run " + commands
	case why != "":
		return why
	}
	return "declare it, or correct the field"
}

// unappliable returns the part of a type that sigs.k8s.io/structured-merge-diff cannot read, and what to use instead;
// "" if there is none. It does not look into named structs, whose fields are checked separately.
func unappliable(t *model.Type, depth int) (what, instead string) {
	if depth > 16 { // it contains itself
		return "", ""
	}
	depth++
	switch t.Kind {
	case model.Basic:
		if t.Name.Name == "uint64" || t.Name.Name == "uintptr" {
			return "a " + t.Name.Name, "an int64"
		}
	case model.Array:
		return "an array", "a slice"
	case model.Pointer:
		switch t.Elem.Kind {
		case model.Pointer:
			return "a pointer to a pointer", "a plain pointer"
		case model.Interface:
			return "a pointer to an interface", "the interface itself"
		}
		return unappliable(t.Elem, depth)
	case model.Named:
		switch {
		case t.Methods.JSON:
		case t.Methods.Text && !isString(t, 0):
			return textOnly, textInstead
		default:
			return unappliable(t.Elem, depth)
		}
	case model.Slice:
		return unappliable(t.Elem, depth)
	case model.Map:
		if !isString(t.Key, 0) {
			return "a map with keys other than strings", "a map with string keys"
		}
		return unappliable(t.Elem, depth)
	case model.Struct:
		if t.Struct != nil && t.Struct.Methods.Text && !t.Struct.Methods.JSON {
			return textOnly, textInstead
		}
		if t.Struct == nil {
			for _, f := range t.JSONFields() {
				if what, instead = unappliable(f.Type, depth); what != "" {
					return what, instead
				}
			}
		}
	}
	return "", ""
}

// The converter of k8s.io/apimachinery/pkg/runtime, which runs first, uses only the methods for JSON.
const (
	textOnly    = "a type with MarshalText but no MarshalJSON"
	textInstead = "a string, or give the type MarshalJSON and UnmarshalJSON"
)

// isString reports whether the underlying type of a type is string.
func isString(t *model.Type, depth int) bool {
	if t.Kind == model.Named && depth < 16 {
		return isString(t.Elem, depth+1)
	}
	return t.Kind == model.Basic && t.Name.Name == "string" || t.Kind == model.Unknown // of a package that is not read
}

// withConstants replaces ref(Constant) in markers with the value of the constant, in JSON. Unknown constants stay.
func (r *typeReader) withConstants(at scope, found []model.Marker) []model.Marker {
	for i, m := range found {
		name, isRef := strings.CutPrefix(m.Value, "ref(")
		name, closed := strings.CutSuffix(name, ")")
		if !isRef || !closed {
			continue
		}
		src := at.src
		if ref := model.ParseTypeRef(name); ref.Path != "" {
			src, name = r.imported(at.file, ref.Path), ref.Name
		}
		if src == nil {
			continue
		}
		if d, ok := r.lookup(src, name); ok && d.value != nil {
			if text := r.stringOf(src, d.file, d.value, 0); text != nil {
				found[i].Value = strconv.Quote(*text)
			}
		}
	}
	return found
}

func structTag(f *ast.Field) reflect.StructTag {
	if f.Tag == nil {
		return ""
	}
	text, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return ""
	}
	return reflect.StructTag(text)
}
