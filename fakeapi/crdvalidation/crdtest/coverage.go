package crdtest

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kube-openapi/pkg/validation/validate"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
)

// A Constraint is a constraint of a schema.
type Constraint struct {
	File                string // the manifest, or the file with Go types; see Places
	Line                int
	Definition, Version string
	Path                string // of the values, such as spec.ports[].name
	Keyword             string // such as maximum, or the rule of x-kubernetes-validations

	schema  *apiextensionsv1.JSONSchemaProps // that has the keyword
	steps   []string                         // to values of the schema: names of fields, and "[]" for elements and values of maps
	of      func(*field.Error) bool          // reports whether an error with the path is one of the constraint
	path    *regexp.Regexp                   // matches the paths of errors
	whole   string                           // part of the message, if errors are of the object or its status, and begin with the path; or ""
	rule    *apiextensionsv1.ValidationRule
	name    string // of the required field
	pointer string // from the schema of the version to the keyword, as in kubegen's list
}

// String returns the constraint in one line.
func (c Constraint) String() string { return fmt.Sprintf("%s:%d: %s", c.File, c.Line, c.text()) }

func (c Constraint) text() string {
	return fmt.Sprintf("%s %s %s: %s", c.Definition, c.Version, cmp.Or(c.Path, "the object"), c.Keyword)
}

// Finding returns a note about the constraint.
func (c Constraint) Finding(note string) Finding {
	return Finding{Severity: "note", File: c.File, Line: c.Line, Symbol: c.Definition, Message: c.text() + ": " + note}
}

// isViolated reports whether an error is one of the constraint.
func (c Constraint) isViolated(err *field.Error) bool {
	path := err.Field
	if path == "<nil>" {
		path = ""
	}
	if c.whole != "" {
		quoted, rest, _ := strings.Cut(strings.TrimPrefix(err.Detail, `"`), `" `)
		return strings.Contains(rest, c.whole) && c.path.MatchString(strings.Trim(path+"."+quoted, "."))
	}
	return c.path.MatchString(path) && c.of(err)
}

// coverage has the errors of objects, by version and, since most are equal, by what decides whether they are errors of
// a constraint.
type coverage map[[4]string]*field.Error

// violated notes the errors of an object.
func (c coverage) violated(version string, errs field.ErrorList) {
	for _, err := range errs {
		c[[4]string{version, index.ReplaceAllString(err.Field, "[]"), string(err.Type), index.ReplaceAllString(err.Detail, "[]")}] = err
	}
}

var index = regexp.MustCompile(`\[[^\]]*\]`)

// untested returns the constraints of served versions that no object has violated.
func (s *schemas) untested() (all []Constraint) {
	for _, c := range constraints(s.definition) {
		tested := false
		for key, err := range s.coverage {
			if tested = key[0] == c.Version && c.isViolated(err); tested {
				break
			}
		}
		if !tested {
			all = append(all, c)
		}
	}
	return all
}

// constraints returns the constraints of the served versions of a definition.
func constraints(of *crdvalidation.Definition) (all []Constraint) {
	for i, version := range of.Spec.Versions {
		if !version.Served || version.Schema == nil || version.Schema.OpenAPIV3Schema == nil {
			continue
		}
		v := &visitor{Definition: of, version: version.Name}
		v.visit(nil, fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i), version.Schema.OpenAPIV3Schema)
		all = append(all, v.found...)
	}
	return all
}

// visitor visits the constraints of a schema.
type visitor struct {
	*crdvalidation.Definition
	version string
	found   []Constraint
}

// add adds a constraint of the values with a path. at is the place in the definition. Some errors in the values of maps
// have the key as the name of a field.
func (v *visitor) add(path, at, keyword string, c Constraint) {
	c.File, c.Definition, c.Version, c.Path, c.Keyword = v.File, v.Name, v.version, path, keyword
	c.Line, _ = v.Locate(at)
	_, inSchema, _ := strings.Cut(at, ".openAPIV3Schema")
	c.pointer = pointerOf(inSchema)
	c.path = regexp.MustCompile(`^` + strings.ReplaceAll(regexp.QuoteMeta(path), `\[\]`, `(\[[^\]]*\]|\.[^.\[]+)`) + `$`)
	v.found = append(v.found, c)
}

func (v *visitor) visit(steps []string, at string, s *apiextensionsv1.JSONSchemaProps) {
	path := joined(steps)
	if always[path] {
		return
	}
	type props = apiextensions.JSONSchemaProps
	number := props{XIntOrString: s.XIntOrString}
	minimum, maximum, multiple := number, number, number
	minimum.Minimum, minimum.ExclusiveMinimum = s.Minimum, s.ExclusiveMinimum
	maximum.Maximum, maximum.ExclusiveMaximum = s.Maximum, s.ExclusiveMaximum
	multiple.MultipleOf = s.MultipleOf
	for _, c := range []struct {
		there   bool
		keyword string
		of      func(*field.Error) bool
	}{
		{len(s.Enum) > 0, "enum", hasType(field.ErrorTypeNotSupported)},
		{s.Pattern != "", "pattern", isFrom(props{Pattern: s.Pattern}, nil)},
		{s.Type == "string" && isKnown(s.Format), "format", isFrom(props{Type: "string", Format: s.Format}, nil)},
		{s.Minimum != nil, "minimum", isFrom(minimum, nil)},
		{s.Maximum != nil, "maximum", isFrom(maximum, nil)},
		{s.MultipleOf != nil, "multipleOf", isFrom(multiple, nil)},
		{either(s.MinLength, 0) > 0, "minLength", isFrom(props{MinLength: s.MinLength}, nil)},
		{s.MaxLength != nil, "maxLength", hasType(field.ErrorTypeTooLong)},
		{either(s.MinItems, 0) > 0, "minItems", isFrom(props{MinItems: s.MinItems}, []any{})},
		{s.MaxItems != nil, "maxItems", hasType(field.ErrorTypeTooMany)},
		{either(s.MinProperties, 0) > 0, "minProperties", isFrom(props{MinProperties: s.MinProperties}, map[string]any{})},
		{s.MaxProperties != nil, "maxProperties", hasType(field.ErrorTypeTooMany)},
	} {
		if c.there {
			v.add(path, at+"."+c.keyword, c.keyword, Constraint{schema: s, steps: steps, of: c.of})
		}
	}
	for i, rule := range s.XValidations {
		from := path
		if rule.FieldPath != "" {
			from += index.ReplaceAllString(rule.FieldPath, "[]")
		}
		v.add(strings.TrimPrefix(from, "."), fmt.Sprintf("%s.x-kubernetes-validations[%d].rule", at, i), "rule "+oneLine(rule.Rule), Constraint{
			schema: s, steps: steps, rule: &rule, of: func(err *field.Error) bool { return isOf(err, &rule) },
		})
	}
	for _, c := range []struct {
		members []apiextensionsv1.JSONSchemaProps
		keyword string
		whole   string
	}{
		{s.AnyOf, "anyOf", validate.MustValidateAtLeastOneSchemaError}, {s.OneOf, "oneOf", validate.MustValidateOnlyOneSchemaError},
	} {
		if len(c.members) > 0 && !s.XIntOrString { // of which anyOf has the types
			v.add(path, at+"."+c.keyword, c.keyword, Constraint{schema: s, steps: steps, whole: afterPath(c.whole)})
		}
	}
	if s.Not != nil {
		v.add(path, at+".not", "not", Constraint{schema: s, steps: steps, whole: afterPath(validate.MustNotValidateSchemaError)})
	}
	if list := s.XListType; list != nil && *list != "atomic" {
		v.add(path+"[]", at+".x-kubernetes-list-type", "list type "+*list, Constraint{
			schema: s, steps: steps, of: hasType(field.ErrorTypeDuplicate),
		})
	}
	for i, name := range s.Required {
		if s.Properties[name].Default == nil && (path != "" || !always[name]) { // otherwise it cannot be missing
			v.add(joined(with(steps, name)), fmt.Sprintf("%s.required[%d]", at, i), "required", Constraint{
				schema: s, steps: steps, name: name, of: hasType(field.ErrorTypeRequired),
			})
		}
	}
	for i := range s.AllOf {
		v.visit(steps, fmt.Sprintf("%s.allOf[%d]", at, i), &s.AllOf[i])
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		v.visit(with(steps, name), fmt.Sprintf("%s.properties[%s]", at, name), &property)
	}
	if s.Items != nil && s.Items.Schema != nil {
		v.visit(with(steps, "[]"), at+".items", s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		v.visit(with(steps, "[]"), at+".additionalProperties", s.AdditionalProperties.Schema)
	}
}

// hasType returns a function that reports whether an error has a type.
func hasType(of field.ErrorType) func(*field.Error) bool {
	return func(err *field.Error) bool { return err.Type == of }
}

// isFrom returns a function that reports whether an error is the one that servers return for a schema with one keyword.
// The value is the one in the error, or another one if errors have only its size.
func isFrom(alone apiextensions.JSONSchemaProps, value any) func(*field.Error) bool {
	prepare := sync.OnceValues(func() (validation.SchemaValidator, error) {
		validator, _, mistake := validation.NewSchemaValidator(&alone)
		return validator, mistake
	})
	return func(err *field.Error) bool {
		bad := value
		if bad == nil {
			bad = err.BadValue
		}
		validator, mistake := prepare()
		return mistake == nil && slices.ContainsFunc(validation.ValidateCustomResource(nil, bad, validator), func(one *field.Error) bool {
			return one.Type == err.Type && strings.HasSuffix(err.Detail, one.Detail) // which has no path
		})
	}
}

// afterPath returns the text of a message of the server between the path at its beginning and a text at its end.
func afterPath(format string) string { return strings.Trim(strings.TrimPrefix(format, "%q"), " %s") }

// isOf reports whether an error can be one of a rule, by its type and message. A message that an expression makes has
// one of the texts in it, if there are any.
func isOf(err *field.Error, rule *apiextensionsv1.ValidationRule) bool {
	reason := field.ErrorType(either(rule.Reason, apiextensionsv1.FieldValueInvalid))
	messages := append(textsIn(rule.MessageExpression), cmp.Or(strings.TrimSpace(rule.Message), strings.TrimSpace(rule.Rule)))
	return err.Type == reason && (rule.MessageExpression != "" && len(messages) == 1 || slices.ContainsFunc(messages, func(text string) bool {
		return text != "" && strings.Contains(err.Detail, text)
	}))
}

// always has the fields that every object has, which servers validate by themselves.
var always = map[string]bool{"apiVersion": true, "kind": true, "metadata": true}

// isKnown reports whether servers validate a format. They ignore others.
func isKnown(format string) bool {
	if format == "" {
		return false
	}
	validator, _, err := validation.NewSchemaValidator(&apiextensions.JSONSchemaProps{Type: "string", Format: format})
	return err == nil && slices.ContainsFunc(malformed, func(text string) bool { return !validator.Validate(text).IsValid() })
}

// malformed has texts that do not have a format.
var malformed = []string{"malformed", "!", ""}

// oneLine returns a text with a space for each sequence of spaces and line breaks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// with returns steps and one more.
func with(steps []string, step string) []string { return append(slices.Clip(steps), step) }

// joined returns the path of steps.
func joined(steps []string) string {
	return strings.TrimPrefix(strings.ReplaceAll("."+strings.Join(steps, "."), ".[]", "[]"), ".")
}
