package crdinstall

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// owners are the owners of the fields of a definition, as managedFields has them.
type owners struct {
	ours   map[string]any   // the fields of this program, and of what has installed the definition before
	before bool             // that ours has fields of the latter
	rest   []map[string]any // the entries of others
}

// readOwners returns the owners for a program: of what kubectl, Helm or create, which this program calls, has
// installed, and of what others have inserted or edited, such as certificates.
func readOwners(d definition, manager string) owners {
	o := owners{ours: map[string]any{}}
	entries, _, _ := unstructured.NestedSlice(d.Object, "metadata", "managedFields")
	for _, e := range entries {
		entry, _ := e.(map[string]any)
		fields, _ := entry["fieldsV1"].(map[string]any)
		isOurs := entry["manager"] == manager
		if entry["subresource"] != nil || !isOurs && (!owns(entry, "f:group") || entry["apiVersion"] != d.GetAPIVersion()) {
			o.rest = append(o.rest, entry)
			continue
		}
		merge(o.ours, fields)
		o.before = o.before || !isOurs || entry["operation"] != string(metav1.ManagedFieldsOperationApply)
	}
	return o
}

// owns reports whether an entry of managedFields has a field of the spec. Only what has created or applied the
// definition owns the group, because nothing can change it.
func owns(entry map[string]any, field string) bool {
	_, found, _ := unstructured.NestedFieldNoCopy(entry, "fieldsV1", "f:spec", field)
	return found
}

// editors returns the owners of the versions that have not installed the definition, such as kubectl-edit.
func (d definition) editors() (names []string) {
	entries, _, _ := unstructured.NestedSlice(d.Object, "metadata", "managedFields")
	for _, e := range entries {
		if entry, ok := e.(map[string]any); ok && owns(entry, "f:versions") && !owns(entry, "f:group") {
			names = append(names, fmt.Sprint(entry["manager"]))
		}
	}
	return names
}

// others returns the fields of others.
func (o owners) others() map[string]any {
	all := map[string]any{}
	for _, entry := range o.rest {
		fields, _ := entry["fieldsV1"].(map[string]any)
		merge(all, fields)
	}
	return all
}

// merge adds a set of fields to another one.
func merge(into, fields map[string]any) {
	for key, below := range fields {
		inner, ok := into[key].(map[string]any)
		if !ok {
			inner = map[string]any{}
			into[key] = inner
		}
		deeper, _ := below.(map[string]any)
		merge(inner, deeper)
	}
}

// take makes the fields of ours belong to this program on the server, so that the next apply removes those that its
// definition lacks.
func (in *installer) take(ctx context.Context, theirs definition, o owners) (definition, error) {
	own := map[string]any{
		"manager": in.manager, "operation": metav1.ManagedFieldsOperationApply, "apiVersion": theirs.GetAPIVersion(),
		"fieldsType": "FieldsV1", "fieldsV1": o.ours,
	}
	patch, err := json.Marshal([]map[string]any{
		{"op": "replace", "path": "/metadata/managedFields", "value": append([]map[string]any{own}, o.rest...)},
		{"op": "replace", "path": "/metadata/resourceVersion", "value": theirs.GetResourceVersion()},
	})
	if err != nil {
		return theirs, err
	}
	now, err := in.client.Patch(ctx, theirs.GetName(), types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: in.manager})
	return definition{now}, err
}

// mergePatch returns the merge patch that changes what take and apply change: a definition with null for each field
// that it lacks and that only ours own. All lists that definitions have are atomic, for patches as for apply.
func (o owners) mergePatch(wanted definition) ([]byte, error) {
	patch := runtime.DeepCopyJSON(wanted.Object)
	drop(patch, o.ours, o.others())
	return json.Marshal(patch)
}

func drop(patch, ours, others map[string]any) {
	for key, below := range ours {
		name, isField := strings.CutPrefix(key, "f:") // the object itself is "."
		value, ok := patch[name]
		inner, isObject := value.(map[string]any)
		deeper, _ := below.(map[string]any)
		theirs, shared := others[key].(map[string]any)
		switch {
		case !isField || ok && !isObject:
		case !ok && !shared:
			patch[name] = nil
		default:
			if inner == nil {
				inner = map[string]any{}
			}
			if drop(inner, deeper, theirs); len(inner) > 0 {
				patch[name] = inner
			}
		}
	}
}
