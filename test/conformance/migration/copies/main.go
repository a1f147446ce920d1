// Command copies fills values of types at random, copies each by its DeepCopy methods, and prints a line for each type:
//
//	k8s.io/api/core/v1.Pod 20 values 8d1f...
//
// The last word is a hash of all copies, which depends on nothing but -seed and -values. What is wrong with copies is
// printed on lines of its own: "wrong TYPE: ..." for a copy that differs from its original, and "shared TYPE.FIELD"
// for memory that both refer to.
package main

import (
	"cmp"
	"crypto/sha256"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"
)

var (
	seed   = flag.Uint64("seed", 1, "what random values depend on")
	values = flag.Int("values", 20, "how many `values` of each type are copied")
)

// all are the types, which a generated file beside this one appends.
var all []reflect.Type

// shared are the fields, or types, in which originals and copies refer to the same memory.
var shared = map[string]bool{}

func main() {
	flag.Parse()
	for _, t := range all {
		check(t)
	}
	for _, place := range slices.Sorted(maps.Keys(shared)) {
		fmt.Println("shared", place)
	}
}

// check copies values of a type.
func check(t reflect.Type) {
	name := t.PkgPath() + "." + t.Name()
	h := fnv.New64a()
	io.WriteString(h, name)
	f := filler{rand.New(rand.NewPCG(*seed, h.Sum64()))}
	sum := sha256.New()
	wrong := map[string]bool{} // what methods do
	compare := func(method string, in, out reflect.Value) {
		if !reflect.DeepEqual(in.Interface(), out.Interface()) {
			wrong[method+" returns something else"] = true
		}
		findShared(in, out)
		write(sum, out)
	}
	for range *values {
		in := reflect.New(t)
		f.fill(in.Elem(), 0)
		before := sha256.New()
		write(before, in)

		out := in.MethodByName("DeepCopy").Call(nil)[0]
		if out.Kind() != reflect.Pointer {
			pointer := reflect.New(t)
			pointer.Elem().Set(out)
			out = pointer
		}
		compare("DeepCopy", in, out)

		if into := in.MethodByName("DeepCopyInto"); into.IsValid() && !nilReference(in.Elem()) {
			out := reflect.New(t)
			f.fill(out.Elem(), 0) // nothing of that may be left
			into.Call([]reflect.Value{out})
			compare("DeepCopyInto", in, out)
		}
		for i := range in.NumMethod() {
			m := in.Type().Method(i)
			if m.Name == "DeepCopy" || !strings.HasPrefix(m.Name, "DeepCopy") || m.Type.NumIn() != 1 {
				continue
			}
			out := in.Method(i).Call(nil)[0]
			if out.Kind() == reflect.Interface {
				out = out.Elem()
			}
			if out.Type() == in.Type() {
				compare(m.Name, in, out)
			} else {
				wrong[m.Name+" returns another type"] = true
			}
		}
		after := sha256.New()
		if write(after, in); !slices.Equal(before.Sum(nil), after.Sum(nil)) {
			wrong["the original changes"] = true
		}
	}
	if _, byValue := t.MethodByName("DeepCopy"); !byValue {
		if out := reflect.Zero(reflect.PointerTo(t)).MethodByName("DeepCopy").Call(nil)[0]; !out.IsNil() {
			wrong["DeepCopy of nil is not nil"] = true
		}
	}
	for _, what := range slices.Sorted(maps.Keys(wrong)) {
		fmt.Printf("wrong %s: %s\n", name, what)
	}
	fmt.Printf("%s %d values %x\n", name, *values, sum.Sum(nil)[:8])
}

// nilReference reports whether a value is a nil map or slice.
func nilReference(v reflect.Value) bool {
	return (v.Kind() == reflect.Map || v.Kind() == reflect.Slice) && v.IsNil()
}

// memory is where a value refers to.
type memory struct {
	from, to uintptr
	place    string
}

// findShared adds to shared. What is only behind unexported fields does not count.
func findShared(a, b reflect.Value) {
	var first []memory // in which nothing overlaps
	references(a, a.Type().Elem().String(), func(m memory) { first = append(first, m) })
	slices.SortFunc(first, func(a, b memory) int { return cmp.Compare(a.from, b.from) })
	references(b, b.Type().Elem().String(), func(m memory) {
		i, _ := slices.BinarySearchFunc(first, m.to, func(other memory, to uintptr) int { return cmp.Compare(other.from, to) })
		if i > 0 && first[i-1].to > m.from {
			shared[m.place] = true
		}
	})
}

// references calls visit for the memory behind each pointer, map and slice in a value.
func references(v reflect.Value, place string, visit func(memory)) {
	switch v.Kind() {
	case reflect.Struct:
		if _, ok := v.Interface().(time.Time); ok {
			return // which points to its location
		}
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				references(v.Field(i), v.Type().PkgPath()+"."+v.Type().Name()+"."+field.Name, visit)
			}
		}
	case reflect.Array, reflect.Slice:
		if size := v.Type().Elem().Size(); v.Kind() == reflect.Slice && v.Cap() > 0 && size > 0 {
			visit(memory{v.Pointer(), v.Pointer() + uintptr(v.Cap())*size, place})
		}
		for i := range v.Len() {
			references(v.Index(i), place+"[]", visit)
		}
	case reflect.Map:
		if v.IsNil() {
			return
		}
		visit(memory{v.Pointer(), v.Pointer() + 1, place})
		for _, value := range v.Seq2() {
			references(value, place+"[]", visit)
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if size := v.Type().Elem().Size(); size > 0 {
			visit(memory{v.Pointer(), v.Pointer() + size, place})
		}
		references(v.Elem(), place, visit)
	case reflect.Interface:
		references(v.Elem(), place, visit)
	}
}
