package e2e

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

var roleBehaviours = []behaviour{
	{"what a rule allows is done", nil, func(w *world) {
		w.create(w.new("a"))
		l := w.limited()
		l.update(l.get("a").with("spec.image", "image:v2"))
		l.create(l.new("b"))
		l.get("b")
	}},
	{"a verb without a rule is Forbidden", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		l := w.limited()
		l.delete("a")
		l.merge("a", `{"spec":{"image":"image:v2"}}`)
		l.force("m", l.intent("a").with("spec.image", "image:v3"))
		l.get("a")
	}},
	{"a subresource needs a rule of its own", []string{"message", "details"}, func(w *world) {
		a := w.create(w.new("a"))
		l := w.limited()
		l.merge("a", `{"status":{"replicas":1}}`, "status")
		l.updateStatus(a.with("status.replicas", int64(2)))
		l.scale("a")
	}},
	{"list and deletecollection need rules of their own", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		l := w.limited()
		l.list()
		l.in("").list()
		l.deleteCollection(metav1.ListOptions{})
		l.get("a")
	}},
	{"watch needs a rule of its own", []string{"message", "details"}, func(w *world) {
		l := w.limited()
		l.watch()
		l.in("").watch()
	}},
	{"a rule with names is for objects of these names", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.create(w.new("named"))
		l := w.limited()
		l.merge("a", `{"spec":{"image":"image:v2"}}`)
		l.merge("named", `{"spec":{"image":"image:v2"}}`)
		l.delete("a")
		l.delete("named")
	}},
	{"a rule with names is for lists that select one of these names", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.create(w.new("named"))
		l := w.limited()
		l.list(metav1.ListOptions{FieldSelector: "metadata.name=named"})
		l.list(metav1.ListOptions{FieldSelector: "metadata.name=a"})
		l.watch(metav1.ListOptions{FieldSelector: "metadata.name=named"}).take(1)
		l.watch(metav1.ListOptions{FieldSelector: "metadata.name=a"})
	}},
	{"Forbidden comes before all other errors", []string{"message", "details"}, func(w *world) {
		l := w.limited()
		l.delete("a")
		l.delete("named")
		l.merge("a", `{"spec":`)
		l.merge("a", `{"spec":{"replicas":"x"}}`, "scale")
		l.list(metav1.ListOptions{ResourceVersion: "soon"})
	}},
	{"impersonation of a user needs a rule for the user and for each group", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		jane := w.impersonating("jane", "devs")
		jane.get("a")
		jane.delete("a")
		w.impersonating("jane", "devs", "ops").get("a")
		w.impersonating("joe").get("a")
		w.impersonating("joe", "devs").list()
	}},
	{"impersonation of a service account needs a rule for the account", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		tenant := w.impersonating("system:serviceaccount:east:tenant")
		tenant.get("a")
		tenant.delete("a")
		w.impersonating("system:serviceaccount:east:other").get("a")
	}},
	{"requests of the metadata client need the same rules", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		m := w.limited().via("metadata")
		m.get("a")
		m.list()
		m.merge("a", `{"metadata":{"labels":{"a":"b"}}}`)
		m.delete("a")
	}},
}
