package fakeapi

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Rules are the rules of a CustomResourceDefinition for the objects of a resource, in addition to their Go type. The
// module github.com/kubegen/kubegen/fakeapi/crdvalidation reads them from manifests.
type Rules interface {
	// Default sets absent fields with a default, and removes fields that are not in the schema. It modifies object.
	Default(object map[string]any)

	// Validate returns all errors in an object, except for names, labels and similar metadata, which the API checks. If
	// old is nil, the object is created. Otherwise it replaces old, through the subresource "status" or, if subresource
	// is "", through the resource itself. Validate modifies neither object.
	Validate(object, old map[string]any, subresource string) field.ErrorList
}

// WithRules makes the API apply rules to the objects written by clients, like a server: it sets defaults, removes
// fields that are not in the schema, and rejects invalid objects with the reason Invalid. Without rules, every object
// of the Go type is valid.
func WithRules(rules map[schema.GroupVersionResource]Rules) Option {
	return func(c *config) {
		for gvr, r := range rules {
			c.rules[gvr] = r
		}
	}
}

// decodingRules are rules that decode objects. They replace the Go type there.
type decodingRules interface {
	// Decode removes fields that are not in the schema and null fields without a meaning, and converts the metadata of
	// embedded resources to the form of [metav1.ObjectMeta]. It returns the paths of the fields that are not in the
	// schema, or the error for metadata that cannot be converted. It modifies object.
	Decode(object map[string]any) (unknown []string, err error)
}

// An appliedDefaulter has rules that keep applied null fields.
type appliedDefaulter interface {
	// DefaultApplied sets absent fields with a default. It modifies object.
	DefaultApplied(object map[string]any)
}

// versionedRules are rules of a version other than the stored one, whose objects are not converted by a webhook: an API
// server only changes their apiVersion.
type versionedRules interface {
	// Store makes an object of the version an object of the stored version: it removes fields that this version lacks,
	// and sets its defaults. It modifies object.
	Store(object map[string]any)

	// Load removes the fields that the version lacks from a stored object. It modifies object.
	Load(object map[string]any)
}

// keep reduces a draft to what a server stores of it.
func (r *resource) keep(d *draft) {
	if rules, ok := r.rules.(versionedRules); ok && d.GroupVersionKind() == r.kind {
		d.Object = cloneValue(d.Object).(map[string]any)
		rules.Store(d.Object)
	}
}

// load reduces the content of a stored object to what the version has.
func (r *resource) load(content map[string]any) map[string]any {
	if rules, ok := r.rules.(versionedRules); ok {
		content = cloneValue(content).(map[string]any)
		rules.Load(content)
	}
	return content
}

// completeApplied applies defaults to the result of server-side apply.
func (r *resource) completeApplied(d *draft) {
	rules, ok := r.rules.(appliedDefaulter)
	if !ok || d.GroupVersionKind() != r.kind {
		r.complete(d)
		return
	}
	d.Object = cloneValue(d.Object).(map[string]any)
	rules.DefaultApplied(d.Object)
}

// complete applies defaults to a draft.
func (r *resource) complete(d *draft) {
	if r.rules == nil || d.GroupVersionKind() != r.kind {
		return
	}
	d.Object = cloneValue(d.Object).(map[string]any)
	r.rules.Default(d.Object)
}
