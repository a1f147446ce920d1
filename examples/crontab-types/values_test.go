package crontabtypes_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1beta1"
)

// kind is a kind of the API in one version, with what discovery says about it.
type kind struct {
	schema.GroupVersion
	name, resource string
	namespaced     bool
	subresources   []string
	object, list   runtime.Object
	structs        []any // within the object
}

var kinds = []kind{
	{groupVersion, "CronRun", "cronruns", true, []string{"status"}, &v1.CronRun{}, &v1.CronRunList{}, []any{v1.CronRunSpec{}, v1.CronRunStatus{}}},
	{groupVersion, "CronTab", "crontabs", true, []string{"scale", "status"}, &v1.CronTab{}, &v1.CronTabList{}, []any{v1.CronTabSpec{}, v1.CronTabStatus{}}},
	{groupVersion, "CronTabClass", "crontabclasses", false, nil, &v1.CronTabClass{}, &v1.CronTabClassList{}, []any{v1.CronTabClassSpec{}}},
	{oldVersion, "CronTabClass", "crontabclasses", false, nil, &v1beta1.CronTabClass{}, &v1beta1.CronTabClassList{}, []any{v1beta1.CronTabClassSpec{}, v1beta1.Defaults{}}},
}

var (
	groupVersion = schema.GroupVersion{Group: "stable.example.com", Version: "v1"}
	oldVersion   = schema.GroupVersion{Group: "stable.example.com", Version: "v1beta1"}
)

// filler sets whatever a value consists of, everything to another value.
type filler int

func (f *filler) fill(v reflect.Value) {
	*f++
	switch v := v.Addr().Interface().(type) {
	case *metav1.Time:
		v.Time = time.Unix(int64(*f), 0)
		return
	case *metav1.FieldsV1:
		v.SetRawBytes(fmt.Appendf(nil, `{"f:%d":{}}`, *f))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(*f))
	case reflect.String:
		v.SetString(fmt.Sprint("value-", *f))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key)
			f.fill(value)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for field, value := range v.Fields() {
			if field.IsExported() {
				f.fill(value)
			}
		}
	default:
		panic(fmt.Sprintf("cannot fill a %v", v.Type()))
	}
}

// filled returns a pointer to a value of a type that has something everywhere.
func filled(t reflect.Type) reflect.Value {
	v := reflect.New(t)
	new(filler).fill(v.Elem())
	return v
}

// asJSON returns an object as it is sent.
func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sameJSON reports whether two texts have the same content.
func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

// mustPanic calls a function, which must panic, and returns the panic's text.
func mustPanic(t *testing.T, do func()) (text string) {
	t.Helper()
	defer func() {
		if cause := recover(); cause != nil {
			text = fmt.Sprint(cause)
		} else {
			t.Error("no panic")
		}
	}()
	do()
	return ""
}
