package crds_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// limit is a keyword of a field with its random values, and the marker that sets it.
type limit struct {
	keyword, marker string
	value           func(*rand.Rand) string
}

func small(least, n int) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return fmt.Sprint(least + r.IntN(n)) }
}

type limitedField struct {
	name, goType  string
	limits, inner []limit
	dropped       string // field
}

// limitedFields are fields of the type in TestRandomLimits. inner limits the elements of a list.
var limitedFields = []limitedField{
	{"number", "int32", numberLimits, nil, ""},
	{"text", "string", textLimits, nil, ""},
	{"list", "[]string", []limit{{"minItems", "MinItems", small(0, 4)}, {"maxItems", "MaxItems", small(0, 4)}}, textLimits, ""},
	{"ints", "[]int64", []limit{{"minItems", "MinItems", small(0, 4)}, {"maxItems", "MaxItems", small(0, 4)}}, numberLimits, ""},
	{"part", "Part", []limit{{"minProperties", "MinProperties", small(0, 3)}, {"maxProperties", "MaxProperties", small(0, 3)}}, nil, ""},
	{"choice", "Choice", []limit{{"minProperties", "MinProperties", small(0, 5)}, {"maxProperties", "MaxProperties", small(1, 4)}}, nil, ""},
}

// ofFields are conditions about fields of Choice, by the field whose value they are about, or "".
var ofFields = map[string][]string{
	"":  {"required: [a]", "required: [b]", "required: [c]", "required: [d]", "required: [a, c]", "required: [b, c]", "required: [a, b, d]"},
	"a": {"{minimum: 2}", "{maximum: 1}", "{enum: [1, 3]}", "{not: {minimum: 2}}", "{not: {}}", "{oneOf: [{minimum: 1}, {maximum: 1}]}"},
	"b": {"{minLength: 2}", "{maxLength: 1}", "{enum: [aa]}", "{not: {enum: [aa]}}", "{not: {}}"},
	"c": {"{required: [x]}", "{not: {required: [x]}}", "{minProperties: 1}", "{oneOf: [{required: [x]}, {required: [y]}]}", "{not: {}}",
		"{properties: {x: {not: {}}}}", "{anyOf: [{required: [x]}, {required: [y]}], not: {required: [x, y]}}"},
	"d": {"{maxLength: 1}", "{not: {maxLength: 1}}"},
}

// ofChoice returns random conditions about fields of Choice.
func ofChoice(r *rand.Rand) (keywords []string) {
	if r.IntN(2) == 0 {
		keywords = append(keywords, ofFields[""][r.IntN(len(ofFields[""]))])
	}
	var properties []string
	for _, name := range []string{"a", "b", "c", "d"} {
		if r.IntN(5) == 0 {
			properties = append(properties, name+": "+ofFields[name][r.IntN(len(ofFields[name]))])
		}
	}
	if len(properties) > 0 {
		keywords = append(keywords, "properties: {"+strings.Join(properties, ", ")+"}")
	}
	return keywords
}

var (
	numberLimits = []limit{
		{"minimum", "Minimum", small(-1, 6)}, {"maximum", "Maximum", small(-1, 6)},
		{"exclusiveMinimum", "", func(*rand.Rand) string { return "true" }}, {"exclusiveMaximum", "", func(*rand.Rand) string { return "true" }},
		{"multipleOf", "MultipleOf", small(0, 4)},
		{"enum", "Enum", func(r *rand.Rand) string { return fmt.Sprintf("[%d, %d]", r.IntN(3), 3+r.IntN(3)) }},
	}
	textLimits = []limit{
		{"minLength", "MinLength", small(0, 4)}, {"maxLength", "MaxLength", small(0, 4)},
		{"enum", "Enum", func(r *rand.Rand) string {
			return fmt.Sprintf("[%q, %q]", strings.Repeat("a", 1+r.IntN(2)), strings.Repeat("a", 3+r.IntN(2)))
		}},
	}
)

// some returns a random selection of limits as keywords in YAML, without some.
func some(r *rand.Rand, limits []limit, one int, without map[string]bool) (keywords []string) {
	for _, l := range limits {
		if r.IntN(one) == 0 && !without[l.keyword] {
			keywords = append(keywords, l.keyword+": "+l.value(r))
		}
	}
	return keywords
}

// condition returns random keywords for values of a field in YAML.
func condition(r *rand.Rand, f limitedField, depth int) string {
	keywords := some(r, f.limits, 3, nil)
	if f.name == "part" {
		of := []string{
			"required: [b]", "required: [a]", "required: [a, b]", "properties: {a: {minimum: 2}}", "properties: {b: {not: {}}}",
			"properties: {b: {not: {minLength: 2}}}, required: [b]",
		}[r.IntN(6)]
		if f.dropped == "" || !strings.HasPrefix(of, "properties: {"+f.dropped) { // which is an error, and accepted by servers below the root
			keywords = append(keywords, of)
		}
	}
	if f.name == "choice" {
		keywords = append(keywords, ofChoice(r)...)
	}
	if depth > 0 && r.IntN(2) == 0 {
		keywords = append(keywords, alternatives(r, f, depth))
	}
	return "{" + strings.Join(keywords, ", ") + "}"
}

// alternatives returns a random junctor for values of a field in YAML.
func alternatives(r *rand.Rand, f limitedField, depth int) string {
	one := func() string { return condition(r, f, depth-1) }
	switch r.IntN(5) {
	case 0:
		return "allOf: [" + one() + "]"
	case 1:
		return "anyOf: [" + one() + ", " + one() + "]"
	case 2:
		return "oneOf: [" + one() + ", " + one() + "]"
	case 3:
		return "oneOf: [" + one() + "]"
	}
	if f.name == "choice" && r.IntN(3) == 0 {
		return "oneOf: [" + one() + ", " + one() + ", " + one() + "]"
	}
	return "not: " + one()
}

// TestRandomLimits edits random limits: beside markers, in allOf, and in allOf of the enclosing object. There is an
// error at the edit if a server refuses the schema, and only then, or if it refuses a value or its element whatever it
// is.
func TestRandomLimits(t *testing.T) {
	dir := randomModule(t)
	config := strings.Builder{}
	lines := map[int]string{}
	fields := map[string]int{}
	for i := range *seeds * 4 {
		seed := *first + uint64(i)
		r := rand.New(rand.NewPCG(seed, 7))
		n := r.IntN(len(limitedFields))
		if i%2 == 0 {
			n = len(limitedFields) - 1
		}
		f := limitedFields[n]
		var markers strings.Builder
		marked := map[string]bool{}
		for _, l := range f.limits {
			if l.marker != "" && r.IntN(3) == 0 {
				marked[l.keyword] = true
				value := strings.NewReplacer("[", "{", "]", "}").Replace(l.value(r))
				fmt.Fprintf(&markers, "\t// +kubebuilder:validation:%s=%s\n", l.marker, value)
			}
		}
		text := fmt.Sprintf(`// +groupName=s%d.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:object:root=true
type Kind struct {
	metav1.TypeMeta   `+"`json:\",inline\"`"+`
	metav1.ObjectMeta `+"`json:\"metadata,omitempty\"`"+`

	Spec Spec `+"`json:\"spec\"`"+`
}

type Spec struct {
%s	Value %s `+"`json:\"value\"`"+`
}

type Part struct {
	A int `+"`json:\"a,omitempty\"`"+`
	B string `+"`json:\"b,omitempty\"`"+`
}

type Choice struct {
	A *int    `+"`json:\"a,omitempty\"`"+`
	B *string `+"`json:\"b,omitempty\"`"+`
	C *Inner  `+"`json:\"c,omitempty\"`"+`
	D string  `+"`json:\"d\"`"+`
}

type Inner struct {
	X int `+"`json:\"x,omitempty\"`"+`
	Y int `+"`json:\"y,omitempty\"`"+`
}
`, seed, markers.String(), f.goType)
		write(t, filepath.Join(dir, fmt.Sprintf("s%d/v1/types.go", seed)), []byte(text))
		part := func(path string) string {
			keywords := some(r, f.limits, 2, nil)
			if f.inner != nil && r.IntN(2) == 0 {
				keywords = append(keywords, "items: {"+strings.Join(some(r, f.inner, 2, nil), ", ")+"}")
			}
			if r.IntN(2) == 0 {
				keywords = append(keywords, alternatives(r, f, 2))
			}
			text := "{" + strings.Join(keywords, ", ") + "}"
			if f.name == "choice" {
				text = "{" + alternatives(r, f, 2) + "}"
			}
			if path == "spec" {
				text = "{properties: {value: " + text + "}}"
			}
			return text
		}
		name := fmt.Sprintf("s%d.example.com_kinds.yaml", seed)
		entry := func(path, change string) {
			lines[strings.Count(config.String(), "\n")+1], fields[name] = name, n
			fmt.Fprintf(&config, "- {kind: Kind.s%d.example.com, paths: [%s], %s}\n", seed, path, change)
		}
		if r.IntN(4) == 0 && f.name == "part" {
			f.dropped = []string{"a", "b"}[r.IntN(2)]
			entry("spec.value", "drop-fields: ["+f.dropped+"]")
		}
		keywords := some(r, f.limits, 3, marked)
		if f.name == "choice" {
			if text := alternatives(r, f, 2); !strings.HasPrefix(text, "allOf") {
				keywords = append(keywords, text)
			}
		}
		for range r.IntN(3) {
			keywords = append(keywords, "allOf: ["+part("")+", "+part("")+"]")
			break
		}
		if len(keywords) > 0 {
			entry("spec.value", "set: {"+strings.Join(keywords, ", ")+"}")
		}
		if r.IntN(2) == 0 || len(keywords) == 0 {
			entry("spec", "set: {allOf: ["+part("spec")+"]}")
		}
	}
	scheme := runtime.NewScheme()
	install.Install(scheme)
	after, diags := generateEdited(t, dir, config.String())
	mistaken := map[string]*diag.Diagnostic{}
	for _, d := range diags {
		if name := lines[d.Pos.Line]; d.Pos.Filename == "kubegen.yaml" && d.Severity == diag.Error && name != "" {
			mistaken[name] = d
		} else if d.Severity == diag.Error {
			t.Errorf("an error is not at an edit: %v", d)
		}
	}
	refused, never := 0, 0
	for _, name := range slices.Sorted(maps.Keys(after)) {
		_, isEdited := fields[name]
		if !isEdited {
			t.Errorf("%s has no edit", name)
			continue
		}
		reason, d := "", mistaken[name]
		errs := serverErrors(t, scheme, after[name])
		if len(errs) > 0 {
			refused++
			reason = errs[0]
		} else if d != nil {
			if reason = neverValid(t, after[name], limitedFields[fields[name]].name, d); reason != "" {
				never++
			}
		}
		if (d == nil) != (reason == "") {
			var entries []string
			for line, text := range strings.Split(config.String(), "\n") {
				if lines[line+1] == name {
					entries = append(entries, text)
				}
			}
			t.Errorf("%s: %s\n%s\nsays: %v\na server: %s", name, after[name], strings.Join(entries, "\n"), d, reason)
		}
	}
	t.Logf("%d manifests, %d with errors: %d that a server refuses, %d with values that are never valid", len(after), len(mistaken), refused, never)
	if never < len(after)/20 || len(after)-len(mistaken) < len(after)/10 {
		t.Error("the edits are worthless")
	}
}

// said matches the message about a value in an enum.
var said = regexp.MustCompile(`the value (\S+) is never valid`)

// neverValid returns what of a value a server refuses whatever it is, or "": the value, its elements, or the value in a
// message.
func neverValid(t *testing.T, manifest []byte, field string, d *diag.Diagnostic) string {
	var schema map[string]any
	for _, s := range schemasOf(t, manifest) {
		schema = s.(map[string]any)
	}
	s := newServer(t, schema)
	if s == nil {
		t.Fatalf("a server refuses the schema: %s", manifest)
	}
	numbers, texts := []any{}, []any{}
	for i := int64(-3); i < 16; i++ {
		numbers = append(numbers, i)
	}
	for i := range 6 {
		texts = append(texts, strings.Repeat("a", i), strings.Repeat("b", i))
	}
	lists := func(elements []any) (all []any) {
		for n := range 5 {
			for _, element := range elements {
				all = append(all, slices.Repeat([]any{element}, n))
			}
		}
		return all
	}
	var values []any
	parts := []func(value any) any{func(value any) any { return "value" }} // each must be possible
	switch field {
	case "number":
		values = numbers
	case "text":
		values = texts
	case "list", "ints":
		if values = lists(texts); field == "ints" {
			values = lists(numbers)
		}
		parts = append(parts, func(value any) any {
			if len(value.([]any)) > 0 {
				return "element"
			}
			return nil
		})
	case "choice":
		inner := []any{nil, map[string]any{}, map[string]any{"x": int64(1)}, map[string]any{"y": int64(1)}, map[string]any{"x": int64(1), "y": int64(1)}}
		for _, a := range []any{nil, int64(0), int64(1), int64(2), int64(3)} {
			for _, b := range []any{nil, "a", "aa", "bb"} {
				for _, c := range inner {
					for _, d := range []any{"a", "aa"} {
						object := map[string]any{"a": a, "b": b, "c": c, "d": d}
						maps.DeleteFunc(object, func(_ string, value any) bool { return value == nil })
						values = append(values, object)
					}
				}
			}
		}
	case "part":
		for _, a := range append(numbers, nil) {
			for _, b := range append(texts, nil) {
				object := map[string]any{}
				if a != nil {
					object["a"] = a
				}
				if b != nil {
					object["b"] = b
				}
				values = append(values, object)
			}
		}
	}
	if d != nil {
		if m := said.FindStringSubmatch(d.Message); m != nil {
			parts = append(parts, func(value any) any {
				if list, ok := value.([]any); ok && len(list) > 0 {
					value = list[0]
				}
				if inJSON(value) == m[1] {
					return value
				}
				return nil
			})
		}
	}
	isPossible := func(s *server, part func(any) any) bool {
		return slices.ContainsFunc(values, func(value any) bool {
			object := map[string]any{"apiVersion": "example.com/v1", "kind": "Kind", "metadata": map[string]any{"name": "x"},
				"spec": map[string]any{"value": runtime.DeepCopyJSONValue(value)}}
			return part(value) != nil && s.take(object) == ""
		})
	}
	for i, part := range parts {
		// A list may have to be empty, as with maxItems: 0, whatever its elements are.
		if !isPossible(s, part) && (i != 1 || d != nil || isPossible(newServer(t, ofAny(schema).(map[string]any)), part)) {
			return fmt.Sprintf("part %d of the value is never valid", i)
		}
	}
	return ""
}

// ofAny returns a schema without the limits of elements.
func ofAny(value any) any {
	switch v := value.(type) {
	case map[string]any:
		made := map[string]any{}
		for key, inner := range v {
			if in, ok := inner.(map[string]any); !ok || key != "items" {
				made[key] = ofAny(inner)
			} else if in["type"] != nil {
				made[key] = map[string]any{"type": in["type"]}
			}
		}
		return made
	case []any:
		made := make([]any, len(v))
		for i, inner := range v {
			made[i] = ofAny(inner)
		}
		return made
	}
	return value
}
