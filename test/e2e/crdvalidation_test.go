package e2e

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	stablefake "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	stablescheme "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/scheme"
	"github.com/kubegen/kubegen/fakeapi"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
)

// newRulesFakes returns clients of APIs with the rules of the example's definitions: beside generated code, and in
// its place.
func newRulesFakes(t *testing.T) map[string]dynamic.Interface {
	t.Helper()
	rules, err := crdvalidation.Read(crds)
	must(t, err)
	options, err := crdvalidation.Options(stablescheme.Scheme, crds)
	must(t, err)
	byOptions, err := dynamic.NewForConfig(fakeapi.New(options...).RESTConfig())
	must(t, err)
	return map[string]dynamic.Interface{
		"Options": byOptions,
		"Read":    fakeapi.New(fakeapi.WithAPI(stablefake.API{}), fakeapi.WithRules(rules)).Dynamic(),
	}
}

// A ruledRequest is one that the server and fakeapi are sent. Data is an object, or a patch.
type ruledRequest struct {
	verb, resource, name, data string
	subresource                string
	strict                     bool
}

// send sends a request and returns its result or its error as text, without what differs from server to server.
func (rq ruledRequest) send(t *testing.T, client dynamic.Interface) string {
	t.Helper()
	var resources dynamic.ResourceInterface = client.Resource(stablev1.SchemeGroupVersion.WithResource(rq.resource))
	kind := map[string]string{"crontabs": "CronTab", "cronruns": "CronRun", "crontabclasses": "CronTabClass"}[rq.resource]
	if rq.resource != "crontabclasses" {
		resources = client.Resource(stablev1.SchemeGroupVersion.WithResource(rq.resource)).Namespace("default")
	}
	var subresources []string
	if rq.subresource != "" {
		subresources = []string{rq.subresource}
	}
	validation := ""
	if rq.strict {
		validation = metav1.FieldValidationStrict
	}
	object := func() *unstructured.Unstructured {
		o := &unstructured.Unstructured{}
		must(t, json.Unmarshal(fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q,"metadata":{"name":%q},%s}`, stablev1.SchemeGroupVersion, kind, rq.name, rq.data), &o.Object))
		must(t, o.UnmarshalJSON([]byte(compact(o.Object)))) // for integers
		return o
	}
	ctx := t.Context()
	var result *unstructured.Unstructured
	var err error
	switch rq.verb {
	case "create":
		result, err = resources.Create(ctx, object(), metav1.CreateOptions{FieldValidation: validation})
	case "update":
		o := object()
		stored, getErr := resources.Get(ctx, rq.name, metav1.GetOptions{})
		must(t, getErr)
		o.SetResourceVersion(stored.GetResourceVersion())
		result, err = resources.Update(ctx, o, metav1.UpdateOptions{FieldValidation: validation}, subresources...)
	case "merge":
		result, err = resources.Patch(ctx, rq.name, types.MergePatchType, []byte(rq.data), metav1.PatchOptions{FieldValidation: validation}, subresources...)
	case "json":
		result, err = resources.Patch(ctx, rq.name, types.JSONPatchType, []byte(rq.data), metav1.PatchOptions{}, subresources...)
	case "apply":
		result, err = resources.Apply(ctx, rq.name, object(), metav1.ApplyOptions{FieldManager: "applier", Force: true}, subresources...)
	default:
		t.Fatalf("unknown verb %q", rq.verb)
	}
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		answer := status.Status()
		answer.TypeMeta = metav1.TypeMeta{} // which only what has been decoded has
		if answer.Details != nil {          // a server has several causes in no fixed order
			slices.SortFunc(answer.Details.Causes, func(a, b metav1.StatusCause) int { return cmp.Compare(compact(a), compact(b)) })
		}
		words := strings.FieldsFunc(answer.Message, func(r rune) bool { return strings.ContainsRune(" ,[]", r) })
		slices.Sort(words)
		answer.Message = strings.Join(words, " ")
		return compact(answer)
	}
	must(t, err)
	metadata := result.Object["metadata"].(map[string]any)
	for _, field := range []string{"uid", "resourceVersion", "creationTimestamp"} {
		delete(metadata, field)
	}
	managed, _ := metadata["managedFields"].([]any)
	for _, entry := range managed {
		delete(entry.(map[string]any), "time")
	}
	slices.SortFunc(managed, func(a, b any) int { return cmp.Compare(compact(a), compact(b)) })
	return compact(result.Object)
}

// TestRules sends the same requests to an API server and to fakeapi with the rules of the same definitions.
func TestRules(t *testing.T) {
	t.Parallel()
	config, err := startServer(t, newServer(t.TempDir(), crds)).config()
	must(t, err)
	config.WarningHandler = rest.NoWarnings{}
	server, err := dynamic.NewForConfig(config)
	must(t, err)
	fakes := newRulesFakes(t)
	const valid = `"spec":{"cronSpec":"0 3 * * *","image":"image:v1"}`
	for _, rq := range []ruledRequest{
		{verb: "create", resource: "crontabs", name: "defaults", data: valid},
		{verb: "create", resource: "crontabs", name: "given", data: `"spec":{"cronSpec":"0 3 * * *","image":"image:v1","replicas":0,"historyLimit":7}`},
		{verb: "create", resource: "crontabs", name: "null", data: `"spec":{"cronSpec":"0 3 * * *","image":"image:v1","replicas":null,"suspend":null}`},
		{verb: "create", resource: "crontabs", name: "required", data: `"spec":{"image":"image:v1"}`},
		{verb: "create", resource: "crontabs", name: "empty", data: `"status":{}`},
		{verb: "create", resource: "crontabs", name: "pattern", data: `"spec":{"cronSpec":"daily","image":"image:v1"}`},
		{verb: "create", resource: "crontabs", name: "limits", data: `"spec":{"cronSpec":"0 3 * * *","image":"","replicas":-1,"historyLimit":0}`},
		{verb: "create", resource: "crontabs", name: "types", data: `"spec":{"cronSpec":"0 3 * * *","image":7,"replicas":"two","suspend":"yes"}`},
		{verb: "create", resource: "crontabs", name: "rule", data: `"spec":{"cronSpec":"0 3 * * *"}`},
		{verb: "create", resource: "crontabs", name: strings.Repeat("n", 53), data: valid},
		{verb: "create", resource: "crontabs", name: "Malformed", data: `"spec":{"cronSpec":"daily"}`},
		{verb: "create", resource: "crontabs", name: "unknown", data: valid[:len(valid)-1] + `,"color":"red"},"more":{"of":"it"}`},
		{verb: "create", resource: "crontabs", name: "strict", data: valid[:len(valid)-1] + `,"color":"red"}`, strict: true},

		{verb: "update", resource: "crontabs", name: "defaults", data: `"spec":{"cronSpec":"0 4 * * *","className":"c"}`},
		{verb: "update", resource: "crontabs", name: "defaults", data: `"spec":{"cronSpec":"0 4 * * *"}`},
		{verb: "update", resource: "crontabs", name: "defaults", data: `"spec":{"cronSpec":"daily","image":"image:v1"}`},
		{verb: "merge", resource: "crontabs", name: "given", data: `{"spec":{"replicas":null}}`},
		{verb: "merge", resource: "crontabs", name: "given", data: `{"spec":{"replicas":-1}}`},
		{verb: "merge", resource: "crontabs", name: "given", data: `{"spec":{"image":null}}`},
		{verb: "merge", resource: "crontabs", name: "given", data: `{"spec":{"color":"red"}}`},
		{verb: "json", resource: "crontabs", name: "given", data: `[{"op":"remove","path":"/spec/cronSpec"}]`},
		{verb: "apply", resource: "crontabs", name: "applied", data: valid},
		{verb: "apply", resource: "crontabs", name: "applied", data: `"spec":{"cronSpec":"0 5 * * *","image":"image:v1","replicas":2}`},
		{verb: "apply", resource: "crontabs", name: "applied", data: `"spec":{"cronSpec":"0 5 * * *","image":"image:v1"}`},
		{verb: "apply", resource: "crontabs", name: "applied", data: `"spec":{"cronSpec":"daily","image":"image:v1"}`},

		{verb: "merge", resource: "crontabs", name: "given", subresource: "status", data: `{"status":{"replicas":3}}`},
		{verb: "merge", resource: "crontabs", name: "given", subresource: "status", data: `{"status":{"conditions":[{"type":"Ready","status":"Maybe","reason":"Tested","message":"","lastTransitionTime":"2026-01-02T03:04:05Z"}]}}`},
		{verb: "merge", resource: "crontabs", name: "given", subresource: "status", data: `{"status":{"conditions":[{"type":"Ready"}]}}`},
		{verb: "merge", resource: "crontabs", name: "given", subresource: "status", data: `{"status":{"conditions":[
			{"type":"Ready","status":"True","reason":"Tested","message":"","lastTransitionTime":"2026-01-02T03:04:05Z"},
			{"type":"Ready","status":"False","reason":"Tested","message":"","lastTransitionTime":"2026-01-02T03:04:05Z"}]}}`},
		{verb: "apply", resource: "crontabs", name: "given", subresource: "status", data: `"status":{"conditions":[{"status":"True","reason":"Tested"}]}`},
		{verb: "apply", resource: "crontabs", name: "given", subresource: "status", data: `"status":{"conditions":[{"type":"Ready","status":"True","reason":"Tested","message":"","lastTransitionTime":"2026-01-02T03:04:05Z"}]}`},
		{verb: "apply", resource: "crontabs", name: "given", subresource: "status", data: `"status":{"conditions":[{"type":"Ready"},{}]}`},

		{verb: "create", resource: "crontabclasses", name: "enum", data: `"spec":{"concurrencyPolicy":"Sometimes","defaultImage":"image:v1"}`},
		{verb: "create", resource: "crontabclasses", name: "valid", data: `"spec":{"defaultImage":"image:v1"}`},
		{verb: "merge", resource: "crontabclasses", name: "valid", data: `{"spec":{"concurrencyPolicy":"Sometimes"}}`},

		{verb: "create", resource: "cronruns", name: "run", data: `"spec":{"cronTabName":"given","image":"image:v1","replicas":1,"scheduledTime":"2026-01-02T03:04:05Z"}`},
		{verb: "merge", resource: "cronruns", name: "run", data: `{"spec":{"image":"image:v2"}}`},
		{verb: "merge", resource: "cronruns", name: "run", data: `{"metadata":{"labels":{"tier":"gold"}}}`},
		{verb: "merge", resource: "cronruns", name: "run", subresource: "status", data: `{"status":{"phase":"Asleep"}}`},
		{verb: "merge", resource: "cronruns", name: "run", subresource: "status", data: `{"status":{"phase":"Running"}}`},
	} {
		want := rq.send(t, server)
		t.Logf("%s %s %s %s\n%s", rq.verb, rq.resource, rq.name, rq.data, want)
		for name, fake := range fakes {
			if got := rq.send(t, fake); got != want {
				t.Errorf("%s %s %s %s\nserver: %s\n%s: %s", rq.verb, rq.resource, rq.name, rq.data, want, name, got)
			}
		}
	}
}
