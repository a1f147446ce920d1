package crdinstall

import (
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// keepConversion removes from a definition the fields of spec.conversion that others own on the server, such as the
// certificate that a controller has inserted, or the service that kustomize has named. Applied without them, they stay.
// So does a certificate that nobody owns any more. A strategy None, which servers set by default, is nobody's decision.
// If the strategy belongs to ours, and the definition has no webhook any more, what others have inserted there goes.
func (o *owners) keepConversion(ours, theirs definition) {
	conversion, _, _ := unstructured.NestedMap(ours.Object, "spec", "conversion")
	was, _, _ := unstructured.NestedString(theirs.Object, "spec", "conversion", "strategy")
	fields, _, _ := unstructured.NestedMap(o.others(), "f:spec", "f:conversion")
	switch {
	case was != "Webhook":
		return
	case conversion["strategy"] != "Webhook" && len(fields) > 0 && fields["f:strategy"] == nil:
		o.takeConversion(fields)
		return
	case conversion["strategy"] == "Webhook":
		bundle := []string{"webhook", "clientConfig", "caBundle"}
		now, _, _ := unstructured.NestedString(conversion, bundle...)
		installed, _, _ := unstructured.NestedString(theirs.Object, slices.Concat([]string{"spec", "conversion"}, bundle)...)
		if now == "" && installed != "" {
			_ = unstructured.SetNestedField(conversion, installed, bundle...)
		}
	}
	if prune(conversion, fields); len(conversion) == 0 {
		unstructured.RemoveNestedField(ours.Object, "spec", "conversion")
		return
	}
	_ = unstructured.SetNestedMap(ours.Object, conversion, "spec", "conversion") // a map stays one
}

// takeConversion makes the fields of spec.conversion ours that others own.
func (o *owners) takeConversion(fields map[string]any) {
	merge(o.ours, map[string]any{"f:spec": map[string]any{"f:conversion": fields}})
	o.before = true
	o.rest = slices.DeleteFunc(o.rest, func(entry map[string]any) bool {
		spec, _, _ := unstructured.NestedFieldNoCopy(entry, "fieldsV1", "f:spec")
		if spec, ok := spec.(map[string]any); ok {
			if delete(spec, "f:conversion"); len(spec) == 0 {
				unstructured.RemoveNestedField(entry, "fieldsV1", "f:spec")
			}
		}
		left, _, _ := unstructured.NestedFieldNoCopy(entry, "fieldsV1")
		return reflect.DeepEqual(left, map[string]any{})
	})
}

// lendConversion adds the webhook on the server to a definition that no longer has one. Objects that are still stored
// in other versions need it: without one, a server would convert them by dropping the fields that the storage version
// lacks, and a migration would store that.
func lendConversion(ours, theirs definition) {
	strategy, _, _ := unstructured.NestedString(ours.Object, "spec", "conversion", "strategy")
	conversion, _, _ := unstructured.NestedMap(theirs.Object, "spec", "conversion")
	if strategy != "Webhook" && conversion["strategy"] == "Webhook" {
		_ = unstructured.SetNestedMap(ours.Object, conversion, "spec", "conversion")
	}
}

// prune removes the fields of an object that a set of managed fields has, and the objects that become empty.
func prune(object, owned map[string]any) {
	for key, below := range owned {
		name, ok := strings.CutPrefix(key, "f:")
		if !ok {
			continue // "." is the object itself
		}
		inner, isObject := object[name].(map[string]any)
		deeper, _ := below.(map[string]any)
		if !isObject || len(deeper) == 0 {
			delete(object, name)
			continue
		}
		if prune(inner, deeper); len(inner) == 0 {
			delete(object, name)
		}
	}
}
