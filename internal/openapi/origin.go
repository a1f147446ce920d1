package openapi

import (
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/markers"
)

// Origin is where a schema comes from. What comes from packages that users cannot change has none: its origin is that of the schema around it.
type Origin struct {
	Line, Column int // in a manifest: of the key of a property, or of the schema itself; 0 in a schema that is derived from Go types

	Pos       token.Pos         // of the field or type, token.NoPos if users cannot change it
	Settings  []markers.Setting // that were applied, in the order of precedence
	Recursive bool              // the schema would be that of a type within itself, and is empty instead
	Failed    bool              // there is no schema, for a reason that was reported
	Quoted    bool              // is that of a field whose values are strings because of the option string in its JSON tag
	Partial   bool              // says something about elements of a list whose schema is elsewhere
	Literal   bool              // part of an allOf that a marker says, which is not merged into the schema
}

// Setting returns the last marker that has one of some names, without the prefix kubebuilder:validation: or k8s:, and that satisfies a condition; the
// zero Setting if there is none.
func (o *Origin) Setting(names []string, matches func(markers.Setting) bool) markers.Setting {
	for _, s := range slices.Backward(o.Settings) {
		name := strings.TrimPrefix(strings.TrimPrefix(s.Name, markers.Validation), "k8s:")
		if slices.Contains(names, name) && (matches == nil || matches(s)) {
			return s
		}
	}
	return markers.Setting{}
}
