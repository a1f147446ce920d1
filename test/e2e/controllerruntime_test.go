package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	controllerruntime "sigs.k8s.io/controller-runtime/pkg/client"
	controllerruntimefake "sigs.k8s.io/controller-runtime/pkg/client/fake"
	controllerruntimelog "sigs.k8s.io/controller-runtime/pkg/log"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	stableapply "github.com/kubegen/kubegen/examples/crontab-types/generated/applyconfiguration"
	clusterv1 "github.com/kubegen/kubegen/test/e2e/apis/cluster/v1"
	clusterapply "github.com/kubegen/kubegen/test/e2e/generated/applyconfiguration"
)

// withControllerRuntime returns the world of a server as clients of controller-runtime see it.
func (w world) withControllerRuntime(t *testing.T, s *server) world {
	t.Helper()
	controllerruntimelog.SetLogger(logr.Discard())
	config, err := s.config()
	must(t, err)
	config.WarningHandler = rest.NoWarnings{}
	w.clients = controllerRuntimeClientsFor(config, w.kind)
	w.limit = func(as rest.ImpersonationConfig) func(string) trio {
		return controllerRuntimeClientsFor(limitedTo(config, as), w.kind)
	}
	return w
}

// controllerRuntimeClientsFor returns clients for a configuration.
func controllerRuntimeClientsFor(config *rest.Config, k kind) func(string) trio {
	client, err := controllerruntime.NewWithWatch(config, controllerruntime.Options{Scheme: newScheme()})
	utilruntime.Must(err)
	return controllerRuntimeClients(client, k)
}

// newControllerRuntimeWorld returns a new world of controller-runtime's fake client, with all that can be told it.
func newControllerRuntimeWorld(k kind) world {
	scheme := newScheme()
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(stablev1.SchemeGroupVersion.WithKind("CronTab"), meta.RESTScopeNamespace)
	mapper.Add(clusterv1.SchemeGroupVersion.WithKind("ClusterCronTab"), meta.RESTScopeRoot)
	builder := controllerruntimefake.NewClientBuilder().
		WithScheme(scheme).
		WithRESTMapper(mapper).
		WithStatusSubresource(&stablev1.CronTab{}, &clusterv1.ClusterCronTab{}).
		WithTypeConverters(stableapply.NewTypeConverter(scheme), clusterapply.NewTypeConverter(scheme)).
		WithReturnManagedFields().
		WithGlobalResourceVersionCounter()
	for _, obj := range []controllerruntime.Object{&stablev1.CronTab{}, &clusterv1.ClusterCronTab{}} {
		for _, path := range []string{"metadata.name", "metadata.namespace", "spec.image"} {
			builder.WithIndex(obj, path, func(obj controllerruntime.Object) []string {
				o, err := toObject(obj)
				utilruntime.Must(err)
				return []string{o.string(path)}
			})
		}
	}
	clients := controllerRuntimeClients(builder.Build(), k)
	return world{
		kind: k, patience: 200 * time.Millisecond, clients: clients, expire: func(string) {},
		limit: func(rest.ImpersonationConfig) func(string) trio { return clients }, // it allows everything
	}
}

// newFakeapiControllerRuntimeWorld returns a new world of fakeapi as clients of controller-runtime see it.
func newFakeapiControllerRuntimeWorld(k kind) world {
	api, limit := newFakeapi()
	config := api.RESTConfig()
	config.WarningHandler = rest.NoWarnings{}
	return fakeapiWorld(api, k, controllerRuntimeClientsFor(config, k), func(as rest.ImpersonationConfig) func(string) trio {
		limit()
		return controllerRuntimeClientsFor(withUser(config, as), k)
	})
}

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, metav1.SchemeGroupVersion)
	utilruntime.Must(metav1.AddMetaToScheme(scheme))
	utilruntime.Must(stablev1.AddToScheme(scheme))
	utilruntime.Must(clusterv1.AddToScheme(scheme))
	utilruntime.Must(autoscalingv1.AddToScheme(scheme))
	return scheme
}

// controllerRuntimeClients returns the clients of a kind for a namespace that a client of controller-runtime stands
// for.
func controllerRuntimeClients(all controllerruntime.WithWatch, k kind) func(namespace string) trio {
	return func(namespace string) trio {
		if !k.namespaced {
			namespace = ""
		}
		c := controllerRuntimeClient{all: all, namespace: namespace}
		typed, untyped, partial := c, c, c
		typed.object = func() controllerruntime.Object { return &stablev1.CronTab{} }
		typed.objects = func() controllerruntime.ObjectList { return &stablev1.CronTabList{} }
		if !k.namespaced {
			typed.object = func() controllerruntime.Object { return &clusterv1.ClusterCronTab{} }
			typed.objects = func() controllerruntime.ObjectList { return &clusterv1.ClusterCronTabList{} }
		}
		listKind := k.GroupVersion().WithKind(k.Kind + "List")
		untyped.object = func() controllerruntime.Object {
			u := &unstructured.Unstructured{}
			u.SetGroupVersionKind(k.GroupVersionKind)
			return u
		}
		untyped.objects = func() controllerruntime.ObjectList {
			u := &unstructured.UnstructuredList{}
			u.SetGroupVersionKind(listKind)
			return u
		}
		partial.object = func() controllerruntime.Object {
			p := &metav1.PartialObjectMetadata{}
			p.SetGroupVersionKind(k.GroupVersionKind)
			return p
		}
		partial.objects = func() controllerruntime.ObjectList {
			p := &metav1.PartialObjectMetadataList{}
			p.SetGroupVersionKind(listKind)
			return p
		}
		return trio{typed: typed, dynamic: untyped, metadata: partial}
	}
}

// A controllerRuntimeClient is a client of controller-runtime, for the objects of one kind, in one Go type, in one
// namespace. It takes the name and the namespace of a request from the object.
type controllerRuntimeClient struct {
	all       controllerruntime.WithWatch
	namespace string
	object    func() controllerruntime.Object
	objects   func() controllerruntime.ObjectList
}

// in returns an object with the namespace of the requests, unless it has another one.
func (c controllerRuntimeClient) in(o object) object {
	if c.namespace != "" && o.string("metadata.namespace") == "" {
		return o.with("metadata.namespace", c.namespace)
	}
	return o
}

// sent returns the Go object for an object.
func (c controllerRuntimeClient) sent(o object) controllerruntime.Object {
	sent := c.object()
	if u, ok := sent.(*unstructured.Unstructured); ok {
		u.Object = runtime.DeepCopyJSON(c.in(o))
		return u
	}
	fromObject(c.in(o), sent)
	return sent
}

// named returns a Go object with nothing but a name and a namespace.
func (c controllerRuntimeClient) named(name string) controllerruntime.Object {
	named := c.object()
	named.SetName(name)
	named.SetNamespace(c.namespace)
	return named
}

func (c controllerRuntimeClient) create(ctx context.Context, o object, opts metav1.CreateOptions) (object, error) {
	sent := c.sent(o)
	return take(sent, c.all.Create(ctx, sent, &controllerruntime.CreateOptions{DryRun: opts.DryRun, FieldManager: opts.FieldManager, FieldValidation: opts.FieldValidation}))
}

func (c controllerRuntimeClient) update(ctx context.Context, o object, opts metav1.UpdateOptions, subresource string) (object, error) {
	sent := c.sent(o)
	options := controllerruntime.UpdateOptions{DryRun: opts.DryRun, FieldManager: opts.FieldManager, FieldValidation: opts.FieldValidation}
	if subresource != "" {
		return take(sent, c.all.SubResource(subresource).Update(ctx, sent, &controllerruntime.SubResourceUpdateOptions{UpdateOptions: options}))
	}
	return take(sent, c.all.Update(ctx, sent, &options))
}

func (c controllerRuntimeClient) updateScale(ctx context.Context, name string, o object, opts metav1.UpdateOptions) (object, error) {
	scale := &autoscalingv1.Scale{}
	fromObject(o, scale)
	return take(scale, c.all.SubResource("scale").Update(ctx, c.named(name), &controllerruntime.SubResourceUpdateOptions{
		UpdateOptions:   controllerruntime.UpdateOptions{DryRun: opts.DryRun, FieldManager: opts.FieldManager, FieldValidation: opts.FieldValidation},
		SubResourceBody: scale,
	}))
}

func (c controllerRuntimeClient) get(ctx context.Context, name string, opts metav1.GetOptions, subresource string) (object, error) {
	if subresource == "" {
		result := c.object()
		return take(result, c.all.Get(ctx, types.NamespacedName{Namespace: c.namespace, Name: name}, result, &controllerruntime.GetOptions{Raw: &opts}))
	}
	result := c.object()
	if subresource == "scale" {
		result = &autoscalingv1.Scale{}
	}
	return take(result, c.all.SubResource(subresource).Get(ctx, c.named(name), result, &controllerruntime.SubResourceGetOptions{Raw: &opts}))
}

func (c controllerRuntimeClient) list(ctx context.Context, opts metav1.ListOptions) (object, error) {
	options, err := c.listOptions(opts)
	if err != nil {
		return nil, err
	}
	result := c.objects()
	return take(result, c.all.List(ctx, result, options))
}

func (c controllerRuntimeClient) watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	options, err := c.listOptions(opts)
	if err != nil {
		return nil, err
	}
	return c.all.Watch(ctx, c.objects(), options)
}

func (c controllerRuntimeClient) listOptions(opts metav1.ListOptions) (*controllerruntime.ListOptions, error) {
	options := &controllerruntime.ListOptions{Namespace: c.namespace, Limit: opts.Limit, Continue: opts.Continue, Raw: &opts}
	var err error
	if opts.LabelSelector != "" {
		if options.LabelSelector, err = labels.Parse(opts.LabelSelector); err != nil {
			return nil, err
		}
	}
	if opts.FieldSelector != "" {
		if options.FieldSelector, err = fields.ParseSelector(opts.FieldSelector); err != nil {
			return nil, err
		}
	}
	return options, nil
}

func deleteOptions(opts metav1.DeleteOptions) controllerruntime.DeleteOptions {
	return controllerruntime.DeleteOptions{
		DryRun: opts.DryRun, GracePeriodSeconds: opts.GracePeriodSeconds, Preconditions: opts.Preconditions, PropagationPolicy: opts.PropagationPolicy, Raw: &opts,
	}
}

func (c controllerRuntimeClient) delete(ctx context.Context, name string, opts metav1.DeleteOptions) error {
	options := deleteOptions(opts)
	return c.all.Delete(ctx, c.named(name), &options)
}

func (c controllerRuntimeClient) deleteCollection(ctx context.Context, opts metav1.DeleteOptions, list metav1.ListOptions) error {
	listOptions, err := c.listOptions(list)
	if err != nil {
		return err
	}
	return c.all.DeleteAllOf(ctx, c.object(), &controllerruntime.DeleteAllOfOptions{ListOptions: *listOptions, DeleteOptions: deleteOptions(opts)})
}

func (c controllerRuntimeClient) patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (object, error) {
	defer spoil(data)
	sent, patch := c.named(name), controllerruntime.RawPatch(pt, data)
	options := controllerruntime.PatchOptions{DryRun: opts.DryRun, Force: opts.Force, FieldManager: opts.FieldManager, FieldValidation: opts.FieldValidation}
	if len(subresources) == 0 {
		return take(sent, c.all.Patch(ctx, sent, patch, &options))
	}
	subresource := strings.Join(subresources, "/")
	if subresource == "scale" {
		scale := &autoscalingv1.Scale{}
		return take(scale, c.all.SubResource(subresource).Patch(ctx, sent, patch, &controllerruntime.SubResourcePatchOptions{PatchOptions: options, SubResourceBody: scale}))
	}
	return take(sent, c.all.SubResource(subresource).Patch(ctx, sent, patch, &controllerruntime.SubResourcePatchOptions{PatchOptions: options}))
}

// apply is a patch, because the method Apply returns no more than an apply configuration can have.
func (c controllerRuntimeClient) apply(ctx context.Context, o object, opts metav1.ApplyOptions, subresource string) (object, error) {
	var subresources []string
	if subresource != "" {
		subresources = []string{subresource}
	}
	data := []byte(compact(c.in(o)))
	return c.patch(ctx, o.string("metadata.name"), types.ApplyYAMLPatchType, data, metav1.PatchOptions{DryRun: opts.DryRun, Force: &opts.Force, FieldManager: opts.FieldManager}, subresources...)
}
