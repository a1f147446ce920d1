package backport

import (
	"fmt"
	"strings"

	"k8s.io/client-go/tools/cache"
)

// Object is implemented by all API types.
type Object interface {
	comparable

	GetName() string
	GetNamespace() string
}

// TypedIndexFunc returns the values under which an index stores an object.
type TypedIndexFunc[T any] func(obj T) ([]string, error)

// TypedIndexers are index functions by the names of their indexes.
type TypedIndexers[T any] map[string]TypedIndexFunc[T]

// TypedIndexersToIndexers returns index functions that take untyped objects. They panic for objects of other types.
func TypedIndexersToIndexers[T any](indexers TypedIndexers[T]) cache.Indexers {
	untyped := cache.Indexers{}
	for name, indexer := range indexers {
		untyped[name] = func(obj any) ([]string, error) { return indexer(obj.(T)) }
	}
	return untyped
}

// TypedIndexer is a cache.Indexer with typed lookups.
type TypedIndexer[T any] interface {
	cache.Indexer

	// TypedIndex returns the objects that have an indexed value in common with obj.
	TypedIndex(indexName string, obj T) ([]T, error)

	// ByTypedIndex returns the objects that an index stores under a value.
	ByTypedIndex(indexName, indexedValue string) ([]T, error)

	// AddTypedIndexers adds indexes. It fails if a name is already in use.
	AddTypedIndexers(newIndexers TypedIndexers[T]) error
}

type typedIndexer[T any] struct{ cache.Indexer }

func (i typedIndexer[T]) TypedIndex(indexName string, obj T) ([]T, error) {
	return typedObjects[T](i.Index(indexName, obj))
}

func (i typedIndexer[T]) ByTypedIndex(indexName, indexedValue string) ([]T, error) {
	return typedObjects[T](i.ByIndex(indexName, indexedValue))
}

func (i typedIndexer[T]) AddTypedIndexers(newIndexers TypedIndexers[T]) error {
	return i.AddIndexers(TypedIndexersToIndexers(newIndexers))
}

func typedObjects[T any](untyped []any, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	objects := make([]T, 0, len(untyped))
	for _, obj := range untyped {
		objects = append(objects, obj.(T))
	}
	return objects, nil
}

// DeletedObject is the last state of a deleted object that the informer received.
type DeletedObject[T Object] struct {
	// OptionalObj is the object. It may be an older state of it, or nil, if FinalStateUnknown is set.
	OptionalObj T

	// FinalStateUnknown is set if the informer missed the deletion. It has the object's key.
	FinalStateUnknown *cache.DeletedFinalStateUnknown
}

// GetObjectName returns the object's namespace and name, which are known even if the informer missed the deletion.
func (d DeletedObject[T]) GetObjectName() cache.ObjectName {
	var none T
	switch {
	case d.FinalStateUnknown != nil:
		namespace, name, ok := strings.Cut(d.FinalStateUnknown.Key, "/")
		if !ok {
			namespace, name = "", namespace
		}
		return cache.NewObjectName(namespace, name)
	case d.OptionalObj == none:
		return cache.ObjectName{}
	}
	return cache.NewObjectName(d.OptionalObj.GetNamespace(), d.OptionalObj.GetName())
}

// GetName returns the object's name.
func (d DeletedObject[T]) GetName() string { return d.GetObjectName().Name }

// GetNamespace returns the object's namespace, or "" if it is cluster-scoped.
func (d DeletedObject[T]) GetNamespace() string { return d.GetObjectName().Namespace }

// GetKey returns the key under which the informer's cache had the object.
func (d DeletedObject[T]) GetKey() string {
	if d.FinalStateUnknown != nil {
		return d.FinalStateUnknown.Key
	}
	return d.GetObjectName().String()
}

// TypedResourceEventHandler is a cache.ResourceEventHandler for objects of one type.
type TypedResourceEventHandler[T Object] interface {
	OnAdd(obj T, isInInitialList bool)
	OnUpdate(oldObj, newObj T)
	OnDelete(obj DeletedObject[T])
}

// TypedResourceEventHandlerFuncs is a handler that calls functions, each of which may be nil.
type TypedResourceEventHandlerFuncs[T Object] struct {
	AddFunc    func(obj T)
	UpdateFunc func(oldObj, newObj T)
	DeleteFunc func(obj DeletedObject[T])
}

// OnAdd calls AddFunc.
func (h TypedResourceEventHandlerFuncs[T]) OnAdd(obj T, isInInitialList bool) {
	if h.AddFunc != nil {
		h.AddFunc(obj)
	}
}

// OnUpdate calls UpdateFunc.
func (h TypedResourceEventHandlerFuncs[T]) OnUpdate(oldObj, newObj T) {
	if h.UpdateFunc != nil {
		h.UpdateFunc(oldObj, newObj)
	}
}

// OnDelete calls DeleteFunc.
func (h TypedResourceEventHandlerFuncs[T]) OnDelete(obj DeletedObject[T]) {
	if h.DeleteFunc != nil {
		h.DeleteFunc(obj)
	}
}

// TypedResourceEventHandlerDetailedFuncs is like TypedResourceEventHandlerFuncs, with an AddFunc that receives whether
// the object is part of the initial list.
type TypedResourceEventHandlerDetailedFuncs[T Object] struct {
	AddFunc    func(obj T, isInInitialList bool)
	UpdateFunc func(oldObj, newObj T)
	DeleteFunc func(obj DeletedObject[T])
}

// OnAdd calls AddFunc.
func (h TypedResourceEventHandlerDetailedFuncs[T]) OnAdd(obj T, isInInitialList bool) {
	if h.AddFunc != nil {
		h.AddFunc(obj, isInInitialList)
	}
}

// OnUpdate calls UpdateFunc.
func (h TypedResourceEventHandlerDetailedFuncs[T]) OnUpdate(oldObj, newObj T) {
	if h.UpdateFunc != nil {
		h.UpdateFunc(oldObj, newObj)
	}
}

// OnDelete calls DeleteFunc.
func (h TypedResourceEventHandlerDetailedFuncs[T]) OnDelete(obj DeletedObject[T]) {
	if h.DeleteFunc != nil {
		h.DeleteFunc(obj)
	}
}

// TypedFilteringResourceEventHandler passes the objects that FilterFunc selects to a handler. If an update changes
// whether an object is selected, the handler sees it added or deleted. FilterFunc receives nil for a deleted object
// that is unknown.
type TypedFilteringResourceEventHandler[T Object] struct {
	FilterFunc func(obj T) bool
	Handler    TypedResourceEventHandler[T]
}

// OnAdd passes on a selected object.
func (h TypedFilteringResourceEventHandler[T]) OnAdd(obj T, isInInitialList bool) {
	if h.FilterFunc(obj) {
		h.Handler.OnAdd(obj, isInInitialList)
	}
}

// OnUpdate passes on an object that is or was selected, as an addition, update or deletion.
func (h TypedFilteringResourceEventHandler[T]) OnUpdate(oldObj, newObj T) {
	did, does := h.FilterFunc(oldObj), h.FilterFunc(newObj)
	if did && does {
		h.Handler.OnUpdate(oldObj, newObj)
	} else if does {
		h.Handler.OnAdd(newObj, false)
	} else if did {
		h.Handler.OnDelete(DeletedObject[T]{OptionalObj: oldObj})
	}
}

// OnDelete passes on a selected object.
func (h TypedFilteringResourceEventHandler[T]) OnDelete(obj DeletedObject[T]) {
	if h.FilterFunc(obj.OptionalObj) {
		h.Handler.OnDelete(obj)
	}
}

// untypedHandler adapts a typed handler to informers. It panics for objects of other types.
type untypedHandler[T Object] struct{ typed TypedResourceEventHandler[T] }

func (h untypedHandler[T]) OnAdd(obj any, isInInitialList bool) {
	h.typed.OnAdd(obj.(T), isInInitialList)
}

func (h untypedHandler[T]) OnUpdate(oldObj, newObj any) { h.typed.OnUpdate(oldObj.(T), newObj.(T)) }

func (h untypedHandler[T]) OnDelete(obj any) {
	var deleted DeletedObject[T]
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		deleted.FinalStateUnknown = &tombstone
		obj = tombstone.Obj
	}
	if obj != nil {
		deleted.OptionalObj = obj.(T)
	}
	h.typed.OnDelete(deleted)
}

// TypedSharedIndexInformer is a cache.SharedIndexInformer with typed handlers and indexers.
type TypedSharedIndexInformer[T Object] interface {
	cache.SharedIndexInformer

	// AddTypedEventHandler adds a handler, with one HandlerOptions at most.
	AddTypedEventHandler(handler TypedResourceEventHandler[T], options ...cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error)

	// AddTypedIndexers adds indexes. It fails if a name is already in use.
	AddTypedIndexers(indexers TypedIndexers[T]) error

	// GetTypedIndexer returns the informer's cache.
	GetTypedIndexer() TypedIndexer[T]
}

// NewTypedSharedIndexInformer returns an informer with typed handlers and indexers. They panic for objects of another
// type.
func NewTypedSharedIndexInformer[T Object](informer cache.SharedIndexInformer) TypedSharedIndexInformer[T] {
	return typedInformer[T]{informer}
}

type typedInformer[T Object] struct{ cache.SharedIndexInformer }

func (i typedInformer[T]) AddTypedEventHandler(
	handler TypedResourceEventHandler[T], options ...cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	if len(options) > 1 {
		return nil, fmt.Errorf("AddTypedEventHandler takes one HandlerOptions, not %d", len(options))
	}
	var only cache.HandlerOptions
	for _, o := range options {
		only = o
	}
	return i.AddEventHandlerWithOptions(untypedHandler[T]{handler}, only)
}

func (i typedInformer[T]) AddTypedIndexers(indexers TypedIndexers[T]) error {
	return i.AddIndexers(TypedIndexersToIndexers(indexers))
}

func (i typedInformer[T]) GetTypedIndexer() TypedIndexer[T] {
	return typedIndexer[T]{i.GetIndexer()}
}
