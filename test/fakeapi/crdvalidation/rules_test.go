package crdvalidation_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/scheme"
	"github.com/kubegen/kubegen/fakeapi"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
)

const crds = "../../../examples/crontab-types/crds"

func newFake(t *testing.T) dynamic.Interface {
	t.Helper()
	rules, err := crdvalidation.Read(crds)
	must(t, err)
	return fakeapi.New(fakeapi.WithAPI(fake.API{}), fakeapi.WithRules(rules)).Dynamic()
}

// newFakeByOptions returns a client of an API that knows of the kinds what their definitions say.
func newFakeByOptions(t *testing.T) dynamic.Interface {
	t.Helper()
	options, err := crdvalidation.Options(scheme.Scheme, crds)
	must(t, err)
	return dynamic.NewForConfigOrDie(fakeapi.New(options...).RESTConfig())
}

// TestOptions checks that definitions say the same as the generated code: what is served, and how apply merges lists.
func TestOptions(t *testing.T) {
	send := func(client dynamic.Interface) (results []string) {
		crontabs := client.Resource(stablev1.SchemeGroupVersion.WithResource("crontabs")).Namespace("default")
		add := func(o *unstructured.Unstructured, err error) {
			if err == nil {
				for _, field := range []string{"uid", "creationTimestamp", "managedFields"} {
					unstructured.RemoveNestedField(o.Object, "metadata", field)
				}
			}
			results = append(results, fmt.Sprint(o, err))
		}
		apply := func(manager, data string, subresources ...string) {
			o := &unstructured.Unstructured{}
			must(t, o.UnmarshalJSON([]byte(`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"},`+data+`}`)))
			add(crontabs.Apply(t.Context(), "a", o, metav1.ApplyOptions{FieldManager: manager}, subresources...))
		}
		apply("one", `"spec":{"cronSpec":"0 3 * * *","image":"i"}`)
		const condition = `"status":{"conditions":[{"type":%q,"status":"True","reason":"R","message":"","lastTransitionTime":"2026-01-02T03:04:05Z"}]}`
		apply("one", fmt.Sprintf(condition, "One"), "status")
		apply("two", fmt.Sprintf(condition, "Two"), "status")
		apply("two", `"spec":{"image":"j"}`)
		add(crontabs.Get(t.Context(), "a", metav1.GetOptions{}, "scale"))
		add(crontabs.Get(t.Context(), "a", metav1.GetOptions{}, "other"))
		_, err := crontabs.List(t.Context(), metav1.ListOptions{FieldSelector: "spec.unknown=a"})
		add(nil, err)
		list, err := client.Resource(stablev1.SchemeGroupVersion.WithResource("crontabclasses")).List(t.Context(), metav1.ListOptions{})
		must(t, err)
		return append(results, list.GetKind())
	}
	got, want := send(newFakeByOptions(t)), send(newFake(t))
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if _, err := crdvalidation.Options(runtime.NewScheme(), crds); err == nil || !strings.Contains(err.Error(), "the scheme has no version of CronTab") {
		t.Errorf("a scheme without the kinds: %v", err)
	}
}

// Objects that a test gives to the API are completed and checked as well.
func TestObjects(t *testing.T) {
	rules, err := crdvalidation.Read(crds)
	must(t, err)
	store := func(spec stablev1.CronTabSpec) (stored *stablev1.CronTab, problem any) {
		defer func() { problem = recover() }()
		crontab := &stablev1.CronTab{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "default"}, Spec: spec}
		api := fakeapi.New(fakeapi.WithAPI(fake.API{}), fakeapi.WithRules(rules), fakeapi.WithObjects(crontab))
		client := fake.NewClientset()
		api.Attach(&client.Fake, scheme.Scheme)
		stored, err := client.StableV1().CronTabs("default").Get(t.Context(), "a", metav1.GetOptions{})
		must(t, err)
		return stored, nil
	}
	stored, problem := store(stablev1.CronTabSpec{CronSpec: "0 3 * * *", Image: "image:v1"})
	if problem != nil || stored.Spec.Replicas == nil || *stored.Spec.Replicas != 1 {
		t.Errorf("stored %+v: %v", stored, problem)
	}
	if _, problem := store(stablev1.CronTabSpec{CronSpec: "daily", Image: "image:v1"}); !strings.Contains(fmt.Sprint(problem), "spec.cronSpec") {
		t.Errorf("storing an invalid object: %v", problem)
	}
}

// newGizmos returns a client for a kind with embedded resources and with keys that have default values.
func newGizmos(t *testing.T) dynamic.ResourceInterface {
	t.Helper()
	gizmos := schema.GroupVersionResource{Group: "gizmos.example.com", Version: "v1", Resource: "gizmos"}
	types := runtime.NewScheme()
	types.AddKnownTypeWithName(gizmos.GroupVersion().WithKind("Gizmo"), &metav1.PartialObjectMetadata{})
	options, err := crdvalidation.Options(types, "../../e2e/testdata/widgets/gizmos.yaml")
	must(t, err)
	return dynamic.NewForConfigOrDie(fakeapi.New(options...).RESTConfig()).Resource(gizmos).Namespace("default")
}

func gizmo(t *testing.T, spec string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	must(t, o.UnmarshalJSON([]byte(`{"apiVersion":"gizmos.example.com/v1","kind":"Gizmo","metadata":{"name":"a"},"spec":`+spec+`}`)))
	return o
}

// The metadata of embedded resources is decoded like that of objects, and objects with embedded resources can be
// applied.
func TestEmbeddedResources(t *testing.T) {
	for _, test := range []struct{ sent, stored, err, strict string }{
		{sent: `{"creationTimestamp":null,"labels":{"a":"b"}}`, stored: `{"labels":{"a":"b"}}`},
		{sent: `{"bogus":1,"labels":{"a":"b"}}`, stored: `{"labels":{"a":"b"}}`, strict: `unknown field "spec.template.metadata.bogus"`},
		{sent: `{"labels":{"a":null}}`, stored: `{"labels":{"a":""}}`},
		{sent: `null`, stored: `{}`},
		{sent: `{"finalizers":"x"}`, err: `Gizmo in version "v1" cannot be handled as a Gizmo: spec.template.metadata: Invalid value`},
		{sent: `{"labels":{"a":1}}`, err: `Gizmo in version "v1" cannot be handled as a Gizmo: spec.template.metadata: Invalid value`},
	} {
		spec := `{"template":{"apiVersion":"v1","kind":"Pod","metadata":` + test.sent + `}}`
		gizmos := newGizmos(t)
		fails := func(what string, err error, want string) bool {
			if want != "" && (err == nil || !strings.Contains(err.Error(), want)) || want == "" && err != nil {
				t.Errorf("%s with metadata %s: got error %v, want %q", what, test.sent, err, want)
			}
			return err != nil
		}
		_, err := gizmos.Create(t.Context(), gizmo(t, spec), metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict, DryRun: []string{metav1.DryRunAll}})
		fails("strict create", err, cmp.Or(test.err, test.strict))
		if _, err := gizmos.Create(t.Context(), gizmo(t, spec), metav1.CreateOptions{}); fails("create", err, test.err) {
			continue
		}
		applied, err := gizmos.Apply(t.Context(), "a", gizmo(t, `{"image":"i"}`), metav1.ApplyOptions{FieldManager: "m"})
		if fails("apply after create", err, "") {
			continue
		}
		metadata, _, _ := unstructured.NestedFieldNoCopy(applied.Object, "spec", "template", "metadata")
		if got, err := json.Marshal(metadata); err != nil || string(got) != test.stored || len(applied.GetManagedFields()) != 2 {
			t.Errorf("metadata %s is stored as %s (%v) with managedFields %v, want %s", test.sent, got, err, applied.GetManagedFields(), test.stored)
		}
	}
}

// Elements of lists can leave out keys that have default values, also if they are applied.
func TestKeysWithDefaults(t *testing.T) {
	apply := func(spec string) (*unstructured.Unstructured, error) {
		return newGizmos(t).Apply(t.Context(), "a", gizmo(t, spec), metav1.ApplyOptions{FieldManager: "m"})
	}
	applied, err := apply(`{"ports":[{"name":"x"}]}`)
	must(t, err)
	if got := fmt.Sprint(applied.Object["spec"]); got != "map[ports:[map[name:x port:80 protocol:TCP]] replicas:1]" || !strings.Contains(fmt.Sprint(applied.GetManagedFields()), `k:{\"port\":80,\"protocol\":\"TCP\"}`) {
		t.Errorf("applied %s, managed by %v", got, applied.GetManagedFields())
	}
	for spec, want := range map[string]string{
		`{"routes":[{"method":"PUT"}]}`:                               "spec.routes[0].path: Required value",
		`{"routes":[{"path":"/a"},{"path":"/a","method":"GET"}]}`:     "duplicate",
		`{"ports":[{"port":80,"protocol":"TCP"},{"name":"x"}]}`:       "duplicate",
		`{"ports":[{"port":80,"protocol":"TCP"},{"port":81}]}`:        "",
		`{"ports":[{"port":80,"protocol":"TCP"},{"protocol":"UDP"}]}`: "",
	} {
		if _, err := apply(spec); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("apply of %s: got error %v, want %q", spec, err, want)
		}
	}
}

// What cannot be read is an error that names the file.
func TestReadErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "crd.yaml")
	for content, want := range map[string]string{
		"kind: List\napiVersion: v1\n":    "no CustomResourceDefinition",
		"{":                               "no CustomResourceDefinition",
		"{kind: CustomResourceDefinition": file + ":1: this is no YAML",
		"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {nonsense: 1}\n":                                                         file,
		"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\nspec: {group: g, versions: [{name: v1, served: true}]}\n": "a, version v1: it has no schema",
	} {
		must(t, os.WriteFile(file, []byte(content), 0o600))
		if _, err := crdvalidation.Read(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %q", content, err, want)
		}
	}
	if _, err := crdvalidation.Read(filepath.Join(dir, "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing directory: %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
