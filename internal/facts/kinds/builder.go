package kinds

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// builder is a variable with a scheme builder of controller-runtime, as kubebuilder wrote it before v4.11.
type builder struct {
	name    string
	pos     token.Position
	version ast.Expr // the field GroupVersion; nil if it is not set
}

// isBuilder reports whether a type expression is the Builder of controller-runtime.
func isBuilder(l *load.Loader, f *load.File, expr ast.Expr) bool {
	sel, _ := expr.(*ast.SelectorExpr)
	if sel == nil {
		return false
	}
	pkg, _ := sel.X.(*ast.Ident)
	if pkg == nil || sel.Sel.Name != "Builder" && sel.Sel.Name != "SchemeBuilder" {
		return false
	}
	switch l.ImportPath(f, pkg.Name) {
	case "sigs.k8s.io/controller-runtime/pkg/scheme":
		return sel.Sel.Name == "Builder"
	case "sigs.k8s.io/controller-runtime":
		return sel.Sel.Name == "SchemeBuilder"
	}
	return false
}

// findBuilder returns the scheme builder of controller-runtime that a package declares, or nil.
func findBuilder(l *load.Loader, src *load.Package) (found *builder) {
	for f := range src.Parsed(`"sigs.k8s.io/controller-runtime`) {
		for _, spec := range valueSpecs(f) {
			for i, value := range spec.Values {
				ast.Inspect(value, func(n ast.Node) bool {
					lit, ok := n.(*ast.CompositeLit)
					if ok && found == nil && i < len(spec.Names) && isBuilder(l, f, lit.Type) {
						found = &builder{spec.Names[i].Name, l.Fset.Position(spec.Pos()), field(lit, "GroupVersion", 0)}
					}
					return found == nil
				})
			}
		}
	}
	return found
}

// inline reports whether the group and version are only declared in the builder.
func (b *builder) inline() bool {
	_, inline := b.version.(*ast.CompositeLit)
	return inline
}

// valueSpecs returns the variables and constants that a file declares.
func valueSpecs(f *load.File) (specs []*ast.ValueSpec) {
	for _, d := range f.Syntax.Decls {
		if d, ok := d.(*ast.GenDecl); ok {
			for _, spec := range d.Specs {
				if spec, ok := spec.(*ast.ValueSpec); ok {
					specs = append(specs, spec)
				}
			}
		}
	}
	return specs
}

// reportBuilder warns that a package registers its types with a scheme builder of controller-runtime. The warning lists
// the lines that register types which a generated registration would register, and the lines that it would declare
// again. There is no warning if the package would not compile without other changes.
func reportBuilder(l *load.Loader, src *load.Package, b *builder, types []string, diags *diag.List) {
	r := replacement{l: l, b: b, types: types, gone: map[string]bool{b.name: true}, lines: map[*load.File][]lines{}}
	for again := true; again; { // a variable may refer to one in a later file
		again = false
		for f := range src.Parsed() {
			again = r.declarations(f) || again
		}
	}
	if _, ok := l.Lookup(src, "AddToScheme"); ok && !r.gone["AddToScheme"] {
		return // it would remain
	}
	for f := range src.Parsed() {
		r.calls(f)
	}
	if b.name != "SchemeBuilder" && r.kept {
		return
	}
	var parts []string
	for f := range src.Parsed() {
		r.imports(f)
		if list := r.lines[f]; len(list) > 0 {
			parts = append(parts, filepath.Base(f.Name)+":"+joined(f, l.Fset, list))
		}
	}
	rest := ""
	if b.inline() {
		rest = ", and declare its GroupVersion as a variable of this name"
	}
	diags.Warnf(
		b.pos,
		"%s is controller-runtime's scheme builder, which is deprecated, because it adds controller-runtime to the dependencies of all callers",
		b.name,
	).
		Suggest("delete the lines %s%s, and the next run writes the registration without it", strings.Join(parts, " "), rest)
}

// lines are the numbers of the first and the last of several lines.
type lines struct{ first, last int }

// replacement collects the lines to delete before a registration is generated in place of a scheme builder.
type replacement struct {
	l     *load.Loader
	b     *builder
	types []string
	gone  map[string]bool        // declarations that are deleted
	lines map[*load.File][]lines // of each file
	kept  bool                   // some calls of Register remain
}

// remove adds the lines of a node with its comment.
func (r *replacement) remove(f *load.File, n ast.Node, doc *ast.CommentGroup) {
	first := n.Pos()
	if doc != nil {
		first = doc.Pos()
	}
	r.lines[f] = append(r.lines[f], lines{r.l.Fset.Position(first).Line, r.l.Fset.Position(n.End()).Line})
}

// mentions reports whether a node refers to a deleted declaration or to the type of the builder.
func (r *replacement) mentions(f *load.File, n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			found = found || isBuilder(r.l, f, n)
		case *ast.Ident:
			found = found || r.gone[n.Name]
		}
		return !found
	})
	return found
}

// declarations removes the builder, and declarations that a generated registration declares as well if they refer to
// it. It reports whether it found any.
func (r *replacement) declarations(f *load.File) (found bool) {
	replaced := func(name string) bool {
		return name == r.b.name || slices.Contains([]string{"AddToScheme", "Install", "localSchemeBuilder", "addKnownTypes"}, name)
	}
	for _, d := range f.Syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if name := d.Name.Name; d.Recv == nil && d.Body != nil && replaced(name) && !r.gone[name] && r.mentions(f, d.Body) {
				r.gone[name], found = true, true
				r.remove(f, d, d.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				spec, ok := spec.(*ast.ValueSpec)
				if !ok || len(spec.Names) != 1 || len(spec.Values) != 1 {
					continue
				}
				name := spec.Names[0].Name
				if replaced(name) && !r.has(f, spec) && r.mentions(f, spec.Values[0]) {
					r.gone[name], found = true, true
					r.remove(f, spec, spec.Doc)
				}
			}
			if !slices.ContainsFunc(d.Specs, func(spec ast.Spec) bool { return !r.has(f, spec) }) {
				r.remove(f, d, d.Doc)
			}
		}
	}
	return found
}

// has reports whether the lines of a node are deleted.
func (r *replacement) has(f *load.File, n ast.Node) bool {
	line := r.l.Fset.Position(n.Pos()).Line
	return slices.ContainsFunc(r.lines[f], func(other lines) bool { return other.first <= line && line <= other.last })
}

// calls removes calls of the builder's Register in functions, and functions init without other statements. Calls that
// register other types remain.
func (r *replacement) calls(f *load.File) {
	for _, d := range f.Syntax.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || r.has(f, fn) {
			continue
		}
		var covered []ast.Stmt
		for _, stmt := range fn.Body.List {
			objects, ok := registered(stmt, r.b.name)
			if ok && !slices.ContainsFunc(objects, func(name string) bool { return !slices.Contains(r.types, name) }) {
				covered = append(covered, stmt)
			}
		}
		if fn.Recv == nil && fn.Name.Name == "init" && len(covered) > 0 && len(covered) == len(fn.Body.List) {
			r.remove(f, fn, fn.Doc)
			continue
		}
		for _, stmt := range covered {
			r.remove(f, stmt, nil)
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if ident, ok := n.(*ast.Ident); ok && ident.Name == r.b.name && !r.has(f, ident) {
				r.kept = true
			}
			return true
		})
	}
}

// registered returns the names of the types that a statement, one or more calls of the builder's Register, registers;
// "" stands for an argument of another form.
func registered(stmt ast.Stmt, builder string) (objects []string, ok bool) {
	expr, _ := stmt.(*ast.ExprStmt)
	if expr == nil {
		return nil, false
	}
	for at := expr.X; ; {
		call, _ := at.(*ast.CallExpr)
		if call == nil {
			ident, _ := at.(*ast.Ident)
			return objects, ident != nil && ident.Name == builder
		}
		method, _ := call.Fun.(*ast.SelectorExpr)
		if method == nil || method.Sel.Name != "Register" {
			return nil, false
		}
		for _, arg := range call.Args {
			objects = append(objects, instantiated(arg))
		}
		at = method.X
	}
}

// imports removes imports that only deleted lines refer to.
func (r *replacement) imports(f *load.File) {
	used, deleted := map[string]bool{}, map[string]bool{}
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := sel.X.(*ast.Ident); ok {
				if r.has(f, sel) && !(r.b.inline() && r.b.version.Pos() <= sel.Pos() && sel.Pos() < r.b.version.End()) {
					deleted[r.l.ImportPath(f, pkg.Name)] = true
				} else {
					used[r.l.ImportPath(f, pkg.Name)] = true
				}
			}
		}
		return true
	})
	for _, d := range f.Syntax.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok || d.Tok != token.IMPORT {
			continue
		}
		for _, spec := range d.Specs {
			spec := spec.(*ast.ImportSpec)
			path := strings.Trim(spec.Path.Value, "`\"")
			switch {
			case !deleted[path] || used[path]:
			case d.Lparen.IsValid():
				r.remove(f, spec, spec.Doc)
			default:
				r.remove(f, d, d.Doc)
			}
		}
	}
}

// joined formats the numbers of lines as in "5,28-32". Blank lines between others belong to them.
func joined(f *load.File, fset *token.FileSet, list []lines) string {
	slices.SortFunc(list, func(a, b lines) int { return a.first - b.first })
	var parts []string
	for i := 0; i < len(list); i++ {
		one := list[i]
		for ; i+1 < len(list) && blank(f, fset, one.last+1, list[i+1].first); i++ {
			one.last = max(one.last, list[i+1].last)
		}
		if one.first == one.last {
			parts = append(parts, fmt.Sprint(one.first))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", one.first, one.last))
		}
	}
	return strings.Join(parts, ",")
}

// blank reports whether the lines from first to before last are blank.
func blank(f *load.File, fset *token.FileSet, first, last int) bool {
	for line := first; line < last; line++ {
		if !f.IsBlank(fset, line) {
			return false
		}
	}
	return true
}

// RegistersObjects returns the import paths of the packages to whose SchemeBuilder hand-written code passes objects,
// such as &Foo{}, with the method Register, as the one of controller-runtime takes them.
func RegistersObjects(l *load.Loader, packages []*load.Package) map[string]bool {
	paths := map[string]bool{}
	for _, pkg := range packages {
		for f := range pkg.Parsed("SchemeBuilder.Register(") {
			ast.Inspect(f.Syntax, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if ok && len(call.Args) > 0 && isObject(call.Args[0]) {
					if path, ok := registering(l, f, call.Fun, pkg.Path); ok {
						paths[path] = true
					}
				}
				return true
			})
		}
	}
	return paths
}

// isObject reports whether an expression has the form &T{} or new(T).
func isObject(expr ast.Expr) bool {
	switch expr := expr.(type) {
	case *ast.UnaryExpr:
		_, ok := expr.X.(*ast.CompositeLit)
		return ok && expr.Op == token.AND
	case *ast.CallExpr:
		fn, ok := expr.Fun.(*ast.Ident)
		return ok && fn.Name == "new"
	}
	return false
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
