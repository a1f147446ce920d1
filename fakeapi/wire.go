package fakeapi

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// onWire returns a copy of a value as it is after transmission as JSON. Numbers written by JSON without fraction and
// exponent become int64, other numbers float64.
func onWire(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, int64:
		return v, nil
	case map[string]any:
		if v == nil {
			return nil, nil
		}
		c := make(map[string]any, len(v))
		for name, e := range v {
			sent, err := onWire(e)
			if err != nil {
				return nil, err
			}
			if !utf8.ValidString(name) {
				return encodeAndDecode(v)
			}
			c[name] = sent
		}
		return c, nil
	case []any:
		if v == nil {
			return nil, nil
		}
		c := make([]any, len(v))
		for i, e := range v {
			sent, err := onWire(e)
			if err != nil {
				return nil, err
			}
			c[i] = sent
		}
		return c, nil
	case string:
		if utf8.ValidString(v) {
			return v, nil
		}
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return settleNumber(v), nil
		}
	}
	return encodeAndDecode(v)
}

func encodeAndDecode(v any) (decoded any, err error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	err = utiljson.Unmarshal(data, &decoded)
	return decoded, err
}

// settle returns a value as it is after storage. JSON does not mark floats, so whole ones become int64. Changed parts
// are copied.
func settle(v any) any {
	if !hasFloats(v) {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		c := make(map[string]any, len(v))
		for name, e := range v {
			c[name] = settle(e)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = settle(e)
		}
		return c
	}
	return settleNumber(v.(float64))
}

func hasFloats(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			if hasFloats(e) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, hasFloats)
	case float64:
		return true
	}
	return false
}

// settleNumber returns a number as it is after storage. JSON writes whole numbers below 1e21 without an exponent.
func settleNumber(n float64) any {
	if n == math.Trunc(n) && math.Abs(n) < 1e21 {
		if whole, err := strconv.ParseInt(strconv.FormatFloat(n, 'f', -1, 64), 10, 64); err == nil {
			return whole
		}
	}
	return n
}
