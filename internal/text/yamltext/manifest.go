// This file writes objects into files of manifests as controller-gen does, and recognizes such files.

package yamltext

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	yamlv2 "go.yaml.in/yaml/v2" // which sigs.k8s.io/yaml writes with
	"go.yaml.in/yaml/v3"
)

// separator begins a document.
const separator = "---\n"

// WriteManifest returns a file with objects, as encoding/json decodes these, after a header.
func WriteManifest(header string, objects ...map[string]any) []byte {
	out := []byte(header)
	for _, object := range objects {
		out = append(append(out, separator...), Marshal(object)...)
	}
	return out
}

// Marshal returns a value as YAML. It has the types of encoding/json, or is an int or int64, and so are its parts.
func Marshal(value any) []byte {
	text, _ := yamlv2.Marshal(Map(value, exact)) // fails only for other types
	return text
}

// Map returns a value of JSON with what scalar returns for each text, number, Boolean and null in it, and for each key,
// for which it must return a text.
func Map(value any, scalar func(any) any) any {
	switch v := value.(type) {
	case []any:
		list := make([]any, len(v))
		for i, element := range v {
			list[i] = Map(element, scalar)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for key, element := range v {
			object[scalar(key).(string)] = Map(element, scalar)
		}
		return object
	}
	return scalar(value)
}

// Indented returns a value, which may be a node, as YAML with sequences that are indented below their key.
func Indented(value any) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	err := e.Encode(value)
	return b.Bytes(), err
}

// exact returns the number or text that a parser of its JSON reads, and other scalars unchanged.
func exact(scalar any) any {
	switch v := scalar.(type) {
	case string:
		if !utf8.ValidString(v) {
			return string([]rune(v)) // as encoding/json does
		}
	case float64:
		text, _ := json.Marshal(v)
		return exact(json.Number(text))
	case json.Number:
		if n, err := strconv.ParseUint(v.String(), 10, 64); err == nil {
			return n // which may be larger than an int64
		}
	}
	return scalar
}

// BeforeLast returns the text of an object up to the last key of an inner object in the layout of WriteManifest, or the
// whole text if the key is not the last one there or the layout is another.
func BeforeLast(text []byte, key string) []byte {
	before, value, found := bytes.Cut(text, []byte("\n  "+key+":\n"))
	if !found {
		return text
	}
	for line := range bytes.Lines(value) {
		if string(line) != "\n" && !bytes.HasPrefix(line, []byte("    ")) && !bytes.HasPrefix(line, []byte("  - ")) {
			return text
		}
	}
	return before
}

// Strings returns a list for Write.
func Strings(list []string) []any {
	found := []any{}
	for _, s := range list {
		found = append(found, s)
	}
	return found
}

// At returns the value at a path of keys in an object, also in the first element of a list, or nil.
func At(value any, keys ...string) any {
	for _, key := range keys {
		if list, ok := value.([]any); ok && len(list) > 0 {
			value = list[0]
		}
		object, _ := value.(map[string]any)
		value = object[key]
	}
	return value
}

// ReadManifest returns the objects of a file. ok is false if it is not YAML, or has something that is not an object.
func ReadManifest(text []byte) (objects []map[string]any, ok bool) {
	decoder := NewDecoder(text)
	for {
		var document yaml.Node
		var object map[string]any
		switch err := decoder.Decode(&document); {
		case errors.Is(err, io.EOF):
			return objects, true
		case err != nil || document.Decode(&object) != nil:
			return nil, false
		case object != nil:
			objects = append(objects, object)
		}
	}
}

// ManifestObject identifies an object.
type ManifestObject struct{ Kind, Namespace, Name string }

// ManifestObjects returns the objects of a file that Write returns.
func ManifestObjects(text []byte) (all []ManifestObject) {
	objects, _ := ReadManifest(text)
	for _, object := range objects {
		all = append(all, ObjectOf(object))
	}
	return all
}

// ObjectOf returns what identifies an object.
func ObjectOf(object map[string]any) (o ManifestObject) {
	o.Kind, _ = object["kind"].(string)
	o.Name, _ = At(object, "metadata", "name").(string)
	o.Namespace, _ = At(object, "metadata", "namespace").(string)
	return o
}

// HoldsKinds reports whether a file has objects of some kinds and no others.
func HoldsKinds(text []byte, kinds ...string) bool {
	objects, ok := ReadManifest(text)
	return ok && !slices.ContainsFunc(objects, func(object map[string]any) bool {
		kind, _ := object["kind"].(string)
		return !slices.Contains(kinds, kind)
	})
}

// OwnedManifest returns a function that reports whether a file may be replaced by one with a content: its objects have
// the same kinds as the new ones may have, and either names of new ones or none, or the form of generated objects.
func OwnedManifest(content []byte, kinds ...string) func(text []byte) bool {
	names := sync.OnceValue(func() map[string]bool {
		found := map[string]bool{}
		for _, object := range ManifestObjects(content) {
			found[object.Name] = true
		}
		return found
	})
	isOther := func(object ManifestObject) bool { return object.Name != "" && !names()[object.Name] }
	return func(text []byte) bool {
		return HoldsKinds(text, kinds...) && (!slices.ContainsFunc(ManifestObjects(text), isOther) || WrittenManifest(text, kinds...))
	}
}

// WrittenManifest reports whether a file is one that Write or controller-gen returns, with any header and with objects
// of some kinds: they have no metadata but a name and a namespace, and the time of creation in earlier releases of
// controller-gen, where it is null.
func WrittenManifest(text []byte, kinds ...string) bool {
	at := bytes.Index(text, []byte(separator))
	if at < 0 || !HoldsKinds(text, kinds...) {
		return false
	}
	objects, _ := ReadManifest(text)
	for _, object := range objects {
		metadata, _ := object["metadata"].(map[string]any)
		for key := range metadata {
			if key != "name" && key != "namespace" && (key != "creationTimestamp" || metadata[key] != nil) {
				return false
			}
		}
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	text = bytes.ReplaceAll(text, []byte("\n\n"+separator), []byte("\n"+separator)) // of earlier releases
	at = bytes.Index(text, []byte(separator))
	return len(objects) > 0 && bytes.Equal(text[at:], WriteManifest("", objects...))
}
