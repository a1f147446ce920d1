package fakeapi_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"

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

// TestSecret sends texts, which a server moves into the data.
func TestSecret(t *testing.T) {
	existing := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "existing"}, StringData: map[string]string{"a": "existing"}}
	api := fakeapi.New(fakeapi.WithObjects(existing))
	for name, client := range map[string]kubernetes.Interface{
		"rest": kubernetes.NewForConfigOrDie(api.RESTConfig()), "fake": newKubernetes(api),
	} {
		t.Run(name, func(t *testing.T) {
			secrets := client.CoreV1().Secrets("team")
			same := func(step string, secret *corev1.Secret, kind corev1.SecretType, want string) {
				t.Helper()
				equal(t, step, fmt.Sprintf("%s %s %s", secret.Type, secret.Data, secret.StringData), fmt.Sprintf("%s %s map[]", kind, want))
			}
			same("existing", must(secrets.Get(t.Context(), "existing", metav1.GetOptions{}))(t), corev1.SecretTypeOpaque, "map[a:existing]")
			sent := &corev1.Secret{
				ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string][]byte{"a": []byte("1"), "b": []byte("2")},
				StringData: map[string]string{"b": "two", "c": ""},
			}
			secret := must(secrets.Create(t.Context(), sent, metav1.CreateOptions{}))(t)
			same("create", secret, corev1.SecretTypeOpaque, "map[a:1 b:two c:]")
			for _, entry := range secret.ManagedFields {
				equal(t, "owned fields", entry.FieldsV1.String(), `{"f:data":{".":{},"f:a":{},"f:b":{},"f:c":{}},"f:type":{}}`)
			}
			secret.StringData = map[string]string{"a": "one"}
			same("update", must(secrets.Update(t.Context(), secret, metav1.UpdateOptions{}))(t), corev1.SecretTypeOpaque, "map[a:one b:two c:]")
			for kind, patch := range map[types.PatchType]string{
				types.MergePatchType:          `{"stringData":{"d":"4"},"data":{"c":null}}`,
				types.StrategicMergePatchType: `{"stringData":{"d":"4"}}`,
				types.JSONPatchType:           `[{"op":"add","path":"/stringData","value":{"d":"4"}}]`,
			} {
				patched := must(secrets.Patch(t.Context(), name, kind, []byte(patch), metav1.PatchOptions{}))(t)
				equal(t, "d after "+string(kind), string(patched.Data["d"]), "4")
				equal(t, "texts after "+string(kind), len(patched.StringData), 0)
			}
			apply := applycorev1.Secret(name+"-applied", "team").WithType(corev1.SecretTypeBasicAuth).WithStringData(map[string]string{"password": "x"})
			applied := must(secrets.Apply(t.Context(), apply, metav1.ApplyOptions{FieldManager: "tester"}))(t)
			same("apply", applied, corev1.SecretTypeBasicAuth, "map[password:x]")
			same("apply again", must(secrets.Apply(t.Context(), apply, metav1.ApplyOptions{FieldManager: "tester"}))(t), corev1.SecretTypeBasicAuth, "map[password:x]")
		})
	}
}
