package e2e

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	clientv1 "github.com/kubegen/kubegen/test/e2e/generated/clientset/versioned/typed/cluster/v1"
)

// createLabelled creates the objects a, b and c, with the labels tier=gold, tier=silver and none, and different images.
func createLabelled(w *world) {
	w.create(w.new("a").with("metadata.labels", `{"tier":"gold"}`))
	w.create(w.new("b").with("metadata.labels", `{"tier":"silver"}`).with("spec.image", "image:v2"))
	w.create(w.new("c").with("spec.suspend", true))
}

// createMany creates n objects, with labels.
func createMany(w *world, n int) {
	for i := range n {
		w.create(w.new(string(rune('a'+i))).with("metadata.labels", `{"parity":"`+[]string{"even", "odd"}[i%2]+`"}`))
	}
}

var listBehaviours = []behaviour{
	{"list is sorted by namespace and name", nil, func(w *world) {
		for _, name := range []string{"b", "a-b", "c", "a", "a.b"} {
			w.create(w.new(name))
		}
		w.in("west").create(w.new("a"))
		w.in("east-2").create(w.new("z"))
		w.list()
		w.in("").list()
	}},
	{"list of nothing is empty", []string{"types"}, func(w *world) {
		w.list()
		w.in("nowhere").list()
	}},
	{"a list has the version of the latest write", []string{"resourceVersion"}, func(w *world) {
		w.create(w.new("a"))
		w.list()
		w.create(w.new("b"))
		w.merge("a", `{"spec":{"image":"image:v2"}}`)
		w.list()
	}},
	{"list with a label selector", nil, func(w *world) {
		createLabelled(w)
		for _, selector := range []string{"tier", "!tier", "tier=gold", "tier==gold", "tier!=gold", "tier in (gold,silver)", "tier notin (gold)", "tier=gold,tier=silver", "tier=", ""} {
			w.list(metav1.ListOptions{LabelSelector: selector})
		}
	}},
	{"list with numbers in a label selector", nil, func(w *world) {
		w.create(w.new("a").with("metadata.labels", `{"size":"3"}`))
		w.create(w.new("b").with("metadata.labels", `{"size":"10"}`))
		w.list(metav1.ListOptions{LabelSelector: "size>5"})
		w.list(metav1.ListOptions{LabelSelector: "size<5"})
	}},
	{"a malformed label selector is BadRequest", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		for _, selector := range []string{"tier in gold", "a b", "tier=!", "=x", "tier>x"} {
			w.list(metav1.ListOptions{LabelSelector: selector})
		}
	}},
	{"list with metadata.name", nil, func(w *world) {
		createLabelled(w)
		for _, selector := range []string{"metadata.name=a", "metadata.name==b", "metadata.name!=a", "metadata.name=a,metadata.name=b", "metadata.name=nothing"} {
			w.list(metav1.ListOptions{FieldSelector: selector})
		}
	}},
	{"list with metadata.namespace", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.in("west").create(w.new("b"))
		for _, selector := range []string{"metadata.namespace=west", "metadata.namespace!=west"} {
			w.in("").list(metav1.ListOptions{FieldSelector: selector})
			w.list(metav1.ListOptions{FieldSelector: selector})
		}
	}},
	{"list with a selectable field", []string{"message", "details"}, func(w *world) {
		createLabelled(w)
		image := fields.OneTermEqualSelector(clientv1.ClusterCronTabFieldSpecImage, "image:v2").String()
		for _, selector := range []string{image, "spec.image!=image:v2", "spec.suspend=true", "spec.suspend=false", "spec.suspend=", "spec.image=image:v1,metadata.name=a"} {
			w.list(metav1.ListOptions{FieldSelector: selector})
		}
	}},
	{"list with an unknown field is BadRequest", []string{"message", "details"}, func(w *world) {
		createLabelled(w)
		w.list(metav1.ListOptions{FieldSelector: "spec.cronSpec=x"})
		w.list(metav1.ListOptions{FieldSelector: "metadata.labels=x"})
		w.list(metav1.ListOptions{FieldSelector: "metadata.name=a,spec.cronSpec!=x"})
	}},
	{"a malformed field selector is BadRequest", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.list(metav1.ListOptions{FieldSelector: "metadata.name"})
		w.list(metav1.ListOptions{FieldSelector: `metadata.name=a\`})
	}},
	{"list with labels and fields", nil, func(w *world) {
		createLabelled(w)
		w.list(metav1.ListOptions{LabelSelector: "tier", FieldSelector: "metadata.name!=a"})
	}},
	{"list with a limit comes in pages", []string{"continue", "remainingItemCount"}, func(w *world) {
		createMany(w, 5)
		page := w.list(metav1.ListOptions{Limit: 2})
		page = w.list(metav1.ListOptions{Limit: 2, Continue: page.string("metadata.continue")})
		w.list(metav1.ListOptions{Limit: 2, Continue: page.string("metadata.continue")})
		w.list(metav1.ListOptions{Limit: 5})
		w.list(metav1.ListOptions{Limit: 4})
	}},
	{"a page can have another limit, or none", []string{"continue", "remainingItemCount"}, func(w *world) {
		createMany(w, 5)
		page := w.list(metav1.ListOptions{Limit: 1})
		w.list(metav1.ListOptions{Limit: 3, Continue: page.string("metadata.continue")})
		w.list(metav1.ListOptions{Continue: page.string("metadata.continue")})
	}},
	{"pages are of the version of the first", []string{"continue", "remainingItemCount", "resourceVersion"}, func(w *world) {
		createMany(w, 4)
		page := w.list(metav1.ListOptions{Limit: 2})
		w.delete("c")
		w.create(w.new("e"))
		w.merge("d", `{"spec":{"image":"image:v2"}}`)
		w.list(metav1.ListOptions{Limit: 2, Continue: page.string("metadata.continue")})
		w.list()
	}},
	{"pages with a label selector", []string{"continue", "remainingItemCount"}, func(w *world) {
		createMany(w, 6)
		page := w.list(metav1.ListOptions{Limit: 2, LabelSelector: "parity=even"})
		w.list(metav1.ListOptions{Limit: 2, LabelSelector: "parity=even", Continue: page.string("metadata.continue")})
		w.list(metav1.ListOptions{Limit: 3, LabelSelector: "parity=even"})
	}},
	{"pages with a field selector", []string{"continue", "remainingItemCount"}, func(w *world) {
		createMany(w, 4)
		page := w.list(metav1.ListOptions{Limit: 2, FieldSelector: "metadata.name!=a"})
		w.list(metav1.ListOptions{Limit: 2, FieldSelector: "metadata.name!=a", Continue: page.string("metadata.continue")})
	}},
	{"pages over all namespaces", []string{"continue", "remainingItemCount"}, func(w *world) {
		createMany(w, 2)
		w.in("west").create(w.new("y"))
		w.in("north").create(w.new("z"))
		page := w.in("").list(metav1.ListOptions{Limit: 3})
		w.in("").list(metav1.ListOptions{Limit: 3, Continue: page.string("metadata.continue")})
	}},
	{"pages of a name that is selected have no token", []string{"continue", "remainingItemCount"}, func(w *world) {
		createMany(w, 3)
		w.list(metav1.ListOptions{Limit: 1, FieldSelector: "metadata.name=a"})
		w.list(metav1.ListOptions{Limit: 1, FieldSelector: "metadata.name=a,metadata.name!=b"})
		w.in("").list(metav1.ListOptions{Limit: 1, FieldSelector: "metadata.name=a"})
	}},
	{"a malformed continue token is BadRequest", []string{"message", "details"}, func(w *world) {
		createMany(w, 3)
		w.list(metav1.ListOptions{Limit: 2, Continue: "nonsense"})
		w.list(metav1.ListOptions{Limit: 2, Continue: "e30"})
	}},
	{"a continue token with a version is BadRequest", []string{"message", "details"}, func(w *world) {
		createMany(w, 3)
		page := w.list(metav1.ListOptions{Limit: 2})
		w.list(metav1.ListOptions{Limit: 2, Continue: page.string("metadata.continue"), ResourceVersion: page.version()})
		w.list(metav1.ListOptions{Limit: 2, Continue: page.string("metadata.continue"), ResourceVersion: "0"})
	}},
	{"an expired continue token is Expired, with another one", []string{"message", "details", "continue"}, func(w *world) {
		createMany(w, 4)
		page := w.list(metav1.ListOptions{Limit: 2})
		w.expire(page.version())
		w.create(w.new("e"))
		w.list(metav1.ListOptions{Limit: 2, Continue: page.string("metadata.continue")})
		w.list()
	}},
	{"list of version 0 returns what is there", nil, func(w *world) {
		createMany(w, 2)
		w.list() // the cache is not behind it
		w.list(metav1.ListOptions{ResourceVersion: "0"})
	}},
	{"list of version 0 with a limit returns all", []string{"continue", "remainingItemCount"}, func(w *world) {
		createMany(w, 3)
		w.list()
		w.list(metav1.ListOptions{ResourceVersion: "0", Limit: 2})
	}},
	{"list not older than a version", []string{"resourceVersion"}, func(w *world) {
		w.create(w.new("a"))
		b := w.create(w.new("b"))
		w.list(metav1.ListOptions{ResourceVersion: b.version(), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})
		w.list(metav1.ListOptions{ResourceVersion: b.version()})
	}},
	{"list Exact returns the state at a version", []string{"resourceVersion"}, func(w *world) {
		a := w.create(w.new("a"))
		b := w.create(w.new("b"))
		c := w.merge("a", `{"spec":{"image":"image:v2"}}`)
		w.delete("b")
		for _, version := range []string{a.version(), b.version(), c.version()} {
			w.list(metav1.ListOptions{ResourceVersion: version, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
		}
	}},
	{"list Exact with a limit", []string{"resourceVersion", "continue", "remainingItemCount"}, func(w *world) {
		createMany(w, 3)
		version := w.list().version()
		w.delete("a")
		page := w.list(metav1.ListOptions{Limit: 2, ResourceVersion: version, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
		w.list(metav1.ListOptions{Limit: 2, Continue: page.string("metadata.continue")})
	}},
	{"list of an expired version is Expired", []string{"message", "details"}, func(w *world) {
		a := w.create(w.new("a"))
		w.merge("a", `{"spec":{"image":"image:v2"}}`)
		w.expire(a.version())
		w.create(w.new("b"))
		w.list() // the cache is not behind it
		w.list(metav1.ListOptions{ResourceVersion: a.version(), ResourceVersionMatch: metav1.ResourceVersionMatchExact})
		w.list(metav1.ListOptions{ResourceVersion: a.version()})
	}},
	{"list with forbidden versions is Invalid", []string{"message", "details"}, func(w *world) {
		a := w.create(w.new("a"))
		w.list(metav1.ListOptions{ResourceVersionMatch: metav1.ResourceVersionMatchExact})
		w.list(metav1.ListOptions{ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})
		w.list(metav1.ListOptions{ResourceVersion: "0", ResourceVersionMatch: metav1.ResourceVersionMatchExact})
		w.list(metav1.ListOptions{ResourceVersion: a.version(), ResourceVersionMatch: "Sometimes"})
		w.list(metav1.ListOptions{ResourceVersion: "soon"})
		w.list(metav1.ListOptions{ResourceVersion: "soon", ResourceVersionMatch: metav1.ResourceVersionMatchExact})
		w.list(metav1.ListOptions{SendInitialEvents: new(true)})
		w.list(metav1.ListOptions{Limit: -1})
	}},
	{"a continue token with a match is Invalid", []string{"message", "details"}, func(w *world) {
		createMany(w, 3)
		page := w.list(metav1.ListOptions{Limit: 2})
		w.list(metav1.ListOptions{Limit: 2, Continue: page.string("metadata.continue"), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})
	}},
}
