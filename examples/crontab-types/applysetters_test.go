package crontabtypes_test

import (
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1beta1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/applyconfiguration"
	apply "github.com/kubegen/kubegen/examples/crontab-types/generated/applyconfiguration/stable/v1"
	applyv1beta1 "github.com/kubegen/kubegen/examples/crontab-types/generated/applyconfiguration/stable/v1beta1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/scheme"
)

// ForKind has an empty apply configuration for each struct of the API.
func TestForKind(t *testing.T) {
	for _, kind := range kinds {
		for _, of := range append(kind.structs, kind.object) {
			name := reflect.Indirect(reflect.ValueOf(of)).Type().Name()
			config := applyconfiguration.ForKind(kind.WithKind(name))
			if config == nil || !reflect.ValueOf(config).Elem().IsZero() || reflect.TypeOf(config).String() != "*"+kind.Version+"."+name+"ApplyConfiguration" {
				t.Errorf("got %#v for %s", config, name)
			}
		}
		if config, ok := applyconfiguration.ForKind(kind.WithKind(kind.name)).(runtime.ApplyConfiguration); !ok {
			t.Errorf("that of %s is no apply configuration", kind.name)
		} else {
			config.IsApplyConfiguration()
		}
	}
	for _, other := range []string{"", "CronTabList", "Scale"} {
		if config := applyconfiguration.ForKind(groupVersion.WithKind(other)); config != nil {
			t.Errorf("got %#v for %q", config, other)
		}
	}
}

// Functions with the names of the types return apply configurations that have nothing but what they are given, and
// the kind.
func TestApplyConstructors(t *testing.T) {
	for _, test := range []struct {
		got  any
		want string
	}{
		{apply.CronRun("a", "b"), `{"kind":"CronRun","apiVersion":"stable.example.com/v1","metadata":{"name":"a","namespace":"b"}}`},
		{apply.CronTab("a", "b"), `{"kind":"CronTab","apiVersion":"stable.example.com/v1","metadata":{"name":"a","namespace":"b"}}`},
		{apply.CronTabClass("a"), `{"kind":"CronTabClass","apiVersion":"stable.example.com/v1","metadata":{"name":"a"}}`},
		{applyv1beta1.CronTabClass("a"), `{"kind":"CronTabClass","apiVersion":"stable.example.com/v1beta1","metadata":{"name":"a"}}`},
		{applyv1beta1.CronTabClassSpec(), `{}`}, {applyv1beta1.Defaults(), `{}`},
		{apply.CronRunSpec(), `{}`}, {apply.CronRunStatus(), `{}`}, {apply.CronTabSpec(), `{}`}, {apply.CronTabStatus(), `{}`}, {apply.CronTabClassSpec(), `{}`},
	} {
		if got := asJSON(t, test.got); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

// Each method With... sets its own field.
func TestApplySetters(t *testing.T) {
	for _, kind := range kinds {
		for _, of := range append(kind.structs, kind.object) {
			name := reflect.Indirect(reflect.ValueOf(of)).Type().Name()
			newConfig := func() reflect.Value { return reflect.ValueOf(applyconfiguration.ForKind(kind.WithKind(name))) }
			setters := 0
			for method := range newConfig().Type().Methods() {
				if field, ok := strings.CutPrefix(method.Name, "With"); ok {
					setters++
					t.Run(kind.Version+"."+name+"."+method.Name, func(t *testing.T) { testSetter(t, newConfig, method, field) })
				}
			}
			if setters == 0 {
				t.Errorf("%s has no setters", name)
			}
		}
	}
}

func testSetter(t *testing.T, newConfig func() reflect.Value, method reflect.Method, field string) {
	got, want := newConfig(), newConfig()
	var fillers filler
	argument := func() reflect.Value {
		v := reflect.New(method.Type.In(1)).Elem()
		fillers.fill(v)
		return v
	}
	set := func(v reflect.Value) {
		t.Helper()
		call := got.Method(method.Index).Call
		if method.Type.IsVariadic() {
			call = got.Method(method.Index).CallSlice
		}
		if result := call([]reflect.Value{v})[0]; result.Pointer() != got.Pointer() {
			t.Error("the result is another apply configuration")
		}
	}
	target := fieldOf(want, field)
	switch target.Kind() {
	case reflect.Slice: // what comes is appended
		for range 2 {
			values := argument()
			set(values)
			for i := range values.Len() {
				target.Set(reflect.Append(target, reflect.Indirect(values.Index(i))))
			}
		}
		if method.Type.In(1).Elem().Kind() == reflect.Pointer {
			none := reflect.MakeSlice(method.Type.In(1), 1, 1)
			if text := mustPanic(t, func() { set(none) }); !strings.Contains(text, method.Name) {
				t.Errorf("got panic %q", text)
			}
		}
	case reflect.Map: // what comes is added
		set(reflect.Zero(target.Type()))
		if !fieldOf(got, field).IsNil() {
			t.Error("nothing is added, and something is set")
		}
		target.Set(reflect.MakeMap(target.Type()))
		for i := range 2 {
			entries := argument()
			if i == 0 { // one alone
				entries.SetMapIndex(entries.MapKeys()[0], reflect.Value{})
			}
			set(entries)
			for key, value := range entries.Seq2() {
				target.SetMapIndex(key, value)
			}
			entries.Clear() // which belong to the caller
		}
	default:
		for range 2 {
			value := argument()
			set(value)
			if target.Kind() == reflect.Pointer && value.Kind() != reflect.Pointer {
				target.Set(reflect.New(value.Type()))
				target.Elem().Set(value)
			} else {
				target.Set(value)
			}
		}
	}
	if !reflect.DeepEqual(got.Interface(), want.Interface()) {
		t.Errorf("got %s\nwant %s", asJSON(t, got.Interface()), asJSON(t, want.Interface()))
	}
}

// fieldOf returns a field, which may be one of an embedded struct.
func fieldOf(config reflect.Value, name string) reflect.Value {
	field, _ := config.Elem().Type().FieldByName(name)
	for at := config.Elem(); ; field.Index = field.Index[1:] {
		if at = at.Field(field.Index[0]); len(field.Index) == 1 {
			return at
		}
		if at.Kind() == reflect.Pointer {
			if at.IsNil() {
				at.Set(reflect.New(at.Type().Elem()))
			}
			at = at.Elem()
		}
	}
}

// Name and namespace can be read back.
func TestApplyGetters(t *testing.T) {
	for _, kind := range kinds {
		config := reflect.ValueOf(applyconfiguration.ForKind(kind.WithKind(kind.name)))
		for _, field := range []string{"Name", "Namespace"} {
			get := config.MethodByName("Get" + field)
			if got := get.Call(nil)[0]; !got.IsNil() {
				t.Errorf("the %s of an empty %s is %v", field, kind.name, got.Elem())
			}
		}
		for _, field := range []string{"Name", "Namespace"} {
			config.MethodByName("With" + field).Call([]reflect.Value{reflect.ValueOf("the " + field)})
		}
		for _, field := range []string{"Name", "Namespace"} {
			if got := config.MethodByName("Get" + field).Call(nil)[0]; got.IsNil() || got.Elem().String() != "the "+field {
				t.Errorf("the %s of %s is %v", field, kind.name, got)
			}
		}
	}
}

// owned returns the managed fields of a manager.
func owned(manager, subresource, fields string) metav1.ManagedFieldsEntry {
	entry := metav1.ManagedFieldsEntry{Manager: manager, Subresource: subresource, Operation: metav1.ManagedFieldsOperationApply,
		APIVersion: "stable.example.com/v1", FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{}}
	entry.FieldsV1.SetRawBytes([]byte(fields))
	return entry
}

// What is extracted is what a manager owns through the object or a subresource, and the identity of the object.
func TestExtract(t *testing.T) {
	meta := metav1.ObjectMeta{Namespace: "east", Name: "nightly", Labels: map[string]string{"mine": "1", "other": "2"}, ManagedFields: []metav1.ManagedFieldsEntry{
		owned("me", "", `{"f:metadata":{"f:labels":{"f:mine":{}}}}`), owned("other", "", `{"f:metadata":{"f:labels":{"f:other":{}}}}`),
		owned("me", "status", `{"f:status":{"f:replicas":{},"f:phase":{}}}`), owned("me", "scale", `{"f:spec":{"f:replicas":{}}}`),
	}}
	run := &v1.CronRun{ObjectMeta: meta, Status: v1.CronRunStatus{Phase: v1.RunFailed}}
	crontab := &v1.CronTab{ObjectMeta: meta, Spec: v1.CronTabSpec{Image: "not mine", Replicas: new(int32(5))}, Status: v1.CronTabStatus{Replicas: 7, LabelSelector: "not mine"}}
	class := &v1.CronTabClass{ObjectMeta: *meta.DeepCopy()}
	class.Namespace, class.ManagedFields = "", append(class.ManagedFields[:2], owned("me", "other", `{"f:metadata":{"f:labels":{"f:other":{}}}}`))
	old := &v1beta1.CronTabClass{ObjectMeta: *class.ObjectMeta.DeepCopy()}
	for i := range old.ManagedFields {
		old.ManagedFields[i].APIVersion = oldVersion.String()
	}

	identityIn := func(version, kind, namespace, labels string) string {
		return `{"kind":"` + kind + `","apiVersion":"stable.example.com/` + version + `","metadata":{"name":"nightly"` + namespace + labels + `}`
	}
	identity := func(kind, namespace, labels string) string { return identityIn("v1", kind, namespace, labels) }
	const east, mine, other = `,"namespace":"east"`, `,"labels":{"mine":"1"}`, `,"labels":{"other":"2"}`
	for _, test := range []struct {
		extract func() (any, error)
		want    string
	}{
		{func() (any, error) { return apply.ExtractCronRun(run, "me") }, identity("CronRun", east, mine) + `}`},
		{func() (any, error) { return apply.ExtractCronRunFrom(run, "other", "") }, identity("CronRun", east, other) + `}`},
		{func() (any, error) { return apply.ExtractCronRunStatus(run, "me") }, identity("CronRun", east, "") + `,"status":{"phase":"Failed"}}`},
		{func() (any, error) { return apply.ExtractCronRunFrom(run, "me", "status") }, identity("CronRun", east, "") + `,"status":{"phase":"Failed"}}`},
		{func() (any, error) { return apply.ExtractCronTab(crontab, "me") }, identity("CronTab", east, mine) + `}`},
		{func() (any, error) { return apply.ExtractCronTabFrom(crontab, "other", "") }, identity("CronTab", east, other) + `}`},
		{func() (any, error) { return apply.ExtractCronTabStatus(crontab, "me") }, identity("CronTab", east, "") + `,"status":{"replicas":7}}`},
		{func() (any, error) { return apply.ExtractCronTabFrom(crontab, "me", "status") }, identity("CronTab", east, "") + `,"status":{"replicas":7}}`},
		{func() (any, error) { return apply.ExtractCronTabScale(crontab, "me") }, identity("CronTab", east, "") + `,"spec":{"replicas":5}}`},
		{func() (any, error) { return apply.ExtractCronTabClass(class, "me") }, identity("CronTabClass", "", mine) + `}`},
		{func() (any, error) { return apply.ExtractCronTabClassFrom(class, "other", "") }, identity("CronTabClass", "", other) + `}`},
		{func() (any, error) { return apply.ExtractCronTabClassFrom(class, "me", "other") }, identity("CronTabClass", "", other) + `}`},
		{func() (any, error) { return apply.ExtractCronTabClass(class, "nobody") }, identity("CronTabClass", "", "") + `}`},
		{func() (any, error) { return applyv1beta1.ExtractCronTabClass(old, "me") }, identityIn("v1beta1", "CronTabClass", "", mine) + `}`},
		{func() (any, error) { return applyv1beta1.ExtractCronTabClassFrom(old, "other", "") }, identityIn("v1beta1", "CronTabClass", "", other) + `}`},
		{func() (any, error) { return applyv1beta1.ExtractCronTabClassFrom(old, "me", "other") }, identityIn("v1beta1", "CronTabClass", "", other) + `}`},
	} {
		got, err := test.extract()
		if err != nil || asJSON(t, got) != test.want {
			t.Errorf("got %s, %v\nwant %s", asJSON(t, got), err, test.want)
		}
	}

	broken := []metav1.ManagedFieldsEntry{owned("me", "", `{"f":{}}`), owned("me", "status", `{"f":{}}`), owned("me", "scale", `{"f":{}}`)}
	run.ManagedFields, crontab.ManagedFields, class.ManagedFields, old.ManagedFields = broken, broken, broken, broken
	for name, extract := range map[string]func() (any, error){
		"CronRun":       func() (any, error) { return apply.ExtractCronRun(run, "me") },
		"CronRunStatus": func() (any, error) { return apply.ExtractCronRunStatus(run, "me") },
		"CronTab":       func() (any, error) { return apply.ExtractCronTab(crontab, "me") },
		"CronTabStatus": func() (any, error) { return apply.ExtractCronTabStatus(crontab, "me") },
		"CronTabScale":  func() (any, error) { return apply.ExtractCronTabScale(crontab, "me") },
		"CronTabClass":  func() (any, error) { return apply.ExtractCronTabClass(class, "me") },
		"old class":     func() (any, error) { return applyv1beta1.ExtractCronTabClass(old, "me") },
	} {
		if got, err := extract(); err == nil || !reflect.ValueOf(got).IsNil() {
			t.Errorf("got %s %v, %v from managed fields that cannot be read", name, got, err)
		}
	}
}

// The converter knows how the fields of all kinds merge.
func TestTypeConverter(t *testing.T) {
	converter := applyconfiguration.NewTypeConverter(scheme.Scheme)
	for _, kind := range kinds {
		object := filled(reflect.TypeOf(kind.object).Elem()).Interface().(runtime.Object)
		object.GetObjectKind().SetGroupVersionKind(kind.WithKind(kind.name))
		typed, err := converter.ObjectToTyped(object)
		if err != nil {
			t.Fatal(err)
		}
		back, err := converter.TypedToObject(typed)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := asJSON(t, back), asJSON(t, object); !sameJSON(t, got, want) {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}
