package gotypes

import (
	"go/ast"
	"strconv"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// methods returns the methods of a type. It parses generated files with methods that encode or decode a type or return
// the name of its schema.
func (r *Reader) methods(src *load.Package, name string) []*ast.FuncDecl {
	if !r.source.withMethods[src] {
		r.source.withMethods[src] = true
		r.ReadOnce(src)
		r.ParseMentioning(src, ") MarshalJSON(", ") UnmarshalJSON(", ") MarshalText(", ") UnmarshalText(", ") OpenAPIModelName(")
	}
	return src.Methods(name)
}

// jsonMethods describes the methods of a type that determine its form in JSON, and the result of OpenAPIModelName.
type jsonMethods struct {
	model.Methods
	modelName string
}

// methodsOf returns the jsonMethods of a type.
func (r *Reader) methodsOf(src *load.Package, name string) (m jsonMethods) {
	for _, fn := range r.methods(src, name) {
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
	}
	return m
}

// returned returns the first string literal that a function returns.
func returned(fn *ast.FuncDecl) string {
	if fn.Body == nil {
		return ""
	}
	for _, statement := range fn.Body.List {
		if ret, ok := statement.(*ast.ReturnStmt); ok {
			for lit := range load.Nodes[*ast.BasicLit](ret) {
				if text, _ := strconv.Unquote(lit.Value); text != "" {
					return text
				}
			}
		}
	}
	return ""
}
