package consistency

import (
	"context"
	"hash/maphash"
	"time"
)

// A question asks the server about a write that a cache has lacked for long. The informer may never receive the
// object, because another client has deleted it, a selector excludes it, or the server was restored. A list of the
// object with the informer's selectors shows whether this is so.
type question struct {
	next  time.Time // the earliest time of the next request
	pause time.Duration
}

// patience is how long the store awaits a write before it asks the server for the object.
const patience = 2 * time.Second

// ask asks the server for the object of a record, once for each informer whose cache lacks the write. The first
// request comes after patience, or at once if r.passed. The pauses between requests double up to mostPause.
func (s *Store) ask(r *record, now time.Time) {
	k := s.kinds[r.kind]
	if k.source == nil || !r.passed && now.Sub(s.timeOf(r)) < patience {
		return
	}
	q := s.asked[r]
	if q == nil {
		q = &question{pause: patience}
		s.asked[r] = q
	}
	if now.Before(q.next) {
		return
	}
	q.next = now.Add(q.pause)
	q.pause = min(2*q.pause, mostPause)
	for i, w := range k.informers {
		if i < 16 && w.covers(r.name().Namespace) && !w.stopped() && !s.cacheHas(k, w, r, r.gone>>i&1 == 1, now) {
			go s.answer(r, q, i, k.source)
		}
	}
}

// answer lists the object of a record with the selectors of an informer. If neither the list nor the cache contains
// it, the write is no longer awaited in this cache.
func (s *Store) answer(r *record, q *question, informer int, source *source) {
	k := s.kinds[r.kind]
	w := k.informers[informer]
	s.lock.Lock()
	seen, before := s.seen(k, r.name().Namespace, time.Now()), s.position(w, r.name(), time.Now())
	s.lock.Unlock()
	list, err := source.list(context.Background(), k.resource, r.name().Namespace, source.query(r.name(), w.scope))
	now := time.Now()
	s.lock.Lock()
	defer s.lock.Unlock()
	if err != nil || s.asked[r] != q {
		return
	}
	s.notice(k, list, seen)
	if s.asked[r] != q || s.cacheHas(k, w, r, r.gone>>informer&1 == 1, now) {
		return
	}
	cached := w.cached(r.key)
	if len(list.Items) == 0 || !w.inShard(list.Items[0].Metadata) {
		if cached == nil {
			r.gone |= 1 << informer
			s.settle(r, now)
		}
		return
	}
	item := list.Items[0].Metadata
	current := parse(item.ResourceVersion)
	undone := current < r.version || r.deleted && item.DeletionTimestamp == nil && maphash.String(s.seed, string(item.UID)) == r.uid
	switch {
	case undone && cached != nil && parse(cached.GetResourceVersion()) == current: // a restore has undone the write
		s.remove(r)
	case before.lacks(current):
		s.restored(k, current-1, now) // the server went back to this version or further
	}
}
