package crdtest

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxBytes is the maximum size of objects that are built. Larger ones would be of no use in a file for people.
const maxBytes = 8 << 10

// An attempt is an object, or the update of one, with the errors for it. The key is of the expected error, or ""
// if the initial object is refused.
type attempt struct {
	initial, updated map[string]any
	errs             field.ErrorList
	key              string
}

// object returns the object with the errors.
func (a *attempt) object() map[string]any {
	if a.updated != nil {
		return a.updated
	}
	return a.initial
}

// builder builds objects of a version: one that is valid, and others that violate a constraint. It tries values that
// are likely to, and then changes objects at random, always in the same way, until the server's code agrees.
type builder struct {
	*schemas
	version string
	schema  *apiextensionsv1.JSONSchemaProps
	values
	base  map[string]any  // a valid object with few fields
	hosts map[string]host // by path
}

// A host is an object that has a value at a path.
type host struct {
	object map[string]any
	valid  bool
}

func newBuilder(on *schemas, version string) (*builder, error) {
	b := &builder{schemas: on, version: version, values: newValues(), hosts: map[string]host{}}
	for _, v := range on.definition.Spec.Versions {
		if v.Name == version {
			b.schema = v.Schema.OpenAPIV3Schema
		}
	}
	var first field.ErrorList
	for i := range 6 {
		o, _ := b.value(b.schema, i).(map[string]any)
		o = b.typed(o)
		delete(o, "metadata")
		a := b.repaired(o, b.whole, nil, nil, 300)
		if len(a.errs) == 0 {
			b.base = b.reduced(a.object(), b.isValid)
			b.hosts[""] = host{b.base, true}
			return b, nil
		} else if first == nil {
			first = a.errs
		}
	}
	return nil, fmt.Errorf("no valid object is found, so write its suite by hand; one of those tried is refused: %w", first[0])
}

// typed sets the kind of an object.
func (b *builder) typed(o map[string]any) map[string]any {
	if o == nil {
		o = map[string]any{}
	}
	o["apiVersion"], o["kind"] = b.definition.Spec.Group+"/"+b.version, b.definition.Spec.Names.Kind
	return o
}

// try creates and updates objects as tests do.
func (b *builder) try(initial, updated map[string]any) *attempt {
	a := &attempt{initial: initial, updated: updated, key: "expectedError"}
	stored, why, err := b.create(named(initial), updated != nil)
	switch {
	case err != nil || updated == nil:
		a.errs = listed(why, err)
		return a
	case why != nil:
		a.errs, a.key = listed(why, nil), "" // it is no test
		return a
	}
	after, why, err := b.update(named(updated), stored, "")
	if a.errs = listed(why, err); len(a.errs) > 0 {
		return a
	}
	if status, ok := updated["status"]; ok && b.hasStatus(b.version) {
		withStatus := after.DeepCopy()
		withStatus.Object["status"] = runtime.DeepCopyJSONValue(status)
		_, why, err = b.update(withStatus, after, "status")
		a.errs, a.key = listed(why, err), "expectedStatusError"
	}
	return a
}

// named returns an object with a name.
func named(o map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(o)}
	if u.GetName() == "" {
		u.SetName("test")
	}
	return u
}

// listed returns the errors of a server.
func listed(why, err error) field.ErrorList {
	if refusal, ok := why.(*refused); ok {
		return refusal.errs
	}
	if why == nil {
		why = err
	}
	if why == nil {
		return nil
	}
	return field.ErrorList{field.InternalError(nil, why)}
}

// whole tries an object: it creates it, and sets its status if that is a subresource.
func (b *builder) whole(o map[string]any) *attempt {
	if _, ok := o["status"]; !ok || !b.hasStatus(b.version) {
		return b.try(o, nil)
	}
	initial := maps.Clone(o)
	delete(initial, "status")
	return b.try(initial, o)
}

func (b *builder) isValid(o map[string]any) bool { return len(b.whole(o).errs) == 0 }

// far is more than the number of errors of an object.
const far = 1 << 20

// cost measures how far an object is from a valid one, or from one that violates only a constraint. Servers evaluate
// rules only if there are no other errors.
func cost(c *Constraint, errs field.ErrorList) (n int) {
	violated := c == nil
	for _, err := range errs {
		switch unchecked := strings.Contains(err.Detail, "rules were not checked"); {
		case c != nil && c.isViolated(err):
			violated = true
		case !unchecked:
			n++
		case c == nil || c.rule != nil:
			n += far
		}
	}
	if !violated {
		n += far
	}
	return n
}

// repaired changes an object, which keeps a value at the steps, and tries it, until it is valid, or violates only a
// constraint.
func (b *builder) repaired(o map[string]any, try func(map[string]any) *attempt, c *Constraint, keep []string, tries int) *attempt {
	a := try(o)
	for i := 0; i < tries && cost(c, a.errs) > 0; i++ {
		wrong := slices.DeleteFunc(slices.Clone(a.errs), func(err *field.Error) bool { return c != nil && c.isViolated(err) })
		next := runtime.DeepCopyJSON(a.object())
		for range 1 + b.rand.IntN(2) {
			b.repair(next, wrong[b.rand.IntN(len(wrong))])
		}
		b.typed(next)
		if _, ok := valueAt(next, keep); !ok {
			continue
		}
		if after := try(next); cost(c, after.errs) <= cost(c, a.errs) {
			a = after
		}
	}
	return a
}

// repair changes something at the place of an error, or around it.
func (b *builder) repair(o map[string]any, err *field.Error) {
	steps := stepsOf(err)
	if err.Type == field.ErrorTypeRequired && len(steps) > 0 && b.rand.IntN(4) > 0 {
		last := len(steps) - 1
		s := b.at(steps)
		edit(o, steps[:last], func(v any) any {
			if m, ok := v.(map[string]any); ok && s != nil {
				m[steps[last]] = b.value(s, b.rand.IntN(3))
			}
			return v
		})
		return
	}
	up := 0
	for up < len(steps) && b.rand.IntN(3) == 0 {
		up++
	}
	for ; up <= len(steps); up++ {
		to := steps[:len(steps)-up]
		s := b.at(to)
		if s == nil {
			continue
		}
		focus := wordsOf(s)
		for _, rule := range s.XValidations { // the one that failed
			if isOf(err, &rule) {
				focus = wordsIn(rule)
			}
		}
		for _, step := range steps[len(to):] {
			focus.words[step] = true
		}
		if _, ok := edit(o, to, func(v any) any { return b.changed(v, s, focus) }); ok {
			return
		}
	}
}

// quotedPath matches the path that begins the message of an error of the whole object or status.
var quotedPath = regexp.MustCompile(`^"([^"]*)" must`)

// step matches a step of a path such as properties[spec].required[0].
var step = regexp.MustCompile(`\[[^\]]*\]|[^.\[]+`)

// stepsOf returns the steps to the value of an error, with indexes and keys in brackets.
func stepsOf(err *field.Error) []string {
	path := err.Field
	if path == "<nil>" {
		path = ""
	}
	if found := quotedPath.FindStringSubmatch(err.Detail); found != nil {
		path += "." + found[1]
	}
	return step.FindAllString(path, -1)
}

// at returns the schema of the values at steps, or nil.
func (b *builder) at(steps []string) *apiextensionsv1.JSONSchemaProps {
	s := merged(b.schema, -1)
	for _, step := range steps {
		if s = below(s, step); s == nil {
			return nil
		}
		s = merged(s, -1)
	}
	return s
}

// below returns the schema of a field, or of elements and values of maps, or nil.
func below(s *apiextensionsv1.JSONSchemaProps, step string) *apiextensionsv1.JSONSchemaProps {
	if property, ok := s.Properties[step]; ok {
		return &property
	}
	switch {
	case s.Items != nil && s.Items.Schema != nil:
		return s.Items.Schema
	case s.AdditionalProperties != nil:
		return s.AdditionalProperties.Schema
	}
	return nil
}

// edit replaces the value at steps by the result of f for it: for "[]", of the first element or key. It reports
// whether there is a value.
func edit(v any, steps []string, f func(any) any) (any, bool) {
	if len(steps) == 0 {
		return f(v), true
	}
	key := steps[0]
	if inner, ok := strings.CutPrefix(key, "["); ok {
		key = strings.TrimSuffix(inner, "]")
	}
	switch v := v.(type) {
	case map[string]any:
		if steps[0] == "[]" && len(v) > 0 {
			key = slices.Min(slices.Collect(maps.Keys(v)))
		}
		inner, ok := v[key]
		if ok {
			v[key], ok = edit(inner, steps[1:], f)
		}
		return v, ok
	case []any:
		i, err := strconv.Atoi(cmp.Or(key, "0"))
		if err != nil || i >= len(v) {
			return v, false
		}
		inner, ok := edit(v[i], steps[1:], f)
		v[i] = inner
		return v, ok
	}
	return v, false
}

// valueAt returns the value that edit would replace.
func valueAt(v any, steps []string) (value any, ok bool) {
	_, ok = edit(v, steps, func(old any) any {
		value = old
		return old
	})
	return value, ok
}

// host returns an object that has a value at steps, and is valid if that was found.
func (b *builder) host(steps []string) host {
	path := joined(steps)
	if h, ok := b.hosts[path]; ok {
		return h
	}
	last := len(steps) - 1
	parent := b.host(steps[:last])
	if _, ok := valueAt(parent.object, steps); ok {
		b.hosts[path] = parent
		return parent
	}
	var h host
	s := b.at(steps)
	for i := range 4 {
		o := runtime.DeepCopyJSON(parent.object)
		edit(o, steps[:last], func(v any) any { return b.extended(v, steps[last], s, i) })
		if !parent.valid || len(fmt.Sprint(o)) > maxBytes {
			h = host{o, false}
			break
		}
		if a := b.repaired(o, b.whole, nil, steps, 60); len(a.errs) == 0 {
			h = host{b.reduced(a.object(), func(o map[string]any) bool {
				_, ok := valueAt(o, steps)
				return ok && b.isValid(o)
			}), true}
			break
		}
		if i == 0 {
			h = host{o, false}
		}
	}
	b.hosts[path] = h
	return h
}

// extended adds a value with a schema to an object, map or list.
func (b *builder) extended(v any, step string, s *apiextensionsv1.JSONSchemaProps, i int) any {
	switch v := v.(type) {
	case map[string]any:
		if step == "[]" { // the value of a map
			step = "key"
		}
		v[step] = b.value(s, i)
		return v
	case []any:
		return append(v, b.value(s, i))
	}
	return v
}

// reduced removes fields and elements from an object as long as it is good.
func (b *builder) reduced(o map[string]any, good func(map[string]any) bool) map[string]any {
	for _, path := range pathsOf(o, nil) {
		next := runtime.DeepCopyJSON(o)
		if remove(next, path) && good(next) {
			o = next
		}
	}
	return o
}

// pathsOf returns the steps to all values but the kind, the last elements of lists first.
func pathsOf(v any, to []string) (paths [][]string) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if len(to) == 0 && (key == "apiVersion" || key == "kind") {
				continue
			}
			path := with(to, key)
			paths = append(append(paths, path), pathsOf(v[key], path)...)
		}
	case []any:
		for i := len(v) - 1; i >= 0; i-- {
			path := with(to, "["+strconv.Itoa(i)+"]")
			paths = append(append(paths, path), pathsOf(v[i], path)...)
		}
	}
	return paths
}

// remove removes a value, and reports whether it was there.
func remove(v any, steps []string) bool {
	_, ok := valueAt(v, steps)
	last := len(steps) - 1
	edit(v, steps[:last], func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			delete(v, steps[last])
		case []any:
			if i, err := strconv.Atoi(strings.Trim(steps[last], "[]")); err == nil && ok {
				return slices.Delete(v, i, i+1)
			}
		}
		return v
	})
	return ok
}

// filled returns the valid object with optional fields: those of the object and of its spec, with few fields in them.
func (b *builder) filled() map[string]any {
	o := b.base
	var fill func(to []string)
	fill = func(to []string) {
		s := b.at(to)
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			kind := s.Properties[name].Type
			if len(to) == 0 && (always[name] || name == "status") || len(to) == 2 && (kind == "object" || kind == "array") {
				continue
			}
			o = b.added(o, with(to, name))
			if len(to) < 2 {
				fill(with(to, name))
			}
		}
	}
	fill(nil)
	for _, path := range slices.Backward(pathsOf(o, nil)) {
		next := runtime.DeepCopyJSON(o)
		v, _ := valueAt(o, path)
		if empty := fmt.Sprint(v); (empty == "[]" || empty == "map[]") && remove(next, path) && b.isValid(next) {
			o = next
		}
	}
	return o
}

// added returns an object with one more value, or the object if that would not be valid.
func (b *builder) added(o map[string]any, steps []string) map[string]any {
	if _, ok := valueAt(o, steps); ok {
		return o
	}
	next, last, s := runtime.DeepCopyJSON(o), len(steps)-1, b.at(steps)
	edit(next, steps[:last], func(v any) any { return b.extended(v, steps[last], s, 0) })
	if s.Type == "array" && s.Items != nil && s.Items.Schema != nil {
		edit(next, steps, func(v any) any { return b.extended(v, "[]", s.Items.Schema, 0) })
	}
	if len(fmt.Sprint(next)) > maxBytes || !b.isValid(next) {
		return o
	}
	return next
}

// violation returns an attempt that violates a constraint, and if possible no other, or nil.
func (b *builder) violation(c *Constraint) *attempt {
	s := b.at(c.steps)
	if s == nil {
		return nil
	}
	h := b.host(c.steps)
	var best *attempt
	better := 100 // tries to find a better one
	consider := func(a *attempt) (done bool) {
		n := cost(c, a.errs)
		if a.key != "" && n < far && len(fmt.Sprint(a.initial, a.updated)) <= maxBytes && (best == nil || n < cost(c, best.errs)) {
			best = a
		}
		if best != nil {
			better--
		}
		return best != nil && (better == 0 || cost(c, best.errs) == 0)
	}
	if c.rule == nil && c.whole == "" {
		old, _ := valueAt(h.object, c.steps)
		for _, wrong := range b.wrong(c, s, old) {
			changed, _ := edit(runtime.DeepCopyJSON(h.object), c.steps, func(any) any { return wrong })
			if o, ok := changed.(map[string]any); ok && consider(b.whole(o)) {
				break
			}
		}
		return best
	}
	b.search(c, s, h, consider)
	if best == nil {
		return nil
	}
	best = b.repaired(best.object(), func(o map[string]any) *attempt {
		if best.updated == nil {
			return b.try(o, nil)
		}
		return b.try(best.initial, o)
	}, c, c.steps, 60)
	return b.smaller(c, best)
}

// search changes values at random until one violates a rule or an alternative.
func (b *builder) search(c *Constraint, s *apiextensionsv1.JSONSchemaProps, h host, consider func(*attempt) bool) {
	focus := wordsOf(s)
	if c.rule != nil {
		focus = wordsIn(*c.rule)
	}
	from, now, try := h.object, h.object, b.whole
	transition := focus.words["oldSelf"]
	if transition {
		try = func(next map[string]any) *attempt { return b.try(from, next) }
	}
	for i := range 600 {
		if i%20 == 0 {
			now, from = h.object, h.object
		}
		if i%4 == 0 {
			started, _ := edit(runtime.DeepCopyJSON(h.object), c.steps, func(old any) any {
				mentioned := b.mentioned(s, focus)
				if object, isObject := mentioned.(map[string]any); isObject && len(c.steps) == 0 {
					maps.Copy(old.(map[string]any), object)
					return b.typed(old.(map[string]any))
				}
				return mentioned
			})
			if len(fmt.Sprint(started)) > maxBytes {
				continue
			}
			a := b.whole(started.(map[string]any))
			if consider(a) {
				return
			}
			if i%20 == 0 && (transition || i%40 > 0) {
				if valid := b.repaired(a.object(), b.whole, nil, c.steps, 20); len(valid.errs) == 0 {
					now, from = valid.object(), valid.object()
				}
			}
			continue
		}
		next := runtime.DeepCopyJSON(now)
		for range 1 + b.rand.IntN(3) {
			edit(next, c.steps, func(v any) any { return b.changed(v, s, focus) })
			b.typed(next)
			if len(c.steps) == 0 && focus.words["metadata"] {
				names := []string{"a", "b.c", strings.Repeat("a", 64), strings.Repeat("a", 250), "default"}
				next["metadata"] = map[string]any{"name": names[b.rand.IntN(len(names))]}
			}
		}
		a := try(next)
		if consider(a) {
			return
		}
		if _, ok := valueAt(next, c.steps); !ok || len(a.errs) > 0 || len(fmt.Sprint(next)) > maxBytes {
			continue
		}
		if now = next; transition && b.rand.IntN(3) == 0 && b.isValid(next) {
			from = next
		}
	}
}

// smaller removes unnecessary values from an attempt.
func (b *builder) smaller(c *Constraint, a *attempt) *attempt {
	good := func(next *attempt) bool {
		return cost(c, next.errs) <= cost(c, a.errs) && next.key == a.key
	}
	if a.updated == nil {
		a.initial = b.reduced(a.initial, func(o map[string]any) bool { return good(b.try(o, nil)) })
	} else {
		a.updated = b.reduced(a.updated, func(o map[string]any) bool { return good(b.try(a.initial, o)) })
		a.initial = b.reduced(a.initial, func(o map[string]any) bool { return good(b.try(o, a.updated)) })
	}
	return b.try(a.initial, a.updated)
}

// wrong returns values that are likely to violate a constraint, instead of a value that does not.
func (b *builder) wrong(c *Constraint, s *apiextensionsv1.JSONSchemaProps, old any) (values []any) {
	text, _ := old.(string)
	list, _ := old.([]any)
	object, _ := old.(map[string]any)
	object = maps.Clone(object)
	if c.name != "" {
		delete(object, c.name)
		return []any{object}
	}
	switch c.Keyword {
	case "enum":
		return []any{"other", "Other", text + "x", int64(-1), int64(1 << 20), true, false, []any{}, map[string]any{}}
	case "pattern":
		matched := b.compiled(c.schema.Pattern)
		for _, bad := range []string{
			text + "!", text + "/", "!" + text, "a b", "-", "", "A", "_", "0", " ", "é", text + text, strings.ToUpper(text),
			strings.ToLower(text), text + "-a", text + "\n", "a",
		} {
			if matched != nil && !matched.MatchString(bad) {
				values = append(values, bad)
			}
		}
	case "format":
		for _, bad := range malformed {
			values = append(values, bad)
		}
	case "minimum":
		return []any{numeral(*c.schema.Minimum - 1), numeral(*c.schema.Minimum)}
	case "maximum":
		return []any{numeral(*c.schema.Maximum + 1), numeral(*c.schema.Maximum)}
	case "multipleOf":
		return []any{numeral(*c.schema.MultipleOf + 1), numeral(*c.schema.MultipleOf * 1.5)}
	case "minLength":
		runes := []rune(text)
		n := min(int(*c.schema.MinLength)-1, len(runes))
		return []any{string(runes[:max(n, 0)]), string(runes[len(runes)-max(n, 0):]), ""}
	case "maxLength":
		if *c.schema.MaxLength <= maxBytes {
			for _, long := range longer(text, int(*c.schema.MaxLength)+1) {
				values = append(values, long)
			}
		}
	case "minItems":
		return []any{slices.Clone(list[:max(0, min(len(list), int(*c.schema.MinItems)-1))])}
	case "maxItems":
		if *c.schema.MaxItems < maxBytes/4 && s.Items != nil && s.Items.Schema != nil {
			list = slices.Clone(list)
			for i := len(list); int64(i) <= *c.schema.MaxItems; i++ {
				list = append(list, b.value(s.Items.Schema, i))
			}
			return []any{list}
		}
	case "minProperties":
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if int64(len(object)) >= *c.schema.MinProperties {
				delete(object, key)
			}
		}
		return []any{object}
	case "maxProperties":
		for i := 0; int64(len(object)) <= *c.schema.MaxProperties && i < maxBytes/8; i++ {
			if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
				object["key"+strconv.Itoa(i)] = b.value(s.AdditionalProperties.Schema, i)
			} else if names := slices.Sorted(maps.Keys(s.Properties)); i < len(names) {
				object[names[i]] = b.value(below(s, names[i]), 0)
			}
		}
		return []any{object}
	default: // list type
		twice := slices.Clone(list)
		for len(twice) < 2 {
			if len(twice) == 1 {
				twice = append(twice, runtime.DeepCopyJSONValue(twice[0]))
			} else if s.Items != nil && s.Items.Schema != nil {
				twice = append(twice, b.value(s.Items.Schema, 0))
			} else {
				return nil
			}
		}
		return []any{twice, append(slices.Clone(twice), runtime.DeepCopyJSONValue(twice[0]))}
	}
	return values
}
