package fakeapi

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/rest"
)

// A change is a request to replace an object.
type change struct {
	namespace   string
	name        string
	subresource string
	uid         types.UID // UID that the stored object must have; "" for any
	create      bool      // create the object if it does not exist
	dryRun      bool
	// next returns the replacement of the stored object. The draft is empty if the object does not exist.
	next func(old *draft) (*draft, error)
}

// update replaces an object with the one sent by a client.
func (a *API) update(r *resource, rq request, d *draft, opts metav1.UpdateOptions) (*object, error) {
	if err := r.checkKind(d); err != nil {
		return nil, err
	}
	if err := r.setNamespace(d, rq.namespace); err != nil {
		return nil, err
	}
	if err := checkName(d.GetName(), rq.name); err != nil {
		return nil, err
	}
	a.dedupOwners(d, "")
	manager, err := r.manager(rq.subresource)
	if err != nil {
		return nil, err
	}
	return a.replace(r, change{
		namespace:   rq.namespace,
		name:        rq.name,
		subresource: rq.subresource,
		uid:         d.GetUID(),
		create:      rq.subresource == "" && r.createOnUpdate,
		dryRun:      len(opts.DryRun) > 0,
		next: func(old *draft) (*draft, error) {
			r.own(manager, old, d, managerName(opts.FieldManager))
			return d, nil
		},
	})
}

// replace executes a change.
func (a *API) replace(r *resource, c change) (*object, error) {
	gr := r.gvr.GroupResource()
	stored := r.find(r.key(c.namespace, c.name))
	if stored == nil && !c.create {
		return nil, apierrors.NewNotFound(gr, c.name)
	}
	var old *draft
	var err error
	if stored != nil {
		if old, err = r.draft(stored); err != nil {
			return nil, err
		}
		if got := old.GetUID(); c.uid != "" && c.uid != got {
			return nil, unmetPrecondition(r, stored.key, c.name, c.dryRun, "UID", c.uid, got)
		}
	} else {
		empty, _ := objects{}.New(r.kind)
		old = empty.(*draft)
		if c.uid != "" {
			return nil, unmetPrecondition(r, r.key(c.namespace, c.name), c.name, c.dryRun, "UID", c.uid, "")
		}
	}
	d, err := c.next(old)
	if err != nil {
		return nil, err
	}
	if _, err := version(d); err != nil {
		return nil, err
	}
	if stored == nil {
		wipe(d)
		return a.insert(r, c.namespace, d, c.dryRun, false)
	}
	if err := r.checkVersion(c.name, d, stored); err != nil {
		return nil, err
	}
	if err := r.setNamespace(d, c.namespace); err != nil {
		return nil, err
	}
	if d.GetAPIVersion() == "" {
		return nil, apierrors.NewInternalError(runtime.NewMissingVersionErr("object has no apiVersion field"))
	}
	d.own()
	d.SetResourceVersion(formatRevision(stored.revision))
	r.prepareUpdate(d, old, c.subresource)
	if errs := r.validateUpdate(d, old, c.subresource); len(errs) > 0 {
		return nil, apierrors.NewInvalid(d.GroupVersionKind().GroupKind(), d.GetName(), errs)
	}

	if c.subresource != "status" {
		a.warnOfFinalizers(r, d, old)
	}

	gone := released(d, old)
	if !gone && !c.dryRun {
		delete(d.metadata(), "selfLink") // it is not stored
	}
	d.key, d.Object = stored.key, settle(d.Object).(map[string]any)
	if gone {
		if !c.dryRun {
			a.write(r.collection, stored, nil)
			a.collect(r, stored, nil)
		}
		return d.object(stored.revision), nil
	}
	if err := a.keep(r, d); err != nil {
		return nil, err
	}
	d.empty = slices.DeleteFunc(d.empty, func(field string) bool { return d.metadata()[field] != nil })
	// A write that only changes the times in managedFields is not counted as a write.
	same := equalBut(d.Object, stored.content, "apiVersion") && equalManaged(d.managed, stored.managed, false) &&
		slices.Equal(d.empty, stored.empty)
	if same {
		return stored, nil
	}
	if c.dryRun {
		return d.object(stored.revision), nil
	}
	o := a.write(r.collection, stored, d)
	a.collect(r, stored, o)
	return o, nil
}

// draft returns a draft for the next version of a stored object. It has the API version of the resource.
func (r *resource) draft(stored *object) (*draft, error) {
	o, err := r.load(stored)
	if err != nil {
		return nil, notDecodable(stored, err)
	}
	d := o.draft()
	d.SetGroupVersionKind(r.kind)
	d.empty = stored.empty
	return d, nil
}

// version returns the resource version of an object sent by a client, or 0.
func version(d *draft) (uint64, error) {
	v := d.GetResourceVersion()
	if v == "" {
		return 0, nil
	}
	return strconv.ParseUint(v, 10, 64)
}

// checkVersion returns an error if the object is based on another version than the stored one.
func (r *resource) checkVersion(name string, d *draft, stored *object) error {
	switch got, _ := version(d); {
	case got == 0 && !r.conditional:
		return nil
	case got == 0:
		return apierrors.NewInvalid(r.groupKind(), name, field.ErrorList{
			field.Invalid(field.NewPath("metadata", "resourceVersion"), got, "must be specified for an update"),
		})
	case got != stored.revision:
		return apierrors.NewConflict(r.gvr.GroupResource(), name,
			errors.New("the object has been modified; please apply your changes to the latest version and try again"))
	}
	return nil
}

// prepareUpdate copies fields that the request cannot change from the stored object.
func (r *resource) prepareUpdate(d, old *draft, subresource string) {
	// The server sets the generation. Only the status subresource changes the status, and it changes nothing else.
	set(d.metadata(), "generation", old.metadata()["generation"])
	switch {
	case subresource == "status", subresource == "approval":
		r.keepAllButStatus(d, old)
	case subresource == "binding":
	case r.hasStatus():
		set(d.Object, "status", old.Object["status"])
	}
	unlike := []string{"metadata", "status"}
	if !r.hasStatus() {
		unlike = unlike[:1]
	}
	if r.generation && !equalBut(d.Object, old.Object, unlike...) {
		d.SetGeneration(old.GetGeneration() + 1)
	}
	if d.GetUID() == "" {
		set(d.metadata(), "uid", old.metadata()["uid"])
	}
	for _, field := range []string{"creationTimestamp", "deletionTimestamp"} {
		if v := old.metadata()[field]; v != nil {
			set(d.metadata(), field, v)
		}
	}
	if d.metadata()["deletionGracePeriodSeconds"] == nil {
		set(d.metadata(), "deletionGracePeriodSeconds", old.metadata()["deletionGracePeriodSeconds"])
	}
}

// set sets a field. If v is nil, it removes the field.
func set(m map[string]any, field string, v any) {
	if v == nil {
		delete(m, field)
		return
	}
	m[field] = v
}

// released reports whether an update has removed the last finalizer of an object that is being deleted.
func released(d, old *draft) bool {
	if len(d.GetFinalizers()) > 0 || old.metadata()["deletionTimestamp"] == nil {
		return false
	}
	grace, _ := old.metadata()["deletionGracePeriodSeconds"].(int64)
	return grace == 0
}

// managerName returns the name of a field manager. The default is the first part of the user agent, as in a server.
func managerName(name string) string {
	if name != "" {
		return name
	}
	return defaultManager
}

var defaultManager = managerOf(rest.DefaultKubernetesUserAgent())

// managerOf returns the name of the field manager for a user agent.
func managerOf(userAgent string) string {
	prefix, _, _ := strings.Cut(userAgent, "/")
	var name strings.Builder
	for _, r := range prefix {
		if name.Len()+utf8.RuneLen(r) > validation.FieldManagerMaxLength {
			break
		}
		if unicode.IsPrint(r) {
			name.WriteRune(r)
		}
	}
	if name.Len() == 0 && userAgent != "" {
		return "unknown"
	}
	return name.String()
}
