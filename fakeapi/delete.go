package fakeapi

import (
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A deletion is the result of a request to delete an object.
type deletion struct {
	object *object // the current object or, after the deletion, its last state
	gone   bool    // the object no longer exists
	blank  bool    // a server returns an empty object
}

// delete deletes an object. If finalizers or a grace period delay the deletion, it marks the object as being deleted.
func (a *API) delete(r *resource, namespace, name string, opts metav1.DeleteOptions) (*deletion, error) {
	if err := invalidOptions("DeleteOptions", validation.ValidateDeleteOptions(&opts)); err != nil {
		return nil, err
	}
	stored := r.find(r.key(namespace, name))
	if stored == nil {
		return nil, apierrors.NewNotFound(r.gvr.GroupResource(), name)
	}
	if ignore := opts.IgnoreStoreReadErrorWithClusterBreakingPotential; ignore != nil && *ignore {
		return nil, apierrors.NewConflict(r.gvr.GroupResource(), name,
			fmt.Errorf("StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, "+
				"AdditionalErrorMsg: unsafe deletion is not allowed because the object is decodable from storage", r.path(stored.key)))
	}
	seen, err := r.load(stored)
	if err != nil {
		return nil, r.corrupt(stored, err)
	}
	d := seen.draft()
	if p := opts.Preconditions; p != nil {
		gr := schema.GroupResource{Group: r.kind.Group, Resource: r.kind.Kind}
		if p.UID != nil && *p.UID != d.GetUID() {
			return nil, apierrors.NewConflict(gr, name, fmt.Errorf(
				"the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated",
				*p.UID, d.GetUID()))
		}
		if p.ResourceVersion != nil && *p.ResourceVersion != d.GetResourceVersion() {
			return nil, apierrors.NewConflict(gr, name, fmt.Errorf(
				"the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified",
				*p.ResourceVersion, d.GetResourceVersion()))
		}
	}
	graceful := r.deleteGracefully(d, opts)
	if graceful && stored.deleting() && equalValue(d.Object, seen.content) {
		return &deletion{object: stored}, nil // already being deleted
	}
	held := d.GetFinalizers()
	setFinalizers(d, deletionFinalizers(held, opts))
	if len(d.GetFinalizers()) == 0 && !graceful {
		if p := opts.Preconditions; len(held) > 0 && p != nil && p.ResourceVersion != nil && len(opts.DryRun) == 0 {
			// A server first removes the finalizers, and then compares the precondition with the resulting version,
			// which it has not stored.
			return nil, unmetPrecondition(r, stored.key, name, false, "ResourceVersion", "", d.GetResourceVersion())
		}
		if len(opts.DryRun) > 0 {
			return &deletion{object: stored, gone: true, blank: len(held) > 0}, nil
		}
		o := a.write(r.collection, stored, nil)
		a.collect(r, stored, nil)
		return &deletion{object: o, gone: true}, nil
	}
	if !graceful && d.metadata()["deletionTimestamp"] == nil {
		if generation := d.GetGeneration(); generation > 0 {
			d.SetGeneration(generation + 1)
		}
		d.metadata()["deletionTimestamp"] = now()
	}
	if !graceful {
		d.metadata()["deletionGracePeriodSeconds"] = int64(0)
	}
	if err := a.keep(r, d); err != nil {
		return nil, err
	}
	if equalValue(d.Object, stored.content) {
		return &deletion{object: stored}, nil
	}
	if len(opts.DryRun) > 0 {
		return &deletion{object: d.object(stored.revision)}, nil
	}
	o := a.write(r.collection, stored, d)
	a.collect(r, stored, o)
	return &deletion{object: o}, nil
}

// deletionFinalizers returns the finalizers of an object to delete: the garbage collector's finalizers are added or
// removed according to the propagation policy.
func deletionFinalizers(finalizers []string, opts metav1.DeleteOptions) []string {
	orphan := slices.Contains(finalizers, metav1.FinalizerOrphanDependents)
	foreground := !orphan && slices.Contains(finalizers, metav1.FinalizerDeleteDependents)
	//lint:ignore SA1019 clients can still send it
	byOldOption := opts.OrphanDependents
	switch {
	case byOldOption != nil:
		orphan, foreground = *byOldOption, false
	case opts.PropagationPolicy != nil:
		orphan = *opts.PropagationPolicy == metav1.DeletePropagationOrphan
		foreground = *opts.PropagationPolicy == metav1.DeletePropagationForeground
	}
	if orphan == slices.Contains(finalizers, metav1.FinalizerOrphanDependents) &&
		foreground == slices.Contains(finalizers, metav1.FinalizerDeleteDependents) {
		return finalizers
	}
	next := slices.DeleteFunc(slices.Clone(finalizers), func(f string) bool {
		return f == metav1.FinalizerOrphanDependents || f == metav1.FinalizerDeleteDependents
	})
	if orphan {
		next = append(next, metav1.FinalizerOrphanDependents)
	}
	if foreground {
		next = append(next, metav1.FinalizerDeleteDependents)
	}
	return next
}

func setFinalizers(d *draft, finalizers []string) {
	if len(finalizers) == 0 {
		delete(d.metadata(), "finalizers")
		return
	}
	d.SetFinalizers(finalizers)
}

// deleteCollection deletes all objects that a list with the same options returns. It returns that list.
func (a *API) deleteCollection(r *resource, namespace string, opts metav1.DeleteOptions, listOpts metav1.ListOptions) (*page, error) {
	page, err := a.list(r, namespace, listOpts)
	if err != nil {
		return nil, err
	}
	if err := invalidOptions("DeleteOptions", validation.ValidateDeleteOptions(&opts)); err != nil {
		return nil, err
	}
	for _, o := range page.objects {
		if _, err := a.delete(r, o.namespace(), o.name(), opts); err != nil && !apierrors.IsNotFound(err) {
			return nil, err
		}
	}
	return page, nil
}
