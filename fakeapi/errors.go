package fakeapi

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A localError is an error detected by a client without a request.
type localError struct{ error }

// clientError returns the error that a client reports for err. An error without a status becomes an internal server
// error.
func clientError(err error) error {
	if err == nil {
		return nil
	}
	var local localError
	if errors.As(err, &local) {
		return local.error
	}
	var status *apierrors.StatusError
	if errors.As(err, &status) {
		return status
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    http.StatusInternalServerError,
		Reason:  metav1.StatusReasonUnknown,
		Message: err.Error(),
	}}
}

// notServed returns the error of a client for a URL that is not served. The client knows the parts of the URL.
func notServed(method string, gr schema.GroupResource, name string) error {
	return apierrors.NewGenericServerResponse(http.StatusNotFound, method, gr, name, "404 page not found", 0, true)
}

// invalidOptions returns the error for invalid options of a request, such as CreateOptions.
func invalidOptions(kind string, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: kind}, "", errs)
}

// unmetPrecondition returns the error for a precondition that the stored object does not meet.
func unmetPrecondition(r *resource, key, name string, dryRun bool, what string, want, got any) error {
	path := r.path(key)
	if dryRun {
		path = strings.TrimPrefix(path, registry)
	}
	return apierrors.NewConflict(r.gvr.GroupResource(), name, fmt.Errorf(
		"StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: %s in precondition: %v, "+
			"%s in object meta: %v",
		path, what, want, what, got))
}

// unsupportedMediaType returns the error for a patch of a type that the resource does not accept.
func unsupportedMediaType(accepted string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    http.StatusUnsupportedMediaType,
		Reason:  metav1.StatusReasonUnsupportedMediaType,
		Message: "the body of the request was in an unknown format - accepted media types include: " + accepted,
	}}
}

// tooLarge returns the error for a resource version in the future.
func tooLarge(version, current uint64) error {
	err := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", version, current), 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{
		Type:    metav1.CauseTypeResourceVersionTooLarge,
		Message: "Too large resource version",
	}}
	return err
}

// expiredError returns the error for a watch from a version that was forgotten.
func expiredError(version, expired uint64) error {
	return apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", version, expired))
}
