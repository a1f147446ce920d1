//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v2"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
)

// writeDocument writes the OpenAPI document that applyconfiguration-gen needs to generate Extract functions. It derives
// the document from the schema in existing apply configurations, which is the longest string in goFile.
func writeDocument(goFile, name string) error {
	file, err := parser.ParseFile(token.NewFileSet(), goFile, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	var text string
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if value, err := strconv.Unquote(lit.Value); err == nil && len(value) > len(text) {
				text = value
			}
		}
		return true
	})
	var types schema.Schema
	if err := yaml.Unmarshal([]byte(text), &types); err != nil {
		return err
	}
	definitions := map[string]any{}
	for _, def := range types.Types {
		if !strings.HasPrefix(def.Name, "__") { // predefined
			definitions[def.Name] = openAPI(def.Atom)
		}
	}
	if len(definitions) == 0 {
		return fmt.Errorf("%s has no schema", goFile)
	}
	document, err := json.Marshal(map[string]any{
		"swagger": "2.0", "info": map[string]any{"title": "bench", "version": "v1"}, "paths": map[string]any{}, "definitions": definitions,
	})
	if err != nil {
		return err
	}
	return os.WriteFile(name, document, 0o644)
}

// openAPI converts a type to a schema of OpenAPI 2.
func openAPI(a schema.Atom) map[string]any {
	switch {
	case a.Scalar != nil && a.List == nil && a.Map == nil:
		switch *a.Scalar {
		case schema.Numeric:
			return map[string]any{"type": "number"}
		case schema.Untyped:
			return map[string]any{"type": "string", "format": "int-or-string"}
		}
		return map[string]any{"type": string(*a.Scalar)}
	case a.Scalar == nil && a.List != nil && a.Map == nil:
		list := map[string]any{"type": "array", "items": reference(a.List.ElementType), "x-kubernetes-list-type": "atomic"}
		if a.List.ElementRelationship == schema.Associative {
			list["x-kubernetes-list-type"] = "set"
			if len(a.List.Keys) > 0 {
				list["x-kubernetes-list-type"], list["x-kubernetes-list-map-keys"] = "map", a.List.Keys
			}
		}
		return list
	case a.Scalar == nil && a.List == nil && a.Map != nil:
		object := map[string]any{"type": "object"}
		properties := map[string]any{}
		for _, f := range a.Map.Fields {
			property := reference(f.Type)
			if f.Default != nil {
				property["default"] = plain(f.Default)
			}
			properties[f.Name] = property
		}
		if len(properties) > 0 {
			object["properties"] = properties
		} else if a.Map.ElementType != (schema.TypeRef{}) {
			object["additionalProperties"] = reference(a.Map.ElementType)
		}
		if a.Map.ElementRelationship == schema.Atomic {
			object["x-kubernetes-map-type"] = "atomic"
		}
		return object
	}
	return map[string]any{} // any value
}

func reference(ref schema.TypeRef) map[string]any {
	found := map[string]any{}
	switch {
	case ref.NamedType == nil:
		found = openAPI(ref.Inlined)
	case !strings.HasPrefix(*ref.NamedType, "__"):
		found["$ref"] = "#/definitions/" + *ref.NamedType
	}
	if ref.ElementRelationship != nil && *ref.ElementRelationship == schema.Atomic {
		found["x-kubernetes-map-type"] = "atomic"
	}
	return found
}

// plain converts the keys of maps in a YAML value to strings, as JSON requires.
func plain(value any) any {
	switch v := value.(type) {
	case map[any]any:
		object := map[string]any{}
		for key, value := range v {
			object[fmt.Sprint(key)] = plain(value)
		}
		return object
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	}
	return value
}
