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
	"hash"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
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
