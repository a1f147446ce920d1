package roundtrip

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"
)

// filler fills objects with random values, always the same for a seed.
type filler struct {
	functions []any
	chance    float64 // the smallest one of a pointer, slice or map to be nil
}

// newFiller returns a filler for types. Its functions make values that JSON can express, also where the types' own
// methods leave nil pointers as they are.
func newFiller(functions []any, types ...reflect.Type) *filler {
	f := &filler{chance: 0.2, functions: []any{
		func(*metav1.TypeMeta, randfill.Continue) {}, // it has the version
		func(m *metav1.ObjectMeta, c randfill.Continue) {
			m.Name, m.Generation = c.String(10), c.Int63()
			c.Fill(&m.Labels)
			c.Fill(&m.Annotations)
			c.Fill(&m.Finalizers)
		},
		func(v *metav1.Time, c randfill.Continue) { *v = metav1.Unix(c.Int63n(1<<36), 0) },
		func(v *metav1.MicroTime, c randfill.Continue) {
			*v = metav1.NewMicroTime(time.UnixMicro(c.Int63n(1 << 52)))
		},
		func(v *intstr.IntOrString, c randfill.Continue) {
			*v = intstr.Parse(strings.Repeat("x", c.Intn(2)) + strconv.Itoa(c.Intn(1000)))
		},
		func(v *resource.Quantity, c randfill.Continue) {
			*v = *resource.NewQuantity(1+c.Int63n(1000), resource.DecimalSI)
		},
	}}
	seen := map[reflect.Type]bool{}
	for _, t := range types {
		f.learn(t, seen, nil)
	}
	f.functions = append(f.functions, functions...)
	return f
}

// learn adds functions for the types that hold any JSON, and increases the chance of nil if types refer to themselves,
// whose objects would be too large.
func (f *filler) learn(t reflect.Type, seen map[reflect.Type]bool, inside []reflect.Type) {
	switch {
	case t.Name() != "" && slices.Contains(inside, t):
		f.chance = 0.6
		return
	case seen[t]:
		return
	case t.Name() != "":
		seen[t], inside = true, append(slices.Clip(inside), t)
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		if isRaw(t) {
			f.functions = append(f.functions, rawFiller(t))
			return
		}
		f.learn(t.Elem(), seen, inside)
	case reflect.Map:
		f.learn(t.Elem(), seen, inside)
	case reflect.Struct:
		if isRaw(t) {
			f.functions = append(f.functions, rawFiller(t))
			return
		}
		for i := range t.NumField() {
			f.learn(t.Field(i).Type, seen, inside)
		}
	}
}

// isRaw reports whether a type holds any JSON: json.RawMessage, or a struct like runtime.RawExtension and the type JSON
// of CustomResourceDefinitions.
func isRaw(t reflect.Type) bool {
	if t.Kind() == reflect.Struct {
		raw, ok := t.FieldByName("Raw")
		return ok && raw.Type == reflect.TypeFor[[]byte]() && isValue(t)
	}
	return t == reflect.TypeFor[json.RawMessage]()
}

// rawFiller returns a function that fills values of a type with a string in JSON.
func rawFiller(t reflect.Type) any {
	function := reflect.FuncOf([]reflect.Type{reflect.PointerTo(t), reflect.TypeFor[randfill.Continue]()}, nil, false)
	return reflect.MakeFunc(function, func(args []reflect.Value) []reflect.Value {
		c := args[1].Interface().(randfill.Continue)
		_ = json.Unmarshal([]byte(jsonOf(c.String(10))), args[0].Interface()) // it takes any JSON
		return nil
	}).Interface()
}

func (f *filler) of(seed int64, chance float64) *randfill.Filler {
	return randfill.NewWithSeed(seed).NilChance(chance).NumElements(1, 2).MaxDepth(20).Funcs(f.functions...)
}

// random fills an object with the values of a seed.
func (f *filler) random(seed int64, object any) { f.of(seed, f.chance+float64(seed%4)/10).Fill(object) }

// complete fills all fields of an object, as deep as is possible for types that refer to themselves.
func (f *filler) complete(object any) {
	depth := 20
	if f.chance > 0.5 {
		depth = 12
	}
	f.of(0, 0).NumElements(1, 1).MaxDepth(depth).Fill(object)
}

// eachAlone calls visit with each field below v as the only one with a value. v is empty again afterwards. Types that
// the other version has at the same place, which conversions assign, count as one field.
func (f *filler) eachAlone(v reflect.Value, other reflect.Type, visit func(), inside ...reflect.Type) {
	t := v.Type()
	if t == other || isLeaf(t) || slices.Contains(inside, t) {
		fill := f.of(1, 0).NumElements(1, 1)
		for range 3 { // a random value may be empty
			if fill.Fill(v.Addr().Interface()); !v.IsZero() {
				break
			}
		}
		visit()
		v.SetZero()
		return
	}
	if t.Name() != "" {
		inside = append(slices.Clip(inside), t)
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if name, ok := jsonName(t.Field(i)); ok && !isMeta(t.Field(i)) {
				f.eachAlone(v.Field(i), fieldOf(other, name), visit, inside...)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		visit()
		f.eachAlone(v.Elem(), elementOf(other, reflect.Pointer), visit, inside...)
		v.SetZero()
	case reflect.Slice:
		v.Set(reflect.MakeSlice(t, 1, 1))
		visit()
		f.eachAlone(v.Index(0), elementOf(other, reflect.Slice), visit, inside...)
		v.SetZero()
	case reflect.Map:
		key, element := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		f.of(1, 0).Fill(key.Addr().Interface())
		with := func() {
			v.Set(reflect.MakeMap(t))
			v.SetMapIndex(key, element)
			visit()
		}
		with()
		f.eachAlone(element, elementOf(other, reflect.Map), with, inside...)
		v.SetZero()
	}
}

// eachMissing calls visit with each field below v as the only one without a value, as far as v has values. v is the
// same again afterwards.
func eachMissing(v reflect.Value, other reflect.Type, visit func()) {
	t := v.Type()
	if t == other || isLeaf(t) {
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			name, ok := jsonName(t.Field(i))
			if !ok || isMeta(t.Field(i)) {
				continue
			}
			field := v.Field(i)
			if former := reflect.ValueOf(field.Interface()); !field.IsZero() && name != "" {
				field.SetZero()
				visit()
				field.Set(former)
			}
			eachMissing(field, fieldOf(other, name), visit)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			eachMissing(v.Elem(), elementOf(other, reflect.Pointer), visit)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			eachMissing(v.Index(i), elementOf(other, t.Kind()), visit)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			element := reflect.New(t.Elem()).Elem()
			element.Set(v.MapIndex(key))
			eachMissing(element, elementOf(other, reflect.Map), func() {
				former := v.MapIndex(key)
				v.SetMapIndex(key, element)
				visit()
				v.SetMapIndex(key, former)
			})
		}
	}
}

// isLeaf reports whether a type has no fields below it that are filled alone.
func isLeaf(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct, reflect.Pointer, reflect.Slice, reflect.Map:
		return isRaw(t) || isValue(t) && t.Kind() != reflect.Pointer
	}
	return t.Kind() != reflect.Array
}

func isMeta(f reflect.StructField) bool {
	return f.Type == reflect.TypeFor[metav1.TypeMeta]() || f.Type == reflect.TypeFor[metav1.ObjectMeta]()
}

func elementOf(t reflect.Type, kind reflect.Kind) reflect.Type {
	if t == nil || t.Kind() != kind {
		return nil
	}
	return t.Elem()
}

// fieldOf returns the type of the field with a path below a struct, which an embedded struct may have, or nil.
func fieldOf(t reflect.Type, path string) reflect.Type {
	if t == nil || t.Kind() != reflect.Struct || path == "" {
		return nil
	}
	for i := range t.NumField() {
		field := t.Field(i)
		switch other, ok := jsonName(field); {
		case ok && other == path:
			return field.Type
		case ok && other == "":
			embedded := field.Type
			if embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			if found := fieldOf(embedded, path); found != nil {
				return found
			}
		}
	}
	return nil
}
