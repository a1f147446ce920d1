package fakeapi

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	clienttesting "k8s.io/client-go/testing"
)

// DynamicClient is a fake dynamic client of an API, with recorded actions and reactors. Unlike other fakes, it passes
// on all options and the context of a request.
type DynamicClient struct{ clienttesting.Fake }

var (
	_ dynamic.Interface  = &DynamicClient{}
	_ metadata.Interface = &MetadataClient{}
)

// Dynamic returns a new dynamic client of the API.
func (a *API) Dynamic() *DynamicClient {
	c := &DynamicClient{}
	a.attach(&c.Fake, dynamicShape{})
	return c
}

// Resource returns a client for the objects of a resource, in any namespace or cluster-scoped.
func (c *DynamicClient) Resource(resource schema.GroupVersionResource) dynamic.NamespaceableResourceInterface {
	return newDynamicResource(requester{&c.Fake, resource, ""})
}

// IsWatchListSemanticsUnSupported tells reflectors that they can watch without listing first.
func (c *DynamicClient) IsWatchListSemanticsUnSupported() bool { return false }

// MetadataClient is a fake metadata client of an API. It passes on options and context like [DynamicClient].
type MetadataClient struct{ clienttesting.Fake }

// Metadata returns a new metadata client of the API.
func (a *API) Metadata() *MetadataClient {
	c := &MetadataClient{}
	a.attach(&c.Fake, metadataShape{})
	return c
}

// Resource returns a client for the metadata of a resource's objects, in any namespace or cluster-scoped.
func (c *MetadataClient) Resource(resource schema.GroupVersionResource) metadata.Getter {
	return newMetadataResource(requester{&c.Fake, resource, ""})
}

// IsWatchListSemanticsUnSupported tells reflectors that they can watch without listing first.
func (c *MetadataClient) IsWatchListSemanticsUnSupported() bool { return false }

// A requester converts requests to actions.
type requester struct {
	fake      *clienttesting.Fake
	resource  schema.GroupVersionResource
	namespace string
}

func (r requester) action(verb string, subresources ...string) clienttesting.ActionImpl {
	return clienttesting.ActionImpl{Verb: verb, Resource: r.resource, Namespace: r.namespace, Subresource: path.Join(subresources...)}
}

// invoke returns the result of the reactors for an action.
func (r requester) invoke(ctx context.Context, action clienttesting.Action) (runtime.Object, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return r.fake.Invokes(action, nil)
}

func (r requester) get(ctx context.Context, name string, opts metav1.GetOptions, subresources []string) (runtime.Object, error) {
	return r.invoke(ctx, clienttesting.GetActionImpl{ActionImpl: r.action("get", subresources...), Name: name, GetOptions: opts})
}

// Delete deletes an object.
func (r requester) Delete(ctx context.Context, name string, opts metav1.DeleteOptions, subresources ...string) error {
	_, err := r.invoke(ctx, clienttesting.DeleteActionImpl{ActionImpl: r.action("delete", subresources...), Name: name, DeleteOptions: opts})
	return err
}

// DeleteCollection deletes the objects that a list with the same options returns.
func (r requester) DeleteCollection(ctx context.Context, opts metav1.DeleteOptions, listOpts metav1.ListOptions) error {
	restrictions, err := restrict(listOpts)
	if err != nil {
		return err
	}
	_, err = r.invoke(ctx, clienttesting.DeleteCollectionActionImpl{
		ActionImpl: r.action("delete-collection"), ListRestrictions: restrictions, DeleteOptions: opts, ListOptions: listOpts,
	})
	return err
}

func (r requester) list(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
	restrictions, err := restrict(opts)
	if err != nil {
		return nil, err
	}
	return r.invoke(ctx, clienttesting.ListActionImpl{ActionImpl: r.action("list"), ListRestrictions: restrictions, ListOptions: opts})
}

// Watch watches objects until the watch is stopped or the context ends.
func (r requester) Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	restrictions, err := restrict(opts)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	opts.Watch = true
	w, err := r.fake.InvokesWatch(clienttesting.WatchActionImpl{
		ActionImpl: r.action("watch"), ListOptions: opts,
		WatchRestrictions: clienttesting.WatchRestrictions{
			Labels: restrictions.Labels, Fields: restrictions.Fields, ResourceVersion: opts.ResourceVersion,
		},
	})
	if err != nil {
		return nil, err
	}
	return &boundWatch{Interface: w, release: context.AfterFunc(ctx, w.Stop)}, nil
}

// A boundWatch is a watch that ends with a context.
type boundWatch struct {
	watch.Interface
	once    sync.Once
	release func() bool
}

// Stop implements watch.Interface.
func (w *boundWatch) Stop() {
	w.once.Do(func() { w.release() })
	w.Interface.Stop()
}

func (r requester) patch(
	ctx context.Context, name string, kind types.PatchType, data []byte, opts metav1.PatchOptions, subresources []string,
) (runtime.Object, error) {
	return r.invoke(ctx, clienttesting.PatchActionImpl{
		ActionImpl: r.action("patch", subresources...), Name: name, PatchType: kind, Patch: data, PatchOptions: opts,
	})
}

// restrict parses selectors. With a real client, the server parses them.
func restrict(opts metav1.ListOptions) (clienttesting.ListRestrictions, error) {
	l, err := labels.Parse(opts.LabelSelector)
	if err != nil {
		return clienttesting.ListRestrictions{}, badSelector(err)
	}
	f, err := fields.ParseSelector(opts.FieldSelector)
	if err != nil {
		return clienttesting.ListRestrictions{}, badSelector(err)
	}
	return clienttesting.ListRestrictions{Labels: l, Fields: f}, nil
}

func badSelector(err error) error { return apierrors.NewBadRequest(err.Error()) }

// dynamicResource is the dynamic client of a resource.
type dynamicResource struct {
	requester
	newerDynamic
}

func (d dynamicResource) Namespace(namespace string) dynamic.ResourceInterface {
	d.namespace = namespace
	return newDynamicResource(d.requester)
}

func (d dynamicResource) Create(
	ctx context.Context, obj *unstructured.Unstructured, opts metav1.CreateOptions, subresources ...string,
) (*unstructured.Unstructured, error) {
	action := clienttesting.CreateActionImpl{ActionImpl: d.action("create", subresources...), Object: obj, CreateOptions: opts}
	if len(subresources) > 0 {
		action.Name = obj.GetName()
	}
	return toUnstructured(d.invoke(ctx, action))
}

func (d dynamicResource) Update(
	ctx context.Context, obj *unstructured.Unstructured, opts metav1.UpdateOptions, subresources ...string,
) (*unstructured.Unstructured, error) {
	return toUnstructured(d.invoke(ctx, clienttesting.UpdateActionImpl{
		ActionImpl: d.action("update", subresources...), Object: obj, UpdateOptions: opts,
	}))
}

func (d dynamicResource) UpdateStatus(
	ctx context.Context, obj *unstructured.Unstructured, opts metav1.UpdateOptions,
) (*unstructured.Unstructured, error) {
	return d.Update(ctx, obj, opts, "status")
}

func (d dynamicResource) Get(
	ctx context.Context, name string, opts metav1.GetOptions, subresources ...string,
) (*unstructured.Unstructured, error) {
	return toUnstructured(d.get(ctx, name, opts, subresources))
}

func (d dynamicResource) List(ctx context.Context, opts metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	obj, err := d.list(ctx, opts)
	if err != nil || obj == nil {
		return nil, err
	}
	if list, ok := obj.(*unstructured.UnstructuredList); ok {
		return list, nil
	}
	u, err := toUnstructured(obj, nil)
	if err != nil {
		return nil, err
	}
	return u.ToList()
}

func (d dynamicResource) Patch(
	ctx context.Context, name string, kind types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string,
) (*unstructured.Unstructured, error) {
	return toUnstructured(d.patch(ctx, name, kind, data, opts, subresources))
}

func (d dynamicResource) Apply(
	ctx context.Context, name string, obj *unstructured.Unstructured, opts metav1.ApplyOptions, subresources ...string,
) (*unstructured.Unstructured, error) {
	if len(obj.GetManagedFields()) > 0 {
		return nil, errors.New("cannot apply an object with managed fields already set")
	}
	data, err := runtime.Encode(unstructured.UnstructuredJSONScheme, obj)
	if err != nil {
		return nil, err
	}
	return d.Patch(ctx, name, types.ApplyPatchType, data, opts.ToPatchOptions(), subresources...)
}

func (d dynamicResource) ApplyStatus(
	ctx context.Context, name string, obj *unstructured.Unstructured, opts metav1.ApplyOptions,
) (*unstructured.Unstructured, error) {
	return d.Apply(ctx, name, obj, opts, "status")
}

// toUnstructured converts the result of a reactor, which need not be the API's.
func toUnstructured(obj runtime.Object, err error) (*unstructured.Unstructured, error) {
	if err != nil || obj == nil {
		return nil, err
	}
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return u, nil
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	return &unstructured.Unstructured{Object: content}, err
}

// metadataResource is the metadata client of a resource.
type metadataResource struct {
	requester
	newerMetadata
}

func (m metadataResource) Namespace(namespace string) metadata.ResourceInterface {
	m.namespace = namespace
	return newMetadataResource(m.requester)
}

func (m metadataResource) Get(
	ctx context.Context, name string, opts metav1.GetOptions, subresources ...string,
) (*metav1.PartialObjectMetadata, error) {
	return toMetadata(m.get(ctx, name, opts, subresources))
}

func (m metadataResource) List(ctx context.Context, opts metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	obj, err := m.list(ctx, opts)
	if err != nil || obj == nil {
		return nil, err
	}
	list, ok := obj.(*metav1.PartialObjectMetadataList)
	if !ok {
		return nil, unexpectedType(obj)
	}
	return list, nil
}

func (m metadataResource) Patch(
	ctx context.Context, name string, kind types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string,
) (*metav1.PartialObjectMetadata, error) {
	return toMetadata(m.patch(ctx, name, kind, data, opts, subresources))
}

// toMetadata checks the type of a reactor's result.
func toMetadata(obj runtime.Object, err error) (*metav1.PartialObjectMetadata, error) {
	if err != nil || obj == nil {
		return nil, err
	}
	partial, ok := obj.(*metav1.PartialObjectMetadata)
	if !ok {
		return nil, unexpectedType(obj)
	}
	return partial, nil
}

func unexpectedType(obj runtime.Object) error {
	return fmt.Errorf("fakeapi: a reactor returned a %T to a metadata client", obj)
}
