// Package roundtrip applies what the builders of the generated apply configurations make, and extracts it again.
package roundtrip

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"

	stablev1 "example.com/api/apis/stable/v1"
)

// access is what there is for a kind.
type access[T, B any] struct {
	build   func(name string) *B
	apply   func(context.Context, *B, metav1.ApplyOptions) (*T, error)
	extract func(*T, string) (*B, error)
}

// trip applies and extracts each field alone, with values and with zero values, and then all of them, by two managers.
func trip[T, B any](t *testing.T, a access[T, B]) {
	t.Parallel()
	fields := fieldsOf(reflect.TypeFor[*B]())
	if len(fields) == 0 {
		t.Fatal("no fields")
	}
	for _, name := range fields {
		if err := thereAndBack(a, "value-of-"+name, "manager", false, name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if f, ok := reflect.TypeFor[T]().FieldByName(name); !ok || !keepsZero(f) {
			continue
		}
		if err := thereAndBack(a, "zero-of-"+name, "manager", true, name); err != nil {
			t.Errorf("zero %s: %v", name, err)
		}
	}
	for _, manager := range []string{"one", "other"} {
		half := len(fields) / 2
		if err := thereAndBack(a, "all", manager, false, fields[:half]...); err != nil {
			t.Error(err)
		}
		fields = fields[half:]
	}
}

// refuse expects that each field alone fails.
func refuse[T, B any](t *testing.T, a access[T, B]) {
	t.Parallel()
	for _, name := range fieldsOf(reflect.TypeFor[*B]()) {
		if err := thereAndBack(a, name, "manager", false, name); err == nil {
			t.Errorf("%s is warned of, but works", name)
		}
	}
}

// fieldsOf returns what can be set of an apply configuration: the fields that have a With method, and embedded
// structs that are objects of their own in JSON. Metadata is not among those of a kind.
func fieldsOf(t reflect.Type) []string {
	objectMeta, typeMeta := reflect.TypeFor[*applymeta.ObjectMetaApplyConfiguration](), reflect.TypeFor[*applymeta.TypeMetaApplyConfiguration]()
	_, isKind := t.Elem().FieldByName(objectMeta.Elem().Name())
	var names []string
	for method := range t.Methods() {
		_, ofObject := objectMeta.MethodByName(method.Name)
		_, ofType := typeMeta.MethodByName(method.Name)
		if name, ok := strings.CutPrefix(method.Name, "With"); ok && !(isKind && (ofObject || ofType)) {
			names = append(names, name)
		}
	}
	for f := range t.Elem().Fields() {
		if f.Anonymous && f.Type.Kind() == reflect.Pointer && f.Type != objectMeta {
			names = append(names, f.Name)
		}
	}
	return names
}

// keepsZero reports whether a field of a typed object keeps a zero value, or elements that are: structs may leave out
// fields.
func keepsZero(f reflect.StructField) bool {
	t := f.Type
	for slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, t.Kind()) {
		t = t.Elem()
	}
	_, ok := samples[t]
	return (ok || t.Kind() != reflect.Struct) && !strings.Contains(f.Tag.Get("json"), ",omit")
}

// thereAndBack applies fields of an object as a manager, and compares what is extracted of it.
func thereAndBack[T, B any](a access[T, B], object, manager string, zero bool, fields ...string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	applied := a.build(object)
	s := &sampler{zero: zero}
	for _, name := range fields {
		s.field(reflect.ValueOf(applied), name, 3)
	}
	obj, err := a.apply(context.Background(), applied, metav1.ApplyOptions{FieldManager: manager})
	if err != nil {
		return fmt.Errorf("apply %.900s: %w", text(applied), err)
	}
	extracted, err := a.extract(obj, manager)
	if err != nil {
		return fmt.Errorf("extract %.900s: %w", text(applied), err)
	}
	if !reflect.DeepEqual(tree(applied), tree(extracted)) {
		return fmt.Errorf("applied and extracted differ\n\t%.900s\n\t%.900s", text(applied), text(extracted))
	}
	return nil
}

func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// tree is what a value is in JSON.
func tree(v any) any {
	var t any
	if err := json.Unmarshal([]byte(text(v)), &t); err != nil {
		return err
	}
	return t
}

// sampler makes values, all of them different.
type sampler struct {
	zero bool
	n    int
}

// field gives a field of an apply configuration a value. Configurations in there have fields of their own down to a
// depth.
func (s *sampler) field(b reflect.Value, name string, depth int) {
	with := b.MethodByName("With" + name)
	if !with.IsValid() {
		s.fill(b.Elem().FieldByName(name), depth)
		return
	}
	param := with.Type().In(0)
	if !with.Type().IsVariadic() {
		value := reflect.New(param).Elem()
		s.fill(value, depth)
		with.Call([]reflect.Value{value})
		holds(b, name, value)
		return
	}
	calls, each := 2, 2 // it adds to what is there
	if s.zero {
		calls, each = 1, 1 // they would be the same
	}
	all := reflect.MakeSlice(param, 0, calls*each)
	for range calls {
		var values []reflect.Value
		for range each {
			value := reflect.New(param.Elem()).Elem()
			s.fill(value, depth)
			values = append(values, value)
		}
		with.Call(values)
		all = reflect.Append(all, values...)
	}
	holds(b, name, all)
}

// holds panics unless a field of an apply configuration is what its With method was given.
func holds(b reflect.Value, name string, want reflect.Value) {
	if got := b.Elem().FieldByName(name); !reflect.DeepEqual(tree(got.Interface()), tree(want.Interface())) {
		panic(fmt.Sprintf("With%s was given %.300s, and there is %.300s", name, text(want.Interface()), text(got.Interface())))
	}
}

// samples are types that are written otherwise than as what they are made of.
var samples = map[reflect.Type]func(n int) string{
	reflect.TypeFor[metav1.Time]():          func(n int) string { return fmt.Sprintf(`"2026-01-02T03:04:%02dZ"`, n%60) },
	reflect.TypeFor[time.Time]():            func(n int) string { return fmt.Sprintf(`"2026-01-02T03:04:%02dZ"`, n%60) },
	reflect.TypeFor[metav1.MicroTime]():     func(n int) string { return fmt.Sprintf(`"2026-01-02T03:04:05.%06dZ"`, n) },
	reflect.TypeFor[metav1.Duration]():      func(n int) string { return fmt.Sprintf(`"%dns"`, n) },
	reflect.TypeFor[metav1.FieldsV1]():      func(n int) string { return fmt.Sprintf(`{"f:a%d":{}}`, n) },
	reflect.TypeFor[resource.Quantity]():    func(n int) string { return fmt.Sprintf(`"%dm"`, 1000*n+1) },
	reflect.TypeFor[runtime.RawExtension](): func(n int) string { return fmt.Sprintf(`{"a":%d,"b":{"c":[1]}}`, n) },
	reflect.TypeFor[json.RawMessage]():      func(n int) string { return fmt.Sprintf(`{"a":%d}`, n) },
	reflect.TypeFor[json.Number]():          func(n int) string { return fmt.Sprint(n) },
	reflect.TypeFor[stablev1.Own]():         func(n int) string { return fmt.Sprintf(`"%d/1"`, n) },
	reflect.TypeFor[intstr.IntOrString](): func(n int) string {
		if n%2 == 0 {
			return fmt.Sprint(n)
		}
		return fmt.Sprintf(`"%d%%"`, n)
	},
	reflect.TypeFor[any](): func(n int) string {
		return fmt.Sprintf([]string{`"a%d"`, `%d`, `{"a":{"b":[%d]}}`, `[{"a":%d}]`}[n%4], n)
	},
}

// fill gives what v points to a value.
func (s *sampler) fill(v reflect.Value, depth int) {
	s.n++
	if sample, ok := samples[v.Type()]; ok {
		if err := json.Unmarshal([]byte(sample(s.n)), v.Addr().Interface()); err != nil {
			panic(fmt.Sprintf("no sample of %s: %v", v.Type(), err))
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		if strings.HasSuffix(v.Type().Elem().Name(), "ApplyConfiguration") {
			s.configuration(v, depth)
			return
		}
		s.fill(v.Elem(), depth)
	case reflect.Struct:
		if strings.HasSuffix(v.Type().Name(), "ApplyConfiguration") {
			s.configuration(v.Addr(), depth)
			return
		}
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() && s.deep(f.Type(), depth) {
				s.fill(f, depth-1)
			}
		}
	case reflect.Slice:
		length := 2
		if s.zero {
			length = 1 // elements of sets differ
		}
		v.Set(reflect.MakeSlice(v.Type(), length, length))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			s.fill(v.Index(i), depth)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			s.fill(key, depth)
			s.fill(value, depth)
			v.SetMapIndex(key, value)
		}
	case reflect.String:
		if !s.zero {
			v.SetString(fmt.Sprintf("s%d", s.n))
		}
	case reflect.Bool:
		v.SetBool(!s.zero)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if !s.zero {
			v.SetInt(int64(s.n))
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if !s.zero {
			v.SetUint(uint64(s.n))
		}
	case reflect.Float32, reflect.Float64:
		if !s.zero {
			v.SetFloat(float64(s.n) + 0.5)
		}
	default:
		panic("no sample of " + v.Type().String())
	}
}

// configuration calls the With methods of an apply configuration.
func (s *sampler) configuration(b reflect.Value, depth int) {
	for _, name := range fieldsOf(b.Type()) {
		if with := b.MethodByName("With" + name); !with.IsValid() && depth > 0 || with.IsValid() && s.deep(with.Type().In(0), depth) {
			s.field(b, name, depth-1)
		}
	}
}

// deep reports whether to give a field at some depth a value: in the end only scalars have one. They must, for keys
// of lists may be among them, and structs that merge as a whole come back with all that is never left out.
func (s *sampler) deep(t reflect.Type, depth int) bool {
	_, ok := samples[t]
	return ok || depth > 0 || t.Kind() <= reflect.Float64 || t.Kind() == reflect.String
}
