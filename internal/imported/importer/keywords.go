package importer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/markers"
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
func markersFor(s *crdschema.Schema, typ string, at place) (lines []string, ok bool) {
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
	if rest.Format == noFormat && at != aboveForeign {
		add("Format=", `""`)
		rest.Format = ""
	}
	for _, k := range ordered {
		line, ok := k.Line(&rest, typ)
		switch {
		case !ok, k.Name == "type", isRestriction(k) && at == aboveForeign:
		case k.Name == "x-kubernetes-int-or-string" && (at == forItems || len(s.AnyOf) > 0):
		default:
			add(line, "")
			k.Clear(&rest)
		}
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
	if at != forItems && s.Title != "" {
		own("kubebuilder:title=", strconv.Quote(s.Title))
		rest.Title = ""
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

// ordered holds the keywords in the order of their markers: restrictions by name, Booleans last, then the others.
var ordered = slices.SortedStableFunc(slices.Values(crdschema.Keywords), func(a, b *crdschema.Keyword) int {
	key := func(k *crdschema.Keyword) string {
		if _, isFlag := k.Takes().(*bool); isFlag && isRestriction(k) {
			return "true " + k.Marker
		} else if isRestriction(k) {
			return k.Marker
		}
		return "~"
	}
	return strings.Compare(key(a), key(b))
})

// isRestriction reports whether a keyword restricts the values of one type.
func isRestriction(k *crdschema.Keyword) bool {
	return k.For != "" && k.Marker != "" || k.Name == "format"
}

// noFormat stands for an absent format where the Go type implies one.
const noFormat = "\x00"

// listMarkers returns the markers that determine how server-side apply merges a list.
func listMarkers(s *crdschema.Schema) (lines []string) {
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

func ruleText(r crdschema.Rule) string {
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
func without(s, implied *crdschema.Schema) (rest *crdschema.Schema, ok bool) {
	r := *s
	has := func(is, implied bool) bool { return is || !implied }
	ok = s.Type == implied.Type && has(s.PreserveUnknownFields, implied.PreserveUnknownFields) && has(s.IntOrString, implied.IntOrString) &&
		has(s.Pattern == implied.Pattern, implied.Pattern != "") &&
		has(s.Format == implied.Format || s.Format == "" && s.Type == "integer", implied.Format != "") &&
		has(crdschema.IsIntOrString(s.AnyOf), len(implied.AnyOf) > 0) && has(s.AnyProperties, implied.AnyProperties)
	r.Type = ""
	r.PreserveUnknownFields = s.PreserveUnknownFields != implied.PreserveUnknownFields
	r.IntOrString, r.AnyProperties = s.IntOrString != implied.IntOrString, s.AnyProperties != implied.AnyProperties
	if implied.IntOrString {
		r.AnyOf = nil
	}
	if implied.Pattern != "" {
		r.Pattern = ""
	}
	switch s.Format {
	case implied.Format:
		r.Format = ""
	case "":
		r.Format = noFormat
	}
	return &r, ok
}
