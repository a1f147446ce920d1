package crdschema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// problem is a reason why a value does not fit a schema.
type problem struct {
	path string // .field[0].other, "" for the value itself
	text string
}

func wrong(format string, args ...any) *problem { return &problem{text: fmt.Sprintf(format, args...)} }

// in prefixes the path of the problem with step.
func (p *problem) in(step string) *problem {
	if p != nil {
		p.path = step + p.path
	}
	return p
}

// fits returns the first reason why an API server would reject a value, or nil. It does not evaluate CEL rules. Values
// have the types described at Value.
func (s *Schema) fits(value any) *problem {
	p := s.fitsType(value)
	if p == nil && value != nil {
		p = s.fitsJunctors(value)
	}
	if p == nil {
		switch v := value.(type) {
		case string:
			p = s.fitsString(v)
		case int64, float64:
			p = s.fitsNumber(v)
		case []any:
			p = s.fitsList(v)
		case map[string]any:
			p = s.fitsObject(v)
		}
	}
	if p == nil && len(s.Enum) > 0 {
		p = s.fitsEnum(value)
	}
	return p
}

// Accepts reports whether an API server would accept a value. It does not evaluate CEL rules.
func (s *Schema) Accepts(value any) bool { return s.fits(value) == nil }

// Misfit returns an error for the first field of a value that the schema lacks, or else the first reason why an API
// server would reject the value, with advice, which may be "".
func (s *Schema) Misfit(value any) (advice string, err error) {
	if unknown := s.prune("", value); len(unknown) > 0 {
		_, _, err := s.Printed(unknown[0])
		return s.Meant(unknown[0], err), fmt.Errorf("unknown field %s", unknown[0][1:])
	}
	if p := s.fits(value); p != nil {
		return "", fmt.Errorf("%s: %s", strings.TrimPrefix(p.path, "."), p.text)
	}
	return "", nil
}

// isInteger reports whether a server reads a number as an integer: its shortest decimal form is an int64.
func isInteger(number float64) bool {
	if math.Abs(number) <= exact {
		return number == math.Trunc(number)
	}
	_, err := strconv.ParseInt(strconv.FormatFloat(number, 'f', -1, 64), 10, 64)
	return err == nil
}

// typeOf returns the type and format of a value.
func typeOf(value any) (typ, format string) {
	switch v := value.(type) {
	case nil:
		return "null", ""
	case string:
		return "string", ""
	case bool:
		return "boolean", ""
	case int64:
		return "integer", "int64"
	case float64:
		if isInteger(v) {
			return "integer", "int64"
		}
		return "number", "float64"
	case []any:
		return "array", ""
	}
	return "object", ""
}

// fitsType checks the type of a value. As in API servers, a schema with a format accepts strings and lists for every
// type except numbers.
func (s *Schema) fitsType(value any) *problem {
	typ, format := typeOf(value)
	numeric := s.Type == "integer" || s.Type == "number"
	number, isNumber := yamltext.Float(value)
	same := typ == s.Type || isNumber && s.Type == "integer" && number == math.Trunc(number) || typ == "integer" && s.Type == "number"
	switch {
	case s.Type == "" && s.Format == "":
		return nil
	case value == nil:
		if s.Type == "" || s.Nullable {
			return nil
		}
	case typ != "string" && typ != "array" && s.Format != "" && !same && format != s.Format:
	case !numeric && s.Format != "" && (typ == "string" || typ == "array"), same:
		return nil
	}
	return wrong("it is %s instead of %s", phrase(typ), phrase(cmp.Or(s.Type, "string")))
}

// phrase returns a type with its article.
func phrase(typ string) string {
	switch typ {
	case "null":
		return "null"
	case "integer", "array", "object":
		return "an " + typ
	}
	return "a " + typ
}

func (s *Schema) fitsJunctors(value any) *problem {
	var first *problem
	for _, part := range s.AnyOf {
		p := part.fits(value)
		if p == nil {
			first = nil
			break
		}
		first = cmp.Or(first, p)
	}
	if first != nil && IsIntOrString(s.AnyOf) {
		typ, _ := typeOf(value)
		return wrong("it is %s instead of an integer or a string", phrase(typ))
	}
	for _, part := range s.AllOf {
		first = cmp.Or(first, part.fits(value))
	}
	fitting := slices.DeleteFunc(slices.Clone(s.OneOf), func(part *Schema) bool { return part.fits(value) != nil })
	switch {
	case first != nil:
	case len(s.OneOf) > 0 && len(fitting) != 1:
		return wrong("it fits %d alternatives of oneOf instead of 1", len(fitting))
	case s.Not != nil && s.Not.fits(value) == nil:
		return wrong("not excludes it")
	}
	return first
}

// restricts returns the first reason why the keywords for some values reject one of them, or nil.
func (s *Schema) restricts(values Values, value any) *problem {
	for _, k := range Keywords {
		if k.fits != nil && (k.For == values || k.For == "") && k.has(s) {
			if p := k.fits(k, s, value); p != nil {
				return p
			}
		}
	}
	return nil
}

// fitsCount returns a function for a limit of the number of units in a value.
func fitsCount(which side, units string) fitting {
	return func(k *Keyword, s *Schema, value any) *problem {
		switch size, limit := sizeOf(value), **k.in(s).(**int64); {
		case which == most && size > limit:
			return wrong("it has %d %s, more than the maximum of %d", size, units, limit)
		case which == least && size < limit:
			return wrong("it has %d %s, fewer than the minimum of %d", size, units, limit)
		}
		return nil
	}
}

// sizeOf returns the number of characters, elements or keys.
func sizeOf(value any) int64 {
	switch v := value.(type) {
	case string:
		return int64(utf8.RuneCountInString(v))
	case []any:
		return int64(len(v))
	case map[string]any:
		return int64(len(v))
	}
	return 0
}

func fitsPattern(_ *Keyword, s *Schema, value any) *problem {
	switch expr, err := compiled(s.Pattern); {
	case err != nil:
		return wrong("the pattern has a mistake")
	case !expr.MatchString(value.(string)):
		return wrong("it does not match the pattern %s", s.Pattern)
	}
	return nil
}

func (s *Schema) fitsString(text string) *problem {
	if p := s.restricts(Strings, text); p != nil {
		return p
	}
	if valid := formats[strings.ReplaceAll(s.Format, "-", "")]; valid != nil && !valid(text) {
		return wrong("it does not have the format %s", s.Format)
	}
	return nil
}

// represents reports whether n is in the range of the type and format of the schema.
func (s *Schema) represents(n float64) bool {
	switch {
	case s.Type == "integer" && s.Format == "int32":
		return n == math.Trunc(n) && n >= math.MinInt32 && n <= math.MaxInt32
	case s.Type == "integer":
		return isInteger(n)
	}
	return true
}

// fitsNumber checks a number of type int64 or float64. Like API servers, it ignores fractions of limits if the number
// is an integer.
func (s *Schema) fitsNumber(value any) *problem {
	number, _ := yamltext.Float(value)
	if _, ok := value.(int64); !s.represents(number) &&
		!(ok && s.Format != "int32") { // an int64 near the maximum would be out of range as a float64
		return wrong("it is out of the range of %s", cmp.Or(s.Format, s.Type))
	}
	for _, n := range []*float64{s.Minimum, s.Maximum, s.MultipleOf} {
		if n != nil && !s.represents(*n) {
			return wrong("the limit %s is out of the range of %s", InJSON(*n), cmp.Or(s.Format, s.Type))
		}
	}
	return s.restricts(Numbers, value)
}

func fitsMultiple(_ *Keyword, s *Schema, value any) *problem {
	if !isMultiple(value, *s.MultipleOf) {
		return wrong("it is not a multiple of %v", *s.MultipleOf)
	}
	return nil
}

// fits compares a number with the limit.
func (e edge) fits(_ *Keyword, s *Schema, value any) *problem {
	limit, excluded := e.of(s)
	switch c := compare(value, *limit) * e.sign; {
	case c < 0:
		return wrong("it is %s the %s, %v", e.beyond, e.what, *limit)
	case c == 0 && excluded:
		return wrong("it is not %s the %s, %v", e.within, e.what, *limit)
	}
	return nil
}

// compare compares a number with a limit. Integers are compared as int64, because float64 cannot hold all of their
// digits.
func compare(value any, limit float64) int {
	integer, ok := value.(int64)
	number, _ := yamltext.Float(value)
	switch {
	case ok && isInteger(math.Trunc(limit)):
		return cmp.Compare(integer, int64(limit))
	case isInteger(number):
		return cmp.Compare(number, math.Trunc(limit))
	}
	return cmp.Compare(number, limit)
}

// isMultiple reports whether value, an int64 or float64, is a multiple of another number.
func isMultiple(value any, of float64) bool {
	integer, ok := value.(int64)
	number, _ := yamltext.Float(value)
	if isInteger(number) {
		of = math.Trunc(of)
	}
	if ok && isInteger(of) && of > 0 {
		return integer%int64(of) == 0
	}
	return of > 0 && isNearMultiple(number, of)
}

// isNearMultiple reports whether number is a multiple of another number, within rounding errors.
func isNearMultiple(number, of float64) bool {
	quotient := number / of
	nearest := math.Round(quotient)
	return quotient == nearest || math.Abs(quotient-nearest) < 1e-9*math.Abs(nearest)
}

func (s *Schema) fitsList(list []any) *problem {
	if s.Items != nil {
		for i, value := range list {
			if p := s.Items.fits(value); p != nil {
				return p.in(fmt.Sprintf("[%d]", i))
			}
		}
	}
	return s.restricts(Lists, list)
}

func (s *Schema) fitsObject(object map[string]any) *problem {
	if p := s.restricts(Objects, object); p != nil {
		return p
	}
	property := s.Lookup()
	for _, key := range slices.Sorted(maps.Keys(object)) {
		in := cmp.Or(property(key), s.AdditionalProperties)
		if in != nil {
			if p := in.fits(object[key]); p != nil {
				return p.in("." + key)
			}
		}
	}
	for _, key := range s.Required {
		if _, ok := object[key]; !ok {
			return wrong("the required field %s is missing", key)
		}
	}
	return nil
}

func (s *Schema) fitsEnum(value any) *problem {
	for _, v := range s.Enum {
		if reflect.DeepEqual(v.JSON, value) {
			return nil
		}
		number, isFloat := value.(float64)
		if allowed, numeric := yamltext.Float(v.JSON); isFloat && numeric && isInteger(allowed) && math.Trunc(number) == allowed {
			return nil // as in API servers
		}
	}
	return wrong("it must be one of %s", inJSON(s.Enum))
}

// fitsResource refuses an embedded resource without apiVersion or kind.
func fitsResource(_ *Keyword, _ *Schema, value any) *problem {
	object, isObject := value.(map[string]any)
	for _, key := range ResourceFields[:2] {
		if text, _ := object[key].(string); isObject && text == "" {
			return wrong("a resource needs the field %s", key)
		}
	}
	return nil
}

// prune returns the paths in a value that the schema does not contain, and that a server therefore removes. A nil
// schema contains none.
func (s *Schema) prune(path string, value any) (unknown []string) {
	if s == nil {
		s = &Schema{}
	}
	switch v := value.(type) {
	case map[string]any:
		property := s.Lookup()
		for _, key := range slices.Sorted(maps.Keys(v)) {
			in := cmp.Or(property(key), s.AdditionalProperties)
			switch at := path + "." + key; {
			case s.EmbeddedResource && slices.Contains(ResourceFields, key):
			case in != nil || s.AnyProperties:
				unknown = append(unknown, in.prune(at, v[key])...)
			case !s.PreserveUnknownFields:
				unknown = append(unknown, at)
			}
		}
	case []any:
		if s.PreserveUnknownFields {
			return nil
		}
		for i, element := range v {
			unknown = append(unknown, s.Items.prune(fmt.Sprintf("%s[%d]", path, i), element)...)
		}
	}
	return unknown
}

// InJSON returns a value as JSON of at most 60 bytes.
func InJSON(value any) string {
	text, _ := json.Marshal(value)
	if len(text) > 60 {
		return string(text[:57]) + "..."
	}
	return string(text)
}
