package fakeapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
	kjson "sigs.k8s.io/json"
)

// scaleFrom returns the Scale sent by a client.
func scaleFrom(r *resource, obj runtime.Object, validation fieldValidation) (*autoscalingv1.Scale, error) {
	if scale, ok := obj.(*autoscalingv1.Scale); ok {
		return scale, nil
	}
	var data []byte
	if sent, ok := obj.(*body); ok {
		data = sent.text
	} else {
		var err error
		if data, err = json.Marshal(obj); err != nil {
			return nil, localError{err}
		}
	}
	scale, unknown, err := decodeScale(data)
	if err == nil {
		err = validation.check(unknown)
	}
	if err != nil && !r.standard {
		// The decoder for custom resources does not know the kind, which this error should name.
		err = errors.New("no kind is registered for the type v1.Scale in scheme " + strconv.Quote(serverScheme))
	}
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return scale, nil
}

// serverScheme is the name of the scheme in servers. It appears in some errors.
const serverScheme = "pkg/runtime/scheme.go:111"

// decodeScale decodes a Scale. unknown has an error for each unknown field.
func decodeScale(data []byte) (scale *autoscalingv1.Scale, unknown []error, err error) {
	kind, err := serializer.SimpleMetaFactory{}.Interpret(data)
	if err != nil {
		return nil, nil, err
	}
	want := autoscalingv1.SchemeGroupVersion.WithKind("Scale")
	if kind.Kind == "" {
		kind.Kind = want.Kind
	}
	if kind.Version == "" {
		kind.Group, kind.Version = want.Group, want.Version
	}
	if *kind != want {
		return nil, nil, fmt.Errorf("no kind %q is registered for version %q in scheme %q", kind.Kind, kind.GroupVersion(), serverScheme)
	}
	scale = &autoscalingv1.Scale{}
	unknown, err = kjson.UnmarshalStrict(data, scale)
	return scale, unknown, err
}

// scalePaths holds the paths of the values of the scale subresource in an object.
type scalePaths struct{ spec, status, selector scalePath }

// A scalePath is a path of field names.
type scalePath struct {
	text   string // as in a CustomResourceDefinition, or ""
	fields []string
}

func newScalePaths(paths map[string]string) *scalePaths {
	if paths == nil {
		return nil
	}
	path := func(key string) scalePath {
		text := paths[key]
		return scalePath{text: text, fields: strings.Split(strings.TrimPrefix(text, "."), ".")}
	}
	return &scalePaths{spec: path("specReplicasPath"), status: path("statusReplicasPath"), selector: path("labelSelectorPath")}
}

func (p scalePath) integer(content map[string]any) (int64, bool, error) {
	return unstructured.NestedInt64(content, p.fields...)
}

func (p scalePath) string(content map[string]any) (string, bool, error) {
	if p.text == "" {
		return "", false, nil
	}
	return unstructured.NestedString(content, p.fields...)
}

// set returns a copy of content with the number n at the path.
func (p scalePath) set(content map[string]any, n int64) (map[string]any, error) {
	c := cloneValue(content).(map[string]any)
	return c, unstructured.SetNestedField(c, n, p.fields...)
}

// standardScale has the paths in kinds of Kubernetes itself. Their selector is not a string.
var standardScale = newScalePaths(map[string]string{"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"})

// selectorOf returns the pod selector of an object of a kind of Kubernetes itself.
func selectorOf(content map[string]any) string {
	in, _, _ := unstructured.NestedMap(content, "spec", "selector")
	var selector metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(in, &selector); err != nil ||
		len(selector.MatchLabels)+len(selector.MatchExpressions) == 0 {
		set := labels.Set{} // the selector of a ReplicationController
		for k, v := range in {
			if v, ok := v.(string); ok {
				set[k] = v
			}
		}
		return set.String()
	}
	return metav1.FormatLabelSelector(&selector)
}

// unsetReplicas represents missing replicas.
const unsetReplicas = math.MinInt32

// scaleOf returns the scale subresource of an object, and reports whether the object has replicas.
func (r *resource) scaleOf(d *draft) (*autoscalingv1.Scale, bool, error) {
	paths, err := r.scaling()
	if err != nil {
		return nil, false, err
	}
	spec, found, err := paths.spec.integer(d.Object)
	if err != nil {
		return nil, false, err
	}
	status, _, err := paths.status.integer(d.Object)
	if err != nil {
		return nil, false, err
	}
	selector, _, err := paths.selector.string(d.Object)
	if err != nil {
		return nil, false, err
	}
	if r.standard {
		selector = selectorOf(d.Object)
	}
	return &autoscalingv1.Scale{
		TypeMeta: metav1.TypeMeta{APIVersion: "autoscaling/v1", Kind: "Scale"},
		ObjectMeta: metav1.ObjectMeta{
			Name:              d.GetName(),
			Namespace:         d.GetNamespace(),
			UID:               d.GetUID(),
			ResourceVersion:   d.GetResourceVersion(),
			CreationTimestamp: d.GetCreationTimestamp(),
		},
		Spec:   autoscalingv1.ScaleSpec{Replicas: int32(spec)},
		Status: autoscalingv1.ScaleStatus{Replicas: int32(status), Selector: selector},
	}, found, nil
}

// storedScale returns the scale subresource of a stored object like scaleOf.
func (r *resource) storedScale(o *object) (*autoscalingv1.Scale, bool, error) {
	o, err := r.load(o)
	if err != nil {
		return nil, false, err
	}
	return r.scaleOf(o.draft())
}

func (a *API) getScale(r *resource, namespace, name string, opts metav1.GetOptions) (runtime.Object, error) {
	o, err := a.get(r, namespace, name, opts)
	if err != nil {
		return nil, err
	}
	scale, found, err := r.storedScale(o)
	if err != nil {
		return nil, err
	}
	if !found && !r.standard {
		return nil, apierrors.NewInternalError(fmt.Errorf("the spec replicas field %q does not exist", r.scale.spec.text))
	}
	return scale, nil
}

// replicasPaths returns the paths of the replicas in all versions of a resource with a scale subresource.
func (a *API) replicasPaths(r *resource) managedfields.ResourcePathMappings {
	mapping := managedfields.ResourcePathMappings{}
	for _, gv := range r.versions {
		version := a.resources[gv.WithResource(r.gvr.Resource)]
		if version == nil {
			continue
		}
		paths, err := version.scaling()
		if err != nil {
			continue
		}
		path := slices.Grow(mapping[gv.String()], len(paths.spec.fields))
		for i, f := range paths.spec.fields {
			path = path[:i+1]
			path[i].FieldName = &f
		}
		mapping[gv.String()] = path
	}
	return mapping
}

// changeScale replaces the scale of an object with the result of next.
func (a *API) changeScale(
	r *resource, c change, next func(old *autoscalingv1.Scale) (*autoscalingv1.Scale, error),
) (runtime.Object, error) {
	paths, err := r.scaling()
	if err != nil {
		return nil, err
	}
	gv := r.kind.GroupVersion()
	mapping := a.replicasPaths(r)
	c.next = func(old *draft) (*draft, error) {
		d := old.DeepCopyObject().(*draft)
		owners := managedfields.NewScaleHandler(d.managed, gv, mapping)
		scale, found, err := r.scaleOf(d)
		if err != nil {
			return nil, err
		}
		if !found && !r.standard {
			scale.Spec.Replicas = unsetReplicas
		}
		if scale.ManagedFields, err = owners.ToSubresource(); err != nil {
			return nil, err
		}
		if scale, err = next(scale); err != nil {
			return nil, err
		}
		if scale.Spec.Replicas == unsetReplicas {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("the spec replicas field %q cannot be empty", paths.spec.text))
		}
		if d.Object, err = paths.spec.set(d.Object, int64(scale.Spec.Replicas)); err != nil {
			return nil, err
		}
		if scale.ResourceVersion != "" {
			d.SetResourceVersion(scale.ResourceVersion)
		}
		if d.managed, err = owners.ToParent(scale.ManagedFields); err != nil {
			return nil, err
		}
		roundTimes(d.managed)
		return d, nil
	}
	c.subresource = "" // the change applies to the object itself
	o, err := a.replace(r, c)
	if err != nil {
		return nil, err
	}
	scale, _, err := r.storedScale(o)
	return scale, err
}

// scaleTypes returns a type converter for Scales.
func scaleTypes() (managedfields.TypeConverter, error) {
	object := func(properties map[string]spec.Schema) spec.Schema {
		return spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{"object"}, Properties: properties}}
	}
	replicas, text := *spec.Int32Property(), *spec.StringProperty()
	anything := object(nil)
	anything.AddExtension("x-kubernetes-preserve-unknown-fields", true)
	scale := object(map[string]spec.Schema{
		"apiVersion": text, "kind": text, "metadata": anything,
		"spec":   object(map[string]spec.Schema{"replicas": replicas}),
		"status": object(map[string]spec.Schema{"replicas": replicas, "selector": text}),
	})
	kind := autoscalingv1.SchemeGroupVersion.WithKind("Scale")
	scale.AddExtension("x-kubernetes-group-version-kind", []any{map[string]any{
		"group": kind.Group, "version": kind.Version, "kind": kind.Kind,
	}})
	return managedfields.NewTypeConverter(map[string]*spec.Schema{"scale": &scale}, false)
}
