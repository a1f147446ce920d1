package e2e

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// This file is the model of the parts of a Site that have the same place in all versions. A model is an object with the
// fields of all versions at once. It knows nothing of conversions: what a version shows are its own fields, a write
// in a version changes what the client changes there, and sets defaults of this version and of the stored one.

// A part is a value in a Site: an object, a list, a map, or a text if it has no fields and no elements.
type part struct {
	fields   []partField
	elements *part
	isMap    bool
	isKeyed  bool // the elements of a list have keys
}

type partField struct {
	name     string
	only     string // the version that has the field, or "" if all have it
	defaults map[string]string
	*part
}

// has reports whether a version has a field.
func (f *partField) has(version string) bool { return f.only == "" || f.only == version }

func text(name string, defaults ...string) partField {
	f := partField{name: name, part: &part{}, defaults: map[string]string{}}
	for i := 0; i < len(defaults); i += 2 {
		f.defaults[defaults[i]] = defaults[i+1]
	}
	return f
}

// own returns the field that only one version has, for each version.
func own(defaults ...string) (fields []partField) {
	for version, name := range map[string]string{"v1": "note", "v1beta1": "alias", "v1alpha1": "tag"} {
		f := text(name, defaults...)
		f.only = version
		fields = append(fields, f)
	}
	slices.SortFunc(fields, func(a, b partField) int { return strings.Compare(a.name, b.name) })
	return fields
}

func structOf(fields ...[]partField) *part { return &part{fields: slices.Concat(fields...)} }

// number is a field that each element has that is found by its values, or by keys.
var number = text("number")

// siteParts are the parts, as the packages below apis/sites declare them.
var siteParts = func() *part {
	probe := structOf(own("v1beta1", "probe"), []partField{text("path", "v1", "/v1")})
	port := structOf(own("v1", "noted", "v1alpha1", "tagged"), []partField{
		number, text("protocol", "v1beta1", "TCP", "v1alpha1", "UDP"), text("mode", "v1alpha1", "host"), text("scheme", "v1", "http"),
		{name: "probe", part: probe},
	})
	ports := &part{elements: port}
	inside := partField{name: "ports", part: ports}
	service := structOf(own("v1alpha1", "tagged"), []partField{number, text("protocol", "v1", "TCP", "v1alpha1", "UDP"), text("label"), inside})
	zone := structOf(own("v1beta1", "zone"), []partField{text("size", "v1", "small"), inside})
	rack := structOf(own(), []partField{number, text("label", "v1beta1", "rack"), inside})
	limits := structOf(own("v1", "limited"), []partField{text("cpu", "v1alpha1", "1"), text("memory", "v1beta1", "1Gi")})
	return structOf([]partField{
		{name: "ports", part: ports},
		{name: "services", part: &part{elements: service, isKeyed: true}},
		{name: "zones", part: &part{elements: zone, isMap: true}},
		{name: "sets", part: &part{elements: ports, isMap: true}},
		{name: "rows", part: &part{elements: ports}},
		{name: "racks", part: &part{elements: rack}},
		{name: "limits", part: limits},
	})
}()

// shown returns what a version shows of a value.
func (p *part) shown(v any, version string) any {
	switch v := v.(type) {
	case map[string]any:
		shown := map[string]any{}
		for name, element := range v {
			if of, ok := p.at(name, version); ok {
				shown[name] = of.shown(element, version)
			}
		}
		return shown
	case []any:
		shown := make([]any, len(v))
		for i, element := range v {
			shown[i] = p.elements.shown(element, version)
		}
		return shown
	}
	return v
}

// comparable returns a value that a version shows without what is empty, and with lists that have keys in their order.
func (p *part) comparable(v any, version string) any {
	switch v := v.(type) {
	case map[string]any:
		compared := map[string]any{}
		for name, element := range v {
			of, _ := p.at(name, version)
			if element = of.comparable(element, version); element != nil {
				compared[name] = element
			}
		}
		if len(compared) > 0 {
			return compared
		}
		return nil
	case []any:
		var compared []any
		for _, element := range v {
			compared = append(compared, p.elements.comparable(element, version))
		}
		if p.isKeyed {
			slices.SortFunc(compared, func(a, b any) int { return cmp.Compare(identityOf(a), identityOf(b)) })
		}
		if len(compared) > 0 {
			return compared
		}
		return nil
	}
	return v
}

// at returns what is at a name in an object or a map of a version.
func (p *part) at(name, version string) (*part, bool) {
	if p.isMap {
		return p.elements, true
	}
	for i := range p.fields {
		if f := &p.fields[i]; f.name == name && f.has(version) {
			return f.part, true
		}
	}
	return &part{}, false
}

// setStructs sets the structs that are in the JSON of each object that was converted, although they are empty.
func (p *part) setStructs(v any) {
	each(v, p, func(p *part, o map[string]any) {
		for _, f := range p.fields {
			if f.fields != nil && o[f.name] == nil {
				o[f.name] = map[string]any{}
			}
		}
	})
}

// setDefaults sets the defaults of a version.
func (p *part) setDefaults(v any, version string) {
	each(v, p, func(p *part, o map[string]any) {
		for _, f := range p.fields {
			if value := f.defaults[version]; value != "" && f.has(version) && o[f.name] == nil {
				o[f.name] = value
			}
		}
	})
}

// each visits an object, and then the ones in it.
func each(v any, p *part, visit func(*part, map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		if p.isMap {
			for _, element := range v {
				each(element, p.elements, visit)
			}
			return
		}
		visit(p, v)
		for _, f := range p.fields {
			each(v[f.name], f.part, visit)
		}
	case []any:
		for _, element := range v {
			each(element, p.elements, visit)
		}
	}
}

// identityOf returns the numbers by which the test tells elements of a list apart.
func identityOf(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return fmt.Sprintf("%09d", v["number"])
	case []any:
		numbers := ""
		for _, element := range v {
			numbers += identityOf(element)
		}
		return numbers
	}
	return ""
}

// A partClient changes parts in a version at random. It changes elements without keys as follows: it inserts new ones,
// removes and moves them, and changes a value that each of them has, which makes another element of it: the fields that
// the version does not show are gone. In other words, it does nothing that leaves open which element is which:
//
//   - New elements have a number that none ever had. So no element comes back as long as the annotation still has it.
//   - It may insert two elements with one number, which only differ in other values, if at all. It removes both or none,
//     and moves nothing in a list that has any.
//   - It does not change a list in an element without keys, except for a new number of the element.
type partClient struct {
	*rand.Rand
	version string
	last    *int64 // number
	removes bool   // what the request leaves out is removed from objects, maps and lists with keys
}

func (c *partClient) chance(percent int) bool { return c.IntN(100) < percent }

// value returns a new value. All that is in lists has no element that is empty.
func (c *partClient) value(p *part) any {
	switch {
	case p.isMap:
		v := map[string]any{}
		for range c.IntN(3) {
			c.put(v, p)
		}
		return v
	case p.elements != nil:
		v := []any{}
		for range 1 + c.IntN(3) {
			v = append(v, c.newElements(p)...)
		}
		return v
	case p.fields == nil:
		return fmt.Sprintf("t%d", c.IntN(1000))
	}
	v := map[string]any{}
	for _, f := range p.fields {
		switch {
		case f.name == "number":
			*c.last++
			v[f.name] = *c.last
		case f.has(c.version) && c.chance(50):
			v[f.name] = c.value(f.part)
		}
	}
	return v
}

// put puts a new element into a map.
func (c *partClient) put(v map[string]any, p *part) {
	*c.last++
	v[fmt.Sprintf("k.%d", *c.last)] = c.value(p.elements)
}

// newElements returns new elements of a list: one, or two with the same number.
func (c *partClient) newElements(p *part) []any {
	one := c.value(p.elements)
	first, isObject := one.(map[string]any)
	if p.isKeyed || !isObject || c.chance(75) {
		return []any{one}
	}
	second := c.value(p.elements).(map[string]any)
	second["number"] = first["number"]
	if c.chance(50) {
		maps.DeleteFunc(second, func(name string, _ any) bool {
			return !slices.Contains([]string{"number", "note", "alias", "tag"}, name)
		})
	}
	return []any{first, second}
}

// change returns a changed value. The former one may be nil.
func (c *partClient) change(v any, p *part) any {
	switch {
	case v == nil || p.elements == nil && p.fields == nil:
		return c.value(p)
	case p.isMap:
		v := v.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			switch {
			case c.removes && c.chance(15):
				delete(v, name)
			case c.chance(40):
				v[name] = c.change(v[name], p.elements)
			}
		}
		c.put(v, p)
		return v
	case p.elements != nil:
		return c.changeList(v.([]any), p)
	}
	o := v.(map[string]any)
	for _, f := range p.fields {
		isKey := f.name == "number" || f.name == "protocol"
		switch _, ok := o[f.name]; {
		case isKey || !f.has(c.version):
		case ok && c.removes && f.fields == nil && c.chance(15):
			delete(o, f.name)
		case c.chance(40):
			o[f.name] = c.change(o[f.name], f.part)
		}
	}
	return o
}

func (c *partClient) changeList(list []any, p *part) []any {
	count := map[string]int{}
	for _, element := range list {
		count[identityOf(element)]++
	}
	var changed []any
	removed := map[string]bool{}
	for _, element := range list {
		id := identityOf(element)
		if _, decided := removed[id]; !decided {
			removed[id] = (c.removes || !p.isKeyed) && c.chance(15)
		}
		switch {
		case removed[id]:
		case p.isKeyed && c.chance(40):
			changed = append(changed, c.change(element, p.elements))
		case !p.isKeyed && count[id] == 1 && c.chance(15):
			changed = append(changed, c.renumbered(p.elements.shown(element, c.version)))
		default:
			changed = append(changed, element)
		}
	}
	if len(count) == len(list) && c.chance(30) {
		c.Shuffle(len(changed), func(i, j int) { changed[i], changed[j] = changed[j], changed[i] })
	}
	if c.chance(50) {
		changed = slices.Insert(changed, c.IntN(len(changed)+1), c.newElements(p)...)
	}
	return changed
}

// renumbered gives elements new numbers: an element, or the ones in it, if it is a list itself.
func (c *partClient) renumbered(v any) any {
	switch v := v.(type) {
	case map[string]any:
		*c.last++
		v["number"] = *c.last
	case []any:
		for i := range v {
			v[i] = c.renumbered(v[i])
		}
	}
	return v
}
