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

// alternatives returns the fields in markers that restrict how many of some fields are set. It reports names that no
// field has in JSON.
func (t *deriver) alternatives() (names []string) {
	known, goNames := map[string]bool{}, map[string]string{}
	complete := t.namesInJSON(t.of, known, goNames)
	for _, m := range t.OfType(t.of).Markers {
		switch strings.TrimPrefix(m.Name, markers.Validation) {
		case "ExactlyOneOf", "AtMostOneOf", "AtLeastOneOf":
		default:
			continue
		}
		for i, name := range m.Strings("") {
			switch {
			case slices.Contains(m.Strings("")[:i], name):
				t.diags.Errorf(m.Pos, "+%s names %s twice", m.Name, name).Suggest("name each field once")
			case complete && !known[name]:
				d := t.diags.Errorf(m.Pos, "+%s names %s, which is not a field of %s", m.Name, name, t.of.Name)
				if meant := goNames[name]; meant != "" {
					d.Suggest("write %s, its name in JSON", meant)
				} else {
					d.Meant(name, slices.Sorted(maps.Keys(known)), "name fields of the struct itself, as in JSON")
				}
			case !accessible.MatchString(name):
				t.diags.Errorf(m.Pos, "+%s names %s, which no rule can refer to because of its characters", m.Name, name).
					Suggest("give the field a name in JSON that consists of letters and digits")
			}
			names = append(names, name)
		}
	}
	return names
}

// namesInJSON adds the names of the fields of a struct in JSON, and these by the names in Go. It returns false if there
// may be others.
func (t *deriver) namesInJSON(
	d *gotypes.Declaration, known map[string]bool, goNames map[string]string, within ...*gotypes.Declaration,
) (complete bool) {
	under, in := t.types.Underlying(d)
	if under == nil || under.Form != gotypes.StructForm {
		return false
	}
	if ownJSON, ownText := t.types.Marshals(in); ownJSON || ownText {
		return false
	}
	if slices.Contains(within, in) {
		return true // it embeds a pointer to itself
	}
	complete = true
	for _, f := range in.Fields {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case name == "" && t.inlines(in, f):
			complete = t.namesInJSON(t.types.Follow(in, embedded(f)), known, goNames, append(within, in)...) && complete
		case name != "":
			known[name], goNames[f.Name] = true, name
		}
	}
	return complete
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
