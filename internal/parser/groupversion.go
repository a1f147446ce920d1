package parser

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"

	"github.com/kubegen/kubegen/internal/model"
)

// declaredGroupVersion is the group and version that a package declares. Parts that syntax does not determine are nil.
type declaredGroupVersion struct {
	name           string // name of the schema.GroupVersion variable; "" if there is none
	group, version *string
	pos            token.Position
}

// declaredGroupVersion evaluates SchemeGroupVersion or GroupVersion, or else GroupName.
func (p *parser) declaredGroupVersion(src *source) declaredGroupVersion {
	var found declaredGroupVersion
	for _, name := range []string{"SchemeGroupVersion", "GroupVersion"} {
		d, ok := p.lookup(src, name)
		if !ok || d.typ != nil {
			continue
		}
		if _, isFunc := d.node.(*ast.FuncDecl); isFunc {
			continue
		}
		found.name, found.pos = name, p.fset.Position(d.node.Pos())
		if lit, ok := d.value.(*ast.CompositeLit); ok {
			found.group, found.version = p.literalGroupVersion(src, d.file, lit)
			return found
		}
		if ident, ok := d.value.(*ast.Ident); ok && ident.Name != name { // GroupVersion = SchemeGroupVersion
			continue
		}
		break
	}
	if d, ok := p.lookup(src, "GroupName"); ok && d.value != nil && found.group == nil {
		found.group = p.stringOf(src, d.file, d.value, 0)
		if !found.pos.IsValid() {
			found.pos = p.fset.Position(d.node.Pos())
		}
	}
	return found
}

// literalGroupVersion evaluates schema.GroupVersion{Group: "apps", Version: "v1"}; parts that syntax does not determine
// are nil.
func (p *parser) literalGroupVersion(src *source, f *file, lit *ast.CompositeLit) (group, version *string) {
	for i, element := range lit.Elts {
		key, value := [...]string{"Group", "Version"}[min(i, 1)], element
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			ident, _ := pair.Key.(*ast.Ident)
			if ident == nil {
				continue
			}
			key, value = ident.Name, pair.Value
		}
		switch text := p.stringOf(src, f, value, 0); key {
		case "Group":
			group = text
		case "Version":
			version = text
		}
	}
	if group == nil && !hasKey(lit, "Group") {
		group = new(string) // omitted: the core group
	}
	return group, version
}

// hasKey reports whether a composite literal sets a field, by name or by position.
func hasKey(lit *ast.CompositeLit, key string) bool {
	for _, element := range lit.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		if ident, ok := pair.Key.(*ast.Ident); ok && ident.Name == key {
			return true
		}
	}
	return false
}

// stringOf evaluates a constant string expression: a literal, a constant of this or of an imported package, or a
// concatenation of those. It returns nil for anything else.
func (p *parser) stringOf(src *source, f *file, expr ast.Expr, depth int) *string {
	if depth > 8 {
		return nil
	}
	switch expr := expr.(type) {
	case *ast.ParenExpr:
		return p.stringOf(src, f, expr.X, depth+1)
	case *ast.BasicLit:
		if text, err := strconv.Unquote(expr.Value); err == nil && expr.Kind == token.STRING {
			return &text
		}
	case *ast.BinaryExpr:
		x, y := p.stringOf(src, f, expr.X, depth+1), p.stringOf(src, f, expr.Y, depth+1)
		if expr.Op == token.ADD && x != nil && y != nil {
			text := *x + *y
			return &text
		}
	case *ast.Ident:
		if d, ok := p.lookup(src, expr.Name); ok && d.value != nil {
			return p.stringOf(src, d.file, d.value, depth+1)
		}
	case *ast.SelectorExpr:
		pkg, ok := expr.X.(*ast.Ident)
		if !ok {
			return nil
		}
		importPath := f.importPath(pkg.Name)
		if importPath == "k8s.io/apimachinery/pkg/runtime" && expr.Sel.Name == "APIVersionInternal" {
			internal := model.InternalVersion
			return &internal
		}
		imported := p.imported(f, importPath)
		if imported == nil {
			return nil
		}
		if d, ok := p.lookup(imported, expr.Sel.Name); ok && d.value != nil {
			return p.stringOf(imported, d.file, d.value, depth+1)
		}
	}
	return nil
}

// imported returns a package that a file of API types refers to, nil if it does not exist. Listing many packages takes
// little longer than listing one. So the first time that a package is missing, imported lists with it all imports of
// input packages with +genclient, the other imports of f, and what Config.Along adds to these.
func (p *parser) imported(f *file, importPath string) *source {
	if importPath == "" {
		return nil
	}
	if _, ok := p.sources[importPath]; ok {
		return p.sources[importPath]
	}
	wanted := f.imports()
	for _, src := range p.input {
		if !src.mentionsGenclient() {
			continue
		}
		for _, other := range src.files {
			wanted = append(wanted, other.imports()...)
		}
	}
	for _, path := range wanted {
		wanted = append(wanted, p.along(path))
	}
	wanted = slices.DeleteFunc(wanted, func(path string) bool { return path == "" || model.IsStandard(path) })
	p.preload(append(wanted, importPath)...)
	return p.sources[importPath]
}

// along is Config.Along.
func (p *parser) along(importPath string) string {
	if p.cfg.Along == nil {
		return ""
	}
	return p.cfg.Along(importPath)
}

// preload lists the packages that are not known yet. Callers report the missing ones where it matters.
func (p *parser) preload(importPaths ...string) {
	importPaths = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(importPaths))), func(path string) bool {
		_, known := p.sources[path]
		return known
	})
	if len(importPaths) == 0 {
		return
	}
	loaded, err := p.list(p.ctx, importPaths)
	if err != nil && len(importPaths) > 1 { // the error may concern only one of them
		for _, importPath := range importPaths {
			p.preload(importPath)
		}
		return
	}
	for _, importPath := range importPaths {
		p.sources[importPath] = nil
		if err != nil {
			p.missing[importPath] = p.shortened(goMessage(err))
		}
	}
	for _, pkg := range loaded {
		switch {
		case p.sources[pkg.PkgPath] != nil:
		case len(pkg.GoFiles) > 0:
			p.sources[pkg.PkgPath] = p.newSource(pkg)
		case len(pkg.Errors) > 0:
			p.missing[pkg.PkgPath] = p.shortened(pkg.Errors[0].Msg)
		}
	}
}
