package crdtest

import (
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
)

// maxElements is the number of elements that lists and maps are given at most because they must have some.
const maxElements = 256

// values makes values by schemas, which are nearly always valid.
type values struct {
	rand  *rand.Rand
	texts map[*regexp.Regexp][]string // that match
	regs  map[string]*regexp.Regexp
}

func newValues() values {
	return values{rand.New(rand.NewPCG(3, 4)), map[*regexp.Regexp][]string{}, map[string]*regexp.Regexp{}}
}

// compiled returns a regular expression, or nil if it is malformed.
func (v values) compiled(pattern string) *regexp.Regexp {
	if _, ok := v.regs[pattern]; !ok {
		v.regs[pattern], _ = regexp.Compile(pattern)
	}
	return v.regs[pattern]
}

// merged returns a schema with what its allOf demands, and one of its alternatives, unless that is negative.
func merged(s *apiextensionsv1.JSONSchemaProps, alternative int) *apiextensionsv1.JSONSchemaProps {
	for i := range s.AllOf {
		s = overlaid(s, merged(&s.AllOf[i], alternative))
	}
	for _, of := range [][]apiextensionsv1.JSONSchemaProps{s.AnyOf, s.OneOf} {
		if len(of) > 0 && alternative >= 0 && !s.XIntOrString {
			s = overlaid(s, merged(&of[alternative%len(of)], alternative))
		}
	}
	return s
}

// overlaid returns a schema with the constraints of another one.
func overlaid(s, more *apiextensionsv1.JSONSchemaProps) *apiextensionsv1.JSONSchemaProps {
	result := *s
	if len(result.Enum) == 0 {
		result.Enum = more.Enum
	}
	if result.Pattern == "" {
		result.Pattern = more.Pattern
	}
	if result.Format == "" {
		result.Format = more.Format
	}
	result.Minimum, result.MinLength = larger(s.Minimum, more.Minimum, 1), larger(s.MinLength, more.MinLength, 1)
	result.Maximum, result.MaxLength = larger(s.Maximum, more.Maximum, -1), larger(s.MaxLength, more.MaxLength, -1)
	result.MinItems, result.MaxItems = larger(s.MinItems, more.MinItems, 1), larger(s.MaxItems, more.MaxItems, -1)
	result.Required = slices.Concat(s.Required, more.Required)
	if len(more.Properties) > 0 {
		result.Properties = maps.Clone(s.Properties)
		if result.Properties == nil {
			result.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
		}
		for name, property := range more.Properties {
			old := result.Properties[name]
			result.Properties[name] = *overlaid(&old, &property)
		}
	}
	if more.Items != nil && more.Items.Schema != nil && s.Items != nil && s.Items.Schema != nil {
		result.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: overlaid(s.Items.Schema, more.Items.Schema)}
	}
	return &result
}

// larger returns the larger one of two numbers, or the smaller one if the sign is negative.
func larger[T int64 | float64](a, b *T, sign T) *T {
	if a == nil || b != nil && *b*sign > *a*sign {
		return b
	}
	return a
}

// decoded returns the value of JSON.
func decoded(raw []byte) (value any) {
	_ = json.Unmarshal(raw, &value) // definitions have been decoded
	return value
}

// numeral returns a number as objects have it.
func numeral(n float64) any {
	if n == math.Trunc(n) && math.Abs(n) < 1<<63 {
		return int64(n)
	}
	return n
}

// value returns a value with few fields: the ith of different ones, if the schema allows so many.
func (v values) value(s *apiextensionsv1.JSONSchemaProps, i int) any {
	s = merged(s, i)
	switch {
	case i == 0 && s.Default != nil && len(s.Default.Raw) > 0:
		return decoded(s.Default.Raw)
	case len(s.Enum) > 0:
		return decoded(s.Enum[i%len(s.Enum)].Raw)
	case s.XIntOrString:
		return int64(i + 1)
	}
	switch s.Type {
	case "array":
		list := []any{}
		for n := range min(either(s.MinItems, 0), maxElements) {
			if s.Items != nil && s.Items.Schema != nil {
				list = append(list, v.value(s.Items.Schema, i+int(n)))
			}
		}
		return list
	case "string":
		return v.text(s, i)
	case "boolean":
		return i%2 == 0
	case "integer", "number":
		least := either(s.Minimum, min(either(s.Maximum, 1), 1))
		if s.ExclusiveMinimum {
			least++
		}
		if of := either(s.MultipleOf, 0); of > 0 {
			return numeral(math.Ceil(least/of)*of + float64(i)*of)
		}
		if s.Type == "integer" {
			least = math.Ceil(least)
		}
		return numeral(least + float64(i))
	}
	object := map[string]any{}
	if s.XEmbeddedResource {
		object = map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": v.text(s, i)}}
	}
	for _, name := range slices.Concat(s.Required, s.XListMapKeys) {
		if property, ok := s.Properties[name]; ok && object[name] == nil {
			object[name] = v.value(&property, i)
		}
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		for n := range min(either(s.MinProperties, 0), maxElements) {
			object["key"+strconv.Itoa(int(n))] = v.value(s.AdditionalProperties.Schema, i+int(n))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if property := s.Properties[name]; object[name] == nil && int64(len(object)) < either(s.MinProperties, 0) {
			object[name] = v.value(&property, i)
		}
	}
	return object
}

// either returns the value of a pointer, or another one.
func either[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

// formats has a text for each format.
var formats = map[string]string{
	"byte": "YWJj", "bsonobjectid": "507f1f77bcf86cd799439011", "cidr": "10.0.0.0/8", "date": "2024-02-29", "datetime": "2024-02-29T12:00:00Z",
	"duration": "1h", "email": "a@example.com", "hexcolor": "#ffffff", "hostname": "example.com", "ip": "10.0.0.1", "ipv4": "10.0.0.1",
	"ipv6": "fd00::1", "mac": "02:00:00:00:00:01", "rgbcolor": "rgb(0,0,0)", "uri": "https://example.com/a", "isbn": "0321751043",
	"isbn10": "0321751043", "isbn13": "978-0321751041", "creditcard": "4111111111111111", "ssn": "111-11-1111",
	"uuid": "6ba7b810-9dad-41d1-80b4-00c04fd430c8", "uuid3": "6fa459ea-ee8a-3ca4-894e-db77e160355e",
	"uuid4": "16fd2706-8baf-433b-82eb-8c7fada847da", "uuid5": "886313e1-3b8a-5372-9b90-0c9aee199e5d",
}

// text returns the ith of different strings.
func (v values) text(s *apiextensionsv1.JSONSchemaProps, i int) string {
	if text := formats[strings.ReplaceAll(s.Format, "-", "")]; text != "" {
		switch {
		case i == 0:
		case s.Format == "date-time":
			return "2024-02-29T12:00:" + strconv.Itoa(10+i%50) + "Z"
		case strings.HasPrefix(text, "10.0.0."):
			return strings.Replace(text, "10.", strconv.Itoa(10+i%200)+".", 1)
		case s.Format == "uri":
			return text + strconv.Itoa(i)
		}
		return text
	}
	least, most := int(min(either(s.MinLength, 0), maxBytes)), int(min(either(s.MaxLength, maxBytes), maxBytes))
	matched := v.compiled(s.Pattern)
	if s.Pattern == "" || matched == nil {
		text := string(rune('a' + i%26))
		if i >= 26 {
			text += strconv.Itoa(i / 26)
		}
		for len(text) < least {
			text += "a"
		}
		return text[:min(len(text), most)]
	}
	fits := func(text string) bool {
		n := utf8.RuneCountInString(text)
		return n >= least && n <= most
	}
	found := v.texts[matched]
	if parsed, err := syntax.Parse(s.Pattern, syntax.Perl); err == nil && found == nil {
		parsed = parsed.Simplify()
		for k := range 60 {
			r := rand.New(rand.NewPCG(uint64(k), 0))
			more, from := []int{0, 1, 2, 4, 12, 30}[k%6], r
			if k == 0 {
				from = nil
			}
			text := sample(parsed, func(least, most int) int {
				if most < 0 {
					most = least + more
				}
				if from == nil {
					return least
				}
				return least + from.IntN(min(most-least, max(more, 3))+1)
			}, from)
			if matched.MatchString(text) && !slices.Contains(found, text) {
				found = append(found, text)
			}
		}
		slices.SortStableFunc(found, func(a, b string) int { return rank(a) - rank(b) })
		v.texts[matched] = found
	}
	fitting := slices.DeleteFunc(slices.Clone(found), func(text string) bool { return !fits(text) })
	if len(fitting) > 0 && i < len(fitting) {
		return fitting[i]
	}
	for _, text := range found { // longer ones
		for _, long := range longer(text, max(least, utf8.RuneCountInString(text)+i)) {
			if fits(long) && matched.MatchString(long) {
				return long
			}
		}
	}
	for _, text := range []string{"a", "1", "example.com", "https://example.com", "10Gi", "1h", "10.0.0.1"} {
		if matched.MatchString(text) {
			return text
		}
	}
	return "a"
}

// rank orders texts: short ones of letters and digits are the best to read.
func rank(text string) (n int) {
	if text == "" {
		return 1000
	}
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z':
			n += 2
		case r >= '0' && r <= '9' || r >= 'A' && r <= 'Z':
			n += 3
		case r > ' ' && r < 127:
			n += 6
		default:
			n += 100
		}
	}
	return n
}

// longer returns texts of a length that begin or end as a text.
func longer(text string, n int) []string {
	runes := []rune(text)
	if len(runes) == 0 {
		runes = []rune("a")
	}
	var texts []string
	for _, at := range []int{len(runes) - 1, 0, len(runes) / 2} {
		if missing := n - len(runes); missing > 0 {
			texts = append(texts, string(slices.Concat(runes[:at], slices.Repeat(runes[at:at+1], missing), runes[at:])))
		}
	}
	return append(texts, strings.Repeat("a", n))
}

// sample returns a text that a regular expression matches, unless it asks for more than that. count chooses the number
// of repetitions; the most is negative if there is no limit. Without from, the first of several texts is returned.
func sample(r *syntax.Regexp, count func(least, most int) int, from *rand.Rand) string {
	repeated := func(least, most int) (text string) {
		for range count(least, most) {
			text += sample(r.Sub[0], count, from)
		}
		return text
	}
	switch r.Op {
	case syntax.OpLiteral:
		return string(r.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "a"
	case syntax.OpCharClass:
		in := func(c rune) bool {
			for i := 0; i < len(r.Rune); i += 2 {
				if c >= r.Rune[i] && c <= r.Rune[i+1] {
					return true
				}
			}
			return false
		}
		fitting := slices.DeleteFunc([]rune("abcxyz123089ABCXYZ-_./"), func(c rune) bool { return !in(c) })
		if len(fitting) == 0 {
			return string(r.Rune[0])
		}
		if from != nil {
			return string(fitting[from.IntN(min(len(fitting), 9))])
		}
		return string(fitting[0])
	case syntax.OpCapture:
		return sample(r.Sub[0], count, from)
	case syntax.OpStar:
		return repeated(0, -1)
	case syntax.OpPlus:
		return repeated(1, -1)
	case syntax.OpQuest:
		return repeated(0, 1)
	case syntax.OpRepeat:
		return repeated(r.Min, r.Max)
	case syntax.OpConcat:
		text := ""
		for _, sub := range r.Sub {
			text += sample(sub, count, from)
		}
		return text
	case syntax.OpAlternate:
		if from != nil {
			return sample(r.Sub[from.IntN(len(r.Sub))], count, from)
		}
		return sample(r.Sub[0], count, from)
	}
	return ""
}

// words are what rules mention: names, and literals.
type words struct {
	words    map[string]bool
	literals []any
}

var (
	unescaped = strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\"`, `"`, `\n`, "\n")

	literal = regexp.MustCompile(`r?"""((?s:.*?))"""|r?'((?:[^'\\]|\\.)*)'|r?"((?:[^"\\]|\\.)*)"`)
	word    = regexp.MustCompile(`[A-Za-z_]\w*|\b\d+\b`)
	escapes = strings.NewReplacer("__dash__", "-", "__dot__", ".", "__slash__", "/", "__underscores__", "__")
	keyword = regexp.MustCompile(`^__(\w+)__$`)
)

// wordsIn returns the words of rules.
func wordsIn(rules ...apiextensionsv1.ValidationRule) words {
	w := words{words: map[string]bool{}}
	for _, rule := range rules {
		w.add(rule.Rule)
	}
	return w
}

// wordsOf returns the words of the rules and alternatives of a schema.
func wordsOf(s *apiextensionsv1.JSONSchemaProps) words {
	w := wordsIn(s.XValidations...)
	alternatives := slices.Concat(s.AllOf, s.AnyOf, s.OneOf)
	if s.Not != nil {
		alternatives = append(alternatives, *s.Not)
	}
	for _, of := range alternatives {
		more := wordsOf(&of)
		maps.Copy(w.words, more.words)
		w.literals = append(w.literals, more.literals...)
		for _, name := range of.Required {
			w.words[name] = true
		}
		for _, name := range slices.Sorted(maps.Keys(of.Properties)) {
			property := of.Properties[name]
			w.words[name] = true
			w.literals = append(w.literals, wordsOf(&property).literals...)
			for _, value := range property.Enum {
				w.literals = append(w.literals, decoded(value.Raw))
			}
		}
	}
	return w
}

// has reports whether a value is a literal.
func (w words) has(value any) bool {
	return slices.ContainsFunc(w.literals, func(literal any) bool { return reflect.DeepEqual(literal, value) })
}

// textsIn returns the string literals in a rule.
func textsIn(rule string) (texts []string) {
	for _, found := range literal.FindAllStringSubmatch(rule, -1) {
		text := found[1] + found[2] + found[3]
		if found[0][0] != 'r' {
			text = unescaped.Replace(text)
		}
		texts = append(texts, text)
	}
	return texts
}

// add adds the words of a rule.
func (w *words) add(rule string) {
	for _, text := range textsIn(rule) {
		w.literals = append(w.literals, text)
		w.words[text] = true
	}
	for _, name := range word.FindAllString(literal.ReplaceAllString(rule, " "), -1) {
		if n, err := strconv.ParseInt(name, 10, 64); err == nil {
			w.literals = append(w.literals, n)
			continue
		}
		w.words[keyword.ReplaceAllString(escapes.Replace(name), "$1")] = true
	}
}

// mentioned returns a value with most of the fields that the words name.
func (v values) mentioned(s *apiextensionsv1.JSONSchemaProps, focus words) any {
	s = merged(s, v.rand.IntN(4))
	switch old := v.value(s, v.rand.IntN(3)).(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if property := s.Properties[name]; focus.words[name] && v.rand.IntN(6) > 0 {
				old[name] = v.mentioned(&property, focus)
			}
		}
		return old
	case []any:
		if s.Items != nil && s.Items.Schema != nil {
			for range 1 + v.rand.IntN(2) {
				old = append(old, v.mentioned(s.Items.Schema, focus))
			}
		}
		return old
	default:
		if v.rand.IntN(3) > 0 {
			return v.changed(old, s, focus)
		}
		return old
	}
}

// changed returns a value with a change at random, mostly in what the words name. It may change the value itself.
func (v values) changed(old any, s *apiextensionsv1.JSONSchemaProps, focus words) any {
	s = merged(s, -1)
	if v.rand.IntN(40) == 0 {
		return v.value(s, v.rand.IntN(5))
	}
	switch old := old.(type) {
	case map[string]any:
		return v.changedObject(old, s, focus)
	case []any:
		if s.Items == nil || s.Items.Schema == nil {
			return old
		}
		items := s.Items.Schema
		switch kind := v.rand.IntN(12); {
		case len(old) == 0 || kind == 0:
			return append(old, v.value(items, v.rand.IntN(6)))
		case kind == 1:
			return append(old, v.value(items, len(old)))
		case kind == 2:
			at := v.rand.IntN(len(old))
			return slices.Delete(old, at, at+1)
		case kind == 3:
			return append(old, runtime.DeepCopyJSONValue(old[v.rand.IntN(len(old))]))
		case kind == 4:
			if n := v.length(focus); n >= 0 && n <= 128 {
				for i := len(old); i < n; i++ {
					old = append(old, v.value(items, i))
				}
				return old[:n]
			}
		}
		at := v.rand.IntN(len(old))
		old[at] = v.changed(old[at], items, focus)
		return old
	}
	candidates := v.candidates(s, focus)
	if len(candidates) == 0 {
		return v.value(s, v.rand.IntN(5))
	}
	return candidates[v.rand.IntN(len(candidates))]
}

// length returns one of the numbers that the words name, or one beside it, or -1.
func (v values) length(focus words) int {
	var numbers []int64
	for _, literal := range focus.literals {
		if n, ok := literal.(int64); ok {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) == 0 {
		return -1
	}
	return int(numbers[v.rand.IntN(len(numbers))]) + v.rand.IntN(3) - 1
}

func (v values) changedObject(old map[string]any, s *apiextensionsv1.JSONSchemaProps, focus words) any {
	names := slices.Sorted(maps.Keys(s.Properties))
	if len(names) == 0 && s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		names = append(slices.Sorted(maps.Keys(old)), "key"+strconv.Itoa(v.rand.IntN(6)), "key", "")
		if n := v.length(focus); n > 0 && n < maxBytes {
			names = append(names, strings.Repeat("k", n))
		}
		for _, literal := range focus.literals {
			if text, ok := literal.(string); ok {
				names = append(names, text)
			}
		}
	}
	named := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !focus.words[name] })
	if len(named) > 0 && v.rand.IntN(4) > 0 {
		names = named
	}
	if len(names) == 0 {
		if s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields {
			old["key"] = "value"
		}
		return old
	}
	name := names[v.rand.IntN(len(names))]
	property := below(s, name)
	inner, there := old[name]
	switch kind := v.rand.IntN(10); {
	case property == nil:
	case !there:
		old[name] = v.value(property, v.rand.IntN(4))
	case kind < 3:
		delete(old, name)
	case kind < 4:
		old[name] = v.value(property, v.rand.IntN(5))
	default:
		old[name] = v.changed(inner, property, focus)
	}
	return old
}

// texts that functions in rules ask for.
var texts = []string{
	"", "a", "b", "A", "a-b", "a.b", "a/b", "*", "*.example.com", "example.com", "https://example.com/a", "http://a", "10.0.0.1",
	"10.0.0.0/8", "fd00::1", "fd00::/8", "0", "1", "-1", "10Gi", "1h", "2024-02-29T12:00:00Z", "a b", "!", "100m", "50%", "/a", "a:1", "true", "v1", "1.2.3",
}

// candidates returns values to try instead of a scalar.
func (v values) candidates(s *apiextensionsv1.JSONSchemaProps, focus words) (all []any) {
	for _, value := range s.Enum {
		all = append(all, decoded(value.Raw))
	}
	if len(all) > 0 {
		named := slices.DeleteFunc(slices.Clone(all), func(value any) bool { return !focus.has(value) })
		if len(named) > 0 && v.rand.IntN(3) > 0 {
			return named
		}
		return all
	}
	var strs []any
	ints := []any{int64(0), int64(1), int64(2), int64(1000000)}
	for _, literal := range focus.literals {
		switch literal := literal.(type) {
		case string:
			strs = append(strs, literal, literal, literal+"a", "a"+literal)
			if parsed, err := syntax.Parse(literal, syntax.Perl); err == nil && strings.ContainsAny(literal, `^$[*+\`) {
				more := v.rand.IntN(6)
				strs = append(strs, sample(parsed.Simplify(), func(least, most int) int {
					if most < 0 {
						most = least + more
					}
					return least + v.rand.IntN(most-least+1)
				}, v.rand))
			}
		case int64:
			ints = append(ints, literal-1, literal, literal+1)
			if literal < maxBytes && literal > 2 {
				strs = append(strs, strings.Repeat("a", int(literal)+v.rand.IntN(3)-1))
			}
		}
	}
	if len(strs) == 0 || v.rand.IntN(2) == 0 {
		for i := range 5 {
			strs = append(strs, v.text(s, i))
		}
		for _, text := range texts {
			if matched := v.compiled(s.Pattern); matched == nil || s.Pattern == "" || matched.MatchString(text) {
				strs = append(strs, text)
			}
		}
	}
	if s.Minimum != nil {
		ints = append(ints, numeral(*s.Minimum), numeral(*s.Minimum+1))
	}
	if s.Maximum != nil {
		ints = append(ints, numeral(*s.Maximum), numeral(*s.Maximum-1))
	}
	switch {
	case s.XIntOrString:
		return append(strs, ints...)
	case s.Type == "string":
		return strs
	case s.Type == "boolean":
		return []any{true, false}
	case s.Type == "integer" || s.Type == "number":
		return ints
	}
	return nil
}
