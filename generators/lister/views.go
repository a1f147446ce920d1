package lister

import (
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/templates"
)

// kind is the general view, renamed because embedding it must not hide its method Kind.
type kind = render.Kind

// Lister is the view of a kind.
type Lister struct{ *kind }

var views = render.Views{Kind: func(k *render.Kind) any { return Lister{k} }}

// Shared refers to a name in the package shared by the indexes of all kinds.
func (k Lister) Shared(name string) gofile.Code { return k.RefIn(templates.SharedIndexes, name) }

// Indexes returns the indexes of the kind, each with a method of the lister.
func (k Lister) Indexes() []Index {
	var list []Index
	for _, index := range k.Model.Indexes {
		list = append(list, Index{k.kind, index})
	}
	return list
}

// Index is the view of an index of a kind.
type Index struct {
	*kind
	Model *model.Index
}

// Name returns the name of the lister's method: "ByImage".
func (i Index) Name() string { return i.Model.Name }

// ID returns the name of the index in a cache: "spec.image".
func (i Index) ID() string { return i.Model.ID() }

// Const returns the constant for the name of the index: "CronTabByImage".
func (i Index) Const() string { return i.Kind() + i.Model.Name }

// Which returns a phrase that describes the objects found by the index, to follow "the objects".
func (i Index) Which() string {
	if i.Model.Func != "" {
		return "for which " + i.Model.Func + " returns this key"
	}
	return "with this ." + i.Model.Path
}

// part is a part of the value to look up in an index, with its parameter.
type part struct {
	model.Part
	param gofile.Code
}

func (i Index) parts() (list []part) {
	for _, p := range i.Model.Parts {
		name := strings.TrimPrefix(i.Model.Name, "By")
		if len(i.Model.Parts) > 1 {
			name = "of" + p.Name
		}
		if strings.ToUpper(name) == name { // such as UID
			name = strings.ToLower(name)
		}
		list = append(list, part{p, gofile.Local(strings.TrimSuffix(model.Unexported(name), "_"))})
	}
	return list
}

// named reports whether the type has a name that other packages can use.
func (p part) named() bool {
	return p.Type.Kind == model.Named && len(p.Type.Args) == 0 && token.IsExported(p.Type.Name.Name)
}

// Params returns the parameters for the value to look up: "image string". They have the types of the fields, unless
// other packages cannot name these types.
func (i Index) Params() gofile.Code {
	var list []gofile.Code
	var last gofile.Code // the type of the parameter after it
	for _, p := range slices.Backward(i.parts()) {
		typ := gofile.Name(p.Type.Basic())
		if p.named() {
			typ = i.TypeRef(p.Type.Name)
		}
		if typ == last {
			list = append(list, p.param)
		} else {
			list = append(list, p.param+" "+typ)
		}
		last = typ
	}
	slices.Reverse(list)
	return gofile.Join(list, ", ")
}

// ParamKey returns an argument expression that converts the parameters to the index key.
func (i Index) ParamKey() gofile.Code {
	var key key
	for _, p := range i.parts() {
		key.add(p.param, p.Type.Basic(), p.named())
	}
	return key.expression("+")
}
