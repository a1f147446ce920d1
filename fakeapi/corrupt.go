package fakeapi

import (
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// corrupt returns the error for a stored object that a server cannot convert, and therefore not read.
func (r *resource) corrupt(o *object, err error) error {
	return apierrors.NewInternalError(storageError(strings.TrimPrefix(r.path(o.key), registry), o, err))
}

func storageError(path string, o *object, err error) error {
	return fmt.Errorf("StorageError: corrupt object, Code: 7, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: %w", path, notDecodable(o, err))
}

func notDecodable(o *object, err error) error {
	return fmt.Errorf("object not decodable revision=%d: %w", o.revision, err)
}

// maxCorrupt is the number of corrupt objects after which a server ends a list.
const maxCorrupt = 100

// corruptObjects are the corrupt objects of a list, as causes of its error.
type corruptObjects []metav1.StatusCause

func (c *corruptObjects) add(r *resource, o *object, err error) {
	path := r.path(o.key)
	*c = append(*c, metav1.StatusCause{
		Type: metav1.CauseTypeUnexpectedServerResponse, Field: path, Message: storageError(path, o, err).Error(),
	})
}

// err returns the error of a list, or nil if none of its objects is corrupt.
func (c corruptObjects) err(r *resource) error {
	if len(c) == 0 {
		return nil
	}
	gr := r.gvr.GroupResource()
	message := fmt.Sprintf("failed to read one or more %s from the storage: %s", gr, c[0].Message)
	if len(c) > 1 {
		message += fmt.Sprintf(" (and %d more)", len(c)-1)
	}
	if len(c) == maxCorrupt {
		c = append(c, metav1.StatusCause{Type: metav1.CauseTypeTooMany, Message: "too many errors, the list is truncated"})
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Reason: metav1.StatusReasonStoreReadError, Message: message,
		Details: &metav1.StatusDetails{Group: gr.Group, Kind: gr.Resource, Name: "list", Causes: c},
	}}
}
