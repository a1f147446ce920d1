package fakeapi

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clienttesting "k8s.io/client-go/testing"
)

// DeleteWithResult deletes an object, and returns the answer.
func (r requester) DeleteWithResult(ctx context.Context, name string, opts metav1.DeleteOptions, subresources ...string) (metav1.APIResult, error) {
	obj, err := r.invoke(ctx, clienttesting.DeleteActionImpl{ActionImpl: r.action("delete", subresources...), Name: name, DeleteOptions: opts})
	return clienttesting.FakeAPIResult{Obj: obj, Err: err}, err
}
