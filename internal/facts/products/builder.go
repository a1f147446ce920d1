package products

import (
	"go/ast"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// isBuilder reports whether a type expression is the Builder of controller-runtime, whose package scheme is deprecated.
func isBuilder(l *load.Loader, f *load.File, expr ast.Expr) bool {
	if sel, ok := expr.(*ast.SelectorExpr); ok {
		if pkg, ok := sel.X.(*ast.Ident); ok {
			switch l.ImportPath(f, pkg.Name) + "." + sel.Sel.Name {
			case "sigs.k8s.io/controller-runtime/pkg/scheme.Builder", "sigs.k8s.io/controller-runtime.SchemeBuilder":
				return true
			}
		}
	}
	return false
}

// schemeBuilder returns the variable SchemeBuilder of a package if it is a scheme builder of controller-runtime, as
// kubebuilder wrote it before v4.11. Other code may call another variable, which no generated registration declares.
func schemeBuilder(l *load.Loader, src *load.Package) (d load.Decl, found bool) {
	d, _ = l.Lookup(src, "SchemeBuilder")
	if d.Value != nil {
		for lit := range load.Nodes[*ast.CompositeLit](d.Value) {
			found = found || isBuilder(l, d.File, lit.Type)
		}
	}
	return d, found
}

// reportBuilder warns that a package registers its types with a scheme builder of controller-runtime, unless its
// AddToScheme does something else and would remain.
func reportBuilder(l *load.Loader, src *load.Package, builder load.Decl, diags *diag.List) {
	if add, ok := l.Lookup(src, "AddToScheme"); ok && !refersToBuilder(add) {
		return
	}
	diags.Warnf(
		l.Fset.Position(builder.Node.Pos()),
		"SchemeBuilder is controller-runtime's scheme builder, which is deprecated, because it adds controller-runtime to the dependencies of all callers",
	).Suggest("delete it, AddToScheme and the import, and keep GroupVersion as a variable; the next run writes the registration without " +
		"controller-runtime, and calls of SchemeBuilder.Register can remain: see docs/kubebuilder.md")
}

// refersToBuilder reports whether the declaration of AddToScheme refers to SchemeBuilder or to localSchemeBuilder.
func refersToBuilder(add load.Decl) bool {
	node := add.Node
	if add.Value != nil {
		node = add.Value
	}
	for ident := range load.Nodes[*ast.Ident](node) {
		if ident.Name == "SchemeBuilder" || ident.Name == "localSchemeBuilder" {
			return true
		}
	}
	return false
}

// RegistersObjects returns the import paths of the packages to whose SchemeBuilder hand-written code passes objects,
// such as &Foo{}, with the method Register, as the one of controller-runtime takes them.
func RegistersObjects(l *load.Loader, packages []*load.Package) map[string]bool {
	paths := map[string]bool{}
	for _, pkg := range packages {
		for f := range pkg.Parsed("SchemeBuilder.Register(") {
			for call := range load.Nodes[*ast.CallExpr](f.Syntax) {
				if path, ok := registering(l, f, call.Fun, pkg.Path); ok && len(call.Args) > 0 && newType(call.Args[0]) != nil {
					paths[path] = true
				}
			}
		}
	}
	return paths
}

// registering returns the import path of the package whose SchemeBuilder has the method Register that is called in a
// file of the package own.
func registering(l *load.Loader, f *load.File, fn ast.Expr, own string) (importPath string, ok bool) {
	method, ok := fn.(*ast.SelectorExpr)
	if !ok || method.Sel.Name != "Register" {
		return "", false
	}
	switch of := method.X.(type) {
	case *ast.Ident:
		return own, of.Name == "SchemeBuilder"
	case *ast.SelectorExpr:
		if pkg, ok := of.X.(*ast.Ident); ok && of.Sel.Name == "SchemeBuilder" {
			importPath = l.ImportPath(f, pkg.Name)
		}
	}
	return importPath, importPath != ""
}
