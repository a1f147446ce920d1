package keep

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
)

// Fields visits the fields of an object, or of a part of it, that another version lacks, to keep or to restore them.
type Fields struct {
	restores bool
	raw      map[string]json.RawMessage // what is restored

	kept   map[string]any // nil until something is kept
	parent *Fields        // to which kept is added under name; nil for an object, and for an element of a list
	name   string
	errs   *[]error
}

// Value visits a field that is kept as a whole. name is the field's in JSON, pointer points to the field. Zero values
// are not kept, and a field is only restored if it has its zero value, which means that no function has set it.
func (f *Fields) Value(name string, pointer any) { f.value("="+name, pointer) }

// Unnamed visits a field that is kept as a whole, like [Fields.Value], but that is not in the JSON of the object.
// name is the field's in Go.
func (f *Fields) Unnamed(name string, pointer any) { f.value("-"+name, pointer) }

func (f *Fields) value(key string, pointer any) {
	v := reflect.ValueOf(pointer).Elem()
	if !v.IsZero() {
		if !f.restores {
			f.keep(key, pointer)
		}
		return
	}
	text := f.raw[key]
	if text == nil {
		return
	}
	if restored := reflect.New(v.Type()); json.Unmarshal(text, restored.Interface()) == nil {
		v.Set(restored.Elem())
	}
}

// keep keeps a value, unless its JSON equals that of the zero value of its type.
func (f *Fields) keep(key string, pointer any) {
	text, err := json.Marshal(pointer)
	if err != nil {
		*f.errs = append(*f.errs, err)
		return
	}
	if zero, err := json.Marshal(reflect.New(reflect.TypeOf(pointer).Elem()).Interface()); err != nil || !bytes.Equal(text, zero) {
		f.put(key, json.RawMessage(text))
	}
}

func (f *Fields) put(key string, value any) {
	if f.kept == nil {
		f.kept = map[string]any{}
		if f.parent != nil {
			f.parent.put(f.name, f.kept)
		}
	}
	f.kept[key] = value
}

// In returns the Fields of a struct in a field with this name in JSON. "" means the same struct, for one that is
// embedded.
func (f *Fields) In(name string) *Fields {
	switch {
	case name == "":
		return f
	case f.restores:
		return &Fields{restores: true, raw: decodeNode(f.raw["."+name])}
	}
	return &Fields{parent: f, name: "." + name, errs: f.errs}
}

// Pointer visits the values that pointers point to. In full, they have the fields that base lacks.
func Pointer[Full, Base any](f *Fields, name string, full *Full, base *Base, visit func(*Fields, *Full, *Base)) {
	if full != nil && base != nil {
		visit(f.In(name), full, base)
	}
}

// Embedded visits structs that are embedded by pointers with this name in Go. JSON has no embedded pointer to a struct
// without values, so that the pointer to one in which only values are kept is kept, too.
func Embedded[Full, Base any](f *Fields, name string, full **Full, base *Base, visit func(*Fields, *Full, *Base)) {
	switch {
	case *full != nil && base != nil:
		if text, _ := json.Marshal(base); !f.restores && string(text) == "{}" {
			f.put("-"+name, struct{}{})
		}
		visit(f, *full, base)
	case *full == nil && base == nil && f.raw["-"+name] != nil:
		*full = new(Full)
		visit(f, *full, new(Base))
	}
}

// Map visits the elements of maps.
func Map[FullKey, BaseKey comparable, Full, Base any](
	f *Fields, name string, full map[FullKey]Full, base map[BaseKey]Base, visit func(*Fields, *Full, *Base),
) {
	if f = f.In(name); f.restores && len(f.raw) == 0 {
		return
	}
	others := make(map[string]*Base, len(base))
	for key, element := range base {
		others[textOf(key)] = &element
	}
	for key, element := range full {
		if other := others[textOf(key)]; other != nil {
			if visit(f.element(textOf(key)), &element, other); f.restores {
				full[key] = element
			}
		}
	}
}

// element returns the Fields of an element of a map. Unlike a struct's, its name may be empty.
func (f *Fields) element(key string) *Fields {
	if f.restores {
		return &Fields{restores: true, raw: decodeNode(f.raw["."+key])}
	}
	return &Fields{parent: f, name: "." + key, errs: f.errs}
}

// textOf returns the key of a map as it is in JSON.
func textOf(key any) string {
	switch v := reflect.ValueOf(key); {
	case v.Kind() == reflect.String:
		return v.String()
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	}
	return ""
}

// List visits the elements of lists. keys are the names in JSON of the fields that identify an element. Without any, an
// element is found again by all values that it has in base, the version that lacks the fields.
func List[Full, Base any](f *Fields, name string, full []Full, base []Base, visit func(*Fields, *Full, *Base), keys ...string) {
	if len(full) != len(base) { // functions have changed the list
		return
	}
	if !f.restores {
		f.keepList(name, len(full), func(i int) any { return identity(&base[i], keys) }, func(i int, f *Fields) { visit(f, &full[i], &base[i]) })
		return
	}
	var entries [][]json.RawMessage
	if json.Unmarshal(f.raw["."+name], &entries) != nil || len(entries) == 0 {
		return
	}
	kept, present := make([]any, len(entries)), make([]any, len(base))
	for i, entry := range entries {
		if len(entry) > 0 {
			kept[i] = restoredIdentity[Base](entry[0], keys)
		}
	}
	for i := range base {
		present[i] = identity(&base[i], keys)
	}
	for i, at := range align(kept, present) {
		if at >= 0 && len(entries[at]) > 1 {
			visit(&Fields{restores: true, raw: decodeNode(entries[at][1])}, &full[i], &base[i])
		}
	}
}

// keepList keeps the identities of all elements of a list, if there is something to keep in one of them.
func (f *Fields) keepList(name string, length int, identity func(int) any, visit func(int, *Fields)) {
	elements, found := make([]*Fields, length), false
	for i := range elements {
		elements[i] = &Fields{errs: f.errs}
		visit(i, elements[i])
		found = found || elements[i].kept != nil
	}
	if !found {
		return
	}
	entries := make([][]any, length)
	for i, element := range elements {
		if entries[i] = []any{identity(i)}; element.kept != nil {
			entries[i] = append(entries[i], element.kept)
		}
	}
	f.put("."+name, entries)
}
