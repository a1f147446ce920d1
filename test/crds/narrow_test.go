package crds_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
)

var (
	pairs     = flag.Int("pairs", 2000, "number of random pairs of schemas")
	firstPair = flag.Uint64("first-pair", 0, "first seed of the random pairs of schemas")
)

// TestNarrowings compares random schemas with changed ones. For each object that a server takes with the old schema,
// and that it refuses with the new one or from which it then drops something, a narrowing must be found. For changes
// that only loosen, none may be found.
func TestNarrowings(t *testing.T) {
	var found struct{ pairs, loosened, invalid, lost, listed, changed, objects int }
	for seed := *firstPair; found.pairs < *pairs; seed++ {
		g := &schemaGenerator{Rand: rand.New(rand.NewPCG(seed, 1))}
		before := g.root()
		after := deepCopy(before)
		loosened := seed%2 == 0
		var changes []string
		for range 1 + g.IntN(2) {
			if loosened {
				changes = append(changes, g.loosen(after))
			} else {
				changes = append(changes, g.change(after))
			}
		}
		withoutElementDefaults(before)
		withoutElementDefaults(after)
		was, is := newServer(t, before), newServer(t, after)
		if was == nil || is == nil {
			continue // one of them is refused
		}
		found.pairs++
		narrowings := crd.SchemaChanges(parseSchema(t, before), parseSchema(t, after))
		var texts []string
		for _, n := range narrowings {
			texts = append(texts, n.Path+": "+n.What)
		}
		report := func(format string, args ...any) {
			t.Errorf("seed %d, %s: %s\nold %s\nnew %s", seed, strings.Join(changes, ", "), fmt.Sprintf(format, args...), inJSON(before), inJSON(after))
		}
		if crd.SchemaChanges(parseSchema(t, before), parseSchema(t, before)) != nil {
			report("a schema is narrower than itself")
		}
		if len(narrowings) > 0 {
			found.listed++
		}
		if loosened {
			found.loosened++
			if len(narrowings) > 0 {
				report("only loosened, but there is %q", texts)
			}
		}
		narrower := ""
		for range 40 {
			example := before
			if g.IntN(3) == 0 {
				example = after
			}
			sent := g.object(example)
			stored := deepCopy(sent)
			if was.take(stored) != "" {
				continue
			}
			if again := deepCopy(stored); was.take(again) != "" || lost(stored, again, "") != "" {
				continue // a default has null where null is dropped
			}
			found.objects++
			pruning.Prune(sent, was.Structural, true) // what the old schema ignores is none of the request
			defaulting.PruneNonNullableNullsWithoutDefaults(sent, was.Structural)
			again := deepCopy(stored)
			if why := is.take(again); why != "" {
				narrower = fmt.Sprintf("stored object %s: %s", inJSON(stored), why)
				found.invalid++
			} else if path := lost(stored, again, ""); path != "" {
				narrower = fmt.Sprintf("stored object %s: lost %s", inJSON(stored), path)
				found.lost++
			} else if why := is.take(deepCopy(sent)); why != "" && lost(sent, stored, "") == "" { // no default has replaced null
				narrower = fmt.Sprintf("request with %s: %s", inJSON(sent), why)
				found.invalid++
			} else {
				continue
			}
			break
		}
		if narrower != "" {
			found.changed++
			if len(narrowings) == 0 {
				report("nothing is listed; %s", narrower)
			}
		}
	}
	fmt.Printf("narrowings: %d pairs of schemas, %d objects; %d pairs only loosened; %d pairs with narrowings, of which objects show %d (%d refused, %d pruned)\n",
		found.pairs, found.objects, found.loosened, found.listed, found.changed, found.invalid, found.lost)
	if found.changed == 0 || found.invalid == 0 || found.lost == 0 || found.loosened == 0 {
		t.Error("the random schemas are worthless")
	}
}

// server does with objects what an API server does that has a schema.
type server struct {
	*schema.Structural
	validation.SchemaValidator
	rules *cel.Validator // nil if there are none
}

// newServer returns nil if a server refuses the schema.
func newServer(t *testing.T, tree map[string]any) *server {
	t.Helper()
	var v1 apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal([]byte(inJSON(tree)), &v1); err != nil {
		t.Fatal(err)
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &internal, nil); err != nil {
		t.Fatal(err)
	}
	s, err := schema.NewStructural(&internal)
	if err != nil || len(schema.ValidateStructural(nil, s)) > 0 {
		return nil
	}
	if errs, err := defaulting.ValidateDefaults(t.Context(), nil, s, true, true); err != nil || len(errs) > 0 {
		return nil
	}
	if err := defaulting.PruneDefaults(s); err != nil {
		t.Fatal(err)
	}
	validator, _, err := validation.NewSchemaValidator(&internal)
	if err != nil {
		t.Fatal(err)
	}
	return &server{s, validator, cel.NewValidator(s, true, celconfig.PerCallLimit)}
}

// take prunes an object and sets its defaults. It returns why the object is refused, if it is.
func (s *server) take(object map[string]any) string {
	if err := objectmeta.Coerce(nil, object, s.Structural, true, false); err != nil {
		return err.Error()
	}
	pruning.Prune(object, s.Structural, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(object, s.Structural)
	defaulting.Default(object, s.Structural)
	errs := validation.ValidateCustomResource(nil, object, s.SchemaValidator)
	errs = append(errs, objectmeta.Validate(context.Background(), nil, object, s.Structural, false)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.Structural, object)...)
	if s.rules != nil && len(errs) == 0 {
		errs, _ = s.rules.Validate(context.Background(), nil, s.Structural, object, nil, celconfig.RuntimeCELCostBudget)
	}
	if err := errs.ToAggregate(); err != nil {
		return err.Error()
	}
	return ""
}

// lost returns the path of what the second value has no more, if anything.
func lost(before, after any, path string) string {
	switch before := before.(type) {
	case map[string]any:
		after, ok := after.(map[string]any)
		if !ok {
			return path
		}
		for _, key := range slices.Sorted(maps.Keys(before)) {
			value, ok := after[key]
			if !ok {
				return path + "." + key
			}
			if found := lost(before[key], value, path+"."+key); found != "" {
				return found
			}
		}
	case []any:
		after, ok := after.([]any)
		if !ok || len(after) != len(before) {
			return path
		}
		for i := range before {
			if found := lost(before[i], after[i], fmt.Sprintf("%s[%d]", path, i)); found != "" {
				return found
			}
		}
	default:
		if !reflect.DeepEqual(before, after) {
			return path
		}
	}
	return ""
}

func deepCopy(tree map[string]any) map[string]any { return runtime.DeepCopyJSON(tree) }

func inJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func parseSchema(t *testing.T, tree map[string]any) *crdschema.Schema {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(inJSON(tree)), &n); err != nil {
		t.Fatal(err)
	}
	s, errs := crdschema.Parse(n.Content[0])
	if len(errs) > 0 {
		t.Fatalf("%v in %s", errs, inJSON(tree))
	}
	return s
}

// schemaGenerator makes random structural schemas, objects that fit them more or less, and random changes of schemas.
type schemaGenerator struct{ *rand.Rand }

func (g *schemaGenerator) chance(percent int) bool { return g.IntN(100) < percent }

func pickOne[T any](g *schemaGenerator, all []T) T { return all[g.IntN(len(all))] }

var (
	fieldNames  = []string{"a", "b", "c", "d"}
	someStrings = []string{"", "a", "b", "ab", "abc", "abcd", "1", "2020-01-02", "a.b", "10.0.0.1"}
	patterns    = []string{"^a", "^[ab]*$", "b$", "^.+$"}
	stringKinds = []string{"date", "ipv4", "hostname"}
)

func (g *schemaGenerator) root() map[string]any {
	return map[string]any{"type": "object", "properties": map[string]any{"spec": g.schema(3), "status": g.schema(1)}}
}

func (g *schemaGenerator) schema(depth int) map[string]any {
	kinds := []string{"string", "integer", "number", "boolean", "int-or-string", "any"}
	if depth > 0 {
		kinds = append(kinds, "array", "object", "object", "object", "map", "embedded")
	}
	if depth == 3 {
		kinds = []string{"array", "object", "object", "object", "map"}
	}
	return g.schemaOf(pickOne(g, kinds), depth)
}

func (g *schemaGenerator) schemaOf(kind string, depth int) map[string]any {
	s := map[string]any{"type": kind}
	switch kind {
	case "string", "integer", "number", "boolean":
		g.conditions(s, kind, 25)
	case "int-or-string":
		s = map[string]any{"x-kubernetes-int-or-string": true}
		g.conditions(s, pickOne(g, []string{"string", "integer"}), 15)
	case "any":
		s = map[string]any{"x-kubernetes-preserve-unknown-fields": true}
		if g.chance(30) {
			s["type"] = "object"
		}
	case "array":
		s["items"] = g.schema(depth - 1)
		g.conditions(s, kind, 20)
		items := s["items"].(map[string]any)
		switch {
		case g.chance(30) && slices.Contains([]any{"string", "integer", "boolean"}, items["type"]):
			s["x-kubernetes-list-type"] = "set"
		case g.chance(50) && items["type"] == "object" && items["properties"] != nil:
			properties := items["properties"].(map[string]any)
			properties["a"] = map[string]any{"type": "string"}
			items["required"] = []any{"a"}
			s["x-kubernetes-list-type"] = "map"
			s["x-kubernetes-list-map-keys"] = []any{"a"}
		}
	case "map":
		s["type"] = "object"
		if g.chance(15) {
			s["additionalProperties"] = true
		} else {
			s["additionalProperties"] = g.schema(depth - 1)
		}
		g.conditions(s, "object", 15)
	case "object", "embedded":
		s["type"] = "object"
		properties := map[string]any{}
		var required []any
		for _, name := range fieldNames {
			if g.chance(60) {
				properties[name] = g.schema(depth - 1)
				if g.chance(20) {
					required = append(required, name)
				}
			}
		}
		s["properties"] = properties
		if required != nil {
			s["required"] = required
		}
		if g.chance(15) {
			s["x-kubernetes-preserve-unknown-fields"] = true
		}
		if kind == "embedded" && g.chance(50) {
			s["x-kubernetes-embedded-resource"] = true
			if len(properties) == 0 {
				s["x-kubernetes-preserve-unknown-fields"] = true
			}
		}
		g.conditions(s, "object", 10)
	}
	if g.chance(10) {
		s["nullable"] = true
	}
	if g.chance(15) {
		s["default"] = g.value(s, 0)
		if s["default"] == nil {
			delete(s, "default")
		}
	}
	return s
}

// conditions adds conditions for values of a type, each with a probability in percent.
func (g *schemaGenerator) conditions(s map[string]any, kind string, percent int) {
	for _, name := range g.keywords(kind) {
		if g.chance(percent) {
			g.condition(s, kind, name)
		}
	}
	if g.chance(percent / 3) {
		g.combination(s, kind)
	}
}

func (g *schemaGenerator) keywords(kind string) []string {
	switch kind {
	case "string":
		return []string{"minLength", "maxLength", "pattern", "enum", "format"}
	case "integer", "number":
		return []string{"minimum", "maximum", "multipleOf", "enum", "format"}
	case "array":
		return []string{"minItems", "maxItems"}
	case "object":
		return []string{"minProperties", "maxProperties"}
	}
	return nil
}

func (g *schemaGenerator) condition(s map[string]any, kind, name string) {
	switch name {
	case "minLength", "minItems", "minProperties":
		s[name] = int64(g.IntN(3))
	case "maxLength", "maxItems", "maxProperties":
		s[name] = int64(g.IntN(4))
	case "minimum", "maximum":
		s[name] = float64(g.IntN(7) - 2) // servers cut the fractions of limits off when they check integers
		if g.chance(30) {
			s["exclusive"+strings.ToUpper(name[:1])+name[1:]] = true
		}
	case "multipleOf":
		s[name] = pickOne(g, []any{1.0, 2.0, 4.0})
	case "pattern":
		s[name] = pickOne(g, patterns)
	case "format":
		s[name] = pickOne(g, stringKinds)
		if kind != "string" {
			s[name] = pickOne(g, []any{"int32", "int64"})
		}
	case "enum":
		values := []any{}
		for range 1 + g.IntN(4) {
			v := g.scalar(kind)
			if !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		s[name] = values
	}
}

// combination adds a condition that consists of others.
func (g *schemaGenerator) combination(s map[string]any, kind string) {
	part := func() any {
		p := map[string]any{}
		switch names := g.keywords(kind); {
		case kind == "object" && g.chance(70):
			for name := range s["properties"].(map[string]any) {
				if len(p) == 0 || name < p["required"].([]any)[0].(string) == g.chance(50) {
					p["required"] = []any{name}
				}
			}
		case len(names) > 0:
			g.condition(p, kind, pickOne(g, names))
		}
		return p
	}
	if _, ok := s["properties"]; kind == "boolean" || kind == "object" && !ok {
		return
	}
	switch name := pickOne(g, []string{"allOf", "allOf", "anyOf", "oneOf", "not"}); name {
	case "not":
		s[name] = part()
	default:
		s[name] = []any{part(), part()}
	}
}

func (g *schemaGenerator) scalar(kind string) any {
	switch kind {
	case "string":
		return pickOne(g, someStrings)
	case "integer":
		return int64(g.IntN(9) - 2)
	case "number":
		n := g.IntN(17) - 4
		if n%2 == 0 {
			return int64(n / 2)
		}
		return float64(n) / 2
	}
	return g.chance(50)
}

// object returns an object that fits a schema more or less.
func (g *schemaGenerator) object(root map[string]any) map[string]any {
	for range 3 {
		if object, ok := g.value(root, 0).(map[string]any); ok {
			return object
		}
	}
	return map[string]any{}
}

func (g *schemaGenerator) value(s map[string]any, depth int) any {
	switch {
	case s["nullable"] == true && g.chance(20), g.chance(1):
		return nil
	case g.chance(1):
		return g.anyValue(depth)
	}
	if values, ok := s["enum"].([]any); ok && g.chance(70) {
		return pickOne(g, values)
	}
	if s["x-kubernetes-int-or-string"] == true {
		return g.scalar(pickOne(g, []string{"string", "integer"}))
	}
	switch kind, _ := s["type"].(string); kind {
	case "array":
		items := s["items"].(map[string]any)
		list := []any{}
		for range g.IntN(4) {
			list = append(list, g.value(items, depth+1))
		}
		return list
	case "object":
		object := map[string]any{}
		properties, _ := s["properties"].(map[string]any)
		required, _ := s["required"].([]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if slices.Contains(required, any(name)) || g.chance(50) || depth == 0 {
				object[name] = g.value(properties[name].(map[string]any), depth+1)
			}
		}
		if s["x-kubernetes-embedded-resource"] == true {
			object["apiVersion"], object["kind"] = "v1", "Pod"
		}
		for range g.IntN(3) {
			name := pickOne(g, append(fieldNames, "x"))
			if properties[name] != nil {
				continue
			}
			switch additional := s["additionalProperties"].(type) {
			case map[string]any:
				object[name] = g.value(additional, depth+1)
			case bool:
				object[name] = g.anyValue(depth)
			default:
				if s["x-kubernetes-preserve-unknown-fields"] == true || g.chance(10) {
					object[name] = g.anyValue(depth)
				}
			}
		}
		return object
	case "":
		return g.anyValue(depth)
	default:
		return g.scalar(kind)
	}
}

func (g *schemaGenerator) anyValue(depth int) any {
	switch kind := pickOne(g, []string{"string", "integer", "number", "boolean", "object", "array", "null"}); {
	case kind == "null":
		return nil
	case depth > 5 || kind != "object" && kind != "array":
		return g.scalar(kind)
	case kind == "array":
		return []any{g.anyValue(depth + 1)}
	default:
		return map[string]any{pickOne(g, fieldNames): g.anyValue(depth + 1)}
	}
}

// A place is a schema within another one.
type place struct {
	schema map[string]any
	set    func(any) // replaces it
	depth  int
}

// places returns the schema and those in it, but for those of combinations.
func places(s map[string]any, set func(any), depth int) []place {
	all := []place{{s, set, depth}}
	if properties, ok := s["properties"].(map[string]any); ok {
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			all = append(all, places(properties[name].(map[string]any), func(v any) { properties[name] = v }, depth-1)...)
		}
	}
	for _, name := range []string{"items", "additionalProperties"} {
		if inner, ok := s[name].(map[string]any); ok {
			all = append(all, places(inner, func(v any) { s[name] = v }, depth-1)...)
		}
	}
	return all
}

// withoutElementDefaults deletes the defaults of elements of lists and values of maps, which only replace null, and
// those in values of maps, which servers do not check.
func withoutElementDefaults(root map[string]any) {
	for _, p := range places(root, func(any) {}, 4) {
		if items, ok := p.schema["items"].(map[string]any); ok {
			delete(items, "default")
		}
		if values, ok := p.schema["additionalProperties"].(map[string]any); ok {
			for _, inner := range places(values, func(any) {}, 4) {
				delete(inner.schema, "default")
			}
		}
	}
}

func (g *schemaGenerator) place(root map[string]any) place {
	return pickOne(g, places(root, func(any) {}, 4)[1:])
}

// kindOf returns the type of values that a schema has conditions for.
func (g *schemaGenerator) kindOf(s map[string]any) string {
	if kind, ok := s["type"].(string); ok {
		return kind
	}
	return pickOne(g, []string{"string", "integer"})
}

// change makes a random change in a schema, and says what it was.
func (g *schemaGenerator) change(root map[string]any) string {
	p := g.place(root)
	s := p.schema
	switch what := g.IntN(9); what {
	case 0:
		p.set(g.schema(max(p.depth-1, 0)))
		return "other schema"
	case 1, 2:
		kind := g.kindOf(s)
		if names := g.keywords(kind); len(names) > 0 {
			name := pickOne(g, names)
			g.condition(s, kind, name)
			return "set " + name
		}
	case 3:
		g.combination(s, g.kindOf(s))
		return "combination"
	case 4:
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(s)), func(name string) bool { return name == "type" || name == "items" })
		if len(names) > 0 {
			name := pickOne(g, names)
			delete(s, name)
			return "delete " + name
		}
	case 5:
		if properties, ok := s["properties"].(map[string]any); ok {
			name := pickOne(g, fieldNames)
			if properties[name] == nil || g.chance(50) {
				properties[name] = g.schema(max(p.depth-1, 0))
				return "set field " + name
			}
			delete(properties, name)
			return "delete field " + name
		}
	case 6:
		if _, ok := s["properties"].(map[string]any); ok {
			s["required"] = []any{pickOne(g, fieldNames)}
			return "set required"
		}
	case 7:
		if s["default"] = g.value(s, 0); s["default"] == nil {
			delete(s, "default")
		}
		return "set default"
	case 8:
		other := g.schemaOf(pickOne(g, []string{"string", "integer", "object", "map"}), max(p.depth-1, 1))
		if other["type"] == s["type"] {
			name := pickOne(g, slices.Sorted(maps.Keys(other)))
			s[name] = other[name]
			return "take " + name
		}
	}
	return "nothing"
}

// loosen makes a random change by which a schema accepts more, and says what it was.
func (g *schemaGenerator) loosen(root map[string]any) string {
	p := g.place(root)
	s := p.schema
	switch what := g.IntN(10); what {
	case 0, 1, 2:
		var names []string
		for _, name := range []string{"minLength", "maxLength", "pattern", "enum", "format", "minimum", "maximum", "multipleOf", "minItems", "maxItems", "minProperties", "maxProperties",
			"exclusiveMinimum", "exclusiveMaximum", "allOf", "anyOf", "oneOf", "not", "required"} {
			if s[name] != nil && !(name == "required" && s["properties"] == nil) {
				names = append(names, name)
			}
		}
		if len(names) == 0 {
			return "nothing"
		}
		name := pickOne(g, names)
		delete(s, name)
		if name == "minimum" || name == "maximum" {
			delete(s, "exclusive"+strings.ToUpper(name[:1])+name[1:])
		}
		return "delete " + name
	case 3:
		for _, name := range []string{"maxLength", "maxItems", "maxProperties"} {
			if n, ok := s[name].(int64); ok {
				s[name] = n + 1
				return "greater " + name
			}
		}
		for _, name := range []string{"minLength", "minItems", "minProperties"} {
			if n, ok := s[name].(int64); ok && n > 0 {
				s[name] = n - 1
				return "lesser " + name
			}
		}
		if n, ok := s["minimum"].(float64); ok {
			s["minimum"], s["exclusiveMinimum"] = n-1, g.chance(50)
			return "lesser minimum"
		}
		if n, ok := s["maximum"].(float64); ok {
			s["maximum"], s["exclusiveMaximum"] = n+1, g.chance(50)
			return "greater maximum"
		}
		if n, ok := s["multipleOf"].(float64); ok && n > 1 {
			s["multipleOf"] = n / 2
			return "half multipleOf"
		}
	case 4:
		if values, ok := s["enum"].([]any); ok {
			values = append(values, g.scalar(g.kindOf(s)))
			slices.SortFunc(values, func(a, b any) int { return strings.Compare(inJSON(a), inJSON(b)) })
			s["enum"] = slices.Compact(values)
			return "more in enum"
		}
	case 5:
		if s["default"] == nil { // which would no longer replace null
			s["nullable"] = true
			return "nullable"
		}
	case 6:
		properties, ok := s["properties"].(map[string]any)
		name := pickOne(g, fieldNames)
		if ok && properties[name] == nil && s["x-kubernetes-preserve-unknown-fields"] == nil {
			properties[name] = g.schema(max(p.depth-1, 0))
			delete(properties[name].(map[string]any), "default")
			return "new field " + name
		}
	case 7:
		if s["type"] == "integer" {
			s["type"] = "number"
			return "number"
		}
	case 8:
		for _, name := range []string{"allOf", "anyOf"} {
			if parts, ok := s[name].([]any); ok {
				if name == "allOf" {
					s[name] = parts[:1]
				} else {
					s[name] = append(parts, map[string]any{"minLength": int64(2), "minimum": 3.0})
				}
				return "looser " + name
			}
		}
		if s["type"] == "object" && s["properties"] != nil && s["x-kubernetes-preserve-unknown-fields"] == nil {
			s["x-kubernetes-preserve-unknown-fields"] = true
			return "preserve"
		}
	case 9:
		// A condition moves between the schema and its allOf, and is loosened there.
		if n, ok := s["maxLength"].(int64); ok {
			delete(s, "maxLength")
			parts, _ := s["allOf"].([]any)
			s["allOf"] = append(parts, map[string]any{"maxLength": n + int64(g.IntN(2))})
			return "maxLength into allOf"
		}
		if parts, ok := s["allOf"].([]any); ok {
			part := parts[0].(map[string]any)
			if n, ok := part["maxLength"].(int64); ok && s["maxLength"] == nil {
				part["maxLength"], s["maxLength"] = n+1, n
				return "maxLength out of allOf"
			}
		}
	}
	return "nothing"
}
