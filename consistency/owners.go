package consistency

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// Owners is a Store with the methods of ConsistencyStore, an interface in the package
// k8s.io/client-go/util/consistency since client-go v0.38. For a write, it notes the owner and the version, but not
// the object.
type Owners struct{ store *Store }

// Owners returns the store with the methods of client-go's ConsistencyStore. Clientsets of a config that Wrap has
// changed need no calls of WroteAt.
func (s *Store) Owners() *Owners { return &Owners{s} }

// WroteAt notes the write of an owner's object at a resource version. The owner is not ready until the caches of the
// resource have reached this version. WroteAt ignores a version that is not a number, such as the empty version after
// a deletion for which the server reports none. A new ownerUID discards the writes noted for an earlier owner with
// the same name.
func (o *Owners) WroteAt(owner types.NamespacedName, ownerUID types.UID, resource schema.GroupResource, version string) {
	o.store.wroteFor(cache.ObjectName(owner), ownerUID, resource, version)
}

// Clear forgets the writes for an owner, as Store.Clear does. If ownerUID is not "", it does so only while a write
// that WroteAt has noted with this UID is awaited.
func (o *Owners) Clear(owner types.NamespacedName, ownerUID types.UID) {
	name := cache.ObjectName(owner)
	o.store.lock.Lock()
	defer o.store.lock.Unlock()
	if noted := o.store.owners[name]; ownerUID == "" || noted != nil && noted.uid == ownerUID {
		o.store.clear(name)
	}
}

// EnsureReady calls Store.EnsureReady. Unlike with client-go's store, calls may be concurrent with WroteAt.
func (o *Owners) EnsureReady(owner types.NamespacedName) error {
	return o.store.EnsureReady(cache.ObjectName(owner))
}

// ownerWrites holds the writes noted for an owner.
type ownerWrites struct {
	uid  types.UID
	last map[*kind]ownerWrite
}

// An ownerWrite is the last write to an owner's objects of one kind.
type ownerWrite struct {
	version uint64
	since   time.Time
}

func (s *Store) wroteFor(owner cache.ObjectName, uid types.UID, resource schema.GroupResource, version string) {
	number := parse(version)
	if number == 0 {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	k, now := s.kind(resource), time.Now()
	o := s.owners[owner]
	if o == nil || o.uid != uid {
		o = &ownerWrites{uid, map[*kind]ownerWrite{}}
		s.owners[owner] = o
	}
	if number > o.last[k].version {
		o.last[k] = ownerWrite{number, now}
	}
	k.written = max(k.written, number)
	for _, w := range k.informers {
		w.await(number, now)
	}
}

// lacksFor returns the writes noted for an owner that caches lack. It forgets the others.
func (s *Store) lacksFor(owner cache.ObjectName, now time.Time) ([]Write, error) {
	o := s.owners[owner]
	if o == nil {
		return nil, nil
	}
	var writes []Write
	for k, last := range o.last {
		switch {
		case k.hasEnded(owner.Namespace):
			return nil, &CacheError{k.resource, "its informer has stopped"}
		case s.haveReached(k, owner.Namespace, last.version, now):
			delete(o.last, k)
		default:
			object := cache.ObjectName{Namespace: owner.Namespace}
			writes = append(writes, Write{Resource: k.resource, Object: object, Version: format(last.version), Since: last.since})
		}
	}
	if len(o.last) == 0 {
		delete(s.owners, owner)
	}
	return writes, nil
}

// haveReached reports whether all caches of a kind have reached a version in a namespace, or in all if namespace is
// "".
func (s *Store) haveReached(k *kind, namespace string, version uint64, now time.Time) bool {
	for _, w := range k.informers {
		if w.stopped() || !w.informer.HasSynced() || namespace != "" && !w.covers(namespace) {
			continue
		}
		for _, part := range w.parts() {
			if (part == "" || namespace == "" || part == namespace) && s.reached(w, part, now) < version {
				return false
			}
		}
	}
	return true
}

// undo forgets the writes noted for owners that a restore to version has undone.
func (s *Store) undo(k *kind, version uint64) {
	for _, o := range s.owners {
		if o.last[k].version > version {
			delete(o.last, k)
		}
	}
}
