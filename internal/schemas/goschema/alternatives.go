package goschema

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// checkAlternatives reports mistakes in markers that restrict how many of some fields are set: names that no field has
// in JSON, and required fields.
func (t *deriver) checkAlternatives(s *crdschema.Schema) {
	for _, m := range t.OfType(t.of).Markers {
		switch strings.TrimPrefix(m.Name, markers.Validation) {
		case "ExactlyOneOf", "AtMostOneOf", "AtLeastOneOf":
		default:
			continue
		}
		known, complete := map[string]int{}, true
		for _, part := range s.AllOf {
			complete = t.inlined(part, 1, known, []*gotypes.Declaration{t.of}) && complete
		}
		for _, name := range s.Names() {
			known[name] = 0
		}
		for _, off := range s.Off {
			known[off.Name] = 0
		}
		for i, name := range m.Strings("") {
			_, ok := known[name]
			switch {
			case slices.Contains(m.Strings("")[:i], name):
				t.diags.Errorf(m.Pos, "+%s names %s twice", m.Name, name).Suggest("name each field once")
			case complete && !ok:
				d := t.diags.Errorf(m.Pos, "+%s names %s, which is not a field of %s", m.Name, name, t.of.Name)
				if meant := t.inJSON(name); meant != "" {
					d.Suggest("write %s, its name in JSON", meant)
				} else {
					d.Meant(name, slices.Sorted(maps.Keys(known)), "name fields of the struct itself, as in JSON")
				}
			case !accessible.MatchString(name):
				t.diags.Errorf(m.Pos, "+%s names %s, which no rule can refer to because of its characters", m.Name, name).
					Suggest("give the field a name in JSON that consists of letters and digits")
			case slices.Contains(s.Required, name):
				t.errorf(s.Property(name).Pos, "field %s is one of several alternatives of %s, so it cannot be required", name, t.of.Name).
					Suggest("mark it +optional and give its JSON tag omitempty")
			}
		}
	}
}

// inJSON returns the name in JSON of a field with a name in Go, or "".
func (t *deriver) inJSON(name string) (tag string) {
	for _, f := range t.of.Fields {
		if f.Name == name {
			tag, _, _ = strings.Cut(f.Tag.Get("json"), ",")
		}
	}
	return tag
}

// addAlternatives adds a CEL rule that restricts how many of some fields are set, without fields that feature gates
// leave out.
func addAlternatives(s *crdschema.Schema, m model.Marker, operator, comparison, message string) {
	names := slices.DeleteFunc(m.Strings(""), func(name string) bool {
		return slices.ContainsFunc(s.Off, func(off crdschema.GatedField) bool { return off.Name == name })
	})
	if len(names) == 0 {
		return
	}
	var terms []string
	for _, name := range names {
		term := "has(self." + CELName(name) + ")"
		if operator == "+" {
			term = "(" + term + "?1:0)"
		}
		terms = append(terms, term)
	}
	s.Validations = append(s.Validations, crdschema.Rule{
		Rule: strings.Join(terms, operator) + comparison, Message: fmt.Sprintf(message, names),
	})
}

// accessible matches names of fields that rules in CEL can refer to
// (https://kubernetes.io/docs/reference/using-api/cel).
var accessible = regexp.MustCompile(`^[a-zA-Z_./-][a-zA-Z0-9_./-]*$`)

// reserved are the words of CEL, and words of other languages that it reserves.
var reserved = strings.Fields(`true false null in as break const continue else for function if import let loop package namespace return
	var void while`)

// CELName returns the name of a field in CEL, where API servers escape some characters and reserved words.
func CELName(name string) string {
	if slices.Contains(reserved, name) {
		return "__" + name + "__"
	}
	return strings.NewReplacer("__", "__underscores__", ".", "__dot__", "-", "__dash__", "/", "__slash__").Replace(name)
}
