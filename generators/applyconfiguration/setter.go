package applyconfiguration

import (
	"slices"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Setter is a With method of an apply configuration.
type Setter struct {
	Name   string      // name of the field: "Schedule"
	Target gofile.Code // expression to set: "b.Schedule", "b.objectMeta().Name"
	Param  gofile.Code // type of the parameter, or of each variadic argument
	Shape  Shape
	Alloc  gofile.Code // type of the pointee of Target if it must be allocated first
	Owner  gofile.Code // expression for client-go's ObjectMetaApplyConfiguration, whose method of the same name is called, or ""
}

// Shape is the form of a With method: its parameter and effect.
type Shape string

// Shapes of With methods.
const (
	Assign   Shape = "assign"   // (value *T) assigns the pointer
	Point    Shape = "point"    // (value T) assigns a pointer to the value
	Copy     Shape = "copy"     // (value T) assigns the value
	Append   Shape = "append"   // (values ...T) appends to a slice
	Builders Shape = "builders" // (values ...*T) appends the targets of the pointers
	Merge    Shape = "merge"    // (entries map[K]T) adds to a map
)

// Params returns the declaration of the method's parameter.
func (s Setter) Params() gofile.Code {
	switch s.Shape {
	case Assign:
		return "value *" + s.Param
	case Append:
		return "values ..." + s.Param
	case Builders:
		return "values ...*" + s.Param
	case Merge:
		return "entries " + s.Param
	}
	return "value " + s.Param
}

// Args returns the parameter as the argument of a method with the same parameter.
func (s Setter) Args() gofile.Code {
	switch s.Shape {
	case Append, Builders:
		return "values..."
	case Merge:
		return "entries"
	}
	return "value"
}

// Accessor is a method that returns an embedded apply configuration, and allocates it if necessary.
type Accessor struct {
	Name         string
	Target, Type gofile.Code
}

// Getter is a method that returns a field that identifies the object of an apply request: Target, or a field of the
// target of Embedded, unless that is zero.
type Getter struct {
	Name     string
	Target   gofile.Code
	Embedded Accessor
}

// members holds the methods of an apply configuration.
type members struct {
	setters   []Setter
	accessors []Accessor
	getters   []Getter
}

// Setters returns the With methods.
func (s *Struct) Setters() []Setter { return s.members().setters }

// Accessors returns the methods that return embedded apply configurations.
func (s *Struct) Accessors() []Accessor { return s.members().accessors }

// Getters returns the Get methods, except those promoted from embedded structs.
func (s *Struct) Getters() []Getter { return s.members().getters }

// HasSetter reports whether the apply configuration has the With method of a field with a string parameter, like the
// With methods of Kind, APIVersion, Name and Namespace.
func (s *Struct) HasSetter(field string) bool {
	return slices.ContainsFunc(s.Setters(), func(with Setter) bool {
		return with.Name == field && with.Shape == Point && with.Param == "string"
	})
}

func (s *Struct) members() *members {
	if s.made != nil {
		return s.made
	}
	m := &members{}
	s.made = m
	seen := map[string]bool{}
	own := map[string]bool{}
	for _, f := range s.builderFields(s.Model) {
		own[f.Name] = true
	}
	open := []*model.StructType{}
	var add func(of *model.StructType, prefix gofile.Code, embedded Accessor, shadowed []string)
	add = func(of *model.StructType, prefix gofile.Code, embedded Accessor, shadowed []string) {
		if slices.Contains(open, of) {
			return // the struct embeds itself
		}
		open = append(open, of)
		fields := s.builderFields(of)
		outer := shadowed
		shadowed = slices.Clip(shadowed)
		for _, f := range fields {
			if !f.Inline() {
				shadowed = append(shadowed, f.JSON())
			}
		}
		for _, f := range fields {
			name := f.Name
			if f.embedded && !s.Options().Policy.SettersByFieldName {
				name = f.embed() // a struct may have a field with the name of an embedded struct
			}
			hidden := !f.Inline() && slices.Contains(outer, f.JSON()) // JSON uses the field of the enclosing struct
			if seen[name] || hidden && !s.Options().Policy.SettersOfHidden {
				continue
			}
			seen[name] = true
			target := prefix + "." + gofile.Name(f.Name)
			switch {
			case f.plain && !s.Options().Policy.PlainEmbedded:
				if !own["With"+f.Name] {
					m.setters = append(m.setters, f.setter(s, target))
				}
			case f.plain && f.inner.Struct == nil:
			case f.plain:
				for _, field := range s.plainFields(f.inner.Struct, map[*model.StructType]bool{}) {
					if !seen[field.Name] && !own["With"+field.Name] {
						seen[field.Name] = true
						m.setters = append(m.setters, field.setter(s, target+"."+field.within+gofile.Name(field.Name)))
					}
				}
			case f.embedded && f.pointer && s.Options().Policy.PromotedSetters:
				// Go promotes the With methods of the embedded apply configuration. They return the embedded
				// configuration.
			case f.embedded && f.Inline():
				add(f.inner.Struct, prefix+"."+gofile.Name(f.embed()), embedded, shadowed)
			case f.embedded:
				by := Accessor{model.Unexported(f.inner.Struct.BuilderName()), prefix + "." + gofile.Name(f.embed()), f.builder}
				m.accessors = append(m.accessors, by)
				add(f.inner.Struct, "b."+gofile.Name(by.Name)+"()", by, nil)
			default:
				if !own["With"+f.Name] {
					set := f.setter(s, target)
					if embedded.Name != "" && s.isPublishedMeta(of) {
						set.Owner = prefix
					}
					m.setters = append(m.setters, set)
				}
				isMeta := of.TypeRef == model.TypeRef{Path: model.MetaV1, Name: "ObjectMeta"} && (f.Name == "Name" || f.Name == "Namespace") ||
					of.TypeRef == model.TypeRef{Path: model.MetaV1, Name: "TypeMeta"} && (f.Name == "Kind" || f.Name == "APIVersion")
				isMeta = isMeta && (f.Name == "Name" || s.Has(model.ApplyConfigurationGetters))
				nested := s.Options().Policy.GettersOfNested || s.Backports(model.ApplyConfigurationGetters)
				if isMeta && !own["Get"+f.Name] && (of == s.Model || embedded.Name != "" || nested) {
					m.getters = append(m.getters, Getter{f.Name, target, embedded})
				}
			}
		}
		open = open[:len(open)-1]
	}
	add(s.Model, "b", Accessor{}, nil)
	return m
}

// setter returns the field's With method.
func (f builderField) setter(of *Struct, target gofile.Code) Setter {
	s := Setter{Name: f.Name, Target: target, Param: f.typ(of), Shape: Point}
	switch slice := f.inner.Kind == model.Slice && f.inner.Name.Name == ""; {
	case slice && (f.pointers || f.builder != ""):
		if s.Shape, s.Param = Builders, f.builder; f.pointers {
			s.Param = of.goType(f.inner.Elem)
		}
		if f.pointer {
			s.Alloc = "[]" + s.Param
		}
	case f.builder != "" && f.inner.Kind == model.Struct:
		s.Shape = Assign
	case f.plain && !f.pointer && !f.nillable():
		s.Shape = Copy
	case f.pointer:
	case slice:
		s.Shape, s.Param = Append, of.goType(f.inner.Elem)
	case f.inner.Kind == model.Map && f.inner.Name.Name == "":
		s.Shape = Merge
	}
	return s
}
