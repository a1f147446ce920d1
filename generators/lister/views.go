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

// Param returns the parameter with the value to look for.
func (i Index) Param() string {
	name := strings.TrimPrefix(i.Model.Name, "By")
	if strings.ToUpper(name) == name { // UID
		return gofile.Local(strings.ToLower(name))
	}
	return gofile.Local(strings.TrimSuffix(model.Unexported(name), "_"))
}

// KeyType returns the type of that value: a named one unless other packages cannot name it.
func (i Index) KeyType() string {
	if i.named() {
		return i.TypeRef(i.Model.Key.Name)
	}
	return i.Model.Key.Basic()
}

func (i Index) named() bool {
	key := i.Model.Key
	return key.Kind == model.Named && len(key.Args) == 0 && token.IsExported(key.Name.Name)
}

// ParamKey returns the expression for the key of the parameter.
func (i Index) ParamKey() string { return keyOf(i.Param(), i.Model.Key.Basic(), i.named()) }
