// Package conversion has a conversion webhook that needs neither controller-runtime nor generated code.
package conversion

import (
	"encoding/json"
	"fmt"
	"net/http"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

// Handler answers the ConversionReviews of API servers with the conversion functions in a scheme. These convert between
// the version of the hub and each other version. If an object cannot be converted, the response says why.
func Handler(scheme *runtime.Scheme, hub schema.GroupVersion) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, rq *http.Request) {
		var review apiextensionsv1.ConversionReview
		if err := json.NewDecoder(rq.Body).Decode(&review); err != nil || review.Request == nil {
			http.Error(w, "the body is not a ConversionReview with a request", http.StatusBadRequest)
			return
		}
		review.Response = &apiextensionsv1.ConversionResponse{UID: review.Request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
		for _, object := range review.Request.Objects {
			converted, err := convert(scheme, object.Raw, hub, review.Request.DesiredAPIVersion)
			if err != nil {
				review.Response.ConvertedObjects = nil
				review.Response.Result = metav1.Status{Status: metav1.StatusFailure, Message: err.Error()}
				break
			}
			review.Response.ConvertedObjects = append(review.Response.ConvertedObjects, runtime.RawExtension{Raw: converted})
		}
		review.Request = nil
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(review) // it fails if the server does not wait for the response
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
