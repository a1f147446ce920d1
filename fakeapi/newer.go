package fakeapi

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/metadata"
	metadatafake "k8s.io/client-go/metadata/fake"
	clienttesting "k8s.io/client-go/testing"
)

// Interfaces of newer releases of client-go have methods whose types older ones lack: DeleteWithResult since v0.38. The fakes of client-go
// itself have the methods of their release. These make actions, which go to the reactors of an API's client. The methods are promoted from a
// depth at which those of a requester hide them.
type (
	newerDynamic  struct{ dynamic.ResourceInterface }
	newerMetadata struct{ metadata.ResourceInterface }
)

func newDynamicResource(r requester) dynamicResource {
	client := &dynamicfake.FakeDynamicClient{}
	r.receive(&client.Fake)
	return dynamicResource{r, newerDynamic{client.Resource(r.resource).Namespace(r.namespace)}}
}

func newMetadataResource(r requester) metadataResource {
	client := &metadatafake.FakeMetadataClient{}
	r.receive(&client.Fake)
	return metadataResource{r, newerMetadata{client.Resource(r.resource).Namespace(r.namespace)}}
}

// receive answers all actions of another client.
func (r requester) receive(other *clienttesting.Fake) {
	other.AddReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		obj, err := r.fake.Invokes(action, nil)
		return true, obj, err
	})
}
