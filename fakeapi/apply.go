package fakeapi

import (
	"fmt"
	"slices"
	"sync"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/yaml"
)

// merge returns the result of a server-side apply to an object. lists is the type of the object's lists.
func (p patch) merge(manager *managedfields.FieldManager, lists *listType, old *draft) (*draft, error) {
	applied := &unstructured.Unstructured{Object: map[string]any{}}
	if err := yaml.Unmarshal(p.data, &applied.Object); err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
	}
	applied.Object, _ = settle(applied.Object).(map[string]any)
	if err := lists.keyless("", applied.Object); err != nil {
		return nil, fmt.Errorf("failed to create typed patch object (%s/%s; %s): %w", applied.GetNamespace(), applied.GetName(), applied.GroupVersionKind(), err)
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

// leftAlone lists fields of metadata that servers store as they were applied, even if empty.
var leftAlone = []string{"annotations", "deletionTimestamp", "finalizers", "generateName", "labels", "ownerReferences"}

// isEmpty reports whether a value is empty, so that metadata omits it.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return v == nil || v == ""
}

// scaleManager returns the field manager of all scale subresources.
var scaleManager = sync.OnceValues(func() (*managedfields.FieldManager, error) {
	kind := autoscalingv1.SchemeGroupVersion.WithKind("Scale")
	converter := newConverter([]managedfields.TypeConverter{managedfields.NewDeducedTypeConverter()})
	return managedfields.NewDefaultCRDFieldManager(converter, objects{}, objects{}, objects{}, kind, kind.GroupVersion(), "scale", nil)
})
