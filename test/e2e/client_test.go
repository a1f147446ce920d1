package e2e

import (
	"context"
	"fmt"
	"reflect"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
)

// A client is a generated, dynamic or metadata client of one kind. Objects that it passes on, or gets, are spoiled
// afterwards.
type client interface {
	create(context.Context, object, metav1.CreateOptions) (object, error)
	update(context.Context, object, metav1.UpdateOptions, string) (object, error)
	updateScale(context.Context, string, object, metav1.UpdateOptions) (object, error)
	get(context.Context, string, metav1.GetOptions, string) (object, error)
	list(context.Context, metav1.ListOptions) (object, error)
	watch(context.Context, metav1.ListOptions) (watch.Interface, error)
	delete(context.Context, string, metav1.DeleteOptions) error
	deleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error
	patch(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (object, error)
	apply(context.Context, object, metav1.ApplyOptions, string) (object, error)
}

// take returns what a client has returned, as an object, and spoils it.
func take(result any, err error) (object, error) {
	if err != nil {
		return nil, err
	}
	if v := reflect.ValueOf(result); v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, fmt.Errorf("neither a result nor an error")
	}
	o, err := toObject(result)
	spoil(result)
	return o, err
}

// A generatedClient is what the generated client of a kind has; C is its apply configuration.
type generatedClient[T, L, C any] interface {
	Create(context.Context, *T, metav1.CreateOptions) (*T, error)
	Update(context.Context, *T, metav1.UpdateOptions) (*T, error)
	UpdateStatus(context.Context, *T, metav1.UpdateOptions) (*T, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
	DeleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error
	Get(context.Context, string, metav1.GetOptions) (*T, error)
	List(context.Context, metav1.ListOptions) (*L, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
	Patch(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (*T, error)
	Apply(context.Context, *C, metav1.ApplyOptions) (*T, error)
	ApplyStatus(context.Context, *C, metav1.ApplyOptions) (*T, error)
	GetScale(context.Context, string, metav1.GetOptions) (*autoscalingv1.Scale, error)
	UpdateScale(context.Context, string, *autoscalingv1.Scale, metav1.UpdateOptions) (*autoscalingv1.Scale, error)
}

type typedClient[T, L, C any] struct{ generated generatedClient[T, L, C] }

func typed[T, L, C any](generated generatedClient[T, L, C]) client {
	return typedClient[T, L, C]{generated}
}

func (c typedClient[T, L, C]) create(ctx context.Context, o object, opts metav1.CreateOptions) (object, error) {
	in := new(T)
	fromObject(o, in)
	defer spoil(in)
	return take(c.generated.Create(ctx, in, opts))
}

func (c typedClient[T, L, C]) update(ctx context.Context, o object, opts metav1.UpdateOptions, subresource string) (object, error) {
	in := new(T)
	fromObject(o, in)
	defer spoil(in)
	if subresource == "status" {
		return take(c.generated.UpdateStatus(ctx, in, opts))
	}
	return take(c.generated.Update(ctx, in, opts))
}

func (c typedClient[T, L, C]) updateScale(ctx context.Context, name string, o object, opts metav1.UpdateOptions) (object, error) {
	in := new(autoscalingv1.Scale)
	fromObject(o, in)
	defer spoil(in)
	return take(c.generated.UpdateScale(ctx, name, in, opts))
}

func (c typedClient[T, L, C]) get(ctx context.Context, name string, opts metav1.GetOptions, subresource string) (object, error) {
	if subresource == "scale" {
		return take(c.generated.GetScale(ctx, name, opts))
	}
	return take(c.generated.Get(ctx, name, opts))
}

func (c typedClient[T, L, C]) list(ctx context.Context, opts metav1.ListOptions) (object, error) {
	return take(c.generated.List(ctx, opts))
}

func (c typedClient[T, L, C]) watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	return c.generated.Watch(ctx, opts)
}

func (c typedClient[T, L, C]) delete(ctx context.Context, name string, opts metav1.DeleteOptions) error {
	return c.generated.Delete(ctx, name, opts)
}

func (c typedClient[T, L, C]) deleteCollection(ctx context.Context, opts metav1.DeleteOptions, list metav1.ListOptions) error {
	return c.generated.DeleteCollection(ctx, opts, list)
}

func (c typedClient[T, L, C]) patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (object, error) {
	defer spoil(data)
	return take(c.generated.Patch(ctx, name, pt, data, opts, subresources...))
}

func (c typedClient[T, L, C]) apply(ctx context.Context, o object, opts metav1.ApplyOptions, subresource string) (object, error) {
	var in *C
	if o != nil {
		in = new(C)
		fromObject(o, in)
		defer spoil(in)
	}
	if subresource == "status" {
		return take(c.generated.ApplyStatus(ctx, in, opts))
	}
	return take(c.generated.Apply(ctx, in, opts))
}

type dynamicClient struct{ resources dynamic.ResourceInterface }

func (c dynamicClient) create(ctx context.Context, o object, opts metav1.CreateOptions) (object, error) {
	in := o.unstructured()
	defer spoil(in.Object)
	return take(c.resources.Create(ctx, in, opts))
}

func (c dynamicClient) update(ctx context.Context, o object, opts metav1.UpdateOptions, subresource string) (object, error) {
	in := o.unstructured()
	defer spoil(in.Object)
	switch subresource {
	case "":
		return take(c.resources.Update(ctx, in, opts))
	case "status":
		return take(c.resources.UpdateStatus(ctx, in, opts))
	}
	return take(c.resources.Update(ctx, in, opts, subresource))
}

func (c dynamicClient) updateScale(ctx context.Context, name string, o object, opts metav1.UpdateOptions) (object, error) {
	return c.update(ctx, o, opts, "scale")
}

func (c dynamicClient) get(ctx context.Context, name string, opts metav1.GetOptions, subresource string) (object, error) {
	if subresource == "" {
		return take(c.resources.Get(ctx, name, opts))
	}
	return take(c.resources.Get(ctx, name, opts, subresource))
}

func (c dynamicClient) list(ctx context.Context, opts metav1.ListOptions) (object, error) {
	return take(c.resources.List(ctx, opts))
}

func (c dynamicClient) watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	return c.resources.Watch(ctx, opts)
}

func (c dynamicClient) delete(ctx context.Context, name string, opts metav1.DeleteOptions) error {
	return c.resources.Delete(ctx, name, opts)
}

func (c dynamicClient) deleteCollection(ctx context.Context, opts metav1.DeleteOptions, list metav1.ListOptions) error {
	return c.resources.DeleteCollection(ctx, opts, list)
}

func (c dynamicClient) patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (object, error) {
	defer spoil(data)
	return take(c.resources.Patch(ctx, name, pt, data, opts, subresources...))
}

func (c dynamicClient) apply(ctx context.Context, o object, opts metav1.ApplyOptions, subresource string) (object, error) {
	in, name := o.unstructured(), o.string("metadata.name")
	defer spoil(in.Object)
	if subresource == "status" {
		return take(c.resources.ApplyStatus(ctx, name, in, opts))
	}
	if subresource != "" {
		return take(c.resources.Apply(ctx, name, in, opts, subresource))
	}
	return take(c.resources.Apply(ctx, name, in, opts))
}

func (o object) unstructured() *unstructured.Unstructured {
	return (&unstructured.Unstructured{Object: o}).DeepCopy()
}

// A metadataClient can neither create nor update nor apply.
type metadataClient struct {
	client
	resources metadata.ResourceInterface
}

func (c metadataClient) get(ctx context.Context, name string, opts metav1.GetOptions, subresource string) (object, error) {
	return take(c.resources.Get(ctx, name, opts))
}

func (c metadataClient) list(ctx context.Context, opts metav1.ListOptions) (object, error) {
	return take(c.resources.List(ctx, opts))
}

func (c metadataClient) watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	return c.resources.Watch(ctx, opts)
}

func (c metadataClient) delete(ctx context.Context, name string, opts metav1.DeleteOptions) error {
	return c.resources.Delete(ctx, name, opts)
}

func (c metadataClient) deleteCollection(ctx context.Context, opts metav1.DeleteOptions, list metav1.ListOptions) error {
	return c.resources.DeleteCollection(ctx, opts, list)
}

func (c metadataClient) patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (object, error) {
	defer spoil(data)
	return take(c.resources.Patch(ctx, name, pt, data, opts, subresources...))
}
