package e2e

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var statusBehaviours = []behaviour{
	{"update of the status changes the status alone", []string{"generation", "resourceVersion", "managedFields", "finalizers"}, func(w *world) {
		a := w.create(w.new("a"))
		w.updateStatus(a.with("status.replicas", 3).with("status.labelSelector", "app=a").with("spec.image", "image:v2").with("metadata.labels", `{"tier":"gold"}`).
			with("metadata.annotations", `{"note":"x"}`).with("metadata.finalizers", `["example.com/a"]`), metav1.UpdateOptions{FieldManager: "controller"})
		w.get("a")
	}},
	{"update of the status of what is not there is NotFound", []string{"message", "details"}, func(w *world) {
		w.updateStatus(w.new("a").with("status.replicas", 3))
		a := w.create(w.new("a"))
		w.delete("a")
		w.updateStatus(a.with("status.replicas", 3))
		w.list()
	}},
	{"update of the status can take the status away", nil, func(w *world) {
		a := w.create(w.new("a"))
		a = w.updateStatus(a.with("status.replicas", 3))
		w.updateStatus(a.without("status"))
		w.get("a")
	}},
	{"patch of the status changes the status alone", []string{"generation"}, func(w *world) {
		w.create(w.new("a"))
		w.merge("a", `{"metadata":{"labels":{"tier":"gold"}},"spec":{"image":"image:v2"},"status":{"replicas":3}}`, "status")
		w.json("a", `[{"op":"add","path":"/status/labelSelector","value":"app=a"},{"op":"replace","path":"/spec/image","value":"image:v3"}]`, "status")
		w.get("a")
	}},
	{"patch of the main resource leaves the status alone", []string{"generation"}, func(w *world) {
		w.create(w.new("a"))
		w.merge("a", `{"status":{"replicas":3}}`, "status")
		w.merge("a", `{"spec":{"image":"image:v2"},"status":{"replicas":4}}`)
		w.merge("a", `{"status":null}`)
		w.get("a")
	}},
	{"apply of the status changes the status alone", []string{"generation", "managedFields"}, func(w *world) {
		w.create(w.new("a"))
		w.apply("controller", w.intent("a").with("status.replicas", 3).with("spec.image", "image:v2").with("metadata.labels", `{"tier":"gold"}`), "status")
		w.get("a")
	}},
	{"apply of the main resource leaves the status alone", []string{"generation", "managedFields"}, func(w *world) {
		w.apply("author", w.new("a").with("status.replicas", 3))
		w.get("a")
		w.apply("controller", w.intent("a").with("status.replicas", 4), "status")
		w.apply("author", w.new("a").with("status.replicas", 5))
		w.get("a")
	}},
	{"conditions of several managers merge by their type", []string{"managedFields"}, func(w *world) {
		condition := func(kind, status string) string {
			return `[{"type":"` + kind + `","status":"` + status + `","reason":"Tested","message":"","lastTransitionTime":"2026-01-02T03:04:05Z"}]`
		}
		w.create(w.new("a"))
		w.apply("first", w.intent("a").with("status.conditions", condition("Ready", "True")), "status")
		w.apply("second", w.intent("a").with("status.conditions", condition("Synced", "False")), "status")
		w.apply("second", w.intent("a").with("status.conditions", condition("Ready", "False")), "status")
		w.apply("first", w.intent("a").with("status.conditions", condition("Ready", "False")), "status")
		w.apply("first", w.intent("a"), "status")
		w.get("a")
	}},
	{"an event for a change of the status is MODIFIED", []string{"resourceVersion"}, func(w *world) {
		a := w.create(w.new("a"))
		e := w.watch(metav1.ListOptions{ResourceVersion: a.version()})
		w.updateStatus(a.with("status.replicas", 3))
		e.take(1)
	}},
	{"an unknown subresource is NotFound", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.merge("a", `{"spec":{"image":"image:v2"}}`, "nonsense")
		w.via("dynamic").apply("m", w.intent("a"), "nonsense")
		result, err := w.via("dynamic").client().get(w, "a", metav1.GetOptions{}, "nonsense")
		w.see("get nonsense of a", result, err)
		result, err = w.via("dynamic").client().update(w, w.new("a"), metav1.UpdateOptions{}, "nonsense")
		w.see("update nonsense of a", result, err)
		w.get("a")
	}},
	{"a verb that a subresource does not have is MethodNotSupported", []string{"message", "details"}, func(w *world) {
		a := w.create(w.new("a"))
		resources := w.via("dynamic").client().(dynamicClient).resources
		_, err := resources.Create(w, a.unstructured(), metav1.CreateOptions{}, "status")
		w.see("create status of a", nil, err)
		w.see("delete status of a", nil, resources.Delete(w, "a", metav1.DeleteOptions{}, "status"))
		w.get("a")
	}},
	{"get of the status returns the object", []string{"types", "resourceVersion"}, func(w *world) {
		w.create(w.new("a"))
		result, err := w.via("dynamic").client().get(w, "a", metav1.GetOptions{}, "status")
		w.see("get status of a", result, err)
	}},
}
