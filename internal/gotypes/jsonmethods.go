package gotypes

import (
	"go/ast"
	"regexp"
	"strconv"

	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/model"
)

// methodOfJSON matches the declaration of a method that encodes or decodes a type or returns the name of its schema.
var methodOfJSON = regexp.MustCompile(`\) ((Unm|M)arshal(JSON|Text)|OpenAPIModelName)\(`)

// jsonMethods describes the methods of a type that determine its form in JSON, and the result of OpenAPIModelName.
type jsonMethods struct {
	model.Methods
	modelName string
}

// methodsOf returns the jsonMethods of a type.
func (r *Reader) methodsOf(src *load.Package, name string) jsonMethods {
	byType, ok := r.methods[src]
	if !ok {
		byType = map[string]jsonMethods{}
		r.ParseWhere(src, methodOfJSON.Match)
		for f := range src.Parsed() {
			for _, d := range f.Syntax.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && len(fn.Recv.List) == 1 {
					receiver := BaseName(fn.Recv.List[0].Type)
					byType[receiver] = withMethod(byType[receiver], fn)
				}
			}
		}
		r.methods[src] = byType
	}
	return byType[name]
}

func withMethod(m jsonMethods, fn *ast.FuncDecl) jsonMethods {
	switch fn.Name.Name {
	case "MarshalJSON", "UnmarshalJSON":
		m.JSON = true
		_, pointer := fn.Recv.List[0].Type.(*ast.StarExpr)
		m.JSONPointer = m.JSONPointer || pointer && fn.Name.Name == "MarshalJSON"
	case "MarshalText", "UnmarshalText":
		m.Text = true
	case "OpenAPISchemaType":
		m.OpenAPIType = returned(fn)
	case "OpenAPISchemaFormat":
		m.OpenAPIFormat = returned(fn)
	case "OpenAPIModelName":
		m.modelName = returned(fn)
	}
	return m
}

// returned returns the first string literal that a function returns.
func returned(fn *ast.FuncDecl) (text string) {
	if fn.Body == nil {
		return ""
	}
	for _, statement := range fn.Body.List {
		if ret, ok := statement.(*ast.ReturnStmt); ok {
			ast.Inspect(ret, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && text == "" {
					text, _ = strconv.Unquote(lit.Value)
				}
				return true
			})
		}
	}
	return text
}
