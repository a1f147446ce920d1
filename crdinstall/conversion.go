package crdinstall

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// keepConversion removes from a definition the fields of spec.conversion that others own on the server, such as the
// certificate that a controller has inserted, or the service that kustomize has named. Applied without them, they stay.
// A strategy None, which servers set by default, is nobody's decision.
func keepConversion(ours, theirs definition, manager string) {
	conversion, ok, _ := unstructured.NestedMap(ours.Object, "spec", "conversion")
	strategy, _, _ := unstructured.NestedString(theirs.Object, "spec", "conversion", "strategy")
	bundle, hasBundle, _ := unstructured.NestedString(theirs.Object, "spec", "conversion", "webhook", "clientConfig", "caBundle")
	if !ok || strategy == "None" && !(hasBundle && bundle != "") {
		return
	}
	entries, _, _ := unstructured.NestedSlice(theirs.Object, "metadata", "managedFields")
	for _, entry := range entries {
		if entry, ok := entry.(map[string]any); ok && entry["manager"] != manager {
			fields, _, _ := unstructured.NestedMap(entry, "fieldsV1", "f:spec", "f:conversion")
			prune(conversion, fields)
		}
	}
	if len(conversion) == 0 {
		unstructured.RemoveNestedField(ours.Object, "spec", "conversion")
		return
	}
	_ = unstructured.SetNestedMap(ours.Object, conversion, "spec", "conversion") // a map stays one
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
