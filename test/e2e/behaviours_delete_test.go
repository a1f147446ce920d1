package e2e

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// propagation returns options of a delete with a policy.
func propagation(policy metav1.DeletionPropagation) metav1.DeleteOptions {
	return metav1.DeleteOptions{PropagationPolicy: &policy}
}

// orphaning returns options of a delete with the option that policies replace, and a policy if it is not nil.
func orphaning(orphan bool, policy *metav1.DeletionPropagation) metav1.DeleteOptions {
	//lint:ignore SA1019 clients can still send it
	return metav1.DeleteOptions{OrphanDependents: &orphan, PropagationPolicy: policy}
}

var deleteBehaviours = []behaviour{
	{"delete removes the object", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.create(w.new("b"))
		w.delete("a")
		w.get("a")
		w.list()
	}},
	{"delete of what is not there is NotFound", []string{"message", "details"}, func(w *world) {
		w.delete("a")
		w.create(w.new("a"))
		w.in("west").delete("a")
		w.delete("a")
		w.delete("a")
	}},
	{"an object that is created again has another uid", []string{"uid", "generation", "resourceVersion"}, func(w *world) {
		w.create(w.new("a"))
		w.merge("a", `{"spec":{"image":"image:v2"}}`)
		w.delete("a")
		w.create(w.new("a"))
	}},
	{"delete with a uid as precondition", []string{"message", "details"}, func(w *world) {
		a := w.create(w.new("a"))
		w.delete("a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: new(types.UID("other"))}})
		w.get("a")
		w.delete("a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: new(types.UID(a.string("metadata.uid")))}})
		w.get("a")
	}},
	{"delete with a version as precondition", []string{"message", "details"}, func(w *world) {
		a := w.create(w.new("a"))
		b := w.merge("a", `{"spec":{"image":"image:v2"}}`)
		w.delete("a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: new(a.version())}})
		w.get("a")
		w.delete("a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: new(b.version())}})
		w.get("a")
	}},
	{"delete of an object with finalizers marks it", []string{"deletionTimestamp", "deletionGracePeriodSeconds", "finalizers", "generation", "resourceVersion"}, func(w *world) {
		w.create(w.new("a").with("metadata.finalizers", `["example.com/a"]`))
		w.delete("a")
		w.get("a")
		w.list()
	}},
	{"delete of an object that is marked keeps its version", []string{"deletionTimestamp", "finalizers", "generation", "resourceVersion"}, func(w *world) {
		w.create(w.new("a").with("metadata.finalizers", `["example.com/a"]`))
		w.delete("a")
		w.get("a")
		w.delete("a")
		w.get("a")
	}},
	{"an object goes with its last finalizer", []string{"deletionTimestamp", "finalizers", "generation"}, func(w *world) {
		a := w.create(w.new("a").with("metadata.finalizers", `["example.com/a","example.com/b"]`))
		e := w.watch(metav1.ListOptions{ResourceVersion: a.version()})
		w.delete("a")
		a = w.get("a")
		a = w.update(a.with("metadata.finalizers", `["example.com/b"]`))
		w.update(a.without("metadata.finalizers"))
		w.get("a")
		e.take(3)
	}},
	{"an object goes with its last finalizer by a patch", []string{"deletionTimestamp", "finalizers", "generation", "resourceVersion"}, func(w *world) {
		w.create(w.new("a").with("metadata.finalizers", `["example.com/a"]`))
		w.create(w.new("b").with("metadata.finalizers", `["example.com/a"]`))
		w.delete("a")
		w.delete("b")
		w.merge("a", `{"metadata":{"finalizers":null}}`)
		w.get("a")
		w.json("b", `[{"op":"remove","path":"/metadata/finalizers/0"}]`)
		w.get("b")
	}},
	{"an object goes with its last finalizer by an apply", []string{"deletionTimestamp", "finalizers", "generation"}, func(w *world) {
		w.apply("m", w.new("a").with("metadata.finalizers", `["example.com/a"]`))
		w.delete("a")
		w.apply("m", w.new("a"))
		w.get("a")
	}},
	{"the status subresource cannot take a finalizer away", []string{"deletionTimestamp", "finalizers"}, func(w *world) {
		w.create(w.new("a").with("metadata.finalizers", `["example.com/a"]`))
		w.delete("a")
		w.updateStatus(w.get("a").without("metadata.finalizers").with("status.replicas", 3))
		w.get("a")
	}},
	{"no finalizer can be added to a marked object", []string{"deletionTimestamp", "finalizers", "message", "details"}, func(w *world) {
		w.create(w.new("a").with("metadata.finalizers", `["example.com/a"]`))
		w.delete("a")
		w.update(w.get("a").with("metadata.finalizers", `["example.com/a","example.com/b"]`))
		w.update(w.get("a").with("metadata.finalizers", `["example.com/b"]`))
		w.merge("a", `{"metadata":{"finalizers":["example.com/b","example.com/c"]}}`)
		w.get("a")
	}},
	{"a marked object can be changed but not unmarked", []string{"deletionTimestamp", "deletionGracePeriodSeconds", "finalizers", "generation", "message", "details"}, func(w *world) {
		w.create(w.new("a").with("metadata.finalizers", `["example.com/a"]`))
		w.delete("a")
		a := w.get("a")
		a = w.update(a.with("spec.image", "image:v2"))
		w.update(a.without("metadata.deletionTimestamp").without("metadata.deletionGracePeriodSeconds").with("spec.image", "image:v3"))
		w.update(w.get("a").with("metadata.deletionTimestamp", "2001-02-03T04:05:06Z").with("spec.image", "image:v4"))
		w.merge("a", `{"metadata":{"deletionTimestamp":null}}`)
		w.get("a")
	}},
	{"a marked object blocks its name", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a").with("metadata.finalizers", `["example.com/a"]`))
		w.delete("a")
		w.create(w.new("a"))
	}},
	{"an update without finalizers deletes nothing that is not marked", []string{"finalizers"}, func(w *world) {
		a := w.create(w.new("a").with("metadata.finalizers", `["example.com/a"]`))
		w.update(a.without("metadata.finalizers"))
		w.get("a")
	}},
	{"the policy Foreground adds a finalizer", []string{"deletionTimestamp", "deletionGracePeriodSeconds", "finalizers", "generation"}, func(w *world) {
		w.create(w.new("a"))
		w.delete("a", propagation(metav1.DeletePropagationForeground))
		w.get("a")
		w.merge("a", `{"metadata":{"finalizers":null}}`)
		w.get("a")
	}},
	{"the policy Orphan adds a finalizer", []string{"deletionTimestamp", "finalizers", "generation"}, func(w *world) {
		w.create(w.new("a"))
		w.delete("a", propagation(metav1.DeletePropagationOrphan))
		w.get("a")
	}},
	{"the policy Background removes at once", []string{"deletionTimestamp", "finalizers"}, func(w *world) {
		w.create(w.new("a"))
		w.create(w.new("b").with("metadata.finalizers", `["orphan","example.com/b"]`))
		w.delete("a", propagation(metav1.DeletePropagationBackground))
		w.get("a")
		w.delete("b", propagation(metav1.DeletePropagationBackground))
		w.get("b")
	}},
	{"a second delete can change the policy", []string{"deletionTimestamp", "finalizers", "generation", "resourceVersion"}, func(w *world) {
		w.create(w.new("a").with("metadata.finalizers", `["example.com/a"]`))
		w.delete("a", propagation(metav1.DeletePropagationForeground))
		w.get("a")
		w.delete("a", propagation(metav1.DeletePropagationOrphan))
		w.get("a")
		w.delete("a", propagation(metav1.DeletePropagationBackground))
		w.get("a")
	}},
	{"a second delete that changes the policy of a version is Conflict", []string{"deletionTimestamp", "finalizers", "message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.delete("a", propagation(metav1.DeletePropagationOrphan))
		opts := propagation(metav1.DeletePropagationBackground)
		opts.Preconditions = &metav1.Preconditions{ResourceVersion: new(w.get("a").version())}
		w.delete("a", opts)
		w.get("a")
	}},
	{"delete with an unknown policy is Invalid", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.delete("a", propagation("Sideways"))
		w.get("a")
	}},
	{"delete with a grace period removes at once", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.create(w.new("b"))
		w.delete("a", metav1.DeleteOptions{GracePeriodSeconds: new(int64(30))})
		w.delete("b", metav1.DeleteOptions{GracePeriodSeconds: new(int64(-1))})
		w.list()
	}},
	{"delete records its manager nowhere", []string{"managedFields", "deletionTimestamp"}, func(w *world) {
		w.create(w.new("a").with("metadata.finalizers", `["example.com/a"]`), metav1.CreateOptions{FieldManager: "author"})
		w.delete("a")
		w.get("a")
	}},
	{"an event for a mark is MODIFIED, and for the end DELETED", []string{"resourceVersion", "deletionTimestamp", "finalizers"}, func(w *world) {
		a := w.create(w.new("a").with("metadata.finalizers", `["example.com/a"]`))
		b := w.create(w.new("b"))
		e := w.watch(metav1.ListOptions{ResourceVersion: b.version()})
		w.delete("b")
		w.delete("a")
		w.merge("a", `{"metadata":{"finalizers":null},"spec":{"image":"image:v2"}}`)
		e.take(3)
		w.note("%t", a.version() != "")
	}},
	{"dry run of delete removes nothing", []string{"finalizers", "deletionTimestamp", "resourceVersion", "message", "details"}, func(w *world) {
		dry := metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}
		w.create(w.new("a"))
		w.create(w.new("b").with("metadata.finalizers", `["example.com/b"]`))
		w.delete("a", dry)
		w.delete("b", dry)
		w.delete("c", dry)
		w.list()
		w.delete("a", metav1.DeleteOptions{DryRun: dry.DryRun, Preconditions: &metav1.Preconditions{UID: new(types.UID("other"))}})
		w.deleteCollection(metav1.ListOptions{}, dry)
		w.list()
	}},
}

var deleteCollectionBehaviours = []behaviour{
	{"deleteCollection removes all objects of the namespace", nil, func(w *world) {
		w.create(w.new("a"))
		w.create(w.new("b"))
		w.in("west").create(w.new("c"))
		w.deleteCollection(metav1.ListOptions{})
		w.list()
		w.in("west").list()
	}},
	{"deleteCollection with a label selector", nil, func(w *world) {
		w.create(w.new("a").with("metadata.labels", `{"tier":"gold"}`))
		w.create(w.new("b").with("metadata.labels", `{"tier":"silver"}`))
		w.create(w.new("c"))
		w.deleteCollection(metav1.ListOptions{LabelSelector: "tier in (gold, bronze)"})
		w.list()
		w.deleteCollection(metav1.ListOptions{LabelSelector: "!tier"})
		w.list()
	}},
	{"deleteCollection with a field selector", nil, func(w *world) {
		w.create(w.new("a"))
		w.create(w.new("b"))
		w.create(w.new("c"))
		w.deleteCollection(metav1.ListOptions{FieldSelector: "metadata.name=b"})
		w.list()
		w.deleteCollection(metav1.ListOptions{FieldSelector: "metadata.name!=c"})
		w.list()
	}},
	{"deleteCollection with an unknown field is BadRequest", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.deleteCollection(metav1.ListOptions{FieldSelector: "spec.cronSpec=x"})
		w.list()
	}},
	{"deleteCollection marks objects with finalizers", []string{"finalizers", "deletionTimestamp"}, func(w *world) {
		w.create(w.new("a").with("metadata.finalizers", `["example.com/a"]`))
		w.create(w.new("b"))
		w.deleteCollection(metav1.ListOptions{})
		w.list()
	}},
	{"deleteCollection with a policy", []string{"finalizers", "deletionTimestamp"}, func(w *world) {
		w.create(w.new("a"))
		w.create(w.new("b"))
		w.deleteCollection(metav1.ListOptions{}, propagation(metav1.DeletePropagationForeground))
		w.list()
	}},
	{"deleteCollection of nothing is no error", nil, func(w *world) {
		w.deleteCollection(metav1.ListOptions{})
		w.deleteCollection(metav1.ListOptions{LabelSelector: "tier=gold"})
	}},
	{"deleteCollection sends an event for each object", nil, func(w *world) {
		w.create(w.new("a"))
		b := w.create(w.new("b").with("metadata.finalizers", `["example.com/b"]`))
		e := w.watch(metav1.ListOptions{ResourceVersion: b.version(), FieldSelector: "metadata.name=a"})
		f := w.watch(metav1.ListOptions{ResourceVersion: b.version(), FieldSelector: "metadata.name=b"})
		w.deleteCollection(metav1.ListOptions{})
		e.take(1)
		f.take(1)
	}},
	{"deleteCollection with a limit", nil, func(w *world) {
		w.create(w.new("a"))
		w.create(w.new("b"))
		w.create(w.new("c"))
		w.deleteCollection(metav1.ListOptions{Limit: 2})
		w.list()
	}},
}
