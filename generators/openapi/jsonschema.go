package openapi

import (
	"maps"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
)

// jsonSchema returns the JSON Schema of a kind, for editors.
func (c *components) jsonSchema(k *kind) map[string]any {
	root := c.names[k.of]
	schemas := c.reached(c.draft7, root)
	schema := maps.Clone(schemas[root].(map[string]any))
	earlier, _ := schema["properties"].(map[string]any) // none if meta/v1 is not found
	properties := map[string]any{}
	maps.Copy(properties, earlier)
	for name, value := range map[string]string{"apiVersion": k.group + "/" + k.version, "kind": k.kind} {
		property := map[string]any{"const": value}
		if before, ok := properties[name].(map[string]any); ok {
			property["description"] = before["description"]
		}
		properties[name] = property
	}
	required, _ := schema["required"].([]any)
	schema["properties"], schema["required"] = properties, append([]any{"apiVersion", "kind"}, required...)
	schema["$schema"], schema["title"] = "http://json-schema.org/draft-07/schema#", k.kind+" of "+k.group+"/"+k.version
	schemas[root] = map[string]any{"$ref": "#"} // if the kind contains itself
	schema["definitions"] = schemas
	return schema
}

// draft7 returns a schema as a JSON Schema. Unlike those for servers, it refuses the unknown fields that these drop.
func (c *components) draft7(s *crdschema.Schema) map[string]any {
	s = c.embedded(s)
	object := s.Object(func(keyword string, s *crdschema.Schema) any {
		inner := c.draft7(s)
		switch keyword {
		case "allOf", "anyOf", "oneOf", "not": // restrict fields that are listed elsewhere
			if inner["additionalProperties"] == false && !s.NoProperties {
				delete(inner, "additionalProperties")
			}
		}
		return inner
	})
	maps.DeleteFunc(object, func(keyword string, _ any) bool {
		return strings.HasPrefix(keyword, "x-") || keyword == "nullable" || keyword == "externalDocs"
	})
	for _, limit := range []string{"Maximum", "Minimum"} { // numbers of their own
		if object["exclusive"+limit] != nil {
			object["exclusive"+limit] = object[strings.ToLower(limit)]
			delete(object, strings.ToLower(limit))
		}
	}
	if example, ok := object["example"]; ok {
		object["examples"] = []any{example}
		delete(object, "example")
	}
	if len(s.Properties) > 0 && object["additionalProperties"] == nil && !s.PreserveUnknownFields {
		object["additionalProperties"] = false
	}
	if s.IntOrString && len(s.AnyOf) == 0 {
		object["type"] = []any{"integer", "string"}
	}
	object = c.referring(object, s, "#/definitions/")
	if s.Nullable {
		object = map[string]any{"anyOf": []any{map[string]any{"type": "null"}, object}}
	}
	return object
}
