package fakeapi

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/yaml"
)

// merge returns the result of applying the patch to an object. lists is the type of the object's lists.
func (p patch) merge(manager *managedfields.FieldManager, lists *listType, old *draft) (*draft, error) {
	applied := &unstructured.Unstructured{Object: map[string]any{}}
	if err := yaml.Unmarshal(p.data, &applied.Object); err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
	}
	applied.Object, _ = settle(applied.Object).(map[string]any)
	if err := lists.keyless("", applied.Object); err != nil && applied.GroupVersionKind() == old.GroupVersionKind() &&
		applied.GetManagedFields() == nil {
		return nil, fmt.Errorf(
			"failed to create typed patch object (%s/%s; %s): %w", applied.GetNamespace(), applied.GetName(), applied.GroupVersionKind(), err,
		)
	}
	obj, err := manager.Apply(old, applied, p.opts.FieldManager, p.opts.Force != nil && *p.opts.Force)
	if err != nil {
		return nil, err
	}
	if problem := yaml.UnmarshalStrict(p.data, &map[string]any{}); problem != nil {
		if p.validation.directive == metav1.FieldValidationStrict {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("error strict decoding patch: %v", problem))
		}
		_ = p.validation.check([]error{problem})
	}
	d := obj.(*draft)
	d.key = old.key
	if len(d.validateMetadata()) == 0 {
		for field, v := range d.metadata() {
			if texts, ok := v.(map[string]any); ok { // labels or annotations, whose values are strings
				v = withoutNulls(texts)
				d.metadata()[field] = v
			}
			if isEmpty(v) {
				delete(d.metadata(), field)
				if slices.Contains(leftAlone, field) {
					d.empty = append(d.empty, field)
				}
			}
		}
		slices.Sort(d.empty)
	}
	roundTimes(d.managed)
	return d, nil
}

// leftAlone lists fields of metadata that servers store as applied, even if empty.
var leftAlone = []string{"annotations", "deletionTimestamp", "finalizers", "generateName", "labels", "ownerReferences"}

// isEmpty reports whether metadata omits a field with this value.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return v == nil || v == ""
}

// Field managers for all scale subresources, in kinds of Kubernetes itself and in custom resources.
var (
	standardScales = sync.OnceValues(func() (*managedfields.FieldManager, error) { return newScaleManager(objects{}) })
	customScales   = sync.OnceValues(func() (*managedfields.FieldManager, error) { return newScaleManager(scales{}) })
)

// scaleManager returns the field manager for the scale subresource.
func (r *resource) scaleManager() (*managedfields.FieldManager, error) {
	if r.standard {
		return standardScales()
	}
	return customScales()
}

// scales provides the operations that the field managers of custom resources need for Scales. In a server, they cannot
// convert a Scale unless it has the Go type. The result of a merge does not.
type scales struct{ objects }

func (s scales) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	obj, err := s.objects.New(kind)
	if err == nil {
		obj.(*draft).foreign = true
	}
	return obj, err
}

func (s scales) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	if d, ok := in.(*draft); ok && d.foreign {
		return nil, fmt.Errorf("request to convert CR to an invalid group/version: %s", d.GetAPIVersion())
	}
	return s.objects.ConvertToVersion(in, target)
}

// scaleObjects lists the operations that field managers need for Scales.
type scaleObjects interface {
	runtime.ObjectConvertor
	runtime.ObjectCreater
	runtime.ObjectDefaulter
}

func newScaleManager(all scaleObjects) (*managedfields.FieldManager, error) {
	kind := autoscalingv1.SchemeGroupVersion.WithKind("Scale")
	types, err := scaleTypes()
	if err != nil {
		return nil, err
	}
	converter := newConverter([]managedfields.TypeConverter{types, managedfields.NewDeducedTypeConverter()})
	return managedfields.NewDefaultCRDFieldManager(converter, all, all, all, kind, kind.GroupVersion(), "scale", nil)
}

// withoutNulls returns a copy of texts where null, which decodes to the zero value of a string, is "".
func withoutNulls(texts map[string]any) map[string]any {
	texts = maps.Clone(texts)
	for name, v := range texts {
		if v == nil {
			texts[name] = ""
		}
	}
	return texts
}
