package gotypes

import (
	"go/ast"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// fieldsIn returns the fields of a struct. It reads the types of fields in JSON, or of all fields.
func (r *Reader) fieldsIn(at context, list *ast.FieldList, all bool) []*model.Field {
	var fields []*model.Field
	for _, f := range list.List {
		names, embedded := f.Names, len(f.Names) == 0
		if embedded {
			names = []*ast.Ident{{NamePos: f.Type.Pos(), Name: load.BaseName(f.Type)}}
		}
		tag := StructTag(f)
		reader := r
		if json, tagged := tag.Lookup("json"); !all && (json == "-" || !tagged && !embedded) {
			reader = r.Outline()
		}
		t := reader.read(at, f.Type)
		var doc []string
		var found []model.Marker
		switch {
		case r.near:
		case r.copies == nil:
			doc, found = docLines(f.Doc), reader.withConstants(at.scope, schemaMarkers(r.Fset, f.Doc))
		case f.Doc != nil:
			found = r.conversionMarkers(f.Doc)
		}
		for _, name := range names {
			fields = append(fields, &model.Field{
				Pos: r.Fset.Position(name.Pos()), Name: name.Name, Tag: tag, Embedded: embedded, Type: t, Doc: doc, Markers: found,
			})
		}
	}
	return fields
}

// conversionMarkers returns the markers in comments if some determine how a field or a list is converted.
func (r *Reader) conversionMarkers(groups ...*ast.CommentGroup) []model.Marker {
	if slices.ContainsFunc(groups, func(group *ast.CommentGroup) bool { return markers.MentionsConversion(group.Text()) }) {
		return schemaMarkers(r.Fset, groups...)
	}
	return nil
}

// fieldsOfStruct reads the fields of a struct, unless it is declared as another struct.
func (r *Reader) fieldsOfStruct(s *pendingStruct, all bool) {
	if s.fields != nil {
		s.Fields = r.fieldsIn(context{scope: s.scope, args: s.Args}, s.fields, all)
	}
}

// withConstants replaces ref(Constant) in markers by the value of the constant in JSON. Unknown constants remain.
func (n names) withConstants(at scope, found []model.Marker) []model.Marker {
	for i, m := range found {
		name, isRef := strings.CutPrefix(m.Text, "ref(")
		name, closed := strings.CutSuffix(name, ")")
		if !isRef || !closed {
			continue
		}
		src := at.src
		if ref := model.ParseTypeRef(name); ref.Path != "" {
			src, name = n.imported(at.file, ref.Path), ref.Name
		}
		if src == nil {
			continue
		}
		if d, ok := n.Lookup(src, name); ok && d.Value != nil {
			if text := StringOf(n.Loader, src, d.File, d.Value); text != nil {
				found[i].Text, found[i].Reference = strconv.Quote(*text), m.Text
			}
		}
	}
	return found
}

// StructTag returns the tag of a field, unquoted.
func StructTag(f *ast.Field) reflect.StructTag {
	if f.Tag == nil {
		return ""
	}
	text, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return ""
	}
	return reflect.StructTag(text)
}

// StructFields returns the fields of a struct, and reads them if necessary.
func (r *Reader) StructFields(t *model.Type) []*model.Field {
	for range 16 { // a struct may be declared as another one
		if t.Struct == nil {
			return t.Fields
		}
		s := r.found.pending()[t.Struct]
		switch {
		case s == nil:
			return t.Struct.Fields
		case s.DefinedAs != nil:
			t = s.DefinedAs
			continue
		case s.Fields == nil:
			r.fieldsOfStruct(s, true)
		}
		return s.Fields
	}
	return nil
}
