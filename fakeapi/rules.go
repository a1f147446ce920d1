package fakeapi

import (
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
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

// typedRules are rules with a schema for server-side apply. It is the server's, and precedes the ones of
// [WithTypeConverter].
type typedRules interface {
	TypeConverter() (managedfields.TypeConverter, error)
}

// ruledConverters returns the schemas of all rules for server-side apply. Each one is for another kind and version.
func (c *config) ruledConverters() (all []managedfields.TypeConverter) {
	for gvr, rules := range c.rules {
		if rules, ok := rules.(typedRules); ok {
			converter, err := rules.TypeConverter()
			if err != nil {
				panic(fmt.Sprintf("fakeapi: the schema of %s: %v", gvr, err))
			}
			all = append(all, converter)
		}
	}
	return all
}

// versionedRules are rules that know the version of stored objects.
type versionedRules interface {
	// Storage returns the version in storage, and the strategy of their conversion: None,
	// Webhook or, if the CustomResourceDefinition has none, "".
	Storage() (version, strategy string)

	// Store removes the fields that the stored version lacks from an object converted to it. It modifies object.
	Store(object map[string]any)

	// Complete sets the defaults of the stored version in a stored object. It modifies object.
	Complete(object map[string]any)

	// Load removes the fields that the version of the rules lacks from a stored object converted to it. It modifies
	// object.
	Load(object map[string]any)
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
	if d.GroupVersionKind() != r.kind {
		return
	}
	if r.normalize != nil {
		d.Object = maps.Clone(d.Object)
		r.normalize(d.Object)
	}
	if r.rules == nil {
		return
	}
	d.Object = cloneValue(d.Object).(map[string]any)
	r.rules.Default(d.Object)
}
