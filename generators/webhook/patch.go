package webhook

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// form is the form of the value of a field.
type form int

const (
	isText    form = iota
	isNumber       // of 32 bits
	isData         // in base64
	isTexts        // a list
	isLabels       // texts by key
	isObject       // with fields
	isObjects      // a list of objects with fields
)

func (f form) String() string {
	return [...]string{
		"a string", "a whole number", "a string in base64", "a list of strings", "an object with strings", "an object", "a list of objects",
	}[f]
}

// field is a field of a webhook in package k8s.io/api/admissionregistration/v1.
type field struct {
	form     form
	required bool // written even if it is empty
	fields   map[string]field
}

var selector = field{form: isObject, fields: map[string]field{
	"matchLabels": {form: isLabels},
	"matchExpressions": {form: isObjects, fields: map[string]field{
		"key": {required: true}, "operator": {required: true}, "values": {form: isTexts},
	}},
}}

// validatingFields are the fields of a ValidatingWebhook, and mutatingFields of a MutatingWebhook.
var (
	validatingFields = field{form: isObject, fields: map[string]field{
		"name": {required: true},
		"clientConfig": {form: isObject, required: true, fields: map[string]field{
			"url": {}, "caBundle": {form: isData},
			"service": {
				form:   isObject,
				fields: map[string]field{"name": {required: true}, "namespace": {required: true}, "path": {}, "port": {form: isNumber}},
			},
		}},
		"rules": {form: isObjects, fields: map[string]field{
			"apiGroups": {form: isTexts}, "apiVersions": {form: isTexts}, "resources": {form: isTexts}, "operations": {form: isTexts}, "scope": {},
		}},
		"failurePolicy": {}, "matchPolicy": {}, "sideEffects": {}, "timeoutSeconds": {form: isNumber}, "admissionReviewVersions": {form: isTexts},
		"namespaceSelector": selector, "objectSelector": selector,
		"matchConditions": {form: isObjects, fields: map[string]field{"name": {required: true}, "expression": {required: true}}},
	}}
	mutatingFields = func() field {
		f := field{form: isObject, fields: maps.Clone(validatingFields.fields)}
		f.fields["reinvocationPolicy"] = field{}
		return f
	}()
)

// Directives in a patch for an object that exists without it.
const (
	patchDirective  = "$patch"      // "replace" or "delete"
	retainDirective = "$retainKeys" // the keys of the object that stay
)

// applyPatch changes a webhook by a strategic merge patch in JSON.
func applyPatch(webhook map[string]any, patch string, f field) error {
	if err := json.Unmarshal([]byte(patch), new(any)); err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	decoder := json.NewDecoder(strings.NewReader(patch))
	decoder.UseNumber()
	var value any
	_ = decoder.Decode(&value) // cannot fail
	changes, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("it must be %v", isObject)
	}
	if err := f.merge(webhook, changes, ""); err != nil {
		return err
	}
	f.complete(webhook)
	return nil
}

// merge changes an existing object. at is its path.
func (f field) merge(old, changes map[string]any, at string) error {
	switch directive, ok := changes[patchDirective]; {
	case !ok:
	case directive != "replace" && directive != "delete":
		return fmt.Errorf("%s%s must be replace or delete", at, patchDirective)
	default:
		if clear(old); directive == "delete" {
			return nil
		}
		delete(changes, patchDirective)
	}
	if retained, ok := changes[retainDirective]; ok {
		keys, err := field{form: isTexts}.value(retained, at+retainDirective)
		if err != nil {
			return err
		}
		delete(changes, retainDirective)
		stays := func(key string) bool { return slices.Contains(keys.([]any), any(key)) }
		for _, key := range slices.Sorted(maps.Keys(changes)) {
			if changes[key] != nil && !stays(key) {
				return fmt.Errorf("%s%s lacks %s", at, retainDirective, key)
			}
		}
		maps.DeleteFunc(old, func(key string, _ any) bool { return !stays(key) })
	}
	for _, key := range slices.Sorted(maps.Keys(changes)) {
		of, err := f.field(key, at)
		if err != nil {
			return err
		}
		inner, ok := changes[key].(map[string]any)
		if before, existed := old[key].(map[string]any); ok && existed {
			err = of.merge(before, inner, at+key+".")
		} else {
			old[key], err = of.value(changes[key], at+key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// field returns the field of an object.
func (f field) field(name, at string) (field, error) {
	of, ok := f.fields[name]
	switch {
	case ok:
		return of, nil
	case strings.HasPrefix(name, "$"):
		return of, fmt.Errorf(
			"%s%s is not supported: %s and %s are, in objects that exist without the patch", at, name, patchDirective, retainDirective,
		)
	}
	nearest, _ := diag.Nearest(name, slices.Sorted(maps.Keys(f.fields)))
	return of, &unknownField{at + name, nearest}
}

// unknownField is the error for a field of a patch.
type unknownField struct {
	path    string
	nearest string // the field that was probably meant, or ""
}

func (u *unknownField) Error() string { return "unknown field " + u.path }

// value returns the value of a field in a patch, in its written form.
func (f field) value(value any, at string) (any, error) {
	wrong := fmt.Errorf("%s must be %v", at, f.form)
	switch v := value.(type) {
	case nil:
		return nil, nil
	case string:
		switch f.form {
		case isText:
			return v, nil
		case isData:
			decoded, err := base64.StdEncoding.DecodeString(v)
			if err != nil {
				return nil, wrong
			}
			return base64.StdEncoding.EncodeToString(decoded), nil
		}
	case json.Number:
		float, err := v.Float64()
		if n := int32(float); f.form == isNumber && err == nil && float64(n) == float {
			return json.Number(strconv.Itoa(int(n))), nil
		}
	case []any:
		of := field{form: isObject, fields: f.fields}
		if f.form == isTexts {
			of = field{form: isText}
		} else if f.form != isObjects {
			return nil, wrong
		}
		for i := range v {
			if v[i] == nil {
				return nil, wrong
			}
			var err error
			if v[i], err = of.value(v[i], fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return nil, err
			}
		}
		return v, nil
	case map[string]any:
		if f.form != isObject && f.form != isLabels {
			return nil, wrong
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			of, err := field{}, error(nil)
			if f.form == isObject || strings.HasPrefix(key, "$") {
				of, err = f.field(key, at+".")
			}
			if err == nil {
				v[key], err = of.value(v[key], at+"."+key)
			}
			if err != nil {
				return nil, err
			}
		}
		maps.DeleteFunc(v, func(_ string, value any) bool { return value == nil })
		return v, nil
	}
	return nil, wrong
}

// complete removes fields without a value, and empty lists, and adds required fields.
func (f field) complete(in map[string]any) {
	for name, of := range f.fields {
		switch v := in[name].(type) {
		case nil:
			if delete(in, name); of.required {
				in[name] = map[form]any{isText: "", isObject: map[string]any{}}[of.form]
			}
		case map[string]any:
			if of.complete(v); of.form == isLabels && len(v) == 0 {
				delete(in, name)
			}
		case []any:
			for _, element := range v {
				if inner, ok := element.(map[string]any); ok {
					of.complete(inner)
				}
			}
			if len(v) == 0 {
				delete(in, name)
			}
		case string:
			if of.form == isData && v == "" {
				delete(in, name)
			}
		}
	}
}
