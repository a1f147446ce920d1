package applyschema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// definition holds the parts of a schema in an OpenAPI document that affect merging.
type definition struct {
	ref        string
	types      []string
	format     string
	nullable   bool
	value      string // default value in JSON, or ""
	properties map[string]*definition
	extensions map[string]any // values of keys that begin with "x-"
	allOf      []*definition

	items      *definition
	hasItems   bool        // items is present, with one schema or several
	values     *definition // schema in additionalProperties, or nil
	additional *bool       // bool in additionalProperties, or nil

	later string // a keyword that version 2 of OpenAPI lacks, or ""
}

// version2Keywords lists the keywords of version 2 that do not affect merging.
var version2Keywords = []string{
	"description", "discriminator", "enum", "example", "exclusiveMaximum", "exclusiveMinimum", "externalDocs", "maxItems", "maxLength",
	"maxProperties", "maximum", "minItems", "minLength", "minProperties", "minimum", "multipleOf", "pattern", "readOnly", "required",
	"title", "uniqueItems", "xml",
}

// readDefinition reads a schema from decoded JSON. Null and empty values are equivalent to absent ones.
func readDefinition(tree any) (*definition, error) {
	d := &definition{}
	if tree == nil {
		return d, nil
	}
	keywords, ok := tree.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("a schema must be an object, not %s", kindOf(tree))
	}
	for _, key := range slices.Sorted(maps.Keys(keywords)) {
		if err := d.read(key, keywords[key]); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (d *definition) read(key string, value any) (err error) {
	if value == nil {
		return nil
	}
	ok := true
	switch key {
	case "$ref":
		d.ref, ok = value.(string)
	case "type":
		var name string
		if name, ok = value.(string); ok {
			d.types = []string{name}
		} else {
			d.types, ok = stringList(value)
		}
	case "format":
		d.format, ok = value.(string)
	case "nullable":
		if d.nullable, ok = value.(bool); d.nullable {
			d.later = key
		}
	case "default":
		text, err := json.Marshal(value)
		d.value = string(text)
		return err
	case "items":
		d.hasItems = true
		if _, single := value.(map[string]any); single {
			d.items, err = d.sub(value)
		}
	case "properties":
		var named map[string]any
		named, ok = value.(map[string]any)
		d.properties = make(map[string]*definition, len(named))
		for _, name := range slices.Sorted(maps.Keys(named)) {
			if d.properties[name], err = d.sub(named[name]); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	case "additionalProperties":
		if allowed, ok := value.(bool); ok {
			d.additional = &allowed
		} else {
			d.values, err = d.sub(value)
		}
	case "allOf":
		var list []any
		list, ok = value.([]any)
		for _, elem := range list {
			part, err := d.sub(elem)
			if err != nil {
				return err
			}
			d.allOf = append(d.allOf, part)
		}
	default:
		switch {
		case strings.HasPrefix(key, "x-"):
			if d.extensions == nil {
				d.extensions = map[string]any{}
			}
			d.extensions[key] = value
		case !slices.Contains(version2Keywords, key) && !isEmpty(value):
			d.later = key
		}
	}
	if !ok {
		return fmt.Errorf("%q has a wrong value, %s", key, kindOf(value))
	}
	return err
}

// sub reads a schema inside the schema.
func (d *definition) sub(tree any) (*definition, error) {
	part, err := readDefinition(tree)
	if part != nil && part.later != "" {
		d.later = part.later
	}
	return part, err
}

func isEmpty(value any) bool {
	switch value := value.(type) {
	case string:
		return value == ""
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	}
	return false
}

// stringList returns the strings in a list. ok is false if value is not a list of strings.
func stringList(value any) ([]string, bool) {
	list, ok := value.([]any)
	var texts []string
	for _, elem := range list {
		text, isString := elem.(string)
		if !isString {
			return nil, false
		}
		texts = append(texts, text)
	}
	return texts, ok
}

// kindOf returns the type of a JSON value for messages.
func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case float64:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "a list"
	}
	return "an object"
}

func (d *definition) isObject() bool { return len(d.types) > 0 && d.types[0] == "object" }

// fields returns the properties, ordered by name, with the results of a function for their types.
func (d *definition) fields(ref func(d *definition, preserve bool) (typeRef, error), preserve bool) (fields []structField, err error) {
	for _, name := range slices.Sorted(maps.Keys(d.properties)) {
		property := d.properties[name]
		typ, err := ref(property, preserve)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		fields = append(fields, structField{name, typ, property.value})
	}
	return fields, nil
}

func (d *definition) preservesUnknown() bool {
	return d.extensions["x-kubernetes-preserve-unknown-fields"] == true
}

// listRelationship returns how a list merges: "atomic" or "associative". An associative list with keys merges by its
// keys, and without keys as a set.
func (d *definition) listRelationship() (relationship string, keys []string, err error) {
	if listType, ok := d.extensions["x-kubernetes-list-type"]; ok {
		switch listType {
		case "atomic":
			return "atomic", nil, nil
		case "set":
			return "associative", nil, nil
		case "map":
			list, ok := d.extensions["x-kubernetes-list-map-keys"].([]any)
			if !ok {
				return "", nil, fmt.Errorf("x-kubernetes-list-type is map, but x-kubernetes-list-map-keys is not a list")
			}
			for _, key := range list {
				if key, ok := key.(string); ok {
					keys = append(keys, key)
				}
			}
			return "associative", keys, nil
		}
		return "", nil, fmt.Errorf("x-kubernetes-list-type must be atomic, set or map, not %v", listType)
	}
	strategy, ok := d.extensions["x-kubernetes-patch-strategy"]
	switch {
	case !ok || strategy == "retainKeys":
		return "atomic", nil, nil
	case strategy != "merge" && strategy != "merge,retainKeys":
		return "", nil, fmt.Errorf("x-kubernetes-patch-strategy must be merge or retainKeys, not %v", strategy)
	}
	key, ok := d.extensions["x-kubernetes-patch-merge-key"]
	if !ok {
		return "associative", nil, nil
	}
	name, ok := key.(string)
	if !ok {
		return "", nil, fmt.Errorf("x-kubernetes-patch-merge-key must be a string, not %v", key)
	}
	return "associative", []string{name}, nil
}

// mapRelationship returns how a map or struct merges: "atomic", "separable", or "" if the schema does not specify it.
func (d *definition) mapRelationship() (string, error) {
	switch mapType, ok := d.extensions["x-kubernetes-map-type"]; {
	case !ok:
		return "", nil
	case mapType == "atomic":
		return "atomic", nil
	case mapType == "granular":
		return "separable", nil
	default:
		return "", fmt.Errorf("x-kubernetes-map-type must be atomic or granular, not %v", mapType)
	}
}

// unions returns the unions of properties.
func (d *definition) unions() ([]union, error) {
	given, ok := d.extensions["x-kubernetes-unions"]
	list, isList := given.([]any)
	if ok && !isList {
		return nil, fmt.Errorf("x-kubernetes-unions must be a list")
	}
	var unions []union
	taken := map[string]bool{}
	for _, elem := range list {
		u, err := readUnion(elem)
		if err != nil {
			return nil, err
		}
		fields := []string{}
		if u.discriminator != "" {
			fields = append(fields, u.discriminator)
		}
		for _, m := range u.members {
			fields = append(fields, m.field)
		}
		for _, field := range fields {
			if taken[field] {
				return nil, fmt.Errorf("x-kubernetes-unions has %s twice", field)
			}
			taken[field] = true
		}
		unions = append(unions, u)
	}
	return unions, nil
}

func readUnion(tree any) (u union, err error) {
	said, ok := tree.(map[string]any)
	if !ok {
		return u, fmt.Errorf("x-kubernetes-unions must be a list of objects")
	}
	if discriminator, given := said["discriminator"]; given {
		if u.discriminator, ok = discriminator.(string); !ok {
			return u, fmt.Errorf("the discriminator in x-kubernetes-unions must be a string")
		}
	}
	fields, given := said["fields-to-discriminateBy"]
	byField, ok := fields.(map[string]any)
	if given && !ok {
		return u, fmt.Errorf("fields-to-discriminateBy in x-kubernetes-unions must be an object")
	}
	values := map[string]bool{}
	for _, field := range slices.Sorted(maps.Keys(byField)) {
		value, ok := byField[field].(string)
		if !ok || values[value] {
			return u, fmt.Errorf("fields-to-discriminateBy in x-kubernetes-unions must have a string of its own for %s", field)
		}
		values[value] = true
		u.members = append(u.members, unionMember{field, value})
	}
	return u, nil
}
