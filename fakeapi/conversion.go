package fakeapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"

	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apiversion "k8s.io/apimachinery/pkg/version"
	kubernetesscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// WithConversion makes the API convert objects between the versions of their kind like a server that calls a conversion
// webhook. The handler answers ConversionReviews of apiextensions.k8s.io/v1, for example controller-runtime's handler.
// Requests have the path /convert. The handler must not use the API. The option applies to the given resources or, if
// there are none, to all custom resources whose CustomResourceDefinition does not have the strategy None.
//
// Without the option, objects are converted by the methods of hubs and spokes, as in controller-runtime: Hub, ConvertTo
// and ConvertFrom. Otherwise, they are converted by the conversion functions in the scheme. Versions without a function
// between them are converted by way of a third one. If there are neither methods nor functions, or if the strategy is
// None, versions only differ in apiVersion and in the fields that [Rules] know.
//
// Objects are stored in the storage version of the CustomResourceDefinition, if rules know it. Otherwise, they are
// stored in the version of the hub or, without one, in the most stable version.
func WithConversion(handler http.Handler, resources ...schema.GroupResource) Option {
	mustHave(handler != nil, "WithConversion without a handler; pass the handler of the webhook")
	if len(resources) == 0 {
		resources = []schema.GroupResource{{}}
	}
	return func(c *config) {
		for _, gr := range resources {
			c.webhooks[gr] = handler
		}
	}
}

// A versioner converts the objects of a resource between its versions.
type versioner struct {
	stored schema.GroupVersion // version in which objects are stored
	// convert returns an object in another version. It does not modify content. Without it, only apiVersion changes.
	convert func(content map[string]any, to schema.GroupVersionKind) (map[string]any, error)
}

// Strategies of conversion in a CustomResourceDefinition.
const (
	noConversion      = "None"
	webhookConversion = "Webhook"
)

// newConversion returns the conversion between the versions of a resource, or nil if objects are stored as written.
func (a *API) newConversion(c *config, gr schema.GroupResource, versions []schema.GroupVersion) *versioner {
	var stored, strategy string
	var ruled bool
	var byTypes *typeConversion
	for _, gv := range versions {
		r := a.resources[gv.WithResource(gr.Resource)]
		if r.standard {
			return nil
		}
		if rules, ok := r.rules.(versionedRules); ok {
			stored, strategy = rules.Storage()
			ruled = true
		}
		if byTypes == nil {
			byTypes = newTypeConversion(r.scheme, r.kind.GroupKind())
		}
	}
	handler := c.webhooks[gr]
	if handler == nil && strategy != noConversion {
		handler = c.webhooks[schema.GroupResource{}]
	}
	converted := &versioner{}
	switch {
	case handler != nil:
		converted.convert = webhook{handler}.convert
	case byTypes != nil && strategy != noConversion:
		converted.convert = byTypes.convert
	case !ruled || strategy == webhookConversion:
		return nil
	}
	if stored == "" && byTypes != nil {
		stored = byTypes.hub.Version
	}
	if stored == "" {
		stored = slices.MaxFunc(versions, func(x, y schema.GroupVersion) int {
			return apiversion.CompareKubeAwareVersionStrings(x.Version, y.Version)
		}).Version
	}
	converted.stored = schema.GroupVersion{Group: gr.Group, Version: stored}
	return converted
}

// load returns a stored object as a server decodes it for a request in the version of the resource.
func (r *resource) load(o *object) (*object, error) {
	version := r.kind.GroupVersion()
	if o == nil || r.conversion == nil || o.content["apiVersion"] == version.String() && !o.converted {
		return o, nil
	}
	known := o.loaded.Load()
	for l := known; l != nil; l = l.next {
		if l.version == version {
			return l.object, nil
		}
	}
	d := o.draft()
	rules, ruled := r.rules.(versionedRules)
	if ruled {
		d.Object = cloneValue(d.Object).(map[string]any)
		rules.Complete(d.Object)
	}
	d, err := r.conversion.apply(d, version)
	if err != nil {
		return nil, err
	}
	d.Object = cloneValue(d.Object).(map[string]any)
	if ruled {
		rules.Load(d.Object)
	} else {
		r.trim(d.Object)
	}
	converted := &object{key: o.key, revision: o.revision, content: d.Object, managed: o.managed, empty: o.empty}
	o.loaded.CompareAndSwap(known, &loaded{version: version, object: converted, next: known})
	return converted, nil
}

// loaded is a stored object in another version. All of them form a list.
type loaded struct {
	version schema.GroupVersion
	object  *object
	next    *loaded
}

// keep converts a draft to what a server stores of it.
func (a *API) keep(r *resource, d *draft) error {
	if r.conversion == nil || r.conversion.stored == r.kind.GroupVersion() {
		return nil
	}
	converted, err := r.conversion.apply(d, r.conversion.stored)
	if err != nil {
		return err
	}
	d.Object, d.converted = cloneValue(converted.Object).(map[string]any), true
	if rules, ok := r.rules.(versionedRules); ok {
		rules.Store(d.Object)
	} else if stored := a.resources[r.conversion.stored.WithResource(r.gvr.Resource)]; stored != nil {
		stored.trim(d.Object)
	}
	return nil
}

// trim removes what the Go type of the resource lacks.
func (r *resource) trim(content map[string]any) {
	t := r.valueType()
	t.prune("", content)
	t.dropNulls(content)
}

// apply returns a draft in another version. A conversion can change labels and annotations, but no other metadata.
func (v *versioner) apply(d *draft, version schema.GroupVersion) (*draft, error) {
	from, to := d.GroupVersionKind(), version.WithKind(d.GetKind())
	result := &draft{key: d.key, managed: d.managed, empty: d.empty, foreign: d.foreign}
	if v.convert == nil || from == to {
		result.Object = maps.Clone(d.Object)
		result.SetAPIVersion(version.String())
		return result, nil
	}
	sent := maps.Clone(d.Object)
	if d.metadata() != nil {
		sent = (&object{content: d.Object, managed: d.managed}).full()
		delete(sent["metadata"].(map[string]any), "resourceVersion") // which is not stored
	}
	content, err := v.convert(sent, to)
	if err != nil {
		return nil, fmt.Errorf("conversion webhook for %v %v", from, err) // without the status of the webhook
	}
	result.Object = content
	if err := result.restoreMetadata(d); err != nil {
		return nil, fmt.Errorf("conversion webhook for %v returned invalid metadata: %w", from, err)
	}
	return result, nil
}

// restoreMetadata sets all metadata of a converted object but labels and annotations to the metadata before the
// conversion.
func (d *draft) restoreMetadata(before *draft) error {
	converted, ok := d.Object["metadata"].(map[string]any)
	if !ok {
		if d.Object["metadata"] == nil {
			return errors.New("missing metadata in converted object")
		}
		return fmt.Errorf("invalid metadata of type %T in converted object", d.Object["metadata"])
	}
	metadata := maps.Clone(before.metadata())
	if metadata == nil {
		return fmt.Errorf("invalid metadata of type %T in input object", before.Object["metadata"])
	}
	for _, name := range []string{"labels", "annotations"} {
		delete(metadata, name)
		if converted[name] == nil {
			continue
		}
		texts, ok := converted[name].(map[string]any)
		if !ok {
			return fmt.Errorf("invalid metadata.%s of type %T in converted object", name, converted[name])
		}
		all := make(map[string]string, len(texts))
		for key, v := range texts {
			text, ok := v.(string)
			if !ok {
				return fmt.Errorf("metadata.%s[%s] must be a string, but is %T in converted object", name, key, v)
			}
			all[key] = text
		}
		if !equalValue(converted[name], before.metadata()[name]) {
			errs := metav1validation.ValidateLabels(all, field.NewPath("metadata", "labels"))
			if name == "annotations" {
				errs = validation.ValidateAnnotations(all, field.NewPath("metadata", "annotation"))
			}
			if len(errs) > 0 {
				return errs.ToAggregate()
			}
		}
		metadata[name] = texts
	}
	d.Object["metadata"] = metadata
	return nil
}

// A webhook converts objects by the handler of a conversion webhook.
type webhook struct{ handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (w webhook) RoundTrip(rq *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	w.handler.ServeHTTP(recorder, rq)
	return recorder.Result(), nil
}

// A conversionReview is a ConversionReview of apiextensions.k8s.io/v1.
type conversionReview struct {
	metav1.TypeMeta `json:",inline"`
	Request         *conversionRequest  `json:"request,omitempty"`
	Response        *conversionResponse `json:"response,omitempty"`
}

type conversionRequest struct {
	UID               types.UID        `json:"uid"`
	DesiredAPIVersion string           `json:"desiredAPIVersion"`
	Objects           []map[string]any `json:"objects"`
}

type conversionResponse struct {
	UID              types.UID         `json:"uid"`
	ConvertedObjects []json.RawMessage `json:"convertedObjects"`
	Result           metav1.Status     `json:"result"`
}

// reviewUID is the UID of all requests. They are sent one by one.
const reviewUID = "f0000000-0000-4000-8000-000000000000"

// convert implements the function of a versioner. Errors say what the webhook did.
func (w webhook) convert(content map[string]any, to schema.GroupVersionKind) (map[string]any, error) {
	results, err := w.review(content, to.GroupVersion().String())
	if err != nil {
		return nil, fmt.Errorf("failed: %w", err)
	}
	if len(results) != 1 {
		return nil, fmt.Errorf("returned %d objects, expected 1", len(results))
	}
	var result unstructured.Unstructured
	if err := result.UnmarshalJSON(results[0]); err != nil {
		return nil, fmt.Errorf("returned an invalid object: %w", err)
	}
	kind := result.GroupVersionKind()
	if kind.GroupVersion() != to.GroupVersion() {
		return nil, fmt.Errorf("returned invalid object at index 0: invalid groupVersion (expected %v, received %v)",
			to.GroupVersion(), kind.GroupVersion())
	}
	if kind.Kind != to.Kind {
		return nil, fmt.Errorf("returned invalid object at index 0: invalid kind (expected %v, received %v)", to.Kind, kind.Kind)
	}
	before := unstructured.Unstructured{Object: content}
	for _, same := range []struct{ what, before, after string }{
		{"name", before.GetName(), result.GetName()},
		{"namespace", before.GetNamespace(), result.GetNamespace()},
		{"UID", string(before.GetUID()), string(result.GetUID())},
	} {
		if same.before != same.after {
			return nil, fmt.Errorf("returned invalid object: must have the same %s: %v != %v", same.what, same.before, same.after)
		}
	}
	return result.Object, nil
}

// review sends an object to the webhook.
func (w webhook) review(content map[string]any, apiVersion string) (results []json.RawMessage, err error) {
	client, err := rest.UnversionedRESTClientFor(&rest.Config{
		Host: "http://webhook", Transport: w, QPS: -1,
		ContentConfig: rest.ContentConfig{NegotiatedSerializer: kubernetesscheme.Codecs.WithoutConversion()},
	})
	if err != nil {
		return nil, err
	}
	sent := conversionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "ConversionReview"},
		Request:  &conversionRequest{UID: reviewUID, DesiredAPIVersion: apiVersion, Objects: []map[string]any{content}},
	}
	data, err := client.Post().AbsPath("/convert").SetHeader("Content-Type", "application/json").Body(encode(sent)).
		Do(context.Background()).Raw()
	if err != nil {
		return nil, err
	}
	var answer conversionReview
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&answer); err != nil {
		return nil, err
	}
	if got, want := answer.GroupVersionKind(), sent.GroupVersionKind(); got != want {
		return nil, fmt.Errorf("expected webhook response of %v, got %v", want, got)
	}
	response := answer.Response
	switch {
	case response == nil:
		return nil, errors.New("no response provided")
	case response.UID != reviewUID:
		return nil, fmt.Errorf("expected response.uid=%q, got %q", reviewUID, response.UID)
	case response.Result.Status != metav1.StatusSuccess:
		return nil, errors.New(cmp.Or(response.Result.Message,
			fmt.Sprintf("response.result.status was '%s', not 'Success'", response.Result.Status)))
	}
	return response.ConvertedObjects, nil
}
