package consistency

import (
	"context"
	"net/http"
	"slices"
	"time"

	"k8s.io/client-go/tools/cache"
)

// When the storage of a server is restored from a backup, resource versions go back: the server assigns past versions
// again. Versions that the store has noted before the restore are then invalid, and caches are stale until their
// informers have listed again.

// positions holds the positions of caches before a request is sent.
type positions struct {
	written uint64 // the last noted version of the kind
	caches  []position
}

// A position is the progress of a cache, as a whole and for one object.
type position struct {
	*watched
	received uint64 // the last version that the informer has received
	reached  uint64 // the version that the cache has reached
	cached   uint64 // the version of the object in the cache, 0 if the cache does not contain it
}

// position returns the position of a cache.
func (s *Store) position(w *watched, name cache.ObjectName, now time.Time) position {
	at := position{watched: w, reached: s.reached(w, name.Namespace, now)}
	at.received = max(at.reached, w.receivedIn(name.Namespace).version)
	if cached := w.cached(name.String()); cached != nil {
		at.cached = parse(cached.GetResourceVersion())
	}
	return at
}

// lacks reports whether the cache lacked a version of the object although it had reached this version. If the object
// has this version now, versions went back.
func (at position) lacks(version uint64) bool { return at.cached < version && version <= at.reached }

// positionsBefore returns the positions of caches for an object. Its Name is empty if it is unknown.
func (s *Store) positionsBefore(k *kind, name cache.ObjectName) positions {
	now := time.Now()
	p := positions{written: k.written}
	for _, w := range k.informers {
		if w.covers(name.Namespace) && w.informer.HasSynced() && !w.stopped() {
			p.caches = append(p.caches, s.position(w, name, now))
		}
	}
	return p
}

// contradict reports whether the version in the answer to a write contradicts the positions of caches before the
// write, which shows that versions went back. A created object has a new version. Any other write assigns a new
// version or keeps the version of the object.
func (p positions) contradict(w *write, version uint64) bool {
	if version == 0 {
		return false
	}
	creates := w.request.Method == http.MethodPost && w.name.Name == ""
	if creates && version <= p.written {
		return true
	}
	for _, at := range p.caches {
		switch {
		case creates && version <= at.received:
			return true
		case at.cached > 0 && (version < at.cached || at.lacks(version)):
			return true
		}
	}
	return false
}

// passed reports whether an informer had received the version in the answer, or a later one, before the write, while
// its cache lacked this version of the object. Either the cache will have it soon, or a selector excludes the object
// and the write had no effect, or versions went back.
func (p positions) passed(version uint64) bool {
	return slices.ContainsFunc(p.caches, func(at position) bool { return at.cached < version && at.received >= version })
}

// A restoration is the period of a stale cache after versions went back.
type restoration struct {
	since  time.Time
	least  uint64    // the last version that the informer had received, or that its cache has; see confirm
	listed time.Time // when the informer listed again, zero before
	again  time.Time // when the store noticed that the informer has received least again, zero before
	asking bool
	next   time.Time // the earliest time of the next question to the server
}

// notice detects a restore: the version of a current list is less than a version seen before.
func (s *Store) notice(k *kind, list *listing, seen uint64) {
	if version := parse(list.Metadata.ResourceVersion); version > 0 && version < seen {
		s.restored(k, version, time.Now())
	}
}

// contradict detects a restore: a current list contains an object at a version that a cache had reached without
// having the object at this version. Only informers without field selectors count, because the store cannot evaluate
// field selectors.
func (s *Store) contradict(k *kind, list *listing, before positions) {
	for _, item := range list.Items {
		version := parse(item.Metadata.ResourceVersion)
		for _, at := range before.caches {
			if at.lacks(version) && at.selects(item.Metadata) && (at.scope.Fields == nil || at.scope.Fields.Empty()) {
				s.restored(k, version-1, time.Now()) // the server went back to this version or further
				return
			}
		}
	}
}

// restored notes that the server went back to a version. Caches beyond it are stale until their informers have listed
// again. Writes that the restore has undone are found by asking the server for their objects.
func (s *Store) restored(k *kind, version uint64, now time.Time) {
	s.report(k, version)
	for _, w := range k.informers {
		s.expectList(w, version, now)
	}
}

// listedAgain notes that an informer has listed at a version before the last one that it had received.
func (s *Store) listedAgain(w *watched, r *received, version uint64, now time.Time) {
	if r.restoration == nil {
		s.report(w.kind, version)
		r.restoration = &restoration{since: now, least: r.version}
		for _, other := range w.kind.informers {
			if other != w {
				s.expectList(other, version, now)
			}
		}
	}
	r.restoration.listed, r.restoration.again = now, time.Time{}
	r.noted, r.settled, r.notedAt = 0, 0, now
}

func (s *Store) report(k *kind, version uint64) {
	k.written = version
	s.undo(k, version)
	s.logger.Info("The server's resource versions went back, as after a restore from a backup",
		"resource", k.resource.String(), "resourceVersion", format(version))
}

// expectList makes the cache of an informer stale if it is beyond a version, until the informer has listed again.
func (s *Store) expectList(w *watched, version uint64, now time.Time) {
	for _, namespace := range w.parts() {
		r, last := w.receivedIn(namespace), w.last(namespace)
		switch {
		case r.restoration != nil:
		case last > version && last >= r.version:
			r.version, r.restoration = last, &restoration{since: now, least: last}
		case last <= version && w.stored() > version: // its cache does not contain the new list yet
			r.version, r.restoration = last, &restoration{since: now, least: w.stored(), listed: now}
		}
	}
}

// awaitsList returns since when a cache is stale because versions went back, or zero if it is not. The cache stores the
// list of its informer within settling. An informer does not list if its watch continues, because the server has gone
// beyond the last version that the informer had received.
func (s *Store) awaitsList(w *watched, namespace string, now time.Time) (since time.Time) {
	if w.stopped() {
		return
	}
	for _, part := range w.parts() {
		if part != "" && namespace != "" && part != namespace {
			continue
		}
		r := w.receivedIn(part)
		s.reached(w, part, now)
		b := r.restoration
		if b == nil {
			continue
		}
		if r.version < b.least && !b.listed.IsZero() && now.Sub(b.listed) >= settling {
			s.confirm(w, r, part, now)
		}
		if !b.isOver(r.version, now) {
			return b.since
		}
		r.restoration = nil
	}
	return
}

// isOver reports whether a cache is no longer stale because versions went back. received is the last version that the
// informer has received.
func (b *restoration) isOver(received uint64, now time.Time) bool {
	switch {
	case b.listed.IsZero():
		return received > b.least && now.Sub(b.since) >= settling
	case received < b.least:
		return false
	case b.again.IsZero():
		b.again = now
	}
	return now.Sub(b.again) >= settling
}

// confirm asks the server for the last change that an informer lacks after it has listed again, unless a question is
// under way or the next one is not due. The informer must receive this change: after a restore, what it had received
// before may never come again, and a list from a cache of the server that lags is not enough.
func (s *Store) confirm(w *watched, r *received, namespace string, now time.Time) {
	b, since := r.restoration, r.version
	require := func(version uint64) {
		if b.least = min(b.least, version); since >= b.least {
			b.again = b.listed
		}
	}
	switch source := w.kind.source; {
	case b.asking || now.Before(b.next):
	case source == nil:
		require(0)
	default:
		b.asking, b.next = true, now.Add(firstPause)
		if namespace == "" && len(w.scope.Namespaces) == 1 {
			namespace = w.scope.Namespaces[0]
		}
		listed := b.listed
		go func() {
			version, _, err := source.lastChange(context.Background(), w, namespace, since)
			s.lock.Lock()
			defer s.lock.Unlock()
			b.asking = false
			if b.listed.Equal(listed) && (err == nil || isRefusal(err)) { // the version is 0 if the server refuses to tell
				require(version)
			}
			s.wake()
		}()
	}
}
