package fakeapi

import (
	"slices"
	"strings"
	"time"
)

// Requests selects requests that clients make. A field that is empty selects all of them.
type Requests struct {
	// Verb is get, list, watch, create, update, patch, delete or deletecollection. Apply is patch.
	Verb string
	// Resource is the plural name of a resource, such as "crontabs", or of a subresource, such as "crontabs/status".
	Resource string
	// Group is the API group of the resource. Because that of Pods, Services and the like is empty, it selects them only
	// together with Resource.
	Group string
	// Namespace is the one that is requested.
	Namespace string
	// Name is the name of the object. Lists, watches and the deletion of collections have none.
	Name string
}

// A request is what a fault is looked for with.
type request struct {
	verb, group, resource, subresource, namespace, name string
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

// A fault is something that happens to the next requests of a kind.
type fault struct {
	requests Requests
	left     int // requests that it still happens to
	err      error
	after    bool // whether the error comes after the request took effect
	delay    time.Duration
	conflict bool
}

// Fail makes the next n of the selected requests fail with an error, without any effect. The errors of a server are those
// that the package k8s.io/apimachinery/pkg/api/errors makes.
func (a *API) Fail(requests Requests, n int, err error) {
	a.inject(&fault{requests: requests, left: n, err: err})
}

// FailAfter makes the next n of the selected requests fail with an error after they took effect, as when the connection
// breaks before the answer.
func (a *API) FailAfter(requests Requests, n int, err error) {
	a.inject(&fault{requests: requests, left: n, err: err, after: true})
}

// Delay makes the next n of the selected requests wait before they take effect. Other requests go on in the meantime.
func (a *API) Delay(requests Requests, n int, d time.Duration) {
	a.inject(&fault{requests: requests, left: n, delay: d})
}

// Conflict lets another writer come first to the objects of the next n of the selected requests: it changes the
// annotation "fakeapi/competing-writer", and with it the resource version. Requests for objects that are not there, or
// for none in particular, go on as they are.
func (a *API) Conflict(requests Requests, n int) {
	a.inject(&fault{requests: requests, left: n, conflict: true})
}

func (a *API) inject(f *fault) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.faults = append(a.faults, f)
}

// faultsOf returns what is to happen to a request. The caller holds the lock.
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

// compete changes an object as another writer.
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

// EndWatches ends all watches, as a server does when it stops or their time is over. Informers start new ones from the
// last version that they have seen.
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

// ExpireVersions forgets all former versions and ends all watches. Watches from any version that a client has seen before,
// and lists that continue one, get the error 410 Expired, so that informers list again.
func (a *API) ExpireVersions() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.revision++ // so that even the last version that clients know is too old
	a.eachCollection(func(c *collection) {
		c.log = nil
		c.expired = a.revision
		for _, w := range c.watchers {
			w.end()
		}
		c.watchers = nil
	})
}

// eachCollection calls a function for what is stored of each resource.
func (a *API) eachCollection(f func(*collection)) {
	seen := map[*collection]bool{}
	for _, r := range a.resources {
		if !seen[r.collection] {
			seen[r.collection] = true
			f(r.collection)
		}
	}
}
