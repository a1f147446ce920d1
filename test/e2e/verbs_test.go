package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/pager"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	apply "github.com/kubegen/kubegen/examples/crontab-types/generated/applyconfiguration/stable/v1"
	clients "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/typed/stable/v1"
)

// prefersCBOR is what client-go's own variables say: whether clients send and ask for CBOR rather than JSON.
var prefersCBOR = os.Getenv("KUBE_FEATURE_ClientsAllowCBOR") == "true" && os.Getenv("KUBE_FEATURE_ClientsPreferCBOR") == "true"

// mediaType returns what bodies are in, and the responses to watches.
func mediaType() (bodies, watches, applies string) {
	if prefersCBOR {
		return "application/cbor", "application/cbor-seq", string(types.ApplyCBORPatchType)
	}
	return "application/json", "application/json", string(types.ApplyYAMLPatchType)
}

// verbs is what the test of a verb is given.
type verbs struct {
	context.Context
	namespace string
	crontabs  clients.CronTabInterface // in the namespace
	classes   clients.CronTabClassInterface
	requests  *recorder // of both
}

// Every method of the generated clients, against the server.
func TestVerbs(t *testing.T) {
	every[clients.CronTabInterface](t, map[string]func(*testing.T, verbs){
		"Create": testCreate, "Get": testGet, "List": testList, "Update": testUpdate, "UpdateStatus": testUpdateStatus,
		"GetScale": testGetScale, "UpdateScale": testUpdateScale,
		"Patch": testPatch, "Apply": testApply,
		"ApplyStatus": testApplyStatus, "Delete": testDelete, "DeleteCollection": testDeleteCollection, "Watch": testWatch,
	})
	every[clients.CronTabClassInterface](t, map[string]func(*testing.T, verbs){
		"Create,Update,Delete,DeleteCollection,Get,List,Watch,Patch,Apply": testClass,
	})
}

// every runs tests, each under the names of the methods of a client's interface that it is about, and fails if a method
// has none.
func every[Client any](t *testing.T, tests map[string]func(*testing.T, verbs)) {
	client := reflect.TypeFor[Client]()
	var methods, tested []string
	for i := range client.NumMethod() {
		methods = append(methods, client.Method(i).Name)
	}
	for names, test := range tests {
		tested = append(tested, strings.Split(names, ",")...)
		t.Run(client.Name()+"/"+names, func(t *testing.T) {
			t.Parallel()
			clientset, requests := connect(t, shared)
			ns := namespace(t)
			test(t, verbs{limit(t), ns, clientset.StableV1().CronTabs(ns), clientset.StableV1().CronTabClasses(), requests})
		})
	}
	slices.Sort(methods)
	slices.Sort(tested)
	expect(t, "methods of "+client.Name()+" that are tested", tested, methods)
}

// sent checks the request that was sent last: what for, how its body was encoded, and how the response to it was.
func (c verbs) sent(t *testing.T, verb, name string) request {
	t.Helper()
	last := c.requests.last()
	bodies, watches, applies := mediaType()
	path := "/apis/stable.example.com/v1/namespaces/" + c.namespace + "/crontabs"
	if name != "" {
		path += "/" + name
	}
	if last.verb() != verb || last.path != path {
		t.Errorf("sent %s %s (%s), want %s %s", last.method, last.path, last.verb(), verb, path)
	}
	body := bodies
	if last.header.Get("Content-Type") == applies {
		body = applies
	}
	if got := last.header.Get("Content-Type"); len(last.body) > 0 && verb != "patch" && got != body {
		t.Errorf("%s %s was sent as %s, want %s", verb, name, got, body)
	}
	want := bodies
	if verb == "watch" {
		want = watches
	}
	if got, _, _ := strings.Cut(last.responseHeader.Get("Content-Type"), ";"); got != want {
		t.Errorf("%s %s was answered as %s, want %s", verb, name, got, want)
	}
	return last
}

// newCronTab returns a valid CronTab.
func newCronTab(name string) *v1.CronTab {
	return &v1.CronTab{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1.CronTabSpec{CronSpec: "0 3 * * *", Image: "image:v1"},
	}
}

// create creates a CronTab and returns it as stored.
func create(ctx context.Context, t *testing.T, crontabs clients.CronTabInterface, c *v1.CronTab) *v1.CronTab {
	t.Helper()
	created, err := crontabs.Create(ctx, c, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return created
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func expect[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func expectError(t *testing.T, what string, err error, is func(error) bool) {
	t.Helper()
	if !is(err) {
		t.Errorf("%s: got error %v, which is not of the kind expected", what, err)
	}
}

func testCreate(t *testing.T, c verbs) {
	dry, err := c.crontabs.Create(c, newCronTab("nightly"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	must(t, err)
	expect(t, "dryRun", c.sent(t, "create", "").query.Get("dryRun"), "All")
	expect(t, "default of the schema", *dry.Spec.Replicas, int32(1))
	_, err = c.crontabs.Get(c, "nightly", metav1.GetOptions{})
	expectError(t, "get after a dry run", err, apierrors.IsNotFound)

	nightly, err := c.crontabs.Create(c, newCronTab("nightly"), metav1.CreateOptions{FieldManager: "e2e"})
	must(t, err)
	c.sent(t, "create", "")
	if nightly.UID == "" || nightly.ResourceVersion == "" || nightly.Generation != 1 || nightly.CreationTimestamp.IsZero() {
		t.Errorf("the server has not completed the metadata: %+v", nightly.ObjectMeta)
	}
	expect(t, "field manager", nightly.ManagedFields[0].Manager, "e2e")

	_, err = c.crontabs.Create(c, newCronTab("nightly"), metav1.CreateOptions{})
	expectError(t, "the same name again", err, apierrors.IsAlreadyExists)

	wrong := newCronTab("wrong")
	wrong.Spec.CronSpec = "every night"
	_, err = c.crontabs.Create(c, wrong, metav1.CreateOptions{})
	expectError(t, "a cronSpec against the schema", err, apierrors.IsInvalid)
	wrong = newCronTab("wrong")
	wrong.Spec.Image = ""
	_, err = c.crontabs.Create(c, wrong, metav1.CreateOptions{})
	expectError(t, "neither image nor class", err, apierrors.IsInvalid)

	generated := newCronTab("")
	generated.GenerateName = "hourly-"
	generated, err = c.crontabs.Create(c, generated, metav1.CreateOptions{})
	must(t, err)
	if !strings.HasPrefix(generated.Name, "hourly-") || generated.Name == "hourly-" {
		t.Errorf("got name %q, want one made from hourly-", generated.Name)
	}
}

func testGet(t *testing.T, c verbs) {
	created := create(c, t, c.crontabs, newCronTab("nightly"))
	got, err := c.crontabs.Get(c, "nightly", metav1.GetOptions{})
	must(t, err)
	c.sent(t, "get", "nightly")
	expect(t, "the object", got, created)

	got, err = c.crontabs.Get(c, "nightly", metav1.GetOptions{ResourceVersion: "0"})
	must(t, err)
	expect(t, "resourceVersion", c.sent(t, "get", "nightly").query.Get("resourceVersion"), "0")
	expect(t, "the object out of the watch cache", got.UID, created.UID)

	_, err = c.crontabs.Get(c, "hourly", metav1.GetOptions{})
	expectError(t, "get of what is not there", err, apierrors.IsNotFound)
}

func testList(t *testing.T, c verbs) {
	const total = 23
	for i := range total {
		crontab := newCronTab(fmt.Sprintf("crontab-%02d", i))
		if i%2 == 0 {
			crontab.Labels = map[string]string{"tier": "gold"}
		}
		create(c, t, c.crontabs, crontab)
	}

	c.requests.forget()
	var names []string
	pages := pager.New(func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
		return c.crontabs.List(ctx, opts)
	})
	pages.PageSize = 10
	must(t, pages.EachListItem(c, metav1.ListOptions{}, func(obj runtime.Object) error {
		names = append(names, obj.(*v1.CronTab).Name)
		return nil
	}))
	expect(t, "names of all pages", len(slices.Compact(names)), total)
	expect(t, "order", slices.IsSorted(names), true)
	sent := c.requests.all()
	if len(sent) != 3 {
		t.Fatalf("got %d requests for three pages: %q", len(sent), describe(sent))
	}
	for i, r := range sent {
		expect(t, "limit", r.query.Get("limit"), "10")
		expect(t, "there is a continue token", r.query.Get("continue") != "", i > 0)
	}

	first, err := c.crontabs.List(c, metav1.ListOptions{Limit: 10})
	must(t, err)
	c.sent(t, "list", "")
	expect(t, "remaining", *first.RemainingItemCount, int64(total-10))

	gold, err := c.crontabs.List(c, metav1.ListOptions{LabelSelector: "tier=gold"})
	must(t, err)
	expect(t, "with the label", len(gold.Items), 12)
	expect(t, "all of them", gold.Continue, "")
	one, err := c.crontabs.List(c, metav1.ListOptions{FieldSelector: "metadata.name=crontab-07"})
	must(t, err)
	expect(t, "with the name", len(one.Items), 1)

	exact, err := c.crontabs.List(c, metav1.ListOptions{ResourceVersion: first.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	must(t, err)
	expect(t, "resource version", exact.ResourceVersion, first.ResourceVersion)
}

func testUpdate(t *testing.T, c verbs) {
	created := create(c, t, c.crontabs, newCronTab("nightly"))
	changed := created.DeepCopy()
	changed.Spec.Image = "image:v2"
	changed.Status.Replicas = 7 // which is for the status subresource alone
	updated, err := c.crontabs.Update(c, changed, metav1.UpdateOptions{})
	must(t, err)
	c.sent(t, "update", "nightly")
	expect(t, "image", updated.Spec.Image, "image:v2")
	expect(t, "replicas in the status", updated.Status.Replicas, int32(0))
	expect(t, "generation", updated.Generation, int64(2))

	stale := created.DeepCopy()
	stale.Spec.Image = "image:v3"
	_, err = c.crontabs.Update(c, stale, metav1.UpdateOptions{})
	expectError(t, "update of an old resource version", err, apierrors.IsConflict)

	stale.ResourceVersion = ""
	_, err = c.crontabs.Update(c, stale, metav1.UpdateOptions{})
	expectError(t, "update without a resource version", err, apierrors.IsInvalid)

	stored, err := c.crontabs.Get(c, "nightly", metav1.GetOptions{})
	must(t, err)
	expect(t, "image after failed updates", stored.Spec.Image, "image:v2")
}

func testUpdateStatus(t *testing.T, c verbs) {
	created := create(c, t, c.crontabs, newCronTab("nightly"))
	changed := created.DeepCopy()
	changed.Spec.Image = "image:v2" // which is not for the status subresource
	changed.Status.Replicas = 3
	changed.Status.Conditions = []metav1.Condition{{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Tested", LastTransitionTime: created.CreationTimestamp,
	}}
	updated, err := c.crontabs.UpdateStatus(c, changed, metav1.UpdateOptions{})
	must(t, err)
	c.sent(t, "update", "nightly/status")
	expect(t, "status", updated.Status, changed.Status)
	expect(t, "image", updated.Spec.Image, "image:v1")
	expect(t, "generation", updated.Generation, int64(1))

	_, err = c.crontabs.UpdateStatus(c, changed, metav1.UpdateOptions{})
	expectError(t, "update of an old resource version", err, apierrors.IsConflict)
}

func testGetScale(t *testing.T, c verbs) {
	created := create(c, t, c.crontabs, newCronTab("nightly"))
	created.Status = v1.CronTabStatus{Replicas: 4, LabelSelector: "app=nightly"}
	_, err := c.crontabs.UpdateStatus(c, created, metav1.UpdateOptions{})
	must(t, err)

	scale, err := c.crontabs.GetScale(c, "nightly", metav1.GetOptions{})
	must(t, err)
	c.sent(t, "get", "nightly/scale")
	expect(t, "replicas wanted", scale.Spec.Replicas, int32(1))
	expect(t, "replicas seen", scale.Status.Replicas, int32(4))
	expect(t, "selector", scale.Status.Selector, "app=nightly")
	expect(t, "UID", scale.UID, created.UID)

	_, err = c.crontabs.GetScale(c, "hourly", metav1.GetOptions{})
	expectError(t, "scale of what is not there", err, apierrors.IsNotFound)
}

func testUpdateScale(t *testing.T, c verbs) {
	create(c, t, c.crontabs, newCronTab("nightly"))
	scale, err := c.crontabs.GetScale(c, "nightly", metav1.GetOptions{})
	must(t, err)
	old := scale.DeepCopy()
	scale.Spec.Replicas = 5
	updated, err := c.crontabs.UpdateScale(c, "nightly", scale, metav1.UpdateOptions{})
	must(t, err)
	c.sent(t, "update", "nightly/scale")
	expect(t, "replicas of the scale", updated.Spec.Replicas, int32(5))
	stored, err := c.crontabs.Get(c, "nightly", metav1.GetOptions{})
	must(t, err)
	expect(t, "replicas of the CronTab", *stored.Spec.Replicas, int32(5))

	_, err = c.crontabs.UpdateScale(c, "nightly", old, metav1.UpdateOptions{})
	expectError(t, "update of an old resource version", err, apierrors.IsConflict)
	updated.Spec.Replicas = -1
	_, err = c.crontabs.UpdateScale(c, "nightly", updated, metav1.UpdateOptions{})
	expectError(t, "negative replicas", err, apierrors.IsInvalid)
}

func testPatch(t *testing.T, c verbs) {
	create(c, t, c.crontabs, newCronTab("nightly"))
	patch := func(pt types.PatchType, data string, subresources ...string) (*v1.CronTab, error) {
		patched, err := c.crontabs.Patch(c, "nightly", pt, []byte(data), metav1.PatchOptions{}, subresources...)
		expect(t, "content type", c.requests.last().header.Get("Content-Type"), string(pt))
		return patched, err
	}

	patched, err := patch(types.MergePatchType, `{"metadata":{"labels":{"tier":"gold"}},"spec":{"image":"image:v2"}}`)
	must(t, err)
	c.sent(t, "patch", "nightly")
	expect(t, "label", patched.Labels["tier"], "gold")
	expect(t, "image", patched.Spec.Image, "image:v2")
	patched, err = patch(types.MergePatchType, `{"metadata":{"labels":{"tier":null}}}`)
	must(t, err)
	expect(t, "labels after removal", len(patched.Labels), 0)

	patched, err = patch(types.JSONPatchType, `[{"op":"test","path":"/spec/image","value":"image:v2"},{"op":"replace","path":"/spec/replicas","value":2}]`)
	must(t, err)
	expect(t, "replicas", *patched.Spec.Replicas, int32(2))
	_, err = patch(types.JSONPatchType, `[{"op":"test","path":"/spec/image","value":"image:v1"},{"op":"replace","path":"/spec/replicas","value":3}]`)
	expectError(t, "JSON patch whose test fails", err, apierrors.IsInvalid)

	patched, err = patch(types.MergePatchType, `{"spec":{"image":"image:v3"},"status":{"replicas":2}}`, "status")
	must(t, err)
	c.sent(t, "patch", "nightly/status")
	expect(t, "replicas seen", patched.Status.Replicas, int32(2))
	expect(t, "image after a patch of the status", patched.Spec.Image, "image:v2")

	_, err = patch(types.StrategicMergePatchType, `{"spec":{"image":"image:v4"}}`)
	expectError(t, "strategic merge patch of a custom resource", err, apierrors.IsUnsupportedMediaType)
	_, err = patch(types.MergePatchType, `{"metadata":{"resourceVersion":"1"},"spec":{"image":"image:v4"}}`)
	expectError(t, "patch of an old resource version", err, apierrors.IsConflict)
}

func testApply(t *testing.T, c verbs) {
	_, _, applies := mediaType()
	intent := func(image string) *apply.CronTabApplyConfiguration {
		return apply.CronTab("nightly", c.namespace).WithSpec(apply.CronTabSpec().WithCronSpec("0 3 * * *").WithImage(image))
	}
	applied, err := c.crontabs.Apply(c, intent("image:v1"), metav1.ApplyOptions{FieldManager: "first"})
	must(t, err)
	expect(t, "content type", c.sent(t, "patch", "nightly").header.Get("Content-Type"), applies)
	expect(t, "field manager", c.requests.last().query.Get("fieldManager"), "first")
	expect(t, "image", applied.Spec.Image, "image:v1")
	version := applied.ResourceVersion

	applied, err = c.crontabs.Apply(c, intent("image:v1"), metav1.ApplyOptions{FieldManager: "first"})
	must(t, err)
	expect(t, "resource version after applying the same", applied.ResourceVersion, version)

	_, err = c.crontabs.Apply(c, intent("image:v2"), metav1.ApplyOptions{FieldManager: "second"})
	expectError(t, "another manager's field", err, apierrors.IsConflict)
	applied, err = c.crontabs.Apply(c, intent("image:v2"), metav1.ApplyOptions{FieldManager: "second", Force: true})
	must(t, err)
	expect(t, "force", c.requests.last().query.Get("force"), "true")
	expect(t, "image", applied.Spec.Image, "image:v2")

	// What a manager has applied is told from the object, and what it no longer applies goes.
	scaled := intent("image:v2")
	scaled.Spec.WithReplicas(3)
	applied, err = c.crontabs.Apply(c, scaled, metav1.ApplyOptions{FieldManager: "second"})
	must(t, err)
	expect(t, "replicas", *applied.Spec.Replicas, int32(3))
	extracted, err := apply.ExtractCronTab(applied, "second")
	must(t, err)
	if got, want := asJSON(t, extracted), asJSON(t, scaled); got != want {
		t.Errorf("extracted %s\nwant what was applied: %s", got, want)
	}
	extracted.Spec.Replicas = nil
	applied, err = c.crontabs.Apply(c, extracted, metav1.ApplyOptions{FieldManager: "second"})
	must(t, err)
	expect(t, "replicas no longer applied, so the default", *applied.Spec.Replicas, int32(1))
}

func testApplyStatus(t *testing.T, c verbs) {
	create(c, t, c.crontabs, newCronTab("nightly"))
	intent := func(replicas int32) *apply.CronTabApplyConfiguration {
		return apply.CronTab("nightly", c.namespace).
			WithSpec(apply.CronTabSpec().WithImage("image:v2")). // which is not for the status subresource
			WithStatus(apply.CronTabStatus().WithReplicas(replicas))
	}
	applied, err := c.crontabs.ApplyStatus(c, intent(2), metav1.ApplyOptions{FieldManager: "controller"})
	must(t, err)
	c.sent(t, "patch", "nightly/status")
	expect(t, "replicas", applied.Status.Replicas, int32(2))
	expect(t, "image", applied.Spec.Image, "image:v1")

	_, err = c.crontabs.ApplyStatus(c, intent(3), metav1.ApplyOptions{FieldManager: "other"})
	expectError(t, "another manager's field", err, apierrors.IsConflict)
	applied, err = c.crontabs.ApplyStatus(c, intent(3), metav1.ApplyOptions{FieldManager: "other", Force: true})
	must(t, err)
	expect(t, "replicas", applied.Status.Replicas, int32(3))
	extracted, err := apply.ExtractCronTabStatus(applied, "other")
	must(t, err)
	expect(t, "replicas extracted", *extracted.Status.Replicas, int32(3))
	extracted, err = apply.ExtractCronTabStatus(applied, "controller")
	must(t, err)
	if extracted.Status != nil && extracted.Status.Replicas != nil {
		t.Error("the manager that was overruled still has the field")
	}
}

func testDelete(t *testing.T, c verbs) {
	created := create(c, t, c.crontabs, newCronTab("nightly"))
	other := types.UID("00000000-0000-0000-0000-000000000000")
	err := c.crontabs.Delete(c, "nightly", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &other}})
	expectError(t, "delete of another UID", err, apierrors.IsConflict)
	old := "1"
	err = c.crontabs.Delete(c, "nightly", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &old}})
	expectError(t, "delete of an old resource version", err, apierrors.IsConflict)
	must(t, c.crontabs.Delete(c, "nightly", metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &created.UID, ResourceVersion: &created.ResourceVersion},
	}))
	c.sent(t, "delete", "nightly")
	_, err = c.crontabs.Get(c, "nightly", metav1.GetOptions{})
	expectError(t, "get after delete", err, apierrors.IsNotFound)
	err = c.crontabs.Delete(c, "nightly", metav1.DeleteOptions{})
	expectError(t, "delete again", err, apierrors.IsNotFound)

	// Nobody collects garbage here, so the finalizer that a policy stands for stays.
	for policy, finalizer := range map[metav1.DeletionPropagation]string{
		metav1.DeletePropagationForeground: metav1.FinalizerDeleteDependents,
		metav1.DeletePropagationOrphan:     metav1.FinalizerOrphanDependents,
	} {
		name := strings.ToLower(string(policy))
		create(c, t, c.crontabs, newCronTab(name))
		must(t, c.crontabs.Delete(c, name, metav1.DeleteOptions{PropagationPolicy: &policy}))
		deleted, err := c.crontabs.Get(c, name, metav1.GetOptions{})
		must(t, err)
		expect(t, "finalizers", deleted.Finalizers, []string{finalizer})
		expect(t, "marked as deleted", deleted.DeletionTimestamp != nil, true)
	}
	create(c, t, c.crontabs, newCronTab("background"))
	background := metav1.DeletePropagationBackground
	must(t, c.crontabs.Delete(c, "background", metav1.DeleteOptions{PropagationPolicy: &background}))
	_, err = c.crontabs.Get(c, "background", metav1.GetOptions{})
	expectError(t, "get after delete in the background", err, apierrors.IsNotFound)
}

func testDeleteCollection(t *testing.T, c verbs) {
	for i := range 6 {
		crontab := newCronTab(fmt.Sprintf("crontab-%d", i))
		crontab.Labels = map[string]string{"tier": []string{"gold", "silver"}[i%2]}
		create(c, t, c.crontabs, crontab)
	}
	left := func() []string {
		list, err := c.crontabs.List(c, metav1.ListOptions{})
		must(t, err)
		var names []string
		for _, item := range list.Items {
			names = append(names, item.Name)
		}
		return names
	}
	must(t, c.crontabs.DeleteCollection(c, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "tier=gold"}))
	expect(t, "labelSelector", c.sent(t, "deletecollection", "").query.Get("labelSelector"), "tier=gold")
	expect(t, "left", left(), []string{"crontab-1", "crontab-3", "crontab-5"})
	must(t, c.crontabs.DeleteCollection(c, metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "metadata.name=crontab-3"}))
	expect(t, "left", left(), []string{"crontab-1", "crontab-5"})
	must(t, c.crontabs.DeleteCollection(c, metav1.DeleteOptions{}, metav1.ListOptions{}))
	expect(t, "left", len(left()), 0)
}

func testWatch(t *testing.T, c verbs) {
	before := create(c, t, c.crontabs, newCronTab("before"))
	all, err := c.crontabs.Watch(c, metav1.ListOptions{ResourceVersion: before.ResourceVersion})
	must(t, err)
	defer all.Stop()
	c.sent(t, "watch", "")
	gold, err := c.crontabs.Watch(c, metav1.ListOptions{ResourceVersion: before.ResourceVersion, LabelSelector: "tier=gold"})
	must(t, err)
	defer gold.Stop()

	next := func(w watch.Interface, want watch.EventType) *v1.CronTab {
		t.Helper()
		event := receive(c, t, w.ResultChan())
		crontab, ok := event.Object.(*v1.CronTab)
		if event.Type != want || !ok {
			t.Fatalf("got %s of %v, want %s of a CronTab", event.Type, event.Object, want)
		}
		return crontab
	}
	created := create(c, t, c.crontabs, newCronTab("nightly"))
	expect(t, "what was added", next(all, watch.Added), created)

	created.Labels = map[string]string{"tier": "gold"}
	changed, err := c.crontabs.Update(c, created, metav1.UpdateOptions{})
	must(t, err)
	expect(t, "what was modified", next(all, watch.Modified), changed)
	expect(t, "what got the label", next(gold, watch.Added), changed)

	changed.Labels = nil
	changed, err = c.crontabs.Update(c, changed, metav1.UpdateOptions{})
	must(t, err)
	next(all, watch.Modified)
	expect(t, "what lost the label", next(gold, watch.Deleted).ResourceVersion, changed.ResourceVersion)

	must(t, c.crontabs.Delete(c, "nightly", metav1.DeleteOptions{}))
	expect(t, "what was deleted", next(all, watch.Deleted).Name, "nightly")

	// Resumed from a resource version, a watch starts with what came after.
	resumed, err := c.crontabs.Watch(c, metav1.ListOptions{ResourceVersion: created.ResourceVersion})
	must(t, err)
	defer resumed.Stop()
	next(resumed, watch.Modified)
	next(resumed, watch.Modified)
	next(resumed, watch.Deleted)
}

// testClass is the test of all methods of a cluster-scoped kind without a status, which differ from the others in the
// path alone.
func testClass(t *testing.T, c verbs) {
	const name = "gold"
	label := map[string]string{"test": name}
	const path = "/apis/stable.example.com/v1/crontabclasses"
	at := func(verb, path string) {
		t.Helper()
		if last := c.requests.last(); last.verb() != verb || last.path != path {
			t.Errorf("sent %s %s, want %s %s", last.verb(), last.path, verb, path)
		}
	}
	created, err := c.classes.Create(c, &v1.CronTabClass{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: label}, Spec: v1.CronTabClassSpec{DefaultImage: "image:v1"},
	}, metav1.CreateOptions{})
	must(t, err)
	at("create", path)
	expect(t, "default of the schema", created.Spec.ConcurrencyPolicy, v1.AllowConcurrent)
	events, err := c.classes.Watch(c, metav1.ListOptions{ResourceVersion: created.ResourceVersion, LabelSelector: "test=" + name})
	must(t, err)
	defer events.Stop()
	at("watch", path)

	got, err := c.classes.Get(c, name, metav1.GetOptions{})
	must(t, err)
	at("get", path+"/"+name)
	expect(t, "the object", got, created)
	got.Spec.DefaultImage = "image:v2"
	updated, err := c.classes.Update(c, got, metav1.UpdateOptions{})
	must(t, err)
	at("update", path+"/"+name)
	_, err = c.classes.Update(c, created, metav1.UpdateOptions{})
	expectError(t, "update of an old resource version", err, apierrors.IsConflict)
	expect(t, "watched", receive(c, t, events.ResultChan()).Object, runtime.Object(updated))
	patched, err := c.classes.Patch(c, name, types.MergePatchType, []byte(`{"spec":{"concurrencyPolicy":"Forbid"}}`), metav1.PatchOptions{})
	must(t, err)
	expect(t, "policy", patched.Spec.ConcurrencyPolicy, v1.ForbidConcurrent)
	applied, err := c.classes.Apply(c, apply.CronTabClass(name).WithSpec(apply.CronTabClassSpec().WithDefaultImage("image:v3")),
		metav1.ApplyOptions{FieldManager: "first", Force: true})
	must(t, err)
	at("patch", path+"/"+name)
	expect(t, "image", applied.Spec.DefaultImage, "image:v3")

	list, err := c.classes.List(c, metav1.ListOptions{LabelSelector: "test=" + name})
	must(t, err)
	at("list", path)
	expect(t, "how many are listed", len(list.Items), 1)
	expect(t, "what is listed", list.Items[0].ObjectMeta, applied.ObjectMeta)
	must(t, c.classes.Delete(c, name, metav1.DeleteOptions{}))
	at("delete", path+"/"+name)
	must(t, c.classes.DeleteCollection(c, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "test=" + name}))
	at("deletecollection", path)
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	must(t, err)
	return string(text)
}
