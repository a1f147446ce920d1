package applyschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// marks holds the markers and struct tags of a type or field.
type marks struct {
	markers                      []model.Marker
	patchStrategy, patchMergeKey string

	pos token.Position // position and description of the type or field, for messages
	on  string
}

// under adds the markers of the type's declaration, except for markers that the field overrides.
func (m marks) under(declaration []model.Marker) marks {
	said := m
	m.markers = slices.Clone(m.markers)
	for _, marker := range declaration {
		if !said.has(markers.Plain(marker.Name)) {
			m.markers = append(m.markers, marker)
		}
	}
	return m
}

// ofElements returns the markers that apply to the elements of a list, or to the values of a map.
func (m marks) ofElements() marks {
	if !m.preservesUnknown() {
		return marks{}
	}
	return marks{markers: []model.Marker{{Name: preserveUnknownFields}}}
}

// values returns the values of all markers with a name. Markers without a prefix take precedence over prefixed markers.
func (m marks) values(name string) []string {
	var plainly, prefixed []string
	for _, marker := range m.markers {
		switch value := strings.Trim(marker.Text, "`"); {
		case strings.TrimSuffix(marker.Name, ":") == name:
			plainly = append(plainly, value)
		case markers.Plain(marker.Name) == name:
			if !slices.Contains(prefixed, value) { // the same key with two prefixes
				prefixed = append(prefixed, value)
			}
		}
	}
	if len(plainly) > 0 {
		return plainly
	}
	return prefixed
}

// agree returns an error if markers whose names differ only in a prefix have different values. kube-openapi uses the
// one without a prefix, but controller-gen another one, so a server for custom resources would merge differently.
func (m marks) agree(name string) error {
	text := func(marker model.Marker) string { return unquote(strings.Trim(marker.Text, "`")) }
	var first *model.Marker
	for i, marker := range m.markers {
		switch {
		case markers.Plain(marker.Name) != name:
		case first == nil:
			first = &m.markers[i]
		case text(marker) != text(*first):
			return fmt.Errorf("+%s=%s contradicts +%s=%s: keep one of them", marker.Name, text(marker), first.Name, text(*first))
		}
	}
	return nil
}

func (m marks) value(name string) (string, bool) {
	values := m.values(name)
	if len(values) == 0 {
		return "", false
	}
	return unquote(values[0]), true
}

func (m marks) has(name string) bool { return len(m.values(name)) > 0 }

const preserveUnknownFields = "kubebuilder:pruning:PreserveUnknownFields"

func (m marks) preservesUnknown() bool {
	return m.has(preserveUnknownFields) || m.has("kubebuilder:validation:XPreserveUnknownFields")
}

// listRelationship returns how a list merges: as a whole, by keys of its elements, or as a set. listType takes
// precedence over the older patchStrategy.
func (m marks) listRelationship(elem *model.Type) (relationship string, keys []string, err error) {
	listType, ok := m.value("listType")
	if !ok {
		strategy := m.patchStrategy
		if strategy == "" {
			strategy, _ = m.value("patchStrategy")
		}
		if !slices.Contains(strings.Split(strategy, ","), "merge") {
			return "atomic", nil, nil
		}
		key := m.patchMergeKey
		if key == "" {
			key, _ = m.value("patchMergeKey")
		}
		if key != "" {
			keys = []string{key}
		}
		return "associative", keys, nil
	}
	switch listType {
	case "atomic":
		return "atomic", nil, nil
	case "set":
		return "associative", nil, nil
	case "map":
		for _, key := range m.values("listMapKey") {
			keys = append(keys, unquote(key))
		}
		if len(keys) == 0 {
			return "", nil, errors.New("listType=map requires a key of the elements: add +listMapKey=<JSON name of a field>")
		}
		return "associative", keys, keysExist(elem, keys)
	}
	return "", nil, fmt.Errorf("listType must be atomic, set or map, not %s", listType)
}

// keysExist checks that the elements of a list have fields for the keys.
func keysExist(elem *model.Type, keys []string) error {
	fields := elem.Deref().JSONFields()
	if len(fields) == 0 && (elem.Kind == model.Struct || elem.Kind == model.Pointer || elem.Kind == model.Unknown) {
		return nil // the package was not read
	}
	for _, key := range keys {
		if !hasJSON(fields, key) {
			return fmt.Errorf("listMapKey=%s is not a field of the elements: use the JSON name of one", key)
		}
	}
	return nil
}

func hasJSON(fields []*model.Field, name string) bool {
	named := func(f *model.Field) bool { return f.JSON() == name && !f.Inline() }
	return slices.ContainsFunc(fields, named) ||
		slices.ContainsFunc(inlined(fields), func(s *model.StructType) bool { return slices.ContainsFunc(s.JSONFields(), named) })
}

// mapRelationship returns how a map or struct merges, or "" if no marker specifies it.
func (m marks) mapRelationship() (string, error) {
	for _, name := range []string{"mapType", "structType"} {
		switch value, ok := m.value(name); {
		case !ok:
		case value == "atomic":
			return "atomic", nil
		case value == "granular":
			return "separable", nil
		default:
			return "", fmt.Errorf("%s must be atomic or granular, not %s", name, value)
		}
	}
	return "", nil
}

// unionsOf returns the unions among the fields of a struct: the whole struct if it is marked as a union, the unions of
// embedded structs, and the union of individually marked fields.
func unionsOf(fields []*model.Field, m marks) []union {
	unions := unionsAmong(fields, m)
	for _, s := range inlined(fields) {
		unions = append(unions, unionsAmong(s.JSONFields(), marks{markers: s.Markers})...)
	}
	return unions
}

func unionsAmong(fields []*model.Field, m marks) []union {
	var unions []union
	if m.has("union") {
		unions = append(unions, unionOf(fields, func(marks) bool { return true }))
	}
	if single := unionOf(fields, func(m marks) bool { return m.has("unionDeprecated") }); len(single.members) > 0 {
		unions = append(unions, single)
	}
	return unions
}

// unionOf returns the union of the fields for which member returns true. The values of the discriminator are the Go
// names of the members.
func unionOf(fields []*model.Field, member func(marks) bool) union {
	var u union
	for _, f := range fields {
		switch m := (marks{markers: f.Markers}); {
		case f.Inline():
		case m.has("unionDiscriminator"):
			u.discriminator = f.JSON()
		case member(m):
			u.members = append(u.members, unionMember{f.JSON(), f.Name})
		}
	}
	slices.SortFunc(u.members, func(a, b unionMember) int { return strings.Compare(a.field, b.field) })
	return u
}

// defaultOf returns the default of a field in JSON, or "". It comes from the markers of the field or of its type.
// Without a marker, it is the zero value if Go always writes that.
func (d *deriver) defaultOf(f *model.Field) string {
	m := marks{markers: f.Markers, pos: f.Pos, on: "field " + f.Name}
	t := f.Type
	for range 16 { // a type may be declared as a pointer to itself
		if t.Kind == model.Struct && t.Struct != nil {
			m = m.under(t.Struct.Markers)
		}
		m = m.under(t.Markers)
		if t.Kind != model.Pointer && t.Kind != model.Named {
			break
		}
		t = t.Elem
	}
	values := m.values("default")
	if len(values) == 0 || values[0] == "" {
		return zero(f.Type, f.OmitEmpty())
	}
	var buf bytes.Buffer
	text := values[0]
	if err := json.Compact(&buf, []byte(text)); err == nil {
		return buf.String()
	}
	if !slices.ContainsFunc(m.markers, func(marker model.Marker) bool {
		return markers.Plain(marker.Name) == "default" && marker.Name != "default"
	}) {
		if !strings.HasPrefix(text, "ref(") { // otherwise it refers to a constant that was not found
			d.fail(m, errors.New("the default is not JSON: put strings in double quotes"))
		}
		return ""
	}
	if strings.HasPrefix(text, "{") {
		// This is controller-gen's syntax for lists and objects. Merging only uses the defaults of keys, which are
		// never lists or objects.
		return zero(f.Type, f.OmitEmpty())
	}
	quoted, _ := json.Marshal(strings.Trim(text, `'"`))
	return string(quoted)
}

// zero returns the JSON that Go writes for an unset value. It returns "" for pointers, slices and maps, and for types
// with their own JSON form. For a struct it returns an object, because omitempty does not omit structs.
func zero(t *model.Type, omitEmpty bool) string {
	switch t.Kind {
	case model.Named:
		if t.Methods != (model.Methods{}) {
			return ""
		}
		return zero(t.Elem, omitEmpty)
	case model.Struct:
		if t.Struct == nil && t.Name.Path != "" {
			return ""
		}
		if t.Struct != nil {
			if _, own := structForm(t.Struct); own || t.Struct.Methods != (model.Methods{}) {
				return ""
			}
		}
		if fields := t.Deref().JSONFields(); len(fields) == 1 && fields[0].Embedded {
			return zero(fields[0].Type, omitEmpty)
		}
		return "{}"
	case model.Basic:
		if omitEmpty {
			return ""
		}
		switch scalarOf(t.Name.Name) {
		case "string":
			return `""`
		case "boolean":
			return "false"
		}
		return "0"
	}
	return ""
}

func unquote(s string) string { return strings.Trim(s, `"`) }
