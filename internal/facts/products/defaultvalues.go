package products

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"go/constant"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// isZero reports whether a value in JSON is what Go has for an unset value of a predeclared type, or of []byte. A value
// of a declared type is not, as for defaulter-gen.
func isZero(t *model.Type, value any) bool {
	switch v := value.(type) {
	case bool:
		return !v && t.Kind == model.Basic && t.Name.Name == "bool"
	case float64:
		return v == 0 && t.Kind == model.Basic && isNumber(t.Name.Name) && t.Name.Name != "rune" && t.Name.Name != "uintptr"
	case string:
		isBytes := t.Kind == model.Slice && t.Elem.Kind == model.Basic && t.Elem.Name.Name == "byte"
		isTime := t.Name == model.TypeRef{Path: "time", Name: "Time"}
		return v == "" && (isBytes || isTime || t.Kind == model.Basic && t.Name.Name == "string")
	}
	return false
}

func isNumber(name string) bool { return bits(name) > 0 || name == "float32" || name == "float64" }

// bits returns the size of an integer type, or 0 for other types.
func bits(name string) int {
	switch name {
	case "int8", "uint8", "byte":
		return 8
	case "int16", "uint16":
		return 16
	case "int32", "uint32", "rune":
		return 32
	case "int", "uint", "int64", "uint64", "uintptr":
		return 64
	}
	return 0
}

// basicValue returns a value in JSON as a value of a predeclared type: a string, bool or model.Number. Otherwise,
// why is a reason.
func basicValue(name, text string) (value any, why string) {
	switch {
	case name == "string":
		var s string
		if json.Unmarshal([]byte(text), &s) != nil || text == "null" {
			return nil, "it is not a string"
		}
		return s, ""
	case name == "bool":
		if text != "true" && text != "false" {
			return nil, "it is neither true nor false"
		}
		return text == "true", ""
	case !isNumber(name):
		return nil, "it has no form in JSON"
	}
	v := constant.MakeFromLiteral(strings.TrimPrefix(text, "-"), token.FLOAT, 0)
	if v.Kind() == constant.Unknown || strings.HasPrefix(text, `"`) {
		return nil, "it is not a number"
	}
	if strings.HasPrefix(text, "-") {
		v = constant.UnaryOp(token.SUB, v, 0)
	}
	size := bits(name)
	if size == 0 {
		return model.Number(text), ""
	}
	if v = constant.ToInt(v); v.Kind() != constant.Int {
		return nil, "it is not an integer"
	}
	text = v.ExactString()
	_, err := strconv.ParseInt(text, 10, size)
	if name[0] == 'u' || name == "byte" {
		_, err = strconv.ParseUint(text, 10, size)
	}
	if err != nil {
		return nil, "it is out of range"
	}
	return model.Number(text), ""
}

// mismatch returns a reason why package json cannot decode a text into a value of a type, or "". Types with methods of
// their own can do so. The text is within depth others.
func (r *defaultsReader) mismatch(t *model.Type, text []byte, depth int) string {
	methods := t.Methods
	if t.Struct != nil {
		methods = t.Struct.Methods
	}
	if methods.JSON || methods.Text || depth > 32 {
		return ""
	}
	if t.Kind == model.Named {
		return r.mismatch(t.Elem, text, depth+1)
	}
	if string(text) == "null" && (depth > 0 || t.Kind != model.Basic) {
		return ""
	}
	switch t.Kind {
	case model.Basic:
		_, why := basicValue(t.Name.Name, string(text))
		return why
	case model.Pointer:
		return r.mismatch(t.Elem, text, depth+1)
	case model.Slice, model.Array:
		if elem := t.Elem.Underlying(); t.Kind == model.Slice && slices.Contains([]string{"byte", "uint8"}, elem.Name.Name) {
			var encoded string
			if json.Unmarshal(text, &encoded) != nil {
				return "it is not a string in base64"
			}
			if _, err := base64.StdEncoding.DecodeString(encoded); err != nil {
				return "it is not in base64"
			}
			return ""
		}
		var list []json.RawMessage
		if json.Unmarshal(text, &list) != nil {
			return "it is not a list"
		}
		for i, one := range list {
			if why := r.mismatch(t.Elem, one, depth+1); why != "" {
				return fmt.Sprintf("element %d: %s", i, why)
			}
		}
	case model.Map, model.Struct:
		var object map[string]json.RawMessage
		if json.Unmarshal(text, &object) != nil {
			return "it is not an object"
		}
		return r.mismatchInside(t, object, depth)
	}
	return ""
}

// mismatchInside is mismatch for the values in an object.
func (r *defaultsReader) mismatchInside(t *model.Type, object map[string]json.RawMessage, depth int) string {
	elem := func(string) *model.Type { return t.Elem }
	if t.Kind == model.Struct {
		fields := r.StructFields(t)
		elem = func(key string) *model.Type {
			i := slices.IndexFunc(fields, func(f *model.Field) bool { return f.InJSON() && f.JSON() == key })
			if i < 0 {
				return nil
			}
			return fields[i].Type
		}
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if part := elem(key); part != nil {
			if why := r.mismatch(part, object[key], depth+1); why != "" {
				return key + ": " + why
			}
		}
	}
	return ""
}
