package fakeapi

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A garbageCollector tracks the owners of objects. It does its work within the write that causes it, before the write
// returns.
type garbageCollector struct {
	live       map[string]reference          // stored objects by UID
	dependents map[string]map[reference]bool // objects by UID of their owners
	queue      []reference                   // objects to process
	running    bool
}

// A reference identifies a stored object.
type reference struct {
	resource *resource
	key      string
}

func (x reference) compare(y reference) int {
	return cmp.Or(cmp.Compare(x.resource.gvr.String(), y.resource.gvr.String()), cmp.Compare(x.key, y.key))
}

// An owner is an owner reference.
type owner struct {
	uid    string
	kind   schema.GroupVersionKind
	blocks bool // foreground deletion of the owner waits for the dependent
	value  any  // the reference as stored
}

func owners(o *object) []owner {
	if o == nil {
		return nil
	}
	refs, _ := o.metadata()["ownerReferences"].([]any)
	var found []owner
	for _, ref := range refs {
		m, _ := ref.(map[string]any)
		uid, _ := m["uid"].(string)
		blocks, _ := m["blockOwnerDeletion"].(bool)
		apiVersion, _ := m["apiVersion"].(string)
		kind, _ := m["kind"].(string)
		found = append(found, owner{uid: uid, kind: schema.FromAPIVersionAndKind(apiVersion, kind), blocks: blocks, value: ref})
	}
	return found
}

func (o *object) uid() string { s, _ := o.metadata()["uid"].(string); return s }

func (o *object) deleting() bool { return o.metadata()["deletionTimestamp"] != nil }

func (o *object) hasFinalizer(name string) bool {
	finalizers, _ := o.metadata()["finalizers"].([]any)
	return slices.Contains(finalizers, any(name))
}

// collect tells the garbage collector about a write and runs it.
func (a *API) collect(r *resource, old, new *object) {
	a.track(r, old, new)
	a.collectGarbage()
}

// track records a write, and queues the objects that the garbage collector must process because of it.
func (a *API) track(r *resource, old, new *object) {
	g := a.garbage
	if g == nil {
		return
	}
	ref := reference{r, cmp.Or(new, old).key}
	for _, owner := range owners(old) {
		delete(g.dependents[owner.uid], ref)
		g.enqueue(owner.uid) // its deletion may wait for this object
	}
	for _, owner := range owners(new) {
		if g.dependents[owner.uid] == nil {
			g.dependents[owner.uid] = map[reference]bool{}
		}
		g.dependents[owner.uid][ref] = true
	}
	if new != nil {
		g.live[new.uid()] = ref
		g.queue = append(g.queue, ref)
	} else {
		delete(g.live, old.uid())
		g.queue = append(g.queue, g.dependentsOf(old)...)
	}
}

// collectGarbage processes the queued objects, and objects queued meanwhile.
func (a *API) collectGarbage() {
	g := a.garbage
	if g == nil || g.running {
		return
	}
	g.running = true
	for len(g.queue) > 0 {
		next := g.queue[0]
		g.queue = g.queue[1:]
		if o := next.resource.find(next.key); o != nil {
			a.attend(next.resource, o)
		}
	}
	g.running = false
}

func (g *garbageCollector) enqueue(uid string) {
	if ref, ok := g.live[uid]; ok {
		g.queue = append(g.queue, ref)
	}
}

// dependentsOf returns the objects owned by an object, in a fixed order.
func (g *garbageCollector) dependentsOf(o *object) []reference {
	var refs []reference
	for ref := range g.dependents[o.uid()] {
		refs = append(refs, ref)
	}
	slices.SortFunc(refs, reference.compare)
	return refs
}

// attend processes an object.
func (a *API) attend(r *resource, o *object) {
	g := a.garbage
	if o.deleting() {
		switch {
		case o.hasFinalizer(metav1.FinalizerOrphanDependents):
			for _, ref := range g.dependentsOf(o) {
				if dependent := ref.resource.find(ref.key); dependent != nil {
					a.disown(ref.resource, dependent, func(owner owner) bool { return owner.uid == o.uid() })
				}
			}
			a.removeFinalizer(r, o, metav1.FinalizerOrphanDependents)
		case o.hasFinalizer(metav1.FinalizerDeleteDependents):
			blocked := false
			for _, ref := range g.dependentsOf(o) {
				dependent := ref.resource.find(ref.key)
				if dependent != nil && !dependent.deleting() {
					g.queue = append(g.queue, ref)
				}
				blocked = blocked || slices.ContainsFunc(owners(dependent), func(owner owner) bool { return owner.uid == o.uid() && owner.blocks })
			}
			if !blocked {
				a.removeFinalizer(r, o, metav1.FinalizerDeleteDependents)
			}
		}
		return
	}
	all := owners(o)
	if len(all) == 0 {
		return
	}
	var waiting, solid int
	gone := func(owner owner) bool {
		ref, ok := g.live[owner.uid]
		if !ok {
			return a.kinds[owner.kind] != nil // objects of kinds that are not served may exist
		}
		of := ref.resource.find(ref.key)
		return of.deleting() && of.hasFinalizer(metav1.FinalizerDeleteDependents)
	}
	for _, owner := range all {
		_, live := g.live[owner.uid]
		switch {
		case !gone(owner):
			solid++
		case live:
			waiting++
		}
	}
	switch {
	case solid == len(all):
	case solid > 0:
		a.disown(r, o, gone)
	default:
		policy := metav1.DeletePropagationBackground
		switch {
		case waiting > 0 && len(g.dependents[o.uid()]) > 0, o.hasFinalizer(metav1.FinalizerDeleteDependents):
			policy = metav1.DeletePropagationForeground
		case o.hasFinalizer(metav1.FinalizerOrphanDependents):
			policy = metav1.DeletePropagationOrphan
		}
		// The object exists, so this request cannot fail.
		_, _ = a.delete(r, o.namespace(), o.name(), metav1.DeleteOptions{PropagationPolicy: &policy})
	}
}

// disown removes the owner references of an object for which remove returns true.
func (a *API) disown(r *resource, o *object, remove func(owner) bool) {
	d := o.draft()
	var kept []any
	for _, owner := range owners(o) {
		if !remove(owner) {
			kept = append(kept, owner.value)
		}
	}
	if len(kept) == 0 {
		delete(d.metadata(), "ownerReferences")
	} else {
		d.metadata()["ownerReferences"] = kept
	}
	a.collect(r, o, a.write(r.collection, o, d))
}

// removeFinalizer removes a finalizer. If it is the last one, the object is also removed.
func (a *API) removeFinalizer(r *resource, o *object, name string) {
	d := o.draft()
	setFinalizers(d, slices.DeleteFunc(d.GetFinalizers(), func(f string) bool { return f == name }))
	if released(d, o.draft()) {
		a.write(r.collection, o, nil)
		a.collect(r, o, nil)
		return
	}
	a.collect(r, o, a.write(r.collection, o, d))
}
