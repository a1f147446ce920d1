package e2e

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var readBehaviours = []behaviour{
	{"get of what is not there is NotFound", []string{"message", "details"}, func(w *world) {
		w.get("a")
		w.create(w.new("a"))
		w.get("a")
		w.in("west").get("a")
	}},
	{"get not older than a version", []string{"resourceVersion"}, func(w *world) {
		w.create(w.new("a"))
		a := w.merge("a", `{"spec":{"image":"image:v2"}}`)
		w.get("a", metav1.GetOptions{ResourceVersion: a.version()})
	}},
	{"get of a malformed version fails", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.get("a", metav1.GetOptions{ResourceVersion: "soon"})
	}},
	{"a request whose context is cancelled fails", nil, func(w *world) {
		w.create(w.new("a"))
		ctx, cancel := context.WithCancel(w)
		cancel()
		_, err := w.client().get(ctx, "a", metav1.GetOptions{}, "")
		w.note("%t", errors.Is(err, context.Canceled))
	}},
	{"a watch ends with its context", nil, func(w *world) {
		a := w.create(w.new("a"))
		ctx, cancel := context.WithCancel(w)
		watcher, err := w.client().watch(ctx, metav1.ListOptions{ResourceVersion: a.version()})
		w.see("watch", nil, err)
		if err == nil {
			context.AfterFunc(w, watcher.Stop) // for the fakes that know no contexts
		}
		cancel()
		(&eventStream{world: w, watcher: watcher}).ended()
	}},
	{"results are copies", nil, func(w *world) {
		// The clients of this suite spoil what they pass on and what they get.
		e := w.watch(metav1.ListOptions{ResourceVersion: w.list().version()})
		w.create(w.new("a").with("metadata.labels", `{"tier":"gold"}`).with("metadata.annotations", `{"note":"x"}`))
		w.list()
		w.get("a")
		w.merge("a", `{"spec":{"replicas":2}}`)
		w.get("a")
		e.take(2)
		w.get("a")
		w.list()
	}},
	{"objects of typed clients have no TypeMeta, others do", []string{"types"}, func(w *world) {
		e := w.watch(metav1.ListOptions{ResourceVersion: w.list().version()})
		w.create(w.new("a"))
		w.get("a")
		w.update(w.get("a").with("spec.image", "image:v2"))
		w.merge("a", `{"spec":{"image":"image:v3"}}`)
		w.force("m", w.intent("a").with("spec.image", "image:v4"))
		w.list()
		e.take(4)
	}},
	{"a typed client sees what a dynamic client writes", []string{"resourceVersion"}, func(w *world) {
		w.via("dynamic").create(w.new("a"))
		w.via("typed").get("a")
		w.via("typed").merge("a", `{"spec":{"image":"image:v2"}}`)
		w.via("dynamic").get("a")
		w.via("metadata").get("a")
	}},
	{"the metadata client reads metadata", []string{"types", "resourceVersion", "generation"}, func(w *world) {
		w.create(w.new("a").with("metadata.labels", `{"tier":"gold"}`))
		m := w.via("metadata")
		m.get("a")
		list := m.list()
		m.list(metav1.ListOptions{LabelSelector: "tier=silver"})
		e := m.watch(metav1.ListOptions{ResourceVersion: list.version()})
		w.merge("a", `{"spec":{"image":"image:v2"}}`)
		w.delete("a")
		e.take(2)
		m.get("a")
	}},
	{"the metadata client patches and deletes", []string{"types", "resourceVersion", "generation"}, func(w *world) {
		w.create(w.new("a"))
		w.create(w.new("b"))
		m := w.via("metadata")
		m.merge("a", `{"metadata":{"labels":{"tier":"gold"}}}`)
		w.get("a")
		m.delete("b")
		m.delete("b")
		m.deleteCollection(metav1.ListOptions{LabelSelector: "tier=gold"})
		w.list()
	}},
}
