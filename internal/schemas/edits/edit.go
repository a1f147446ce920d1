// Package edits changes schemas that are derived from Go types, as kubegen.yaml says: at paths below kinds, and of
// types wherever they are.
package edits

import (
	"go/doc"
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// Edit is an entry of edits in kubegen.yaml.
type Edit struct {
	Pos   token.Position
	Type  model.TypeRef // the type, or
	Kind  string        // the kind: KIND, KIND.GROUP, KIND.VERSION or KIND.VERSION.GROUP
	Paths []Name        // from there; "" is the schema of the type or kind itself

	KeepFields, DropFields []Name
	Descriptions           string   // firstSentence, or "" for no change
	Drop                   []string // names in dropped, in the schema and all schemas in it
	Preserve               bool     // any object
	Replace                *crdschema.Schema
	Set                    []Keyword
}

// Name is a path or the name of a field, with its position in the file.
type Name struct {
	Text string
	Pos  token.Position
	path crdschema.Path // the elements of a list or the values of a map have the name elements
}

const elements = "[]"

// Keyword is a keyword with its new value.
type Keyword struct {
	*crdschema.Keyword
	Value *crdschema.Schema // without the keyword if the edit removes it
	Pos   token.Position
}

// is reports whether the edit is of a kind.
func (e *Edit) is(kind, version, group string) bool {
	name, rest, qualified := strings.Cut(e.Kind, ".")
	return name == kind && (!qualified || slices.Contains([]string{version, group, version + "." + group}, rest))
}

const firstSentence = "first-sentence"

// dropped maps the names in Edit.Drop to the keywords that they drop.
var dropped = map[string]func(k *crdschema.Keyword, s *crdschema.Schema) bool{
	"descriptions": named("description"),
	"defaults":     named("default"),
	"list-types":   named("x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"),
	"required":     named("required"),
	"validation": func(k *crdschema.Keyword, s *crdschema.Schema) bool {
		return k.Restricts() && k.Name != "format" || named("oneOf", "not", "x-kubernetes-validations")(k, s) ||
			k.Name == "anyOf" && !crdschema.IsIntOrString(s.AnyOf)
	},
}

func named(names ...string) func(*crdschema.Keyword, *crdschema.Schema) bool {
	return func(k *crdschema.Keyword, _ *crdschema.Schema) bool { return slices.Contains(names, k.Name) }
}

// strip edits a part of a schema that is edited with all schemas in it, and reports whether it changes. The keys of the
// list of type map that has it as elements stay required.
func (e *Edit) strip(s *crdschema.Schema, keys []string) (changed bool) {
	required := s.Required
	for _, k := range crdschema.Keywords {
		if k.Has(s) && slices.ContainsFunc(e.Drop, func(name string) bool { return dropped[name](k, s) }) {
			k.Clear(s)
			changed = true
		}
	}
	if slices.Contains(e.Drop, "required") && !slices.Contains(e.Drop, "list-types") {
		s.Required = slices.DeleteFunc(slices.Clone(required), func(name string) bool { return !slices.Contains(keys, name) })
	}
	if slices.Contains(e.Drop, "validation") { // that markers write there
		s.AllOf = slices.DeleteFunc(slices.Clone(s.AllOf), func(part *crdschema.Schema) bool { return part.Literal })
	}
	if short := new(doc.Package).Synopsis(s.Description); e.Descriptions == firstSentence && short != s.Description {
		s.Description, changed = short, true
	}
	return changed
}

// fields edits the fields of a part of a schema, and reports whether it changes.
func (e *Edit) fields(s *crdschema.Schema) bool {
	drops := func(name string) bool {
		is := func(n Name) bool { return slices.Equal(n.path, crdschema.Path{name}) }
		return slices.ContainsFunc(e.DropFields, is) || len(e.KeepFields) > 0 && !slices.ContainsFunc(e.KeepFields, is)
	}
	before := s.Properties
	s.Properties = slices.DeleteFunc(slices.Clone(before), func(p crdschema.Property) bool { return drops(p.Name) })
	s.Required = slices.DeleteFunc(slices.Clone(s.Required), drops)
	e.without(s, before)
	return len(s.Properties) < len(before)
}

// whole returns the schema in place of one without references.
func (e *Edit) whole(s *crdschema.Schema) *crdschema.Schema {
	out := &crdschema.Schema{Type: s.Type, Nullable: s.Nullable, MapType: s.MapType, PreserveUnknownFields: true}
	for _, k := range crdschema.Keywords {
		if k.Describes {
			k.Inherit(out, s)
		}
	}
	if e.Replace != nil {
		*out = *e.Replace
	}
	out.Origin = crdschema.Origin{Pos: s.Pos, Changes: crdschema.Changes{Off: s.Off, Edits: append(slices.Clip(s.Edits), e.Pos)}}
	if e.Replace != nil {
		out.SetBy = e.Pos
	}
	e.without(out, s.Properties)
	return out
}

// without adds the fields that a schema has lost to Off.
func (e *Edit) without(s *crdschema.Schema, before []crdschema.Property) {
	for _, p := range before {
		if s.Index(p.Name) < 0 {
			s.Off = append(slices.Clip(s.Off), crdschema.GatedField{Name: p.Name, Edit: e.Pos})
		}
	}
}

// clear removes the keywords that the edit sets from a part of a schema, and reports whether it had any.
func (e *Edit) clear(s *crdschema.Schema) (changed bool) {
	for _, set := range e.Set {
		changed = changed || set.Has(s)
		set.Clear(s)
	}
	return changed
}

// mark adds the edit to the ones that have changed a schema.
func (e *Edit) mark(s *crdschema.Schema, changed bool) bool {
	if changed && !slices.Contains(s.Edits, e.Pos) {
		s.Edits = append(slices.Clip(s.Edits), e.Pos)
	}
	return changed
}
