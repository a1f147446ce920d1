package fakeapi_test

import (
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubegen/kubegen/fakeapi"
)

// TestServesClientGo lists the objects of every client that client-go's clientset has, in whichever release that is.
func TestServesClientGo(t *testing.T) {
	clientset := reflect.ValueOf(newKubernetes(fakeapi.New()))
	inputs := func(method reflect.Type) (in []reflect.Value) {
		for i := range method.NumIn() {
			switch method.In(i).Kind() {
			case reflect.String:
				in = append(in, reflect.ValueOf("")) // all namespaces
			case reflect.Interface:
				in = append(in, reflect.ValueOf(t.Context()))
			default:
				in = append(in, reflect.ValueOf(metav1.ListOptions{}))
			}
		}
		return in
	}
	count := 0
	for i := range clientset.NumMethod() {
		group := clientset.Type().Method(i).Name
		if !strings.Contains(group, "V1") && !strings.Contains(group, "V2") {
			continue // Discovery, and what all fakes have
		}
		client := clientset.Method(i).Call(nil)[0].Elem()
		for j := range client.NumMethod() {
			name := client.Type().Method(j).Name
			results := client.Method(j)
			if results.Type().NumOut() != 1 || !strings.Contains(results.Type().Out(0).PkgPath(), "/kubernetes/typed/") {
				continue // a method of all fakes
			}
			list := results.Call(inputs(results.Type()))[0].Elem().MethodByName("List")
			if !list.IsValid() {
				continue // what is created only, such as SubjectAccessReview
			}
			count++
			if err := list.Call(inputs(list.Type()))[1]; !err.IsNil() {
				t.Errorf("%s.%s: %v", group, name, err)
			}
		}
	}
	if count < 50 {
		t.Errorf("%d kinds", count)
	}
}
