package applyschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// ErrUseless is the error for an OpenAPI document that defines no type for which code is generated.
var ErrUseless = errors.New("it defines none of the types that code is generated for")

// Document is an OpenAPI document of version 2 or 3 in JSON. It is parsed on first use. Several goroutines may use it.
type Document struct {
	text    []byte
	once    sync.Once
	models  map[string]json.RawMessage
	convert func(map[string]*definition) (map[string]atom, error)
	err     error
}

// NewDocument returns a Document with the given text.
func NewDocument(text []byte) *Document { return &Document{text: text} }

// read splits the document into definitions. Definitions are parsed when types refer to them.
func (d *Document) read() error {
	d.once.Do(func() {
		var doc struct {
			Definitions map[string]json.RawMessage `json:"definitions"`
			Components  struct {
				Schemas map[string]json.RawMessage `json:"schemas"`
			} `json:"components"`
		}
		if err := json.Unmarshal(d.text, &doc); err != nil {
			d.err = fmt.Errorf("not an OpenAPI document in JSON: %w", err)
			return
		}
		d.text = nil
		if d.models, d.convert = doc.Definitions, version2; len(d.models) == 0 {
			d.models, d.convert = doc.Components.Schemas, version3
		}
		if len(d.models) == 0 {
			d.err = fmt.Errorf("%w: it has neither definitions nor components.schemas", ErrUseless)
		}
	})
	return d.err
}

// Schema converts all definitions of the document. An error names the definition that cannot be converted.
func (d *Document) Schema() (*Schema, error) {
	if err := d.read(); err != nil {
		return nil, err
	}
	found, _, err := reach(d.models, slices.Sorted(maps.Keys(d.models)))
	if err != nil {
		return nil, err
	}
	types, err := d.convert(found)
	return &Schema{types}, err
}

// Override replaces the types that the document defines, converted by the rules of applyconfiguration-gen. It adds
// types referenced by these, and removes types that are no longer reachable from the roots. The document may have other
// names for the roots, see renamed. If a definition refers to a
// type that is neither in the document nor in the schema, the existing type is kept, with a warning. If the document
// defines none of the schema's types, the error is ErrUseless. After an error, the schema is unchanged.
func (s *Schema) Override(document *Document, roots []Root, diags *diag.List) error {
	if err := document.read(); err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(s.types))
	if len(names) == 0 {
		return nil
	}
	renamed := document.renamed(roots)
	found, leadTo, err := reach(document.models, slices.Concat(names, slices.Collect(maps.Values(renamed))))
	if err != nil {
		return err
	}
	given, err := document.convert(found)
	if err != nil {
		return err
	}
	for root, name := range renamed {
		if a, ok := given[name]; ok {
			given[root], leadTo[root] = a, leadTo[name]
		}
	}
	dangling := s.dropDangling(given)
	overridden := len(dangling) > 0
	for _, name := range names {
		if at, ok := dangling[name]; ok {
			diags.Warnf(token.Position{}, "OpenAPI document: %s refers to %s, which it does not define", name, at).
				Suggest("its merge rules are taken from the Go type")
		}
		_, ok := given[name]
		overridden = overridden || ok
	}
	if !overridden {
		return fmt.Errorf("%w, such as %s", ErrUseless, names[0])
	}
	needed := map[string]atom{}
	var open []string
	for _, root := range roots {
		open = append(open, root.Name)
	}
	for ; len(open) > 0; open = open[1:] {
		name := open[0]
		if _, ok := needed[name]; ok {
			continue
		}
		if a, ok := given[name]; ok {
			needed[name] = a
			open = append(open, leadTo[name]...)
		} else if a, ok := s.types[name]; ok {
			needed[name] = a
		}
		open = append(open, references(needed[name])...)
	}
	s.types = needed
	return nil
}

// renamed returns the other names that the document has for kinds, by their names in the schema: the result of
// OpenAPIModelName, or else the name of the only model with the group, version and kind.
func (d *Document) renamed(roots []Root) map[string]string {
	names := map[string]string{}
	byKind := sync.OnceValue(d.byKind)
	for _, root := range roots {
		switch {
		case d.models[root.Name] != nil:
		case d.models[root.Model] != nil:
			names[root.Name] = root.Model
		case len(byKind()[root.Kind]) == 1:
			names[root.Name] = byKind()[root.Kind][0]
		}
	}
	return names
}

// byKind returns the names of the models of each kind.
func (d *Document) byKind() map[schema.GroupVersionKind][]string {
	names := map[schema.GroupVersionKind][]string{}
	for name, text := range d.models {
		var model struct {
			Kinds []schema.GroupVersionKind `json:"x-kubernetes-group-version-kind"`
		}
		if json.Unmarshal(text, &model) == nil { // what is wrong in others does not matter
			for _, kind := range model.Kinds {
				names[kind] = append(names[kind], name)
			}
		}
	}
	return names
}

// reach parses the models with the given names, and all models reachable from them. refs maps each model to the names
// that it refers to, including names in "allOf", which a converted model no longer contains.
func reach(models map[string]json.RawMessage, names []string) (found map[string]*definition, refs map[string][]string, err error) {
	found, refs = map[string]*definition{}, map[string][]string{}
	for open := slices.Clone(names); len(open) > 0; open = open[1:] {
		name := open[0]
		if found[name] != nil || models[name] == nil {
			continue
		}
		var tree any
		if err := json.Unmarshal(models[name], &tree); err != nil {
			return nil, nil, err
		}
		if tree == nil {
			continue
		}
		if found[name], err = readDefinition(tree); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		refs[name] = refsIn(tree)
		open = append(open, refs[name]...)
	}
	return found, refs, nil
}

// refsIn returns the names of the definitions that a JSON schema refers to.
func refsIn(tree any) []string {
	var names []string
	switch tree := tree.(type) {
	case []any:
		for _, elem := range tree {
			names = append(names, refsIn(elem)...)
		}
	case map[string]any:
		for key, value := range tree {
			ref, ok := value.(string)
			if ok && key == "$ref" && strings.HasPrefix(ref, "#/") {
				names = append(names, path.Base(ref))
			}
			names = append(names, refsIn(value)...)
		}
	}
	return names
}

// dropDangling removes each type with a reference to a type that is neither in given nor in the schema, and each type
// with a reference to a removed one. It returns the missing name for each removed type.
func (s *Schema) dropDangling(given map[string]atom) map[string]string {
	dropped := map[string]string{}
	for again := true; again; {
		again = false
		for _, name := range slices.Sorted(maps.Keys(given)) {
			for _, ref := range references(given[name]) {
				_, isGiven := given[ref]
				_, isKnown := s.types[ref]
				if isGiven || isKnown || ref == untypedAtomic || ref == untypedDeduced {
					continue
				}
				dropped[name] = ref
				if first, ok := dropped[ref]; ok {
					dropped[name] = first
				}
				delete(given, name)
				again = true
				break
			}
		}
	}
	return dropped
}

// references returns the names of the types that a type refers to.
func references(a atom) []string {
	var names []string
	add := func(ref typeRef) {
		if ref.named != "" {
			names = append(names, ref.named)
		}
		names = append(names, references(ref.atom)...)
	}
	if a.list != nil {
		add(a.list.elem)
	}
	if a.object != nil {
		if a.object.elem != nil {
			add(*a.object.elem)
		}
		for _, f := range a.object.fields {
			add(f.typ)
		}
	}
	return names
}
