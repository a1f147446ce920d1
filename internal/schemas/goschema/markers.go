package goschema

import (
	"encoding/json"
	"fmt"
	"go/constant"
	"go/token"
	"net/url"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// order ranks markers by name. Markers with a lower rank are applied first, because others depend on their effect.
func order(name string) int {
	switch strings.TrimPrefix(strings.TrimPrefix(name, markers.Items), markers.Validation) {
	case "Type", "XIntOrString", "listType", "k8s:listType":
		return -2
	case "default":
		return -1
	case "k8s:immutable", "k8s:required", "listMapKey", "k8s:listMapKey":
		return 1
	case "AtMostOneOf":
		return 2
	case "ExactlyOneOf":
		return 3
	case "AtLeastOneOf":
		return 4
	}
	return 0
}

// apply applies markers to a schema, markers for the elements of a list last.
func (t *deriver) apply(above []model.Marker, s *crdschema.Schema, pos token.Pos) {
	own := isOwn(t.of.Package)
	if own {
		s.Pos, s.Markers = pos, above
	}
	if len(above) == 0 {
		return
	}
	sorted := slices.Clone(above)
	slices.SortStableFunc(sorted, func(a, b model.Marker) int { return order(a.Name) - order(b.Name) })
	for _, items := range []bool{false, true} {
		for _, marker := range sorted {
			bare, isItems := strings.CutPrefix(marker.Name, markers.Items)
			if isItems != items {
				continue
			}
			target := s
			if isItems {
				if target = t.elements(s); target == nil {
					if own {
						t.diags.Errorf(marker.Pos, "+%s is for the elements of a list, but this is %s", marker.Name, crdschema.KindOf(t.formOf(s))).
							Suggest("write +%s%s, or write it above a list", markers.Validation, bare)
					}
					continue
				}
				bare = markers.Validation + bare
				if own {
					renamed := marker
					renamed.Name = bare
					target.Markers = append(slices.Clip(target.Markers), renamed)
				}
			}
			form := t.formOf(target)
			if target.Partial {
				form = t.elementForm(RefOf(s))
			}
			if why := t.set(marker, bare, target, form); why != "" && own {
				t.diags.Errorf(marker.Pos, "+%s has no effect: %s", marker.Name, why).Suggest("correct or delete the marker")
			}
		}
	}
}

// elements returns the schema of the elements of a list, or nil if s is not a list. If the list has a declared type, it
// returns a new schema for the markers, which is merged into the element schema of the type.
func (r *Reader) elements(s *crdschema.Schema) *crdschema.Schema {
	if r.formOf(s).Type != "array" {
		return nil
	}
	if s.Items == nil && s.Ref != nil {
		s.Items = &crdschema.Schema{Origin: crdschema.Origin{Partial: true}}
	}
	return s.Items
}

// set applies one marker to a schema, and returns the reason if it cannot, or else "". form is the schema that the
// marker must fit.
func (t *deriver) set(m model.Marker, name string, s, form *crdschema.Schema) string {
	switch bare := strings.TrimPrefix(name, markers.Validation); bare {
	case "kubebuilder:default", "default":
		if m.Value == nil {
			break
		}
		value := crdschema.Exact(m.Value)
		if object, ok := value.(map[string]any); ok && len(object) == 0 && form.Type == "array" && bare != "default" {
			value = []any{} // {} stands for an empty list as well
		}
		s.Default = &crdschema.Value{JSON: value}
	case "kubebuilder:example":
		s.Example = &crdschema.Value{JSON: crdschema.Exact(m.Value)}
	case "kubebuilder:title":
		title, ok := m.Value.(string)
		if !ok {
			return fmt.Sprintf("the title must be a string, not %v", m.Value)
		}
		s.Title = title
	case "k8s:immutable":
		s.Validations = append(s.Validations, crdschema.Rule{Rule: "self == oldSelf", Message: "field is immutable"})
	case "XValidation":
		return addRule(s, m)
	case "AtMostOneOf":
		addAlternatives(s, m, "+", " <= 1", "at most one of the fields in %v may be set")
	case "ExactlyOneOf":
		addAlternatives(s, m, "+", " == 1", "exactly one of the fields in %v must be set")
	case "AtLeastOneOf":
		addAlternatives(s, m, "||", "", "at least one of the fields in %v must be set")
	case "k8s:enum":
		return t.setConstants(s)
	case "k8s:required":
		t.requireContent(s)
	case "kubebuilder:externalDocs":
		if _, err := url.ParseRequestURI(m.String("url")); err != nil {
			return fmt.Sprintf("%q is not a URL", m.String("url"))
		}
		s.ExternalDocs = &crdschema.ExternalDocs{URL: m.String("url"), Description: m.String("description")}
	case "kubegen:schema":
		keywords, err := crdschema.FromJSON(m.Value)
		if err != nil {
			return err.Error()
		}
		for _, part := range keywords.AllOf {
			part.Literal = true
		}
		s.Set(keywords)
	case "listType", "k8s:listType", "listMapKey", "k8s:listMapKey", "mapType", "structType":
		return setTopology(s, form, strings.TrimPrefix(bare, "k8s:"), m.Value.(string))
	default:
		if k := crdschema.ByMarker(name); k != nil {
			return k.Apply(s, form, m.Value)
		}
	}
	return ""
}

// setTopology sets how server-side apply merges a value, and returns the reason if it cannot, or else "".
func setTopology(s, form *crdschema.Schema, name, value string) string {
	allowed := []string{"granular", "atomic"}
	if name == "listType" {
		allowed = []string{"map", "set", "atomic"}
	}
	switch why := crdschema.ByMarker(name).Unfit(s, form); {
	case why != "" && (name != "structType" || form.Type != ""):
		return why
	case name == "listMapKey" && s.ListType != "map":
		return "it needs +listType=map"
	case name == "listMapKey":
		if !slices.Contains(s.ListMapKeys, value) {
			s.ListMapKeys = append(s.ListMapKeys, value)
		}
	case !slices.Contains(allowed, value):
		return fmt.Sprintf("the value must be one of %s, not %q", strings.Join(allowed, ", "), value)
	case name == "listType":
		s.ListType = value
	default:
		s.MapType = value
	}
	return ""
}

// requireContent sets a minimum of 1 for the content of a required value, unless there is another one. controller-gen
// also sets a minimum number of keys for numbers and strings of declared types, which has no effect.
func (r *Reader) requireContent(s *crdschema.Schema) {
	typ := s.Type
	if typ == "" && s.Ref != nil {
		if found := r.derive(RefOf(s)).schema; found != nil {
			typ = found.Type
		} else {
			typ = r.form(RefOf(s)).Type // of a type that contains itself
		}
	}
	one := int64(1)
	var least **int64
	switch typ {
	case "string":
		least = &s.MinLength
	case "array":
		least = &s.MinItems
	case "object":
		least = &s.MinProperties
	}
	if least != nil && *least == nil {
		*least = &one
	}
}

func addRule(s *crdschema.Schema, m model.Marker) string {
	if reason := m.String("reason"); reason != "" && !slices.Contains(crdschema.Reasons, reason) {
		return fmt.Sprintf("reason= must be one of %s, not %q", strings.Join(crdschema.Reasons, ", "), reason)
	}
	rule := crdschema.Rule{
		Rule: m.String("rule"), Message: m.String("message"), MessageExpression: m.String("messageExpression"),
		Reason: m.String("reason"), FieldPath: m.String("fieldPath"),
	}
	if optional, ok := m.Arguments["optionalOldSelf"].(bool); ok {
		rule.OptionalOldSelf = &optional
	}
	s.Validations = append(s.Validations, rule)
	return ""
}

// setConstants sets the constants of a type as its enum, and returns the reason if it cannot, or else "".
func (t *deriver) setConstants(s *crdschema.Schema) string {
	d := t.of
	under, _ := t.types.Underlying(d)
	if under == nil || under.Form != gotypes.BuiltinForm || under.Name.Name != "string" {
		return "it is for types whose underlying type is string"
	}
	var values []string
	for _, c := range t.types.Constants(d) {
		if c.Literal { // as controller-gen
			values = append(values, constant.StringVal(c.Value))
		}
	}
	if len(values) == 0 {
		return "package " + d.Package.Path + " has no constants of type " + d.Name
	}
	s.Type, s.Enum = "string", nil
	slices.SortFunc(values, func(a, b string) int { return strings.Compare(quoted(a), quoted(b)) })
	for _, value := range values {
		s.Enum = append(s.Enum, crdschema.Value{JSON: value})
	}
	return ""
}

// quoted returns a string in JSON.
func quoted(text string) string {
	encoded, _ := json.Marshal(text)
	return string(encoded)
}
