package fakeapi

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

// logSize is how many of the last writes to a resource are remembered. Watches and lists cannot start from a version
// before them.
const logSize = 1 << 16

// A collection is what is stored of a resource, in all its versions.
type collection struct {
	objects  []*object // sorted by key
	log      []event   // of the last writes, sorted by revision
	expired  uint64    // writes up to this revision are no longer in the log
	watchers []*watcher
}

// An event is one write. The objects are nil before a creation and after a deletion.
type event struct {
	revision uint64
	old, new *object
	last     *object // what was deleted, with the revision of the deletion
}

func (e event) key() string {
	if e.new != nil {
		return e.new.key
	}
	return e.old.key
}

// find returns the object with a key, or nil, and its place in objects.
func (c *collection) find(key string) (*object, int) {
	i, ok := slices.BinarySearchFunc(c.objects, key, func(o *object, key string) int { return cmp.Compare(o.key, key) })
	if !ok {
		return nil, i
	}
	return c.objects[i], i
}

// write stores what replaces old: nil for a deletion. One of the two may be nil. It returns what was stored, or what was
// deleted, with the revision of this write.
func (a *API) write(c *collection, old *object, d *draft) *object {
	a.revision++
	e := event{revision: a.revision, old: old}
	var written *object
	switch {
	case d == nil:
		written = old.at(a.revision)
		e.last = written
		_, i := c.find(old.key)
		c.objects = slices.Delete(c.objects, i, i+1)
	default:
		written = d.object(a.revision)
		e.new = written
		if _, i := c.find(written.key); old == nil {
			c.objects = slices.Insert(c.objects, i, written)
		} else {
			c.objects[i] = written
		}
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

// since returns the writes after a revision. The caller has made sure that they are all in the log.
func (c *collection) since(revision uint64) []event {
	i, _ := slices.BinarySearchFunc(c.log, revision+1, func(e event, r uint64) int { return cmp.Compare(e.revision, r) })
	return c.log[i:]
}

// snapshot returns the objects as they were at a revision, sorted by key. The caller has made sure that all writes after
// it are in the log.
func (c *collection) snapshot(revision uint64) []*object {
	undone := c.since(revision)
	if len(undone) == 0 {
		return c.objects
	}
	before := map[string]*object{}
	for _, e := range slices.Backward(undone) {
		before[e.key()] = e.old
	}
	var objects []*object
	for _, o := range c.objects {
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

// inNamespace returns those of sorted objects that are in a namespace: all of them if it is empty.
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

// newUID returns a UID that no other object of the API has, in the form of a random one.
func (a *API) newUID() types.UID {
	a.uids++
	return types.UID(fmt.Sprintf("f%07x-0000-4000-8000-%012x", a.uids&0xfffffff, a.uids))
}

// nameSuffix is as the server's: without vowels and what looks like them.
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
