package checks

import (
	"encoding/json"
	"go/ast"
	"reflect"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

func differingDefault(p *Pass) {
	for _, pkg := range p.Packages {
		if pkg.Types.Defaults == nil {
			continue
		}
		for f := range pkg.Source.Parsed("+kubebuilder:default") {
			for field := range load.Nodes[*ast.Field](f.Syntax) {
				if field.Doc != nil {
					p.compareDefaults(pkg.Source, field)
				}
			}
		}
	}
}

// compareDefaults warns about a field with two defaults that differ. Constants that are no strings are not compared.
func (p *Pass) compareDefaults(src *load.Package, field *ast.Field) {
	var served, set *model.Marker
	found, _ := markers.ReadManifest(markers.Lines(p.Types.Fset, field.Doc), markers.Field, nil)
	for _, m := range found {
		switch m.Name {
		case "kubebuilder:default":
			served = &m
		case "default":
			set = &m
		}
	}
	if served == nil || set == nil {
		return
	}
	value := set.Value
	if name, isRef := strings.CutPrefix(set.Text, "ref("); isRef {
		d, _ := p.Types.Lookup(src, strings.TrimSuffix(name, ")"))
		if d.Value == nil {
			return
		}
		text := gotypes.StringOf(p.Types.Loader, src, d.File, d.Value)
		if text == nil {
			return
		}
		value = *text
	}
	if !sameJSON(value, served.Value) {
		p.diags.Warnf(set.Pos, "API servers set the default %s, and the generated function sets %s", served.Text, set.Text).
			WithRelated(served.Pos).Suggest("write the same value in both markers")
	}
}

// sameJSON reports whether two values have the same form in JSON.
func sameJSON(a, b any) bool {
	decoded := func(v any) (value any) {
		text, _ := json.Marshal(v)
		_ = json.Unmarshal(text, &value)
		return value
	}
	return reflect.DeepEqual(decoded(a), decoded(b))
}
