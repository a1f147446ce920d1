package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	webhook "github.com/kubegen/kubegen/examples/crontab-types/conversion"
)

// FuzzConversionHandler sends arbitrary bodies. For each, the handler answers with a status or a review of the same
// request.
func FuzzConversionHandler(f *testing.F) {
	v1, v2 := schema.GroupVersion{Group: "example.com", Version: "v1"}, schema.GroupVersion{Group: "example.com", Version: "v2"}
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(v1.WithKind("Item"), &corev1.ConfigMap{})
	scheme.AddKnownTypeWithName(v2.WithKind("Item"), &corev1.Secret{})
	err := scheme.AddConversionFunc((*corev1.ConfigMap)(nil), (*corev1.Secret)(nil), func(in, out any, _ conversion.Scope) error {
		out.(*corev1.Secret).ObjectMeta = in.(*corev1.ConfigMap).ObjectMeta
		out.(*corev1.Secret).StringData = map[string]string{"": in.(*corev1.ConfigMap).Data["key"][:1]} // panics without the key
		return nil
	})
	if err != nil {
		f.Fatal(err)
	}
	object := `{"apiVersion":"example.com/v1","kind":"Item","metadata":{"name":"a"},"data":{"key":"value"}}`
	review := func(apiVersion, objects string) string {
		return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"` + apiVersion + `","objects":[` + objects + `]}}`
	}
	for _, test := range []struct{ body, want string }{
		{review("example.com/v2", object+","+object), `"stringData":{"":"v"}`},
		{review("example.com/v1", object), `"data":{"key":"value"}`},
		{review("example.com/v2", ""), `"status":"Success"`},
		{review("example.com/v2", object+","+strings.Replace(object, "key", "other", 1)), `"convertedObjects":null,"result":{"metadata":{},"status":"Failure","message":"conversion to example.com/v2 panicked`},
		{review("example.com/v1", `{"apiVersion":"example.com/v2","kind":"Item"}`), `unknown conversion`},
		{review("example.com/v3", object), `no kind \"Item\" is registered for version \"example.com/v3\"`},
		{review("a/b/c", object), `unexpected GroupVersion string: a/b/c`},
		{review("example.com/v2", `{}`), `Object 'Kind' is missing`},
		{`{}`, `the body is not a ConversionReview with a request`},
		{`[`, `the body is not a ConversionReview with a request`},
	} {
		f.Add(test.body)
		if _, answer := reviewed(scheme, v2, test.body); !strings.Contains(answer, test.want) {
			f.Errorf("%s: got %s, want %s", test.body, answer, test.want)
		}
	}
	f.Fuzz(func(t *testing.T, body string) {
		code, answer := reviewed(scheme, v2, body)
		if code == http.StatusBadRequest {
			return
		}
		var sent, got apiextensionsv1.ConversionReview
		if err := json.NewDecoder(strings.NewReader(body)).Decode(&sent); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(answer), &got); err != nil || got.Response == nil || got.Response.UID != sent.Request.UID {
			t.Errorf("%s: got %d %s", body, code, answer)
		}
	})
}

func reviewed(scheme *runtime.Scheme, hub schema.GroupVersion, body string) (code int, text string) {
	recorder := httptest.NewRecorder()
	webhook.Handler(scheme, hub).ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/convert", strings.NewReader(body)))
	return recorder.Code, recorder.Body.String()
}
