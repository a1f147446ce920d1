package e2e

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// combinationBehaviours are about requests of which one part is right and another is wrong, or is not what they are
// for.
var combinationBehaviours = []behaviour{
	{"update of the status with a malformed spec", []string{"message", "details", "generation"}, func(w *world) {
		d := w.via("dynamic")
		a := d.create(w.new("a"))
		d.updateStatus(a.with("spec", "x").with("status.replicas", 2))
		a = d.updateStatus(d.get("a").with("spec.image", 7).with("status.replicas", 3))
		d.updateStatus(d.get("a").without("spec").with("status.replicas", 4))
		d.merge("a", `{"spec":{"image":7,"replicas":1e2},"status":{"replicas":5}}`, "status")
		d.get("a")
		w.note("%s", a.title())
	}},
	{"update of the object with a malformed status", []string{"message", "details", "generation"}, func(w *world) {
		d := w.via("dynamic")
		a := d.create(w.new("a"))
		d.update(a.with("status", "x").with("spec.image", "image:v2"))
		d.update(d.get("a").with("status.replicas", "x").with("spec.image", "image:v3"))
		d.merge("a", `{"spec":{"image":"image:v4"},"status":{"replicas":1e2}}`)
		d.get("a")
	}},
	{"update of the status with malformed metadata", []string{"message", "details", "finalizers"}, func(w *world) {
		a := w.create(w.new("a"))
		w.updateStatus(a.with("metadata.labels", `{"a b":"c"}`).with("status.replicas", 2))
		w.updateStatus(w.get("a").with("metadata.finalizers", `["not ok"]`).with("status.replicas", 3))
		w.updateStatus(w.get("a").with("metadata.ownerReferences", `[{"name":"x"}]`).with("metadata.generateName", "X").with("status.replicas", 4))
		w.get("a")
	}},
	{"an update that removes the last finalizer can be Invalid", []string{"message", "details", "finalizers", "deletionTimestamp"}, func(w *world) {
		d := w.via("dynamic")
		d.create(w.new("a").with("metadata.finalizers", `["example.com/a"]`))
		d.delete("a")
		d.update(d.get("a").without("metadata.finalizers").with("spec.image", 7))
		d.update(d.get("a").without("metadata.finalizers").with("metadata.labels", `{"a b":"c"}`))
		d.update(d.get("a").without("metadata.finalizers").with("metadata.resourceVersion", "1"))
		d.get("a")
		d.update(d.get("a").without("metadata.finalizers"))
		d.get("a")
	}},
	{"dry run of an update that removes the last finalizer", []string{"message", "details", "finalizers", "deletionTimestamp"}, func(w *world) {
		w.create(w.new("a").with("metadata.finalizers", `["example.com/a"]`))
		w.delete("a")
		w.update(w.get("a").without("metadata.finalizers"), metav1.UpdateOptions{DryRun: []string{"All"}})
		w.patch("a", types.MergePatchType, `{"metadata":{"finalizers":null}}`, metav1.PatchOptions{DryRun: []string{"All"}})
		w.get("a")
	}},
	{"delete of a marked object with preconditions", []string{"message", "details", "finalizers"}, func(w *world) {
		w.create(w.new("a").with("metadata.finalizers", `["example.com/a"]`))
		w.delete("a")
		a := w.get("a")
		w.delete("a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: new(types.UID("x"))}})
		w.delete("a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: new(types.UID(a.string("metadata.uid"))), ResourceVersion: new("1")}})
		w.delete("a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: new(types.UID(a.string("metadata.uid"))), ResourceVersion: new(a.version())}})
		w.get("a")
	}},
	{"policies of objects with several finalizers", []string{"finalizers", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "message", "details"}, func(w *world) {
		for i, finalizers := range []string{`["orphan"]`, `["foregroundDeletion"]`, `["example.com/a","orphan"]`, `["example.com/a","foregroundDeletion"]`} {
			for j, policy := range []metav1.DeletionPropagation{metav1.DeletePropagationOrphan, metav1.DeletePropagationForeground, metav1.DeletePropagationBackground} {
				name := string(rune('a'+i)) + string(rune('a'+j))
				w.create(w.new(name).with("metadata.finalizers", finalizers))
				w.delete(name, propagation(policy))
				w.get(name)
				w.delete(name)
				w.get(name)
			}
		}
	}},
	{"an apply of a marked object", []string{"message", "details", "finalizers", "deletionTimestamp", "managedFields"}, func(w *world) {
		w.create(w.new("a").with("metadata.finalizers", `["example.com/a"]`))
		w.delete("a")
		w.apply("m", w.new("a").with("metadata.finalizers", `["example.com/b"]`))
		w.apply("m", w.new("a").with("metadata.labels", `{"tier":"gold"}`))
		w.apply("m", w.intent("a").with("status.replicas", 2), "status")
		w.get("a")
	}},
	{"apply of empty lists and objects", []string{"message", "details", "managedFields", "generation"}, func(w *world) {
		d := w.via("dynamic")
		d.create(w.new("a"), metav1.CreateOptions{FieldManager: "author"})
		d.apply("m", w.intent("a").with("spec", `{}`))
		d.apply("m", w.intent("a").with("status", `{}`), "status")
		d.apply("m", w.intent("a").with("status.conditions", `[]`), "status")
		d.apply("m", w.intent("a").with("metadata.annotations", `{}`).with("metadata.ownerReferences", `[]`))
		d.apply("m", w.intent("a"))
		d.get("a")
	}},
	{"events of objects with odd numbers", []string{"resourceVersion"}, func(w *world) {
		d := w.via("dynamic")
		e := w.watch(metav1.ListOptions{ResourceVersion: w.list().version()})
		a := d.create(w.new("a").with("spec.historyLimit", json.Number("1e2")))
		d.update(a.with("spec.historyLimit", float64(7)))
		d.merge("a", `{"spec":{"historyLimit":7.0}}`)
		d.delete("a")
		e.take(4)
	}},
	{"the scale of an object with odd numbers", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		d.create(w.new("a").with("spec.replicas", float64(3)))
		d.scale("a")
		d.updateScale("a", d.scale("a").with("spec.replicas", float64(4)))
		d.updateScale("a", d.scale("a").with("spec.replicas", json.Number("5.0")))
		d.updateScale("a", d.scale("a").with("spec.replicas", json.Number("6e0")))
		d.updateScale("a", d.scale("a").with("spec.replicas", int64(1)<<31))
		d.get("a")
	}},
	{"a dry run with a generated name", []string{"message", "details", "generateName"}, func(w *world) {
		dry := []string{metav1.DryRunAll}
		w.create(w.new("").with("metadata.generateName", "g-").with("metadata.labels", `{"a b":"c"}`), metav1.CreateOptions{DryRun: dry})
		w.create(w.new("").with("metadata.generateName", "g-").with("metadata.resourceVersion", "1"), metav1.CreateOptions{DryRun: dry})
		w.create(w.new("").with("metadata.generateName", "g-").with("metadata.resourceVersion", "1"))
		w.list()
	}},
	{"dry runs of what is wrong", []string{"message", "details"}, func(w *world) {
		dry := []string{metav1.DryRunAll}
		a := w.create(w.new("a"))
		w.update(a.with("metadata.uid", "x"), metav1.UpdateOptions{DryRun: dry})
		w.update(a.with("metadata.resourceVersion", "1"), metav1.UpdateOptions{DryRun: dry})
		w.update(a.with("metadata.labels", `{"a b":"c"}`), metav1.UpdateOptions{DryRun: dry})
		w.update(w.new("b"), metav1.UpdateOptions{DryRun: dry})
		w.patch("a", types.MergePatchType, `{"metadata":{"resourceVersion":"1"}}`, metav1.PatchOptions{DryRun: dry})
		w.patch("a", types.JSONPatchType, `[{"op":"test","path":"/kind","value":"x"}]`, metav1.PatchOptions{DryRun: dry})
		w.applyWith(metav1.ApplyOptions{FieldManager: "m", DryRun: dry}, w.intent("a").with("spec.image", "image:v2"))
		w.applyWith(metav1.ApplyOptions{FieldManager: "m", DryRun: dry}, w.new("A"))
		w.updateScale("a", w.scale("a").with("spec.replicas", -1), metav1.UpdateOptions{DryRun: dry})
		w.list()
	}},
	{"a second controller is refused by every verb", []string{"message", "details", "ownerReferences"}, func(w *world) {
		owner := func(name, uid string) string {
			return `{"apiVersion":"v1","kind":"Owner","name":"` + name + `","uid":"` + uid + `","controller":true}`
		}
		a := w.create(w.new("a").with("metadata.ownerReferences", "["+owner("o", "1")+"]"))
		w.update(a.with("metadata.ownerReferences", "["+owner("o", "1")+","+owner("p", "2")+"]"))
		w.json("a", `[{"op":"add","path":"/metadata/ownerReferences/-","value":`+owner("p", "2")+`}]`)
		w.apply("m", w.intent("a").with("metadata.ownerReferences", "["+owner("p", "2")+"]"))
		w.json("a", `[{"op":"add","path":"/metadata/ownerReferences/-","value":`+owner("o", "1")+`}]`)
		w.get("a")
	}},
	{"selectors of labels and fields that are odd", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		d.create(w.new("a").with("metadata.labels", `{"a":"","b":"1"}`))
		d.create(w.new("b").with("metadata.labels", `{"b":"01"}`))
		d.create(w.new("c").with("metadata.labels", `{"b":"-1"}`))
		for _, selector := range []string{"a=", "a", "!a", "a!=", "a in ()", "a in (,)", "b>0", "b<1", "b>-2", "b=01", "b notin (1,01)", "b,!a", "a!=x"} {
			d.list(metav1.ListOptions{LabelSelector: selector})
		}
		for _, selector := range []string{"metadata.name!=a,metadata.name!=b", "metadata.name=", "metadata.name!=", "metadata.name=a,metadata.name!=a"} {
			d.list(metav1.ListOptions{FieldSelector: selector})
			d.deleteCollection(metav1.ListOptions{FieldSelector: selector}, metav1.DeleteOptions{DryRun: []string{"All"}})
		}
		d.deleteCollection(metav1.ListOptions{LabelSelector: "a=", FieldSelector: "metadata.name!=b"})
		d.list()
	}},
	{"objects that were read of another kind of client", []string{"types", "message", "details"}, func(w *world) {
		w.via("dynamic").create(w.new("a").with("status.replicas", 2))
		a := w.via("metadata").get("a")
		w.via("dynamic").update(a)
		w.via("dynamic").update(a.with("kind", w.kind.Kind).with("apiVersion", w.kind.GroupVersion().String()))
		w.via("dynamic").get("a")
		list := w.via("dynamic").list()
		w.via("dynamic").create(list)
	}},
}
