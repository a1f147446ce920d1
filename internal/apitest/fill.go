package apitest

// fillValues is a file of the programs that compare what functions do with random values.
const fillValues = `package main

import (
	"math/rand/v2"
	"reflect"
)

func fill(r *rand.Rand, v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(r.IntN(2)))
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(uint64(r.IntN(2)))
	case reflect.Float64:
		v.SetFloat(float64(r.IntN(2)))
	case reflect.String:
		v.SetString([]string{"", "set"}[r.IntN(2)])
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(r, v.Field(i), depth+1)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(r, v.Index(i), depth+1)
		}
	case reflect.Pointer:
		if depth < 8 && r.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem(), depth+1)
		}
	case reflect.Slice:
		if n := r.IntN(3); depth < 8 && n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n-1, n-1))
			for i := range n - 1 {
				fill(r, v.Index(i), depth+1)
			}
		}
	case reflect.Map:
		if depth < 8 && r.IntN(3) > 0 {
			v.Set(reflect.MakeMap(v.Type()))
			value := reflect.New(v.Type().Elem()).Elem()
			fill(r, value, depth+1)
			v.SetMapIndex(reflect.ValueOf("key").Convert(v.Type().Key()), value)
		}
	}
}
`
