package conversion

import (
	"slices"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Fillers returns the names of functions in the package's tests that return functions for filling random objects.
func (p Conversions) Fillers() []string { return p.Model.Conversions.Fillers }

// Filled returns the Go syntax of a type for whose objects the test needs a function, or "" if no kind has fields of
// it.
func (p Conversions) Filled(importPath, name string) gofile.Code {
	t := model.TypeRef{Path: importPath, Name: name}
	if used, _ := p.reached(); !used[t] {
		return ""
	}
	return p.TypeRef(t)
}

// rawTypes are types that hold any JSON.
var rawTypes = slices.Concat(
	[]model.TypeRef{{Path: "encoding/json", Name: "RawMessage"}}, crdschema.JSONTypes(),
	[]model.TypeRef{{Path: "k8s.io/apimachinery/pkg/runtime", Name: "RawExtension"}},
)

// RawTypes returns the Go syntax of the types that hold any JSON, as far as kinds have fields of them.
func (p Conversions) RawTypes() (list []gofile.Code) {
	for _, t := range rawTypes {
		if code := p.Filled(t.Path, t.Name); code != "" {
			list = append(list, code)
		}
	}
	return list
}

// NilChance returns the smallest chance of a random pointer, slice or map to be nil. It is greater if types refer to
// themselves, whose objects would be too large.
func (p Conversions) NilChance() gofile.Code {
	if _, recursive := p.reached(); recursive {
		return "0.6"
	}
	return "0.2"
}

// reached returns the names of the types that kinds and hubs refer to, and reports whether one refers to itself.
func (p Conversions) reached() (used map[model.TypeRef]bool, recursive bool) {
	used = map[model.TypeRef]bool{}
	inside := map[model.TypeRef]bool{}
	var visit func(t *model.Type)
	visit = func(t *model.Type) {
		if t == nil {
			return
		}
		name := t.Name
		if name.Name != "" && name.Path != "" {
			recursive = recursive || inside[name]
			if used[name] {
				return
			}
			used[name], inside[name] = true, true
			defer delete(inside, name)
		}
		under := t.Underlying()
		visit(under.Key)
		visit(under.Elem)
		for _, f := range fieldsOf(under) {
			visit(f.Type)
		}
	}
	for _, spoke := range p.Model.Conversions.Spokes {
		visit(spoke.In)
		visit(spoke.Out)
	}
	return used, recursive
}
