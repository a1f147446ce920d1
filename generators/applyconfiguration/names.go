package applyconfiguration

import (
	"slices"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// Declares returns the names that the file of a struct declares, with fields and methods as "Type.Member". It omits the
// members of structs that embed nothing but metadata, because they cannot collide.
func (Generator) Declares(general *render.Struct) []string {
	s := &Struct{of: general}
	var fields, methods []string
	if s.embedsOwn() {
		fields, methods = s.memberNames()
	}
	names := slices.Concat([]string{s.Builder()}, fields, []string{s.Constructor()})
	if s.IsKind() && s.Extracts() {
		names = append(names, s.Extract(), "Extract"+s.Kind())
		for _, part := range s.Subresources() {
			names = append(names, "Extract"+s.Kind()+part.GoName)
		}
	}
	return append(names, methods...)
}

// memberNames returns the fields and methods of the apply configuration.
func (s *Struct) memberNames() (fields, methods []string) {
	prefix := s.Builder() + "."
	for _, f := range s.builderFields(s.Model) {
		name := f.Name
		if f.embedded {
			name = f.embed()
		}
		fields = append(fields, prefix+name)
	}
	if s.IsApplyConfiguration() {
		methods = append(methods, prefix+"IsApplyConfiguration")
	}
	for _, a := range s.Accessors() {
		methods = append(methods, prefix+a.Name)
	}
	for _, setter := range s.Setters() {
		methods = append(methods, prefix+"With"+setter.Name)
	}
	for _, getter := range s.Getters() {
		methods = append(methods, prefix+"Get"+getter.Name)
	}
	return fields, methods
}

// embedsOwn reports whether the struct embeds a struct of a package other than metav1.
func (s *Struct) embedsOwn() bool {
	return slices.ContainsFunc(s.Model.JSONFields(), func(f *model.Field) bool {
		return f.Embedded && f.Type.Deref().Name.Path != model.MetaV1
	})
}

// Refer refers to all types in an apply configuration.
func (Generator) Refer(general *render.Struct) {
	s := &Struct{of: general}
	s.BuilderFields()
	s.Setters()
}
