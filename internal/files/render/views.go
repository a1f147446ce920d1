package render

import (
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Views hold functions that wrap general views in a generator's own views, which have methods only for its templates.
// If a function is nil, the general view is used.
type Views struct {
	API     func(*API) any
	Group   func(*Group) any
	Version func(*Version) any
	Kind    func(*Kind) any
	Struct  func(*Struct) any
	Package func(*Package) any
}

// of returns the generator's own view for a general view.
func (v Views) of(general any) any {
	switch g := general.(type) {
	case *API:
		return own(v.API, g)
	case *Group:
		return own(v.Group, g)
	case *Version:
		return own(v.Version, g)
	case *Kind:
		return own(v.Kind, g)
	case *Struct:
		return own(v.Struct, g)
	case *Package:
		return own(v.Package, g)
	}
	return general
}

func own[V any](of func(V) any, general V) any {
	if of == nil {
		return general
	}
	return of(general)
}

// each returns the generator's own views for general views.
func each[V any](views Views, general []V) []any {
	list := make([]any, len(general))
	for i, v := range general {
		list[i] = views.of(v)
	}
	return list
}

// Package is the view for templates of files in a package of types.
type Package struct {
	*API
	Model *model.Package
}

// TypeName returns the Go syntax of a type. ok is false if the type cannot be named in the package.
func (p *Package) TypeName(t *model.Type) (text gofile.Code, ok bool) {
	if !t.HasName(p.Model.Path) {
		return "", false
	}
	return p.typeName(t), true
}

func (p *Package) typeName(t *model.Type) gofile.Code {
	switch {
	case t.Name.Name == "" && t.Kind == model.Pointer:
		return "*" + p.typeName(t.Elem)
	case t.Name.Name == "" && t.Kind == model.Slice:
		return "[]" + p.typeName(t.Elem)
	case t.Name.Name == "" && t.Kind == model.Array:
		return "[" + gofile.Length(t.Len) + "]" + p.typeName(t.Elem)
	case t.Name.Name == "":
		return "map[" + p.typeName(t.Key) + "]" + p.typeName(t.Elem)
	case t.Name.Path == "" || t.Kind == model.Param:
		return gofile.Name(t.Name.Name)
	}
	text := p.TypeRef(t.Name)
	if len(t.Args) > 0 {
		args := make([]gofile.Code, len(t.Args))
		for i, arg := range t.Args {
			args[i] = p.typeName(arg)
		}
		text += "[" + gofile.Join(args, ", ") + "]"
	}
	return text
}
