package applyconfiguration

import "github.com/kubegen/kubegen/internal/render"

// declares returns the names that the file of a struct declares besides methods.
func declares(general *render.Struct) []string {
	s := &Struct{of: general}
	names := []string{s.Builder(), s.Constructor()}
	if s.IsKind() && s.Extracts() {
		names = append(names, s.Extract(), "Extract"+s.Kind())
		for _, part := range s.Subresources() {
			names = append(names, "Extract"+s.Kind()+part.GoName)
		}
	}
	return names
}

// refer refers to the types of all fields of an apply configuration.
func refer(general *render.Struct) { (&Struct{of: general}).BuilderFields() }
