package fakeapi

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"
)

// Attach makes a fake clientset a client of the API. The API's reactors for all verbs and for watches come first in the
// clientset's chains. Actions are still recorded, and a reactor prepended later precedes the API. The scheme must have
// the Go types returned by the clientset. Attach also sets the Resources of the fake, which Discovery returns.
//
// Objects stored by the clientset itself are no longer visible. Use [WithObjects] to store objects in the API. Attach
// panics if an argument is nil.
func (a *API) Attach(fake *clienttesting.Fake, scheme *runtime.Scheme) {
	mustHave(fake != nil, "Attach without a clientset; pass &client.Fake")
	mustHave(scheme != nil, "Attach without a scheme; pass the scheme in the package of the clientset, scheme.Scheme")
	a.attach(fake, typedShape{scheme})
}

func (a *API) attach(fake *clienttesting.Fake, s shape) {
	c := &client{api: a, fake: fake, shape: s}
	fake.Lock()
	defer fake.Unlock()
	fake.PrependReactor("*", "*", c.react)
	fake.WatchReactionChain = slices.Insert[[]clienttesting.WatchReactor, clienttesting.WatchReactor](
		fake.WatchReactionChain, 0, watchReactor{c},
	)
	fake.Resources = nil
	for _, group := range a.groups {
		fake.Resources = append(fake.Resources, group.DeepCopy())
	}
}

// A client is a fake clientset, or an HTTP request.
type client struct {
	api   *API
	fake  *clienttesting.Fake // nil for an HTTP request
	shape shape

	// Fields for an HTTP request.
	ctx      context.Context
	admin    bool // not authorized
	form     form // of the result
	failure  form // of an error
	code     int  // of the response; 0 for the default
	warnings []string
	shard    string // selector in the URL
}

// react answers an action. It leaves other actions, such as the one for its own version, to other reactors.
func (c *client) react(action clienttesting.Action) (bool, runtime.Object, error) {
	subresource, _, _ := strings.Cut(action.GetSubresource(), "/") // like a server, ignore the rest of the path
	rq := request{
		group: action.GetResource().Group, resource: action.GetResource().Resource, subresource: subresource, namespace: action.GetNamespace(),
	}
	gvr := action.GetResource()
	var obj runtime.Object
	var err error
	switch action := action.(type) {
	case clienttesting.GetActionImpl:
		rq.verb, rq.name = "get", action.Name
		obj, err = c.do(rq, gvr, func(r *resource) (runtime.Object, error) {
			if rq.subresource == "scale" {
				return c.other(c.api.getScale(r, rq.namespace, rq.name, action.GetOptions))
			}
			return c.object(r)(c.api.get(r, rq.namespace, rq.name, action.GetOptions))
		})
	case clienttesting.ListActionImpl:
		rq.verb, rq.selected = "list", selectedName(action.ListOptions)
		obj, err = c.do(rq, gvr, func(r *resource) (runtime.Object, error) {
			page, err := c.api.list(r, rq.namespace, action.ListOptions)
			if err != nil {
				return nil, err
			}
			return c.shape.list(r, page.meta, page.objects)
		})
	case clienttesting.CreateActionImpl:
		rq.verb, rq.name = "create", nameOf(action.Name, action.Object)
		obj, err = c.do(rq, gvr, func(r *resource) (runtime.Object, error) { return c.create(r, rq, action) })
	case clienttesting.UpdateActionImpl:
		rq.verb, rq.name = "update", nameOf("", action.Object)
		if sent, ok := action.Object.(*body); ok {
			rq.name = sent.name
		}
		obj, err = c.do(rq, gvr, func(r *resource) (runtime.Object, error) {
			opts := action.UpdateOptions
			opts.DryRun = c.sentStages(opts.DryRun)
			if err := validateUpdateOptions(&opts); err != nil {
				return nil, err
			}
			if rq.subresource == "scale" {
				scale, err := scaleFrom(r, action.Object, c.api.validation(opts.FieldValidation))
				if err != nil {
					return nil, err
				}
				return c.other(c.api.updateScale(r, rq, scale, opts))
			}
			d, err := newDraft(r, action.Object, c.api.validation(opts.FieldValidation))
			if err != nil {
				return nil, err
			}
			return c.object(r)(c.api.update(r, rq, d, opts))
		})
	case clienttesting.PatchActionImpl:
		rq.verb, rq.name = "patch", action.Name
		p := patch{kind: patchType(string(action.PatchType)), data: action.Patch, opts: action.PatchOptions}
		p.opts.DryRun = c.sentStages(p.opts.DryRun)
		obj, err = c.do(rq, gvr, func(r *resource) (runtime.Object, error) {
			if rq.subresource == "scale" {
				return c.other(c.api.patchScale(r, rq.namespace, rq.name, p))
			}
			return c.object(r)(c.api.patch(r, rq.namespace, rq.name, rq.subresource, p))
		})
	case clienttesting.DeleteActionImpl:
		rq.verb, rq.name = "delete", action.Name
		obj, err = c.do(rq, gvr, func(r *resource) (runtime.Object, error) {
			d, err := c.api.delete(r, rq.namespace, rq.name, action.DeleteOptions)
			if err != nil {
				return nil, err
			}
			return c.deleted(r, d, action.DeleteOptions)
		})
	case clienttesting.DeleteCollectionActionImpl:
		rq.verb = "deletecollection"
		obj, err = c.do(rq, gvr, func(r *resource) (runtime.Object, error) {
			page, err := c.api.deleteCollection(r, rq.namespace, action.DeleteOptions, action.ListOptions)
			if err != nil {
				return nil, err
			}
			return c.shape.list(r, page.meta, page.objects)
		})
	default:
		return false, nil, nil
	}
	return true, obj, err
}

// create creates an object, or a subresource of one.
func (c *client) create(r *resource, rq request, action clienttesting.CreateActionImpl) (runtime.Object, error) {
	if rq.subresource != "" {
		other, o, err := c.api.createSubresource(r, rq, action.Object, action.CreateOptions)
		if o == nil {
			return c.other(other, err)
		}
		return c.object(r)(o, err)
	}
	opts := action.CreateOptions
	opts.DryRun = c.sentStages(opts.DryRun)
	if err := invalidOptions("CreateOptions", validation.ValidateCreateOptions(&opts)); err != nil {
		return nil, err
	}
	d, err := newDraft(r, action.Object, c.api.validation(opts.FieldValidation))
	if err != nil {
		return nil, err
	}
	return c.object(r)(c.api.create(r, rq.namespace, d, opts))
}

// nameOf returns the name of the object of an action.
func nameOf(name string, obj runtime.Object) string {
	if name != "" {
		return name
	}
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return ""
	}
	return accessor.GetName()
}

// sentStages returns the values of the DryRun option in the URL of a request. Clients do not send empty strings, but an
// HTTP request may contain them.
func (c *client) sentStages(dryRun []string) (sent []string) {
	if c.fake == nil {
		return dryRun
	}
	for _, stage := range dryRun {
		if stage != "" {
			sent = append(sent, stage)
		}
	}
	return sent
}

func validateUpdateOptions(opts *metav1.UpdateOptions) error {
	return invalidOptions("UpdateOptions", validation.ValidateUpdateOptions(opts))
}

// object returns a function that converts a result of the API to the client's type.
func (c *client) object(r *resource) func(*object, error) (runtime.Object, error) {
	return func(o *object, err error) (runtime.Object, error) {
		if err == nil {
			o, err = r.load(o)
		}
		if err != nil {
			return nil, err
		}
		return c.shape.object(r, o)
	}
}

func (c *client) other(obj runtime.Object, err error) (runtime.Object, error) {
	if err != nil {
		return nil, err
	}
	return c.shape.other(obj)
}

// deleted converts the result of a deletion to the response of a server.
func (c *client) deleted(r *resource, d *deletion, opts metav1.DeleteOptions) (runtime.Object, error) {
	//lint:ignore SA1019 clients can still send it
	orphan := opts.OrphanDependents
	switch {
	case !d.gone && orphan != nil && !*orphan:
		c.respondWith(http.StatusAccepted)
	case d.blank:
		return c.shape.bookmark(r, "", nil)
	case d.gone && !(r.standard && returnsDeleted[r.gvr.GroupResource()]):
		return c.shape.other(&metav1.Status{Status: metav1.StatusSuccess, Details: &metav1.StatusDetails{
			Name: d.object.name(), Group: r.gvr.Group, Kind: r.gvr.Resource, UID: types.UID(d.object.uid()),
		}})
	}
	return c.object(r)(d.object, nil)
}

// respondWith sets the status code of the response to an HTTP request.
func (c *client) respondWith(code int) {
	if c.fake == nil {
		c.code = code
	}
}

// do executes a request with the faults injected for it.
func (c *client) do(rq request, gvr schema.GroupVersionResource, f func(*resource) (runtime.Object, error)) (runtime.Object, error) {
	a := c.api
	if c.fake != nil {
		if err := c.permitAction(rq, gvr); err != nil {
			return nil, err
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.resources[gvr]
	var after error
	for _, fault := range a.faultsOf(rq) {
		switch {
		case fault.delay > 0:
			if err := c.sleep(fault.delay); err != nil {
				return nil, err
			}
		case fault.conflict && r != nil:
			a.compete(r, rq.namespace, rq.name)
		case fault.err != nil && fault.after:
			after = fault.err
		case fault.err != nil:
			return nil, fault.err
		}
	}
	if err := c.check(r, gvr, rq); err != nil {
		return nil, clientError(err)
	}
	a.client = c
	obj, err := f(r)
	a.client = nil
	switch {
	case after != nil:
		return nil, after
	case err != nil:
		return nil, clientError(err)
	}
	return obj, nil
}

// sleep waits for d without the locks of the API and the clientset, so that other requests can proceed. If the
// request's context ends first, it returns the error of the context.
func (c *client) sleep(d time.Duration) error {
	c.api.mu.Unlock()
	if c.fake == nil {
		defer c.api.mu.Lock()
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return nil
		case <-c.ctx.Done():
			return c.ctx.Err()
		}
	}
	c.fake.Unlock()
	time.Sleep(d)
	c.fake.Lock()
	c.api.mu.Lock()
	return nil
}

var methods = map[string]string{
	"get": "GET", "list": "GET", "watch": "GET", "create": "POST", "update": "PUT", "patch": "PATCH", "delete": "DELETE",
	"deletecollection": "DELETE",
}

// checkURL returns the name in the URL of a request, or "" if it has none, or the error for a request that clients do
// not send.
func (c *client) checkURL(rq request) (inURL string, err error) {
	if rq.verb != "create" || rq.subresource != "" {
		inURL = rq.name
	}
	named := rq.verb == "get" || rq.verb == "update" || rq.verb == "patch" || rq.verb == "delete"
	return inURL, c.shape.checkURL(rq.namespace, inURL, named)
}

// check returns an error for a request that clients do not send, or for which the server has no handler.
func (c *client) check(r *resource, gvr schema.GroupVersionResource, rq request) error {
	inURL, err := c.checkURL(rq)
	if err != nil {
		return err
	}
	if r == nil {
		return c.shape.notServed(methods[rq.verb], gvr.GroupResource(), inURL)
	}
	if !r.serves(rq) {
		return c.shape.notServed(methods[rq.verb], gvr.GroupResource(), inURL)
	}
	verbs := r.verbs
	if subresource, _, _ := strings.Cut(rq.subresource, "/"); subresource != "" { // like a server, ignore the rest of the path
		sub, ok := r.subresources[subresource]
		if !ok {
			return apierrors.NewNotFound(gvr.GroupResource(), rq.name)
		}
		verbs = sub.Verbs
	}
	if !slices.Contains(verbs, rq.verb) {
		return apierrors.NewMethodNotSupported(gvr.GroupResource(), rq.verb)
	}
	return nil
}

// serves reports whether the URL of a request has a namespace exactly if the resource requires one.
func (r *resource) serves(rq request) bool {
	acrossNamespaces := rq.verb == "list" || rq.verb == "watch"
	return r.namespaced == (rq.namespace != "") || r.namespaced && acrossNamespaces
}

// watchReactor answers watch requests.
type watchReactor struct{ *client }

// Handles and React implement clienttesting.WatchReactor.
func (w watchReactor) Handles(clienttesting.Action) bool { return true }

func (w watchReactor) React(action clienttesting.Action) (bool, watch.Interface, error) {
	var opts metav1.ListOptions
	if action, ok := action.(clienttesting.WatchActionImpl); ok {
		opts = action.ListOptions
	}
	opts.Watch = opts.Watch || w.fake != nil // clients set it
	rq := request{
		verb: "watch", group: action.GetResource().Group, resource: action.GetResource().Resource, namespace: action.GetNamespace(),
		selected: selectedName(opts),
	}
	var result watch.Interface
	_, err := w.do(rq, action.GetResource(), func(r *resource) (_ runtime.Object, err error) {
		result, err = w.api.watch(r, rq.namespace, opts, w.shape)
		return nil, err
	})
	if err != nil {
		if result != nil {
			result.Stop()
		}
		return true, nil, err
	}
	return true, result, nil
}

// IsWatchListSemanticsUnSupported tells reflectors that the API sends initial events and bookmarks, so that they can
// watch without listing first.
func (w watchReactor) IsWatchListSemanticsUnSupported() bool { return false }
