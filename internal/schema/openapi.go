package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v2"
	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/kubegen/kubegen/internal/diag"
)

// document is what counts of an OpenAPI document, of version 2 or 3.
type document struct {
	Definitions map[string]*spec.Schema `json:"definitions"`
	Components  struct {
		Schemas map[string]*spec.Schema `json:"schemas"`
	} `json:"components"`
}

// ErrUseless is what is wrong with an OpenAPI document that says nothing of the types it was given for.
var ErrUseless = errors.New("it says nothing of the types that are generated")

// Override returns the schema with those types replaced that the document, which is JSON, has as well. Types that they
// refer to are added. A type that refers to one which is neither in the document nor in the schema stays as it is, with a
// warning. For a document without any of the schema's types the error is ErrUseless.
func Override(derived, text []byte, diags *diag.List) ([]byte, error) {
	var doc document
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("not an OpenAPI document in JSON: %w", err)
	}
	models := doc.Definitions
	if models == nil {
		models = doc.Components.Schemas
	}
	if len(models) == 0 {
		return nil, fmt.Errorf("%w: neither definitions nor components.schemas are in there", ErrUseless)
	}
	converted, err := schemaconv.ToSchemaFromOpenAPI(models, false)
	if err != nil {
		return nil, err
	}
	var result schema.Schema
	if err := yaml.Unmarshal(derived, &result); err != nil {
		return nil, err
	}
	known := map[string]bool{}
	example := ""
	for _, def := range result.Types {
		known[def.Name] = true
		if def.Name != untypedAtomic && def.Name != untypedDeduced {
			example = cmp.Or(example, def.Name)
		}
	}
	if example == "" {
		return derived, nil
	}
	given := map[string]schema.TypeDef{}
	for _, def := range converted.Types {
		if models[def.Name] != nil {
			sortFields(def.Atom)
			given[def.Name] = def
		}
	}
	leftOut := dropDangling(given, known)
	var open []schema.TypeDef
	overridden := false
	for i, def := range result.Types {
		if at, ok := leftOut[def.Name]; ok {
			diags.Warnf(token.Position{}, "OpenAPI document: %s refers to %s, which is not in there", def.Name, at).
				Suggest("how it merges is taken from its source")
			overridden = true
		}
		if override, ok := given[def.Name]; ok {
			result.Types[i] = override
			open = append(open, override)
			overridden = true
		}
	}
	if !overridden {
		return nil, fmt.Errorf("%w, such as %s", ErrUseless, example)
	}
	for len(open) > 0 {
		def := open[0]
		open = open[1:]
		for _, name := range references(def.Atom) {
			if !known[name] {
				known[name] = true
				result.Types = append(result.Types, given[name])
				open = append(open, given[name])
			}
		}
	}
	slices.SortFunc(result.Types, func(a, b schema.TypeDef) int { return strings.Compare(a.Name, b.Name) })
	out, err := yaml.Marshal(&result)
	return bytes.TrimSpace(out), err
}

// dropDangling removes the types that refer to one which is neither given nor known, those that refer to removed ones
// included. It returns what each refers to.
func dropDangling(given map[string]schema.TypeDef, known map[string]bool) map[string]string {
	dropped := map[string]string{}
	for again := true; again; {
		again = false
		for _, name := range slices.Sorted(maps.Keys(given)) {
			for _, ref := range references(given[name].Atom) {
				if _, ok := given[ref]; ok || known[ref] {
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

// sortFields orders fields by name: converted ones come in no order.
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
