package lister

import (
	"go/token"
	"strings"

	"github.com/kubegen/kubegen/internal/gofile"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/render"
)

// kind is the general view, renamed because embedding it must not hide its method Kind.
type kind = render.Kind

// Kind is what templates are given for a kind.
type Kind struct{ *kind }

func view(general any) any {
	if k, ok := general.(*render.Kind); ok {
		return Kind{k}
	}
	return general
}

// Indexes returns the indexes of the kind, each with a method of the lister.
func (k Kind) Indexes() []Index {
	var list []Index
	for _, index := range k.Model.Indexes {
		list = append(list, Index{k.kind, index})
	}
	return list
}

// Index is what templates are given for an index of a kind.
type Index struct {
	*kind
	Model *model.Index
}

// Name returns "ByImage", the name of the lister's method.
func (i Index) Name() string { return i.Model.Name }

// ID returns "spec.image", the name of the index in a cache.
func (i Index) ID() string { return i.Model.ID() }

// Const returns "CronTabByImage", the constant with the name of the index.
func (i Index) Const() string { return i.Kind() + i.Model.Name }

// Which says which objects the index finds, to follow "the objects".
func (i Index) Which() string {
	if i.Model.Func != "" {
		return "for which " + i.Model.Func + " returns this key"
	}
	return "with this ." + i.Model.Path
}

// part is a part of the value that an index stores objects under, and the parameter for it.
type part struct {
	model.Part
	param string
}

func (i Index) parts() (list []part) {
	for _, p := range i.Model.Parts {
		name := strings.TrimPrefix(i.Model.Name, "By")
		if len(i.Model.Parts) > 1 {
			name = "of" + p.Name
		}
		if strings.ToUpper(name) == name { // UID
			name = strings.ToLower(name)
		}
		list = append(list, part{p, gofile.Local(strings.TrimSuffix(model.Unexported(name), "_"))})
	}
	return list
}

// named reports whether other packages can name the type.
func (p part) named() bool {
	return p.Type.Kind == model.Named && len(p.Type.Args) == 0 && token.IsExported(p.Type.Name.Name)
}

// Params returns the parameters with the value to look for: "image string". They have the types of the fields, unless other
// packages cannot name these.
func (i Index) Params() string {
	var list []string
	for _, p := range i.parts() {
		if p.named() {
			list = append(list, p.param+" "+i.TypeRef(p.Type.Name))
		} else {
			list = append(list, p.param+" "+p.Type.Basic())
		}
	}
	return strings.Join(list, ", ")
}

// ParamKey returns the expression for the key of the parameters, as an argument.
func (i Index) ParamKey() string {
	var key key
	for _, p := range i.parts() {
		key.add(p.param, p.Type.Basic(), p.named())
	}
	return key.expression("+")
}
