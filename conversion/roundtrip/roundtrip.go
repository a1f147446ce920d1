// Package roundtrip tests that conversions between a version of a kind and its hub lose nothing, with random objects
// and the steps of API servers. Tests that kubegen generates call it.
package roundtrip

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/conversion"
)

// Versions describes the conversions between a version of a kind and its hub.
type Versions[Spoke, Hub any] struct {
	To   func(*Spoke, *Hub, conversion.Scope) error
	From func(*Hub, *Spoke, conversion.Scope) error
	// Defaults and HubDefaults are the schemas of the versions in JSON, as in CustomResourceDefinitions; only
	// properties, items, additionalProperties and default have a meaning.
	Defaults, HubDefaults string
	// GivenUp and HubGivenUp are paths of fields, such as ".spec.ports[].name", that markers exclude from the
	// conversion.
	GivenUp, HubGivenUp []string
	// Fillers are functions of a *T and a randfill.Continue that fill values of a type T with values that the
	// conversions accept.
	Fillers []any
}

// How many objects are tested: random ones up to the first of two limits, but at least a number, and ones with or
// without a single field.
const (
	randomObjects = 1000
	randomBytes   = 1 << 20 // in JSON
	leastObjects  = 100
	singleBytes   = 2 << 20
)

// Test converts objects of the version to the hub and back, and hubs to the version and back, as API servers do for
// an update of what was read: as JSON, and with defaults. It reports each field that is lost. The objects are random
// ones, as well as ones with a single field, and with all fields but one. Always the same objects are tested.
func Test[Spoke, Hub any](t *testing.T, v Versions[Spoke, Hub]) {
	t.Helper()
	test(t, v)
}

// reporter is a *testing.T, or what a test of this package has instead.
type reporter interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

func test[Spoke, Hub any](t reporter, v Versions[Spoke, Hub]) {
	t.Helper()
	for _, path := range v.GivenUp {
		t.Logf("%T: %s is given up by a marker", new(Spoke), path)
	}
	for _, path := range v.HubGivenUp {
		t.Logf("%T: %s is given up by a marker", new(Hub), path)
	}
	fill := newFiller(v.Fillers, reflect.TypeFor[Spoke](), reflect.TypeFor[Hub]())
	spoke, hub := newDefaults(t, v.Defaults), newDefaults(t, v.HubDefaults)
	there := &direction[Spoke, Hub]{t, v.To, v.From, spoke, hub, v.GivenUp, map[string]string{}}
	back := &direction[Hub, Spoke]{t, v.From, v.To, hub, spoke, v.HubGivenUp, map[string]string{}}
	there.test(fill)
	back.test(fill)
}

// direction is a conversion there and back.
type direction[From, To any] struct {
	reporter
	there      func(*From, *To, conversion.Scope) error
	back       func(*To, *From, conversion.Scope) error
	defaults   *defaults // of From
	toDefaults *defaults
	givenUp    []string
	lost       map[string]string // values by path
}

func (d *direction[From, To]) test(fill *filler) {
	d.Helper()
	size := 0
	for seed := range int64(randomObjects) {
		if size > randomBytes && seed >= leastObjects {
			break
		}
		object := new(From)
		fill.random(seed, object)
		size += d.convert(object, true)
	}
	object, size := new(From), 0
	single := func() {
		if size < singleBytes {
			size += d.convert(object, false)
		}
	}
	fill.eachAlone(reflect.ValueOf(object).Elem(), reflect.TypeFor[To](), single)
	fill.complete(object)
	eachMissing(reflect.ValueOf(object).Elem(), reflect.TypeFor[To](), single)
	for _, field := range slices.Sorted(maps.Keys(d.lost)) {
		d.Errorf("%T to %T and back: %s is lost: %s", new(From), new(To), field, d.lost[field])
	}
}

// convert converts an object there and back, without defaults and, if there are any, with them. It returns the size
// of the object in JSON. Functions may refuse an object that is not filled by the functions for that.
func (d *direction[From, To]) convert(original *From, filled bool) int {
	d.Helper()
	object, w := throughJSON(throughJSON(original)), &walk{d.lost, d.givenUp}
	if result := d.thereAndBack(object, nil, filled); result != nil {
		w.compare("", reflect.ValueOf(*object), reflect.ValueOf(*result))
	}
	if d.defaults != nil || d.toDefaults != nil {
		object = throughJSON(applied(d.defaults, object))
		if result := d.thereAndBack(object, d.toDefaults, filled); result != nil {
			w.contains("", reflect.TypeFor[From](), treeOf(object), treeOf(result))
		}
	}
	return len(jsonOf(object))
}

// thereAndBack returns an object that was converted, got defaults, and was converted back, or nil if a function refuses
// it.
func (d *direction[From, To]) thereAndBack(object *From, toDefaults *defaults, filled bool) *From {
	d.Helper()
	converted, result, before := new(To), new(From), jsonOf(object)
	err := d.there(object, converted, nil)
	if err == nil {
		err = d.back(throughJSON(applied(toDefaults, converted)), result, nil)
	}
	switch {
	case err != nil && !filled:
		return nil
	case err != nil:
		d.Fatalf("%T to %T and back: %v: %s", object, converted, err, before)
	}
	if after := jsonOf(object); after != before {
		d.Fatalf("%T to %T and back changes the original from %s to %s", object, converted, before, after)
	}
	return throughJSON(result)
}

// applied returns an object with defaults.
func applied[T any](d *defaults, object *T) *T {
	if d == nil {
		return object
	}
	tree := treeOf(object)
	d.apply(tree)
	again := new(T)
	if text, err := json.Marshal(tree); err != nil || json.Unmarshal(text, again) != nil {
		return object // its type refuses the defaults or random values
	}
	return again
}

// throughJSON returns an object that is read from the JSON of another one. For a type that refuses random values, it
// returns the same object. The first time, null may set a pointer.
func throughJSON[T any](object *T) *T {
	if again := new(T); json.Unmarshal([]byte(jsonOf(object)), again) == nil {
		return again
	}
	return object
}

// jsonOf returns a value in JSON, or the error.
func jsonOf(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// treeOf returns a value as encoding/json decodes it, with all digits of numbers.
func treeOf(value any) (tree any) {
	decoder := json.NewDecoder(strings.NewReader(jsonOf(value)))
	decoder.UseNumber()
	_ = decoder.Decode(&tree) // no value for an error
	return tree
}
