package e2e

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var scaleBehaviours = []behaviour{
	{"get of the scale reads the paths of the kind", []string{"types", "uid", "resourceVersion", "creationTimestamp", "generation"}, func(w *world) {
		a := w.create(w.new("a").with("spec.replicas", 2).with("metadata.labels", `{"tier":"gold"}`))
		w.scale("a")
		w.updateStatus(a.with("status.replicas", 1).with("status.labelSelector", "app=a"))
		w.scale("a")
	}},
	{"get of the scale of what is not there is NotFound", []string{"message", "details"}, func(w *world) {
		w.scale("a")
	}},
	{"update of the scale sets the replicas", []string{"types", "uid", "resourceVersion", "generation", "managedFields"}, func(w *world) {
		w.create(w.new("a"))
		s := w.scale("a")
		w.updateScale("a", s.with("spec.replicas", 5), metav1.UpdateOptions{FieldManager: "scaler"})
		w.get("a")
	}},
	{"update of the scale ignores its status", nil, func(w *world) {
		w.create(w.new("a"))
		w.updateScale("a", w.scale("a").with("spec.replicas", 5).with("status.replicas", 4).with("status.selector", "app=a"))
		w.get("a")
	}},
	{"update of the scale of a stale version is Conflict", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		s := w.scale("a")
		w.merge("a", `{"spec":{"image":"image:v2"}}`)
		w.updateScale("a", s.with("spec.replicas", 5))
		w.get("a")
	}},
	{"update of the scale without a version is unconditional", []string{"generation"}, func(w *world) {
		w.create(w.new("a"))
		w.updateScale("a", w.scale("a").without("metadata.resourceVersion").with("spec.replicas", 5))
		w.get("a")
	}},
	{"update of the scale without replicas is for none", nil, func(w *world) {
		w.create(w.new("a"))
		w.updateScale("a", w.scale("a").without("spec"))
		w.get("a")
	}},
	{"update of the scale with negative replicas is Invalid", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.updateScale("a", w.scale("a").with("spec.replicas", -1))
		w.get("a")
	}},
	{"update of the scale of another object is BadRequest", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.create(w.new("b"))
		w.via("typed").updateScale("b", w.scale("a").with("spec.replicas", 5))
		w.get("b")
	}},
	{"update of the scale of what is not there is NotFound", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		s := w.scale("a")
		w.delete("a")
		w.updateScale("a", s.with("spec.replicas", 5))
	}},
	{"update of the scale to the same keeps the version", []string{"resourceVersion", "generation"}, func(w *world) {
		w.create(w.new("a"))
		w.updateScale("a", w.scale("a"))
		w.get("a")
	}},
	{"patch of the scale sets the replicas", []string{"types", "generation", "managedFields"}, func(w *world) {
		d := w.via("dynamic")
		d.create(w.new("a"))
		d.merge("a", `{"spec":{"replicas":5}}`, "scale")
		d.json("a", `[{"op":"replace","path":"/spec/replicas","value":6}]`, "scale")
		d.get("a")
	}},
	{"apply of the scale sets the replicas", []string{"types", "generation", "managedFields"}, func(w *world) {
		d := w.via("dynamic")
		d.create(w.new("a"), metav1.CreateOptions{FieldManager: "author"})
		s := object{"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": map[string]any{"name": "a"}, "spec": map[string]any{"replicas": int64(5)}}
		d.apply("scaler", s, "scale")
		d.force("scaler", s, "scale")
		d.apply("other", s.with("spec.replicas", 6), "scale")
		d.get("a")
	}},
	{"dry run of a scale stores nothing", []string{"resourceVersion"}, func(w *world) {
		w.create(w.new("a"))
		w.updateScale("a", w.scale("a").with("spec.replicas", 5), metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		w.get("a")
	}},
	{"the scale of an object without replicas", []string{"message", "details"}, func(w *world) {
		// CronTab has a default for them.
		w.create(w.new("a").without("spec.replicas"))
		w.scale("a")
	}},
}
