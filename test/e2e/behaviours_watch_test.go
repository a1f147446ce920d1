package e2e

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var watchBehaviours = []behaviour{
	{"watch from a version has all that came after", []string{"resourceVersion", "uid", "generation"}, func(w *world) {
		a := w.create(w.new("a"))
		w.create(w.new("b"))
		w.merge("a", `{"spec":{"image":"image:v2"}}`)
		w.delete("b")
		e := w.watch(metav1.ListOptions{ResourceVersion: a.version()})
		w.create(w.new("last"))
		e.until("last")
	}},
	{"watch from the version of a list misses nothing", []string{"resourceVersion"}, func(w *world) {
		w.create(w.new("a"))
		list := w.list()
		w.create(w.new("b"))
		e := w.watch(metav1.ListOptions{ResourceVersion: list.version()})
		w.merge("a", `{"spec":{"image":"image:v2"}}`)
		e.take(2)
	}},
	{"watch without a version starts with what is there", nil, func(w *world) {
		w.create(w.new("a"))
		w.create(w.new("b"))
		w.list()
		e := w.watch().take(2)
		w.create(w.new("last"))
		e.until("last")
	}},
	{"watch from version 0 starts with what is there", nil, func(w *world) {
		w.create(w.new("a"))
		w.create(w.new("b"))
		w.list()
		e := w.watch(metav1.ListOptions{ResourceVersion: "0"}).take(2)
		w.create(w.new("last"))
		e.until("last")
	}},
	{"initial events end with a bookmark", []string{"resourceVersion", "annotations", "types"}, func(w *world) {
		w.create(w.new("a"))
		w.create(w.new("b"))
		e := w.watch(metav1.ListOptions{
			SendInitialEvents: new(true), AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
		}).untilBookmark()
		w.create(w.new("last"))
		e.until("last")
	}},
	{"initial events of nothing are a bookmark", []string{"types"}, func(w *world) {
		w.watch(metav1.ListOptions{
			SendInitialEvents: new(true), AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
		}).untilBookmark()
	}},
	{"initial events not older than a version", []string{"resourceVersion"}, func(w *world) {
		a := w.create(w.new("a"))
		w.create(w.new("b"))
		w.list()
		for _, version := range []string{a.version(), "0"} {
			w.watch(metav1.ListOptions{
				SendInitialEvents: new(true), AllowWatchBookmarks: true, ResourceVersion: version, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
			}).untilBookmark()
		}
	}},
	{"initial events with a selector", nil, func(w *world) {
		createLabelled(w)
		w.watch(metav1.ListOptions{
			SendInitialEvents: new(true), AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, LabelSelector: "tier",
		}).untilBookmark()
	}},
	{"watch without initial events starts with what comes", nil, func(w *world) {
		a := w.create(w.new("a"))
		e := w.watch(metav1.ListOptions{
			SendInitialEvents: new(false), AllowWatchBookmarks: true, ResourceVersion: a.version(), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
		})
		w.create(w.new("last"))
		e.until("last")
	}},
	{"watch with forbidden options is Invalid", []string{"message", "details"}, func(w *world) {
		w.watch(metav1.ListOptions{SendInitialEvents: new(true)})
		w.watch(metav1.ListOptions{SendInitialEvents: new(true), ResourceVersionMatch: metav1.ResourceVersionMatchExact})
		w.watch(metav1.ListOptions{SendInitialEvents: new(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})
		w.watch(metav1.ListOptions{ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, ResourceVersion: "1"})
		w.watch(metav1.ListOptions{ResourceVersionMatch: metav1.ResourceVersionMatchExact})
		w.watch(metav1.ListOptions{ResourceVersion: "soon"})
	}},
	{"a watch sees its namespace, or all", nil, func(w *world) {
		version := w.in("").list().version()
		e, all := w.watch(metav1.ListOptions{ResourceVersion: version}), w.in("").watch(metav1.ListOptions{ResourceVersion: version})
		w.in("west").create(w.new("a"))
		w.create(w.new("last"))
		e.until("last")
		all.until("last")
	}},
	{"watch with a label selector: objects enter and leave", []string{"resourceVersion"}, func(w *world) {
		e := w.watch(metav1.ListOptions{ResourceVersion: w.list().version(), LabelSelector: "tier=gold"})
		a := w.create(w.new("a"))
		a = w.update(a.with("metadata.labels", `{"tier":"gold"}`))
		a = w.update(a.with("spec.image", "image:v2"))
		a = w.update(a.with("metadata.labels", `{"tier":"silver"}`).with("spec.image", "image:v3"))
		w.update(a.with("metadata.labels", `{"tier":"gold"}`))
		w.delete("a")
		w.create(w.new("last").with("metadata.labels", `{"tier":"gold"}`))
		e.until("last")
	}},
	{"watch with metadata.name", nil, func(w *world) {
		e := w.watch(metav1.ListOptions{ResourceVersion: w.list().version(), FieldSelector: "metadata.name=last"})
		w.create(w.new("a"))
		w.create(w.new("last"))
		e.until("last")
	}},
	{"watch with metadata.namespace", nil, func(w *world) {
		e := w.in("").watch(metav1.ListOptions{ResourceVersion: w.in("").list().version(), FieldSelector: "metadata.namespace!=west"})
		w.in("west").create(w.new("a"))
		w.create(w.new("last"))
		e.until("last")
	}},
	{"watch with a selectable field: objects enter and leave", []string{"message", "details"}, func(w *world) {
		e := w.watch(metav1.ListOptions{ResourceVersion: w.list().version(), FieldSelector: "spec.image=image:v2"})
		w.create(w.new("a"))
		w.merge("a", `{"spec":{"image":"image:v2"}}`)
		w.merge("a", `{"spec":{"replicas":2}}`)
		w.merge("a", `{"spec":{"image":"image:v3"}}`)
		w.create(w.new("last").with("spec.image", "image:v2"))
		e.until("last")
	}},
	{"watch with an unknown field is BadRequest", []string{"message", "details"}, func(w *world) {
		w.watch(metav1.ListOptions{FieldSelector: "spec.cronSpec=x"})
	}},
	{"the event of a deletion has the last state and a version of its own", []string{"resourceVersion", "generation"}, func(w *world) {
		a := w.create(w.new("a"))
		b := w.merge("a", `{"spec":{"image":"image:v2"}}`)
		e := w.watch(metav1.ListOptions{ResourceVersion: b.version()})
		w.delete("a")
		_, deleted, _ := e.next()
		w.note("%t", deleted.version() != a.version() && deleted.version() != b.version())
	}},
	{"a watch can go on from the version of any event", []string{"resourceVersion"}, func(w *world) {
		e := w.watch(metav1.ListOptions{ResourceVersion: w.list().version()})
		w.create(w.new("a"))
		w.delete("a")
		w.create(w.new("last"))
		_, added, _ := e.next()
		_, deleted, _ := e.next()
		w.watch(metav1.ListOptions{ResourceVersion: added.version()}).until("last")
		w.watch(metav1.ListOptions{ResourceVersion: deleted.version()}).until("last")
	}},
	{"several watches see the same in the same order", nil, func(w *world) {
		version := w.list().version()
		e, f := w.watch(metav1.ListOptions{ResourceVersion: version}), w.watch(metav1.ListOptions{ResourceVersion: version})
		createLabelled(w)
		w.deleteCollection(metav1.ListOptions{LabelSelector: "tier=gold"})
		e.take(4)
		f.take(4)
	}},
	{"a failed request sends no event", nil, func(w *world) {
		a := w.create(w.new("a"))
		e := w.watch(metav1.ListOptions{ResourceVersion: a.version()})
		w.create(w.new("a"))
		w.update(a.with("metadata.resourceVersion", "1").with("spec.image", "image:v2"))
		w.merge("a", `{"metadata":{"labels":{"a b":"c"}}}`)
		w.delete("b")
		w.create(w.new("last"))
		e.until("last")
	}},
	{"a dry run sends no event", nil, func(w *world) {
		a := w.create(w.new("a"))
		e := w.watch(metav1.ListOptions{ResourceVersion: a.version()})
		w.create(w.new("b"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		w.update(a.with("spec.image", "image:v2"), metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		w.delete("a", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}})
		w.create(w.new("last"))
		e.until("last")
	}},
	{"a watch ends after its timeout", nil, func(w *world) {
		a := w.create(w.new("a"))
		w.watch(metav1.ListOptions{ResourceVersion: a.version(), TimeoutSeconds: new(int64(1))}).end()
	}},
	{"a watch ends when it is stopped", nil, func(w *world) {
		a := w.create(w.new("a"))
		w.watch(metav1.ListOptions{ResourceVersion: a.version()}).stop()
	}},
	{"watch from an expired version is an event with Expired", []string{"message", "details"}, func(w *world) {
		a := w.create(w.new("a"))
		w.merge("a", `{"spec":{"image":"image:v2"}}`)
		w.expire(a.version())
		w.watch(metav1.ListOptions{ResourceVersion: a.version()}).end()
	}},
	{"watches end when the definition of their kind changes", nil, func(w *world) {
		a := w.create(w.new("a"))
		e := w.watch(metav1.ListOptions{ResourceVersion: a.version()})
		w.create(w.new("b"))
		e.take(1)
		w.expire(a.version())
		e.end()
	}},
}
