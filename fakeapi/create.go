package fakeapi

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// nameAttempts is the number of generated names that a server tries.
const nameAttempts = 8

// create stores a new object.
func (a *API) create(r *resource, namespace string, d *draft, opts metav1.CreateOptions) (*object, error) {
	if err := r.checkKind(d); err != nil {
		return nil, err
	}
	wipe(d)
	if err := r.setNamespace(d, namespace); err != nil {
		return nil, err
	}
	a.dedupOwners(d, "")
	if err := r.ownAll(d, managerName(opts.FieldManager)); err != nil {
		return nil, err
	}
	generated := d.GetName() == "" && d.GetGenerateName() != ""
	for attempt := 1; ; attempt++ {
		if generated {
			d.SetName(a.generateName(d.GetGenerateName()))
		}
		o, err := a.insert(r, namespace, d, len(opts.DryRun) > 0, true)
		if !apierrors.IsAlreadyExists(err) || !generated || attempt == nameAttempts {
			return o, err
		}
	}
}

// insert stores a complete object unless an object with its name exists. For a dry run it only returns the object. If
// versionless is true, the object must not have a resource version.
func (a *API) insert(r *resource, namespace string, d *draft, dryRun, versionless bool) (*object, error) {
	if err := r.setNamespace(d, namespace); err != nil {
		return nil, err
	}
	a.fill(d)
	r.prepareCreate(d)
	if errs := r.validateCreate(d); len(errs) > 0 {
		return nil, apierrors.NewInvalid(d.GroupVersionKind().GroupKind(), d.GetName(), errs)
	}
	a.warnOfFinalizers(r, d, nil)
	d.key, d.Object = r.key(d.GetNamespace(), d.GetName()), settle(d.Object).(map[string]any)
	if v, err := version(d); versionless && err == nil && v != 0 && !dryRun {
		return nil, errors.New("resourceVersion should not be set on objects to be created")
	}
	old := r.find(d.key)
	if old == nil || !dryRun { // a server tries to store the object unless it is a dry run
		if err := a.keep(r, d); err != nil {
			return nil, err
		}
	}
	if old != nil {
		return nil, alreadyExists(r, old, d)
	}
	if a.client != nil {
		a.client.respondWith(http.StatusCreated)
	}
	if dryRun {
		sent := d.GetResourceVersion()
		o := d.object(0)
		if versionless && sent != "" {
			o.metadata()["resourceVersion"] = sent
		}
		return o, nil
	}
	o := a.write(r.collection, nil, d)
	a.collect(r, nil, o)
	return o, nil
}

func alreadyExists(r *resource, old *object, d *draft) error {
	err := apierrors.NewAlreadyExists(r.gvr.GroupResource(), d.GetName())
	if d.GetGenerateName() != "" {
		err = apierrors.NewGenerateNameConflict(r.gvr.GroupResource(), d.GetName(), 1)
	}
	if _, deleting := old.metadata()["deletionTimestamp"]; deleting {
		err.ErrStatus.Message = "object is being deleted: " + err.ErrStatus.Message
	}
	return err
}

// preload stores an object as if it had been created earlier.
func (a *API) preload(r *resource, obj runtime.Object) error {
	d, err := newDraft(r, obj.DeepCopyObject(), fieldValidation{})
	if err != nil {
		return err
	}
	if r.namespaced && d.GetNamespace() == "" {
		d.SetNamespace(metav1.NamespaceDefault)
	}
	d.SetResourceVersion("")
	if d.managed == nil {
		if err := r.ownAll(d, managerName("")); err != nil {
			return err
		}
	}
	if d.metadata()["creationTimestamp"] == nil {
		d.metadata()["creationTimestamp"] = now()
	}
	if d.GetUID() == "" {
		d.SetUID(a.newUID())
	}
	if d.GetGeneration() == 0 && r.generation {
		d.SetGeneration(1)
	}
	if errs := r.validateCreate(d); len(errs) > 0 {
		return errs.ToAggregate()
	}
	d.key = r.key(d.GetNamespace(), d.GetName())
	if err := a.keep(r, d); err != nil {
		return err
	}
	if old := r.find(d.key); old != nil {
		return fmt.Errorf("there are two %s %s", r.gvr.Resource, d.key)
	}
	a.track(r, nil, a.write(r.collection, nil, d))
	return nil
}

// checkKind rejects objects without a kind, or of another kind or version than the resource's.
func (r *resource) checkKind(d *draft) error {
	if d.GetKind() == "" {
		return apierrors.NewBadRequest(fmt.Sprintf(
			"the object provided is unrecognized (must be of type %s): Object 'Kind' is missing", r.kind.Kind,
		))
	}
	if got, want := d.GetAPIVersion(), r.kind.GroupVersion().String(); got != want {
		return apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)", got, want))
	}
	return nil
}

// wipe removes the metadata that only the server sets.
func wipe(d *draft) {
	for _, field := range []string{"creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"} {
		delete(d.metadata(), field)
		d.empty = slices.DeleteFunc(d.empty, func(empty string) bool { return empty == field })
	}
}

// fill sets the metadata of new objects.
func (a *API) fill(d *draft) {
	d.metadata()["creationTimestamp"] = now()
	d.metadata()["uid"] = string(a.newUID())
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }

// prepareCreate removes the fields that a create request cannot set.
func (r *resource) prepareCreate(d *draft) {
	if r.hasStatus() {
		delete(d.Object, "status")
	}
	if r.generation {
		d.metadata()["generation"] = int64(1)
	} else {
		delete(d.metadata(), "generation")
	}
}

// setNamespace sets the namespace of an object to the namespace of the request. It is an error if the object has
// another one.
func (r *resource) setNamespace(d *draft, namespace string) error {
	if !r.namespaced {
		namespace = ""
	}
	switch got := d.GetNamespace(); {
	case got == namespace:
	case namespace == "":
		delete(d.metadata(), "namespace")
	case got == "":
		d.SetNamespace(namespace)
	default:
		return errOtherNamespace()
	}
	return nil
}

func errOtherNamespace() error {
	return apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
}

// dedupOwners removes duplicate owner references with a warning. when is the stage of the request, for the warning.
func (a *API) dedupOwners(d *draft, when string) {
	refs, _ := d.metadata()["ownerReferences"].([]any)
	var unique []any
	var duplicates []string
	for _, ref := range refs {
		if slices.ContainsFunc(unique, func(u any) bool { return equalValue(u, ref) }) {
			fields, _ := ref.(map[string]any)
			duplicates = append(duplicates, fmt.Sprint(fields["uid"]))
			continue
		}
		unique = append(unique, ref)
	}
	if len(duplicates) > 0 {
		d.metadata()["ownerReferences"] = unique
		a.warn(fmt.Sprintf(".metadata.ownerReferences contains duplicate entries%s; API server dedups owner references in 1.20+, "+
			"and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: %s", when,
			strings.Join(duplicates, ", ")))
	}
}

// afterAdmission is the stage of the check for duplicate owner references in the result of a patch.
const afterAdmission = " after mutating admission happens"
