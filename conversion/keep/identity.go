package keep

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// identity returns the JSON by which an element of a list is found again: objects without empty values, and numbers in
// one form, so that neither the order of fields nor omitempty matters.
func identity(pointer any, keys []string) any {
	text, err := json.Marshal(pointer)
	if err != nil {
		return nil // what has no JSON is no part of the identity
	}
	return decodeIdentity(text, keys)
}

// restoredIdentity returns the identity of an element that an earlier release may have kept: without fields that the
// type no longer has.
func restoredIdentity[T any](text json.RawMessage, keys []string) any {
	if element := new(T); json.Unmarshal(text, element) == nil {
		if current := identity(element, keys); current != nil {
			return current
		}
	}
	return decodeIdentity(text, keys)
}

func decodeIdentity(text []byte, keys []string) any {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}
	value = canonical(value)
	object, isObject := value.(map[string]any)
	if len(keys) == 0 || !isObject {
		return value
	}
	found := map[string]any{}
	for _, key := range keys {
		if v, ok := object[key]; ok {
			found[key] = v
		}
	}
	return canonical(found)
}

// canonical returns a value of JSON in which objects have no empty values and numbers one form, or nil for an empty
// value.
func canonical(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, field := range v {
			if field = canonical(field); field == nil {
				delete(v, name)
			} else {
				v[name] = field
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		for i := range v {
			v[i] = canonical(v[i])
		}
		if len(v) == 0 {
			return nil
		}
	case json.Number:
		if f, err := v.Float64(); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			value = json.Number(strconv.FormatInt(int64(f), 10))
		} else if _, err := v.Int64(); err != nil {
			value = json.Number(strconv.FormatFloat(f, 'g', -1, 64))
		}
		if value == json.Number("0") {
			return nil
		}
	case string:
		if v == "" {
			return nil
		}
	case bool:
		if !v {
			return nil
		}
	}
	return value
}

// adds reports whether an element equals a kept one but for values that the kept one lacks. Servers add such values:
// defaults.
func adds(kept, present any) bool {
	switch k := kept.(type) {
	case nil:
		return true
	case map[string]any:
		p, ok := present.(map[string]any)
		if !ok {
			return false
		}
		for name, field := range k {
			if !adds(field, p[name]) {
				return false
			}
		}
		return true
	case []any:
		p, ok := present.([]any)
		if !ok || len(p) != len(k) {
			return false
		}
		for i := range k {
			if !adds(k[i], p[i]) {
				return false
			}
		}
		return true
	}
	return kept == present
}
