package fakeapi

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A valueType is the type of a field's values in a server if the CustomResourceDefinition has no further rules: the
// part of the schema that generators derive from the Go type.
type valueType struct {
	names    []string              // OpenAPI types: object, array, string, integer, number, boolean; none if any type is allowed
	format   string                // OpenAPI format: int32, int64, date-time, or ""
	fields   map[string]*valueType // fields of an object with fixed field names
	values   *valueType            // values of an object with arbitrary field names
	elements *valueType            // elements of an array
}

// valueTypes maps Go types to value types. A recursive type is added before it is complete.
type valueTypes map[reflect.Type]*valueType

// newValueType returns the type of a kind's objects without metadata, which is checked elsewhere.
func newValueType(obj runtime.Object) *valueType {
	t := valueTypes{}.of(reflect.TypeOf(obj))
	root := *t
	root.fields = maps.Clone(t.fields)
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		root.fields[name] = &valueType{}
	}
	return &root
}

var (
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func (all valueTypes) of(t reflect.Type) *valueType {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if known, ok := all[t]; ok {
		return known
	}
	v := &valueType{}
	all[t] = v
	if names, format, ok := declaredType(t); ok {
		v.names, v.format = names, format
		return v
	}
	switch t.Kind() {
	case reflect.Bool:
		v.names = []string{"boolean"}
	case reflect.String:
		v.names = []string{"string"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Uint, reflect.Uint8, reflect.Uint16:
		v.names = []string{"integer"}
	case reflect.Int32, reflect.Uint32:
		v.names, v.format = []string{"integer"}, "int32"
	case reflect.Int64, reflect.Uint64:
		v.names, v.format = []string{"integer"}, "int64"
	case reflect.Float32, reflect.Float64:
		v.names = []string{"number"}
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			v.names = []string{"string"}
			break
		}
		v.names, v.elements = []string{"array"}, all.of(t.Elem())
	case reflect.Map:
		v.names, v.values = []string{"object"}, all.of(t.Elem())
	case reflect.Struct:
		v.names, v.fields = []string{"object"}, map[string]*valueType{}
		all.addFields(v.fields, t)
	}
	return v
}

// declaredType returns the OpenAPI types and format declared by a Go type with its own encoding.
func declaredType(t reflect.Type) (names []string, format string, ok bool) {
	zero := reflect.New(t).Interface()
	if _, ok := zero.(interface{ OpenAPIV3OneOfTypes() []string }); ok {
		return []string{"integer", "string"}, "", true
	}
	if declared, ok := zero.(interface {
		OpenAPISchemaType() []string
		OpenAPISchemaFormat() string
	}); ok {
		return declared.OpenAPISchemaType(), declared.OpenAPISchemaFormat(), true
	}
	if p := reflect.PointerTo(t); p.Implements(unmarshaler) {
		return nil, "", true
	} else if p.Implements(textUnmarshaler) {
		return []string{"string"}, "", true
	}
	return nil, "", false
}

func (all valueTypes) addFields(fields map[string]*valueType, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		inline := f.Anonymous && name == "" || slices.Contains(strings.Split(options, ","), "inline")
		switch {
		case name == "-" && options == "":
		case inline:
			embedded := f.Type
			if embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			if embedded.Kind() == reflect.Struct {
				all.addFields(fields, embedded)
			}
		case f.IsExported():
			if name == "" {
				name = f.Name
			}
			fields[name] = all.of(f.Type)
		}
	}
}

// field returns the type of a field, or nil if there is no such field.
func (t *valueType) field(name string) *valueType {
	if t == nil {
		return nil
	}
	if f, ok := t.fields[name]; ok {
		return f
	}
	return t.values
}

// prune removes fields from v that the type does not have, and returns their paths in unspecified order.
func (t *valueType) prune(path string, v any) (unknown []string) {
	if t != nil && t.names == nil {
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			at := name
			if path != "" {
				at = path + "." + name
			}
			f := t.field(name)
			if f == nil {
				unknown = append(unknown, at)
				delete(v, name)
				continue
			}
			unknown = append(unknown, f.prune(at, e)...)
		}
	case []any:
		var elements *valueType
		if t != nil {
			elements = t.elements
		}
		for i, e := range v {
			unknown = append(unknown, elements.prune(fmt.Sprintf("%s[%d]", path, i), e)...)
		}
	}
	return unknown
}

// dropNulls removes null fields. Elements of lists may be null.
func (t *valueType) dropNulls(v any) {
	if t == nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			f := t.field(name)
			if e == nil && f != nil {
				delete(v, name)
				continue
			}
			f.dropNulls(e)
		}
	case []any:
		for _, e := range v {
			t.elements.dropNulls(e)
		}
	}
}

// validate returns an error for each value of the wrong type, sorted by path. In the errors, path starts at the value
// and parent at the object that contains it.
func (t *valueType) validate(parent *field.Path, path string, v any) (errs field.ErrorList) {
	if t == nil || t.names == nil {
		return nil
	}
	wrong := func(want, got string) {
		at := parent
		if path != "" {
			at = parent.Child(path)
		}
		errs = append(errs, field.TypeInvalid(at, got, fmt.Sprintf("%s in body must be of type %s: %q", path, want, got)))
	}
	got, format := jsonType(v)
	integral := false
	if n, ok := v.(float64); ok {
		integral = n == math.Trunc(n) && math.Abs(n) < 1<<53
	}
	fits := slices.Contains(t.names, got) || integral && slices.Contains(t.names, "integer") ||
		got == "integer" && slices.Contains(t.names, "number")
	switch {
	case fits:
	case t.format != "" && got != "string" && got != "array" && got != "null":
		wrong(t.format, format)
	case t.format == "" || got == "null" || !slices.Contains(t.names, "string"):
		wrong(strings.Join(t.names, ","), got)
	}
	switch v := v.(type) {
	case string:
		if t.format == "date-time" && !isDateTime(v) {
			wrong(t.format, v)
		}
	case int64:
		errs = append(errs, t.checkRange(parent, path, strconv.FormatInt(v, 10))...)
	case float64:
		errs = append(errs, t.checkRange(parent, path, strconv.FormatFloat(v, 'f', -1, 64))...)
	case []any:
		for i, e := range v {
			errs = append(errs, t.elements.validate(parent, fmt.Sprintf("%s[%d]", path, i), e)...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			at := name
			if path != "" || t.values != nil {
				at = path + "." + name
			}
			errs = append(errs, t.field(name).validate(parent, at, v[name])...)
		}
	}
	return errs
}

// checkRange returns an error if a number is not an integer in the range of the format.
func (t *valueType) checkRange(parent *field.Path, path, n string) field.ErrorList {
	if !slices.Equal(t.names, []string{"integer"}) {
		return nil
	}
	bits, format := 64, "(default format)"
	if t.format != "" {
		format = "with format " + t.format
	}
	if t.format == "int32" {
		bits = 32
	}
	if _, err := strconv.ParseInt(n, 10, bits); err == nil {
		return nil
	}
	return field.ErrorList{field.Invalid(parent, "", fmt.Sprintf("Checked value must be of type integer %s in %s", format, path))}
}

// jsonType returns the OpenAPI type and format of a JSON value.
func jsonType(v any) (name, format string) {
	switch v.(type) {
	case nil:
		return "null", ""
	case bool:
		return "boolean", ""
	case string:
		return "string", ""
	case int64:
		return "integer", "int64"
	case float64:
		return "number", "float64"
	case []any:
		return "array", ""
	}
	return "object", ""
}

var timeOfDay = regexp.MustCompile(`^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$`)

// isDateTime reports whether a server accepts a text as a time.
func isDateTime(text string) bool {
	day, rest, ok := strings.Cut(strings.ToLower(text), "t")
	if _, err := time.Parse(time.DateOnly, day); !ok || err != nil {
		return false
	}
	m := timeOfDay.FindStringSubmatch(rest)
	return m != nil && m[1] <= "23" && m[2] <= "59" && m[3] <= "59"
}
