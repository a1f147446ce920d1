package crdtest

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A Constraint is a constraint of a schema.
type Constraint struct {
	Definition, Version string
	Path                string // of the values, such as spec.ports[].name
	Keyword             string // such as maximum, or the rule of x-kubernetes-validations
}

// String returns the constraint in one line.
func (c Constraint) String() string {
	return fmt.Sprintf("%s %s %s: %s", c.Definition, c.Version, cmp.Or(c.Path, "the object"), c.Keyword)
}

// coverage has the errors of objects, by version and path.
type coverage map[[2]string][]*field.Error

var index = regexp.MustCompile(`\[[^\]]*\]`)

// violated notes the errors of an object.
func (c coverage) violated(version string, errs field.ErrorList) {
	for _, err := range errs {
		path := err.Field
		if path == "<nil>" {
			path = ""
		}
		key := [2]string{version, index.ReplaceAllString(path, "[]")}
		c[key] = append(c[key], err)
	}
}

// untested returns the constraints of served versions that no object has violated.
func (s *schemas) untested() (all []Constraint) {
	for _, version := range s.definition.Spec.Versions {
		if !version.Served || version.Schema == nil || version.Schema.OpenAPIV3Schema == nil {
			continue
		}
		v := &visitor{schemas: s, version: version.Name}
		v.visit("", version.Schema.OpenAPIV3Schema)
		all = append(all, v.untested...)
	}
	return all
}

// visitor visits the constraints of a schema.
type visitor struct {
	*schemas
	version  string
	untested []Constraint
}

// is reports a constraint unless an error at the path is one of it.
func (v *visitor) is(path, keyword string, of func(*field.Error) bool) {
	// Some errors in the values of maps have the key as the name of a field.
	at := regexp.MustCompile(`^` + strings.ReplaceAll(regexp.QuoteMeta(path), `\[\]`, `(\[\]|\.[^.\[]+)`) + `$`)
	for key, errs := range v.coverage {
		if key[0] == v.version && at.MatchString(key[1]) && slices.ContainsFunc(errs, of) {
			return
		}
	}
	v.untested = append(v.untested, Constraint{v.definition.Name, v.version, path, keyword})
}

func (v *visitor) visit(path string, s *apiextensionsv1.JSONSchemaProps) {
	if path == "metadata" || path == "apiVersion" || path == "kind" {
		return
	}
	mentions := func(types []field.ErrorType, words ...string) func(*field.Error) bool {
		return func(err *field.Error) bool {
			return slices.Contains(types, err.Type) && (len(words) == 0 || slices.ContainsFunc(words, func(word string) bool {
				return strings.Contains(err.Detail, word)
			}))
		}
	}
	invalid := []field.ErrorType{field.ErrorTypeInvalid}
	for _, c := range []struct {
		there   bool
		keyword string
		of      func(*field.Error) bool
	}{
		{len(s.Enum) > 0, "enum", mentions([]field.ErrorType{field.ErrorTypeNotSupported})},
		{s.Pattern != "", "pattern", mentions(invalid, "should match")},
		{s.Format != "" && s.Type == "string", "format", mentions(invalid, "must be of type "+s.Format)},
		{s.Minimum != nil, "minimum", mentions(invalid, "greater than")},
		{s.Maximum != nil, "maximum", mentions(invalid, "less than")},
		{s.MultipleOf != nil, "multipleOf", mentions(invalid, "multiple of")},
		{s.MinLength != nil, "minLength", mentions(invalid, "at least")},
		{s.MaxLength != nil, "maxLength", mentions([]field.ErrorType{field.ErrorTypeTooLong})},
		{s.MinItems != nil, "minItems", mentions(invalid, "at least")},
		{s.MaxItems != nil, "maxItems", mentions([]field.ErrorType{field.ErrorTypeTooMany})},
		{s.MinProperties != nil, "minProperties", mentions(invalid, "at least")},
		{s.MaxProperties != nil, "maxProperties", mentions(append(invalid, field.ErrorTypeTooMany), "at most", "must have")},
	} {
		if c.there {
			v.is(path, c.keyword, c.of)
		}
	}
	for _, rule := range s.XValidations {
		at := path
		if rule.FieldPath != "" {
			at += index.ReplaceAllString(rule.FieldPath, "[]")
		}
		v.is(strings.TrimPrefix(at, "."), "rule "+rule.Rule, func(err *field.Error) bool {
			return strings.Contains(err.Detail, cmp.Or(rule.Message, rule.Rule)) || rule.MessageExpression != ""
		})
	}
	if list := s.XListType; list != nil && *list != "atomic" {
		v.is(path+"[]", "list type "+*list, func(err *field.Error) bool { return err.Type == field.ErrorTypeDuplicate })
	}
	for _, name := range s.Required {
		v.is(join(path, name), "required", func(err *field.Error) bool { return err.Type == field.ErrorTypeRequired })
	}
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		property := s.Properties[name]
		v.visit(join(path, name), &property)
	}
	if s.Items != nil && s.Items.Schema != nil {
		v.visit(path+"[]", s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		v.visit(path+"[]", s.AdditionalProperties.Schema)
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
