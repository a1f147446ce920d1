package crdvalidation

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiversion "k8s.io/apimachinery/pkg/version"

	"github.com/kubegen/kubegen/fakeapi"
)

// Options returns options for [fakeapi.New] that serve the kinds of all CustomResourceDefinitions in files and
// directories, which are read as in [Read]. They include subresources, scopes, selectable fields, rules, and schemas
// for server-side apply. The scheme must have the Go types. Versions that it lacks are not served. It is an error if it
// has no version of a definition.
func Options(scheme *runtime.Scheme, paths ...string) ([]fakeapi.Option, error) {
	var options []fakeapi.Option
	err := each(paths, func(definition *Definition) error {
		more, err := optionsOf(scheme, definition.CustomResourceDefinition)
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
		deprecated = map[schema.GroupVersionResource]string{}
		options    []fakeapi.Option
	)
	ruled, err := Rules(definition)
	if err != nil {
		return nil, err
	}
	for _, version := range definition.Spec.Versions {
		gv := schema.GroupVersion{Group: definition.Spec.Group, Version: version.Name}
		gvr := gv.WithResource(names.Plural)
		if !version.Served || !scheme.Recognizes(gv.WithKind(names.Kind)) {
			delete(ruled, gvr)
			continue
		}
		list := &metav1.APIResourceList{GroupVersion: gv.String(), APIResources: []metav1.APIResource{{
			Name: names.Plural, SingularName: cmp.Or(names.Singular, strings.ToLower(names.Kind)), Namespaced: namespaced, Kind: names.Kind,
			ShortNames: names.ShortNames, Categories: names.Categories,
			Verbs: metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
		}}}
		if sub := version.Subresources; sub != nil && sub.Status != nil {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: names.Plural + "/status", Namespaced: namespaced, Kind: names.Kind, Verbs: metav1.Verbs{"get", "patch", "update"},
			})
		}
		if sub := version.Subresources; sub != nil && sub.Scale != nil {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: names.Plural + "/scale", Namespaced: namespaced, Group: "autoscaling", Version: "v1", Kind: "Scale",
				Verbs: metav1.Verbs{"get", "patch", "update"},
			})
			scales[gvr] = map[string]string{"specReplicasPath": sub.Scale.SpecReplicasPath, "statusReplicasPath": sub.Scale.StatusReplicasPath}
			if sub.Scale.LabelSelectorPath != nil {
				scales[gvr]["labelSelectorPath"] = *sub.Scale.LabelSelectorPath
			}
		}
		if version.Deprecated {
			deprecated[gvr] = deprecationWarning(definition, version)
		}
		for _, field := range version.SelectableFields {
			fields[gvr] = append(fields[gvr], field.JSONPath)
		}
		resources = append(resources, list)
		converter, err := ruled[gvr].(*rules).TypeConverter()
		if err != nil {
			return nil, fmt.Errorf("%s, version %s: %w", definition.Name, version.Name, err)
		}
		options = append(options, fakeapi.WithTypeConverter(converter))
	}
	if len(resources) == 0 {
		return nil, errors.New(definition.Name + ": the scheme has no version of " + names.Kind + "; call the AddToScheme of its package")
	}
	return append(options, fakeapi.WithResources(scheme, resources), fakeapi.WithScalePaths(scales), fakeapi.WithSelectableFields(fields),
		fakeapi.WithDeprecatedVersions(deprecated), fakeapi.WithRules(ruled)), nil
}

// deprecationWarning returns the warning for clients of a deprecated version. The default warning names the best later
// version that is served and not deprecated.
func deprecationWarning(
	definition *apiextensionsv1.CustomResourceDefinition, deprecated apiextensionsv1.CustomResourceDefinitionVersion,
) string {
	if deprecated.DeprecationWarning != nil {
		return *deprecated.DeprecationWarning
	}
	group, kind := definition.Spec.Group, definition.Spec.Names.Kind
	best := deprecated.Name
	for _, v := range definition.Spec.Versions {
		if v.Served && !v.Deprecated && apiversion.CompareKubeAwareVersionStrings(v.Name, best) > 0 {
			best = v.Name
		}
	}
	text := fmt.Sprintf("%s/%s %s is deprecated", group, deprecated.Name, kind)
	if best != deprecated.Name {
		text += fmt.Sprintf("; use %s/%s %s", group, best, kind)
	}
	return text
}
