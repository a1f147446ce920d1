package consistency

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// Store remembers the writes of a controller until its caches have them. A write concerns the name of the object and
// the names of its owners. A store is for one controller in one process. It ignores the writes of other processes, and
// after a restart caches begin with the state of the server.
//
// The zero value is not usable. All methods are safe for concurrent use.
type Store struct {
	logger  klog.Logger
	metrics Metrics
	limit   time.Duration // how long the server can take to carry out a request
	seed    maphash.Seed
	started time.Time
	count   atomic.Int64 // of records; event handlers read it without the lock

	lock       sync.Mutex // guards the fields below
	kinds      []*kind
	filed      map[uint64]entry // records by the hashes of the object's name and its owners' names
	namespaces map[string]int   // the number of records in each
	underWay   []*write
	uncertain  []*uncertainty
	asked      map[*record]*question
	owners     map[cache.ObjectName]*ownerWrites // noted by Owners.WroteAt
	waiters    int
	changed    chan struct{} // closed to wake waiters

	logged   time.Time // when long waits were logged last
	interval time.Duration
}

// Option is an option of NewStore.
type Option func(*Store)

// Metrics receives measurements. Its methods must neither block nor call the store.
type Metrics interface {
	// Stale is called for each write in a *StaleError that EnsureReady returns.
	Stale(resource schema.GroupResource)

	// Seen is called when the caches have a write that they lacked at first. waited is the time since the write.
	Seen(resource schema.GroupResource, waited time.Duration)
}

// WithMetrics makes a store report to metrics. The default discards all measurements.
func WithMetrics(metrics Metrics) Option {
	return func(s *Store) { s.metrics = metrics }
}

// WithLogger makes a store log to logger. The default is klog.Background().
func WithLogger(logger klog.Logger) Option {
	return func(s *Store) { s.logger = logger }
}

// WithRequestTimeout sets how long the server may take to carry out a request whose answer was lost: the value of the
// API server's flag --request-timeout. The default is a minute, as in the API server.
func WithRequestTimeout(timeout time.Duration) Option {
	return func(s *Store) { s.limit = timeout }
}

// NewStore returns an empty store.
func NewStore(options ...Option) *Store {
	s := &Store{
		logger:     klog.Background(),
		metrics:    noMetrics{},
		limit:      time.Minute,
		seed:       maphash.MakeSeed(),
		started:    time.Now(),
		asked:      map[*record]*question{},
		owners:     map[cache.ObjectName]*ownerWrites{},
		filed:      map[uint64]entry{},
		namespaces: map[string]int{},
		changed:    make(chan struct{}),
	}
	for _, option := range options {
		option(s)
	}
	return s
}

type noMetrics struct{}

func (noMetrics) Stale(schema.GroupResource)               {}
func (noMetrics) Seen(schema.GroupResource, time.Duration) {}

// EnsureReady returns a *StaleError if a cache lacks a write to the object with this name, or to an object that it
// owns. It does not block. name is the key of the reconciled object. Objects of all kinds with this name count.
// EnsureReady returns a *CacheError if the informer of an object with an awaited write has stopped, or if resource
// versions in caches or answers are not numbers.
//
// If a write is awaited for 5 seconds, EnsureReady logs the awaited writes, and then again at intervals that double
// up to a minute.
func (s *Store) EnsureReady(name cache.ObjectName) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	err := s.check(name)
	if stale, ok := err.(*StaleError); ok {
		for _, w := range stale.Writes {
			s.metrics.Stale(w.Resource)
		}
	}
	return err
}

// WaitUntilReady waits until EnsureReady returns no error. If ctx ends first, the error wraps both its cause and the
// *StaleError. A *CacheError ends the wait at once.
func (s *Store) WaitUntilReady(ctx context.Context, name cache.ObjectName) error {
	return s.wait(ctx, func() error { return s.check(name) })
}

// wait waits until check returns no *StaleError.
func (s *Store) wait(ctx context.Context, check func() error) error {
	for {
		s.lock.Lock()
		err := check()
		if _, ok := err.(*StaleError); !ok {
			s.lock.Unlock()
			return err
		}
		changed := s.changed
		s.waiters++
		s.lock.Unlock()
		select {
		case <-ctx.Done():
		case <-changed:
		case <-time.After(poll): // for changes without an event
		}
		s.lock.Lock()
		s.waiters--
		s.lock.Unlock()
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
	}
}

const (
	poll        = 100 * time.Millisecond
	firstLog    = 5 * time.Second
	logInterval = time.Minute // the longest interval
)

// WroteAt notes a write by a client whose config Wrap has not changed. obj is the object in the answer of the server.
func (s *Store) WroteAt(resource schema.GroupResource, obj metav1.Object) {
	s.wrote(resource, objectOf(obj), obj.GetDeletionTimestamp() != nil)
}

// Clear forgets the writes for a name, as if caches had them.
func (s *Store) Clear(name cache.ObjectName) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.clear(name)
}

func (s *Store) clear(name cache.ObjectName) {
	for _, r := range s.recordsOf(name) {
		s.remove(r)
	}
	delete(s.owners, name)
	s.uncertain = slices.DeleteFunc(s.uncertain, func(u *uncertainty) bool { return s.concerns(u, name) })
}

// Len returns the number of objects with writes that a cache lacks.
func (s *Store) Len() int { return int(s.count.Load()) }

// check returns a *StaleError with the writes that caches lack for a name, a *CacheError if they cannot be awaited,
// or nil.
func (s *Store) check(name cache.ObjectName) error {
	now := time.Now()
	writes, err := s.lacksFor(name, now)
	if err != nil {
		return err
	}
	for _, k := range s.kinds {
		if k.mistrusted != "" {
			return &CacheError{k.resource, k.mistrusted}
		}
		for _, w := range k.informers {
			if w.missing(s, now) {
				writes = append(writes, Write{Resource: k.resource, Version: format(w.least), Since: w.since})
			}
			if since := s.awaitsList(w, name.Namespace, now); !since.IsZero() {
				writes = append(writes, Write{Resource: k.resource, Restored: true, Since: since})
			}
		}
	}
	for _, w := range s.underWay {
		if w.mayConcern(name) {
			writes = append(writes, Write{Resource: w.resource, Object: w.name, UnderWay: true, Since: w.begun})
		}
	}
	for _, u := range s.uncertain {
		if s.concerns(u, name) && !s.isIdle(u) {
			s.inquire(u, now)
			writes = append(writes, Write{Resource: u.kind.resource, Object: u.name, Unknown: true, Err: u.err, Since: u.since})
		}
	}
	for _, r := range s.recordsOf(name) {
		switch w, err := s.lacks(r, now); {
		case err != nil:
			return err
		case w != nil:
			writes = append(writes, *w)
		}
	}
	if len(writes) == 0 {
		return nil
	}
	slices.SortFunc(writes, func(a, b Write) int {
		return cmp.Or(a.Since.Compare(b.Since), strings.Compare(a.Resource.String()+a.Object.String(), b.Resource.String()+b.Object.String()))
	})
	stale := &StaleError{Name: name, Writes: writes, at: now}
	s.log(stale)
	return stale
}

// lacks returns the write of a record if a cache lacks it, or a *CacheError if it can never be awaited. After some
// time, it asks the server for the object.
func (s *Store) lacks(r *record, now time.Time) (*Write, error) {
	if s.settle(r, now) {
		return nil, nil
	}
	k := s.kinds[r.kind]
	switch {
	case k.mistrusted != "":
		return nil, &CacheError{k.resource, k.mistrusted}
	case k.hasEnded(r.name().Namespace):
		return nil, &CacheError{k.resource, "its informer has stopped"}
	}
	s.ask(r, now)
	return &Write{Resource: k.resource, Object: r.name(), Version: format(r.version), Deleted: r.deleted, Since: s.timeOf(r)}, nil
}

// log logs an error if its oldest write and the last message are long enough ago.
func (s *Store) log(err *StaleError) {
	if err.at.Sub(err.Writes[0].Since) < firstLog {
		return
	}
	if since := err.at.Sub(s.logged); since < s.interval {
		return
	} else if since > 2*logInterval { // this is another wait
		s.interval = firstLog
	}
	s.logged, s.interval = err.at, min(2*s.interval, logInterval)
	s.logger.Info("Waiting for caches to have own writes", "reason", err.Error())
}

// wake wakes all waiters.
func (s *Store) wake() {
	if s.waiters > 0 {
		close(s.changed)
		s.changed = make(chan struct{})
	}
}
