package crds_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubegen/kubegen/internal/files/crd"
)

var newDefaults = flag.Int("new-defaults", 1500, "number of random schemas that get a default")

// TestNewDefaults adds a default to a field of a schema with a random condition. If a server then refuses an object
// that it took before, a change must be listed.
func TestNewDefaults(t *testing.T) {
	var schemas, listed, refused int
	for seed := uint64(0); schemas < *newDefaults; seed++ {
		g := &schemaGenerator{Rand: rand.New(rand.NewPCG(seed, 5))}
		before := g.withCondition()
		after := deepCopy(before)
		if !g.addDefault(after) {
			continue
		}
		was, is := newServer(t, before), newServer(t, after)
		if was == nil || is == nil {
			continue
		}
		schemas++
		changes := crd.SchemaChanges(parseSchema(t, before), parseSchema(t, after))
		if len(changes) > 0 {
			listed++
		}
		for range 60 {
			object := g.object(before)
			if was.take(object) != "" {
				continue
			}
			if why := is.take(runtime.DeepCopyJSON(object)); why != "" {
				if refused++; len(changes) == 0 {
					t.Errorf("seed %d: nothing is listed, but %s is refused: %s\nold %s\nnew %s", seed, inJSON(object), why, inJSON(before), inJSON(after))
				}
				break
			}
		}
	}
	fmt.Printf("new defaults: %d schemas, %d with changes, of which objects show %d\n", schemas, listed, refused)
	if refused < schemas/50 || listed > schemas*3/4 {
		t.Error("the random schemas are worthless")
	}
}

// withCondition returns the schema of a kind with a few fields and a condition on them at one of three levels.
func (g *schemaGenerator) withCondition() map[string]any {
	leaves := func() map[string]any {
		return map[string]any{
			"a":        map[string]any{"type": "string"},
			"b":        map[string]any{"type": "integer"},
			"max-used": map[string]any{"type": "string"},
		}
	}
	p, q := map[string]any{"type": "object", "properties": leaves()}, map[string]any{"type": "object", "properties": leaves()}
	item := map[string]any{"type": "object", "properties": leaves(), "x-kubernetes-map-type": "atomic"}
	list := map[string]any{"type": "array", "maxItems": int64(3), "items": item, "x-kubernetes-list-type": pickOne(g, []string{"atomic", "set"})}
	spec := map[string]any{"type": "object", "properties": leaves()}
	maps.Copy(spec["properties"].(map[string]any), map[string]any{"p": p, "q": q, "list": list})
	root := map[string]any{"type": "object", "properties": map[string]any{"spec": spec}}
	at := pickOne(g, []struct {
		schema map[string]any
		paths  [][]string
	}{
		{root, [][]string{{"spec"}, {"spec", "a"}, {"spec", "p"}, {"spec", "p", "a"}}},
		{spec, [][]string{{"a"}, {"b"}, {"max-used"}, {"p"}, {"p", "a"}, {"q", "max-used"}, {"list"}}},
		{p, [][]string{{"a"}, {"b"}}}, {item, [][]string{{"a"}, {"b"}}},
	})
	if g.chance(50) {
		g.rule(at.schema, at.paths)
	} else {
		maps.Copy(at.schema, g.junction(at.paths, 2))
	}
	return root
}

// rule adds a rule about one of the paths.
func (g *schemaGenerator) rule(s map[string]any, paths [][]string) {
	text := ""
	switch path := pickOne(g, paths); {
	case s["properties"].(map[string]any)["list"] != nil && g.chance(30):
		text = pickOne(g, []string{
			"self.list.all(x, !has(x.a))", "!has(self.list) || self.list.exists(x, has(x.b))", "self.list.all(x, self.list.exists_one(y, x == y))",
			"!has(self.p) || !has(self.q) || self.p != self.q", "self.?p.a.orValue('x') == 'x'", "!has(self.p) || self.q == self.p",
		})
	default:
		guard, at := "", "self"
		for _, name := range path {
			if name == "max-used" {
				name = "max__dash__used"
			}
			at += "." + name
			guard += "!has(" + at + ") || "
		}
		text = guard + pickOne(g, []string{"false", at + " == " + at})
		if path[len(path)-1] == "a" {
			text = guard + at + pickOne(g, []string{".startsWith('a')", " == 'ab'", " !=\n'b'"})
		}
		if g.chance(20) {
			text = "!(" + text + ")"
		}
	}
	s["x-kubernetes-validations"] = []any{map[string]any{"rule": text, "message": "no"}}
}

// junction returns a condition on one or two of the paths.
func (g *schemaGenerator) junction(paths [][]string, depth int) map[string]any {
	leaf := func() map[string]any {
		path := pickOne(g, paths)
		name := path[len(path)-1]
		s := map[string]any{"required": []any{name}}
		switch {
		case name == "a" && g.chance(40):
			s = map[string]any{"properties": map[string]any{name: map[string]any{"maxLength": int64(g.IntN(3))}}}
		case g.chance(20):
			s = map[string]any{pickOne(g, []string{"maxProperties", "minProperties"}): int64(g.IntN(3))}
		}
		for _, outer := range slices.Backward(path[:len(path)-1]) {
			s = map[string]any{"properties": map[string]any{outer: s}}
		}
		return s
	}
	part := func() any {
		if depth > 0 && g.chance(30) {
			return g.junction(paths, depth-1)
		}
		return leaf()
	}
	switch name := pickOne(g, []string{"not", "oneOf", "anyOf", "allOf"}); name {
	case "not":
		return map[string]any{name: part()}
	default:
		return map[string]any{name: []any{part(), part()}}
	}
}

// addDefault adds a default to a field.
func (g *schemaGenerator) addDefault(root map[string]any) bool {
	all := slices.DeleteFunc(places(root, func(any) {}, 4)[1:], func(p place) bool {
		return p.schema["type"] == "array" || p.schema["x-kubernetes-map-type"] != nil
	})
	s := pickOne(g, all).schema
	s["default"] = g.value(s, 1)
	if object, ok := s["default"].(map[string]any); ok {
		delete(object, "list") // servers do not check sets in defaults
	}
	return s["default"] != nil
}
