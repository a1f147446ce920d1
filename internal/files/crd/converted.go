package crd

import (
	"bytes"
	"go/ast"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// isHub reports whether the version has the marker of a hub.
func (v *declared) isHub(types *gotypes.Reader) bool {
	d, ok := v.Source.Decls[v.typ.Name]
	return ok && d.Type != nil && types.HasMarker(d, func(line string) bool { return line == "+"+model.HubMarker })
}

// isConverted reports whether code converts the objects of the version: by methods for controller-runtime or by
// functions that its package registers, or whether a marker of its package requests such functions.
func (v *declared) isConverted(types *gotypes.Reader) bool {
	hasMethod := func(name string) bool { return v.Source.HasMethod(v.typ.Name, name) }
	requests := func(line markers.Line) bool { return strings.HasPrefix(line.Text, "+"+model.ConversionMarker+"=") }
	return slices.ContainsFunc([]string{"Hub", "ConvertTo", "ConvertFrom"}, hasMethod) ||
		slices.ContainsFunc(types.PackageLines(v.Source), requests) ||
		slices.ContainsFunc(v.Source.Files, func(f *load.File) bool { return registersConversion(f, v.typ.Name) })
}

// registersConversion reports whether a file registers a function that converts a type of its package. A generated file
// that is not parsed does so on one line.
func registersConversion(f *load.File, typ string) bool {
	const register = "ConversionFunc("
	switch {
	case !bytes.Contains(f.Text, []byte(register)):
		return false
	case f.Syntax == nil:
		return slices.ContainsFunc(slices.Collect(bytes.Lines(f.Text)), func(line []byte) bool {
			of := bytes.Contains(line, []byte("(*"+typ+")(nil)")) || bytes.Contains(line, []byte("_"+typ+"_To_"))
			return of && bytes.Contains(line, []byte(register))
		})
	}
	for call := range load.Nodes[*ast.CallExpr](f.Syntax) {
		types := call.Args[:min(2, len(call.Args))]
		if slices.Contains([]string{"AddConversionFunc", "AddGeneratedConversionFunc"}, load.BaseName(call.Fun)) &&
			slices.ContainsFunc(types, func(arg ast.Expr) bool { return refersTo(arg, typ) }) {
			return true
		}
	}
	return false
}

// refersTo reports whether an expression has the name of a type, or of a function that converts it, and no package
// qualifies the name.
func refersTo(expr ast.Expr, typ string) (found bool) {
	ast.Inspect(expr, func(n ast.Node) bool {
		ident, ok := n.(*ast.Ident)
		found = found || ok && (ident.Name == typ || strings.Contains(ident.Name, "_"+typ+"_To_"))
		_, qualified := n.(*ast.SelectorExpr)
		return !qualified
	})
	return found
}
