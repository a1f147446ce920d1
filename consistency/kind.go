package consistency

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
)

// A kind holds the state of a resource, in all its API versions.
type kind struct {
	index      uint16 // in the store's kinds
	resource   schema.GroupResource
	informers  []*watched
	written    uint64  // the last noted version of a write
	source     *source // nil before the first request
	mistrusted string  // why versions cannot be compared, "" if they can
}

// hasEnded reports whether all informers for the objects of a namespace have stopped.
func (k *kind) hasEnded(namespace string) bool {
	ended := false
	for _, w := range k.informers {
		if w.covers(namespace) {
			if !w.stopped() {
				return false
			}
			ended = true
		}
	}
	return ended
}

// cached returns an object in a cache, or nil if no cache contains it.
func (k *kind) cached(name cache.ObjectName) metav1.Object {
	for _, w := range k.informers {
		if cached := w.cached(name.String()); cached != nil {
			return cached
		}
	}
	return nil
}

// kind returns the kind of a resource. It adds a new resource.
func (s *Store) kind(resource schema.GroupResource) *kind {
	if k := s.known(resource); k != nil {
		return k
	}
	k := &kind{index: uint16(len(s.kinds)), resource: resource}
	s.kinds = append(s.kinds, k)
	return k
}

// known returns the kind of a resource, or nil if the resource is not known.
func (s *Store) known(resource schema.GroupResource) *kind {
	for _, k := range s.kinds {
		if k.resource == resource {
			return k
		}
	}
	return nil
}

// knows reports whether a kind of a group has informers.
func (s *Store) knows(group string) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	return group != "" && slices.ContainsFunc(s.kinds, func(k *kind) bool { return k.resource.Group == group && len(k.informers) > 0 })
}

// locate notes the source for the objects of a known resource.
func (s *Store) locate(resource schema.GroupResource, source *source) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if k := s.known(resource); k != nil {
		k.source = source
	}
}

// mistrust notes that the versions of a kind cannot be compared, and logs this once.
func (s *Store) mistrust(k *kind, where, version string) {
	if k.mistrusted == "" {
		k.mistrusted = fmt.Sprintf("the resource version %q %s is not a number", version, where)
		s.logger.Error(nil, "Own writes cannot be awaited", "resource", k.resource.String(), "reason", k.mistrusted)
	}
}
