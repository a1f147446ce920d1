package schematypes

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/openapi"
)

// place is the place of a marker.
type place int

const (
	aboveField   place = iota
	aboveForeign       // above a field with a Kubernetes type, which most markers cannot restrict
	aboveType
	forItems // above a field, for the elements of a list
)

// markersFor returns the marker lines for the keywords of s, without comment signs. typ is the type of the values.
// Keywords without a marker are written as +kubegen:schema. ok is false if list elements would need that.
func markersFor(s *openapi.Schema, typ string, at place) (lines []string, ok bool) {
	rest := *s
	prefix := markers.Validation
	if at == forItems {
		prefix = markers.Items
	}
	add := func(name, value string) { lines = append(lines, prefix+name+value) }
	own := func(name, value string) { lines = append(lines, name+value) }
	if at <= aboveForeign && s.Default != nil {
		if text, err := json.Marshal(s.Default.JSON); err == nil && string(text) != "null" {
			own("default=", inOneLine(string(text)))
			rest.Default = nil
		}
	}
	if at <= aboveForeign && s.Nullable {
		own("nullable", "")
		rest.Nullable = false
	}
	if at != aboveForeign {
		restrictions(&rest, typ, add)
	}
	if text, simple := enumText(s.Enum); simple && len(s.Enum) > 0 {
		add("Enum=", text)
		rest.Enum = nil
	}
	if s.IntOrString && at != forItems && len(s.AnyOf) == 0 {
		add("XIntOrString", "")
		rest.IntOrString = false
	}
	if s.EmbeddedResource {
		add("XEmbeddedResource", "")
		rest.EmbeddedResource = false
	}
	if s.PreserveUnknownFields {
		add("XPreserveUnknownFields", "")
		rest.PreserveUnknownFields = false
	}
	for _, rule := range s.Validations {
		add("XValidation:", ruleText(rule))
	}
	rest.Validations = nil
	if at == aboveField || at == aboveType {
		switch typ {
		case "array":
			if s.ListType == "map" || len(s.ListMapKeys) == 0 {
				lines = append(lines, listMarkers(s)...)
				rest.ListType, rest.ListMapKeys = "", nil
			}
		case "object":
			if s.MapType != "" {
				own("mapType=", s.MapType)
			}
			rest.MapType = ""
		}
	}
	if at != forItems {
		if s.Title != "" {
			own("kubebuilder:title=", strconv.Quote(s.Title))
			rest.Title = ""
		}
	}
	switch {
	case isEmpty(&rest):
	case at == forItems:
		return nil, false
	default:
		own("kubegen:schema=", inOneLine(rest.JSON()))
	}
	return lines, true
}

// restrictions adds markers that restrict values of type typ, and removes their keywords from s. Keywords that do not
// apply to typ remain.
func restrictions(s *openapi.Schema, typ string, add func(name, value string)) {
	switch s.Format {
	case "":
	case noFormat:
		add("Format=", `""`)
	default:
		add("Format=", strconv.Quote(s.Format))
	}
	s.Format = ""
	for _, n := range []struct {
		name  string
		value **float64
	}{{"Maximum=", &s.Maximum}, {"Minimum=", &s.Minimum}, {"MultipleOf=", &s.MultipleOf}} {
		if *n.value != nil && (typ == "number" || typ == "integer" && **n.value == math.Trunc(**n.value)) {
			add(n.name, strconv.FormatFloat(**n.value, 'f', -1, 64))
			*n.value = nil
		}
	}
	for _, n := range []struct {
		name, of string
		value    **int64
	}{
		{"MaxLength=", "string", &s.MaxLength}, {"MinLength=", "string", &s.MinLength}, {"MaxItems=", "array", &s.MaxItems},
		{"MinItems=", "array", &s.MinItems}, {"MaxProperties=", "object", &s.MaxProperties}, {"MinProperties=", "object", &s.MinProperties},
	} {
		if *n.value != nil && typ == n.of {
			add(n.name, strconv.FormatInt(**n.value, 10))
			*n.value = nil
		}
	}
	for _, b := range []struct {
		name  string
		fits  bool
		value *bool
	}{
		{"ExclusiveMaximum=true", typ == "number" || typ == "integer", &s.ExclusiveMaximum},
		{"ExclusiveMinimum=true", typ == "number" || typ == "integer", &s.ExclusiveMinimum}, {"UniqueItems=true", typ == "array", &s.UniqueItems},
	} {
		if *b.value && b.fits {
			add(b.name, "")
			*b.value = false
		}
	}
	if s.Pattern != "" && typ == "string" {
		add("Pattern=", strconv.Quote(s.Pattern))
		s.Pattern = ""
	}
}

// noFormat stands for an absent format where the Go type implies one.
const noFormat = "\x00"

// listMarkers returns the markers that determine how server-side apply merges a list.
func listMarkers(s *openapi.Schema) (lines []string) {
	if s.ListType != "" {
		lines = append(lines, "listType="+s.ListType)
	}
	for _, key := range s.ListMapKeys {
		lines = append(lines, "listMapKey="+quotedWord(key))
	}
	return lines
}

// quotedWord quotes a text unless it is a single word.
func quotedWord(text string) string {
	if lowerCamel.MatchString(text) {
		return text
	}
	return strconv.Quote(text)
}

// enumText returns the value of a marker for an enum. simple is false if a value is not a string, integer or Boolean.
func enumText(enum []openapi.Value) (text string, simple bool) {
	var values []string
	for _, value := range enum {
		switch v := value.JSON.(type) {
		case string:
			values = append(values, strconv.Quote(v))
		case bool:
			values = append(values, strconv.FormatBool(v))
		case int64:
			values = append(values, strconv.FormatInt(v, 10))
		default:
			return "", false
		}
	}
	return "{" + strings.Join(values, ",") + "}", true
}

func ruleText(r openapi.Rule) string {
	text := "rule=" + strconv.Quote(r.Rule)
	for _, a := range []struct{ name, value string }{
		{"message", r.Message}, {"messageExpression", r.MessageExpression}, {"reason", r.Reason}, {"fieldPath", r.FieldPath},
	} {
		if a.value != "" {
			text += "," + a.name + "=" + strconv.Quote(a.value)
		}
	}
	if r.OptionalOldSelf != nil {
		text += ",optionalOldSelf=" + strconv.FormatBool(*r.OptionalOldSelf)
	}
	return text
}

// inOneLine escapes characters of JSON that are not printable, because a comment cannot contain them or they hide
// others.
func inOneLine(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := (r-0x10000)>>10+0xd800, (r-0x10000)&0x3ff+0xdc00
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// without returns the keywords of s that a Go type does not imply. ok is false if the type implies keywords that s
// lacks.
func without(s, implied *openapi.Schema) (rest *openapi.Schema, ok bool) {
	r := *s
	rest = &r
	take := func(has, is bool) bool { return !is || has }
	ok = take(s.Type == implied.Type, true) && take(s.PreserveUnknownFields, implied.PreserveUnknownFields) && take(s.IntOrString, implied.IntOrString) &&
		take(s.Pattern == implied.Pattern, implied.Pattern != "") && take(s.Format == implied.Format || s.Format == "" && s.Type == "integer", implied.Format != "") &&
		take(isIntOrString(s.AnyOf), len(implied.AnyOf) > 0) && take(s.AnyProperties, implied.AnyProperties)
	rest.Type = ""
	if implied.PreserveUnknownFields {
		rest.PreserveUnknownFields = false
	}
	if implied.IntOrString {
		rest.IntOrString, rest.AnyOf = false, nil
	}
	if implied.Pattern != "" {
		rest.Pattern = ""
	}
	switch {
	case s.Format == implied.Format:
		rest.Format = ""
	case s.Format == "":
		rest.Format = noFormat
	}
	if implied.AnyProperties {
		rest.AnyProperties = false
	}
	return rest, ok
}

// isIntOrString reports whether anyOf allows exactly integers and strings.
func isIntOrString(anyOf []*openapi.Schema) bool {
	return slices.EqualFunc(anyOf, openapi.IntOrString, func(a, b *openapi.Schema) bool {
		bare := *a
		bare.Type = ""
		return a.Type == b.Type && isEmpty(&bare)
	})
}
