package e2e

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var applyBehaviours = []behaviour{
	{"apply creates what is not there", []string{"uid", "generation", "resourceVersion", "managedFields"}, func(w *world) {
		w.apply("m", w.new("a").with("metadata.labels", `{"tier":"gold"}`))
		w.get("a")
	}},
	{"apply merges with what others have set", []string{"generation", "managedFields"}, func(w *world) {
		w.create(w.new("a").with("metadata.labels", `{"zone":"x"}`), metav1.CreateOptions{FieldManager: "author"})
		w.apply("m", w.intent("a").with("metadata.labels", `{"tier":"gold"}`).with("spec.className", "c"))
		w.get("a")
	}},
	{"apply of the same keeps the version", []string{"resourceVersion", "generation", "managedFields"}, func(w *world) {
		w.apply("m", w.new("a"))
		w.apply("m", w.new("a"))
		w.get("a")
	}},
	{"apply of another manager's field is Conflict", []string{"message", "details"}, func(w *world) {
		w.apply("first", w.new("a"))
		w.apply("second", w.intent("a").with("spec.image", "image:v2"))
		w.apply("second", w.intent("a").with("spec.image", "image:v2").with("spec.replicas", 2))
		w.get("a")
	}},
	{"apply of a field that an update has set is Conflict", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"), metav1.CreateOptions{FieldManager: "author"})
		w.apply("m", w.intent("a").with("spec.image", "image:v2"))
		w.get("a")
	}},
	{"apply of several managers' fields names them all", []string{"message", "details"}, func(w *world) {
		w.apply("first", w.new("a"))
		w.apply("second", w.intent("a").with("metadata.labels", `{"tier":"gold"}`))
		w.apply("third", w.intent("a").with("metadata.labels", `{"tier":"silver"}`).with("spec.image", "image:v2"))
	}},
	{"apply of the same value shares the field", []string{"managedFields", "resourceVersion"}, func(w *world) {
		w.apply("first", w.new("a"))
		w.apply("second", w.intent("a").with("spec.image", "image:v1"))
		w.apply("first", w.new("a").with("spec.image", "image:v2"))
		w.get("a")
	}},
	{"apply with force takes the field", []string{"managedFields", "resourceVersion", "generation"}, func(w *world) {
		w.apply("first", w.new("a"))
		w.force("second", w.intent("a").with("spec.image", "image:v2"))
		w.apply("first", w.new("a").without("spec.image").with("spec.className", "c"))
		w.get("a")
	}},
	{"apply removes what it no longer has", []string{"managedFields", "generation"}, func(w *world) {
		w.apply("m", w.new("a").with("metadata.labels", `{"tier":"gold","zone":"x"}`).with("spec.className", "c").with("spec.suspend", true))
		w.apply("m", w.new("a").with("metadata.labels", `{"zone":"x"}`).with("spec.className", "c"))
		w.apply("m", w.new("a"))
		w.get("a")
	}},
	{"apply leaves what another manager also has", []string{"managedFields"}, func(w *world) {
		w.apply("first", w.new("a").with("spec.className", "c"))
		w.apply("second", w.intent("a").with("spec.className", "c"))
		w.apply("first", w.new("a"))
		w.apply("second", w.intent("a"))
		w.get("a")
	}},
	{"update of an applied field takes it", []string{"managedFields"}, func(w *world) {
		a := w.apply("m", w.new("a"))
		w.update(a.with("spec.image", "image:v2"), metav1.UpdateOptions{FieldManager: "editor"})
		w.apply("m", w.new("a"))
		w.apply("m", w.new("a").with("spec.image", "image:v2"))
	}},
	{"apply merges finalizers as a set", []string{"finalizers", "managedFields"}, func(w *world) {
		w.apply("first", w.new("a").with("metadata.finalizers", `["example.com/a"]`))
		w.apply("second", w.intent("a").with("metadata.finalizers", `["example.com/b"]`))
		w.apply("first", w.new("a"))
		w.get("a")
	}},
	{"apply merges ownerReferences by their uid", []string{"ownerReferences", "managedFields"}, func(w *world) {
		w.apply("first", w.new("a").with("metadata.ownerReferences", `[{"apiVersion":"v1","kind":"Owner","name":"o","uid":"1"}]`))
		w.apply("second", w.intent("a").with("metadata.ownerReferences", `[{"apiVersion":"v1","kind":"Owner","name":"p","uid":"2"}]`))
		w.apply("first", w.new("a"))
		w.get("a")
	}},
	{"apply of empty labels is of none", []string{"managedFields", "resourceVersion"}, func(w *world) {
		w.apply("m", w.new("a").with("metadata.labels", `{}`).with("metadata.finalizers", `[]`))
		w.apply("m", w.new("a"))
		w.get("a")
	}},
	{"apply without a manager is refused", []string{"message", "details"}, func(w *world) {
		w.apply("", w.new("a"))
		w.patch("a", types.ApplyYAMLPatchType, compact(w.new("a")), metav1.PatchOptions{})
		w.list()
	}},
	{"apply of managedFields is BadRequest", []string{"message", "details"}, func(w *world) {
		intent := w.new("a").with("metadata.managedFields", `[{"manager":"m","operation":"Apply","apiVersion":"`+w.kind.GroupVersion().String()+`","fieldsType":"FieldsV1","fieldsV1":{}}]`)
		w.patch("a", types.ApplyYAMLPatchType, compact(intent), metav1.PatchOptions{FieldManager: "m"})
		w.list()
	}},
	{"apply of a stale version is Conflict", []string{"message", "details"}, func(w *world) {
		a := w.apply("m", w.new("a"))
		w.apply("m", w.new("a").with("spec.image", "image:v2"))
		w.apply("m", w.new("a").with("spec.image", "image:v3").with("metadata.resourceVersion", a.version()))
		w.get("a")
	}},
	{"apply of another uid is Conflict", []string{"message", "details"}, func(w *world) {
		w.apply("m", w.new("a").with("metadata.uid", "00000000-0000-0000-0000-000000000000"))
		w.apply("m", w.new("a"))
		w.apply("m", w.new("a").with("metadata.uid", "00000000-0000-0000-0000-000000000000"))
		w.get("a")
	}},
	{"apply of another name, namespace or kind is BadRequest", []string{"message", "details"}, func(w *world) {
		pt, opts := types.ApplyYAMLPatchType, metav1.PatchOptions{FieldManager: "m"}
		w.patch("a", pt, compact(w.new("b")), opts)
		w.patch("a", pt, compact(w.new("a").with("metadata.namespace", "west")), opts)
		w.patch("a", pt, compact(w.new("a").with("kind", "Other")), opts)
		w.patch("a", pt, compact(w.new("a").with("apiVersion", "example.com/v9")), opts)
		w.patch("a", pt, compact(w.new("a").without("kind")), opts)
		w.patch("a", pt, compact(w.new("")), opts)
		w.list()
	}},
	{"apply takes YAML", []string{"managedFields"}, func(w *world) {
		w.patch("a", types.ApplyYAMLPatchType, "apiVersion: "+w.kind.GroupVersion().String()+"\nkind: "+w.kind.Kind+
			"\nmetadata:\n  name: a\n  labels: {tier: gold}\nspec:\n  cronSpec: 0 3 * * *\n  image: image:v1\n  replicas: 1\n  historyLimit: 3\n", metav1.PatchOptions{FieldManager: "m"})
		w.get("a")
	}},
	{"apply with malformed metadata is Invalid", []string{"message", "details"}, func(w *world) {
		w.apply("m", w.new("a").with("metadata.labels", `{"a b":"c"}`))
		w.apply("m", w.new("A"))
		w.list()
	}},
	{"apply of the status of what is not there is NotFound", []string{"message", "details"}, func(w *world) {
		w.apply("m", w.intent("a").with("status.replicas", 3), "status")
		w.list()
	}},
	{"apply of the status and of the object have entries of their own", []string{"managedFields"}, func(w *world) {
		w.apply("m", w.new("a"))
		w.apply("m", w.intent("a").with("status.replicas", 3), "status")
		w.apply("m", w.intent("a"), "status")
		w.get("a")
	}},
	{"apply that changes nothing but the order of managedFields is a change", []string{"managedFields", "resourceVersion"}, func(w *world) {
		w.apply("author", w.new("a"))
		w.apply("controller", w.intent("a").with("status.replicas", 4), "status")
		time.Sleep(time.Second) // by which managers are sorted
		w.apply("author", w.new("a").with("status.replicas", 5))
		w.get("a")
	}},
	{"dry run of apply stores nothing", []string{"resourceVersion", "message", "details", "uid"}, func(w *world) {
		dry := metav1.ApplyOptions{FieldManager: "m", DryRun: []string{metav1.DryRunAll}}
		w.applyWith(dry, w.new("a"))
		w.get("a")
		w.apply("m", w.new("a"))
		w.applyWith(dry, w.new("a").with("spec.image", "image:v2"))
		w.get("a")
	}},
	{"an event for an apply that creates is ADDED, else MODIFIED", nil, func(w *world) {
		e := w.watch(metav1.ListOptions{ResourceVersion: w.list().version()})
		w.apply("m", w.new("a"))
		w.apply("m", w.new("a"))
		w.apply("m", w.new("a").with("spec.image", "image:v2"))
		e.take(2)
	}},
}
