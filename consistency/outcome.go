package consistency

import (
	"context"
	"net/http"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// An uncertainty is a write with unknown outcome. The store lists the objects that the write may have changed until a
// list proves the outcome, or until one begins when the server can no longer carry out the write.
type uncertainty struct {
	kind   *kind
	name   cache.ObjectName // Name is empty if it is unknown, or any in the namespace or kind
	any    bool             // the write may concern all objects
	owners []owner          // named in the request
	proof  *proof           // nil if there is none
	proven bool
	since  time.Time
	until  time.Time // when the server can no longer carry out the write
	source *source
	asking bool
	next   time.Time // the earliest time of the next list
	pause  time.Duration
	err    error // of the last list
}

const (
	firstPause = time.Second
	mostPause  = 30 * time.Second
	mostLists  = 100              // of single objects in a namespace, before one list of all replaces them
	listLimit  = 10 * time.Second // the timeout of a list
	// forgotten is the time after which an uncertainty that nobody asks about is dropped: caches have received the
	// events.
	forgotten = 5 * time.Minute
	// answerLimit is how long the server may still carry out a request that it has answered with a Status of failure.
	answerLimit = 10 * time.Second
)

// limitOf returns how long the server can still carry out a request after it has answered with an error. A Status
// comes from the API server and not from a proxy in front of it: the request has ended, except for operations that
// its storage has begun.
func (s *Store) limitOf(response *http.Response) time.Duration {
	text, _ := peek(response)
	if a, err := readAnswer(response.Header.Get("Content-Type"), text); err == nil && a.isStatus() {
		return min(s.limit, answerLimit)
	}
	return s.limit
}

// doubt notes that the outcome of a write is unknown. The server can still carry it out within limit.
func (s *Store) doubt(w *write, limit time.Duration) {
	now := time.Now()
	sent, ok := w.sent()
	u := &uncertainty{
		name: w.name, any: !ok, owners: sent.OwnerReferences, since: now, until: now.Add(limit),
		source: w.source, next: now.Add(firstPause), pause: firstPause,
	}
	if !w.deletes && w.request.Method == http.MethodPost && u.name.Name == "" {
		u.name.Name = sent.Name
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	u.kind = s.known(w.resource)
	if u.kind == nil || len(u.kind.informers) == 0 {
		return
	}
	u.proof = w.proof(sent, u.kind.cached(u.name))
	u.kind.source = w.source
	s.uncertain = slices.DeleteFunc(s.uncertain, func(other *uncertainty) bool {
		return !other.asking && now.Sub(other.until) > forgotten && now.Sub(other.next) > forgotten
	})
	s.join(u)
	s.uncertain = append(s.uncertain, u)
}

// join replaces the uncertainties of u's kind and namespace by u if they are many. u then concerns all objects of the
// namespace.
func (s *Store) join(u *uncertainty) {
	near := func(other *uncertainty) bool { return other.kind == u.kind && other.name.Namespace == u.name.Namespace }
	count := 0
	for _, other := range s.uncertain {
		if near(other) {
			count++
		}
	}
	if count < mostLists {
		return
	}
	u.name.Name, u.any, u.owners, u.proof = "", true, nil, nil
	s.uncertain = slices.DeleteFunc(s.uncertain, func(other *uncertainty) bool {
		if !near(other) {
			return false
		}
		if other.since.Before(u.since) {
			u.since = other.since
		}
		if other.until.After(u.until) {
			u.until = other.until
		}
		return true
	})
}

// A proof shows that a write has been carried out, or that it can have no effect at present.
type proof struct {
	// by reports whether the listed objects with the name of the write show this.
	by func([]item) bool
	// idle reports whether the write has no effect on the object in a cache, which may be nil. It is nil if a proven
	// write can have no effect any more.
	idle func(metav1.Object) bool
}

// proof returns a proof of the outcome of a write, or nil if no list can prove it. cached is the object in a cache
// when the answer was lost, or nil. A state from before the write proves nothing.
func (w *write) proof(sent object, cached metav1.Object) *proof {
	switch {
	case w.deletes && w.name.Name != "":
		if p := w.deleteOptions().Preconditions; p != nil && p.UID != nil {
			return &proof{by: func(items []item) bool { return isGone(items) || items[0].Metadata.UID != *p.UID }}
		}
		if cached != nil && cached.GetDeletionTimestamp() == nil {
			return &proof{isGone, func(cached metav1.Object) bool { return cached == nil || cached.GetDeletionTimestamp() != nil }}
		}
	case w.request.Method == http.MethodPost && w.name.Name == "" && sent.Name != "" && cached == nil:
		return &proof{func(items []item) bool { return len(items) > 0 }, func(cached metav1.Object) bool { return cached != nil }}
	case w.name.Name != "" && sent.ResourceVersion != "":
		return &proof{by: func(items []item) bool {
			return len(items) == 0 || items[0].Metadata.ResourceVersion != sent.ResourceVersion
		}}
	}
	return nil
}

func isGone(items []item) bool { return len(items) == 0 || items[0].Metadata.DeletionTimestamp != nil }

// isIdle reports whether a proven write has no effect on the object that caches have or will have. The server rejects
// the creation of an existing object and the deletion of a missing one.
func (s *Store) isIdle(u *uncertainty) bool {
	return u.proven && (s.find(u.kind, u.name) != nil || u.proof.idle(u.kind.cached(u.name)))
}

// concerns reports whether the write may have changed the object with a name or an object that it owns.
func (s *Store) concerns(u *uncertainty, name cache.ObjectName) bool {
	if u.name.Namespace != "" && name.Namespace != "" && u.name.Namespace != name.Namespace {
		return false
	}
	if u.any || u.name.Name == name.Name || slices.Contains(u.owners, owner{name.Name}) {
		return true
	}
	if u.name.Name == "" {
		return false
	}
	for _, w := range u.kind.informers {
		if cached := w.cached(u.name.String()); cached != nil && slices.Contains(objectOf(cached).OwnerReferences, owner{name.Name}) {
			return true
		}
	}
	r := s.find(u.kind, u.name)
	return r != nil && slices.Contains(r.owners(), s.hash(cache.ObjectName{Namespace: u.name.Namespace, Name: name.Name}))
}

// inquire starts a list for an uncertainty, unless one is under way or the next one is not due.
func (s *Store) inquire(u *uncertainty, now time.Time) {
	if u.asking || now.Before(u.next) {
		return
	}
	u.asking = true
	var before positions
	if u.name.Name != "" {
		before = s.positionsBefore(u.kind, u.name)
	}
	go s.resolve(u, now, s.seen(u.kind, u.name.Namespace, now), before)
}

// resolve lists the objects that a write may have changed, and awaits the listed versions that caches lack. seen is
// the last version known before the list. before holds the positions of caches if the uncertainty is about one
// object.
func (s *Store) resolve(u *uncertainty, begun time.Time, seen uint64, before positions) {
	list, err := u.source.list(context.Background(), u.kind.resource, u.name.Namespace, u.source.query(u.name, Scope{}))
	now := time.Now()
	s.lock.Lock()
	defer s.lock.Unlock()
	if !slices.Contains(s.uncertain, u) { // it was cleared or joined
		return
	}
	u.asking, u.err = false, err
	ended := !begun.Before(u.until)
	switch {
	case err == nil:
		s.notice(u.kind, list, seen)
		s.contradict(u.kind, list, before)
		s.takeStock(u, list)
		u.proven = u.proven || u.proof != nil && u.proof.by(list.Items)
		ended = ended || u.proven && u.proof.idle == nil
	case !isRefusal(err):
		ended = false
	case ended:
		ended = now.Sub(u.until) >= u.until.Sub(u.since)
		if ended {
			s.logger.Error(err, "The server does not tell the outcome of a write: it is not awaited any more",
				"resource", u.kind.resource.String(), "object", u.name.String())
		}
	}
	s.wake()
	if ended {
		s.uncertain = slices.DeleteFunc(s.uncertain, func(other *uncertainty) bool { return other == u })
		return
	}
	u.pause = min(2*u.pause, mostPause)
	u.next = begun.Add(u.pause)
	if begun.Before(u.until) && u.until.Before(u.next) {
		u.next = u.until
	}
}

// includes reports whether an object is in the scope of the list.
func (u *uncertainty) includes(obj metav1.Object) bool {
	return (u.name.Namespace == "" || u.name.Namespace == obj.GetNamespace()) && (u.name.Name == "" || u.name.Name == obj.GetName())
}

// seen returns the last version of a kind that the store has noted or a cache for a namespace has reached.
func (s *Store) seen(k *kind, namespace string, now time.Time) uint64 {
	version := k.written
	for _, w := range k.informers {
		if !w.stopped() && w.covers(namespace) && w.informer.HasSynced() {
			for _, part := range w.parts() {
				version = max(version, s.reached(w, part, now))
			}
		}
	}
	return version
}

// takeStock awaits the listed objects that caches lack, and the removal of cached objects that the list does not
// contain although they are in its scope. The owners named in the request await them, too: since the write, the
// object may have lost these owners.
func (s *Store) takeStock(u *uncertainty, list *listing) {
	listed := map[types.UID]bool{}
	for _, item := range list.Items {
		listed[item.Metadata.UID] = true
		o := item.Metadata
		o.OwnerReferences = append(o.OwnerReferences, u.owners...)
		s.note(u.kind, o, o.DeletionTimestamp != nil)
	}
	for _, w := range u.kind.informers {
		for _, obj := range w.informer.GetIndexer().List() {
			cached, _ := meta.Accessor(obj)
			if u.includes(cached) && !listed[cached.GetUID()] && parse(cached.GetResourceVersion()) <= parse(list.Metadata.ResourceVersion) {
				gone := objectOf(cached)
				// The object is gone, even if the cached object is being deleted.
				gone.ResourceVersion, gone.DeletionTimestamp = list.Metadata.ResourceVersion, nil
				gone.OwnerReferences = append(gone.OwnerReferences, u.owners...)
				s.note(u.kind, gone, true)
			}
		}
	}
}
