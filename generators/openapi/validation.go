package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// rules are the values of +k8s:validation markers in JSON, by the names of the markers. Those for parts of a value are
// rules themselves.
type rules = map[string]any

// keyword is what a marker sets.
type keyword struct {
	field gofile.Code // of spec.SchemaProps, or "" if the marker has no effect on definitions
	value gofile.Code // the type of its value; "" for rules
	of    string      // the types in OpenAPI that it is for; "" for all
}

var keywords = map[string]keyword{
	"nullable": {"", "bool", ""}, "format": {"", "string", ""}, "enum": {"", "[]any", ""}, "cel": {"", "[]any", ""},
	"maximum": {"Maximum", "float64", "integer number"}, "minimum": {"Minimum", "float64", "integer number"},
	"exclusiveMaximum": {"ExclusiveMaximum", "bool", "integer number"}, "exclusiveMinimum": {"ExclusiveMinimum", "bool", "integer number"},
	"multipleOf": {"MultipleOf", "float64", "integer number"}, "pattern": {"Pattern", "string", "string"},
	"maxLength": {"MaxLength", "int64", "string"}, "minLength": {"MinLength", "int64", "string"},
	"maxItems": {"MaxItems", "int64", "array"}, "minItems": {"MinItems", "int64", "array"}, "uniqueItems": {"UniqueItems", "bool", "array"},
	"maxProperties": {"MaxProperties", "int64", "map struct"}, "minProperties": {"MinProperties", "int64", "map struct"},
	"items": {"Items", "", "array"}, "additionalProperties": {"AdditionalProperties", "", "map"},
	"properties": {"Properties", "", "map struct"},
}

// ruleMarker matches a marker after its prefix: keys, and a JSON value after an equals sign, or a line of text after >.
var ruleMarker = regexp.MustCompile(`^([:\w\[\]-]+)(?:([=>])(.*))?$`)

// parseRules reads the +k8s:validation markers of a comment.
func parseRules(c comment) (rules, error) {
	found, last := rules{}, ""
	for _, line := range c {
		rest, ok := strings.CutPrefix(strings.Trim(line, " "), "+k8s:validation:")
		if !ok {
			last = ""
			continue
		}
		match := ruleMarker.FindStringSubmatch(rest)
		if match == nil {
			return nil, fmt.Errorf("%q has not the form KEY=VALUE", rest)
		}
		key, operator, text, value := match[1], match[2], match[3], any(true)
		of, _, _ := strings.Cut(strings.ReplaceAll(key, "[", ":"), ":")
		before, twice := found[key]
		switch _, known := keywords[of]; {
		case twice && (operator == "=" || operator == ">" && last != key):
			return nil, fmt.Errorf("%s has several values", key)
		case operator == ">" && twice:
			value = fmt.Sprint(before, "\n", strings.Trim(text, " "))
		case operator == ">":
			value = strings.Trim(text, " ")
		case !known || reference.MatchString(text):
			value = nil // has no effect
		case text != "":
			if err := json.Unmarshal([]byte(text), &value); err != nil {
				return nil, fmt.Errorf("the value of %s is no JSON: %w", key, err)
			}
		}
		found[key], last = value, key
	}
	nested := rules{}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if found[key] == nil {
			continue
		}
		if err := put(nested, strings.Split(key, ":"), found[key]); err != nil {
			return nil, err
		}
	}
	return nested, nil
}

// put puts a value at a path of keys. A key may have an index in brackets.
func put(into rules, path []string, value any) error {
	key, index, indexed := strings.Cut(path[0], "[")
	if len(path) == 1 && !indexed {
		into[key] = value
		return nil
	}
	inner, isRules := into[key].(rules)
	elements, isList := into[key].([]any)
	i, err := strconv.Atoi(strings.TrimSuffix(index, "]"))
	switch {
	case into[key] != nil && !isRules && !indexed, into[key] != nil && !isList && indexed, indexed && len(path) == 1:
		return fmt.Errorf("%s has other keys elsewhere", path[0])
	case indexed && (err != nil || i < 0 || i > len(elements)):
		return fmt.Errorf("%s does not have the next index", path[0])
	case indexed && i == len(elements):
		inner = rules{}
		into[key] = append(elements, inner)
	case indexed:
		if inner, isRules = elements[i].(rules); !isRules {
			return fmt.Errorf("%s has a value elsewhere", path[0])
		}
	case !isRules:
		inner = rules{}
		into[key] = inner
	}
	return put(inner, path[1:], value)
}

// inRules adds the rules for values of a type to a schema. It returns what is wrong with them. t is nil for parts whose
// type is not checked.
func (d *definition) inRules(v rules, t *goType, s *schema) error {
	var errs []error
	wrong := func(is bool, format string, args ...any) {
		if is {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	parts := &literal{typ: "spec.SchemaProps"}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		k, known := keywords[name]
		number, isNumber := v[name].(float64)
		text, isText := v[name].(string)
		is, isBool := v[name].(bool)
		inner, isRules := v[name].(rules)
		list, isList := v[name].([]any)
		isForOther := t != nil && k.of != "" && !slices.Contains(strings.Fields(k.of), d.typeForRules(*t))
		wrong(isForOther, "%s is for the type %s", name, strings.ReplaceAll(k.of, " ", " or "))
		switch {
		case !known:
		case k.value == "float64" && isNumber:
			wrong(name == "multipleOf" && number == 0, "multipleOf is 0")
			s.props.with(k.field, d.pointer(k.value, valueOf(number)))
		case k.value == "int64" && isNumber && number == math.Trunc(number) && math.Abs(number) < 1<<63:
			wrong(number < 0, "%s is negative", name)
			s.props.with(k.field, d.pointer(k.value, gofile.Codef("%d", int(number))))
		case k.value == "bool" && isBool:
			if is && k.field != "" {
				s.props.with(k.field, "true")
			}
		case k.value == "string" && isText:
			if _, err := regexp.Compile(text); name == "pattern" {
				wrong(err != nil, "the pattern is wrong: %v", err)
				s.props.with(k.field, gofile.Quote(text))
			}
		case k.value == "[]any" && isList:
			if name == "cel" {
				s.extensions.with(`"x-kubernetes-validations"`, valueOf(celRules(list, wrong)))
			}
		case k.value == "" && isRules:
			errs = append(errs, d.part(name, k, inner, t, parts))
		default:
			wrong(true, "%s has a value of the wrong type", name)
		}
	}
	for _, of := range []string{"Length", "Items", "Properties", "imum"} {
		least, ok := v["min"+of].(float64)
		most, also := v["max"+of].(float64)
		wrong(ok && also && least > most, "min%s is greater than max%[1]s", of)
		exclusive := of == "imum" && (v["exclusiveMinimum"] != nil || v["exclusiveMaximum"] != nil)
		wrong(ok && also && exclusive && least == most, "no number is allowed")
	}
	if len(parts.elements) > 0 {
		of := &schema{props: *parts}
		s.props.with("AllOf", (&literal{typ: "[]spec.Schema"}).with("", of.code("")).code())
	}
	return errors.Join(errs...)
}

// typeForRules returns the type of a value in OpenAPI, or map or struct, or "".
func (r *reader) typeForRules(t goType) string {
	switch under := r.base(t); {
	case under.isList() && r.formOf(under).typ == "":
		return "array"
	case under.Form == gotypes.MapForm:
		return "map"
	case under.isStruct() && r.formOf(under).typ == "":
		return "struct"
	default:
		return r.formOf(under).typ
	}
}

// part adds the rules for parts of a value.
func (d *definition) part(name string, k keyword, v rules, t *goType, parts *literal) error {
	part := func(v any, t *goType) (*schema, error) {
		s := newSchema()
		inner, ok := v.(rules)
		if !ok {
			return s, fmt.Errorf("%s has a value of the wrong type", name)
		}
		return s, d.inRules(inner, t, s)
	}
	if name != "properties" {
		of, err := part(v, nil)
		parts.with(k.field, elements(name == "items", of))
		return err
	}
	var errs []error
	all := &literal{typ: "map[string]spec.Schema"}
	for _, property := range slices.Sorted(maps.Keys(v)) {
		var of *goType
		if t != nil && d.base(*t).isStruct() {
			if f := d.fieldNamed(d.base(*t), property, map[*gotypes.Declaration]bool{}); f != nil {
				inner := d.typeOf(f)
				of = &inner
			} else {
				errs = append(errs, fmt.Errorf("there is no field %s", property))
			}
		}
		one, err := part(v[property], of)
		all.with(gofile.Quote(property), one.code(""))
		errs = append(errs, err)
	}
	parts.within(k.field, all)
	return errors.Join(errs...)
}

// celRules returns the rules of a marker in the Common Expression Language, without unknown keys.
func celRules(list []any, wrong func(is bool, format string, args ...any)) (found []any) {
	for i, one := range list {
		rule, _ := one.(rules)
		rule = maps.Clone(rule)
		maps.DeleteFunc(rule, func(key string, value any) bool {
			return value == "" || !slices.Contains([]string{"rule", "message", "messageExpression", "optionalOldSelf", "reason", "fieldPath"}, key)
		})
		wrong(rule["rule"] == nil, "cel[%d] has no rule", i)
		wrong((rule["message"] == nil) == (rule["messageExpression"] == nil), "cel[%d] needs either a message or a messageExpression", i)
		found = append(found, rule)
	}
	return found
}

// fieldNamed returns the field of a struct with a name in its JSON tag, or nil. seen has the structs so far.
func (r *reader) fieldNamed(t goType, name string, seen map[*gotypes.Declaration]bool) *field {
	if seen[t.decl] {
		return nil
	}
	seen[t.decl] = true
	for _, f := range r.fieldsOf(t) {
		if f.tag != "" && f.json == name {
			return f
		}
		if f.embedded {
			if inner := r.fieldNamed(r.typeOf(f), name, seen); inner != nil {
				return inner
			}
		}
	}
	return nil
}
