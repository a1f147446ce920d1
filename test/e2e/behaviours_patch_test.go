package e2e

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var patchBehaviours = []behaviour{
	{"merge patch sets, merges and removes", []string{"resourceVersion", "generation", "managedFields"}, func(w *world) {
		w.create(w.new("a").with("metadata.labels", `{"tier":"gold","zone":"x"}`))
		w.merge("a", `{"metadata":{"labels":{"tier":null,"app":"a"}},"spec":{"image":"image:v2","className":"c"}}`)
		w.merge("a", `{"metadata":{"labels":null},"spec":{"className":null}}`)
		w.get("a")
	}},
	{"merge patch replaces lists", []string{"finalizers"}, func(w *world) {
		w.create(w.new("a").with("metadata.finalizers", `["example.com/a","example.com/b"]`))
		w.merge("a", `{"metadata":{"finalizers":["example.com/c"]}}`)
	}},
	{"JSON patch applies its operations in order", []string{"resourceVersion", "generation", "managedFields"}, func(w *world) {
		w.create(w.new("a").with("metadata.labels", `{"tier":"gold"}`))
		w.json("a", `[{"op":"test","path":"/spec/image","value":"image:v1"},{"op":"replace","path":"/spec/image","value":"image:v2"},
			{"op":"add","path":"/metadata/labels/example.com~1app","value":"a"},{"op":"remove","path":"/metadata/labels/tier"},
			{"op":"copy","from":"/spec/image","path":"/spec/className"},{"op":"move","from":"/spec/className","path":"/metadata/labels/moved"}]`)
		w.json("a", `[{"op":"replace","path":"/metadata/labels","value":{"only":"this"}}]`)
		w.get("a")
	}},
	{"JSON patch of list elements", []string{"finalizers"}, func(w *world) {
		w.create(w.new("a").with("metadata.finalizers", `["example.com/a","example.com/b"]`))
		w.json("a", `[{"op":"add","path":"/metadata/finalizers/-","value":"example.com/c"},{"op":"add","path":"/metadata/finalizers/0","value":"example.com/d"}]`)
		w.json("a", `[{"op":"remove","path":"/metadata/finalizers/1"}]`)
	}},
	{"JSON patch whose test fails is Invalid", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.json("a", `[{"op":"replace","path":"/spec/image","value":"image:v2"},{"op":"test","path":"/spec/image","value":"image:v1"}]`)
		w.get("a")
	}},
	{"JSON patch of a missing path is Invalid", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.json("a", `[{"op":"replace","path":"/metadata/labels/tier","value":"gold"}]`)
		w.json("a", `[{"op":"remove","path":"/spec/className"}]`)
		w.json("a", `[{"op":"remove","path":"/metadata/annotations/note"}]`)
		w.json("a", `[{"op":"add","path":"/metadata/annotations/note","value":"x"}]`)
		w.get("a")
	}},
	{"a malformed patch is BadRequest", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.json("a", `{"op":"replace"}`)
		w.json("a", `[{"op":"invent","path":"/spec/image","value":"x"}]`)
		w.json("a", `[`)
		w.merge("a", `{"spec"`)
		w.merge("a", `[]`)
		w.merge("a", `"text"`)
		w.merge("a", ``)
		w.patch("a", types.ApplyYAMLPatchType, `{"spec"`, metav1.PatchOptions{FieldManager: "m"})
		w.get("a")
	}},
	{"strategic merge patch is UnsupportedMediaType", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.patch("a", types.StrategicMergePatchType, `{"spec":{"image":"image:v2"}}`, metav1.PatchOptions{})
		w.get("a")
	}},
	{"an unknown type of patch is UnsupportedMediaType", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.patch("a", "application/unknown", `{"spec":{"image":"image:v2"}}`, metav1.PatchOptions{})
		w.get("a")
	}},
	{"patch of what is not there is NotFound", []string{"message", "details"}, func(w *world) {
		w.merge("a", `{"spec":{"image":"image:v2"}}`)
		w.json("a", `[{"op":"replace","path":"/spec/image","value":"image:v2"}]`)
		w.merge("a", `{"status":{"replicas":2}}`, "status")
		w.list()
	}},
	{"patch that changes nothing keeps the version", []string{"resourceVersion", "managedFields", "generation"}, func(w *world) {
		w.create(w.new("a"))
		w.merge("a", `{}`)
		w.merge("a", `{"spec":{"image":"image:v1"}}`)
		w.json("a", `[]`)
		w.json("a", `[{"op":"replace","path":"/spec/image","value":"image:v1"}]`)
		w.get("a")
	}},
	{"patch of a stale version is Conflict", []string{"message", "details"}, func(w *world) {
		a := w.create(w.new("a"))
		w.merge("a", `{"spec":{"image":"image:v2"}}`)
		result, err := w.client().patch(w, "a", types.MergePatchType, []byte(`{"metadata":{"resourceVersion":"`+a.version()+`"},"spec":{"image":"image:v3"}}`), metav1.PatchOptions{})
		w.see("patch the first version of a", result, err)
		w.get("a")
	}},
	{"patch of the current version passes", nil, func(w *world) {
		a := w.create(w.new("a"))
		result, err := w.client().patch(w, "a", types.MergePatchType, []byte(`{"metadata":{"resourceVersion":"`+a.version()+`"},"spec":{"image":"image:v3"}}`), metav1.PatchOptions{})
		w.see("patch the version of a", result, err)
	}},
	{"patch of another uid is Conflict", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.merge("a", `{"metadata":{"uid":"other"},"spec":{"image":"image:v2"}}`)
		w.get("a")
	}},
	{"patch of name or namespace is BadRequest", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.merge("a", `{"metadata":{"name":"b"}}`)
		w.merge("a", `{"metadata":{"namespace":"west"}}`)
		w.merge("a", `{"metadata":{"name":null}}`)
		w.get("a")
	}},
	{"patch cannot change what the server sets", []string{"uid", "creationTimestamp", "generation", "deletionTimestamp", "message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.merge("a", `{"metadata":{"creationTimestamp":"2001-02-03T04:05:06Z"}}`)
		w.note("%t", w.get("a").string("metadata.creationTimestamp") == "2001-02-03T04:05:06Z")
		w.merge("a", `{"metadata":{"generation":70}}`)
		w.merge("a", `{"metadata":{"deletionTimestamp":"2001-02-03T04:05:06Z"}}`)
		w.merge("a", `{"metadata":{"uid":null,"creationTimestamp":null}}`)
		w.get("a")
	}},
	{"patch with malformed metadata is Invalid", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.merge("a", `{"metadata":{"labels":{"a b":"c"}}}`)
		w.json("a", `[{"op":"add","path":"/metadata/finalizers","value":["not ok"]}]`)
		w.merge("a", `{"metadata":{"labels":"text"}}`)
		w.get("a")
	}},
	{"patch of kind or apiVersion", []string{"message", "details", "types"}, func(w *world) {
		w.create(w.new("a"))
		w.via("dynamic").merge("a", `{"kind":"Other"}`)
		w.via("dynamic").merge("a", `{"apiVersion":"example.com/v9"}`)
		w.via("dynamic").merge("a", `{"kind":null}`)
		w.via("dynamic").get("a")
	}},
	{"patch records its manager", []string{"managedFields"}, func(w *world) {
		w.create(w.new("a"), metav1.CreateOptions{FieldManager: "author"})
		w.patch("a", types.MergePatchType, `{"spec":{"image":"image:v2"},"metadata":{"labels":{"tier":"gold"}}}`, metav1.PatchOptions{FieldManager: "patcher"})
		w.patch("a", types.JSONPatchType, `[{"op":"remove","path":"/metadata/labels/tier"}]`, metav1.PatchOptions{FieldManager: "author"})
		w.patch("a", types.MergePatchType, `{"status":{"replicas":2}}`, metav1.PatchOptions{FieldManager: "patcher"}, "status")
	}},
	{"patch with force is for apply alone", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.patch("a", types.MergePatchType, `{"spec":{"image":"image:v2"}}`, metav1.PatchOptions{Force: new(true)})
		w.get("a")
	}},
	{"patch drops unknown fields", nil, func(w *world) {
		w.create(w.new("a"))
		w.merge("a", `{"spec":{"unknown":"x"},"unknown":"y"}`)
		w.via("dynamic").get("a")
	}},
	{"dry run of patch stores nothing", []string{"resourceVersion", "generation", "message", "details"}, func(w *world) {
		dry := metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}
		w.create(w.new("a"))
		w.patch("a", types.MergePatchType, `{"spec":{"image":"image:v2"}}`, dry)
		w.patch("a", types.JSONPatchType, `[{"op":"replace","path":"/spec/image","value":"image:v2"}]`, dry)
		w.patch("a", types.MergePatchType, `{"status":{"replicas":2}}`, dry, "status")
		w.patch("b", types.MergePatchType, `{}`, dry)
		w.get("a")
	}},
}
