package crdschema

import (
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// Origin tells where a schema comes from. Schemas from packages that users cannot edit have the position of the
// enclosing schema.
type Origin struct {
	Line, Column int // in a manifest: of the key of a property, or of the schema itself; 0 for a schema derived from Go types

	Pos       token.Pos      // of the field or type; token.NoPos if users cannot edit it
	Markers   []model.Marker // markers that were applied, in ascending order of precedence
	Recursive bool           // the type contains itself, and the schema is empty instead
	Metadata  bool           // metadata of an object, whose fields are not listed
	Failed    bool           // there is no schema, for a reason that was reported
	Quoted    bool           // the field's values are strings because of the option string in its JSON tag
	Partial   bool           // restricts elements of a list whose schema is elsewhere
	Literal   bool           // element of an allOf written in a marker, which is not merged into the schema
	Sliced    bool           // the schema or one in it has lost fields; see Slice
	Changes
}

// Changes are what feature gates and edits in kubegen.yaml have changed.
type Changes struct {
	Off   []GatedField     // fields that they leave out
	Edits []token.Position // of edits, in order
	SetBy token.Position   // of the last edit that sets keywords
}

// GatedField is a field that feature gates or an edit leave out of a schema.
type GatedField struct {
	Name, Gate string
	Edit       token.Position // of an edit in kubegen.yaml
}

// LeftOut returns the field of a name that feature gates or an edit leave out of a schema, or nil.
func (s *Schema) LeftOut(name string) *GatedField {
	i := slices.IndexFunc(s.Off, func(off GatedField) bool { return off.Name == name })
	if i < 0 || s.Index(name) >= 0 {
		return nil
	}
	return &s.Off[i]
}

// dropped returns the field of a name that an edit leaves out of a schema, or nil.
func (s *Schema) dropped(name string) *GatedField {
	if field := s.LeftOut(name); field != nil && field.Edit.IsValid() {
		return field
	}
	return nil
}

// Marker returns the last marker with one of the names, compared without the prefix kubebuilder:validation: or k8s:,
// for which matches returns true. A nil matches accepts all. Marker returns the zero Marker if there is none.
func (o *Origin) Marker(names []string, matches func(model.Marker) bool) model.Marker {
	for _, s := range slices.Backward(o.Markers) {
		if slices.Contains(names, withoutPrefix(s.Name)) && (matches == nil || matches(s)) {
			return s
		}
	}
	return model.Marker{}
}

// withoutPrefix returns the name of a marker without the prefix kubebuilder:validation: or k8s:.
func withoutPrefix(name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, Validation), "k8s:")
}
