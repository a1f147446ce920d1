package fakeapi

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// logSize is the number of most recent writes to a resource that are always kept. Up to twice as many are. Watches and
// lists cannot start from earlier versions. The documentation of the package names the number.
const logSize = 1 << 13

// A collection holds the stored objects of a resource, in all its versions.
type collection struct {
	versions   []schema.GroupVersion // versions that are served
	statuses   []schema.GroupVersion // versions that have a status subresource
	conversion *versioner            // between the versions; nil if objects are stored as written
	slots      map[string]*slot
	order      []*slot   // sorted by key up to sorted; may contain empty slots until it is used
	sorted     int       // number of sorted elements of order
	objects    []*object // objects in order, sorted by key; nil if not up to date
	log        []event   // last writes, sorted by revision
	expired    uint64    // writes up to this revision are no longer in the log
	watchers   []*watcher
}

// A slot holds the current version of an object.
type slot struct {
	key    string
	object *object // nil after deletion
}

// An event is a write. old is nil for a creation, new for a deletion.
type event struct {
	revision uint64
	old, new *object
	last     *object // the deleted object, with the revision of the deletion
}

func (e event) key() string {
	if e.new != nil {
		return e.new.key
	}
	return e.old.key
}

// find returns the object with a key, or nil.
func (c *collection) find(key string) *object {
	if s := c.slots[key]; s != nil {
		return s.object
	}
	return nil
}

// put stores the next version of an object, or deletes it if o is nil.
func (c *collection) put(key string, o *object) {
	c.objects = nil
	s := c.slots[key]
	if s == nil {
		if c.slots == nil {
			c.slots = map[string]*slot{}
		}
		s = &slot{key: key}
		c.slots[key] = s
		c.order = append(c.order, s)
	}
	if s.object = o; o == nil {
		delete(c.slots, key)
	}
}

// all returns the objects, sorted by key. The caller must not modify the slice.
func (c *collection) all() []*object {
	if c.objects != nil {
		return c.objects
	}
	compare := func(x, y *slot) int { return cmp.Compare(x.key, y.key) }
	old, added := c.order[:c.sorted], c.order[c.sorted:]
	slices.SortFunc(added, compare)
	order := make([]*slot, 0, len(c.slots))
	c.objects = make([]*object, 0, len(c.slots))
	for len(old)+len(added) > 0 {
		from := &old
		if len(old) == 0 || len(added) > 0 && compare(added[0], old[0]) < 0 {
			from = &added
		}
		s := (*from)[0]
		*from = (*from)[1:]
		if s.object != nil {
			order = append(order, s)
			c.objects = append(c.objects, s.object)
		}
	}
	c.order, c.sorted = order, len(order)
	return c.objects
}

// write stores d in place of old. old is nil for a creation, d for a deletion. It returns the stored or deleted object,
// with the revision of the write.
func (a *API) write(c *collection, old *object, d *draft) *object {
	a.revision++
	e := event{revision: a.revision, old: old}
	var written *object
	switch {
	case d == nil:
		written = old.at(a.revision)
		e.last = written
		c.put(old.key, nil)
	default:
		delete(d.metadata(), "selfLink")
		written = d.object(a.revision)
		e.new = written
		c.put(written.key, written)
	}
	c.append(e)
	for _, w := range c.watchers {
		w.notify(e)
	}
	return written
}

func (c *collection) append(e event) {
	if len(c.log) == 2*logSize {
		c.expired = c.log[logSize-1].revision
		c.log = append(c.log[:0:0], c.log[logSize:]...)
	}
	c.log = append(c.log, e)
}

// since returns the writes after a revision. All of them must be in the log.
func (c *collection) since(revision uint64) []event {
	i, _ := slices.BinarySearchFunc(c.log, revision+1, func(e event, r uint64) int { return cmp.Compare(e.revision, r) })
	return c.log[i:]
}

// snapshot returns the objects at an earlier revision, sorted by key. All writes after the revision must be in the log.
func (c *collection) snapshot(revision uint64) []*object {
	undone := c.since(revision)
	if len(undone) == 0 {
		return c.all()
	}
	before := map[string]*object{}
	for _, e := range slices.Backward(undone) {
		before[e.key()] = e.old
	}
	var objects []*object
	for _, o := range c.all() {
		if _, ok := before[o.key]; !ok {
			objects = append(objects, o)
		}
	}
	for _, o := range before {
		if o != nil {
			objects = append(objects, o)
		}
	}
	slices.SortFunc(objects, func(x, y *object) int { return cmp.Compare(x.key, y.key) })
	return objects
}

// inNamespace returns the objects in a namespace from a sorted list. "" means all namespaces.
func inNamespace(objects []*object, namespace string) []*object {
	if namespace == "" {
		return objects
	}
	prefix := namespace + "/"
	start, _ := slices.BinarySearchFunc(objects, prefix, func(o *object, key string) int { return cmp.Compare(o.key, key) })
	end := start
	for end < len(objects) && strings.HasPrefix(objects[end].key, prefix) {
		end++
	}
	return objects[start:end]
}

// newUID returns a new UID that looks random.
func (a *API) newUID() types.UID {
	a.uids++
	return types.UID(fmt.Sprintf("f%07x-0000-4000-8000-%012x", a.uids&0xfffffff, a.uids))
}

// Suffixes of names have the form used by servers, without vowels and characters that resemble them.
const (
	nameSuffixLength = 5
	nameSuffixRunes  = "bcdfghjklmnpqrstvwxz2456789"
	nameBaseLength   = 63 - nameSuffixLength
)

func (a *API) generateName(base string) string {
	name := []byte(base[:min(len(base), nameBaseLength)])
	for range nameSuffixLength {
		name = append(name, nameSuffixRunes[a.names.IntN(len(nameSuffixRunes))])
	}
	return string(name)
}

func formatRevision(revision uint64) string { return strconv.FormatUint(revision, 10) }
