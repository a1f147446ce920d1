package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"

	openapiv2 "github.com/google/gnostic-models/openapiv2"
	"go.yaml.in/yaml/v2"
	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/util/proto"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/kubegen/kubegen/internal/diag"
)

// document has the relevant parts of an OpenAPI document, of version 2 or 3.
type document struct {
	Definitions map[string]*spec.Schema `json:"definitions"`
	Components  struct {
		Schemas map[string]*spec.Schema `json:"schemas"`
	} `json:"components"`
}

// ErrUseless is the error for an OpenAPI document that defines none of the types.
var ErrUseless = errors.New("it defines none of the types that code is generated for")

// Override returns the schema with the types replaced that the document, which is JSON, defines, converted like
// applyconfiguration-gen does. Types that they refer to are added, and types that are no longer reachable from the
// roots are removed. A type that refers to one which is neither in the document nor in the schema is not replaced, with
// a warning. If the document has none of the schema's types, the error is ErrUseless.
func Override(derived, text []byte, roots []string, diags *diag.List) ([]byte, error) {
	var doc document
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("not an OpenAPI document in JSON: %w", err)
	}
	if len(doc.Definitions) == 0 && len(doc.Components.Schemas) == 0 {
		return nil, fmt.Errorf("%w: it has neither definitions nor components.schemas", ErrUseless)
	}
	var own schema.Schema
	if err := yaml.Unmarshal(derived, &own); err != nil {
		return nil, err
	}
	types := map[string]schema.TypeDef{}
	var names []string // names of the types that the document may override
	for _, def := range own.Types {
		types[def.Name] = def
		if def.Name != untypedAtomic && def.Name != untypedDeduced {
			names = append(names, def.Name)
		}
	}
	if len(names) == 0 {
		return derived, nil
	}
	given, leadTo, err := doc.types(names)
	if err != nil {
		return nil, err
	}
	dangling := dropDangling(given, types)
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
		return nil, fmt.Errorf("%w, such as %s", ErrUseless, names[0])
	}
	maps.Copy(types, given)
	needed := map[string]bool{}
	for open := append([]string{untypedAtomic, untypedDeduced}, roots...); len(open) > 0; open = open[1:] {
		if name := open[0]; !needed[name] {
			needed[name] = true
			open = append(open, references(types[name].Atom)...)
			if _, ok := given[name]; ok {
				open = append(open, leadTo[name]...)
			}
		}
	}
	var result schema.Schema
	for _, name := range slices.Sorted(maps.Keys(types)) {
		if needed[name] {
			result.Types = append(result.Types, types[name])
		}
	}
	out, err := yaml.Marshal(&result)
	return bytes.TrimSpace(out), err
}

// types returns the types that the document defines and all types reachable from them, and the types that each refers
// to; the converted definition lacks those in "allOf".
func (doc *document) types(names []string) (given map[string]schema.TypeDef, leadTo map[string][]string, err error) {
	models := doc.Definitions
	if len(models) == 0 {
		models = doc.Components.Schemas
	}
	wanted, missing, leadTo := reach(models, names)
	var converted *schema.Schema
	if len(doc.Definitions) > 0 {
		converted, err = fromVersion2(wanted, missing)
	}
	if converted == nil {
		// A document of version 3, or with features of that version: use the rules of the API server.
		var laterErr error
		if converted, laterErr = schemaconv.ToSchemaFromOpenAPI(wanted, false); laterErr != nil {
			return nil, nil, cmp.Or(err, laterErr)
		}
	}
	given = map[string]schema.TypeDef{}
	for _, def := range converted.Types {
		if wanted[def.Name] != nil {
			sortFields(def.Atom)
			given[def.Name] = def
		}
	}
	return given, leadTo, nil
}

// fromVersion2 converts definitions with the models that applyconfiguration-gen uses, whose rules differ from those for
// version 3. Definitions may refer to missing ones.
func fromVersion2(definitions map[string]*spec.Schema, missing []string) (*schema.Schema, error) {
	all := maps.Clone(definitions)
	for _, name := range missing {
		all[name] = &spec.Schema{}
	}
	text, err := json.Marshal(map[string]any{
		"swagger": "2.0", "info": map[string]string{"title": "types", "version": "v1"}, "paths": struct{}{}, "definitions": all,
	})
	if err != nil {
		return nil, err
	}
	parsed, err := openapiv2.ParseDocument(text)
	if err != nil {
		return nil, err
	}
	models, err := proto.NewOpenAPIData(parsed)
	if err != nil {
		return nil, err
	}
	return schemaconv.ToSchema(models)
}

// reach returns the models with these names and all models reachable from them, the names that have no model, and the
// names that each model refers to.
func reach(models map[string]*spec.Schema, names []string) (found map[string]*spec.Schema, missing []string, refs map[string][]string) {
	found, refs = map[string]*spec.Schema{}, map[string][]string{}
	for open := slices.Clone(names); len(open) > 0; open = open[1:] {
		name := open[0]
		if found[name] != nil {
			continue
		}
		model := models[name]
		if model == nil {
			missing = append(missing, name)
			continue
		}
		found[name] = model
		var tree any
		if text, err := json.Marshal(model); err == nil && json.Unmarshal(text, &tree) == nil {
			refs[name] = refsIn(tree)
			open = append(open, refs[name]...)
		}
	}
	return found, missing, refs
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

// dropDangling removes the types that refer to one which is neither given nor known, including those that refer to
// removed types. It returns the missing name for each.
func dropDangling(given, known map[string]schema.TypeDef) map[string]string {
	dropped := map[string]string{}
	for again := true; again; {
		again = false
		for _, name := range slices.Sorted(maps.Keys(given)) {
			for _, ref := range references(given[name].Atom) {
				_, isGiven := given[ref]
				_, isKnown := known[ref]
				if isGiven || isKnown {
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

// sortFields orders fields by name, because converted fields are unordered.
func sortFields(a schema.Atom) {
	if a.List != nil {
		sortFields(a.List.ElementType.Inlined)
	}
	if a.Map != nil {
		sortFields(a.Map.ElementType.Inlined)
		for _, f := range a.Map.Fields {
			sortFields(f.Type.Inlined)
		}
		slices.SortFunc(a.Map.Fields, func(a, b schema.StructField) int { return strings.Compare(a.Name, b.Name) })
	}
}

// references returns the names of the types that a type refers to.
func references(a schema.Atom) []string {
	var names []string
	add := func(ref schema.TypeRef) {
		if ref.NamedType != nil {
			names = append(names, *ref.NamedType)
		}
		names = append(names, references(ref.Inlined)...)
	}
	if a.List != nil {
		add(a.List.ElementType)
	}
	if a.Map != nil {
		add(a.Map.ElementType)
		for _, f := range a.Map.Fields {
			add(f.Type)
		}
	}
	return names
}
