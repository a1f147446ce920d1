package e2e

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var createBehaviours = []behaviour{
	{"create sets uid, creationTimestamp and generation", []string{"uid", "creationTimestamp", "generation"}, func(w *world) {
		w.create(w.new("a"))
		w.create(w.new("b"))
		w.get("a")
	}},
	{"create sets a resourceVersion that grows with each write", []string{"resourceVersion"}, func(w *world) {
		w.create(w.new("a"))
		w.create(w.new("b"))
		w.merge("a", `{"spec":{"image":"image:v2"}}`)
		w.get("a")
		w.get("b")
	}},
	{"create overrides uid, creationTimestamp and generation of its caller", []string{"uid", "creationTimestamp", "generation", "selfLink"}, func(w *world) {
		w.create(w.new("a").with("metadata.uid", "mine").with("metadata.creationTimestamp", "2001-02-03T04:05:06Z").
			with("metadata.generation", 7).with("metadata.selfLink", "/mine"))
		w.get("a")
	}},
	{"create ignores the status", []string{"managedFields"}, func(w *world) {
		w.create(w.new("a").with("status.replicas", 7))
		w.get("a")
	}},
	{"create ignores deletionTimestamp and deletionGracePeriodSeconds", []string{"deletionTimestamp", "deletionGracePeriodSeconds"}, func(w *world) {
		w.create(w.new("a").with("metadata.deletionTimestamp", "2001-02-03T04:05:06Z").with("metadata.deletionGracePeriodSeconds", 30))
		w.get("a")
	}},
	{"create refuses a resourceVersion", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a").with("metadata.resourceVersion", "1"))
		w.get("a")
	}},
	{"create takes resourceVersion 0 for none", []string{"message", "details", "resourceVersion"}, func(w *world) {
		w.create(w.new("a").with("metadata.resourceVersion", "0"))
		w.get("a")
	}},
	{"create of a name that exists is AlreadyExists", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.create(w.new("a").with("spec.image", "image:v2"))
		w.get("a")
	}},
	{"create makes a name from generateName", []string{"generateName"}, func(w *world) {
		w.create(w.new("").with("metadata.generateName", "hourly-"))
		w.list()
		w.create(w.new("").with("metadata.generateName", "hourly-"))
	}},
	{"create prefers a name to generateName", []string{"generateName"}, func(w *world) {
		w.create(w.new("a").with("metadata.generateName", "hourly-"))
		w.get("a")
	}},
	{"create shortens a long generateName", nil, func(w *world) {
		result := w.create(w.new("").with("metadata.generateName", strings.Repeat("a", 300)))
		w.note("%d", len(result.string("metadata.name")))
	}},
	{"create without a name is Invalid", []string{"message", "details"}, func(w *world) {
		w.create(w.new(""))
		w.list()
	}},
	{"create of a malformed name is Invalid", []string{"message", "details"}, func(w *world) {
		for _, name := range []string{"A", "a_b", "-a", "a.", "a..b", "a/b", "a%b", ".", "..", "a b", strings.Repeat("a", 254)} {
			w.create(w.new(name))
		}
		w.list()
	}},
	{"create of a malformed generateName is Invalid", []string{"message", "details"}, func(w *world) {
		w.create(w.new("").with("metadata.generateName", "A-"))
		w.create(w.new("a").with("metadata.generateName", "A-"))
		w.list()
	}},
	{"create with malformed labels is Invalid", []string{"message", "details"}, func(w *world) {
		for _, labels := range []string{
			`{"a b":"c"}`, `{"ok":"not ok!"}`, `{"x/y/z":""}`, `{"Example.com/tier":"gold"}`,
			`{"` + strings.Repeat("k", 64) + `":"v"}`, `{"long":"` + strings.Repeat("v", 64) + `"}`,
		} {
			w.create(w.new("a").with("metadata.labels", labels))
		}
		w.create(w.new("b").with("metadata.labels", `{"-":""}`))
		w.create(w.new("c").with("metadata.labels", `{"example.com/tier":"gold"}`))
		w.list()
	}},
	{"create with malformed annotations is Invalid", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a").with("metadata.annotations", `{"a b":"any value!"}`))
		w.create(w.new("b").with("metadata.annotations", `{"Example.com/tier":"any value!"}`))
		w.list()
	}},
	{"create with annotations of more than 256 KiB is Invalid", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a").with("metadata.annotations", `{"long":"`+strings.Repeat("v", 256*1024)+`"}`))
		w.list()
	}},
	{"create with malformed finalizers is Invalid", []string{"message", "details", "finalizers"}, func(w *world) {
		w.create(w.new("a").with("metadata.finalizers", `["example.com/ok","not ok"]`))
		w.create(w.new("b").with("metadata.finalizers", `["unqualified"]`))
		w.create(w.new("c").with("metadata.finalizers", `["orphan"]`))
		w.create(w.new("d").with("metadata.finalizers", `[""]`))
		w.list()
	}},
	{"create with both orphan and foregroundDeletion is Invalid", []string{"message", "details", "finalizers"}, func(w *world) {
		w.create(w.new("a").with("metadata.finalizers", `["orphan","foregroundDeletion"]`))
	}},
	{"create with malformed ownerReferences is Invalid", []string{"message", "details", "ownerReferences"}, func(w *world) {
		for _, owner := range []string{
			`{"apiVersion":"","kind":"Owner","name":"o","uid":"1"}`,
			`{"apiVersion":"v1","kind":"","name":"o","uid":"1"}`,
			`{"apiVersion":"v1","kind":"Owner","name":"","uid":"1"}`,
			`{"apiVersion":"v1","kind":"Owner","name":"o","uid":""}`,
			`{"apiVersion":"v1","kind":"Event","name":"o","uid":"1"}`,
			`{"apiVersion":"a/b/c","kind":"Owner","name":"o","uid":"1"}`,
		} {
			w.create(w.new("a").with("metadata.ownerReferences", "["+owner+"]"))
		}
		w.list()
	}},
	{"create with two controllers is Invalid", []string{"message", "details", "ownerReferences"}, func(w *world) {
		w.create(w.new("a").with("metadata.ownerReferences", `[
			{"apiVersion":"v1","kind":"Owner","name":"o","uid":"1","controller":true},
			{"apiVersion":"v1","kind":"Owner","name":"p","uid":"2","controller":true}]`))
		w.create(w.new("b").with("metadata.ownerReferences", `[
			{"apiVersion":"v1","kind":"Owner","name":"o","uid":"1","controller":true,"blockOwnerDeletion":true},
			{"apiVersion":"v1","kind":"Owner","name":"p","uid":"2","controller":false}]`))
		w.list()
	}},
	{"create reports all that is wrong", []string{"message", "details"}, func(w *world) {
		w.create(w.new("A").with("metadata.labels", `{"a b":"c"}`).with("metadata.finalizers", `["not ok"]`))
	}},
	{"create of another namespace's object is BadRequest", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a").with("metadata.namespace", "west"))
		w.list()
		w.in("west").list()
	}},
	{"create sets the namespace", nil, func(w *world) {
		w.create(w.new("a"))
		w.in("west").create(w.new("a"))
		w.create(w.new("b").with("metadata.namespace", w.namespace))
		w.in("").list()
	}},
	{"create of another kind is Invalid", []string{"message", "details"}, func(w *world) {
		w.via("dynamic").create(w.new("a").with("kind", "Other"))
		w.via("dynamic").create(w.new("a").with("apiVersion", "stable.example.com/v2"))
		w.list()
	}},
	{"create sets managedFields for its manager", []string{"managedFields"}, func(w *world) {
		w.create(w.new("a").with("metadata.labels", `{"tier":"gold"}`).with("metadata.finalizers", `["example.com/a","example.com/b"]`).
			with("metadata.ownerReferences", `[{"apiVersion":"v1","kind":"Owner","name":"o","uid":"1"}]`), metav1.CreateOptions{FieldManager: "author"})
		w.get("a")
	}},
	{"create without a manager names one after the program", []string{"managedFields"}, func(w *world) {
		w.create(w.new("a"))
	}},
	{"create with a malformed manager is Invalid", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"), metav1.CreateOptions{FieldManager: strings.Repeat("m", 129)})
		w.create(w.new("a"), metav1.CreateOptions{FieldManager: "line\nbreak"})
		w.list()
	}},
	{"create keeps managedFields of its caller out", []string{"managedFields"}, func(w *world) {
		w.create(w.new("a").with("metadata.managedFields", `[{"manager":"forged","operation":"Update","apiVersion":"`+w.kind.GroupVersion().String()+
			`","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:image":{}}}}]`), metav1.CreateOptions{FieldManager: "author"})
	}},
	{"create drops unknown fields", nil, func(w *world) {
		w.via("dynamic").create(w.new("a").with("spec.unknown", "x").with("unknown", "y").with("metadata.unknown", "z"))
		w.via("dynamic").get("a")
	}},
	{"create with strict field validation refuses unknown fields", []string{"message", "details"}, func(w *world) {
		w.via("dynamic").create(w.new("a").with("spec.unknown", "x"), metav1.CreateOptions{FieldValidation: "Strict"})
		w.list()
	}},
	{"create with malformed options is Invalid", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"), metav1.CreateOptions{DryRun: []string{"Some"}})
		w.create(w.new("a"), metav1.CreateOptions{FieldValidation: "Sometimes"})
		w.list()
	}},
	{"dry run of create checks and stores nothing", []string{"uid", "resourceVersion", "generation", "message", "details"}, func(w *world) {
		dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
		w.create(w.new("a"), dry)
		w.get("a")
		w.create(w.new("b"))
		w.create(w.new("b"), dry)
		w.create(w.new("A"), dry)
		w.create(w.new("").with("metadata.generateName", "g-"), dry)
		w.list()
	}},
}
