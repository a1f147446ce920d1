package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// rules are the values of +k8s:validation markers in JSON, by the names of the markers. Those for parts of a value are
// rules themselves.
type rules = map[string]any

// keywordOf returns the keyword that a marker sets, or nil if the marker has no effect on definitions.
func keywordOf(name string) *crdschema.Keyword {
	if name == "cel" {
		return crdschema.ByName("x-kubernetes-validations")
	}
	k := crdschema.ByName(name)
	if k != nil && !k.Limits() && !slices.Contains([]string{"items", "additionalProperties", "properties"}, name) {
		return nil
	}
	return k
}

// ruleMarker matches a marker after its prefix: keys, and a JSON value after an equals sign, or a line of text after >.
var ruleMarker = regexp.MustCompile(`^([:\w\[\]-]+)(?:([=>])(.*))?$`)

// parseRules reads the +k8s:validation markers of a comment. An index is a key in brackets.
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
		key, operator, text, value := strings.ReplaceAll(match[1], "[", ":["), match[2], match[3], any(true)
		of, _, _ := strings.Cut(key, ":")
		before, twice := found[key]
		switch {
		case twice && (operator == "=" || operator == ">" && last != key):
			return nil, fmt.Errorf("%s has several values", match[1])
		case operator == ">" && twice:
			value = fmt.Sprint(before, "\n", strings.Trim(text, " "))
		case operator == ">":
			value = strings.Trim(text, " ")
		case keywordOf(of) == nil || reference.MatchString(text):
			value = nil // has no effect
		case text != "":
			if err := json.Unmarshal([]byte(text), &value); err != nil {
				return nil, fmt.Errorf("the value of %s is no JSON: %w", match[1], err)
			}
		}
		found[key], last = value, key
	}
	nested := rules{}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if found[key] != nil && !put(nested, key, found[key]) {
			return nil, fmt.Errorf("%s has other values elsewhere", key)
		}
	}
	return nested, nil
}

// put puts a value at a path of keys, and reports whether the values on the path are rules.
func put(into rules, path string, value any) bool {
	key, rest, inside := strings.Cut(path, ":")
	if !inside {
		into[key] = value
		return true
	}
	if into[key] == nil {
		into[key] = rules{}
	}
	inner, ok := into[key].(rules)
	return ok && put(inner, rest, value)
}

// inRules adds the rules for values of a type to a schema. It returns what is wrong with them. The zero type stands for
// parts whose type is not checked.
func (d *definition) inRules(v rules, t goType, s *schema) (wrong []string) {
	fail := func(is bool, format string, args ...any) {
		if is {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	part := func(v any, t goType) *schema {
		s := newSchema()
		inner, ok := v.(rules)
		fail(!ok, "%v is no rule for parts of a value", v)
		wrong = append(wrong, d.inRules(inner, t, s)...)
		return s
	}
	all, parts := &crdschema.Schema{}, &literal{typ: "spec.SchemaProps"}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		k, value := keywordOf(name), v[name]
		if k == nil {
			fail(strings.HasPrefix(name, "["), "only cel has indexes")
			continue
		}
		isStruct := false
		if t.Expr != nil {
			why := k.Unfit(all, d.kindOf(t))
			fail(why != "", "%s has no effect: %s", name, why)
			isStruct = d.base(t).isStruct()
		}
		inner, isRules := value.(rules)
		switch {
		case name == "items", name == "additionalProperties":
			fail(isStruct, "additionalProperties is for maps, and this is a struct")
			parts.with(fieldOf(name), elements(name == "items", part(value, goType{})))
		case name == "properties" && isRules:
			properties, fields := &literal{typ: "map[string]spec.Schema"}, map[string]*field{}
			if isStruct {
				_, fields = d.fieldsInJSON(t)
			}
			for _, property := range slices.Sorted(maps.Keys(inner)) {
				var of goType
				if f := fields[property]; f != nil {
					of = d.typeOf(f)
				}
				fail(isStruct && of.Expr == nil, "there is no field %s", property)
				properties.with(gofile.Quote(property), part(inner[property], of).code(""))
			}
			parts.within("Properties", properties)
		default:
			var list []any
			for i := 0; inner[fmt.Sprintf("[%d]", i)] != nil; i++ {
				list = append(list, inner[fmt.Sprintf("[%d]", i)])
			}
			if fail(len(list) < len(inner), "%s does not have the next index", name); isRules {
				value = list
			}
			one, mistakes := crdschema.FromJSON(rules{k.Name: value})
			for _, m := range mistakes {
				fail(true, "%s: %s", name, m.Message)
			}
			k.Inherit(all, one)
		}
	}
	if d.add(s, all, fail); len(parts.elements) > 0 {
		of := &schema{props: *parts}
		s.props.with("AllOf", (&literal{typ: "[]spec.Schema"}).with("", of.code("")).code())
	}
	return wrong
}

// add adds keywords to a schema, and calls fail with the mistakes in them.
func (d *definition) add(s *schema, rules *crdschema.Schema, fail func(is bool, format string, args ...any)) {
	object := rules.Object(nil)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		switch value := object[name].(type) {
		case int64:
			fail(value < 0, "%s is negative", name)
			s.props.with(fieldOf(name), d.pointer("int64", gofile.Codef("%d", int(value))))
		case float64:
			fail(value == 0 && name == "multipleOf", "multipleOf is 0")
			s.props.with(fieldOf(name), d.pointer("float64", valueOf(value)))
		case []any:
			s.extensions.with(gofile.Quote(name), valueOf(value))
		default:
			s.props.with(fieldOf(name), valueOf(value))
		}
	}
	_, err := regexp.Compile(rules.Pattern)
	fail(err != nil, "the pattern is wrong: %v", err)
	for i, rule := range rules.Validations {
		fail(rule.Rule == "", "cel[%d] has no rule", i)
		fail((rule.Message == "") == (rule.MessageExpression == ""), "cel[%d] needs either a message or a messageExpression", i)
	}
	rules.Crossed(func(why string, _ []string) { fail(true, "%s", why) })
}

// fieldOf returns the field of spec.SchemaProps for a keyword.
func fieldOf(keyword string) gofile.Code {
	return gofile.Name(strings.ToUpper(keyword[:1]) + keyword[1:])
}

// kindOf returns a schema with the type of the values of a type in Go, if it has one.
func (r *reader) kindOf(t goType) *crdschema.Schema {
	under := r.base(t)
	s := &crdschema.Schema{Type: r.formOf(under).typ}
	switch {
	case s.Type != "":
	case under.isList():
		s.Type = "array"
	case under.Form == gotypes.MapForm, under.isStruct():
		s.Type = "object"
	}
	return s
}
