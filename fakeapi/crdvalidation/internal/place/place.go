// Package place finds the places of fields in YAML documents.
package place

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Find returns the key and the value of a field with a path such as spec.versions[0].schema or properties[spec], or
// those of the innermost enclosing field that exists. Elements of lists are their own keys, as is the whole document.
func Find(document *yaml.Node, path string) (key, value *yaml.Node) {
	key, value = document, document
	for path != "" {
		name, rest := first(path)
		inner := Resolved(value)
		nextKey, next := Child(inner, name)
		if i, err := strconv.Atoi(name); err == nil && inner.Kind == yaml.SequenceNode && i < len(inner.Content) {
			nextKey, next = inner.Content[i], inner.Content[i]
		} else if next == nil && name == "JSONPath" { // as servers call it
			nextKey, next = Child(inner, "jsonPath")
		} else if next == nil { // the key of a map may have dots
			nextKey, next, rest = dotted(inner, path)
		}
		if next == nil {
			return key, value
		}
		key, value, path = nextKey, next, rest
	}
	return key, value
}

// dotted returns the key of a map that begins a path, its value, and the rest of the path.
func dotted(node *yaml.Node, path string) (key, value *yaml.Node, rest string) {
	for i := 0; node.Kind == yaml.MappingNode && i+1 < len(node.Content); i += 2 {
		after, ok := strings.CutPrefix(path, node.Content[i].Value)
		if ok && node.Content[i].Value != "" && (after == "" || strings.ContainsRune(".[", rune(after[0]))) {
			return node.Content[i], node.Content[i+1], strings.TrimPrefix(after, ".")
		}
	}
	return nil, nil, ""
}

// first returns the first step of a path, and the rest.
func first(path string) (name, rest string) {
	if inner, ok := strings.CutPrefix(path, "["); ok {
		name, rest, _ = strings.Cut(inner, "]")
		return name, strings.TrimPrefix(rest, ".")
	}
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		return path, ""
	}
	return path[:end], strings.TrimPrefix(path[end:], ".")
}

// Child returns the nodes of a key of a mapping and of its value, or nil.
func Child(node *yaml.Node, name string) (key, value *yaml.Node) {
	for i := 0; node != nil && node.Kind == yaml.MappingNode && i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == name {
			return node.Content[i], node.Content[i+1]
		}
	}
	return nil, nil
}

// Resolved returns a node, or the one for which it is an alias.
func Resolved(node *yaml.Node) *yaml.Node {
	if node != nil && node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}
