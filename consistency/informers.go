package consistency

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
)

// Scope describes the objects that an informer selects. The zero value selects all objects of the kind.
type Scope struct {
	// Namespaces restricts the scope to these namespaces. If it is empty, the scope contains all.
	Namespaces []string

	// Selector selects objects by their labels. If it is nil, labels make no difference.
	Selector labels.Selector

	// Fields selects objects by their fields. If it is nil, fields make no difference.
	Fields fields.Selector

	// Shard selects objects by metadata that never changes, such as a sharding.Selector of apimachinery. If it is nil,
	// the scope contains the objects of all shards.
	Shard Shard

	// Received returns the last resource version that the informer has received from a namespace. It is for informers
	// that watch each of the Namespaces separately and therefore have no common version. For other informers, it is
	// nil.
	Received func(namespace string) string
}

// A Shard has those methods of a sharding.Selector of apimachinery that the store needs. Informers have shards since
// client-go v0.38.
type Shard interface {
	Matches(obj runtime.Object) (bool, error)
	String() string // for requests
}

// Watch makes the store await writes of a resource, in any of its API versions, in the cache of an informer. A
// resource can have several informers. Call Watch before the informer starts, or before the first write: the store
// remembers only the last version of earlier writes. Factories with the option WithConsistency call Watch for their
// informers.
//
// The store asks the cache which version it has reached. A cache of client-go before v0.36 does not know its version,
// and neither does one of a later release if the feature AtomicFIFO of client-go is disabled. The store then awaits a
// write of an object that does not appear in the cache for some seconds longer.
//
// Watch returns an error if the informer has stopped.
func (s *Store) Watch(resource schema.GroupResource, informer cache.SharedIndexInformer, scope Scope) error {
	s.lock.Lock()
	k := s.kind(resource)
	w := &watched{kind: k, informer: informer, scope: scope, received: map[string]*received{}}
	w.await(k.written, time.Now())
	k.informers = append(k.informers, w)
	s.lock.Unlock()
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { s.saw(k, obj) },
		UpdateFunc: func(_, obj any) { s.saw(k, obj) },
		DeleteFunc: func(obj any) { s.saw(k, obj) },
	})
	return err
}

// saw removes the record of an object if all caches now have the write.
func (s *Store) saw(k *kind, obj any) {
	if s.count.Load() == 0 {
		return
	}
	name, _ := cache.DeletionHandlingObjectToName(obj)
	s.lock.Lock()
	defer s.lock.Unlock()
	if r := s.find(k, name); r != nil {
		s.settle(r, time.Now())
	}
}

// watched is an informer in whose cache the store awaits writes.
type watched struct {
	kind     *kind
	informer cache.SharedIndexInformer
	scope    Scope
	least    uint64 // the version that the first list must reach, 0 for any
	since    time.Time
	received map[string]*received // by namespace
}

// received holds the versions that an informer has received.
type received struct {
	version uint64 // the last one
	settled uint64 // the last one that is in the cache

	noted   uint64 // a received version that is in the cache once settling has passed since notedAt
	notedAt time.Time

	restoration *restoration // nil unless versions went back
}

// settling is how long a cache may take to store objects that its informer has received, even a list of many objects.
const settling = 5 * time.Second

// await requires the first list of an informer to reach a version. It does nothing if the informer has synced.
func (w *watched) await(version uint64, now time.Time) {
	if version > w.least && !w.informer.HasSynced() {
		w.least, w.since = version, now
	}
}

// missing reports whether the first list has not yet reached the required version.
func (w *watched) missing(s *Store, now time.Time) bool {
	if w.least == 0 || w.stopped() {
		return false
	}
	listed := w.informer.HasSynced()
	for _, namespace := range w.parts() {
		listed = s.reached(w, namespace, now) >= w.least && listed
	}
	if listed {
		w.least = 0
	}
	return !listed
}

// parts returns the namespaces that the informer watches separately, or only "" if it has one version for all.
func (w *watched) parts() []string {
	if w.scope.Received != nil {
		return w.scope.Namespaces
	}
	return []string{""}
}

func (w *watched) stopped() bool { return w.informer.IsStopped() }

func (w *watched) covers(namespace string) bool {
	return len(w.scope.Namespaces) == 0 || slices.Contains(w.scope.Namespaces, namespace)
}

func (w *watched) selects(o object) bool {
	return (w.scope.Selector == nil || w.scope.Selector.Matches(labels.Set(o.Labels))) && w.inShard(o)
}

// inShard reports whether an object is in the shard of the informer, or may be.
func (w *watched) inShard(o object) bool {
	if w.scope.Shard == nil || o.UID == "" {
		return true
	}
	in, err := w.scope.Shard.Matches(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, UID: o.UID}})
	return in || err != nil
}

// cached returns an object in the cache, or nil if the cache does not contain it.
func (w *watched) cached(key string) metav1.Object {
	obj, _, _ := w.informer.GetIndexer().GetByKey(key)
	object, _ := meta.Accessor(obj)
	return object
}

// receivedIn returns the versions that the informer has received from a namespace.
func (w *watched) receivedIn(namespace string) *received {
	if w.scope.Received == nil {
		namespace = ""
	}
	r := w.received[namespace]
	if r == nil {
		r = &received{}
		w.received[namespace] = r
	}
	return r
}

// last returns the last version that the informer has received from a namespace. The cache may not have reached it
// yet.
func (w *watched) last(namespace string) uint64 {
	if w.scope.Received != nil {
		return parse(w.scope.Received(namespace))
	}
	return parse(w.informer.LastSyncResourceVersion())
}

// versioned is implemented by the caches of client-go since v0.36.
type versioned interface{ LastStoreSyncResourceVersion() string }

// stored returns the version that the cache has reached, or 0 if it is unknown.
func (w *watched) stored() uint64 {
	indexer, ok := w.informer.GetIndexer().(versioned)
	if !ok || w.scope.Received != nil {
		return 0
	}
	return parse(indexer.LastStoreSyncResourceVersion())
}

// reached returns the version that the cache has reached in a namespace, as far as the store knows: the cache has all
// changes up to this version.
func (s *Store) reached(w *watched, namespace string, now time.Time) uint64 {
	r := w.receivedIn(namespace)
	last := w.last(namespace)
	if last > 0 && last < r.version {
		s.listedAgain(w, r, last, now)
	}
	r.version = last
	if stored := w.stored(); stored > 0 {
		return stored
	}
	if now.Sub(r.notedAt) >= settling {
		r.settled, r.noted, r.notedAt = r.noted, last, now
	}
	return r.settled
}
