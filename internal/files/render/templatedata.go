// This file explains errors of templates in the terms of their data.

package render

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// evaluated matches the messages of package text/template about a field in an expression: a type without the field, or
// no value.
var evaluated = regexp.MustCompile(
	`^<(?s:.*)>: (?:can't evaluate field (\w+) in type (.+)|(\w+) is an unexported field of struct type (.+)|nil pointer evaluating .+\.(\w+))$`,
)

// explainTemplate replaces Go types in a message of package text/template by the fields and methods of the template's
// data, which is nil until the template is executed.
func explainTemplate(d *diag.Diagnostic, message string, data any) {
	types := map[string]reflect.Type{}
	if data != nil {
		reachable(reflect.TypeOf(data), types)
	}
	found := evaluated.FindStringSubmatch(message)
	switch {
	case found == nil:
		names := slices.SortedFunc(maps.Keys(types), func(a, b string) int { return len(b) - len(a) })
		for _, name := range names {
			message = strings.ReplaceAll(message, name, name[strings.LastIndexByte(name, '.')+1:])
		}
		const notList = "range can't iterate over " // and the value
		if before, _, ok := strings.Cut(message, notList); ok {
			message = before + "range needs a list, a map or a number"
		}
		d.SetMessage("%s", message)
	case found[5] != "":
		d.SetMessage("there is no value before .%s here", found[5])
		d.Suggest("write {{with}} around it, which leaves out what is absent")
	default:
		field := found[1] + found[3]
		d.SetMessage(".%s does not exist in this template's scope", field)
		d.Suggest("%s", instead(field, types[found[2]+found[4]]))
	}
}

// instead says what to write instead of a field that values of a type do not have.
func instead(field string, t reflect.Type) string {
	const few = 20
	elsewhere := "range over .Groups, .Versions or .Resources, or move the template to another scope; see docs/templates.md"
	if t == nil {
		return elsewhere
	}
	known := namesOf(t)
	switch meant := diag.Meant(field, known, "."); {
	case meant != "":
		return meant
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Map:
		return "this is a list: write {{range}} around it for a field of the elements"
	case len(known) == 0:
		return "this is a text or number without fields"
	case len(known) > few:
		return elsewhere
	}
	return "known are ." + strings.Join(known, ", .")
}

// namesOf returns the names of the fields and methods of a type that templates can use, sorted.
func namesOf(t reflect.Type) (names []string) {
	for i := range t.NumMethod() {
		names = append(names, t.Method(i).Name)
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		for _, field := range reflect.VisibleFields(t) {
			if field.IsExported() {
				names = append(names, field.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// reachable adds the types of the values that templates reach from values of a type, by their names in messages.
func reachable(t reflect.Type, found map[string]reflect.Type) {
	if _, known := found[t.String()]; known {
		return
	}
	found[t.String()] = t
	for i := range t.NumMethod() {
		if method := t.Method(i).Type; method.NumOut() > 0 {
			reachable(method.Out(0), found)
		}
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		reachable(t.Elem(), found)
	case reflect.Struct:
		for _, field := range reflect.VisibleFields(t) {
			if field.IsExported() {
				reachable(field.Type, found)
			}
		}
	}
}
