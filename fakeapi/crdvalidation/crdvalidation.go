// Package crdvalidation makes fakeapi apply the rules in manifests of CustomResourceDefinitions to custom resources:
// default values, pruning of unknown fields, and validation by schema, list types and x-kubernetes-validations. It uses
// the code of the API server, k8s.io/apiextensions-apiserver, and is a module of its own because of the dependencies of
// that code.
//
//	rules, err := crdvalidation.Read("config/crd")
//	...
//	api := fakeapi.New(fakeapi.WithAPI(fake.API{}), fakeapi.WithRules(rules))
//
// A project without a generated clientset, such as a kubebuilder project, creates all options from the manifests with
// [Options]:
//
//	options, err := crdvalidation.Options(scheme, "config/crd/bases")
//	...
//	api := fakeapi.New(options...)
//	client, err := client.New(api.RESTConfig(), client.Options{Scheme: scheme})
//
// Objects are stored in the storage version of their definition. Unless it has the strategy None, they are converted as
// described for [fakeapi.WithConversion].
//
// [Validate] reports whether an API server would accept the manifests themselves, including the CEL rules, which it
// compiles:
//
//	if err := crdvalidation.Validate("config/crd/bases"); err != nil {
//		t.Fatal(err)
//	}
//
// The module k8s.io/apiextensions-apiserver must have the same release as k8s.io/apimachinery, v0.34 or later. go mod
// tidy alone selects v0.34.0, which does not compile with later releases. In a module with k8s.io/apimachinery v0.37.2,
// for example, first run:
//
//	go get github.com/kubegen/kubegen/fakeapi/crdvalidation k8s.io/apiextensions-apiserver@v0.37.2
package crdvalidation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubegen/kubegen/fakeapi"
)

var scheme = runtime.NewScheme()

func init() { install.Install(scheme) }

// Read returns the rules of all CustomResourceDefinitions (apiextensions.k8s.io/v1) in YAML or JSON files, by resource.
// In a directory and its subdirectories, it reads files whose names end in .yaml, .yml or .json. Items of lists are
// definitions, too. Other documents are ignored, such as values of Helm and patches of kustomize. If a definition has
// unknown fields, repeated keys or no structural schema, or if there is no definition, Read returns an error.
func Read(paths ...string) (map[schema.GroupVersionResource]fakeapi.Rules, error) {
	all := map[schema.GroupVersionResource]fakeapi.Rules{}
	err := each(paths, func(definition *Definition) error {
		rules, err := Rules(definition.CustomResourceDefinition)
		maps.Copy(all, rules)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Rules returns the rules of a CustomResourceDefinition for each served version.
func Rules(definition *apiextensionsv1.CustomResourceDefinition) (map[schema.GroupVersionResource]fakeapi.Rules, error) {
	internal, err := internalVersion(definition)
	if err != nil {
		return nil, err
	}
	storage := &storage{}
	if definition.Spec.Conversion != nil {
		storage.strategy = string(definition.Spec.Conversion.Strategy)
	}
	all := map[schema.GroupVersionResource]fakeapi.Rules{}
	for _, version := range internal.Spec.Versions {
		r, err := newRules(internal, version.Name)
		if err != nil {
			return nil, fmt.Errorf("%s, version %s: %w", definition.Name, version.Name, err)
		}
		r.storage = storage
		r.converter = sync.OnceValues(func() (managedfields.TypeConverter, error) { return newTypeConverter(definition, version.Name) })
		if version.Served {
			all[schema.GroupVersionResource{Group: internal.Spec.Group, Version: version.Name, Resource: internal.Spec.Names.Plural}] = r
		}
		if version.Storage {
			storage.version, storage.rules = version.Name, r
		}
	}
	return all, nil
}

// internalVersion returns a definition with defaults, in the internal form used by servers.
func internalVersion(definition *apiextensionsv1.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
	definition = definition.DeepCopy()
	scheme.Default(definition)
	internal := &apiextensions.CustomResourceDefinition{}
	return internal, scheme.Convert(definition, internal, nil)
}

// rules are the rules of one version of a CustomResourceDefinition.
type rules struct {
	structural *structuralschema.Structural
	preserve   bool // keep unknown fields
	validate   func(new *unstructured.Unstructured) field.ErrorList
	update     map[string]func(new, old *unstructured.Unstructured) field.ErrorList // by subresource
	storage    *storage
	converter  func() (managedfields.TypeConverter, error)
}

// A storage is the version of stored objects.
type storage struct {
	version  string
	rules    *rules
	strategy string // of conversion, or "" if the definition has none
}

func newRules(definition *apiextensions.CustomResourceDefinition, version string) (*rules, error) {
	all, err := apiextensions.GetSchemaForVersion(definition, version)
	if err != nil {
		return nil, err
	}
	if all == nil || all.OpenAPIV3Schema == nil {
		return nil, errors.New("it has no schema")
	}
	structural, err := structuralschema.NewStructural(all.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(all.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	subresources, err := apiextensions.GetSubresourcesForVersion(definition, version)
	if err != nil {
		return nil, err
	}
	var status *apiextensions.CustomResourceSubresourceStatus
	var scale *apiextensions.CustomResourceSubresourceScale
	if subresources != nil {
		status, scale = subresources.Status, subresources.Scale
	}
	var statusSchema *apiextensions.JSONSchemaProps
	if s, ok := all.OpenAPIV3Schema.Properties["status"]; ok && status != nil {
		statusSchema = &s
	}
	statusValidator, _, err := validation.NewSchemaValidator(statusSchema)
	if err != nil {
		return nil, err
	}
	kind := schema.GroupVersionKind{Group: definition.Spec.Group, Version: version, Kind: definition.Spec.Names.Kind}
	strategy := customresource.NewStrategy(
		nil, definition.Spec.Scope == apiextensions.NamespaceScoped, kind, validator, statusValidator, structural, status, scale, nil,
	)
	ctx := context.Background()
	return &rules{
		structural: structural,
		preserve:   definition.Spec.PreserveUnknownFields != nil && *definition.Spec.PreserveUnknownFields,
		validate:   func(new *unstructured.Unstructured) field.ErrorList { return strategy.Validate(ctx, new) },
		update: map[string]func(new, old *unstructured.Unstructured) field.ErrorList{
			"": func(new, old *unstructured.Unstructured) field.ErrorList {
				return strategy.ValidateUpdate(ctx, new, old)
			},
			"status": func(new, old *unstructured.Unstructured) field.ErrorList {
				return customresource.NewStatusStrategy(strategy).ValidateUpdate(ctx, new, old)
			},
		},
	}, nil
}

// newTypeConverter returns the schema for server-side apply of a version.
func newTypeConverter(definition *apiextensionsv1.CustomResourceDefinition, version string) (managedfields.TypeConverter, error) {
	document, err := builder.BuildOpenAPIV3(definition, version, builder.Options{})
	if err != nil {
		return nil, err
	}
	return managedfields.NewTypeConverter(document.Components.Schemas, definition.Spec.PreserveUnknownFields)
}

// TypeConverter returns the schema for server-side apply.
func (r *rules) TypeConverter() (managedfields.TypeConverter, error) { return r.converter() }

// Default implements fakeapi.Rules.
func (r *rules) Default(object map[string]any) {
	defaulting.Default(object, r.structural)
	r.prune(object)
}

// Storage returns the version of stored objects, and the strategy of their conversion.
func (r *rules) Storage() (version, strategy string) { return r.storage.version, r.storage.strategy }

// Store removes the fields that the stored version lacks from an object converted to it.
func (r *rules) Store(object map[string]any) { r.storage.rules.prune(object) }

// Complete sets the defaults of the stored version in a stored object.
func (r *rules) Complete(object map[string]any) { r.storage.rules.Default(object) }

// Load removes the fields that the version lacks from a stored object converted to it.
func (r *rules) Load(object map[string]any) { r.prune(object) }

// prune removes unknown fields, and null fields.
func (r *rules) prune(object map[string]any) {
	if !r.preserve {
		pruning.Prune(object, r.structural, true)
		defaulting.PruneNonNullableNullsWithoutDefaults(object, r.structural)
	}
}

// Decode removes unknown fields and null fields, and converts the metadata of embedded resources, like a server that
// decodes an object. It returns the paths of unknown fields.
func (r *rules) Decode(object map[string]any) (unknown []string, err error) {
	if !r.preserve {
		unknown = pruning.PruneWithOptions(object, r.structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
		defaulting.PruneNonNullableNullsWithoutDefaults(object, r.structural)
	}
	malformed, more := objectmeta.CoerceWithOptions(nil, object, r.structural, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if malformed != nil {
		return nil, malformed
	}
	return append(unknown, more...), nil
}

// DefaultApplied sets absent fields with a default in the result of server-side apply, and converts the metadata of
// embedded resources, unless it is malformed. Null fields are kept.
func (r *rules) DefaultApplied(object map[string]any) {
	defaulting.Default(object, r.structural)
	_ = objectmeta.Coerce(nil, object, r.structural, false, false) // Validate returns the error
}

// Validate implements fakeapi.Rules. It sorts errors by field, unlike a server, whose order of fields is random. Errors
// of a field are in the order of its schema, as on a server, except for those of alternatives, which are of the object
// or its status.
func (r *rules) Validate(object, old map[string]any, subresource string) (errs field.ErrorList) {
	if old == nil {
		errs = r.validate(&unstructured.Unstructured{Object: object})
	} else {
		errs = r.update[subresource](&unstructured.Unstructured{Object: object}, &unstructured.Unstructured{Object: old})
	}
	slices.SortStableFunc(errs, func(x, y *field.Error) int {
		if x.Field != y.Field || x.Field != "<nil>" && x.Field != "status" {
			return cmp.Compare(x.Field, y.Field)
		}
		return cmp.Compare(x.Error(), y.Error())
	})
	return errs
}
