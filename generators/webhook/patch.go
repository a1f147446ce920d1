package webhook

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
)

// fields is the schema of a MutatingWebhook in package k8s.io/api/admissionregistration/v1. Its required fields are
// written even if they are empty.
const fields = `
type: object
required: [name, clientConfig]
properties:
  name: &text {type: string}
  clientConfig:
    type: object
    properties:
      url: *text
      caBundle: *text
      service:
        type: object
        required: [name, namespace]
        properties: {name: *text, namespace: *text, path: *text, port: &number {type: integer, format: int32}}
  rules:
    type: array
    items:
      type: object
      properties:
        apiGroups: &texts {type: array, items: *text}
        apiVersions: *texts
        resources: *texts
        operations: *texts
        scope: *text
  failurePolicy: *text
  matchPolicy: *text
  sideEffects: *text
  timeoutSeconds: *number
  admissionReviewVersions: *texts
  namespaceSelector: &selector
    type: object
    properties:
      matchLabels: {type: object, additionalProperties: *text}
      matchExpressions:
        type: array
        items: {type: object, required: [key, operator], properties: {key: *text, operator: *text, values: *texts}}
  objectSelector: *selector
  matchConditions:
    type: array
    items: {type: object, required: [name, expression], properties: {name: *text, expression: *text}}
  reinvocationPolicy: *text
`

// schemaOf returns the schema of a mutating webhook, and of a validating one, which lacks a field.
var schemaOf = sync.OnceValue(func() map[bool]*crdschema.Schema {
	found := map[bool]*crdschema.Schema{}
	for _, mutating := range []bool{true, false} {
		var n yaml.Node
		_ = yaml.Unmarshal([]byte(fields), &n)
		found[mutating], _ = crdschema.Parse(n.Content[0])
	}
	lacking := found[false]
	lacking.Properties = slices.DeleteFunc(lacking.Properties, func(p crdschema.Property) bool { return p.Name == "reinvocationPolicy" })
	return found
})

// Directives in a patch for an object that exists without it.
const (
	patchDirective  = "$patch"      // "replace" or "delete"
	retainDirective = "$retainKeys" // the keys of the object that stay
)

// applyPatch changes a webhook with a schema by a strategic merge patch in JSON. Advice for an error may be "".
func applyPatch(webhook map[string]any, patch string, s *crdschema.Schema) (advice string, err error) {
	var changes any
	if err := json.Unmarshal([]byte(patch), &changes); err != nil {
		return "", fmt.Errorf("it is not JSON: %w", err)
	}
	if _, ok := changes.(map[string]any); !ok {
		return "", errors.New("it must be an object")
	}
	if _, err := merge(webhook, changes, ""); err != nil {
		return "", err
	}
	complete(webhook, s)
	if advice, err := s.Misfit(webhook); err != nil {
		return advice, err
	}
	client, _ := webhook["clientConfig"].(map[string]any)
	if bundle, ok := client["caBundle"].(string); ok {
		data, err := base64.StdEncoding.DecodeString(bundle)
		if err != nil {
			return "", errors.New("clientConfig.caBundle must be a string in base64")
		}
		client["caBundle"] = base64.StdEncoding.EncodeToString(data) // without line breaks
	}
	return "", nil
}

// merge returns a value changed by a patch. It changes an object in place. at is its path.
func merge(old, change any, at string) (any, error) {
	if list, ok := change.([]any); ok {
		for i := range list {
			var err error
			if list[i], err = merge(nil, list[i], fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return nil, err
			}
		}
	}
	changes, ok := change.(map[string]any)
	if !ok {
		return change, nil
	}
	object, existed := old.(map[string]any)
	if !existed {
		object = map[string]any{}
	} else if deleted, err := direct(object, changes, at); deleted || err != nil {
		return object, err
	}
	for _, key := range slices.Sorted(maps.Keys(changes)) {
		if strings.HasPrefix(key, "$") {
			const known = "is not supported: " + patchDirective + " and " + retainDirective + " are, in objects that exist without the patch"
			return nil, fmt.Errorf("%s %s", below(at, key), known)
		}
		var err error
		if object[key], err = merge(object[key], changes[key], below(at, key)); err != nil {
			return nil, err
		}
	}
	return object, nil
}

func below(at, key string) string { return strings.TrimPrefix(at+"."+key, ".") }

// direct executes the directives of a patch for an object, and removes them.
func direct(object, changes map[string]any, at string) (deleted bool, err error) {
	switch directive, ok := changes[patchDirective]; {
	case !ok:
	case directive != "replace" && directive != "delete":
		return false, fmt.Errorf("%s must be replace or delete", below(at, patchDirective))
	default:
		if clear(object); directive == "delete" {
			return true, nil
		}
		delete(changes, patchDirective)
	}
	if retained, ok := changes[retainDirective]; ok {
		keys, isList := retained.([]any)
		if !isList {
			return false, fmt.Errorf("%s must be a list of strings", below(at, retainDirective))
		}
		delete(changes, retainDirective)
		stays := func(key string) bool { return slices.Contains(keys, any(key)) }
		for _, key := range slices.Sorted(maps.Keys(changes)) {
			if changes[key] != nil && !stays(key) {
				return false, fmt.Errorf("%s lacks %s", below(at, retainDirective), key)
			}
		}
		maps.DeleteFunc(object, func(key string, _ any) bool { return !stays(key) })
	}
	return false, nil
}

// complete removes fields that are null, empty lists, labels and data, and adds required fields.
func complete(in map[string]any, s *crdschema.Schema) {
	for _, p := range s.Properties {
		switch v := in[p.Name].(type) {
		case nil:
			if delete(in, p.Name); slices.Contains(s.Required, p.Name) {
				in[p.Name] = map[string]any{"string": "", "object": map[string]any{}}[p.Type]
			}
		case map[string]any:
			if complete(v, p.Schema); p.AdditionalProperties == nil {
				continue
			}
			if maps.DeleteFunc(v, func(_ string, value any) bool { return value == nil }); len(v) == 0 {
				delete(in, p.Name)
			}
		case []any:
			for _, element := range v {
				if inner, ok := element.(map[string]any); ok && p.Items != nil {
					complete(inner, p.Items)
				}
			}
			if len(v) == 0 && p.Type == "array" {
				delete(in, p.Name)
			}
		case string:
			if p.Name == "caBundle" && v == "" {
				delete(in, p.Name)
			}
		}
	}
}
