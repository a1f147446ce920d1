package edits

import (
	"go/token"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// reader reads the edits in a file.
type reader struct {
	file  string
	diags diag.List
}

// Read reads the list of edits in a file.
func Read(file string, n *yaml.Node) (all []*Edit, diags diag.List) {
	r := &reader{file: file}
	r.twice(n)
	for _, item := range r.list(n, "edits must be a list of edits", "begin each with a dash, as in - type: k8s.io/api/core/v1.PodSpec") {
		all = append(all, r.edit(item))
	}
	return all, r.diags
}

func (r *reader) at(n *yaml.Node) token.Position {
	return token.Position{Filename: r.file, Line: n.Line, Column: n.Column}
}

// twice reports keys of mappings in the list that occur twice.
func (r *reader) twice(n *yaml.Node) {
	repeated := yamltext.Repeated(n)
	for _, item := range n.Content {
		if first := repeated[item]; first != nil {
			r.diags.Errorf(r.at(item), "%s is set twice", item.Value).WithRelated(r.at(first))
		}
		r.twice(item)
	}
}

// list returns the elements of a list. Any other value is a mistake.
func (r *reader) list(n *yaml.Node, mistake, remedy string) []*yaml.Node {
	list := yamltext.Resolved(n)
	if list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
		r.diags.Errorf(r.at(n), "%s", mistake).Suggest("%s", remedy)
		return nil
	}
	return list.Content
}

const asList = `write it as [a, b, "['with.dots']"]`

// names reads a list of texts.
func (r *reader) names(key string, n *yaml.Node) (all []Name) {
	for _, item := range r.list(n, key+" must be a list", asList) {
		if text := yamltext.Resolved(item); text.Kind == yaml.ScalarNode && text.Value != "" {
			all = append(all, Name{Text: text.Value, Pos: r.at(item)})
		} else {
			r.diags.Errorf(r.at(item), "%s must be a list of names", key).Suggest(asList)
		}
	}
	return all
}

// among reads texts that must be among the known ones.
func (r *reader) among(key string, known []string, names ...Name) (texts []string) {
	for _, name := range names {
		if texts = append(texts, name.Text); !slices.Contains(known, name.Text) {
			r.diags.Errorf(name.Pos, "%s: unknown value %q", key, name.Text).
				Meant(name.Text, known, "known are %s", strings.Join(known, ", "))
		}
	}
	return texts
}

// schema reads a schema or some of its keywords, and reports unknown ones.
func (r *reader) schema(key string, n *yaml.Node, edit token.Position) *crdschema.Schema {
	s, mistakes := crdschema.Parse(n)
	for _, m := range mistakes {
		r.diags.Errorf(r.at(&yaml.Node{Line: m.Line, Column: m.Column}), "%s: %s", key, m.Message).
			Suggest("write it as in manifests")
	}
	s.Walk(func(part *crdschema.Schema) bool {
		counts := []*int64{part.MinLength, part.MaxLength, part.MinItems, part.MaxItems, part.MinProperties, part.MaxProperties}
		for _, count := range counts {
			if count != nil && *count < 0 {
				r.diags.Errorf(r.at(&yaml.Node{Line: part.Line, Column: part.Column}), "%s: the number %d is negative", key, *count).
					Suggest("correct it, or write null for no limit")
			}
		}
		for _, k := range crdschema.Keywords {
			if why := k.Unfit(part, part); part.Type != "" && k.Has(part) && why != "" {
				r.diags.Errorf(r.at(&yaml.Node{Line: part.Line, Column: part.Column}), "%s: %s has no effect: %s", key, k.Name, why).
					Suggest("delete it, or correct the type")
			}
		}
		for _, all := range part.AllOf {
			all.Literal = true
		}
		part.SetBy = edit
		return true
	})
	return s
}

// keys of an edit, for messages.
var keys = []string{"type", "kind", "paths", "keep-fields", "drop-fields", "drop", "descriptions",
	"preserve-unknown-fields", "replace", "set"}

// edit reads an edit.
func (r *reader) edit(n *yaml.Node) *Edit {
	e := &Edit{Pos: r.at(n), Paths: []Name{{Pos: r.at(n)}}}
	changes := 0
	for name, value := range yamltext.Entries(n) {
		key, text := name.Value, Name{Text: yamltext.Resolved(value).Value, Pos: r.at(value)}
		switch changes++; key {
		case "type":
			e.Type = model.ParseTypeRef(text.Text)
			changes--
		case "kind":
			e.Kind = text.Text
			changes--
		case "paths":
			e.Paths = r.paths(key, value)
			changes--
		case "keep-fields":
			e.KeepFields = r.paths(key, value)
		case "drop-fields":
			e.DropFields = r.paths(key, value)
		case "drop":
			e.Drop = r.among(key, slices.Sorted(maps.Keys(dropped)), r.names(key, value)...)
		case "descriptions":
			e.Descriptions = r.among(key, []string{firstSentence}, text)[0]
		case "preserve-unknown-fields":
			e.Preserve = r.among(key, []string{"true"}, text) != nil
		case "replace":
			e.Replace = r.schema(key, value, e.Pos)
		case "set":
			e.Set = r.set(key, value, e.Pos)
		default:
			r.diags.Errorf(r.at(name), "unknown key %q", key).
				Meant(key, keys, "the keys of an edit are %s", strings.Join(keys, ", "))
		}
	}
	exclusive := 0
	for _, given := range []bool{len(e.KeepFields) > 0, len(e.DropFields) > 0, e.Preserve, e.Replace != nil} {
		if given {
			exclusive++
		}
	}
	switch {
	case (e.Type.Path == "") == (e.Kind == ""):
		r.diags.Errorf(e.Pos, "an edit has either a type or a kind").Suggest("write type: IMPORT/PATH.TYPE or kind: KIND")
	case changes == 0:
		r.diags.Errorf(e.Pos, "the edit changes nothing").Suggest("add one of %s", strings.Join(keys[3:], ", "))
	case exclusive > 1:
		r.diags.Errorf(e.Pos, "keep-fields, drop-fields, preserve-unknown-fields and replace exclude each other").Suggest("keep one of them")
	}
	return e
}

// paths reads paths, or names of fields in the same form.
func (r *reader) paths(key string, n *yaml.Node) (all []Name) {
	for _, name := range r.names(key, n) {
		path, err := crdschema.ParsePath(name.Text)
		if err != nil {
			r.diags.Errorf(name.Pos, "%q is not a path: %v", name.Text, err).Suggest("write it as in spec.template.containers")
		}
		for text := name.Text; strings.HasSuffix(text, elements); text = strings.TrimSuffix(text, elements) {
			if path = append(path, elements); key != "paths" {
				r.diags.Errorf(name.Pos, "%s must be a list of names, and %q means elements", key, name.Text).Suggest("write it without []")
			}
		}
		name.path = path
		all = append(all, name)
	}
	return all
}

// set reads keywords. null removes one.
func (r *reader) set(key string, n *yaml.Node, edit token.Position) (all []Keyword) {
	s, mapping := r.schema(key, n, edit), yamltext.Resolved(n)
	if mapping.Kind == yaml.MappingNode && len(mapping.Content) == 0 {
		r.diags.Errorf(r.at(n), "set has no keyword").Suggest("write it as in set: {maxLength: 253}")
	}
	for name, written := range yamltext.Entries(n) {
		k := slices.IndexFunc(crdschema.Keywords, func(k *crdschema.Keyword) bool { return k.Name == name.Value })
		if k < 0 {
			var known []string
			for _, k := range crdschema.Keywords {
				known = append(known, k.Name)
			}
			r.diags.Errorf(r.at(name), "unknown keyword %q", name.Value).
				Meant(name.Value, known, "the keywords are those of schemas in CustomResourceDefinitions")
			continue
		}
		value := &crdschema.Schema{}
		crdschema.Keywords[k].Inherit(value, s)
		if v := yamltext.Resolved(written); v.Kind == yaml.SequenceNode && len(v.Content) == 0 && !crdschema.Keywords[k].Has(value) {
			r.diags.Errorf(r.at(v), "%s has no element", name.Value).Suggest("write null to remove it")
		}
		all = append(all, Keyword{crdschema.Keywords[k], value, r.at(name)})
	}
	return all
}
