// Package driver_test uses the code that was generated for random packages.
package driver_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/random/generated/applyconfiguration"
	"example.com/random/generated/clientset/versioned"
	"example.com/random/generated/clientset/versioned/fake"
	"example.com/random/generated/clientset/versioned/scheme"
	"github.com/kubegen/kubegen/fakeapi"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
)

// TestKinds creates, reads, changes, applies and deletes an object of each kind: on an API that knows the manifests,
// and with both fake clientsets.
func TestKinds(t *testing.T) {
	options, err := crdvalidation.Options(scheme.Scheme, "../crds")
	if err != nil {
		t.Fatal(err)
	}
	for _, with := range []struct {
		name   string
		client versioned.Interface
	}{
		{"server", versioned.NewForConfigOrDie(fakeapi.New(options...).RESTConfig())},
		{"NewClientset", fake.NewClientset()},
		{"NewSimpleClientset", fake.NewSimpleClientset()},
	} {
		groups := reflect.ValueOf(with.client)
		tried := 0
		for i := range groups.NumMethod() {
			method := groups.Type().Method(i)
			if method.Type.NumIn() != 1 || method.Type.NumOut() != 1 || !isClient(method.Type.Out(0), "RESTClient") {
				continue
			}
			group := groups.Method(i).Call(nil)[0]
			for j := range group.NumMethod() {
				getter := group.Type().Method(j)
				if getter.Type.NumOut() != 1 || getter.Name == "RESTClient" || !isClient(getter.Type.Out(0), "Get") {
					continue
				}
				tried++
				t.Run(fmt.Sprintf("%s %s %s", with.name, method.Name, getter.Name), func(t *testing.T) {
					k := &kind{T: t, server: with.name == "server", simple: with.name == "NewSimpleClientset"}
					var arguments []reflect.Value
					if group.Method(j).Type().NumIn() == 1 {
						k.namespace = "east"
						arguments = append(arguments, reflect.ValueOf(k.namespace))
					}
					k.client = group.Method(j).Call(arguments)[0]
					k.exercise()
				})
			}
		}
		if tried == 0 {
			t.Errorf("%s: no kinds", with.name)
		}
		t.Logf("%s: %d kinds", with.name, tried)
	}
}

//go:embed unappliable.json
var unappliableJSON []byte

// unappliable returns the kinds and fields of which kubegen has warned that fake clientsets cannot handle them.
var unappliable = sync.OnceValue(func() (fields []string) {
	if err := json.Unmarshal(unappliableJSON, &fields); err != nil {
		panic(err)
	}
	return fields
})

// hasUnappliable reports whether one of these is part of a type.
func hasUnappliable(typ reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[typ] {
		return false
	}
	seen[typ] = true
	if slices.Contains(unappliable(), typ.PkgPath()+"."+typ.Name()) {
		return true
	}
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return hasUnappliable(typ.Elem(), seen)
	case reflect.Struct:
		for i := range typ.NumField() {
			field := typ.Field(i)
			if slices.Contains(unappliable(), typ.PkgPath()+"."+typ.Name()+"."+field.Name) || hasUnappliable(field.Type, seen) {
				return true
			}
		}
	}
	return false
}

func isClient(typ reflect.Type, method string) bool {
	if typ.Kind() != reflect.Interface {
		return false
	}
	_, ok := typ.MethodByName(method)
	return ok
}

// kind is the client of a kind.
type kind struct {
	*testing.T
	client         reflect.Value
	namespace      string
	server, simple bool
}

// call calls a method of the client. What is missing is false.
func (k *kind) call(method string, arguments ...any) (result any, err error, ok bool) {
	k.Helper()
	m := k.client.MethodByName(method)
	if !m.IsValid() {
		return nil, nil, false
	}
	in := []reflect.Value{reflect.ValueOf(k.Context())}
	for _, argument := range arguments {
		in = append(in, reflect.ValueOf(argument))
	}
	out := m.Call(in)
	err, _ = out[len(out)-1].Interface().(error)
	if len(out) == 2 {
		result = out[0].Interface()
	}
	return result, err, true
}

// must calls a method, whose result must not be an error.
func (k *kind) must(method string, arguments ...any) any {
	k.Helper()
	result, err, ok := k.call(method, arguments...)
	if err != nil || !ok {
		k.Fatalf("%s: %v (exists: %t)", method, err, ok)
	}
	return result
}

func (k *kind) exercise() {
	defer func() {
		if why := recover(); why != nil {
			k.Errorf("panic: %v\n%s", why, debug.Stack())
		}
	}()
	create := k.client.MethodByName("Create")
	if !create.IsValid() {
		k.Fatal("no Create")
	}
	typ := create.Type().In(1).Elem()

	if !k.server && !k.simple && hasUnappliable(typ, map[reflect.Type]bool{}) {
		return
	}
	one := k.object(typ, 1)
	k.same("Create", k.must("Create", one, metav1.CreateOptions{}), one)
	got := k.must("Get", "a", metav1.GetOptions{})
	k.same("Get", got, one)
	list := reflect.ValueOf(k.must("List", metav1.ListOptions{})).Elem().FieldByName("Items")
	if list.Len() != 1 {
		k.Fatalf("the list has %d items", list.Len())
	}
	k.same("List", list.Index(0).Interface(), one)

	two := k.object(typ, 2)
	two.(metav1.Object).SetResourceVersion(got.(metav1.Object).GetResourceVersion())
	k.same("Update", k.must("Update", two, metav1.UpdateOptions{}), two)

	three := k.object(typ, 3)
	if result, err, ok := k.call("UpdateStatus", k.withVersion(three), metav1.UpdateOptions{}); ok {
		if err != nil {
			k.Errorf("UpdateStatus: %v", err)
		} else if status := content(result)["status"]; !reflect.DeepEqual(status, content(three)["status"]) {
			k.Errorf("UpdateStatus: got %v, want %v", status, content(three)["status"])
		}
		if k.server {
			k.same("Get after UpdateStatus", k.must("Get", "a", metav1.GetOptions{}), two)
		}
	}

	if applies := k.client.MethodByName("Apply").IsValid(); applies && !k.simple {
		k.must("Delete", "a", metav1.DeleteOptions{}) // what others have added to sets and maps would stay
		for _, variant := range []int{4, 1} {
			applied := k.object(typ, variant)
			k.apply("Apply", applied)
			k.same("Get after Apply", k.must("Get", "a", metav1.GetOptions{}), applied)
		}
	}
	k.must("Patch", "a", types.MergePatchType, []byte(`{"metadata":{"labels":{"patched":"yes"}}}`), metav1.PatchOptions{})
	k.must("Delete", "a", metav1.DeleteOptions{})
	if _, err, _ := k.call("Get", "a", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		k.Errorf("Get after Delete: %v, want NotFound", err)
	}
}

// withVersion gives an object the latest resource version.
func (k *kind) withVersion(obj any) any {
	obj.(metav1.Object).SetResourceVersion(k.must("Get", "a", metav1.GetOptions{}).(metav1.Object).GetResourceVersion())
	return obj
}

// apply applies what an object has.
func (k *kind) apply(method string, obj any) {
	k.Helper()
	kinds, _, err := scheme.Scheme.ObjectKinds(obj.(runtime.Object))
	if err != nil {
		k.Fatal(err)
	}
	config := applyconfiguration.ForKind(kinds[0])
	if config == nil {
		k.Fatalf("no apply configuration of %v", kinds[0])
	}
	fields := content(obj)
	meta := map[string]any{"name": "a"}
	if k.namespace != "" {
		meta["namespace"] = k.namespace
	}
	fields["apiVersion"], fields["kind"], fields["metadata"] = kinds[0].GroupVersion().String(), kinds[0].Kind, meta
	delete(fields, "status")
	text, _ := json.Marshal(fields)
	if err := json.Unmarshal(text, config); err != nil {
		k.Fatalf("%s into %T: %v", text, config, err)
	}
	if again, _ := json.Marshal(config); !reflect.DeepEqual(decoded(again), decoded(text)) {
		k.Errorf("the apply configuration has %s, want %s", again, text)
	}
	result, err, _ := k.call(method, config, metav1.ApplyOptions{FieldManager: "test", Force: true})
	if err != nil {
		k.Fatalf("%s %s: %v", method, text, err)
	}
	k.same(method, result, obj)
}

// same checks that two objects have the same content, apart from metadata and status.
func (k *kind) same(what string, got, want any) {
	k.Helper()
	g, w := content(got), content(want)
	delete(g, "status")
	delete(w, "status")
	if !reflect.DeepEqual(g, w) {
		k.Errorf("%s: got\n%s\nwant\n%s", what, text(g), text(w))
	}
}

func text(v any) string {
	out, _ := json.Marshal(v)
	return string(out)
}

// content returns the JSON of an object without the fields that all objects have.
func content(obj any) map[string]any {
	out, err := json.Marshal(obj)
	if err != nil {
		panic(err)
	}
	fields := decoded(out)
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		delete(fields, name)
	}
	return fields
}

func decoded(text []byte) (fields map[string]any) {
	if err := json.Unmarshal(text, &fields); err != nil {
		panic(fmt.Sprintf("%s: %v", text, err))
	}
	return fields
}

// object returns an object whose fields have values.
func (k *kind) object(typ reflect.Type, variant int) any {
	k.Helper()
	v := reflect.New(typ)
	fill(v.Elem(), variant, 0)
	obj, ok := v.Interface().(metav1.Object)
	if !ok {
		k.Fatalf("%v is no object", typ)
	}
	obj.SetName("a")
	obj.SetNamespace(k.namespace)
	return obj
}

// fill sets a value, and what it consists of, to something that is not zero and depends on the variant.
func fill(v reflect.Value, variant, depth int) {
	if depth > 100 {
		panic(fmt.Sprintf("%v has no end", v.Type()))
	}
	switch into := v.Addr().Interface().(type) {
	case *metav1.TypeMeta, *metav1.ObjectMeta, **metav1.ObjectMeta:
		if p, ok := into.(**metav1.ObjectMeta); ok {
			*p = &metav1.ObjectMeta{}
		}
		return
	case *metav1.Time:
		*into = metav1.Unix(int64(1_700_000_000+variant), 0)
		return
	case *metav1.MicroTime:
		*into = metav1.NewMicroTime(time.Unix(int64(1_700_000_000+variant), 0))
		return
	case *metav1.Duration:
		into.Duration = time.Duration(variant) * time.Second
		return
	case *metav1.Condition:
		*into = metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: fmt.Sprint("R", variant), LastTransitionTime: metav1.Unix(1_700_000_000, 0)}
		return
	case *resource.Quantity:
		*into = resource.MustParse(fmt.Sprint(variant))
		return
	case *intstr.IntOrString:
		if *into = intstr.FromInt32(int32(variant)); variant%2 == 0 {
			*into = intstr.FromString("50%")
		}
		return
	case *runtime.RawExtension:
		into.Raw = []byte("{}")
		return
	case *corev1.ResourceList:
		*into = corev1.ResourceList{"cpu": resource.MustParse(fmt.Sprint(variant))}
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("value" + string(rune('a'+variant-1)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(10 + variant))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(10 + variant))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(1.5 + float64(variant))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), variant, depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), variant, depth+1)
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), variant, depth+1)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, variant, depth+1)
		fill(value, variant, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() && field.Tag.Get("json") != "-" {
				fill(v.Field(i), variant, depth+1)
			}
		}
	}
}
