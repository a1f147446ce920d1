package fakeapi

import (
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

const (
	bookmarkPeriod = time.Minute     // time between bookmarks
	bookmarkLead   = 2 * time.Second // time from the last bookmark to the timeout of a watch
)

// A watcher is a watch. Its events wait in an unbounded queue, so that writers never wait for readers.
type watcher struct {
	api       *API
	resource  *resource
	selector  *selector
	shape     shape
	bookmarks bool
	after     uint64 // only later revisions are sent

	result  chan watch.Event
	stopped chan struct{} // closed by Stop
	stop    func()
	ready   chan struct{} // has an element if the queue is not empty

	mu    sync.Mutex
	queue []notice
	ended bool // nothing more will be queued
}

// A notice is an event in the queue.
type notice struct {
	kind        watch.EventType
	object      *object
	version     string            // of a bookmark
	annotations map[string]string // of a bookmark
	status      *metav1.Status    // of an error
}

// watch starts a watch. The option Watch is not set if only the path of a request says that it is a watch.
func (a *API) watch(r *resource, namespace string, opts metav1.ListOptions, s shape) (watch.Interface, error) {
	legacy := (opts.ResourceVersion == "" || opts.ResourceVersion == "0") && opts.SendInitialEvents == nil && opts.ResourceVersionMatch == ""
	if legacy && opts.Watch {
		wanted := true
		opts.SendInitialEvents = &wanted
		opts.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
	}
	if err := validateListOptions(opts); err != nil {
		return nil, err
	}
	selector, err := r.selector(namespace, opts)
	if err != nil {
		return nil, err
	}
	if selector.shard, err = a.shard(opts); err != nil {
		return nil, err
	}
	v, err := parseVersion(opts.ResourceVersion)
	if err != nil {
		return nil, err
	}
	w := &watcher{
		api:       a,
		resource:  r,
		selector:  selector,
		shape:     s,
		bookmarks: opts.AllowWatchBookmarks,
		result:    make(chan watch.Event),
		stopped:   make(chan struct{}),
		ready:     make(chan struct{}, 1),
	}
	w.stop = sync.OnceFunc(func() { close(w.stopped) })
	switch initial := legacy || opts.SendInitialEvents != nil && *opts.SendInitialEvents; {
	case initial && v > a.revision:
		w.fail(tooLarge(v, a.revision))
	case initial:
		for _, o := range inNamespace(r.all(), selector.namespace) {
			if o, err = r.load(o); err != nil {
				return nil, err
			}
			if selector.matches(o) {
				w.queue = append(w.queue, notice{kind: watch.Added, object: o})
			}
		}
		if w.bookmarks && opts.SendInitialEvents != nil {
			w.queue = append(w.queue, notice{
				kind:        watch.Bookmark,
				version:     formatRevision(a.revision),
				annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"},
			})
		}
		w.after = a.revision
	case v == 0:
		w.after = a.revision
	case v < r.expired:
		w.fail(expiredError(v, r.expired))
	default:
		w.after = v
		for _, e := range r.since(v) {
			w.notify(e)
		}
	}
	w.wake()
	if !w.ended {
		r.watchers = append(r.watchers, w)
	}
	var end time.Time
	if opts.TimeoutSeconds != nil && *opts.TimeoutSeconds != 0 {
		end = time.Now().Add(time.Duration(*opts.TimeoutSeconds) * time.Second)
	}
	go w.run(end)
	return w, nil
}

// ResultChan and Stop implement watch.Interface.
func (w *watcher) ResultChan() <-chan watch.Event { return w.result }
func (w *watcher) Stop()                          { w.stop() }

// notify queues a write if the watcher selects it.
func (w *watcher) notify(e event) {
	if e.revision <= w.after {
		return
	}
	var objects [3]*object
	for i, o := range []*object{e.old, e.new, e.last} {
		var err error
		if objects[i], err = w.resource.load(o); err != nil {
			w.fail(err)
			return
		}
	}
	old, next, last := objects[0], objects[1], objects[2]
	before, after := w.selector.matches(old), w.selector.matches(next)
	switch {
	case after && !before:
		w.add(notice{kind: watch.Added, object: next})
	case after && before:
		w.add(notice{kind: watch.Modified, object: next})
	case before && next == nil:
		w.add(notice{kind: watch.Deleted, object: last})
	case before:
		w.add(notice{kind: watch.Deleted, object: old.at(e.revision)})
	}
}

// fail queues an error as the last event.
func (w *watcher) fail(err error) {
	var status apierrors.APIStatus
	s := metav1.Status{
		Status: metav1.StatusFailure, Message: err.Error(), Reason: metav1.StatusReasonInternalError, Code: http.StatusInternalServerError,
	}
	if errors.As(err, &status) {
		s = status.Status()
	}
	w.add(notice{kind: watch.Error, status: &s})
	w.end()
}

func (w *watcher) add(n notice) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended {
		w.queue = append(w.queue, n)
		w.wake()
	}
}

// end closes the queue to further events.
func (w *watcher) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.wake()
}

func (w *watcher) wake() {
	select {
	case w.ready <- struct{}{}:
	default:
	}
}

// take returns the queue and empties it.
func (w *watcher) take() (queue []notice, ended bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	queue, w.queue = w.queue, nil
	return queue, w.ended
}

// run sends queued events until the watch ends, or until the time end unless that is zero.
func (w *watcher) run(end time.Time) {
	defer close(w.result)
	defer w.leave()
	var deadline, bookmark <-chan time.Time
	if !end.IsZero() {
		if !time.Now().Before(end) {
			return
		}
		timer := time.NewTimer(time.Until(end))
		defer timer.Stop()
		deadline = timer.C
	}
	schedule := func() {
		period := bookmarkPeriod
		if !end.IsZero() {
			period = min(period, time.Until(end)-bookmarkLead)
		}
		bookmark = nil
		if period > 0 {
			bookmark = time.After(period)
		}
	}
	if w.bookmarks {
		schedule()
	}
	for {
		select {
		case <-w.stopped:
			return
		case <-deadline:
			return
		case <-bookmark:
			w.api.bookmark(w)
			schedule()
		case <-w.ready:
			queue, ended := w.take()
			for _, n := range queue {
				e, err := w.event(n)
				if err != nil {
					e, ended = watch.Event{Type: watch.Error, Object: statusOf(err)}, true
				}
				select {
				case w.result <- e:
				case <-w.stopped:
					return
				case <-deadline:
					return
				}
			}
			if ended {
				return
			}
		}
	}
}

func statusOf(err error) *metav1.Status {
	status := clientError(err).(*apierrors.StatusError).Status()
	return &status
}

// bookmark queues a bookmark with the current version, unless the client already knew that version at the start.
func (a *API) bookmark(w *watcher) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.revision > w.after {
		w.add(notice{kind: watch.Bookmark, version: formatRevision(a.revision)})
	}
}

// event returns the watch event for a notice.
func (w *watcher) event(n notice) (watch.Event, error) {
	switch n.kind {
	case watch.Error:
		return watch.Event{Type: n.kind, Object: n.status}, nil
	case watch.Bookmark:
		obj, err := w.shape.bookmark(w.resource, n.version, n.annotations)
		return watch.Event{Type: n.kind, Object: obj}, err
	}
	obj, err := w.shape.object(w.resource, n.object)
	return watch.Event{Type: n.kind, Object: obj}, err
}

// leave removes the watcher from the collection of its resource.
func (w *watcher) leave() {
	w.end()
	w.api.mu.Lock()
	defer w.api.mu.Unlock()
	w.resource.watchers = slices.DeleteFunc(w.resource.watchers, func(o *watcher) bool { return o == w })
}
