package fakeapi

import (
	"fmt"
	"maps"
	"math"

	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateCreate checks a new object.
func (r *resource) validateCreate(d *draft) field.ErrorList {
	path := field.NewPath("metadata")
	metadata := objectMeta(d)
	if r.standard {
		validName := r.validName
		if validName == nil {
			validName = validation.NameIsDNSSubdomain
		}
		return validation.ValidateObjectMeta(metadata, r.namespaced, validName, path)
	}
	if errs := r.validateKind(d); len(errs) > 0 {
		return errs
	}
	var errs field.ErrorList
	if r.rules != nil {
		errs = r.rules.Validate(d.Object, nil, "")
	} else {
		if errs = d.validateMetadata(); len(errs) == 0 {
			errs = validation.ValidateObjectMeta(metadata, r.namespaced, validation.NameIsDNSSubdomain, path)
		}
		errs = append(errs, r.validateTypes(d, "")...)
		errs = append(errs, r.validateScale(d, "")...)
		errs = append(errs, r.listType().validate(nil, d.Object)...)
	}
	if len(errs) == 0 {
		errs = validation.ValidateObjectMetaAccessor(metadata, r.namespaced, pathSegment, path)
	}
	return errs
}

// validateUpdate checks an object that replaces another one, through a subresource or, if that is "", through the
// resource itself.
func (r *resource) validateUpdate(d, old *draft, subresource string) field.ErrorList {
	path := field.NewPath("metadata")
	metadata, oldMetadata := objectMeta(d), objectMeta(old)
	errs := validation.ValidateObjectMetaAccessor(metadata, r.namespaced, pathSegment, path)
	errs = append(errs, validation.ValidateObjectMetaAccessorUpdate(metadata, oldMetadata, path)...)
	if r.standard {
		return errs
	}
	if kindErrs := r.validateKind(d); len(kindErrs) > 0 {
		return append(errs, kindErrs...)
	}
	if r.rules != nil {
		return append(errs, r.rules.Validate(d.Object, old.Object, subresource)...)
	}
	if malformed := d.validateMetadata(); len(malformed) > 0 {
		errs = append(errs, malformed...)
	} else {
		errs = append(errs, validation.ValidateObjectMetaUpdate(metadata, oldMetadata, path)...)
	}
	errs = append(errs, r.validateTypes(d, subresource)...)
	errs = append(errs, r.validateScale(d, subresource)...)
	if len(r.listType().validate(nil, old.Object)) > 0 {
		return errs // an invalid stored list may remain
	}
	return append(errs, r.listType().validate(nil, d.Object)...)
}

// validateMetadata returns an error if a value in the metadata has the wrong type. This is only possible for applied
// objects.
func (d *draft) validateMetadata() field.ErrorList {
	if !d.foreign {
		return nil
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(d.metadata(), &metav1.ObjectMeta{}); err != nil {
		metadata := maps.Clone(d.metadata())
		if len(d.managed) > 0 {
			metadata["managedFields"] = encodeManaged(d.managed)
		}
		return field.ErrorList{field.Invalid(field.NewPath("metadata"), metadata, err.Error())}
	}
	return nil
}

// validateTypes checks that values have the types of the kind's fields.
func (r *resource) validateTypes(d *draft, subresource string) field.ErrorList {
	if !d.foreign {
		return nil
	}
	t := r.valueType()
	if subresource != "status" {
		return t.validate(nil, "", d.Object)
	}
	status, ok := d.Object["status"]
	if !ok {
		return nil
	}
	return t.field("status").validate(field.NewPath("status"), "", status)
}

// objectMeta returns the metadata of a draft.
func objectMeta(d *draft) *metav1.ObjectMeta {
	return &metav1.ObjectMeta{
		Name:                       d.GetName(),
		GenerateName:               d.GetGenerateName(),
		Namespace:                  d.GetNamespace(),
		UID:                        d.GetUID(),
		ResourceVersion:            d.GetResourceVersion(),
		Generation:                 d.GetGeneration(),
		CreationTimestamp:          d.GetCreationTimestamp(),
		DeletionTimestamp:          d.GetDeletionTimestamp(),
		DeletionGracePeriodSeconds: d.GetDeletionGracePeriodSeconds(),
		Labels:                     d.GetLabels(),
		Annotations:                d.GetAnnotations(),
		OwnerReferences:            d.GetOwnerReferences(),
		Finalizers:                 d.GetFinalizers(),
		ManagedFields:              d.managed,
	}
}

func (r *resource) validateKind(d *draft) field.ErrorList {
	var errs field.ErrorList
	if kind := d.GetKind(); kind != r.kind.Kind {
		errs = append(errs, field.Invalid(field.NewPath("kind"), kind, fmt.Sprintf("must be %v", r.kind.Kind)))
	}
	if gv := r.kind.GroupVersion().String(); d.GetAPIVersion() != gv {
		errs = append(errs, field.Invalid(field.NewPath("apiVersion"), d.GetAPIVersion(), fmt.Sprintf("must be %v", gv)))
	}
	return errs
}

// validateScale checks the fields shown by the scale subresource.
func (r *resource) validateScale(d *draft, subresource string) field.ErrorList {
	if r.scale == nil {
		return nil
	}
	var errs field.ErrorList
	replicas := func(p scalePath) {
		n, _, err := p.integer(d.Object)
		switch {
		case err != nil:
			errs = append(errs, field.Invalid(field.NewPath(p.text), n, err.Error()))
		case n < 0:
			errs = append(errs, field.Invalid(field.NewPath(p.text), n, "should be a non-negative integer"))
		case n > math.MaxInt32:
			errs = append(errs, field.Invalid(field.NewPath(p.text), n, fmt.Sprintf("should be less than or equal to %v", math.MaxInt32)))
		}
	}
	if subresource != "status" {
		replicas(r.scale.spec)
	}
	replicas(r.scale.status)
	if p := r.scale.selector; p.text != "" {
		if s, _, err := p.string(d.Object); err != nil {
			errs = append(errs, field.Invalid(field.NewPath(p.text), s, err.Error()))
		}
	}
	return errs
}
