package e2e

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var updateBehaviours = []behaviour{
	{"update changes the object and its resourceVersion", []string{"resourceVersion", "uid"}, func(w *world) {
		a := w.create(w.new("a"))
		w.update(a.with("spec.image", "image:v2").with("metadata.labels", `{"tier":"gold"}`))
		w.get("a")
	}},
	{"update of what is not there is NotFound", []string{"message", "details"}, func(w *world) {
		a := w.create(w.new("a"))
		w.delete("a")
		w.update(a.with("spec.image", "image:v2"))
		w.update(w.new("b"))
		w.list()
	}},
	{"update of a stale version is Conflict", []string{"message", "details"}, func(w *world) {
		a := w.create(w.new("a"))
		w.update(a.with("spec.image", "image:v2"))
		w.update(a.with("spec.image", "image:v3"))
		w.updateStatus(a.with("status.replicas", 3))
		w.get("a")
	}},
	{"update without a resourceVersion is Invalid", []string{"message", "details"}, func(w *world) {
		a := w.create(w.new("a"))
		w.update(a.without("metadata.resourceVersion").with("spec.image", "image:v2"))
		w.update(a.with("metadata.resourceVersion", "0").with("spec.image", "image:v2"))
		w.updateStatus(a.without("metadata.resourceVersion").with("status.replicas", 3))
		w.get("a")
	}},
	{"update of a malformed version is Invalid", []string{"message", "details"}, func(w *world) {
		a := w.create(w.new("a"))
		w.update(a.with("metadata.resourceVersion", "soon"))
		w.update(a.with("metadata.resourceVersion", "999999999999").with("spec.image", "image:v2"))
		w.get("a")
	}},
	{"update of another uid is Conflict", []string{"message", "details"}, func(w *world) {
		a := w.create(w.new("a"))
		w.update(a.with("metadata.uid", "other").with("spec.image", "image:v2"))
		w.update(a.without("metadata.uid").with("spec.image", "image:v3"))
		w.get("a")
	}},
	{"update cannot change creationTimestamp, deletionTimestamp and generation", []string{"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "message", "details"}, func(w *world) {
		a := w.create(w.new("a"))
		w.update(a.with("metadata.creationTimestamp", "2001-02-03T04:05:06Z"))
		w.note("%t", w.get("a").string("metadata.creationTimestamp") == "2001-02-03T04:05:06Z")
		a = w.get("a")
		w.update(a.with("metadata.deletionTimestamp", "2001-02-03T04:05:06Z").with("spec.image", "image:v2"))
		a = w.get("a")
		w.update(a.with("metadata.deletionGracePeriodSeconds", 30).with("spec.image", "image:v3"))
		a = w.get("a")
		w.update(a.with("metadata.generation", 70))
		a = w.get("a")
		w.update(a.without("metadata.creationTimestamp").without("metadata.generation").with("spec.image", "image:v4"))
		w.get("a")
	}},
	{"update can change generateName", []string{"generateName"}, func(w *world) {
		a := w.create(w.new("a"))
		w.update(a.with("metadata.generateName", "a-"))
		w.get("a")
	}},
	{"update with malformed metadata is Invalid", []string{"message", "details"}, func(w *world) {
		a := w.create(w.new("a"))
		w.update(a.with("metadata.labels", `{"a b":"c"}`))
		w.update(a.with("metadata.annotations", `{"a b":"c"}`))
		w.update(a.with("metadata.finalizers", `["not ok"]`))
		w.update(a.with("metadata.ownerReferences", `[{"apiVersion":"v1","kind":"Owner","name":"","uid":"1"}]`))
		w.get("a")
	}},
	{"update in another namespace is BadRequest", []string{"message", "details"}, func(w *world) {
		a := w.create(w.new("a"))
		w.update(a.with("metadata.namespace", "west"))
		w.in("west").update(a)
		w.in("west").update(a.without("metadata.namespace"))
		w.get("a")
	}},
	{"update that changes nothing keeps the version", []string{"resourceVersion", "managedFields", "generation"}, func(w *world) {
		a := w.create(w.new("a"))
		w.update(a)
		w.updateStatus(a)
		w.update(a, metav1.UpdateOptions{FieldManager: "other"})
		w.get("a")
	}},
	{"update that changes nothing sends no event", nil, func(w *world) {
		a := w.create(w.new("a"))
		e := w.watch(metav1.ListOptions{ResourceVersion: a.version()})
		w.update(a)
		w.updateStatus(a)
		w.merge("a", `{}`)
		w.create(w.new("last"))
		e.until("last")
	}},
	{"update ignores the status", []string{"generation", "managedFields"}, func(w *world) {
		a := w.create(w.new("a"))
		a = w.updateStatus(a.with("status.replicas", 1))
		a = w.update(a.with("status.replicas", 7).with("spec.image", "image:v2"))
		w.update(a.without("status"))
		w.get("a")
	}},
	{"update of the status alone through the main resource changes nothing", []string{"resourceVersion", "generation"}, func(w *world) {
		a := w.create(w.new("a"))
		w.update(a.with("status.replicas", 7))
		w.get("a")
	}},
	{"generation counts changes of the spec alone", []string{"generation"}, func(w *world) {
		a := w.create(w.new("a"))
		a = w.update(a.with("metadata.labels", `{"tier":"gold"}`))
		a = w.update(a.with("metadata.annotations", `{"note":"x"}`))
		a = w.update(a.with("metadata.finalizers", `["example.com/a"]`))
		a = w.updateStatus(a.with("status.replicas", 1))
		a = w.update(a.with("spec.image", "image:v2"))
		w.update(a.with("spec.replicas", 2).with("metadata.finalizers", `[]`))
		w.merge("a", `{"spec":{"replicas":3}}`)
		w.merge("a", `{"spec":{"replicas":3}}`)
	}},
	{"generation counts fields outside of metadata, spec and status", []string{"generation"}, func(w *world) {
		w.create(w.new("a"))
		w.via("dynamic").merge("a", `{"kind":null}`)
		w.via("dynamic").merge("a", `{"extra":{"field":1}}`)
		w.get("a")
	}},
	{"update records its manager", []string{"managedFields"}, func(w *world) {
		a := w.create(w.new("a"), metav1.CreateOptions{FieldManager: "author"})
		a = w.update(a.with("spec.image", "image:v2").with("metadata.labels", `{"tier":"gold"}`), metav1.UpdateOptions{FieldManager: "editor"})
		a = w.update(a.with("spec.image", "image:v3"), metav1.UpdateOptions{FieldManager: "author"})
		w.update(a.without("metadata.labels").with("spec.suspend", true), metav1.UpdateOptions{FieldManager: "third"})
		w.get("a")
	}},
	{"update can reset managedFields", []string{"managedFields"}, func(w *world) {
		a := w.create(w.new("a"), metav1.CreateOptions{FieldManager: "author"})
		a = w.update(a.with("metadata.managedFields", `[{}]`), metav1.UpdateOptions{FieldManager: "editor"})
		w.update(a.with("spec.image", "image:v2"), metav1.UpdateOptions{FieldManager: "editor"})
	}},
	{"update without managedFields keeps them", []string{"managedFields"}, func(w *world) {
		a := w.create(w.new("a"), metav1.CreateOptions{FieldManager: "author"})
		w.update(a.without("metadata.managedFields").with("spec.image", "image:v2"), metav1.UpdateOptions{FieldManager: "editor"})
	}},
	{"dry run of update stores nothing", []string{"resourceVersion", "generation", "message", "details"}, func(w *world) {
		dry := metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}}
		a := w.create(w.new("a"))
		w.update(a.with("spec.image", "image:v2"), dry)
		w.updateStatus(a.with("status.replicas", 2), dry)
		w.get("a")
		w.update(a.with("spec.image", "image:v2"))
		w.update(a.with("spec.image", "image:v3"), dry)
		w.get("a")
	}},
	{"update of another kind is Invalid", []string{"message", "details"}, func(w *world) {
		a := w.via("dynamic").create(w.new("a"))
		w.via("dynamic").update(a.with("kind", "Other").with("spec.image", "image:v2"))
		w.get("a")
	}},
}
