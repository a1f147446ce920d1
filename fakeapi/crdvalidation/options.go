package crdvalidation

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"

	"github.com/kubegen/kubegen/fakeapi"
)

// Options returns options with which [fakeapi.New] serves the kinds of all CustomResourceDefinitions in files and
// directories, which it reads like [Read]. They include subresources, scopes, selectable fields, rules, and schemas for
// server-side apply. The scheme must have the Go types. Versions that it lacks are not served; it is an error if it has
// no version of a definition.
func Options(scheme *runtime.Scheme, paths ...string) ([]fakeapi.Option, error) {
	var options []fakeapi.Option
	err := each(paths, func(definition *apiextensionsv1.CustomResourceDefinition) error {
		more, err := optionsOf(scheme, definition)
		options = append(options, more...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return options, nil
}

// optionsOf returns the options for one definition.
func optionsOf(scheme *runtime.Scheme, definition *apiextensionsv1.CustomResourceDefinition) ([]fakeapi.Option, error) {
	var (
		names      = definition.Spec.Names
		namespaced = definition.Spec.Scope == apiextensionsv1.NamespaceScoped
		resources  []*metav1.APIResourceList
		fields     = map[schema.GroupVersionResource][]string{}
		scales     = map[schema.GroupVersionResource]map[string]string{}
		options    []fakeapi.Option
	)
	rules, err := Rules(definition)
	if err != nil {
		return nil, err
	}
	for _, version := range definition.Spec.Versions {
		gv := schema.GroupVersion{Group: definition.Spec.Group, Version: version.Name}
		gvr := gv.WithResource(names.Plural)
		if !version.Served || !scheme.Recognizes(gv.WithKind(names.Kind)) {
			delete(rules, gvr)
			continue
		}
		list := &metav1.APIResourceList{GroupVersion: gv.String(), APIResources: []metav1.APIResource{{
			Name: names.Plural, SingularName: cmp.Or(names.Singular, strings.ToLower(names.Kind)), Namespaced: namespaced, Kind: names.Kind, ShortNames: names.ShortNames, Categories: names.Categories,
			Verbs: metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
		}}}
		if sub := version.Subresources; sub != nil && sub.Status != nil {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: names.Plural + "/status", Namespaced: namespaced, Kind: names.Kind, Verbs: metav1.Verbs{"get", "patch", "update"},
			})
		}
		if sub := version.Subresources; sub != nil && sub.Scale != nil {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: names.Plural + "/scale", Namespaced: namespaced, Group: "autoscaling", Version: "v1", Kind: "Scale", Verbs: metav1.Verbs{"get", "patch", "update"},
			})
			scales[gvr] = map[string]string{"specReplicasPath": sub.Scale.SpecReplicasPath, "statusReplicasPath": sub.Scale.StatusReplicasPath}
			if sub.Scale.LabelSelectorPath != nil {
				scales[gvr]["labelSelectorPath"] = *sub.Scale.LabelSelectorPath
			}
		}
		for _, field := range version.SelectableFields {
			fields[gvr] = append(fields[gvr], field.JSONPath)
		}
		resources = append(resources, list)
		document, err := builder.BuildOpenAPIV3(definition, version.Name, builder.Options{})
		if err != nil {
			return nil, fmt.Errorf("%s, version %s: %w", definition.Name, version.Name, err)
		}
		converter, err := managedfields.NewTypeConverter(document.Components.Schemas, definition.Spec.PreserveUnknownFields)
		if err != nil {
			return nil, fmt.Errorf("%s, version %s: %w", definition.Name, version.Name, err)
		}
		options = append(options, fakeapi.WithTypeConverter(converter))
	}
	if len(resources) == 0 {
		return nil, errors.New(definition.Name + ": the scheme has no version of " + names.Kind + "; call the AddToScheme of its package")
	}
	return append(options, fakeapi.WithResources(scheme, resources), fakeapi.WithScalePaths(scales), fakeapi.WithSelectableFields(fields), fakeapi.WithRules(rules)), nil
}
