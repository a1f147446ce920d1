package goschema

import "encoding/json"

// asJSON returns a value as encoding/json decodes it: all numbers are of type float64.
func asJSON(value any) any {
	switch v := value.(type) {
	case int:
		return float64(v)
	case []any:
		list := make([]any, len(v))
		for i, element := range v {
			list[i] = asJSON(element)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for key, element := range v {
			object[key] = asJSON(element)
		}
		return object
	}
	return value
}

// quoted returns a string in JSON.
func quoted(text string) string {
	encoded, _ := json.Marshal(text)
	return string(encoded)
}
