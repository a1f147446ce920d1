package e2e

import (
	"encoding/json"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// valueBehaviours are about values that no Go type of a kind has: they come from dynamic clients and from patches.
var valueBehaviours = []behaviour{
	{"a whole number in a float of the dynamic client is an integer", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		d.create(w.new("a").with("spec.replicas", float64(2)).with("spec.historyLimit", float64(4)))
		d.update(d.get("a").with("spec.replicas", float64(3)))
		w.get("a")
	}},
	{"an exponent in the replicas of the scale is Invalid", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		for _, n := range []json.Number{"1e2", "2.0", "2.5", "-1e0", "0e0", "1E2"} {
			d.create(w.new("a").with("spec.replicas", n))
		}
		a := d.create(w.new("b"))
		d.update(a.with("spec.replicas", json.Number("1e2")))
		d.updateStatus(a.with("status.replicas", json.Number("1e2")))
		w.list()
	}},
	{"an exponent in another integer is stored as an integer", []string{"message", "details", "generation", "resourceVersion", "managedFields"}, func(w *world) {
		d := w.via("dynamic")
		a := d.create(w.new("a").with("spec.historyLimit", json.Number("1e2")))
		w.get("a")
		a = d.update(a.with("spec.historyLimit", json.Number("1e2")))
		a = d.update(a.with("spec.historyLimit", json.Number("100.0")))
		d.update(a.with("spec.historyLimit", json.Number("2e2")))
		d.merge("a", `{"spec":{"historyLimit":2e2}}`)
		d.merge("a", `{"spec":{"historyLimit":200}}`)
		d.merge("a", `{"spec":{"historyLimit":2.5}}`)
		d.json("a", `[{"op":"test","path":"/spec/historyLimit","value":200},{"op":"replace","path":"/spec/historyLimit","value":3.0}]`)
		w.get("a")
	}},
	{"numbers out of the range of integers", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		for _, n := range []json.Number{"2147483647", "2147483648", "-2147483649", "9223372036854775807", "9223372036854775808", "1e19", "1e300", "-0", "-0.0"} {
			d.create(w.new("a").with("spec.historyLimit", n), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			d.create(w.new("a").with("spec.replicas", n), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		}
		d.create(w.new("b"))
		d.merge("b", `{"spec":{"historyLimit":1e400}}`)
		d.merge("b", `{"spec":{"historyLimit":99999999999999999999}}`)
		d.list()
	}},
	{"large floats of the dynamic client", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		for _, n := range []float64{1 << 53, 1 << 60, 1 << 63, 1e20, 1e21, 1e22, 0.1, -1 << 62} {
			d.create(w.new("a").with("spec.historyLimit", n), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		}
		d.list()
	}},
	{"merge patch with numbers in several notations", []string{"message", "details", "generation", "resourceVersion"}, func(w *world) {
		w.create(w.new("a"))
		for _, n := range []string{"1e0", "1.0", "1", "1E2", "2.50", "-0", "01", "+1", ".5", "1.", "NaN", "Infinity", "0x10", "1_000", "1e", "- 1", "١"} {
			w.merge("a", `{"spec":{"replicas":`+n+`}}`)
		}
		w.get("a")
	}},
	{"JSON patch with numbers in several notations", []string{"message", "details", "generation", "resourceVersion"}, func(w *world) {
		w.create(w.new("a"))
		for _, n := range []string{"1e0", "1.0", "1", "1E2", "2.50", "-0", "01"} {
			w.json("a", `[{"op":"test","path":"/spec/replicas","value":`+n+`}]`)
			w.json("a", `[{"op":"replace","path":"/spec/replicas","value":`+n+`}]`)
			w.json("a", `[{"op":"replace","path":"/spec/historyLimit","value":`+n+`}]`)
		}
		w.get("a")
	}},
	{"apply with numbers in several notations", []string{"message", "details", "managedFields"}, func(w *world) {
		for _, n := range []string{"1e2", "2.0", "2.5", "0x10", "0o17", "0b11", "017", "1_000", "+3", ".inf", ".nan", `"4"`, "!!str 5", "!!int 6", "!!float 7"} {
			applyYAML(w, "spec:\n  cronSpec: x\n  replicas: "+n+"\n")
			applyYAML(w, "spec:\n  cronSpec: x\n  replicas: 1\n  historyLimit: "+n+"\n")
		}
		w.get("a")
	}},
	{"patch of the status with numbers in several notations", []string{"message", "details", "resourceVersion"}, func(w *world) {
		w.create(w.new("a"))
		for _, n := range []string{"1e2", "2.0", "2.5", "-1", "2147483648", "null", `"3"`, "true", "[]", "{}"} {
			w.merge("a", `{"status":{"replicas":`+n+`}}`, "status")
		}
		w.get("a")
	}},
	{"patch of the scale with numbers in several notations", []string{"message", "details", "generation"}, func(w *world) {
		d := w.via("dynamic")
		d.create(w.new("a"))
		for _, n := range []string{"1e1", "2.0", "2.5", "-1", "2147483648", "null", `"3"`, "true", "[]"} {
			d.merge("a", `{"spec":{"replicas":`+n+`}}`, "scale")
		}
		d.get("a")
	}},
	{"values of another type than that of the kind are Invalid", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		for _, field := range []string{"spec.image", "spec.replicas", "spec.suspend", "spec.historyLimit", "status.replicas", "status.conditions", "status.lastScheduleTime"} {
			for _, v := range []any{"text", int64(7), true, 2.5, []any{}, []any{"x"}, map[string]any{}, map[string]any{"x": "y"}} {
				o := w.new("a").with(field, v)
				d.create(o)
				d.delete("a")
			}
		}
	}},
	{"several values of another type are all reported", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		d.create(w.new("a").with("spec.image", 7).with("spec.suspend", "yes").with("spec.className", `["x"]`))
		d.create(w.new("A").with("spec.image", 7))
		d.create(w.new("a").with("spec.image", 7).with("spec.replicas", -1))
		d.create(w.new("a").with("spec.image", 7).with("metadata.labels", `{"a b":"c"}`))
		w.list()
	}},
	{"a spec that is no object is Invalid", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		for _, v := range []any{"text", int64(7), true, []any{}, nil, map[string]any{}} {
			d.create(w.new("a").with("spec", v))
			d.delete("a")
		}
		d.create(w.new("b").without("spec"))
		d.get("b")
		d.merge("b", `{"spec":null}`)
		d.merge("b", `{"spec":[]}`)
		d.merge("b", `{"spec":"x"}`)
		d.merge("b", `{"status":"x"}`, "status")
		d.merge("b", `{"status":[]}`, "status")
		d.get("b")
	}},
	{"nulls in the spec", []string{"message", "details", "managedFields", "generation"}, func(w *world) {
		d := w.via("dynamic")
		for _, field := range []string{"spec.image", "spec.replicas", "spec.suspend", "spec.historyLimit", "spec.className"} {
			d.create(w.new("a").with(field, nil))
			d.get("a")
			d.delete("a")
		}
		a := d.create(w.new("b"))
		d.update(a.with("spec.image", nil).with("spec.historyLimit", nil))
		d.get("b")
		d.json("b", `[{"op":"replace","path":"/spec/cronSpec","value":null}]`)
		d.json("b", `[{"op":"add","path":"/spec/className","value":null}]`)
		d.get("b")
	}},
	{"nulls in the status", []string{"message", "details", "managedFields"}, func(w *world) {
		d := w.via("dynamic")
		a := d.create(w.new("a").with("status", nil))
		d.get("a")
		a = d.updateStatus(a.with("status", nil))
		a = d.updateStatus(a.with("status.replicas", nil).with("status.conditions", nil))
		d.updateStatus(a.with("status.conditions", []any{nil}))
		d.updateStatus(a.with("status.conditions", []any{map[string]any{}}))
		d.updateStatus(a.with("status.lastScheduleTime", nil).with("status.replicas", 2))
		d.get("a")
	}},
	{"nulls in metadata", []string{"message", "details", "managedFields", "finalizers", "ownerReferences", "uid", "generation"}, func(w *world) {
		d := w.via("dynamic")
		for _, field := range []string{"labels", "annotations", "finalizers", "ownerReferences", "uid", "resourceVersion", "creationTimestamp", "managedFields", "generateName", "generation", "deletionGracePeriodSeconds", "namespace"} {
			d.create(w.new("a").with("metadata."+field, nil))
			d.delete("a")
		}
		a := d.create(w.new("b").with("metadata.labels", `{"tier":"gold"}`))
		d.update(a.with("metadata.labels", nil).with("metadata.uid", nil).with("metadata.creationTimestamp", nil))
		d.update(a.with("metadata", nil))
		d.get("b")
	}},
	{"metadata that is no object is BadRequest", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		for _, v := range []any{"text", int64(7), true, []any{}, nil, map[string]any{}} {
			d.create(w.new("a").with("metadata", v))
		}
		d.create(w.new("b").without("metadata"))
		w.list()
	}},
	{"values of another type in metadata are BadRequest", []string{"message", "details", "generation", "finalizers"}, func(w *world) {
		d := w.via("dynamic")
		for _, f := range []struct {
			field  string
			values []any
		}{
			{"name", []any{int64(7), true, []any{}, map[string]any{}}},
			{"labels", []any{"x", []any{}, map[string]any{"a": int64(1)}, map[string]any{"a": nil}, map[string]any{"a": map[string]any{}}}},
			{"annotations", []any{"x", map[string]any{"a": true}, map[string]any{"a": nil}, map[string]any{"a": 1.5}}},
			{"finalizers", []any{"x", []any{nil}, []any{int64(1)}, map[string]any{}}},
			{"ownerReferences", []any{"x", []any{nil}, []any{"x"}, []any{map[string]any{}}, map[string]any{}, []any{map[string]any{"controller": "yes"}}}},
			{"uid", []any{int64(7)}},
			{"resourceVersion", []any{int64(7)}},
			{"generation", []any{"7", 1.5, json.Number("7.0"), json.Number("1e1"), true}},
			{"creationTimestamp", []any{"soon", "", int64(7), "2001-02-03", map[string]any{}}},
			{"deletionTimestamp", []any{"soon", true}},
			{"deletionGracePeriodSeconds", []any{"7", 1.5}},
			{"managedFields", []any{"x", map[string]any{}, []any{nil}, []any{"x"}}},
			{"generateName", []any{int64(7)}},
			{"namespace", []any{int64(7)}},
			{"selfLink", []any{int64(7)}},
		} {
			for _, v := range f.values {
				o := w.new("a")
				if f.field == "name" {
					o = w.new("")
				}
				w.note("%s", f.field)
				d.create(o.with("metadata."+f.field, v))
				d.delete("a")
			}
		}
	}},
	{"kind and apiVersion that are no strings", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		for _, field := range []string{"kind", "apiVersion"} {
			for _, v := range []any{nil, "", int64(7), true, []any{}, map[string]any{}} {
				d.create(w.new("a").with(field, v))
				d.list()
			}
			d.create(w.new("a").without(field))
		}
		d.create(w.new("a").with("apiVersion", "a/b/c"))
		d.create(w.new("a").with("apiVersion", "v1"))
		d.create(w.new("a").with("apiVersion", strings.ToUpper(w.kind.GroupVersion().String())))
		d.create(w.new("a").with("kind", strings.ToLower(w.kind.Kind)))
		d.create(w.new("a").with("kind", w.kind.Kind+"List"))
		d.create(object{})
		w.list()
	}},
	{"names of fields have a case", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		d.create(w.new("a").with("spec.Image", "image:v9").with("Spec", `{"image":"x"}`).with("metadata.Labels", `{"a":"b"}`).with("metadata.Name", "z"))
		d.get("a")
		d.create(w.new("a").with("spec.Image", "image:v9"), metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
		d.create(w.new("b").without("metadata.name").with("metadata.NAME", "b"))
		d.merge("a", `{"Metadata":{"labels":{"a":"b"}},"spec":{"IMAGE":"image:v8"}}`)
		d.get("a")
	}},
	{"a list in place of an object", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		d.create(w.new("a").with("items", []any{}))
		d.get("a")
		d.create(w.new("b").with("items", []any{map[string]any{"x": "y"}}).with("kind", w.kind.Kind+"List"))
		d.list()
	}},
	{"strings that are hard to encode", []string{"message", "details"}, func(w *world) {
		for i, text := range []string{"\x00", "a\xffb", "<>&", "\u2028\u2029", "\ufeff", "\U0001f600", "\t\n\r", `\"/`, "\ufffd", strings.Repeat("long ", 1000)} {
			name := string(rune('a' + i))
			w.create(w.new(name).with("spec.image", text).with("metadata.annotations", map[string]any{"text": text}))
			w.get(name)
		}
		w.create(w.new("y").with("metadata.labels", map[string]any{"a": "\xff"}))
		w.create(w.new("z").with("metadata.annotations", map[string]any{"\xff": "x"}))
		w.create(w.new("\xff"))
		w.merge("a", `{"spec":{"image":"\ud800"}}`)
		w.merge("a", "{\"spec\":{\"image\":\"\xff\"}}")
		w.merge("a", `{"spec":{"image":"\u0000\u00e4\ud83d\ude00"}}`)
		w.merge("a", "{\"spec\":{\"image\":\"a\nb\"}}")
		w.merge("a", "\ufeff{}")
		w.get("a")
	}},
	{"times keep the form in which they were sent", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		a := d.create(w.new("a"))
		for _, text := range []string{"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.678901Z", "2026-01-02T05:04:05+02:00", "soon", "", "2026-13-40T00:00:00Z"} {
			a = d.updateStatus(d.get("a").with("status.lastScheduleTime", text))
			d.get("a")
		}
		w.note("%s", a.title())
	}},
	{"times of metadata keep no fractions", []string{"message", "details", "deletionTimestamp", "managedFields"}, func(w *world) {
		d := w.via("dynamic")
		d.create(w.new("a").with("metadata.creationTimestamp", "2001-02-03T04:05:06.789Z").with("metadata.managedFields",
			`[{"manager":"m","operation":"Update","apiVersion":"`+w.kind.GroupVersion().String()+`","time":"2001-02-03T04:05:06.789+02:00","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:image":{}}}}]`))
		d.get("a")
		d.merge("a", `{"metadata":{"creationTimestamp":"2001-02-03T04:05:06.789Z"}}`)
	}},
	{"conditions without a time", []string{"message", "details", "managedFields"}, func(w *world) {
		ready := `[{"type":"Ready","status":"True","reason":"Tested","message":""}]`
		a := w.create(w.new("a"))
		w.updateStatus(a.with("status.conditions", ready))
		w.via("dynamic").get("a")
		w.merge("a", `{"status":{"conditions":`+ready+`}}`, "status")
		w.apply("m", w.intent("a").with("status.conditions", ready), "status")
		w.via("dynamic").get("a")
	}},
	{"conditions of one type twice", []string{"message", "details", "managedFields"}, func(w *world) {
		twice := `[{"type":"Ready","status":"True","reason":"One","message":"","lastTransitionTime":"2026-01-02T03:04:05Z"},
			{"type":"Ready","status":"False","reason":"Two","message":"","lastTransitionTime":"2026-01-02T03:04:05Z"}]`
		a := w.create(w.new("a"))
		w.updateStatus(a.with("status.conditions", twice))
		w.apply("m", w.intent("a").with("status.conditions", twice), "status")
		w.merge("a", `{"status":{"conditions":`+twice+`}}`, "status")
		w.get("a")
	}},
	{"apply of a list without its keys", []string{"message", "details", "managedFields"}, func(w *world) {
		d := w.via("dynamic")
		d.create(w.new("a"))
		for _, conditions := range []string{`[{}]`, `[{"status":"True"}]`, `[null]`, `["x"]`, `{}`, `[{"type":null}]`, `[{"type":7}]`, `[]`} {
			d.apply("m", w.intent("a").with("status.conditions", conditions), "status")
		}
		d.apply("m", w.intent("a").with("status.conditions", nil), "status")
		d.get("a")
	}},
	{"an object that is too large is refused", []string{"message", "details"}, func(w *world) {
		_, err := w.client().create(w, w.new("a").with("spec.image", strings.Repeat("x", 4<<20)), metav1.CreateOptions{})
		w.see("create", nil, err)
	}},
	{"a patch that is too large is refused", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		for _, n := range []int{3<<20 - 2, 3<<20 - 1} {
			_, err := w.client().patch(w, "a", types.MergePatchType, []byte("{"+strings.Repeat(" ", n)+"}"), metav1.PatchOptions{})
			w.see("patch", nil, err)
		}
	}},
}

// applyYAML applies what follows the kind and the name of the object a.
func applyYAML(w *world, text string) {
	head := "apiVersion: " + w.kind.GroupVersion().String() + "\nkind: " + w.kind.Kind + "\nmetadata: {name: a}\n"
	force := true
	result, err := w.client().patch(w, "a", types.ApplyYAMLPatchType, []byte(head+text), metav1.PatchOptions{FieldManager: "m", Force: &force})
	w.see("apply "+text, result, err)
}
