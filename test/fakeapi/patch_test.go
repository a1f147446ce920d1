package fakeapi_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/fakeapi"
)

func TestPatch(t *testing.T) {
	const apply = `{"apiVersion":"stable.example.com/v1","kind":"CronTab",`
	for _, test := range []struct {
		name        string
		kind        types.PatchType
		data        string
		opts        metav1.PatchOptions
		subresource []string
		reason      metav1.StatusReason
		text        string // of the error; none if there is none
		image       string // afterwards
		replicas    int32  // of the status, afterwards
		generation  int64
	}{
		{name: "merge", kind: types.MergePatchType, data: `{"spec":{"image":"alpine"},"status":{"replicas":5}}`, image: "alpine", replicas: 2, generation: 2},
		{name: "merge that removes", kind: types.MergePatchType, data: `{"spec":{"image":null}}`, replicas: 2, generation: 2},
		{name: "JSON", kind: types.JSONPatchType, data: `[{"op":"test","path":"/spec/image","value":"busybox"},{"op":"replace","path":"/spec/image","value":"alpine"}]`, image: "alpine", replicas: 2, generation: 2},
		{name: "apply", kind: types.ApplyPatchType, data: apply + `"spec":{"suspend":true}}`, opts: metav1.PatchOptions{FieldManager: "m"}, image: "busybox", replicas: 2, generation: 2},
		{name: "status", kind: types.MergePatchType, data: `{"spec":{"image":"alpine"},"status":{"replicas":5}}`, subresource: []string{"status"}, image: "busybox", replicas: 5, generation: 1},
		{name: "nothing", kind: types.MergePatchType, data: `{}`, image: "busybox", replicas: 2, generation: 1},
		{name: "strategic", kind: types.StrategicMergePatchType, data: `{}`, reason: metav1.StatusReasonUnsupportedMediaType,
			text: "accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"},
		{name: "no JSON", kind: types.MergePatchType, data: `{`, reason: metav1.StatusReasonBadRequest, text: "invalid JSON patch"},
		{name: "no object", kind: types.MergePatchType, data: `[]`, reason: metav1.StatusReasonBadRequest, text: "error decoding patch: json: cannot unmarshal array"},
		{name: "no list", kind: types.JSONPatchType, data: `{}`, reason: metav1.StatusReasonBadRequest, text: "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"},
		{name: "failed test", kind: types.JSONPatchType, data: `[{"op":"test","path":"/spec/image","value":"x"}]`, reason: metav1.StatusReasonInvalid, text: "the server rejected our request due to an error in our request"},
		{name: "force without apply", kind: types.MergePatchType, data: `{}`, opts: metav1.PatchOptions{Force: new(true)}, reason: metav1.StatusReasonInvalid, text: "may not be specified for non-apply patch"},
		{name: "apply without a manager", kind: types.ApplyPatchType, data: apply + `"spec":{}}`, reason: metav1.StatusReasonInvalid, text: "fieldManager: Required value"},
		{name: "apply conflict", kind: types.ApplyPatchType, data: apply + `"spec":{"image":"alpine"}}`, opts: metav1.PatchOptions{FieldManager: "m"}, reason: metav1.StatusReasonConflict,
			text: `Apply failed with 1 conflict: conflict with "fakeapi.test" using stable.example.com/v1: .spec.image`},
		{name: "apply by force", kind: types.ApplyPatchType, data: apply + `"spec":{"image":"alpine"}}`, opts: metav1.PatchOptions{FieldManager: "m", Force: new(true)}, image: "alpine", replicas: 2, generation: 2},
		{name: "apply of no YAML", kind: types.ApplyPatchType, data: `{"spec"`, opts: metav1.PatchOptions{FieldManager: "m"}, reason: metav1.StatusReasonBadRequest, text: "error decoding patch: error converting YAML to JSON: "},
		{name: "apply of an unknown field", kind: types.ApplyPatchType, data: apply + `"spec":{"unknown":"x"}}`, opts: metav1.PatchOptions{FieldManager: "m"}, text: ".spec.unknown: field not declared in schema"},
		{name: "apply of an element without its key", kind: types.ApplyPatchType, data: apply + `"status":{"conditions":[{"reason":"x"}]}}`, subresource: []string{"status"},
			opts: metav1.PatchOptions{FieldManager: "m"}, text: `.status.conditions: element 0: associative list with keys has an element that omits all key fields ["type"]`},
		{name: "another version", kind: types.MergePatchType, data: `{"metadata":{"resourceVersion":"1"}}`, reason: metav1.StatusReasonConflict, text: "the object has been modified"},
		{name: "another name", kind: types.MergePatchType, data: `{"metadata":{"name":"two"}}`, reason: metav1.StatusReasonBadRequest, text: "the name of the object (two) does not match the name on the URL (one)"},
		{name: "another namespace", kind: types.MergePatchType, data: `{"metadata":{"namespace":"two"}}`, reason: metav1.StatusReasonBadRequest, text: "the namespace of the provided object does not match"},
		{name: "another kind", kind: types.MergePatchType, data: `{"kind":"Other"}`, reason: metav1.StatusReasonInvalid, text: "must be CronTab"},
		{name: "no kind", kind: types.MergePatchType, data: `{"kind":null}`, reason: metav1.StatusReasonInvalid, text: "Object 'Kind' is missing"},
		{name: "malformed metadata", kind: types.MergePatchType, data: `{"metadata":{"labels":"x"}}`, reason: metav1.StatusReasonInvalid, text: "cannot unmarshal string into Go struct field ObjectMeta.labels"},
		{name: "unknown subresource", kind: types.MergePatchType, data: `{}`, subresource: []string{"more"}, reason: metav1.StatusReasonNotFound, text: `"one" not found`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, client := newWorld(t, fakeapi.WithObjects(crontab("one", func(ct *stablev1.CronTab) { ct.Status.Replicas = 2 })))
			c := client.StableV1().CronTabs("team")
			before := must(c.Get(t.Context(), "one", metav1.GetOptions{}))(t)
			got, err := c.Patch(t.Context(), "one", test.kind, []byte(test.data), test.opts, test.subresource...)
			after := must(c.Get(t.Context(), "one", metav1.GetOptions{}))(t)
			if test.text != "" {
				reason(t, err, test.reason, test.text)
				equal(t, "the object", after, before)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "what was returned", got, after)
			if after.Spec.Image != test.image || after.Status.Replicas != test.replicas || after.Generation != test.generation {
				t.Errorf("image %s, replicas %d, generation %d; want %s, %d, %d", after.Spec.Image, after.Status.Replicas, after.Generation, test.image, test.replicas, test.generation)
			}
			if unchanged := after.ResourceVersion == before.ResourceVersion; unchanged != (test.name == "nothing") {
				t.Errorf("version %s after %s", after.ResourceVersion, before.ResourceVersion)
			}
		})
	}
}

func TestPatchOfNothing(t *testing.T) {
	_, client := newWorld(t)
	c := client.StableV1().CronTabs("team")
	for _, kind := range []types.PatchType{types.MergePatchType, types.JSONPatchType} {
		data := map[types.PatchType]string{types.MergePatchType: `{}`, types.JSONPatchType: `[]`}[kind]
		_, err := c.Patch(t.Context(), "one", kind, []byte(data), metav1.PatchOptions{})
		reason(t, err, metav1.StatusReasonNotFound, `"one" not found`)
	}
	apply := []byte(`{"apiVersion":"stable.example.com/v1","kind":"CronTab","spec":{"cronSpec":"* * * * *"},"status":{"replicas":2}}`)
	opts := metav1.PatchOptions{FieldManager: "m"}
	_, err := c.Patch(t.Context(), "one", types.ApplyPatchType, apply, opts, "status")
	reason(t, err, metav1.StatusReasonNotFound, `"one" not found`)
	withUID := []byte(`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"one","uid":"x"}}`)
	_, err = c.Patch(t.Context(), "one", types.ApplyPatchType, withUID, opts)
	reason(t, err, metav1.StatusReasonConflict, "uid mismatch: the provided object specified uid x, and no existing object was found")
	withName := []byte(`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"one"},"spec":{"cronSpec":"* * * * *"},"status":{"replicas":2}}`)
	ct := must(c.Patch(t.Context(), "one", types.ApplyPatchType, withName, opts))(t)
	if ct.Name != "one" || ct.Namespace != "team" || ct.UID == "" || ct.Generation != 1 || ct.Status.Replicas != 0 {
		t.Errorf("applied %+v", ct)
	}
	equal(t, "operation", ct.ManagedFields[0].Operation, metav1.ManagedFieldsOperationApply)
}

// TestApplyMerges checks that two managers own their fields, of lists as well, and what a manager applies no more goes.
func TestApplyMerges(t *testing.T) {
	_, client := newWorld(t, fakeapi.WithObjects(crontab("one")))
	c := client.StableV1().CronTabs("team")
	condition := func(kind string) string {
		return `{"type":"` + kind + `","status":"True","reason":"R","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}`
	}
	apply := func(manager, status string) (kinds []string) {
		t.Helper()
		data := `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"one"},"status":` + status + `}`
		ct := must(c.Patch(t.Context(), "one", types.ApplyPatchType, []byte(data), metav1.PatchOptions{FieldManager: manager}, "status"))(t)
		for _, condition := range ct.Status.Conditions {
			kinds = append(kinds, condition.Type)
		}
		return kinds
	}
	equal(t, "conditions", apply("a", `{"conditions":[`+condition("A")+`]}`), []string{"A"})
	equal(t, "conditions", apply("b", `{"conditions":[`+condition("B")+`]}`), []string{"A", "B"})
	before := must(c.Get(t.Context(), "one", metav1.GetOptions{}))(t)
	equal(t, "conditions", apply("b", `{"conditions":[`+condition("B")+`]}`), []string{"A", "B"})
	equal(t, "after the same again", must(c.Get(t.Context(), "one", metav1.GetOptions{}))(t), before)
	equal(t, "conditions", apply("a", `{}`), []string{"B"})
}
