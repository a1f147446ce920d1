package crds_test

import (
	"encoding/base64"
	"maps"
	"math"
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// valueGenerator makes objects that are valid by a schema, nearly always, with values at the edges of what the schema
// allows. Schemas are decoded JSON.
type valueGenerator struct{ *rand.Rand }

func (g *valueGenerator) chance(percent int) bool { return g.IntN(100) < percent }

// object returns an object of the kind with a schema.
func (g *valueGenerator) object(schema map[string]any, apiVersion, kind string) map[string]any {
	object, _ := g.value(schema, 0).(map[string]any)
	if object == nil {
		object = map[string]any{}
	}
	object["apiVersion"], object["kind"] = apiVersion, kind
	object["metadata"] = map[string]any{"name": "a", "namespace": "b", "labels": map[string]any{"c": ""}}
	return object
}

func number(s map[string]any, key string, otherwise float64) float64 {
	switch n := s[key].(type) {
	case float64:
		return n
	case int64:
		return float64(n)
	}
	return otherwise
}

func (g *valueGenerator) value(s map[string]any, depth int) any {
	if s["nullable"] == true && g.chance(10) {
		return nil
	}
	if values, ok := s["enum"].([]any); ok && len(values) > 0 {
		return values[g.IntN(len(values))]
	}
	switch {
	case s["x-kubernetes-embedded-resource"] == true:
		return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "a"}, "spec": map[string]any{}}
	case s["x-kubernetes-int-or-string"] == true && g.chance(50):
		return int64(g.IntN(100))
	case s["x-kubernetes-int-or-string"] == true && s["pattern"] == quantityPattern: // which also matches exponents that are no integers, as no quantity has them
		return []string{"1", "100m", "0.5", "-1Gi", "1e3", "+10", ".5k", "1E"}[g.IntN(8)]
	case s["x-kubernetes-int-or-string"] == true:
		return g.text(s)
	}
	switch s["type"] {
	case "object":
		return g.structure(s, depth)
	case "array":
		return g.list(s, depth)
	case "string":
		return g.text(s)
	case "integer":
		return g.integer(s)
	case "number":
		least, most := number(s, "minimum", -1e6), number(s, "maximum", 1e6)
		edges := []float64{least, most, least + (most-least)*g.Float64(), math.Trunc(least + (most-least)/2)}
		return edges[g.IntN(len(edges))]
	case "boolean":
		return g.chance(50)
	}
	return []any{"any", int64(1), true, 0.5, map[string]any{"x": []any{}}, []any{nil}}[g.IntN(6)]
}

// structure returns an object; what is deep in it is rarely there.
func (g *valueGenerator) structure(s map[string]any, depth int) any {
	object := map[string]any{}
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	often := []int{90, 60, 45, 30, 20, 15}[min(depth, 5)]
	if len(properties) > 30 {
		often /= 2
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(required, any(name)) || g.chance(often) {
			if of, ok := properties[name].(map[string]any); ok {
				object[name] = g.value(of, depth+1)
			}
		}
	}
	names := []string{"a", "B-c", "d.e/f", "", "été", "0"}
	switch additional := s["additionalProperties"].(type) {
	case map[string]any:
		for range max(int(number(s, "minProperties", 0)), g.IntN(3)) {
			object[names[g.IntN(len(names))]] = g.value(additional, depth+1)
		}
	case bool:
		object["x"] = map[string]any{"y": []any{int64(1)}}
	default:
		if s["x-kubernetes-preserve-unknown-fields"] == true && g.chance(60) {
			object["unknown-field"] = map[string]any{"y": []any{int64(1), nil}, "z": "<&>"}
		}
	}
	return object
}

func (g *valueGenerator) list(s map[string]any, depth int) any {
	list := []any{}
	items, _ := s["items"].(map[string]any)
	length := g.IntN(3)
	if depth > 4 {
		length = g.IntN(2)
	}
	for range min(max(length, int(number(s, "minItems", 0))), int(number(s, "maxItems", 1<<20))) {
		list = append(list, g.value(items, depth+1))
	}
	return list
}

func (g *valueGenerator) integer(s map[string]any) any {
	least, most := int64(math.MinInt64), int64(math.MaxInt64)
	if s["format"] == "int32" {
		least, most = math.MinInt32, math.MaxInt32
	}
	if n := number(s, "minimum", math.Inf(-1)); n > float64(least) {
		least = int64(math.Ceil(n))
		if s["exclusiveMinimum"] == true {
			least++
		}
	}
	if n := number(s, "maximum", math.Inf(1)); n < float64(most) {
		most = int64(math.Floor(n))
		if s["exclusiveMaximum"] == true {
			most--
		}
	}
	edges := []int64{least, most, 0, 1, 1<<53 + 1, 10}
	n := edges[g.IntN(len(edges))]
	if of := int64(number(s, "multipleOf", 0)); of > 0 {
		n -= n % of
	}
	return min(max(n, least), most)
}

// text returns a string.
func (g *valueGenerator) text(s map[string]any) any {
	format, _ := s["format"].(string)
	switch strings.ReplaceAll(format, "-", "") {
	case "byte":
		return base64.StdEncoding.EncodeToString([]byte("bytes \x00\xff")[:1+g.IntN(8)])
	case "datetime":
		return []string{"2024-02-29T12:00:00Z", "1999-12-31T23:59:59.123456+02:00", "2024-01-01T00:00:00-11:30"}[g.IntN(3)]
	case "date":
		return "2024-02-29"
	case "duration":
		return []string{"1h", "30s", "1h30m0s"}[g.IntN(3)]
	case "ipv4":
		return "10.0.0.1"
	case "ipv6":
		return "fd00::1"
	case "ip":
		return "10.0.0.1"
	case "cidr":
		return "10.0.0.0/8"
	case "uri":
		return "https://example.com/a?b=c#d"
	case "email":
		return "a@example.com"
	case "uuid", "uuid3", "uuid4", "uuid5":
		return "6ba7b810-9dad-41d1-80b4-00c04fd430c8"
	case "hostname", "k8sshortname", "k8slongname":
		return "example"
	case "mac":
		return "02:00:00:00:00:01"
	}
	least, most := int(number(s, "minLength", 0)), int(number(s, "maxLength", 1<<20))
	text := []string{"", "a", "a-b", "A b\tc\n", "été ✓ 😀", "<&>\u2028\"\\`'", "+genclient", "0", "null", "1h", "10Gi"}[g.IntN(11)]
	if pattern, ok := s["pattern"].(string); ok {
		if parsed, err := syntax.Parse(pattern, syntax.Perl); err == nil {
			var b strings.Builder
			g.match(&b, parsed.Simplify())
			text = b.String()
		}
	}
	for n := utf8.RuneCountInString(text); n < least; n++ {
		text += "a"
	}
	for utf8.RuneCountInString(text) > most {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}

// match writes a text that a regular expression matches, unless it asks for more than that.
func (g *valueGenerator) match(b *strings.Builder, r *syntax.Regexp) {
	repeat := func(least, most int) {
		for range least + g.IntN(most-least+1) {
			g.match(b, r.Sub[0])
		}
	}
	switch r.Op {
	case syntax.OpLiteral:
		b.WriteString(string(r.Rune))
	case syntax.OpCharClass:
		i := 2 * g.IntN(len(r.Rune)/2)
		low, high := r.Rune[i], min(r.Rune[i+1], r.Rune[i]+20)
		b.WriteRune(low + rune(g.IntN(int(high-low)+1)))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte(byte('a' + g.IntN(26)))
	case syntax.OpCapture:
		g.match(b, r.Sub[0])
	case syntax.OpStar:
		repeat(0, 2)
	case syntax.OpPlus:
		repeat(1, 3)
	case syntax.OpQuest:
		repeat(0, 1)
	case syntax.OpRepeat:
		most := r.Max
		if most < 0 {
			most = r.Min + 2
		}
		repeat(r.Min, min(most, r.Min+3))
	case syntax.OpConcat:
		for _, sub := range r.Sub {
			g.match(b, sub)
		}
	case syntax.OpAlternate:
		g.match(b, r.Sub[g.IntN(len(r.Sub))])
	}
}
