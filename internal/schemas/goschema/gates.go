package goschema

import (
	"encoding/json"
	"go/constant"
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// leaveOutValues removes the values of constants from the enum of a type if feature gates leave them out.
func (t *deriver) leaveOutValues(s *crdschema.Schema) {
	d := t.of
	if len(s.Enum) == 0 || t.gatesOf(d.Package) == nil || !d.Package.Mentions("+"+markers.GateMarker) {
		return
	}
	before := s.Enum
	gate := ""
	for _, c := range t.types.Constants(d) {
		found := t.read(d.Package, c.Markers, markers.Constant)
		t.diags = append(t.diags, found.Diags...)
		text, off := markers.Off(found.Markers)
		value := inJSON(c.Value)
		if !off || value == nil {
			continue
		}
		s.Enum = slices.DeleteFunc(slices.Clone(s.Enum), func(v crdschema.Value) bool { return v.JSON == value })
		gate = text
	}
	if len(s.Enum) == 0 {
		s.Enum = before
		t.errorf(d.Pos, "feature gates leave out all values of %s", d.Name).
			Suggest("write +%s=%s above its fields, too", markers.GateMarker, gate)
	}
}

// inJSON returns the value of a constant in JSON, with numbers as in schemas, or nil if it is unknown.
func inJSON(value constant.Value) any {
	if value == nil {
		return nil
	}
	switch value.Kind() {
	case constant.String:
		return constant.StringVal(value)
	case constant.Bool:
		return constant.BoolVal(value)
	case constant.Int:
		return crdschema.Exact(json.Number(value.ExactString()))
	case constant.Float:
		number, _ := constant.Float64Val(value)
		return crdschema.Exact(number)
	}
	return nil
}

// path matches a path of fields of self or oldSelf in a CEL rule.
var path = regexp.MustCompile(`\b(?:self|oldSelf)((?:\.\??[A-Za-z_][A-Za-z0-9_]*)+)`)

// checkRules reports rules in a schema that name fields which feature gates or edits leave out, which API servers
// refuse.
func (r *Reader) checkRules(s *crdschema.Schema, diags *diag.List) {
	s.Walk(func(s *crdschema.Schema) bool {
		for _, rule := range s.Validations {
			for _, found := range path.FindAllStringSubmatch(expressions(rule), -1) {
				field, ok := gatedIn(s, strings.Split(strings.ReplaceAll(found[1][1:], "?", ""), "."))
				m := s.Marker([]string{"XValidation"}, func(m model.Marker) bool { return m.String("rule") == rule.Rule })
				switch {
				case ok && field.Gate == "":
					diags.Errorf(field.Edit, "API servers refuse the rule %q, because it names the dropped field %s", rule.Rule, field.Name).
						WithRelated(m.Pos).Suggest("keep the field, or drop the rule by drop: [validation]")
					continue
				case !ok || !m.Pos.IsValid():
					continue
				}
				diags.Errorf(m.Pos, "API servers refuse this rule without %s, because it names the field %s", field.Gate, field.Name).
					Suggest("write +%s(%s)=+%sXValidation:...", markers.GateMarker, field.Gate, markers.Validation)
				break
			}
		}
		return true
	})
}

// expressions returns all that a rule says in CEL.
func expressions(rule crdschema.Rule) string { return rule.Rule + "\n" + rule.MessageExpression }

// gatedIn returns the first field on a path that feature gates or edits leave out.
func gatedIn(s *crdschema.Schema, names []string) (crdschema.GatedField, bool) {
	for _, name := range names {
		if field := s.LeftOut(name); field != nil {
			return *field, true
		}
		i := s.Index(name)
		if i < 0 {
			break
		}
		s = s.Properties[i].Schema
	}
	return crdschema.GatedField{}, false
}
