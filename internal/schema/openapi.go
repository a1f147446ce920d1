package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v2"
	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
)

// document is what counts of an OpenAPI document, of version 2 or 3.
type document struct {
	Definitions map[string]*spec.Schema `json:"definitions"`
	Components  struct {
		Schemas map[string]*spec.Schema `json:"schemas"`
	} `json:"components"`
}

// Override returns the schema with those types replaced that the document, which is JSON, has as well. Types that they
// refer to are added. A document without any of the schema's types, or without one that they refer to, is an error.
func Override(derived, text []byte) ([]byte, error) {
	var doc document
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("not an OpenAPI document in JSON: %w", err)
	}
	models := doc.Definitions
	if models == nil {
		models = doc.Components.Schemas
	}
	if len(models) == 0 {
		return nil, errors.New("neither definitions nor components.schemas are in there")
	}
	converted, err := schemaconv.ToSchemaFromOpenAPI(models, false)
	if err != nil {
		return nil, err
	}
	var result schema.Schema
	if err := yaml.Unmarshal(derived, &result); err != nil {
		return nil, err
	}
	given := map[string]schema.TypeDef{}
	for _, def := range converted.Types {
		if models[def.Name] != nil {
			sortFields(def.Atom)
			given[def.Name] = def
		}
	}
	known := map[string]bool{}
	var open []schema.TypeDef
	for i, def := range result.Types {
		known[def.Name] = true
		if override, ok := given[def.Name]; ok {
			result.Types[i] = override
			open = append(open, override)
		}
	}
	if len(open) == 0 {
		return nil, fmt.Errorf("none of its types is one of those that are generated, such as %s", result.Types[0].Name)
	}
	for len(open) > 0 {
		def := open[0]
		open = open[1:]
		for _, name := range references(def.Atom) {
			other, ok := given[name]
			switch {
			case known[name]:
			case !ok:
				return nil, fmt.Errorf("%s refers to %s, which is not in there", def.Name, name)
			default:
				known[name] = true
				result.Types = append(result.Types, other)
				open = append(open, other)
			}
		}
	}
	slices.SortFunc(result.Types, func(a, b schema.TypeDef) int { return strings.Compare(a.Name, b.Name) })
	out, err := yaml.Marshal(&result)
	return bytes.TrimSpace(out), err
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
