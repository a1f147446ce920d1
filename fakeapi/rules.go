package fakeapi

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Rules are what a CustomResourceDefinition says of the objects of a resource, beyond what their Go type says. The module
// github.com/kubegen/kubegen/fakeapi/crdvalidation reads them from manifests.
type Rules interface {
	// Default adds the fields that an object does not have and that have a default, and removes those that its schema
	// does not have. It changes the object.
	Default(object map[string]any)

	// Validate returns all that is wrong with an object, except for names, labels and the like in its metadata, which the
	// API checks. The object is to be created if old is nil. Otherwise it is to replace old: by the subresource status, or
	// by the resource itself if subresource is empty. Validate changes neither object.
	Validate(object, old map[string]any, subresource string) field.ErrorList
}

// WithRules makes the API apply rules to what clients write, as a server does: it fills in defaults, drops fields that are
// not in the schema, and refuses with the reason Invalid what the rules do not allow. Without rules, all objects of the Go
// type are valid.
func WithRules(rules map[schema.GroupVersionResource]Rules) Option {
	return func(c *config) {
		for gvr, r := range rules {
			c.rules[gvr] = r
		}
	}
}

// complete applies defaults to a draft.
func (r *resource) complete(d *draft) {
	if r.rules == nil || d.GroupVersionKind() != r.kind {
		return
	}
	d.Object = cloneValue(d.Object).(map[string]any)
	r.rules.Default(d.Object)
}
