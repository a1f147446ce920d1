// Package conversion is a conversion webhook that needs neither controller-runtime nor the module of
// CustomResourceDefinitions.
package conversion

import (
	"encoding/json"
	"fmt"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
)

// review is a ConversionReview of apiextensions.k8s.io/v1.
type review struct {
	metav1.TypeMeta `json:",inline"`
	Request         *request  `json:"request,omitempty"`
	Response        *response `json:"response,omitempty"`
}

type request struct {
	UID               types.UID         `json:"uid"`
	DesiredAPIVersion string            `json:"desiredAPIVersion"`
	Objects           []json.RawMessage `json:"objects"`
}

type response struct {
	UID              types.UID         `json:"uid"`
	ConvertedObjects []json.RawMessage `json:"convertedObjects"`
	Result           metav1.Status     `json:"result"`
}

// Handler answers the ConversionReviews of API servers with the conversion functions in a scheme. These convert between
// the version of the hub and each other version. If an object cannot be converted, the response says why.
func Handler(scheme *runtime.Scheme, hub schema.GroupVersion) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, rq *http.Request) {
		var in review
		if err := json.NewDecoder(rq.Body).Decode(&in); err != nil || in.Request == nil {
			http.Error(w, "the body is not a ConversionReview with a request", http.StatusBadRequest)
			return
		}
		out := &response{UID: in.Request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
		for _, object := range in.Request.Objects {
			converted, err := convert(scheme, object, hub, in.Request.DesiredAPIVersion)
			if err != nil {
				out.ConvertedObjects, out.Result = nil, metav1.Status{Status: metav1.StatusFailure, Message: err.Error()}
				break
			}
			out.ConvertedObjects = append(out.ConvertedObjects, converted)
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(review{TypeMeta: in.TypeMeta, Response: out}) // it fails if the server does not wait
	})
}

// convert returns the JSON of an object in another version.
func convert(scheme *runtime.Scheme, object []byte, hub schema.GroupVersion, apiVersion string) (converted []byte, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("conversion to %s panicked: %v", apiVersion, problem)
		}
	}()
	obj, from, err := serializer.NewCodecFactory(scheme).UniversalDeserializer().Decode(object, nil, nil)
	if err != nil {
		return nil, err
	}
	to, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil, err
	}
	version := from.GroupVersion()
	for _, next := range []schema.GroupVersion{hub, to} {
		if next == version || version == to {
			continue
		}
		out, err := scheme.New(next.WithKind(from.Kind))
		if err != nil {
			return nil, err
		}
		if err := scheme.Convert(obj, out, nil); err != nil {
			return nil, err
		}
		obj, version = out, next
	}
	obj.GetObjectKind().SetGroupVersionKind(to.WithKind(from.Kind))
	return json.Marshal(obj)
}
