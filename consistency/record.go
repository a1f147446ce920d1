package consistency

import (
	"cmp"
	"hash/maphash"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
)

// A record is an object with a write that a cache lacks. There may be many, so it is small.
type record struct {
	key     string        // the key of the object in caches
	version uint64        // 0 if the server did not report it
	uid     uint64        // the hash of the UID
	since   time.Duration // the time of the write, since the store was made
	owner   uint64        // the hash of the name of the first owner, 0 if there is none
	more    *[]uint64
	kind    uint16
	// gone has a bit for each informer: if its cache does not contain the object, the write is not awaited there.
	gone uint16
	// passed is the result of positions.passed. If true, a cache that has reached the version may lack the write.
	passed  bool
	deleted bool
}

func (r *record) name() cache.ObjectName {
	namespace, name, _ := cache.SplitMetaNamespaceKey(r.key)
	return cache.ObjectName{Namespace: namespace, Name: name}
}

// addOwner adds the hash of an owner's name.
func (r *record) addOwner(h uint64) {
	switch {
	case r.owner == 0:
		r.owner = h
	case r.owner == h:
	case r.more == nil:
		r.more = &[]uint64{h}
	case !slices.Contains(*r.more, h):
		*r.more = append(*r.more, h)
	}
}

// timeOf returns the time of the write of a record.
func (s *Store) timeOf(r *record) time.Time { return s.started.Add(r.since) }

// An entry is an element of a list of records.
type entry struct {
	record *record
	next   *entry
}

// hash returns the key of a name in s.filed. It is very improbable that two names have the same hash. Each of them
// would then await the writes of the other, too.
func (s *Store) hash(name cache.ObjectName) uint64 { return maphash.Comparable(s.seed, name) }

// wrote notes a write of an object, with the metadata from the answer of the server.
func (s *Store) wrote(resource schema.GroupResource, o object, deleted bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.note(s.kind(resource), o, deleted)
}

// answered notes the answer to a write of an object.
func (s *Store) answered(w *write, o object) {
	s.lock.Lock()
	defer s.lock.Unlock()
	k := s.kind(w.resource)
	k.source = w.source
	if w.before.contradict(w, parse(o.ResourceVersion)) {
		s.restored(k, parse(o.ResourceVersion)-1, time.Now()) // the server went back to this version or further
	}
	o.passed = w.before.passed(parse(o.ResourceVersion))
	s.note(k, o, w.deletes || o.DeletionTimestamp != nil)
}

// deleted notes a deletion whose answer has no version. It returns false, and notes nothing, if a cache contains
// another object with the name, which may be older or newer than the deleted object.
func (s *Store) deleted(w *write, o object) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	k := s.kind(w.resource)
	if cached := k.cached(w.name); cached != nil && o.UID != "" && cached.GetUID() != o.UID {
		return false
	}
	s.note(k, o, true)
	return true
}

// note adds a record of a write, unless all caches have it. Owners of the object in a cache await the write, too.
func (s *Store) note(k *kind, o object, deleted bool) {
	version := parse(o.ResourceVersion)
	if version == 0 && !(deleted && o.ResourceVersion == "") {
		s.mistrust(k, "in the answer to a write", o.ResourceVersion)
	}
	now := time.Now()
	k.written = max(k.written, version)
	name := cache.ObjectName{Namespace: o.Namespace, Name: o.Name}
	r := &record{key: name.String(), version: version, since: now.Sub(s.started), kind: k.index, passed: o.passed, deleted: deleted}
	for _, owner := range o.OwnerReferences {
		r.addOwner(s.hash(cache.ObjectName{Namespace: o.Namespace, Name: owner.Name}))
	}
	for _, w := range k.informers {
		if cached := w.cached(r.key); cached != nil {
			o.UID = cmp.Or(o.UID, cached.GetUID())
			for _, owner := range cached.GetOwnerReferences() {
				r.addOwner(s.hash(cache.ObjectName{Namespace: o.Namespace, Name: owner.Name}))
			}
		}
	}
	r.uid = maphash.String(s.seed, string(o.UID))
	earlier := s.find(k, name)
	if earlier != nil {
		if o.ResourceVersion == "" {
			r.uid = earlier.uid
		}
		for _, h := range earlier.owners() {
			r.addOwner(h)
		}
		r.version, r.since = max(version, earlier.version), earlier.since
		r.deleted = deleted || earlier.deleted && earlier.uid == r.uid // answers may arrive out of order
		s.remove(earlier)
	}
	for i, w := range k.informers {
		w.await(r.version, now)
		isGone := deleted && o.DeletionTimestamp == nil && !(o.deletion && w.stored() > 0)
		if earlier == nil && i < 16 && (isGone || !w.selects(o)) {
			r.gone |= 1 << i
		}
	}
	if s.has(r, now) {
		return
	}
	for _, h := range s.hashes(r) {
		e := entry{record: r}
		if head, ok := s.filed[h]; ok {
			e.next = &head
		}
		s.filed[h] = e
	}
	s.namespaces[o.Namespace]++
	s.count.Add(1)
	s.sweep(now)
}

// owners returns the hashes of the names of owners.
func (r *record) owners() []uint64 {
	switch {
	case r.owner == 0:
		return nil
	case r.more == nil:
		return []uint64{r.owner}
	}
	return append([]uint64{r.owner}, *r.more...)
}

// hashes returns the keys of a record in s.filed, each once.
func (s *Store) hashes(r *record) []uint64 {
	own, owners := s.hash(r.name()), r.owners()
	if slices.Contains(owners, own) {
		return owners
	}
	return append(owners, own)
}

// sweep settles three records, so that records are removed even if nobody asks for them. It is called for each new
// record.
func (s *Store) sweep(now time.Time) {
	n := 0
	for _, e := range s.filed { // in random order
		s.settle(e.record, now)
		if n++; n == 3 {
			break
		}
	}
}

// find returns the record of an object, or nil if there is none.
func (s *Store) find(k *kind, name cache.ObjectName) *record {
	head := s.filed[s.hash(name)]
	for e := &head; e != nil && e.record != nil; e = e.next {
		if r := e.record; r.kind == k.index && r.name() == name {
			return r
		}
	}
	return nil
}

// recordsOf returns the records of the objects with a name, of any kind, and of the objects that they own. The owner
// of an object in a namespace is in the same namespace, or in none.
func (s *Store) recordsOf(name cache.ObjectName) []*record {
	var records []*record
	add := func(name cache.ObjectName) {
		head := s.filed[s.hash(name)]
		for e := &head; e != nil && e.record != nil; e = e.next {
			records = append(records, e.record)
		}
	}
	add(name)
	if name.Namespace == "" {
		for namespace := range s.namespaces {
			if namespace != "" {
				add(cache.ObjectName{Namespace: namespace, Name: name.Name})
			}
		}
	}
	return records
}

// settle removes a record if all caches have the write, and reports whether they do.
func (s *Store) settle(r *record, now time.Time) bool {
	if !s.has(r, now) {
		return false
	}
	s.remove(r)
	s.metrics.Seen(s.kinds[r.kind].resource, now.Sub(s.timeOf(r)))
	return true
}

// remove removes a record.
func (s *Store) remove(r *record) {
	for _, h := range s.hashes(r) {
		head := s.filed[h]
		var kept *entry
		for e := &head; e != nil; e = e.next {
			if e.record != r {
				kept = &entry{e.record, kept}
			}
		}
		if kept == nil {
			delete(s.filed, h)
		} else {
			s.filed[h] = *kept
		}
	}
	delete(s.asked, r)
	namespace := r.name().Namespace
	if s.namespaces[namespace]--; s.namespaces[namespace] == 0 {
		delete(s.namespaces, namespace)
	}
	s.count.Add(-1)
	s.wake()
}

// has reports whether all caches have the write of a record. Informers that have stopped do not count. If all have
// stopped, the result is false.
func (s *Store) has(r *record, now time.Time) bool {
	k, namespace := s.kinds[r.kind], r.name().Namespace
	if k.hasEnded(namespace) {
		return false
	}
	for i, w := range k.informers {
		if !w.stopped() && w.covers(namespace) && w.informer.HasSynced() && !s.cacheHas(k, w, r, r.gone>>i&1 == 1, now) {
			return false
		}
	}
	return true
}

// cacheHas reports whether one cache has the write of a record. If goneIsSeen, a cache without the object has it.
func (s *Store) cacheHas(k *kind, w *watched, r *record, goneIsSeen bool, now time.Time) bool {
	namespace := r.name().Namespace
	if !s.awaitsList(w, namespace, now).IsZero() {
		return false
	}
	cached := w.cached(r.key)
	if cached == nil {
		return goneIsSeen || !r.passed && s.reached(w, namespace, now) >= r.version
	}
	version := parse(cached.GetResourceVersion())
	switch {
	case version == 0:
		s.mistrust(k, "in the cache, perhaps because of a transform,", cached.GetResourceVersion())
		return false
	case r.deleted && maphash.String(s.seed, string(cached.GetUID())) == r.uid:
		return cached.GetDeletionTimestamp() != nil && version >= r.version
	}
	return version >= r.version || !r.passed && s.reached(w, namespace, now) >= r.version
}
