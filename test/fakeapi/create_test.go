package fakeapi_test

import (
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	crontabfake "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	crontabscheme "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/scheme"
	"github.com/kubegen/kubegen/fakeapi"
)

func TestCreateErrors(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*stablev1.CronTab)
		opts   metav1.CreateOptions
		reason metav1.StatusReason
		text   string
	}{
		{"there already", func(ct *stablev1.CronTab) { ct.Name = "old" }, metav1.CreateOptions{}, metav1.StatusReasonAlreadyExists, `crontabs.stable.example.com "old" already exists`},
		{"there, deleted", func(ct *stablev1.CronTab) { ct.Name = "held" }, metav1.CreateOptions{}, metav1.StatusReasonAlreadyExists, "object is being deleted: "},
		{"no name", func(ct *stablev1.CronTab) { ct.Name = "" }, metav1.CreateOptions{}, metav1.StatusReasonInvalid, "metadata.name: Required value: name or generateName is required"},
		{"malformed name", func(ct *stablev1.CronTab) { ct.Name = "a_b" }, metav1.CreateOptions{}, metav1.StatusReasonInvalid, "metadata.name: Invalid value"},
		{"malformed label", func(ct *stablev1.CronTab) { ct.Labels = map[string]string{"a b": ""} }, metav1.CreateOptions{}, metav1.StatusReasonInvalid, "metadata.labels: Invalid value"},
		{"malformed finalizer", func(ct *stablev1.CronTab) { ct.Finalizers = []string{"a b"} }, metav1.CreateOptions{}, metav1.StatusReasonInvalid, "metadata.finalizers: Invalid value"},
		{"another namespace", func(ct *stablev1.CronTab) { ct.Namespace = "other" }, metav1.CreateOptions{}, metav1.StatusReasonBadRequest, "the namespace of the provided object does not match"},
		{"a version", func(ct *stablev1.CronTab) { ct.ResourceVersion = "1" }, metav1.CreateOptions{}, metav1.StatusReasonUnknown, "resourceVersion should not be set"},
		{"version 0", func(ct *stablev1.CronTab) { ct.ResourceVersion = "0" }, metav1.CreateOptions{}, "", ""},
		{"negative replicas", func(ct *stablev1.CronTab) { ct.Spec.Replicas = new(int32(-1)) }, metav1.CreateOptions{}, metav1.StatusReasonInvalid, "should be a non-negative integer"},
		{"malformed manager", nil, metav1.CreateOptions{FieldManager: strings.Repeat("m", 129)}, metav1.StatusReasonInvalid, "fieldManager: Too long"},
		{"malformed dry run", nil, metav1.CreateOptions{DryRun: []string{"some"}}, metav1.StatusReasonInvalid, "dryRun: Unsupported value"},
		{"dry run of one that is there", func(ct *stablev1.CronTab) { ct.Name = "old" }, metav1.CreateOptions{DryRun: []string{"All"}}, metav1.StatusReasonAlreadyExists, "already exists"},
	} {
		t.Run(test.name, func(t *testing.T) {
			held := crontab("held", func(ct *stablev1.CronTab) {
				ct.DeletionTimestamp, ct.Finalizers = new(metav1.Now()), []string{"example.com/hold"}
			})
			_, client := newWorld(t, fakeapi.WithObjects(crontab("old"), held))
			ct := crontab("new")
			if test.change != nil {
				test.change(ct)
			}
			c := client.StableV1().CronTabs("team")
			before := must(c.List(t.Context(), metav1.ListOptions{}))(t)
			_, err := c.Create(t.Context(), ct, test.opts)
			reason(t, err, test.reason, test.text)
			after := must(c.List(t.Context(), metav1.ListOptions{}))(t)
			if unchanged := len(before.Items) == len(after.Items) && before.ResourceVersion == after.ResourceVersion; unchanged != (test.reason+metav1.StatusReason(test.text) != "") {
				t.Errorf("changed: %t", !unchanged)
			}
		})
	}
}

// TestCreateSets checks what a server sets, whatever the caller has.
func TestCreateSets(t *testing.T) {
	_, client := newWorld(t)
	c := client.StableV1().CronTabs("team")
	mine := crontab("one", func(ct *stablev1.CronTab) {
		ct.UID, ct.Generation, ct.Namespace = "mine", 7, ""
		//lint:ignore SA1019 clients can still send it
		ct.SelfLink = "/mine"
		ct.DeletionTimestamp, ct.DeletionGracePeriodSeconds = new(metav1.Now()), new(int64(30))
		ct.Status.Replicas = 3
		ct.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "A", Name: "a", UID: "a"}, {APIVersion: "v1", Kind: "A", Name: "a", UID: "a"}}
	})
	sent := mine.DeepCopy()
	got := must(c.Create(t.Context(), mine, metav1.CreateOptions{FieldManager: "author"}))(t)
	equal(t, "what was sent", mine, sent)
	if got.UID == "mine" || got.UID == "" || got.Generation != 1 || got.DeletionTimestamp != nil || got.DeletionGracePeriodSeconds != nil ||
		got.Namespace != "team" || got.Status.Replicas != 0 || len(got.OwnerReferences) != 1 {
		t.Errorf("created %+v", got)
	}
	//lint:ignore SA1019 clients can still send it
	if got.SelfLink != "" {
		t.Error("selfLink is stored")
	}
	equal(t, "TypeMeta", got.TypeMeta, metav1.TypeMeta{})
	if len(got.ManagedFields) != 1 || got.ManagedFields[0].Manager != "author" || strings.Contains(got.ManagedFields[0].FieldsV1.String(), "f:status") {
		t.Errorf("managedFields: %v", got.ManagedFields)
	}
	equal(t, "get", must(c.Get(t.Context(), "one", metav1.GetOptions{}))(t), got)

	other := must(c.Create(t.Context(), crontab("two"), metav1.CreateOptions{}))(t)
	if other.UID == got.UID || other.ResourceVersion <= got.ResourceVersion {
		t.Errorf("the second object has UID %s and version %s, the first %s and %s", other.UID, other.ResourceVersion, got.UID, got.ResourceVersion)
	}
}

func TestGenerateName(t *testing.T) {
	names := func() (names []string) {
		_, client := newWorld(t)
		for range 5 {
			ct := crontab("", func(ct *stablev1.CronTab) { ct.GenerateName = "hourly-" })
			names = append(names, must(client.StableV1().CronTabs("team").Create(t.Context(), ct, metav1.CreateOptions{}))(t).Name)
		}
		return names
	}
	first := names()
	seen := map[string]bool{}
	for _, name := range first {
		if !strings.HasPrefix(name, "hourly-") || len(name) != len("hourly-")+5 || seen[name] {
			t.Errorf("generated %q after %v", name, seen)
		}
		seen[name] = true
	}
	equal(t, "names of another API", names(), first)

	_, client := newWorld(t)
	long := crontab("", func(ct *stablev1.CronTab) { ct.GenerateName = strings.Repeat("a", 100) })
	if name := must(client.StableV1().CronTabs("team").Create(t.Context(), long, metav1.CreateOptions{}))(t).Name; len(name) != 63 {
		t.Errorf("generated a name of %d characters, want 63", len(name))
	}
}

func TestDryRun(t *testing.T) {
	_, client := newWorld(t, fakeapi.WithObjects(crontab("one")))
	c := client.StableV1().CronTabs("team")
	before := must(c.List(t.Context(), metav1.ListOptions{}))(t)
	all := []string{metav1.DryRunAll}

	created := must(c.Create(t.Context(), crontab("two"), metav1.CreateOptions{DryRun: all}))(t)
	if created.UID == "" || created.ResourceVersion != "" || created.Generation != 1 {
		t.Errorf("created %+v", created.ObjectMeta)
	}
	one := before.Items[0].DeepCopy()
	one.Spec.Image = "alpine"
	if updated := must(c.Update(t.Context(), one, metav1.UpdateOptions{DryRun: all}))(t); updated.Spec.Image != "alpine" || updated.Generation != 2 {
		t.Errorf("updated %+v", updated)
	}
	one.Status.Replicas = 5
	if updated := must(c.UpdateStatus(t.Context(), one, metav1.UpdateOptions{DryRun: all}))(t); updated.Status.Replicas != 5 {
		t.Errorf("updated %+v", updated)
	}
	for kind, data := range map[types.PatchType]string{types.MergePatchType: `{"spec":{"image":"alpine"}}`, types.ApplyPatchType: `{"apiVersion":"stable.example.com/v1","kind":"CronTab","spec":{"suspend":true}}`} {
		if patched := must(c.Patch(t.Context(), "one", kind, []byte(data), metav1.PatchOptions{DryRun: all, FieldManager: "m"}))(t); patched.Generation != 2 {
			t.Errorf("patched %+v", patched)
		}
	}
	if err := c.Delete(t.Context(), "one", metav1.DeleteOptions{DryRun: all}); err != nil {
		t.Error(err)
	}
	if err := c.DeleteCollection(t.Context(), metav1.DeleteOptions{DryRun: all}, metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
	equal(t, "list", must(c.List(t.Context(), metav1.ListOptions{}))(t), before)
}

// TestUnknownFields checks that fields that the kind does not have are dropped, or refused, and that those of another
// type are refused.
func TestUnknownFields(t *testing.T) {
	api, _ := newWorld(t)
	c := api.Dynamic().Resource(crontabs).Namespace("team")
	obj := func(name string, fields map[string]any) *unstructured.Unstructured {
		u := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "stable.example.com/v1", "kind": "CronTab",
			"metadata": map[string]any{"name": name, "unknown": "x", "labels": map[string]any{}},
			"spec":     map[string]any{"cronSpec": "* * * * *"},
		}}
		for k, v := range fields {
			if err := unstructured.SetNestedField(u.Object, v, strings.Split(k, ".")...); err != nil {
				t.Fatal(err)
			}
		}
		return u
	}
	unknown := map[string]any{"unknown": "x", "spec.unknown": map[string]any{"a": "b"}, "spec.replicas": float64(2)}
	got := must(c.Create(t.Context(), obj("a", unknown), metav1.CreateOptions{}))(t)
	equal(t, "spec", got.Object["spec"], any(map[string]any{"cronSpec": "* * * * *", "replicas": int64(2)}))
	for _, path := range [][]string{{"unknown"}, {"metadata", "unknown"}, {"metadata", "labels"}} {
		if v, ok, _ := unstructured.NestedFieldNoCopy(got.Object, path...); ok {
			t.Errorf("%v is %v", path, v)
		}
	}
	if len(got.GetManagedFields()) != 1 {
		t.Errorf("managedFields: %v", got.GetManagedFields())
	}
	_, err := c.Create(t.Context(), obj("b", unknown), metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	reason(t, err, metav1.StatusReasonBadRequest, `unknown field "spec.unknown"`)
	_, err = c.Create(t.Context(), obj("b", map[string]any{"spec.replicas": "two"}), metav1.CreateOptions{})
	reason(t, err, metav1.StatusReasonInvalid, `spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"`)
	_, err = c.Create(t.Context(), obj("b", map[string]any{"kind": "Other", "spec.suspend": true}), metav1.CreateOptions{})
	reason(t, err, metav1.StatusReasonInvalid, `kind: Invalid value: "Other": must be CronTab`)
	// What was refused has no bearing on what looks alike.
	equal(t, "managers", len(must(c.Create(t.Context(), obj("b", map[string]any{"spec.suspend": true}), metav1.CreateOptions{}))(t).GetManagedFields()), 1)
	_, err = c.Create(t.Context(), obj("c", map[string]any{"kind": ""}), metav1.CreateOptions{})
	reason(t, err, metav1.StatusReasonBadRequest, "Object 'Kind' is missing")
	_, err = c.Create(t.Context(), obj("c", map[string]any{"apiVersion": "stable.example.com/v2"}), metav1.CreateOptions{})
	reason(t, err, metav1.StatusReasonBadRequest, "the API version in the data (stable.example.com/v2) does not match the expected API version (stable.example.com/v1)")
}

// TestWithObjects checks that objects that are given are stored as they are.
func TestWithObjects(t *testing.T) {
	old := crontab("one", func(ct *stablev1.CronTab) {
		ct.UID, ct.Generation, ct.CreationTimestamp, ct.ResourceVersion = "mine", 7, metav1.Unix(1e9, 0), "99999"
		ct.Status.Replicas, ct.Finalizers = 3, []string{"example.com/hold"}
	})
	sent := old.DeepCopy()
	_, client := newWorld(t, fakeapi.WithObjects(old, &stablev1.CronTabList{Items: []stablev1.CronTab{*crontab("two")}}))
	equal(t, "what was given", old, sent)
	got := must(client.StableV1().CronTabs("team").Get(t.Context(), "one", metav1.GetOptions{}))(t)
	if got.UID != "mine" || got.Generation != 7 || got.CreationTimestamp.Unix() != 1e9 || got.ResourceVersion == "99999" || got.Status.Replicas != 3 || len(got.ManagedFields) == 0 {
		t.Errorf("stored %+v", got)
	}
	two := must(client.StableV1().CronTabs("team").Get(t.Context(), "two", metav1.GetOptions{}))(t)
	if two.UID == "" || two.Generation != 1 || two.CreationTimestamp.IsZero() {
		t.Errorf("stored %+v", two)
	}
}

// Mistakes in options, and missing arguments, are panics that say what is wrong.
func TestMistakesInOptions(t *testing.T) {
	with := func(opt fakeapi.Option) func() { return func() { fakeapi.New(options(opt)...) } }
	for want, f := range map[string]func(){
		"is not served; add it by WithResources": with(fakeapi.WithObjects(&metav1.PartialObjectMetadata{})),
		"there are two":                          with(fakeapi.WithObjects(crontab("a"), crontab("a"))),
		"Invalid value":                          with(fakeapi.WithObjects(crontab("A"))),
		"storing <nil>: it is nil":               with(fakeapi.WithObjects(nil)),
		"storing *v1.CronTab: it is nil":         with(fakeapi.WithObjects((*stablev1.CronTab)(nil))),
		"scale paths of /, Resource=none, which is not served; add it by": with(fakeapi.WithScalePaths(map[schema.GroupVersionResource]map[string]string{{Resource: "none"}: {}})),

		"Attach without a scheme":               func() { fakeapi.New().Attach(&crontabfake.NewClientset().Fake, nil) },
		"Attach without a clientset":            func() { fakeapi.New().Attach(nil, crontabscheme.Scheme) },
		"WithAPI without an API":                func() { fakeapi.WithAPI(nil) },
		"WithResources without a scheme":        func() { fakeapi.WithResources(nil, nil) },
		"WithTypeConverter without a converter": func() { fakeapi.WithTypeConverter(nil) },
		"WithAuthorizer without an authorizer":  func() { fakeapi.WithAuthorizer(authenticationv1.UserInfo{}, nil) },
	} {
		func() {
			defer func() {
				if problem, _ := recover().(string); !strings.HasPrefix(problem, "fakeapi: ") || !strings.Contains(problem, want) {
					t.Errorf("got panic %q, want %q", problem, want)
				}
			}()
			f()
		}()
	}
}

// Objects of kinds without namespaces have none, whatever their creator says.
func TestCreateWithoutNamespace(t *testing.T) {
	_, client := newWorld(t)
	class := &stablev1.CronTabClass{ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "team"}}
	created := must(client.StableV1().CronTabClasses().Create(t.Context(), class, metav1.CreateOptions{}))(t)
	equal(t, "namespace", created.Namespace, "")
	equal(t, "name", must(client.StableV1().CronTabClasses().Get(t.Context(), "c", metav1.GetOptions{}))(t).Name, "c")
}

// Unknown fields are dropped from elements of lists and from metadata, too.
func TestUnknownFieldsInLists(t *testing.T) {
	api, _ := newWorld(t)
	c := api.Dynamic().Resource(crontabs).Namespace("team")
	o := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "stable.example.com/v1", "kind": "CronTab",
		"metadata": map[string]any{"name": "a", "color": "red", "ownerReferences": []any{map[string]any{"apiVersion": "v1", "kind": "Owner", "name": "o", "uid": "1"}}},
		"spec":     map[string]any{"cronSpec": "* * * * *", "image": "i"},
	}}
	_, err := c.Create(t.Context(), o.DeepCopy(), metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	reason(t, err, metav1.StatusReasonBadRequest, `unknown field "metadata.color"`)
	created := must(c.Create(t.Context(), o, metav1.CreateOptions{}))(t)
	if _, found, _ := unstructured.NestedString(created.Object, "metadata", "color"); found {
		t.Errorf("created %v", created.Object)
	}
	_, err = c.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"spec":{"color":"red"}}`), metav1.PatchOptions{FieldValidation: metav1.FieldValidationStrict})
	reason(t, err, metav1.StatusReasonInvalid, "color")
	conditions := `{"status":{"conditions":[{"type":"A","status":"True","reason":"R","message":"","lastTransitionTime":"2026-01-02T03:04:05Z"},
		{"type":"B","color":"red","status":"True","reason":"R","message":"","lastTransitionTime":"2026-01-02T03:04:05Z"}]}}`
	patched := must(c.Patch(t.Context(), "a", types.MergePatchType, []byte(conditions), metav1.PatchOptions{}, "status"))(t)
	list, _, _ := unstructured.NestedSlice(patched.Object, "status", "conditions")
	if len(list) != 2 || list[1].(map[string]any)["color"] != nil || list[1].(map[string]any)["type"] != "B" {
		t.Errorf("conditions %v", list)
	}
}
