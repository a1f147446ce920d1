package openapi

import (
	"encoding/json"
	"math"
	"strconv"
)

// exact is the greatest integer up to which a float64 represents all of them.
const exact = 1 << 53

// Number returns the value of a number in JSON as API servers decode it: an int64 if it is written as an integer that is one, otherwise a float64.
// Integers written with a fraction or an exponent are an int64, too, as far as a float64 tells them apart. ok is false for other texts, and for numbers
// beyond the range of a float64.
func Number(text string) (number any, ok bool) {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i, true
	}
	f, err := strconv.ParseFloat(text, 64)
	return fromFloat(f), err == nil
}

func fromFloat(f float64) any {
	if f == math.Trunc(f) && math.Abs(f) <= exact {
		return int64(f)
	}
	return f
}

// Exact returns a value in JSON with numbers as Number returns them. Those that it has are of type int, float64 or json.Number.
func Exact(value any) any {
	switch v := value.(type) {
	case int:
		return int64(v)
	case float64:
		return fromFloat(v)
	case json.Number:
		if number, ok := Number(v.String()); ok {
			return number
		}
	case []any:
		list := make([]any, len(v))
		for i, element := range v {
			list[i] = Exact(element)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for key, element := range v {
			object[key] = Exact(element)
		}
		return object
	}
	return value
}

// asFloat returns a number as a float64, which may not have all of its digits.
func asFloat(value any) (f float64, ok bool) {
	switch v := value.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
