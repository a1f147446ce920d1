// Command check copies random values of types with their DeepCopy methods, and prints differences and shared memory.
package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"time"
	"unsafe"
)

// all holds the types; a generated file in this package appends them.
var all []reflect.Type

// shapes maps package paths to the types of values for the interface of the package.
var shapes = map[string]reflect.Type{}

func main() {
	copied := 0
	for _, t := range all {
		f := filler{rand.New(rand.NewPCG(1, 2))}
		for range 30 {
			in := reflect.New(t)
			f.fill(in.Elem(), 0)
			out := in.MethodByName("DeepCopy").Call(nil)[0]
			if out.Kind() != reflect.Pointer {
				pointer := reflect.New(t)
				pointer.Elem().Set(out)
				out = pointer
			}
			compare("DeepCopy", in, out)
			if nilable(t) && in.Elem().IsNil() {
				continue
			}
			out = reflect.New(t)
			f.fill(out.Elem(), 0) // all of it must be overwritten
			in.MethodByName("DeepCopyInto").Call([]reflect.Value{out})
			compare("DeepCopyInto", in, out)
			copied++
		}
		if _, byValue := t.MethodByName("DeepCopy"); !byValue && !reflect.Zero(reflect.PointerTo(t)).MethodByName("DeepCopy").Call(nil)[0].IsNil() {
			fail(t, "DeepCopy", "does not return nil for nil")
		}
	}
	fmt.Printf("%d copies of %d types\n", copied, len(all))
	if len(failures) > 0 {
		os.Exit(1)
	}
}

func nilable(t reflect.Type) bool { return t.Kind() == reflect.Map || t.Kind() == reflect.Slice }

var failures = map[string]bool{}

func fail(t reflect.Type, method, what string) {
	failure := fmt.Sprintf("%s of %s.%s %s", method, t.PkgPath(), t.Name(), what)
	if !failures[failure] {
		fmt.Println(failure)
	}
	failures[failure] = true
}

// compare checks that out equals in, and shares no memory with it. It distinguishes nil from empty values.
func compare(method string, in, out reflect.Value) {
	t := in.Type().Elem()
	if !reflect.DeepEqual(in.Interface(), out.Interface()) {
		fail(t, method, "returns something else")
	}
	known := map[uintptr]bool{}
	references(in, func(at uintptr) { known[at] = true })
	references(out, func(at uintptr) {
		if known[at] {
			fail(t, method, "shares memory with the original")
		}
	})
}

// references calls visit for the memory behind each pointer, map and slice.
func references(v reflect.Value, visit func(uintptr)) {
	if v.CanConvert(reflect.TypeFor[time.Time]()) {
		return // it points to its location
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			references(v.Field(i), visit)
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.Cap() > 0 {
			visit(v.Pointer())
		}
		for i := range v.Len() {
			references(v.Index(i), visit)
		}
	case reflect.Map:
		if !v.IsNil() {
			visit(v.Pointer())
		}
		for _, value := range v.Seq2() {
			references(value, visit)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			visit(v.Pointer())
			references(v.Elem(), visit)
		}
	case reflect.Interface:
		if !v.IsNil() {
			references(v.Elem(), visit)
		}
	}
}

// filler fills values at random, including unexported fields.
type filler struct{ *rand.Rand }

func (f filler) fill(v reflect.Value, depth int) {
	v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem() // as if it were exported
	deep := depth > 6
	if v.CanConvert(reflect.TypeFor[time.Time]()) {
		v.Set(reflect.ValueOf(time.Unix(f.Int64N(1000), 0)).Convert(v.Type()))
		return
	}
	length := f.IntN(4) - 1
	if deep {
		length = f.IntN(2) - 1
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(f.Int64N(100))
	case reflect.Uint8:
		v.SetUint(f.Uint64N(100))
	case reflect.Float64:
		v.SetFloat(f.Float64())
	case reflect.String:
		v.SetString(fmt.Sprint(f.IntN(100)))
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i), depth+1)
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
		if length >= 0 {
			v.Set(reflect.MakeSlice(v.Type(), length, length+f.IntN(2)))
			for i := range length {
				f.fill(v.Index(i), depth+1)
			}
		}
	case reflect.Map:
		v.SetZero()
		if length >= 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for range length {
				key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				f.fill(key, depth+1)
				f.fill(value, depth+1)
				v.SetMapIndex(key, value)
			}
		}
	case reflect.Interface:
		v.SetZero()
		if !deep && f.IntN(3) > 0 {
			value := reflect.New(shapes[v.Type().PkgPath()])
			f.fill(value.Elem(), depth+1)
			v.Set(value)
		}
	default:
		panic("cannot fill a " + v.Type().String())
	}
}
