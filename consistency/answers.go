package consistency

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// answer holds the fields that the store needs from the answer to a write: an object or a Status.
type answer struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   object `json:"metadata"`
}

// isStatus reports whether the answer is a Kubernetes Status, and not an object of another kind with this name.
func (a *answer) isStatus() bool { return a.Kind == "Status" && !strings.Contains(a.APIVersion, "/") }

// isTable reports whether the answer is a Table, which contains objects in rows.
func (a *answer) isTable() bool {
	return a.Kind == "Table" && strings.HasPrefix(a.APIVersion, "meta.k8s.io/")
}

// listing holds the fields that the store needs from a list.
type listing struct {
	Metadata object `json:"metadata"`
	Items    []item `json:"items"`
}

type item struct {
	Metadata object `json:"metadata"`
}

// object holds the metadata that the store needs.
type object struct {
	Namespace         string            `json:"namespace"`
	Name              string            `json:"name"`
	UID               types.UID         `json:"uid"`
	ResourceVersion   string            `json:"resourceVersion"`
	Labels            map[string]string `json:"labels"`
	OwnerReferences   []owner           `json:"ownerReferences"`
	DeletionTimestamp any               `json:"deletionTimestamp"` // nil if the object is not being deleted

	passed   bool // before the write, an informer had already received this version or a later one
	deletion bool // from a Status: ResourceVersion is the version of the deletion, or ""
}

type owner struct {
	Name string `json:"name"`
}

func objectOf(obj metav1.Object) object {
	o := object{
		Namespace:       obj.GetNamespace(),
		Name:            obj.GetName(),
		UID:             obj.GetUID(),
		ResourceVersion: obj.GetResourceVersion(),
		Labels:          obj.GetLabels(),
	}
	for _, reference := range obj.GetOwnerReferences() {
		o.OwnerReferences = append(o.OwnerReferences, owner{reference.Name})
	}
	if t := obj.GetDeletionTimestamp(); t != nil {
		o.DeletionTimestamp = t
	}
	return o
}

// readAnswer decodes an object or a Status in JSON, CBOR or protobuf.
func readAnswer(contentType string, text []byte) (*answer, error) {
	a := &answer{}
	if !isProtobuf(contentType) {
		return a, decodeText(contentType, text, a)
	}
	envelope, err := unwrap(text)
	if err != nil {
		return nil, err
	}
	a.APIVersion, a.Kind = envelope.APIVersion, envelope.Kind
	if a.isStatus() {
		return a, nil
	}
	partial := &metav1.PartialObjectMetadata{} // metadata has field number 1 in all API objects
	if err := partial.Unmarshal(envelope.Raw); err != nil {
		return nil, err
	}
	a.Metadata = objectOf(partial)
	return a, nil
}

// readList decodes a list in JSON, CBOR or protobuf, from protobuf without the version of the list.
func readList(contentType string, text []byte) (*listing, error) {
	l := &listing{}
	if !isProtobuf(contentType) {
		return l, decodeText(contentType, text, l)
	}
	list := &metav1.PartialObjectMetadataList{} // metadata has field number 1 in all lists, and items number 2
	if err := decode(contentType, text, list); err != nil {
		return nil, err
	}
	for i := range list.Items {
		l.Items = append(l.Items, item{objectOf(&list.Items[i])})
	}
	return l, nil
}

// deletedObject returns the UID of the deleted object from a Status and, since Kubernetes 1.38, the resource version
// of the deletion. Fields that the Status lacks are empty.
func deletedObject(contentType string, text []byte) object {
	status := &metav1.Status{}
	_ = decode(contentType, text, status) // it stays empty if the text is not a Status
	o := object{ResourceVersion: status.ResourceVersion, deletion: true}
	if status.Details != nil {
		o.UID = status.Details.UID
	}
	return o
}

// decode decodes JSON, CBOR or protobuf.
func decode(contentType string, text []byte, into interface{ Unmarshal([]byte) error }) error {
	if !isProtobuf(contentType) {
		return decodeText(contentType, text, into)
	}
	envelope, err := unwrap(text)
	if err != nil {
		return err
	}
	return into.Unmarshal(envelope.Raw)
}

func isProtobuf(contentType string) bool {
	return strings.HasPrefix(contentType, runtime.ContentTypeProtobuf)
}

// unwrap decodes the envelope of a message in protobuf.
func unwrap(text []byte) (*runtime.Unknown, error) {
	text, ok := bytes.CutPrefix(text, []byte("k8s\x00"))
	if !ok {
		return nil, errors.ErrUnsupported
	}
	envelope := &runtime.Unknown{}
	return envelope, envelope.Unmarshal(text)
}

// decodeText decodes JSON or CBOR with case-sensitive names.
func decodeText(contentType string, text []byte, into any) error {
	if strings.HasPrefix(contentType, runtime.ContentTypeCBOR) {
		var content any // not the type of into, because direct.Unmarshal rejects fields that a type lacks
		if err := direct.Unmarshal(text, &content); err != nil {
			return err
		}
		text, _ = json.Marshal(content)
	}
	return utiljson.Unmarshal(text, into)
}
