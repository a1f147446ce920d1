package fakeapi

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/metadata"
	metadatafake "k8s.io/client-go/metadata/fake"
	clienttesting "k8s.io/client-go/testing"
)

// Interfaces of newer releases of client-go have methods whose types do not exist in older ones: DeleteWithResult since
// v0.38. client-go's fakes have the methods of their release. The types below embed these fakes, and pass their actions
// to the reactors of an API's client. The methods of a requester hide the promoted methods, because these are embedded
// more deeply.
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
