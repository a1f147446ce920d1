package importer

import (
	"cmp"
	"fmt"
	"go/token"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Steps of a path to the elements of a list or map. They cannot be names of properties.
const (
	listElement = "[]"
	mapElement  = "{}"
)

// schemaPath is the position of a schema below a kind: names of properties, listElement and mapElement.
type schemaPath []string

// to returns the path with one more step.
func (p schemaPath) to(step string) schemaPath { return append(slices.Clip(p), step) }

// String returns the path as in messages and overrides, without steps to elements: Certificate.spec.usages.
func (p schemaPath) String() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(p), isElement), ".")
}

func isElement(step string) bool { return step == listElement || step == mapElement }

// words returns the parts of the Go name of a type at the path. The elements of a list or map are named after the
// property; deeper elements have longer names.
func (p schemaPath) words() (words []string) {
	for i, step := range p {
		switch {
		case !isElement(step):
			words = append(words, GoTypeName(step))
		case i > 0 && !isElement(p[i-1]):
		case step == listElement:
			words = append(words, "Item")
		default:
			words = append(words, "Value")
		}
	}
	return words
}

// GoTypeName returns the exported Go name for a text, such as a property or kind: its letters and digits. The first
// one, and each one after another character, is in upper case. Exported names are unchanged.
func GoTypeName(text string) string {
	var b strings.Builder
	upper := true
	for _, r := range text {
		switch {
		case r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsDigit(r):
			upper = true
			continue
		case b.Len() == 0 && !unicode.IsUpper(unicode.ToUpper(r)):
			b.WriteByte('X') // an exported name begins with an upper-case letter
		}
		if upper {
			r = unicode.ToUpper(r)
		}
		b.WriteRune(r)
		upper = false
	}
	return cmp.Or(b.String(), "X")
}

// IsTypeName reports whether a text can be the name of a type.
func IsTypeName(text string) bool { return token.IsIdentifier(text) && token.IsExported(text) }

// lowerCamel matches JSON names that follow the Kubernetes API conventions. No two of them have the same Go name.
var lowerCamel = regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)

// MarkedName returns a name with a suffix that depends only on text.
func MarkedName(name, text string) string {
	h := fnv.New32a()
	h.Write([]byte(text))
	return fmt.Sprintf("%s_%04x", name, h.Sum32()&0xffff)
}

// namesOf returns distinct exported Go names for texts. If several texts have the same Go name, lower camel case has
// precedence, and the others receive a suffix. Otherwise a name depends only on its text. Taken names are followed by
// an underscore.
func namesOf(texts []string, taken func(string) bool) map[string]string {
	same := map[string][]string{} // by name
	for _, text := range texts {
		name := GoTypeName(text)
		same[name] = append(same[name], text)
	}
	names, used := map[string]string{}, map[string]bool{}
	for name, of := range same {
		used[name] = true
		for _, text := range of {
			switch {
			case taken(name):
				names[text] = name + "_"
			case len(of) == 1 || lowerCamel.MatchString(text):
				names[text] = name
			}
		}
	}
	for _, text := range slices.Sorted(slices.Values(texts)) {
		if names[text] != "" && !(taken(GoTypeName(text)) && len(same[GoTypeName(text)]) > 1) {
			continue
		}
		name := MarkedName(GoTypeName(text), text)
		for used[name] {
			name = MarkedName(GoTypeName(text), name)
		}
		names[text], used[name] = name, true
	}
	return names
}
