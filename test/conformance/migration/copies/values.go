//go:build go1.23

package main

import (
	"fmt"
	"hash"
	"io"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// filler fills values at random.
type filler struct{ *rand.Rand }

// maxDepth is how deep values are; what is deeper is nil or empty.
const maxDepth = 7

// fill fills what v refers to. Unexported fields stay zero, but those of a few types.
func (f filler) fill(v reflect.Value, depth int) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(f.Int64N(1<<40), f.Int64N(1e9))))
		return
	case resource.Quantity:
		text := []string{"0", "100m", "1Gi", "12345678901234567890123", "0.000000001"}[f.IntN(5)]
		v.Set(reflect.ValueOf(resource.MustParse(text)))
		return
	}
	deep := depth >= maxDepth
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(f.IntN(100)))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(uint64(f.IntN(100)))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(f.Float64())
	case reflect.String:
		v.SetString(fmt.Sprintf("%x", f.IntN(1<<16)))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				f.fill(v.Field(i), depth+1)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i), depth+1)
		}
	case reflect.Pointer:
		v.SetZero()
		if !deep && f.IntN(4) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem(), depth+1)
		}
	case reflect.Slice:
		v.SetZero()
		if n := f.length(deep); n >= 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n+f.IntN(2)))
			for i := range n {
				f.fill(v.Index(i), depth+1)
			}
		}
	case reflect.Map:
		v.SetZero()
		if n := f.length(deep); n >= 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for range n {
				key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				f.fill(key, depth+1)
				f.fill(value, depth+1)
				v.SetMapIndex(key, value)
			}
		}
	case reflect.Interface:
		v.SetZero()
		if x := f.implementation(v.Type(), depth); x != nil && !deep && f.IntN(4) > 0 {
			v.Set(reflect.ValueOf(x))
		}
	default:
		panic("cannot fill a " + v.Type().String())
	}
}

// length returns how long a slice or map is, -1 for nil.
func (f filler) length(deep bool) int {
	if deep {
		return f.IntN(2) - 1
	}
	return f.IntN(5) - 1
}

// implementation returns a value that an interface can have, or nil.
func (f filler) implementation(t reflect.Type, depth int) any {
	object := &metav1.PartialObjectMetadata{}
	f.fill(reflect.ValueOf(object).Elem(), depth+1)
	for _, candidate := range []any{object, labels.SelectorFromSet(labels.Set{"a": "b"}), fields.OneTermEqualSelector("a", "b")} {
		if t.NumMethod() > 0 && reflect.TypeOf(candidate).Implements(t) {
			return candidate
		}
	}
	if t.NumMethod() > 0 {
		return nil
	}
	return f.json(depth)
}

// json returns a value as encoding/json makes it, but for numbers without a fraction.
func (f filler) json(depth int) any {
	switch f.IntN(6) {
	case 0:
		return nil
	case 1:
		return f.IntN(2) == 0
	case 2:
		return f.Int64N(100)
	case 3:
		return f.Float64()
	case 4:
		list := []any{}
		for range max(0, f.length(depth >= maxDepth)) {
			list = append(list, f.json(depth+1))
		}
		return list
	}
	object := map[string]any{}
	for range max(0, f.length(depth >= maxDepth)) {
		object[fmt.Sprint(f.IntN(10))] = f.json(depth + 1)
	}
	return object
}

// write writes all that a value refers to, nil and empty apart.
func write(w hash.Hash, v reflect.Value) {
	switch v.Kind() {
	case reflect.Invalid:
		io.WriteString(w, "nothing")
	case reflect.Struct:
		if t, ok := v.Interface().(time.Time); ok {
			fmt.Fprint(w, t.UnixNano())
			return
		}
		fmt.Fprintf(w, "%s{", v.Type())
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				io.WriteString(w, field.Name)
				write(w, v.Field(i))
			}
		}
		if q, ok := v.Interface().(resource.Quantity); ok {
			io.WriteString(w, q.String())
		}
		io.WriteString(w, "}")
	case reflect.Array, reflect.Slice:
		if v.Kind() == reflect.Slice && v.IsNil() {
			io.WriteString(w, "nil")
			return
		}
		io.WriteString(w, "[")
		for i := range v.Len() {
			write(w, v.Index(i))
		}
		io.WriteString(w, "]")
	case reflect.Map:
		if v.IsNil() {
			io.WriteString(w, "nil")
			return
		}
		byKey := map[string]reflect.Value{}
		for key, value := range v.Seq2() {
			byKey[fmt.Sprintf("%#v", key)] = value
		}
		for _, key := range slices.Sorted(maps.Keys(byKey)) {
			io.WriteString(w, key)
			write(w, byKey[key])
		}
		io.WriteString(w, "]")
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			io.WriteString(w, "nil")
			return
		}
		io.WriteString(w, "&")
		write(w, v.Elem())
	default:
		fmt.Fprintf(w, "%#v;", v)
	}
}
