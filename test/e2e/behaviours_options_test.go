package e2e

import (
	"context"
	"errors"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var nowhere = []string{"", "a/b", "a%b", ".", "..", "A", "a b", "-", "ä", strings.Repeat("x", 300)}

// requestBehaviours are about names, namespaces, options and contexts that make no sense, for every verb.
var requestBehaviours = []behaviour{
	{"names that no object has", []string{"message", "details"}, func(w *world) {
		for _, name := range nowhere {
			w.get(name)
			w.delete(name)
			w.merge(name, `{"spec":{"image":"image:v2"}}`)
			w.merge(name, `{"status":{"replicas":2}}`, "status")
			w.update(w.new(name))
			w.updateStatus(w.new(name))
			if name != "" {
				w.apply("m", w.new(name))
			}
		}
		w.list()
	}},
	{"names that no object has, for the metadata client", []string{"message", "details"}, func(w *world) {
		m := w.via("metadata")
		for _, name := range []string{"", "a%b", "A", "a b", "-", "ä", strings.Repeat("x", 300)} {
			m.get(name)
			m.delete(name)
			m.merge(name, `{"metadata":{"labels":{"a":"b"}}}`)
		}
	}},
	{"namespaces that there cannot be", []string{"message", "details"}, func(w *world) {
		for _, namespace := range nowhere[1:] {
			in := w.in(namespace)
			in.create(w.new("a"))
			in.get("a")
			in.list()
			in.update(w.new("a"))
			in.merge("a", `{"spec":{"image":"image:v2"}}`)
			in.apply("m", w.new("a"))
			in.delete("a")
			in.deleteCollection(metav1.ListOptions{})
		}
		w.in("").list()
	}},
	{"requests without a namespace", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		all := w.in("")
		all.create(w.new("b"))
		all.get("a")
		all.update(w.new("a"))
		all.merge("a", `{"spec":{"image":"image:v2"}}`)
		all.apply("m", w.new("a"))
		all.delete("a")
		w.list()
	}},
	{"deleteCollection without a namespace", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.in("").deleteCollection(metav1.ListOptions{})
		w.list()
	}},
	{"objects of another name or namespace than the request", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		a := d.create(w.new("a"))
		d.update(a.with("metadata.namespace", "west"))
		d.updateStatus(a.with("metadata.namespace", "west"))
		d.patch("a", types.ApplyYAMLPatchType, compact(w.new("a").with("metadata.namespace", "west")), metav1.PatchOptions{FieldManager: "m"})
		d.patch("a", types.ApplyYAMLPatchType, compact(w.new("b")), metav1.PatchOptions{FieldManager: "m"}, "status")
		d.merge("a", `{"metadata":{"name":"b"}}`, "status")
		d.merge("a", `{"metadata":{"namespace":"west"}}`, "status")
		d.in("west").create(w.new("a").with("metadata.namespace", w.namespace))
		d.list()
	}},
	{"uids of any form", []string{"message", "details"}, func(w *world) {
		a := w.create(w.new("a"))
		for _, uid := range []string{"", " ", "x", "00000000-0000-0000-0000-000000000000"} {
			result, err := w.client().update(w, a.with("metadata.uid", uid).with("spec.image", "image:v2").without("metadata.resourceVersion"), metav1.UpdateOptions{}, "")
			w.see("update", result, err)
			w.see("delete", nil, w.client().delete(w, "a", metav1.DeleteOptions{DryRun: []string{"All"}, Preconditions: &metav1.Preconditions{UID: new(types.UID(uid))}}))
			result, err = w.client().patch(w, "a", types.MergePatchType, []byte(`{"metadata":{"uid":"`+uid+`","labels":{"a":"b"}}}`), metav1.PatchOptions{})
			w.see("patch", result, err)
			result, err = w.client().apply(w, w.new("a").with("metadata.uid", uid), metav1.ApplyOptions{FieldManager: "m", Force: true}, "")
			w.see("apply", result, err)
		}
		w.get("a")
	}},
	{"versions of any form in get and list", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		for _, version := range []string{"-1", "+1", "00", "01", "1", "1.5", " 1", "0x1", "soon", "18446744073709551616"} {
			w.get("a", metav1.GetOptions{ResourceVersion: version})
			w.get("b", metav1.GetOptions{ResourceVersion: version})
			w.list(metav1.ListOptions{ResourceVersion: version})
			w.list(metav1.ListOptions{ResourceVersion: version, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})
		}
	}},
	{"versions of any form in a watch", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		for _, version := range []string{"-1", "+1", "1.5", " 1", "0x1", "soon", "18446744073709551616"} {
			w.watch(metav1.ListOptions{ResourceVersion: version})
			w.watch(metav1.ListOptions{ResourceVersion: version, SendInitialEvents: new(true), AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})
		}
	}},
	{"versions of any form as preconditions", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		for _, version := range []string{"", "0", "soon", "-1", "1", "18446744073709551616"} {
			w.see("delete", nil, w.client().delete(w, "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &version}}))
		}
		w.delete("a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{}})
		w.list()
	}},
	{"continue tokens of any form", []string{"message", "details"}, func(w *world) {
		createMany(w, 3)
		for _, token := range []string{"x", "%", "e30=", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIifQ", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MCwic3RhcnQiOiJhIn0",
			"eyJ2IjoibWV0YS5rOHMuaW8vdjIiLCJydiI6MSwic3RhcnQiOiJhIn0", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiLi4vLi4vYSJ9", "bnVsbA", "W10", "eyJ2Ijo3fQ"} {
			w.list(metav1.ListOptions{Continue: token})
			w.list(metav1.ListOptions{Continue: token, Limit: 1})
		}
		w.list(metav1.ListOptions{Limit: 1, ResourceVersion: "0", ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})
	}},
	{"limits of any size", []string{"message", "details", "continue", "remainingItemCount"}, func(w *world) {
		createMany(w, 3)
		for _, limit := range []int64{0, 1, 3, 4, 1 << 40, -1, -1 << 62} {
			w.list(metav1.ListOptions{Limit: limit})
			w.deleteCollection(metav1.ListOptions{Limit: limit, LabelSelector: "no=thing"})
		}
		w.watch(metav1.ListOptions{Limit: 1, ResourceVersion: "0", TimeoutSeconds: new(int64(1))})
		w.watch(metav1.ListOptions{Limit: -1, ResourceVersion: "0", TimeoutSeconds: new(int64(1))})
		w.watch(metav1.ListOptions{Continue: "x", ResourceVersion: "0", TimeoutSeconds: new(int64(1))})
	}},
	{"label selectors of any form", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		d.create(w.new("a").with("metadata.labels", `{"a":"b","example.com/c":"d"}`))
		for _, selector := range []string{
			" a = b ", "a=b,", ",a=b", "a,,b", "a in ()", "a in (b", "a in (b,)", "a notin (b,c)", "a=b=c", "a!=", "!a", "! a", "a>1", "a<1", "a>b", "example.com/c=d", "example.com/c/d=e", "A_b.c=D",
			"a=-b", "-a=b", "a=" + strings.Repeat("x", 64), strings.Repeat("x", 64), "a=ä", "a;b", "a==b", "a===b", "a=in", "in", "in in (in)", "a\n=b",
		} {
			d.list(metav1.ListOptions{LabelSelector: selector})
			d.watch(metav1.ListOptions{LabelSelector: selector, ResourceVersion: "1", TimeoutSeconds: new(int64(1))})
			d.deleteCollection(metav1.ListOptions{LabelSelector: selector}, metav1.DeleteOptions{DryRun: []string{"All"}})
		}
	}},
	{"field selectors of any form", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		d.create(w.new("a"))
		for _, selector := range []string{
			" metadata.name = a ", "metadata.name=a,", ",metadata.name=a", "metadata.name", "metadata.name=", "metadata.name!=", "=a", "!=a", "metadata.name==a", "metadata.name===a", "metadata.name in (a)", `metadata.name=a\,b`,
			`metadata.name=\x`, `metadata.name=a\`, "metadata.name>a", "metadata.Name=a", "name=a", "metadata.uid=x", "metadata.name=a=b", "spec.image=a,spec.image!=a", "metadata.generateName=", "kind=x",
		} {
			d.list(metav1.ListOptions{FieldSelector: selector})
			d.watch(metav1.ListOptions{FieldSelector: selector, ResourceVersion: "1", TimeoutSeconds: new(int64(1))})
			d.deleteCollection(metav1.ListOptions{FieldSelector: selector}, metav1.DeleteOptions{DryRun: []string{"All"}})
		}
	}},
	{"dry runs of any form", []string{"message", "details"}, func(w *world) {
		a := w.create(w.new("a"))
		for _, dry := range [][]string{{}, {""}, {"All", "All"}, {"all"}, {"All", "Some"}, {"None"}} {
			w.create(w.new("b"), metav1.CreateOptions{DryRun: dry})
			w.update(a.with("spec.image", "image:v2").without("metadata.resourceVersion"), metav1.UpdateOptions{DryRun: dry})
			w.updateStatus(a.with("status.replicas", 2).without("metadata.resourceVersion"), metav1.UpdateOptions{DryRun: dry})
			w.patch("a", types.MergePatchType, `{"spec":{"replicas":3}}`, metav1.PatchOptions{DryRun: dry})
			w.applyWith(metav1.ApplyOptions{FieldManager: "m", DryRun: dry, Force: true}, w.new("a"))
			w.delete("b", metav1.DeleteOptions{DryRun: dry})
			w.deleteCollection(metav1.ListOptions{LabelSelector: "no=thing"}, metav1.DeleteOptions{DryRun: dry})
		}
		w.list()
	}},
	{"field managers of any form", []string{"message", "details", "managedFields"}, func(w *world) {
		for i, manager := range []string{" ", "a/b", "ä", "\t", "\x7f", strings.Repeat("m", 128), strings.Repeat("m", 129), "\u00a0", "a\u200bb"} {
			name := string(rune('a' + i))
			w.create(w.new(name), metav1.CreateOptions{FieldManager: manager})
			a := w.get(name)
			if a["spec"] == nil {
				a = w.create(w.new(name))
			}
			w.update(a.with("spec.image", "image:v2"), metav1.UpdateOptions{FieldManager: manager})
			w.patch(name, types.MergePatchType, `{"spec":{"replicas":3}}`, metav1.PatchOptions{FieldManager: manager})
			w.applyWith(metav1.ApplyOptions{FieldManager: manager, Force: true}, w.new(name))
		}
		w.list()
	}},
	{"field validations of any form", []string{"message", "details"}, func(w *world) {
		a := w.create(w.new("a"))
		for _, validation := range []string{"strict", " Strict", "None"} {
			w.create(w.new("b"), metav1.CreateOptions{FieldValidation: validation})
			w.update(a, metav1.UpdateOptions{FieldValidation: validation})
			w.updateStatus(a, metav1.UpdateOptions{FieldValidation: validation})
			w.patch("a", types.MergePatchType, `{}`, metav1.PatchOptions{FieldValidation: validation})
			w.patch("a", types.ApplyYAMLPatchType, compact(w.new("a")), metav1.PatchOptions{FieldValidation: validation, FieldManager: "m"})
		}
		w.create(w.new("b"), metav1.CreateOptions{FieldValidation: "x", DryRun: []string{"x"}, FieldManager: strings.Repeat("m", 129)})
		w.list()
	}},
	{"options that are wrong come before objects that are", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		d.create(w.new("a").with("metadata.labels", "x"), metav1.CreateOptions{DryRun: []string{"x"}})
		d.create(w.new("a").without("kind"), metav1.CreateOptions{DryRun: []string{"x"}})
		d.create(w.new("a").with("metadata.namespace", "west"), metav1.CreateOptions{DryRun: []string{"x"}})
		d.update(w.new("a").with("metadata.labels", "x"), metav1.UpdateOptions{DryRun: []string{"x"}})
		d.patch("a", types.MergePatchType, `[`, metav1.PatchOptions{DryRun: []string{"x"}})
		d.patch("a", "text/plain", `[`, metav1.PatchOptions{DryRun: []string{"x"}})
		d.patch("a", types.ApplyYAMLPatchType, `[`, metav1.PatchOptions{DryRun: []string{"x"}})
		d.delete("a", metav1.DeleteOptions{DryRun: []string{"x"}})
		d.deleteCollection(metav1.ListOptions{LabelSelector: "!!"}, metav1.DeleteOptions{DryRun: []string{"x"}})
		d.deleteCollection(metav1.ListOptions{FieldSelector: "x=y"}, metav1.DeleteOptions{DryRun: []string{"x"}})
		d.list(metav1.ListOptions{FieldSelector: "x=y", Limit: -1})
		d.list(metav1.ListOptions{LabelSelector: "!!", FieldSelector: "!!", Limit: -1, ResourceVersion: "x", Continue: "x"})
	}},
	{"what is wrong with an object comes before that it is not there", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		d.update(w.new("a").with("metadata.labels", "x"))
		d.update(w.new("a").with("metadata.labels", `{"a b":"c"}`))
		d.update(w.new("a").with("metadata.resourceVersion", "soon"))
		d.update(w.new("a").with("spec.image", 7))
		d.update(w.new("a").with("kind", "Other"))
		d.update(w.new("a").with("metadata.uid", "x"))
		d.merge("a", `{"metadata":{"labels":"x"}}`)
		d.merge("a", `[]`)
		d.json("a", `{}`)
		d.delete("a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: new(types.UID("x"))}})
		d.delete("a", propagation("Sideways"))
	}},
	{"apply options", []string{"message", "details", "managedFields"}, func(w *world) {
		body := compact(w.new("a"))
		w.patch("a", types.ApplyYAMLPatchType, body, metav1.PatchOptions{FieldManager: "m", Force: new(false)})
		w.patch("a", types.ApplyYAMLPatchType, body, metav1.PatchOptions{FieldManager: " "})
		w.patch("a", types.ApplyYAMLPatchType, body, metav1.PatchOptions{Force: new(true)})
		w.patch("a", types.JSONPatchType, `[]`, metav1.PatchOptions{Force: new(false)})
		w.patch("a", types.ApplyCBORPatchType, body, metav1.PatchOptions{FieldManager: "m"})
		w.patch("a", "", body, metav1.PatchOptions{FieldManager: "m"})
		w.patch("a", "application/json", body, metav1.PatchOptions{FieldManager: "m"})
		w.patch("a", "application/merge-patch+json; charset=utf-8", `{}`, metav1.PatchOptions{})
		w.patch("a", "APPLICATION/MERGE-PATCH+JSON", `{}`, metav1.PatchOptions{})
		w.patch("a", "application/apply-patch", body, metav1.PatchOptions{FieldManager: "m"})
		w.get("a")
	}},
	{"delete options that exclude each other", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a").with("metadata.finalizers", `["example.com/a"]`))
		background := metav1.DeletePropagationBackground
		empty := metav1.DeletionPropagation("")
		w.delete("a", orphaning(true, &background))
		w.delete("a", metav1.DeleteOptions{PropagationPolicy: &empty})
		w.delete("a", propagation("background"))
		w.deleteCollection(metav1.ListOptions{}, propagation("background"))
		w.deleteCollection(metav1.ListOptions{}, orphaning(true, &background))
		w.delete("a", metav1.DeleteOptions{IgnoreStoreReadErrorWithClusterBreakingPotential: new(true), DryRun: []string{"All"}})
		w.delete("a", metav1.DeleteOptions{IgnoreStoreReadErrorWithClusterBreakingPotential: new(true), GracePeriodSeconds: new(int64(3))})
		w.get("a")
	}},
	{"delete with the old option for dependents", []string{"finalizers", "deletionTimestamp"}, func(w *world) {
		for i, orphan := range []bool{true, false} {
			name := string(rune('a' + i))
			w.create(w.new(name))
			w.delete(name, orphaning(orphan, nil))
			w.get(name)
			w.create(w.new(name+"-held").with("metadata.finalizers", `["example.com/a","foregroundDeletion"]`))
			w.delete(name+"-held", orphaning(orphan, nil))
			w.get(name + "-held")
		}
	}},
	{"delete with grace periods", []string{"finalizers", "deletionTimestamp", "deletionGracePeriodSeconds", "generation"}, func(w *world) {
		for i, grace := range []int64{0, 30, -1, 1 << 40} {
			name := string(rune('a' + i))
			w.create(w.new(name).with("metadata.finalizers", `["example.com/a"]`))
			w.delete(name, metav1.DeleteOptions{GracePeriodSeconds: &grace})
			w.get(name)
			w.delete(name, metav1.DeleteOptions{GracePeriodSeconds: new(int64(5))})
			w.get(name)
		}
	}},
	{"deleteCollection with preconditions", []string{"message", "details"}, func(w *world) {
		a := w.create(w.new("a"))
		w.create(w.new("b"))
		w.deleteCollection(metav1.ListOptions{}, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: new(types.UID("other"))}})
		w.list()
		w.deleteCollection(metav1.ListOptions{}, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: new(a.version())}})
		w.note("%d", len(w.list().items()))
	}},
	{"deleteCollection with options of lists", []string{"message", "details"}, func(w *world) {
		createMany(w, 4)
		page := w.list(metav1.ListOptions{Limit: 2})
		w.deleteCollection(metav1.ListOptions{Limit: -1})
		w.deleteCollection(metav1.ListOptions{Continue: "x"})
		w.deleteCollection(metav1.ListOptions{ResourceVersion: "soon"})
		w.deleteCollection(metav1.ListOptions{ResourceVersionMatch: "Exact"})
		w.deleteCollection(metav1.ListOptions{ResourceVersion: page.version(), ResourceVersionMatch: "NotOlderThan", LabelSelector: "no=thing"})
		w.deleteCollection(metav1.ListOptions{SendInitialEvents: new(true)})
		w.deleteCollection(metav1.ListOptions{TimeoutSeconds: new(int64(-1))})
		w.deleteCollection(metav1.ListOptions{Watch: true, LabelSelector: "no=thing"})
		w.deleteCollection(metav1.ListOptions{Continue: page.string("metadata.continue")})
		w.list()
	}},
	{"timeouts of any size", []string{"message", "details"}, func(w *world) {
		w.create(w.new("a"))
		w.list()
		for _, seconds := range []int64{0, 1, 30, 1 << 40, -1} {
			w.list(metav1.ListOptions{TimeoutSeconds: &seconds})
		}
		w.watch(metav1.ListOptions{TimeoutSeconds: new(int64(1))}).end()
		w.watch(metav1.ListOptions{TimeoutSeconds: new(int64(1)), ResourceVersion: "0"}).end()
		w.watch(metav1.ListOptions{TimeoutSeconds: new(int64(-1))}).ended()
		w.watch(metav1.ListOptions{TimeoutSeconds: new(int64(-1)), ResourceVersion: "0"}).ended()
	}},
	{"a watch with initial events and a timeout ends", []string{"types"}, func(w *world) {
		w.create(w.new("a"))
		for _, seconds := range []int64{1, 3} {
			w.watch(metav1.ListOptions{
				SendInitialEvents: new(true), AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, TimeoutSeconds: &seconds,
			}).end()
		}
	}},
	{"a watch with bookmarks and a timeout ends", []string{"types"}, func(w *world) {
		a := w.create(w.new("a"))
		w.watch(metav1.ListOptions{AllowWatchBookmarks: true, ResourceVersion: a.version(), TimeoutSeconds: new(int64(3))}).end()
		w.watch(metav1.ListOptions{AllowWatchBookmarks: true, ResourceVersion: "0", TimeoutSeconds: new(int64(1))}).end()
		w.watch(metav1.ListOptions{AllowWatchBookmarks: true, TimeoutSeconds: new(int64(3))}).end()
	}},
	{"a watch with events and a timeout ends", []string{"types", "resourceVersion"}, func(w *world) {
		a := w.create(w.new("a"))
		e := w.watch(metav1.ListOptions{AllowWatchBookmarks: true, ResourceVersion: a.version(), TimeoutSeconds: new(int64(5))})
		w.merge("a", `{"spec":{"image":"image:v2"}}`)
		w.delete("a")
		e.end()
	}},
	{"contexts that are done are errors of every verb", nil, func(w *world) {
		a := w.create(w.new("a"))
		cancelled, cancel := context.WithCancel(w)
		cancel()
		expired, stop := context.WithDeadline(w, time.Now().Add(-time.Second))
		defer stop()
		for _, ctx := range []context.Context{cancelled, expired} {
			check := func(verb string, err error) { w.note("%s %t", verb, err != nil && errors.Is(err, context.Cause(ctx))) }
			c := w.client()
			_, err := c.get(ctx, "a", metav1.GetOptions{}, "")
			check("get", err)
			_, err = c.list(ctx, metav1.ListOptions{})
			check("list", err)
			watcher, err := c.watch(ctx, metav1.ListOptions{})
			check("watch", err)
			if err == nil {
				watcher.Stop() // for the fakes that know no contexts
			}
			_, err = c.create(ctx, w.new("b"), metav1.CreateOptions{})
			check("create", err)
			_, err = c.update(ctx, a.with("spec.image", "image:v2"), metav1.UpdateOptions{}, "")
			check("update", err)
			_, err = c.update(ctx, a.with("status.replicas", 2), metav1.UpdateOptions{}, "status")
			check("update status", err)
			_, err = c.patch(ctx, "a", types.MergePatchType, []byte(`{"spec":{"replicas":2}}`), metav1.PatchOptions{})
			check("patch", err)
			_, err = c.apply(ctx, w.new("c"), metav1.ApplyOptions{FieldManager: "m"}, "")
			check("apply", err)
			check("delete", c.delete(ctx, "a", metav1.DeleteOptions{}))
			check("deleteCollection", c.deleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
		}
		w.list()
	}},
	{"generateName of any form", []string{"message", "details", "generateName"}, func(w *world) {
		for _, prefix := range []string{"a", "-", "a.", "a..", "A", "a/", "%", strings.Repeat("a", 58), strings.Repeat("a", 63) + "."} {
			o := w.create(w.new("").with("metadata.generateName", prefix))
			w.note("%d", len(o.string("metadata.name")))
		}
		w.create(w.new("a").with("metadata.generateName", "-"))
		w.update(w.get("a").with("metadata.generateName", "B_"))
		w.apply("m", w.new("c").with("metadata.generateName", "d-"))
	}},
	{"finalizers of any form", []string{"message", "details", "finalizers"}, func(w *world) {
		for i, finalizers := range []string{
			`["example.com/a","example.com/a"]`, `["kubernetes"]`, `["foregroundDeletion"]`, `["a/b/c"]`, `["Example.com/a"]`, `["example.com/"]`, `["/a"]`, `["` + strings.Repeat("x", 64) + `"]`, `["example.com/` + strings.Repeat("x", 64) + `"]`, `[" example.com/a"]`,
		} {
			name := string(rune('a' + i))
			w.create(w.new(name).with("metadata.finalizers", finalizers))
			w.merge(name, `{"metadata":{"finalizers":`+finalizers+`}}`)
			w.apply("m", w.new("z-"+name).with("metadata.finalizers", finalizers))
		}
		w.list()
	}},
	{"ownerReferences of any form", []string{"message", "details", "ownerReferences"}, func(w *world) {
		owner := `{"apiVersion":"v1","kind":"Owner","name":"o","uid":"1"}`
		for i, owners := range []string{
			"[" + owner + "," + owner + "]", `[{"apiVersion":"v1","kind":"Owner","name":"o","uid":"1"},{"apiVersion":"v1","kind":"Owner","name":"p","uid":"1"}]`,
			`[{"apiVersion":"v1","kind":"Owner","name":"o","uid":"1","controller":false,"blockOwnerDeletion":false}]`, `[{"apiVersion":"v1/v2","kind":"Owner","name":"o","uid":"1"}]`, `[{"apiVersion":"/v1","kind":"owner","name":"O O","uid":" "}]`,
			`[{}]`, `[]`,
		} {
			name := string(rune('a' + i))
			w.create(w.new(name).with("metadata.ownerReferences", owners))
			w.merge(name, `{"metadata":{"ownerReferences":`+owners+`}}`)
			w.apply("m", w.new("z-"+name).with("metadata.ownerReferences", owners))
		}
		w.list()
	}},
	{"edits of managedFields", []string{"message", "details", "managedFields"}, func(w *world) {
		gv := w.kind.GroupVersion().String()
		for i, managed := range []string{
			`[]`, `[{}]`, `[{"manager":"x"}]`, `[{"manager":"x","operation":"Apply"}]`, `[{"manager":"x","operation":"Other","apiVersion":"` + gv + `","fieldsType":"FieldsV1","fieldsV1":{}}]`,
			`[{"manager":"x","operation":"Update","apiVersion":"` + gv + `","fieldsType":"FieldsV2","fieldsV1":{}}]`, `[{"manager":"x","operation":"Update","apiVersion":"` + gv + `","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:nothing":{}}}}]`,
			`[{"manager":"x","operation":"Update","apiVersion":"other/v9","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:image":{}}}}]`, `[{"manager":"x","operation":"Update","apiVersion":"` + gv + `","fieldsType":"FieldsV1","fieldsV1":{"spec":{}}}]`,
			`[{"manager":"x","operation":"Update","apiVersion":"` + gv + `","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:image":{}}},"subresource":"status"}]`, `[{"manager":"x","operation":"Apply","apiVersion":"` + gv + `","time":"2001-02-03T04:05:06Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:image":{}}}}]`,
			`[{"manager":"` + strings.Repeat("x", 200) + `","operation":"Update","apiVersion":"` + gv + `","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:image":{}}}}]`, `[{"manager":"x","operation":"Update","apiVersion":"a/b/c","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:image":{}}}}]`,
		} {
			name := string(rune('a' + i))
			a := w.create(w.new(name), metav1.CreateOptions{FieldManager: "author"})
			a = w.update(a.with("metadata.managedFields", managed), metav1.UpdateOptions{FieldManager: "editor"})
			w.merge(name, `{"metadata":{"managedFields":`+managed+`}}`)
			w.merge(name, `{"metadata":{"managedFields":`+managed+`},"status":{"replicas":2}}`, "status")
			w.get(name)
			w.create(w.new(name+"-2").with("metadata.managedFields", managed), metav1.CreateOptions{FieldManager: "author"})
			w.note("%s", a.string("kind"))
		}
		w.merge("a", `{"metadata":{"managedFields":null}}`)
		w.get("a")
	}},
	{"an object that is nothing", []string{"message", "details"}, func(w *world) {
		d := w.via("dynamic")
		d.create(nil)
		d.create(object{})
		d.update(nil)
		d.update(object{})
		d.updateStatus(nil)
		d.list()
	}},
	{"subresources of the metadata and dynamic clients", []string{"types", "message", "details"}, func(w *world) {
		w.create(w.new("a"))
		m := w.via("metadata").client().(metadataClient).resources
		for _, subresource := range []string{"status", "scale", "nothing"} {
			result, err := m.Get(w, "a", metav1.GetOptions{}, subresource)
			o, err := take(result, err)
			w.see("get "+subresource, o, err)
			result, err = m.Patch(w, "a", types.MergePatchType, []byte(`{"status":{"replicas":2},"spec":{"replicas":2}}`), metav1.PatchOptions{}, subresource)
			o, err = take(result, err)
			w.see("patch "+subresource, o, err)
			w.see("delete "+subresource, nil, m.Delete(w, "a", metav1.DeleteOptions{}, subresource))
		}
		w.get("a")
	}},
	{"patches of the metadata client", []string{"types", "message", "details", "managedFields"}, func(w *world) {
		w.create(w.new("a"))
		m := w.via("metadata")
		m.json("a", `[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]`)
		m.patch("a", types.ApplyYAMLPatchType, compact(w.new("a").with("spec.image", "image:v2")), metav1.PatchOptions{FieldManager: "m", Force: new(true)})
		m.patch("b", types.ApplyYAMLPatchType, compact(w.new("b")), metav1.PatchOptions{FieldManager: "m"})
		m.patch("a", types.StrategicMergePatchType, `{}`, metav1.PatchOptions{})
		m.merge("a", `{"spec":{"image":7}}`)
		m.merge("a", `[]`)
		m.list(metav1.ListOptions{Limit: 1})
		m.list(metav1.ListOptions{LabelSelector: "!!"})
		m.list(metav1.ListOptions{ResourceVersion: "soon"})
		w.list()
	}},
}
