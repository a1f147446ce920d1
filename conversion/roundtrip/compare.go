package roundtrip

import (
	"cmp"
	"encoding/json"
	"reflect"
	"strings"
)

// walk compares objects, and adds the first difference of each field to lost.
type walk struct {
	lost    map[string]string // by path
	givenUp []string
}

// add adds a difference, unless a marker gives the field up.
func (w *walk) add(path string, before, after any) {
	if _, known := w.lost[path]; !known && !w.isGivenUp(path) {
		w.lost[path] = jsonOf(before) + " became " + jsonOf(after)
	}
}

func (w *walk) isGivenUp(path string) bool {
	for _, p := range w.givenUp {
		if rest, ok := strings.CutPrefix(path, p); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

// compare compares two values of a type. Empty lists and maps equal missing ones.
func (w *walk) compare(path string, before, after reflect.Value) {
	differs := false
	switch kind := before.Kind(); {
	case isValue(before.Type()), kind < reflect.Array, kind == reflect.String, kind == reflect.Interface:
		differs = jsonOf(before.Interface()) != jsonOf(after.Interface())
	case kind == reflect.Struct:
		for i := range before.NumField() {
			field := before.Type().Field(i)
			if name, ok := jsonName(field); ok {
				w.compare(path+name, before.Field(i), after.Field(i))
			}
		}
	case kind == reflect.Map:
		differs = before.Len() != after.Len()
		for _, key := range before.MapKeys() {
			if other := after.MapIndex(key); other.IsValid() {
				w.compare(path+"[]", before.MapIndex(key), other)
			} else {
				differs = true
			}
		}
	case kind == reflect.Pointer:
		if differs = before.IsNil() != after.IsNil(); !differs && !before.IsNil() {
			w.compare(path, before.Elem(), after.Elem())
		}
	case kind == reflect.Slice || kind == reflect.Array:
		differs = before.Len() != after.Len()
		for i := range min(before.Len(), after.Len()) {
			w.compare(path+"[]", before.Index(i), after.Index(i))
		}
	}
	if differs {
		w.add(path, before.Interface(), after.Interface())
	}
}

// contains compares two values of a type in JSON, of which the second may have more values: defaults.
func (w *walk) contains(path string, t reflect.Type, before, after any) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch b := before.(type) {
	case nil:
	case map[string]any:
		a, ok := after.(map[string]any)
		if !ok {
			w.add(path, before, after)
		}
		for name, field := range b {
			if ok && !isEmpty(field) {
				below, of := fieldIn(t, name)
				w.contains(path+below, of, field, a[name])
			}
		}
	case []any:
		a, _ := after.([]any)
		if len(a) != len(b) {
			w.add(path, before, after)
			return
		}
		for i := range b {
			w.contains(path+"[]", elementIn(t), b[i], a[i])
		}
	default:
		if before != after {
			w.add(path, before, after)
		}
	}
}

// fieldIn returns the path and type of a field in the JSON of a type. Maps have "[]" for all keys.
func fieldIn(t reflect.Type, name string) (string, reflect.Type) {
	if t.Kind() == reflect.Map {
		return "[]", t.Elem()
	}
	if of := fieldOf(t, "."+name); of != nil {
		return "." + name, of
	}
	return "." + name, reflect.TypeFor[any]() // any JSON
}

func elementIn(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		return t.Elem()
	}
	return reflect.TypeFor[any]()
}

// isEmpty reports whether a value is an empty list or map, which API servers keep, but Go types may leave out.
func isEmpty(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return value == nil
}

// isValue reports whether values of a type are compared as a whole, because their JSON is not that of their fields.
func isValue(t reflect.Type) bool {
	marshaler := reflect.TypeFor[json.Marshaler]()
	return t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler)
}

// jsonName returns the path of a field below its struct, which is "" for one that JSON inlines; ok means that the field
// is exported.
func jsonName(f reflect.StructField) (name string, ok bool) {
	tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if tag == "" && f.Anonymous {
		return "", f.IsExported()
	}
	return "." + cmp.Or(tag, f.Name), f.IsExported()
}
