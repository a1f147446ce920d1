package e2e

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// bodyBehaviours are about patches that are malformed, or that ask for what makes no sense.
var bodyBehaviours = []behaviour{
	{"apply of what is no object is BadRequest", []string{"message", "details"}, func(w *world) {
		for _, body := range []string{"", " ", "\n", "null", "~", "[]", "- a", "text", "7", "true", `""`, "---", "--- {}", "# only a comment"} {
			applyBody(w, body)
		}
		w.list()
	}},
	{"apply of an object without all that it needs is BadRequest", []string{"message", "details"}, func(w *world) {
		gv, kind := w.kind.GroupVersion().String(), w.kind.Kind
		for _, body := range []string{
			"{}", "apiVersion: " + gv, "kind: " + kind, "apiVersion: " + gv + "\nkind: " + kind,
			"apiVersion: " + gv + "\nkind: " + kind + "\nmetadata:", "apiVersion: " + gv + "\nkind: " + kind + "\nmetadata: []",
			"apiVersion: " + gv + "\nkind: " + kind + "\nmetadata: {}", "apiVersion: " + gv + "\nkind: " + kind + "\nmetadata: text",
			"apiVersion: " + gv + "\nkind: 7\nmetadata: {name: a}", "apiVersion: 7\nkind: " + kind + "\nmetadata: {name: a}",
			"apiVersion: null\nkind: " + kind + "\nmetadata: {name: a}", "apiVersion: " + gv + "\nkind: null\nmetadata: {name: a}",
			"apiVersion: a/b/c\nkind: " + kind + "\nmetadata: {name: a}", "apiVersion: " + gv + "\nkind: " + kind + "\nmetadata: {name: 7}",
			"apiVersion: " + gv + "\nkind: " + kind + "\nmetadata: {name: null}",
		} {
			applyBody(w, body)
		}
		w.list()
	}},
	{"apply of malformed YAML is BadRequest", []string{"message", "details"}, func(w *world) {
		for _, body := range []string{"{", "a: b: c", "\ta: b", "a:\n\t- b", "a: [b", "'a", "a: *b", "a: &b", "%", "@", "a: !!int x", "{}{}", "{} {}", "? a", "\x00", "\xff", "a: \x01"} {
			applyBody(w, body)
		}
		w.list()
	}},
	{"apply reads the first document of several", []string{"message", "details"}, func(w *world) {
		body := compact(w.new("a"))
		applyBody(w, body+"\n---\n"+compact(w.new("a").with("spec.image", "image:v2")))
		applyBody(w, "---\n"+body+"\n...\n")
		applyBody(w, "# a comment\n"+body+"\n# another")
		applyBody(w, body+" # the end")
		applyBody(w, body+"}")
		w.get("a")
	}},
	{"apply takes anchors, tags and merges of YAML", []string{"message", "details", "managedFields"}, func(w *world) {
		applyYAML(w, "x: &x {image: \"image:v1\"}\nspec:\n  <<: *x\n  cronSpec: x\n")
		applyYAML(w, "spec:\n  cronSpec: &c \"0 3 * * *\"\n  image: *c\n")
		applyYAML(w, "spec:\n  cronSpec: >-\n    folded\n    text\n  image: |\n    literal\n  suspend: yes\n")
		applyYAML(w, "spec:\n  cronSpec: x\n  suspend: on\n  className: no\n")
		applyYAML(w, "spec:\n  cronSpec: x\n  className: 2026-01-02\n")
		applyYAML(w, "spec:\n  cronSpec: x\n  className: 1\n")
		applyYAML(w, "spec:\n  cronSpec: x\n  1: 2\n")
		applyYAML(w, "spec:\n  cronSpec: x\n  true: 2\n")
		w.get("a")
	}},
	{"apply of duplicate keys", []string{"message", "details"}, func(w *world) {
		applyYAML(w, "spec: {cronSpec: x}\nspec: {cronSpec: y}\n")
		body := `{"apiVersion":"` + w.kind.GroupVersion().String() + `","kind":"` + w.kind.Kind + `","metadata":{"name":"a"},"spec":{"cronSpec":"x","cronSpec":"y"}}`
		applyBody(w, body)
		w.patch("a", types.ApplyYAMLPatchType, body, metav1.PatchOptions{FieldManager: "m", FieldValidation: "Strict"})
		w.patch("a", types.ApplyYAMLPatchType, body, metav1.PatchOptions{FieldManager: "m", FieldValidation: "Ignore"})
		w.get("a")
	}},
	{"apply of unknown fields fails", []string{"message", "details"}, func(w *world) {
		applyYAML(w, "spec: {cronSpec: x, unknown: y}\n")
		applyYAML(w, "spec: {cronSpec: x}\nunknown: y\n")
		applyYAML(w, "spec: {cronSpec: x}\nstatus: {unknown: y}\n")
		w.patch("a", types.ApplyYAMLPatchType, compact(w.new("a").with("spec.unknown", "x")), metav1.PatchOptions{FieldManager: "m", FieldValidation: "Ignore"})
		w.patch("a", types.ApplyYAMLPatchType, compact(w.new("a").with("spec.unknown", "x")), metav1.PatchOptions{FieldManager: "m", FieldValidation: "Strict"})
		w.list()
	}},
	{"apply of unknown metadata", []string{"message", "details", "managedFields"}, func(w *world) {
		d := w.via("dynamic")
		d.apply("m", w.new("a").with("metadata.unknown", "x"))
		d.apply("m", w.new("a").with("metadata.labels", `{"a":7}`))
		d.apply("m", w.new("a").with("metadata.labels", "x"))
		d.apply("m", w.new("a").with("metadata.finalizers", "x"))
		d.apply("m", w.new("a").with("metadata.ownerReferences", `[{"name":"x"}]`))
		d.apply("m", w.new("a").with("metadata.creationTimestamp", "soon"))
		d.apply("m", w.new("a").with("metadata.generation", "x"))
		d.list()
	}},
	{"apply of values of another type fails", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		for _, v := range []any{"text", int64(7), true, 2.5, []any{}, []any{"x"}, map[string]any{}, map[string]any{"x": "y"}} {
			d.apply("m", w.new("a").with("spec.image", v))
			d.apply("m", w.new("a").with("spec.suspend", v))
			d.apply("m", w.new("a").with("spec.historyLimit", v))
			d.apply("m", w.new("a").with("spec", v))
			d.apply("m", w.new("a").with("status", v))
		}
		d.list()
	}},
	{"apply of nulls", []string{"message", "details", "managedFields"}, func(w *world) {
		d := w.via("dynamic")
		d.apply("m", w.new("a").with("spec.className", "c"))
		d.apply("m", w.new("a").with("spec.className", nil))
		d.apply("m", w.new("a").with("spec.image", nil))
		d.apply("m", w.new("a").with("status", nil))
		d.apply("m", w.new("a").with("metadata.labels", nil).with("metadata.finalizers", nil))
		d.apply("m", w.intent("a").with("status", nil), "status")
		d.apply("m", w.intent("a").with("status.replicas", nil), "status")
		d.apply("m", w.intent("a").with("status.conditions", nil), "status")
		d.apply("m", w.new("a").with("spec", nil))
		d.get("a")
	}},
	{"apply of an object that is none", []string{"message", "details"}, func(w *world) {
		w.apply("m", nil)
		w.apply("m", nil, "status")
		w.apply("m", object{})
		w.apply("m", object{}, "status")
		w.list()
	}},
	{"merge patch that is no object is BadRequest", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		for _, body := range []string{"null", "7", "true", `"x"`, "[]", "[1]", "", " ", "{", "{}{}", "{} {}", "{}x", "{'a':1}", "{a:1}", `{"a":1,}`, "{}\n", "\n{}", "/**/{}", "\xff"} {
			w.merge("a", body)
		}
		w.get("a")
	}},
	{"merge patch of whole parts", []string{"message", "details", "finalizers", "generation", "managedFields"}, func(w *world) {
		for _, body := range []string{
			`{"metadata":null}`, `{"metadata":{}}`, `{"metadata":[]}`, `{"metadata":"x"}`, `{"spec":null}`, `{"spec":{}}`, `{"spec":[]}`, `{"spec":"x"}`,
			`{"kind":null}`, `{"apiVersion":null}`, `{"kind":7}`, `{"apiVersion":7}`, `{"kind":""}`, `{"apiVersion":""}`, `{"apiVersion":"a/b/c"}`, `{"items":[]}`, `{"items":null}`,
		} {
			w.create(w.new("a").with("metadata.labels", `{"tier":"gold"}`))
			w.via("dynamic").merge("a", body)
			w.delete("a")
		}
	}},
	{"merge patch with nested nulls", []string{"message", "details", "finalizers"}, func(w *world) {
		w.create(w.new("a").with("metadata.labels", `{"tier":"gold"}`))
		w.merge("a", `{"metadata":{"labels":{"a":null,"b":"c"},"annotations":{"a":null}}}`)
		w.merge("a", `{"metadata":{"finalizers":[null]}}`)
		w.merge("a", `{"metadata":{"ownerReferences":[{"name":null}]}}`)
		w.merge("a", `{"status":{"conditions":[{"type":"Ready","status":"True","reason":null}]}}`, "status")
		w.merge("a", `{"status":{"conditions":[{"type":null}]}}`, "status")
		w.merge("a", `{"new":{"a":null,"b":{"c":null}}}`)
		w.via("dynamic").get("a")
	}},
	{"merge patch of metadata of another type", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		for _, metadata := range []string{
			`{"labels":[]}`, `{"labels":{"a":1}}`, `{"labels":{"a":{}}}`, `{"annotations":"x"}`, `{"annotations":{"a":true}}`, `{"finalizers":{}}`, `{"finalizers":[1]}`, `{"finalizers":"x"}`,
			`{"ownerReferences":[1]}`, `{"ownerReferences":{}}`, `{"uid":7}`, `{"uid":""}`, `{"generation":"x"}`, `{"generation":1e3}`, `{"creationTimestamp":"soon"}`, `{"creationTimestamp":7}`,
			`{"deletionTimestamp":"x"}`, `{"deletionGracePeriodSeconds":"x"}`, `{"deletionGracePeriodSeconds":5}`, `{"managedFields":"x"}`, `{"managedFields":[1]}`, `{"name":7}`, `{"namespace":7}`, `{"namespace":null}`, `{"namespace":""}`, `{"selfLink":"x"}`, `{"generateName":"G_"}`, `{"unknown":"x"}`,
		} {
			w.merge("a", `{"metadata":`+metadata+`}`)
		}
		w.get("a")
	}},
	{"patch of a resourceVersion of any form", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		for _, version := range []string{`""`, `"0"`, `"00"`, `"-1"`, `"+1"`, `"soon"`, `"1.5"`, `" 1"`, `"0x1"`, `"18446744073709551615"`, `"18446744073709551616"`, `1`, `null`, `[]`} {
			w.merge("a", `{"metadata":{"resourceVersion":`+version+`,"labels":{"a":"b"}}}`)
			w.merge("a", `{"metadata":{"resourceVersion":`+version+`},"status":{"replicas":2}}`, "status")
		}
		w.get("a")
	}},
	{"update of a resourceVersion of any form", []string{"message", "details"}, func(w *world) {
		a := w.create(w.new("a"))
		for _, version := range []string{"", "0", "00", "-1", "+1", "1.5", " 1", "0x1", "18446744073709551615", "18446744073709551616"} {
			w.update(a.with("metadata.resourceVersion", version).with("spec.image", "image:v2"))
			w.updateStatus(a.with("metadata.resourceVersion", version).with("status.replicas", 2))
		}
		w.get("a")
	}},
	{"create of a resourceVersion of any form", []string{"message", "details"}, func(w *world) {
		for i, version := range []string{"", "0", "00", "-1", "+1", "1.5", " 1", "0x1", "18446744073709551615", "18446744073709551616"} {
			w.create(w.new(fmt.Sprintf("a-%d", i)).with("metadata.resourceVersion", version))
			w.create(w.new(fmt.Sprintf("a-%d", i)).with("metadata.resourceVersion", version), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		}
		w.list()
	}},
	{"apply of a resourceVersion of any form", []string{"message", "details"}, func(w *world) {
		for i, version := range []string{"", "0", "00", "-1", "soon", "1", "18446744073709551616"} {
			name := fmt.Sprintf("a-%d", i)
			w.apply("m", w.new(name).with("metadata.resourceVersion", version))
			w.apply("m", w.new(name))
			w.apply("m", w.new(name).with("metadata.resourceVersion", version).with("spec.image", "image:v2"))
		}
		w.list()
	}},
	{"a JSON patch that is no list is BadRequest", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		for _, body := range []string{"null", "{}", "7", `"x"`, "[null]", "[1]", `["x"]`, "[[]]", "[{}]", "", "[]]", "[],", "[] []"} {
			w.json("a", body)
		}
		w.get("a")
	}},
	{"a JSON patch with malformed operations", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a").with("metadata.labels", `{"tier":"gold"}`))
		for _, operation := range []string{
			`{"op":"add"}`, `{"op":"add","path":"/spec/image"}`, `{"op":"add","path":"/spec/image","value":null}`, `{"op":"add","value":"x"}`, `{"op":"add","path":"","value":{}}`,
			`{"op":"add","path":"spec/image","value":"x"}`, `{"op":"add","path":"/","value":"x"}`, `{"op":"add","path":"/spec/a/b/c","value":"x"}`, `{"op":"add","path":7,"value":"x"}`,
			`{"op":"ADD","path":"/spec/image","value":"x"}`, `{"op":7,"path":"/spec/image","value":"x"}`, `{"op":null,"path":"/spec/image","value":"x"}`, `{"path":"/spec/image","value":"x"}`,
			`{"op":"remove","path":""}`, `{"op":"remove","path":"/spec"}`, `{"op":"remove","path":"/metadata"}`, `{"op":"remove","path":"/metadata/name"}`, `{"op":"remove","path":"/kind"}`,
			`{"op":"copy","path":"/spec/image"}`, `{"op":"copy","from":"/spec/nothing","path":"/spec/image"}`, `{"op":"move","from":"/spec","path":"/spec/image"}`, `{"op":"move","path":"/spec/image"}`, `{"op":"copy","from":7,"path":"/spec/image"}`,
			`{"op":"test","path":"/spec/image"}`, `{"op":"test","path":"/spec/nothing","value":null}`, `{"op":"test","path":"/spec/nothing","value":"x"}`, `{"op":"test","path":"/spec/replicas","value":"1"}`, `{"op":"test","path":"/metadata/labels","value":{"tier":"gold"}}`, `{"op":"test","path":"","value":null}`,
			`{"op":"replace","path":"/metadata/labels/~2","value":"x"}`, `{"op":"replace","path":"/spec/image","value":"x","unknown":"y"}`, `{"op":"replace","path":"/spec/image","value":"x","value":"y"}`, `{"op":"replace","path":"","value":{"spec":{}}}`,
		} {
			w.json("a", "["+operation+"]")
		}
		w.get("a")
	}},
	{"a JSON patch with indexes", []string{"message", "details", "finalizers"}, func(w *world) {
		w.create(w.new("a").with("metadata.finalizers", `["example.com/a","example.com/b"]`))
		for _, index := range []string{"-", "-1", "-2", "-3", "0", "2", "3", "9", "00", "+1", "1e0", "x", ""} {
			w.json("a", `[{"op":"test","path":"/metadata/finalizers/`+index+`","value":"example.com/a"}]`)
			w.json("a", `[{"op":"replace","path":"/metadata/finalizers/`+index+`","value":"example.com/c"}]`)
			w.json("a", `[{"op":"add","path":"/metadata/finalizers/`+index+`","value":"example.com/d"}]`)
			w.json("a", `[{"op":"remove","path":"/metadata/finalizers/`+index+`"}]`)
		}
		w.get("a")
	}},
	{"a JSON patch of too many operations", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		for _, n := range []int{10000, 10001} {
			body := "[" + strings.Repeat(`{"op":"test","path":"/spec/replicas","value":1},`, n-1) + `{"op":"test","path":"/spec/replicas","value":1}]`
			_, err := w.client().patch(w, "a", types.JSONPatchType, []byte(body), metav1.PatchOptions{})
			w.see("patch", nil, err)
		}
	}},
	{"strict field validation of patches", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		for _, validation := range []string{"Strict", "Warn", "Ignore", ""} {
			opts := metav1.PatchOptions{FieldValidation: validation}
			w.patch("a", types.MergePatchType, `{"spec":{"unknown":"x"},"unknown":{"y":1}}`, opts)
			w.patch("a", types.MergePatchType, `{"metadata":{"unknown":"x"}}`, opts)
			w.patch("a", types.MergePatchType, `{"spec":{"image":"image:v2","image":"image:v3"}}`, opts)
			w.patch("a", types.MergePatchType, `{"spec":{"replicas":1},"spec":{"replicas":2}}`, opts)
			w.patch("a", types.MergePatchType, `{"status":{"conditions":[{"type":"Ready","status":"True","unknown":1}]}}`, opts, "status")
			w.patch("a", types.JSONPatchType, `[{"op":"replace","path":"/spec/image","value":"image:v4","unknown":1}]`, opts)
			w.patch("a", types.JSONPatchType, `[{"op":"replace","path":"/spec/image","path":"/spec/image","value":"image:v5"}]`, opts)
			w.patch("a", types.JSONPatchType, `[{"op":"add","path":"/spec/unknown","value":"x"}]`, opts)
			w.patch("a", types.JSONPatchType, `{}`, opts)
			w.patch("a", types.JSONPatchType, `[{"op":7}]`, opts)
			w.patch("a", types.MergePatchType, `[]`, opts)
		}
		w.get("a")
	}},
	{"strict field validation of objects", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		for _, validation := range []string{"Strict", "Warn", "Ignore", ""} {
			name := "a-" + strings.ToLower(validation) + "x"
			d.create(w.new(name).with("spec.unknown", "x").with("unknown", "y").with("metadata.unknown", "z"), metav1.CreateOptions{FieldValidation: validation})
			d.create(w.new(name).with("status.conditions", `[{"type":"Ready","unknown":1}]`).with("status.unknown", "x"), metav1.CreateOptions{FieldValidation: validation})
			a := d.create(w.new("b-" + name))
			d.update(a.with("spec.unknown", "x").with("unknown", `{"a":[{"b":"c"}]}`), metav1.UpdateOptions{FieldValidation: validation})
			d.updateStatus(d.get("b-"+name).with("status.unknown", "x").with("spec.unknown", "x"), metav1.UpdateOptions{FieldValidation: validation})
		}
		d.list()
	}},
	{"patches of the scale that are malformed", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		d.create(w.new("a"))
		for _, body := range []string{
			"null", "[]", "{", "{}", `{"spec":null}`, `{"spec":"x"}`, `{"spec":{"replicas":2,"unknown":1}}`, `{"unknown":1}`, `{"metadata":null}`, `{"metadata":{"name":"b"}}`, `{"metadata":{"uid":"other"}}`,
			`{"metadata":{"resourceVersion":"1"}}`, `{"metadata":{"labels":{"a":"b"}}}`, `{"kind":"Other"}`, `{"apiVersion":"v1"}`, `{"kind":null}`, `{"status":{"replicas":5}}`, `{"status":null}`,
		} {
			d.merge("a", body, "scale")
		}
		d.json("a", `[{"op":"remove","path":"/spec"}]`, "scale")
		d.json("a", `[{"op":"test","path":"/spec/replicas","value":9}]`, "scale")
		d.patch("a", types.MergePatchType, `{"spec":{"unknown":1}}`, metav1.PatchOptions{FieldValidation: "Strict"}, "scale")
		d.patch("a", types.StrategicMergePatchType, `{"spec":{"replicas":4}}`, metav1.PatchOptions{}, "scale")
		d.get("a")
	}},
	{"updates of the scale that are malformed", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		d.create(w.new("a"))
		s := d.scale("a")
		for _, o := range []object{
			s.with("kind", "Other"), s.with("apiVersion", "v1"), s.without("kind"), s.without("apiVersion"), s.with("spec", "x"), s.with("spec", nil), s.with("spec.replicas", "3"), s.with("spec.replicas", 2.5),
			s.with("spec.replicas", nil), s.with("spec.replicas", int64(1)<<40), s.with("spec.unknown", "x"), s.with("unknown", "x"), s.with("metadata.uid", "other"), s.with("metadata.namespace", "west"),
			s.with("metadata.labels", `{"a":"b"}`).with("spec.replicas", 4), s.with("metadata.resourceVersion", "soon"), s.without("metadata"), s.with("status.replicas", "x"),
		} {
			d.updateScale("a", o)
		}
		d.updateScale("a", s.with("spec.unknown", "x"), metav1.UpdateOptions{FieldValidation: "Strict"})
		d.updateScale("a", s, metav1.UpdateOptions{FieldValidation: "x", DryRun: []string{"x"}})
		d.get("a")
	}},
	{"patches of a subresource that is not there", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		d.create(w.new("a"))
		for _, subresource := range []string{"statuses", "Status", "status/x", "scale/x", "a b", "log"} {
			d.merge("a", `{}`, subresource)
		}
	}},
}

// applyBody applies a text as the object a.
func applyBody(w *world, body string) {
	force := true
	result, err := w.client().patch(w, "a", types.ApplyYAMLPatchType, []byte(body), metav1.PatchOptions{FieldManager: "m", Force: &force})
	w.see(fmt.Sprintf("apply %q", body), result, err)
}
