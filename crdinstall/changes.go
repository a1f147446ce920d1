package crdinstall

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Change is a difference between two states of a definition.
type Change struct {
	// Path is the path of the value from the top of the definition, such as spec.versions[v1].served. The elements of
	// spec.versions are named by version, those of other lists numbered from 0.
	Path string
	// Old and New are the values as decoded from JSON, with numbers as int64 or float64; nil where there is none.
	Old, New any
}

// String returns the change in one line, with values in JSON that are cut to 60 characters.
func (c Change) String() string {
	switch {
	case c.Old == nil:
		return fmt.Sprintf("%s: added %s", c.Path, short(c.New))
	case c.New == nil:
		return fmt.Sprintf("%s: removed %s", c.Path, short(c.Old))
	}
	return fmt.Sprintf("%s: %s is now %s", c.Path, short(c.Old), short(c.New))
}

func short(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	if runes := []rune(string(text)); len(runes) > 60 {
		return string(runes[:57]) + "..."
	}
	return string(text)
}

// changes returns the differences between two states of a definition, ordered by path, without the status and what a
// server counts and records in metadata.
func changes(before, after definition) (found []Change) {
	compare("", content(before), content(after), &found)
	return found
}

// content returns what a manifest says of a definition.
func content(d definition) map[string]any {
	metadata := map[string]any{}
	for _, field := range []string{"annotations", "labels"} {
		if inner, ok := d.Object["metadata"].(map[string]any); ok && inner[field] != nil {
			metadata[field] = inner[field]
		}
	}
	return map[string]any{"metadata": metadata, "spec": d.Object["spec"]}
}

func compare(at string, old, now any, found *[]Change) {
	if reflect.DeepEqual(old, now) {
		return
	}
	was, ok := children(old)
	is, both := children(now)
	if !ok || !both {
		*found = append(*found, Change{strings.TrimPrefix(at, "."), old, now})
		return
	}
	keys := maps.Clone(was)
	maps.Copy(keys, is)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		compare(at+key, was[key], is[key], found)
	}
}

// children returns the values in an object or list by the ends of their paths. ok is false for any other value.
func children(value any) (all map[string]any, ok bool) {
	all = map[string]any{}
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			all["."+key] = inner
		}
	case []any:
		for i, element := range value {
			key := strconv.Itoa(i)
			if object, ok := element.(map[string]any); ok && object["schema"] != nil { // a version
				key = nameOf(object)
			}
			all["["+key+"]"] = element
		}
	default:
		return nil, false
	}
	return all, true
}
