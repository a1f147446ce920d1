package fakeapi

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	kubernetesscheme "k8s.io/client-go/kubernetes/scheme"
)

// API is an API server in memory. It stores objects and answers requests. [API.Attach] connects fake clientsets to it,
// and [API.RESTConfig] other clients. Several goroutines may call its methods at the same time.
type API struct {
	resources map[schema.GroupVersionResource]*resource
	kinds     map[schema.GroupVersionKind]*resource
	groups    []*metav1.APIResourceList
	user      authenticationv1.UserInfo // of all clients but those of AdminConfig
	authorize Authorizer                // nil without WithAuthorizer

	mu       sync.Mutex // guards all fields below, and the objects of the resources
	revision uint64     // revision of the last write to any resource
	uids     uint64     // number of UIDs issued
	names    *rand.Rand // source of suffixes for generated names
	faults   []*fault
	client   *client           // sender of the current request, or nil
	modes    map[string]mode   // of the last impersonation by a user, by name; see impersonate
	garbage  *garbageCollector // nil without WithGarbageCollection
}

// An Option configures an API: the resources that it serves, or how it serves them.
type Option func(*config)

type config struct {
	served     []served
	converters []managedfields.TypeConverter
	selectable map[schema.GroupVersionResource][]string
	scale      map[schema.GroupVersionResource]map[string]string
	rules      map[schema.GroupVersionResource]Rules
	deprecated map[schema.GroupVersionResource]string
	webhooks   map[schema.GroupResource]http.Handler // the zero key stands for all others
	objects    []runtime.Object
	garbage    bool
	user       authenticationv1.UserInfo
	authorize  Authorizer
}

// served is a set of resources and the Go types of their kinds.
type served struct {
	scheme   *runtime.Scheme
	groups   []*metav1.APIResourceList
	standard bool // kinds of Kubernetes itself rather than custom resources
}

// A GeneratedAPI describes the resources of a generated clientset. The fake package of the clientset has one:
// fake.API{}. The type may also have the following methods, with the effect of the options in the comments:
//
//	TypeConverter() managedfields.TypeConverter                             // WithTypeConverter
//	SelectableFields() map[schema.GroupVersionResource][]string             // WithSelectableFields
//	ScalePaths() map[schema.GroupVersionResource]map[string]string          // WithScalePaths
type GeneratedAPI interface {
	Scheme() *runtime.Scheme
	APIResources() []*metav1.APIResourceList
}

// WithAPI adds all custom resources of a generated clientset with everything known in its packages: the fields
// available in field selectors, the paths of scale subresources, and the schema for server-side apply. It combines
// [WithResources], [WithTypeConverter], [WithSelectableFields] and [WithScalePaths].
func WithAPI(api GeneratedAPI) Option {
	mustHave(api != nil, "WithAPI without an API; pass API{} of the fake package")
	options := []Option{WithResources(api.Scheme(), api.APIResources())}
	if api, ok := api.(interface {
		TypeConverter() managedfields.TypeConverter
	}); ok {
		options = append(options, WithTypeConverter(api.TypeConverter()))
	}
	if api, ok := api.(interface {
		SelectableFields() map[schema.GroupVersionResource][]string
	}); ok {
		options = append(options, WithSelectableFields(api.SelectableFields()))
	}
	if api, ok := api.(interface {
		ScalePaths() map[schema.GroupVersionResource]map[string]string
	}); ok {
		options = append(options, WithScalePaths(api.ScalePaths()))
	}
	return func(c *config) {
		for _, option := range options {
			option(c)
		}
	}
}

// WithResources adds custom resources in the form of discovery documents. A generated fake package returns its
// resources from APIResources. The scheme must have the Go types of their kinds.
func WithResources(scheme *runtime.Scheme, resources []*metav1.APIResourceList) Option {
	mustHave(scheme != nil, "WithResources without a scheme; pass the scheme that has the Go types")
	return func(c *config) { c.served = append(c.served, served{scheme: scheme, groups: resources}) }
}

// WithSelectableFields adds fields for use in field selectors. A generated fake package returns its fields from
// SelectableFields. A field is a JSON path as in a CustomResourceDefinition, such as ".spec.image".
func WithSelectableFields(fields map[schema.GroupVersionResource][]string) Option {
	return func(c *config) {
		for gvr, paths := range fields {
			c.selectable[gvr] = append(c.selectable[gvr], paths...)
		}
	}
}

// WithScalePaths sets the paths of the values of scale subresources in objects. A generated fake package returns its
// paths from ScalePaths. The keys are the same as in a CustomResourceDefinition: specReplicasPath, statusReplicasPath
// and, optionally, labelSelectorPath.
func WithScalePaths(paths map[schema.GroupVersionResource]map[string]string) Option {
	return func(c *config) {
		for gvr, p := range paths {
			c.scale[gvr] = p
		}
	}
}

// WithTypeConverter adds a schema for server-side apply and managedFields. A generated applyconfiguration package
// returns it from NewTypeConverter(scheme). For a custom resource without a schema, the API behaves like a server that
// knows nothing about its fields: every list is atomic. The kinds of client-go have client-go's schema.
func WithTypeConverter(converter managedfields.TypeConverter) Option {
	mustHave(converter != nil, "WithTypeConverter without a converter; pass NewTypeConverter(scheme) of the applyconfiguration package")
	return func(c *config) { c.converters = append(c.converters, converter) }
}

// WithObjects stores objects as if they had been created earlier. They keep their status, finalizers, UID and
// timestamps, but always have a new resource version. The items of lists are stored one by one.
func WithObjects(objects ...runtime.Object) Option {
	return func(c *config) { c.objects = append(c.objects, objects...) }
}

// WithGarbageCollection makes the API do the work of the garbage collector of kube-controller-manager: it deletes
// objects whose owners no longer exist, and finishes foreground and orphaning deletions. It does so immediately, within
// the request that is the cause. Without this option, an object deleted with one of these propagation policies keeps
// the finalizer for which the garbage collector is responsible.
func WithGarbageCollection() Option {
	return func(c *config) { c.garbage = true }
}

// New returns an API that serves the kinds of client-go's own clientset and of the options. It panics if the options
// contain a mistake, such as an object whose kind is not served.
func New(opts ...Option) *API {
	c := &config{
		selectable: map[schema.GroupVersionResource][]string{},
		scale:      map[schema.GroupVersionResource]map[string]string{},
		rules:      map[schema.GroupVersionResource]Rules{},
		deprecated: map[schema.GroupVersionResource]string{},
		webhooks:   map[schema.GroupResource]http.Handler{},
		served:     []served{{scheme: kubernetesscheme.Scheme, groups: standardResources(), standard: true}},
	}
	for _, opt := range opts {
		opt(c)
	}
	a := &API{
		resources: map[schema.GroupVersionResource]*resource{},
		kinds:     map[schema.GroupVersionKind]*resource{},
		user:      c.user,
		authorize: c.authorize,
		revision:  1,
		names:     rand.New(rand.NewPCG(1, 2)),
		modes:     map[string]mode{},
	}
	c.converters = slices.Concat(c.ruledConverters(), c.converters)
	collections := map[schema.GroupResource]*collection{}
	for _, s := range c.served {
		for _, group := range s.groups {
			a.groups = append(a.groups, group.DeepCopy())
			if err := a.serve(c, s, group, collections); err != nil {
				panic(fmt.Sprintf("fakeapi: %v", err))
			}
		}
	}
	slices.SortStableFunc(a.groups, func(x, y *metav1.APIResourceList) int { return cmp.Compare(x.GroupVersion, y.GroupVersion) })
	var merged []*metav1.APIResourceList
	for _, group := range a.groups {
		if last := len(merged) - 1; last >= 0 && merged[last].GroupVersion == group.GroupVersion {
			merged[last].APIResources = append(merged[last].APIResources, group.APIResources...)
			continue
		}
		merged = append(merged, group)
	}
	a.groups = merged
	if c.garbage {
		a.garbage = &garbageCollector{live: map[string]reference{}, dependents: map[string]map[reference]bool{}}
	}
	for gvr := range c.selectable {
		a.mustServe(gvr, "selectable fields")
	}
	for gvr := range c.scale {
		a.mustServe(gvr, "scale paths")
	}
	for gvr := range c.deprecated {
		a.mustServe(gvr, "deprecated version")
	}
	for gr := range c.webhooks {
		if gr != (schema.GroupResource{}) && collections[gr] == nil {
			panic(fmt.Sprintf("fakeapi: conversion of %s, which is not served; add it by WithResources", gr))
		}
	}
	for gr, stored := range collections {
		stored.conversion = a.newConversion(c, gr, stored.versions)
	}
	for _, obj := range c.objects {
		if err := a.add(obj); err != nil {
			panic(fmt.Sprintf("fakeapi: storing %T: %v", obj, err))
		}
	}
	a.collectGarbage()
	return a
}

// mustHave panics if an argument of a function is missing. what says which one, and what to do.
func mustHave(present bool, what string) {
	if !present {
		panic("fakeapi: " + what)
	}
}

func (a *API) mustServe(gvr schema.GroupVersionResource, what string) {
	if a.resources[gvr] == nil {
		panic(fmt.Sprintf("fakeapi: %s of %s, which is not served; add it by WithResources", what, gvr))
	}
}

// serve adds the resources of a group and version.
func (a *API) serve(c *config, s served, group *metav1.APIResourceList, collections map[schema.GroupResource]*collection) error {
	gv, err := schema.ParseGroupVersion(group.GroupVersion)
	if err != nil {
		return err
	}
	for _, in := range group.APIResources {
		if strings.Contains(in.Name, "/") {
			continue
		}
		gvr := gv.WithResource(in.Name)
		gvk := gv.WithKind(in.Kind)
		if in.Version != "" {
			gvk = schema.GroupVersionKind{Group: in.Group, Version: in.Version, Kind: in.Kind}
		}
		if collections[gvr.GroupResource()] == nil {
			collections[gvr.GroupResource()] = &collection{}
		}
		collections[gvr.GroupResource()].versions = append(collections[gvr.GroupResource()].versions, gvk.GroupVersion())
		a.resources[gvr] = newResource(c, s, gvr, gvk, in, collections[gvr.GroupResource()])
		a.kinds[gvk] = a.resources[gvr]
	}
	for _, in := range group.APIResources {
		name, sub, ok := strings.Cut(in.Name, "/")
		if !ok {
			continue
		}
		parent := a.resources[gv.WithResource(name)]
		if parent == nil {
			return fmt.Errorf("%s has %s, but not %s", group.GroupVersion, in.Name, name)
		}
		parent.subresources[sub] = in
		if sub == "status" {
			parent.statuses = append(parent.statuses, gv)
		}
	}
	return nil
}

// add stores an object, or the items of a list, as if created earlier.
func (a *API) add(obj runtime.Object) error {
	if v := reflect.ValueOf(obj); obj == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return errors.New("it is nil")
	}
	if meta.IsListType(obj) {
		return meta.EachListItem(obj, a.add)
	}
	gvk := obj.GetObjectKind().GroupVersionKind()
	r := a.kinds[gvk]
	if gvk.Kind == "" {
		r = a.resourceOf(obj)
	}
	if r == nil {
		return fmt.Errorf("its kind (%s) is not served; add it by WithResources", gvk)
	}
	return a.preload(r, obj)
}

// resourceOf returns the resource for a Go type.
func (a *API) resourceOf(obj runtime.Object) *resource {
	var found []*resource
	for gvk, r := range a.kinds {
		if r.scheme == nil {
			continue
		}
		kinds, _, err := r.scheme.ObjectKinds(obj)
		if err == nil && slices.Contains(kinds, gvk) {
			found = append(found, r)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return slices.MinFunc(found, func(x, y *resource) int { return cmp.Compare(x.gvr.String(), y.gvr.String()) })
}
