package fakeapi

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestCollection makes random writes and compares the stored objects, at the current and at earlier revisions, with a
// model.
func TestCollection(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	a, c := &API{revision: 1}, &collection{}
	model := map[string]uint64{} // revisions of objects by key
	history := map[uint64]map[string]uint64{1: {}}
	for range 2000 {
		key := fmt.Sprintf("ns-%d/%d", random.IntN(3), random.IntN(30))
		old := c.find(key)
		switch {
		case old != nil && random.IntN(3) == 0:
			a.write(c, old, nil)
			delete(model, key)
		case old != nil:
			model[key] = a.write(c, old, old.draft()).revision
		default:
			d := &draft{key: key}
			d.own()
			model[key] = a.write(c, nil, d).revision
		}
		history[a.revision] = maps.Clone(model)
		if random.IntN(5) > 0 {
			continue // do several writes before each comparison
		}
		at := 1 + random.Uint64N(a.revision)
		for revision, objects := range map[uint64][]*object{a.revision: c.all(), at: c.snapshot(at)} {
			if !slices.IsSortedFunc(objects, func(x, y *object) int { return cmp.Compare(x.key, y.key) }) {
				t.Fatalf("the objects of revision %d are not sorted", revision)
			}
			got := map[string]uint64{}
			for _, o := range objects {
				got[o.key] = o.revision
			}
			if len(got) != len(objects) || !maps.Equal(got, history[revision]) {
				t.Fatalf("the objects of revision %d are %v, want %v", revision, got, history[revision])
			}
		}
	}
}

// TestLogIsBounded checks that old events are removed from the log, and that the collection records it.
func TestLogIsBounded(t *testing.T) {
	c := &collection{}
	for revision := range uint64(3 * logSize) {
		c.append(event{revision: revision + 1})
	}
	if len(c.log) > 2*logSize || c.log[0].revision != c.expired+1 || c.expired == 0 {
		t.Errorf("%d events from revision %d on, expired up to %d", len(c.log), c.log[0].revision, c.expired)
	}
	if since := c.since(c.expired + 5); since[0].revision != c.expired+6 {
		t.Errorf("events since %d begin with %d", c.expired+5, since[0].revision)
	}
}

// TestOwnAll checks that an object gets the same owners whether or not its shape is already known.
func TestOwnAll(t *testing.T) {
	a := New()
	r := a.resources[podsResource]
	pod := func(spec map[string]any) *draft {
		d := &draft{}
		d.Object = map[string]any{"metadata": map[string]any{"name": "a"}, "spec": spec}
		d.SetGroupVersionKind(r.kind)
		return d
	}
	container := func(name string) map[string]any { return map[string]any{"name": name, "image": "i:" + name} }
	drafts := []func() *draft{
		func() *draft { return pod(map[string]any{}) },
		func() *draft { return pod(map[string]any{"containers": []any{container("a")}}) },
		func() *draft { return pod(map[string]any{"containers": []any{container("b")}}) },
		func() *draft { return pod(map[string]any{"containers": []any{container("a"), container("b")}}) },
		func() *draft { return pod(map[string]any{"nodeName": "a"}) },
		func() *draft { return pod(map[string]any{"nodeName": "b"}) },
		func() *draft { return pod(map[string]any{"nodeName": nil}) },
		func() *draft { return pod(map[string]any{"nodeSelector": map[string]any{"a": "b"}}) },
		func() *draft { return pod(map[string]any{"nodeSelector": map[string]any{"b": "b"}}) },
	}
	for i, make := range drafts {
		clear(r.owned)
		want := make()
		if err := r.ownAll(want, "m"); err != nil {
			t.Fatal(err)
		}
		if len(want.managed) == 0 {
			t.Fatalf("nobody owns object %d", i)
		}
		clear(r.owned)
		for _, other := range append(drafts, drafts...) {
			if err := r.ownAll(other(), "m"); err != nil {
				t.Fatal(err)
			}
		}
		got := make()
		if err := r.ownAll(got, "m"); err != nil {
			t.Fatal(err)
		}
		if !equalManaged(got.managed, want.managed, false) || got.managed[0].Time == nil {
			t.Errorf("object %d has the owners %v, want %v", i, got.managed, want.managed)
		}
	}
	if len(r.owned) >= 2*len(drafts) {
		t.Errorf("%d shapes for %d objects", len(r.owned), len(drafts))
	}
}

var podsResource = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

func TestEqualValue(t *testing.T) {
	values := []any{
		nil, "", "a", true, int64(0), int64(1), 1.5, []any{}, []any{"a"}, []any{"a", "b"}, map[string]any{}, map[string]any{"a": nil},
		map[string]any{"a": "b"}, map[string]any{"a": []any{"b"}}, map[string]any{"b": "b"},
	}
	for i, x := range values {
		for j, y := range values {
			if equalValue(x, cloneValue(y)) != (i == j) {
				t.Errorf("equalValue(%v, %v) is %t", x, y, i != j)
			}
		}
	}
}
