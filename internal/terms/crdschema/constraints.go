package crdschema

import (
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// Constraint is a keyword that restricts values, with its cause in the Go types.
type Constraint struct {
	Pointer string       // JSON Pointer (RFC 6901) from the schema of the version to the keyword, rule or name of a required field
	Marker  model.Marker // that sets the keyword, or the zero Marker
	Pos     token.Pos    // of the innermost enclosing field or type; token.NoPos if users cannot edit it

	Edit token.Position // instead of these: of an edit of the schema at Pointer, which is no constraint
}

// Constraints returns the constraints in a schema derived from Go types, ordered as in a manifest but for its keywords.
// It leaves out parts of anyOf, oneOf and not, since values need not fit each of them.
func (s *Schema) Constraints() []Constraint {
	var found constraints
	found.add("", s.Pos, s, nil)
	return found
}

// pointerToken escapes a name for a JSON Pointer.
var pointerToken = strings.NewReplacer("~", "~0", "/", "~1")

type constraints []Constraint

// causeOf returns the marker of a rule that no marker contains: of alternatives, or of a field that cannot change once
// it is set; its struct has a rule, too. The zero Marker means that the cause is not known.
func (o *Origin) causeOf(rule string, properties []Property) model.Marker {
	if !UsesOldSelf(rule) {
		return o.Marker([]string{"AtMostOneOf", "ExactlyOneOf", "AtLeastOneOf"}, nil)
	}
	for _, p := range properties {
		if m := p.Marker([]string{"immutable"}, nil); m.Name != "" && strings.Contains(rule, "has(oldSelf."+p.Name+")") {
			return m
		}
	}
	return o.Marker([]string{"immutable"}, nil)
}

// add adds the constraints of a schema inside one at pos. Parts of allOf that were merged have the markers of the
// whole.
func (found *constraints) add(pointer string, pos token.Pos, s *Schema, whole []model.Marker) {
	if s.Pos != token.NoPos {
		pos = s.Pos
	}
	for _, edit := range s.Edits {
		*found = append(*found, Constraint{Pointer: pointer, Edit: edit})
	}
	origin := &Origin{Markers: s.Markers}
	if len(s.Markers) == 0 {
		origin.Markers = whole
	}
	for _, k := range Keywords {
		restricts := k.narrows != nil || slices.Contains([]string{"x-kubernetes-list-type", "anyOf", "oneOf", "not"}, k.Name)
		if restricts && k.has(s) {
			*found = append(*found, Constraint{Pointer: pointer + "/" + k.Name, Marker: origin.Marker(k.Names(), nil), Pos: pos})
		}
	}
	saying := origin.saying()
	for i, rule := range s.Validations {
		marker, ok := saying[ruleKey{rule.Rule, rule.FieldPath}]
		if !ok {
			marker = origin.causeOf(rule.Rule, s.Properties)
		}
		*found = append(*found, Constraint{Pointer: pointer + "/x-kubernetes-validations/" + strconv.Itoa(i) + "/rule", Marker: marker, Pos: pos})
	}
	for i, name := range s.Required {
		c := Constraint{Pointer: pointer + "/required/" + strconv.Itoa(i), Pos: pos}
		if field := s.Property(name); field != nil && field.Pos != token.NoPos {
			c.Marker, c.Pos = field.Marker([]string{"Required", "required"}, nil), field.Pos
		}
		*found = append(*found, c)
	}
	for i, part := range s.AllOf {
		found.add(pointer+"/allOf/"+strconv.Itoa(i), pos, part, origin.Markers)
	}
	for _, p := range s.Properties {
		found.add(pointer+"/properties/"+pointerToken.Replace(p.Name), pos, p.Schema, nil)
	}
	if s.Items != nil {
		found.add(pointer+"/items", pos, s.Items, nil)
	}
	if s.AdditionalProperties != nil {
		found.add(pointer+"/additionalProperties", pos, s.AdditionalProperties, nil)
	}
}
