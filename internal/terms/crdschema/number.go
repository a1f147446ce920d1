package crdschema

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// exact is 2^53. float64 represents every integer from -exact to exact.
const exact = 1 << 53

// Number converts a JSON number like an API server: to int64 if the text is an integer in that range, otherwise to
// float64. Integers with a fraction or exponent also become int64 if their magnitude is at most exact. ok is false for
// other texts, and for numbers beyond the range of float64.
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

// Exact converts the numbers in a JSON value, of type int, float64 or json.Number, to the types that Number returns.
func Exact(value any) any {
	return yamltext.Map(value, func(scalar any) any {
		switch v := scalar.(type) {
		case int:
			return int64(v)
		case float64:
			return fromFloat(v)
		case json.Number:
			if number, ok := Number(v.String()); ok {
				return number
			}
		}
		return scalar
	})
}
