// Package manifest writes objects into files of manifests as controller-gen does, and recognizes such files.
package manifest

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/internal/yamltext"
)

// separator begins a document.
const separator = "---\n"

// Write returns a file with objects, as encoding/json decodes these, after a header.
func Write(header string, objects ...map[string]any) []byte {
	out := []byte(header)
	for _, object := range objects {
		var w yamltext.Writer
		w.Value(-2, object)
		out = append(append(out, separator...), w.Bytes()...)
	}
	return out
}

// Strings returns a list for Write.
func Strings(list []string) []any {
	found := []any{}
	for _, s := range list {
		found = append(found, s)
	}
	return found
}

// Read returns the objects of a file. ok is false if it is not YAML, or has something that is not an object.
func Read(text []byte) (objects []map[string]any, ok bool) {
	decoder := yamltext.NewDecoder(text)
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

// Object identifies an object.
type Object struct{ Kind, Namespace, Name string }

// Objects returns the objects of a file that Write returns.
func Objects(text []byte) (all []Object) {
	objects, _ := Read(text)
	for _, object := range objects {
		kind, _ := object["kind"].(string)
		metadata, _ := object["metadata"].(map[string]any)
		name, _ := metadata["name"].(string)
		namespace, _ := metadata["namespace"].(string)
		all = append(all, Object{kind, namespace, name})
	}
	return all
}

// Holds reports whether a file has objects of some kinds and no others.
func Holds(text []byte, kinds ...string) bool {
	objects, ok := Read(text)
	return ok && !slices.ContainsFunc(objects, func(object map[string]any) bool {
		kind, _ := object["kind"].(string)
		return !slices.Contains(kinds, kind)
	})
}

// Owned returns a function that reports whether a file may be replaced by one with a content: its objects have the same
// kinds as the new ones may have, and either names of new ones or none, or the form of generated objects.
func Owned(content []byte, kinds ...string) func(text []byte) bool {
	names := sync.OnceValue(func() map[string]bool {
		found := map[string]bool{}
		for _, object := range Objects(content) {
			found[object.Name] = true
		}
		return found
	})
	isOther := func(object Object) bool { return object.Name != "" && !names()[object.Name] }
	return func(text []byte) bool {
		return Holds(text, kinds...) && (!slices.ContainsFunc(Objects(text), isOther) || Written(text, kinds...))
	}
}

// Written reports whether a file is one that Write or controller-gen returns, with any header and with objects of some
// kinds: they have no metadata but a name and a namespace, and the time of creation in earlier releases of
// controller-gen, where it is null.
func Written(text []byte, kinds ...string) bool {
	at := bytes.Index(text, []byte(separator))
	if at < 0 || !Holds(text, kinds...) {
		return false
	}
	objects, _ := Read(text)
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
	return len(objects) > 0 && bytes.Equal(text[at:], Write("", objects...))
}
