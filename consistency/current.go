package consistency

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
)

// WaitUntilCurrent waits until the caches of all informers have reached the state of the server at the time of the
// call. Call it when a process becomes the leader, before it starts workers: they could otherwise act on caches that
// lack writes of the previous leader. WaitUntilCurrent asks the server for its version and for the changes that
// caches lack, which takes about a second, and waits until the caches have these changes. The informers must have
// been started, with clients of a config that Wrap has changed.
//
// WaitUntilCurrent returns the error of a failed request, a *CacheError, or the cause of the end of ctx, usually
// joined with a *StaleError.
func (s *Store) WaitUntilCurrent(ctx context.Context) error {
	s.lock.Lock()
	var lags []lag
	for _, k := range s.kinds {
		for _, w := range k.informers {
			namespaces := w.scope.Namespaces
			if len(namespaces) == 0 {
				namespaces = []string{""}
			}
			for _, namespace := range namespaces {
				lags = append(lags, lag{w, namespace, 0})
			}
		}
	}
	s.lock.Unlock()
	if err := s.wait(ctx, func() error { return s.behind(lags) }); err != nil { // for the first lists
		return err
	}
	asked := make(chan error, len(lags))
	for i := range lags {
		go func() {
			version, err := s.lastChange(ctx, lags[i].watched, lags[i].namespace)
			lags[i].version = version
			asked <- err
		}()
	}
	var errs []error
	for range lags {
		errs = append(errs, <-asked)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return s.wait(ctx, func() error { return s.behind(lags) })
}

// A lag is the version that a cache must reach in a namespace, or in all namespaces if namespace is "".
type lag struct {
	*watched
	namespace string
	version   uint64
}

// behind returns a *StaleError for caches that have not been listed or have not reached their versions. If an
// informer has stopped, it returns a *CacheError.
func (s *Store) behind(lags []lag) error {
	now := time.Now()
	stale := &StaleError{at: now}
	for _, l := range lags {
		since := s.awaitsList(l.watched, l.namespace, now)
		switch {
		case l.stopped():
			return &CacheError{l.kind.resource, "its informer has stopped"}
		case !l.informer.HasSynced():
			stale.Writes = append(stale.Writes, Write{Resource: l.kind.resource})
		case !since.IsZero():
			stale.Writes = append(stale.Writes, Write{Resource: l.kind.resource, Restored: true, Since: since})
		case s.reached(l.watched, l.namespace, now) < l.version:
			stale.Writes = append(stale.Writes, Write{Resource: l.kind.resource, Version: format(l.version), Since: now})
		}
	}
	if len(stale.Writes) == 0 {
		return nil
	}
	return stale
}

// lastChange returns the version of the last change in a namespace that the cache of an informer lacks, or 0 if the
// cache lacks none.
func (s *Store) lastChange(ctx context.Context, w *watched, namespace string) (uint64, error) {
	now := time.Now()
	s.lock.Lock()
	source, reached, seen := w.kind.source, s.reached(w, namespace, now), s.seen(w.kind, namespace, now)
	s.lock.Unlock()
	if source == nil {
		return 0, &CacheError{w.kind.resource, "its informer has a client of a config that Wrap has not changed"}
	}
	version, list, err := source.lastChange(ctx, w, namespace, reached)
	if list != nil {
		s.lock.Lock()
		s.notice(w.kind, list, seen)
		s.lock.Unlock()
	}
	return version, err
}

// lastChange returns the version of the last change after since to the objects that an informer selects in a namespace,
// or 0 if there is none, and a list with the version of the server. If since is 0, every version counts as a change.
func (s *source) lastChange(ctx context.Context, w *watched, namespace string, since uint64) (uint64, *listing, error) {
	query := s.query(cache.ObjectName{}, w.scope)
	query.Set("limit", "1")
	list, err := s.list(ctx, w.kind.resource, namespace, query)
	if err != nil {
		return 0, nil, fmt.Errorf("cannot list %s: %w", w.kind.resource, err)
	}
	version := parse(list.Metadata.ResourceVersion)
	switch {
	case since >= version:
		return 0, list, nil
	case since == 0:
		return version, list, nil
	}
	version, err = s.changes(ctx, w.kind.resource, namespace, s.query(cache.ObjectName{}, w.scope), since, version)
	return version, list, err
}

// changes returns the version of the last change after since and up to version, or 0 if there is none. It watches
// until events or bookmarks have reached version. If the server no longer has the changes, it returns version.
func (s *source) changes(
	ctx context.Context, resource schema.GroupResource, namespace string, query url.Values, since, version uint64,
) (uint64, error) {
	query.Set("watch", "true")
	query.Set("allowWatchBookmarks", "true")
	query.Set("timeoutSeconds", "3") // servers send a bookmark two seconds before a watch ends
	for last, known := uint64(0), since; ; {
		query.Set("resourceVersion", format(known))
		body, err := s.get(ctx, resource, namespace, query, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json")
		if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
			return version, nil
		} else if err != nil {
			return 0, fmt.Errorf("cannot watch %s: %w", resource, err)
		}
		for events := json.NewDecoder(body); ; {
			var event struct {
				Type   string `json:"type"`
				Object struct {
					Metadata struct {
						ResourceVersion string `json:"resourceVersion"`
					} `json:"metadata"`
				} `json:"object"`
			}
			if events.Decode(&event) != nil {
				break
			}
			at := parse(event.Object.Metadata.ResourceVersion)
			switch event.Type {
			case "ADDED", "MODIFIED", "DELETED":
				last = at
			case "ERROR":
				body.Close()
				return version, nil
			}
			if known = max(known, at); known >= version {
				body.Close()
				return min(last, version), nil
			}
		}
		body.Close()
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
	}
}
