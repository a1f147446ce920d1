package crdtest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilyaml "sigs.k8s.io/yaml"

	"github.com/kubegen/kubegen/fakeapi"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
)

// schemas are the rules of a definition, and what objects have violated.
type schemas struct {
	definition *crdvalidation.Definition
	rules      map[schema.GroupVersionResource]fakeapi.Rules
	coverage
}

// validSchemas returns the rules of a definition, or why a server refuses it.
func validSchemas(definition *crdvalidation.Definition) (*schemas, error) {
	if err := definition.Validate(); err != nil {
		return nil, err
	}
	return newSchemas(definition)
}

func newSchemas(definition *crdvalidation.Definition) (*schemas, error) {
	rules, err := crdvalidation.Rules(definition.CustomResourceDefinition)
	if err != nil {
		return nil, definition.At("spec", err)
	}
	return &schemas{definition: definition, rules: rules, coverage: coverage{}}, nil
}

// run runs the tests of a suite.
func (s *suite) run(on *schemas) (results []Result) {
	for _, t := range slices.Concat(s.Tests.OnCreate, s.Tests.OnUpdate) {
		r := Result{File: s.file, Line: t.node.Line, Suite: s.Name, Name: t.Name, of: t, suite: s, definition: on.definition.Name}
		r.Got, r.refusal, r.Err = t.run(s, on)
		results = append(results, r)
	}
	return results
}

// run runs a test, and returns the server's message with the key for it in the test, or the stored object and "".
func (t *test) run(s *suite, on *schemas) (got, refusal string, err error) {
	initial, err := object(t.Initial)
	if err != nil {
		return "", "", fmt.Errorf("initial: %w", err)
	}
	version := initial.GroupVersionKind().Version
	if s.Version != "" && s.Version != version {
		return "", "", fmt.Errorf("initial is of version %s, but the suite is for %s", version, s.Version)
	}
	created := on
	if len(t.InitialCRDPatches) > 0 {
		if created, err = on.patched(t.InitialCRDPatches); err != nil {
			return "", "", fmt.Errorf("initialCRDPatches: %w", err)
		}
	}
	stored, why, err := created.create(initial, t.isUpdate)
	switch {
	case err != nil:
		return "", "", err
	case t.isUpdate && why != nil:
		return "", "", fmt.Errorf("the initial object is refused: %w", why)
	case !t.isUpdate:
		return t.compared(stored, why, "expectedError", t.ExpectedError)
	}
	updated, err := object(t.Updated)
	if err != nil {
		return "", "", fmt.Errorf("updated: %w", err)
	}
	after, why, err := on.update(updated, stored, "")
	if err != nil {
		return "", "", err
	}
	if why != nil || t.ExpectedError != "" {
		return t.compared(after, why, "expectedError", t.ExpectedError)
	}
	if status, ok := updated.Object["status"]; ok && on.hasStatus(version) {
		withStatus := after.DeepCopy()
		withStatus.Object["status"] = status
		if after, why, err = on.update(withStatus, after, "status"); err != nil {
			return "", "", err
		}
	}
	return t.compared(after, why, "expectedStatusError", t.ExpectedStatusError)
}

// compared is compare. refusal is the key of the expected error if the server has refused the object, or "".
func (t *test) compared(stored *unstructured.Unstructured, why error, key, expected string) (got, refusal string, err error) {
	if got, err = t.compare(stored, why, expected); why == nil {
		key = ""
	}
	return got, key, err
}

// compare compares a stored object, or the error, with the expected one.
func (t *test) compare(stored *unstructured.Unstructured, refusal error, expected string) (got string, err error) {
	switch {
	case refusal != nil && t.refused:
		return refusal.Error(), nil
	case t.refused:
		return "", errors.New("the object is accepted, but is in a directory named invalid")
	case refusal != nil && expected == "":
		return refusal.Error(), fmt.Errorf("the object is refused: %w", refusal)
	case refusal != nil && !says(refusal, expected):
		return refusal.Error(), fmt.Errorf("the error is %q, which does not contain %q", refusal.Error(), expected)
	case refusal != nil:
		return refusal.Error(), nil
	}
	shown := withoutMetadata(stored)
	text, err := encoded(shown)
	if err != nil {
		return "", err
	}
	got = string(text)
	if expected != "" {
		return got, fmt.Errorf("the object is accepted, but the error %q is expected", expected)
	}
	if t.Expected == "" {
		return got, nil
	}
	want, err := object(t.Expected)
	if err != nil {
		return got, fmt.Errorf("expected: %w", err)
	}
	if path, is, should := difference("", shown, withoutMetadata(want)); path != "" {
		return got, fmt.Errorf("%s is %s, not %s", strings.TrimPrefix(path, "."), is, should)
	}
	return got, nil
}

// says reports whether an error contains a text.
func says(refusal error, text string) bool {
	return strings.Contains(refusal.Error(), text) || strings.Contains(withoutValues(refusal), typeName.ReplaceAllString(text, "$1$2"))
}

// typeName matches what stands for a value in messages of other releases: the type of a value that breaks a rule, up to
// v1.33, also where a text begins, nothing, or a duplicate as Go prints it.
var typeName = regexp.MustCompile(
	`(Invalid value): "(?:object|array|string|integer|number|boolean|null|)"|` +
		`^"(?:object|array|string|integer|number|boolean|null)": |(Duplicate value): map\[string\]interface \{\}\{[^}]*\}?`,
)

// A refused is the error of a server that refuses an object.
type refused struct {
	error
	errs field.ErrorList
}

// withoutValues returns the message without the values of invalid and duplicate fields.
func withoutValues(refusal error) string {
	var of *refused
	if !errors.As(refusal, &of) {
		return refusal.Error()
	}
	var lines []string
	for _, err := range of.errs {
		line := err.Error()
		if err.Type == field.ErrorTypeInvalid || err.Type == field.ErrorTypeDuplicate {
			line = strings.TrimSuffix(fmt.Sprintf("%s: %s: %s", err.Field, err.Type, err.Detail), ": ")
		}
		lines = append(lines, line)
	}
	before, _, _ := strings.Cut(refusal.Error(), "is invalid: ")
	if len(lines) == 1 {
		return before + "is invalid: " + lines[0]
	}
	return before + "is invalid: [" + strings.Join(lines, ", ") + "]"
}

// object returns the object in a text. Without a name, it is called test.
func object(text string) (*unstructured.Unstructured, error) {
	data, err := utilyaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, err
	}
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(data); err != nil {
		return nil, err
	}
	if o.GetName() == "" {
		o.SetName("test")
	}
	return o, nil
}

// create creates an object. If withStatus is set, it then sets the status.
func (s *schemas) create(o *unstructured.Unstructured, withStatus bool) (stored *unstructured.Unstructured, refusal, err error) {
	rules, err := s.of(o)
	if err != nil {
		return nil, nil, err
	}
	stored = o.DeepCopy()
	separate := s.hasStatus(o.GroupVersionKind().Version)
	if separate {
		delete(stored.Object, "status")
	}
	if refusal, err = s.accept(rules, stored, nil, ""); refusal != nil || err != nil {
		return nil, refusal, err
	}
	if status, ok := o.Object["status"]; ok && separate && withStatus {
		updated := stored.DeepCopy()
		updated.Object["status"] = status
		refusal, err = s.accept(rules, updated, stored, "status")
		stored = updated
	}
	return stored, refusal, err
}

// update replaces an object, or its status.
func (s *schemas) update(o, old *unstructured.Unstructured, subresource string) (stored *unstructured.Unstructured, refusal, err error) {
	rules, err := s.of(o)
	if err != nil {
		return nil, nil, err
	}
	stored = o.DeepCopy()
	stored.SetName(old.GetName())
	stored.SetNamespace(old.GetNamespace())
	if subresource == "" && s.hasStatus(o.GroupVersionKind().Version) {
		delete(stored.Object, "status")
		if status, ok := old.Object["status"]; ok {
			stored.Object["status"] = status
		}
	}
	refusal, err = s.accept(rules, stored, old, subresource)
	return stored, refusal, err
}

// accept decodes an object, sets its defaults, and validates it as an API server does.
func (s *schemas) accept(rules fakeapi.Rules, o, old *unstructured.Unstructured, subresource string) (refusal, err error) {
	if decoding, ok := rules.(interface {
		Decode(object map[string]any) (unknown []string, err error)
	}); ok {
		if _, malformed := decoding.Decode(o.Object); malformed != nil {
			return malformed, nil
		}
	}
	rules.Default(o.Object)
	o.SetResourceVersion("1")
	var before map[string]any
	if old != nil {
		before = old.Object
	}
	errs := rules.Validate(o.Object, before, subresource)
	if len(errs) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(errs, func(a, b *field.Error) int { return cmp.Compare(ofWhole(a), ofWhole(b)) }) // as a server
	kind := o.GroupVersionKind()
	s.violated(kind.Version, errs)
	return &refused{apierrors.NewInvalid(kind.GroupKind(), o.GetName(), errs), errs}, nil
}

// ofWhole returns 1 for an error that is of no field, which servers write last, and 0 for others.
func ofWhole(err *field.Error) int {
	if err.Field == "<nil>" {
		return 1
	}
	return 0
}

// of returns the rules for an object.
func (s *schemas) of(o *unstructured.Unstructured) (fakeapi.Rules, error) {
	kind, spec := o.GroupVersionKind(), s.definition.Spec
	rules := s.rules[schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: spec.Names.Plural}]
	if kind.Kind != spec.Names.Kind || rules == nil {
		return nil, fmt.Errorf("the object is a %s of %s, which definition %s does not serve", kind.Kind, kind.GroupVersion(), s.definition.Name)
	}
	if spec.Scope == apiextensionsv1.NamespaceScoped && o.GetNamespace() == "" {
		o.SetNamespace("default")
	}
	return rules, nil
}

// hasStatus reports whether a version has a status subresource.
func (s *schemas) hasStatus(version string) bool {
	return slices.ContainsFunc(s.definition.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool {
		return v.Name == version && v.Subresources != nil && v.Subresources.Status != nil
	})
}

// patched returns the rules of a patched definition.
func (s *schemas) patched(nodes []yaml.Node) (*schemas, error) {
	var operations []map[string]any
	for _, node := range nodes {
		var operation map[string]any
		if err := node.Decode(&operation); err != nil {
			return nil, err
		}
		operations = append(operations, operation)
	}
	text, err := json.Marshal(operations)
	if err != nil {
		return nil, err
	}
	patch, err := jsonpatch.DecodePatch(text)
	if err != nil {
		return nil, err
	}
	original, err := json.Marshal(s.definition.CustomResourceDefinition)
	if err != nil {
		return nil, err
	}
	result, err := patch.Apply(original)
	if err != nil {
		return nil, err
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := json.Unmarshal(result, definition); err != nil {
		return nil, err
	}
	patched := *s.definition // errors have positions in its file
	patched.CustomResourceDefinition = definition
	return validSchemas(&patched)
}

// withoutMetadata returns an object without the metadata that servers or this package set.
func withoutMetadata(o *unstructured.Unstructured) map[string]any {
	o = o.DeepCopy()
	metadata, _ := o.Object["metadata"].(map[string]any)
	for _, key := range []string{
		"name", "namespace", "generateName", "uid", "resourceVersion", "generation", "creationTimestamp", "managedFields",
	} {
		delete(metadata, key)
	}
	if len(metadata) == 0 {
		delete(o.Object, "metadata")
	}
	return o.Object
}

// difference returns the path of the first difference between two values, and the values there as JSON.
func difference(path string, got, want any) (at, is, should string) {
	a, isMap := got.(map[string]any)
	b, isMap2 := want.(map[string]any)
	if isMap && isMap2 {
		keys := maps.Clone(a)
		maps.Copy(keys, b)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if at, is, should = difference(path+"."+key, a[key], b[key]); at != "" {
				return at, is, should
			}
		}
		return "", "", ""
	}
	list, isList := got.([]any)
	list2, isList2 := want.([]any)
	if isList && isList2 && len(list) == len(list2) {
		for i := range list {
			if at, is, should = difference(fmt.Sprintf("%s[%d]", path, i), list[i], list2[i]); at != "" {
				return at, is, should
			}
		}
		return "", "", ""
	}
	if reflect.DeepEqual(got, want) {
		return "", "", ""
	}
	inJSON := func(v any) string {
		if v == nil {
			return "missing"
		}
		text, _ := json.Marshal(v) // from JSON
		return string(text)
	}
	return path, inJSON(got), inJSON(want)
}
