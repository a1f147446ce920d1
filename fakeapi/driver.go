package fakeapi

import (
	"slices"
	"strings"
	"time"
)

// Requests selects requests of clients. An empty field selects all values.
type Requests struct {
	// Verb is get, list, watch, create, update, patch, delete or deletecollection. An apply request has the verb patch.
	Verb string
	// Resource is the plural name of a resource, such as "crontabs", or of a subresource, such as "crontabs/status".
	Resource string
	// Group is the API group of the resource. "" is also the group of Pods, Services and other core resources. It only
	// selects this group if Resource is the name of such a resource.
	Group string
	// Namespace is the namespace of the request.
	Namespace string
	// Name is the name of the object. Requests to list, watch or delete a collection have none.
	Name string
}

// A request has the properties compared with Requests.
type request struct {
	verb, group, resource, subresource, namespace, name string

	selected string // name of the only object that a list or watch selects, or ""
}

func (s Requests) match(rq request) bool {
	resource := rq.resource
	if rq.subresource != "" {
		resource += "/" + rq.subresource
	}
	return (s.Verb == "" || strings.EqualFold(s.Verb, rq.verb)) &&
		(s.Resource == "" || s.Resource == resource) &&
		(s.Group == "" || s.Group == rq.group) &&
		(s.Namespace == "" || s.Namespace == rq.namespace) &&
		(s.Name == "" || s.Name == rq.name)
}

// A fault affects a number of selected requests.
type fault struct {
	requests Requests
	left     int // number of requests that it will still affect
	err      error
	after    bool // the error is returned after the request has taken effect
	delay    time.Duration
	conflict bool
}

// Fail makes the next n of the selected requests fail with err, without taking effect. Use the functions of
// k8s.io/apimachinery/pkg/api/errors to create errors of a server.
func (a *API) Fail(requests Requests, n int, err error) {
	a.inject(&fault{requests: requests, left: n, err: err})
}

// FailAfter makes the next n of the selected requests fail with err after they have taken effect, as if the connection
// had broken before the response arrived.
func (a *API) FailAfter(requests Requests, n int, err error) {
	a.inject(&fault{requests: requests, left: n, err: err, after: true})
}

// Delay makes the next n of the selected requests wait for d before they take effect. Meanwhile, other requests
// proceed.
func (a *API) Delay(requests Requests, n int, d time.Duration) {
	a.inject(&fault{requests: requests, left: n, delay: d})
}

// Conflict simulates another writer that changes the object of each of the next n selected requests just before the
// request. It sets the annotation "fakeapi/competing-writer", which changes the resource version. Requests without an
// object, or for a missing one, are not affected.
func (a *API) Conflict(requests Requests, n int) {
	a.inject(&fault{requests: requests, left: n, conflict: true})
}

func (a *API) inject(f *fault) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.faults = append(a.faults, f)
}

// faultsOf returns the faults for a request. The caller must hold the lock.
func (a *API) faultsOf(rq request) []*fault {
	var found []*fault
	for _, f := range a.faults {
		if f.left > 0 && f.requests.match(rq) {
			f.left--
			found = append(found, f)
			if f.err != nil && !f.after {
				break
			}
		}
	}
	if len(found) > 0 {
		a.faults = slices.DeleteFunc(a.faults, func(f *fault) bool { return f.left <= 0 })
	}
	return found
}

// compete changes an object like another writer.
func (a *API) compete(r *resource, namespace, name string) {
	old := r.find(r.key(namespace, name))
	if old == nil {
		return
	}
	d := old.draft()
	annotations := d.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations["fakeapi/competing-writer"] = formatRevision(a.revision)
	d.SetAnnotations(annotations)
	a.write(r.collection, old, d)
}

// EndWatches ends all watches, like a server that stops, or a timeout. Informers start new watches from the last
// version that they have received.
func (a *API) EndWatches() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.eachCollection(func(c *collection) {
		for _, w := range c.watchers {
			w.end()
		}
		c.watchers = nil
	})
}

// ExpireVersions makes the API forget all earlier versions, and ends all watches. Watches from an earlier version, and
// lists that continue at one, fail with the error 410 Expired, so that informers list again.
func (a *API) ExpireVersions() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.revision++ // makes the last version known to clients too old
	a.eachCollection(func(c *collection) {
		c.log = nil
		c.expired = a.revision
		for _, w := range c.watchers {
			w.end()
		}
		c.watchers = nil
	})
}

// eachCollection calls f for the collection of each resource.
func (a *API) eachCollection(f func(*collection)) {
	seen := map[*collection]bool{}
	for _, r := range a.resources {
		if !seen[r.collection] {
			seen[r.collection] = true
			f(r.collection)
		}
	}
}
