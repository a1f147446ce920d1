package gofile

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// nameLocals replaces all placeholders of Local in a file with names that are neither used otherwise in it nor qualifiers. text
// is that of the file.
func nameLocals(file *ast.File, text []byte, qualifiers Imports) {
	names := map[string]string{}
	var wishes []string
	for _, wish, rest, ok := cutLocal(string(text)); ok; _, wish, rest, ok = cutLocal(rest) {
		if _, known := names[wish]; !known {
			names[wish] = ""
			wishes = append(wishes, wish)
		}
	}
	if len(wishes) == 0 {
		return
	}
	var locals, others []*ast.Ident
	var texts []*string // of comments and strings
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			ast.Inspect(n.X, visit)
			return false
		case *ast.BasicLit:
			texts = append(texts, &n.Value)
		case *ast.Ident:
			if strings.HasPrefix(n.Name, localPlaceholder) {
				locals = append(locals, n)
			} else {
				others = append(others, n)
			}
		}
		return true
	}
	for _, d := range file.Decls {
		ast.Inspect(d, visit)
	}
	chosen := map[string]bool{}
	taken := func(name string) bool {
		_, qualifies := qualifiers[name]
		return qualifies || chosen[name] || slices.ContainsFunc(others, func(ident *ast.Ident) bool { return ident.Name == name })
	}
	for _, wish := range wishes {
		names[wish] = chooseLocal(taken, wish, "obj")
		chosen[names[wish]] = true
	}
	for _, ident := range locals {
		ident.Name = names[strings.TrimPrefix(ident.Name, localPlaceholder)]
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			texts = append(texts, &comment.Text)
		}
	}
	for _, text := range texts {
		var named strings.Builder
		before, wish, rest, ok := cutLocal(*text)
		for ; ok; before, wish, rest, ok = cutLocal(rest) {
			named.WriteString(before + names[wish])
		}
		if named.Len() > 0 {
			*text = named.String() + before
		}
	}
}

// cutLocal cuts text around the first placeholder of Local, which has a wish; without one, before is the whole text.
func cutLocal(text string) (before, wish, after string, found bool) {
	before, after, found = strings.Cut(text, localPlaceholder)
	end := strings.IndexFunc(after, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	if end < 0 {
		end = len(after)
	}
	return before, after[:end], after[end:], found
}

// chooseLocal returns the first free name, or the last one with a number.
func chooseLocal(taken func(string) bool, names ...string) string {
	free := func(name string) bool {
		return token.IsIdentifier(name) && types.Universe.Lookup(name) == nil && !taken(name)
	}
	for _, name := range names {
		if free(name) {
			return name
		}
	}
	for n := 2; ; n++ {
		if name := names[len(names)-1] + strconv.Itoa(n); free(name) {
			return name
		}
	}
}

// clearTypes renames the locals of a function that have the name of a type that the package declares and the body uses:
// an API type may have the name that a template gives to a variable.
func clearTypes(fn *ast.FuncDecl, declared map[string]string) {
	if fn.Body == nil || !hasLocal(fn, declared) {
		return
	}
	isType := map[*ast.Ident]bool{}
	mark := func(expr ast.Expr) {
		for expr != nil {
			switch e := expr.(type) {
			case *ast.Ident:
				isType[e] = true
				return
			case *ast.StarExpr:
				expr = e.X
			case *ast.ArrayType:
				expr = e.Elt
			case *ast.Ellipsis:
				expr = e.Elt
			case *ast.ParenExpr:
				expr = e.X
			default:
				return
			}
		}
	}
	names, all := map[string]bool{}, map[string]bool{}
	var idents []*ast.Ident
	skip := map[*ast.Ident]bool{}
	ast.Inspect(fn, func(n ast.Node) bool {
		locals(n, func(ident *ast.Ident) { names[ident.Name] = true })
		switch n := n.(type) {
		case *ast.Field:
			mark(n.Type)
		case *ast.CompositeLit:
			mark(n.Type)
		case *ast.ValueSpec:
			mark(n.Type)
		case *ast.TypeAssertExpr:
			mark(n.Type)
		case *ast.MapType:
			mark(n.Key)
			mark(n.Value)
		case *ast.IndexExpr: // type arguments of ours are pointers, and indexes are not
			if star, ok := n.Index.(*ast.StarExpr); ok {
				mark(star)
			}
		case *ast.IndexListExpr:
			for _, index := range n.Indices {
				mark(index)
			}
		case *ast.SelectorExpr:
			skip[n.Sel] = true
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok {
				skip[key] = true
			}
		case *ast.Ident:
			idents = append(idents, n)
			all[n.Name] = true
		}
		return true
	})
	renamed := map[string]string{}
	for _, ident := range idents {
		if _, isDeclared := declared[ident.Name]; isDeclared && isType[ident] && names[ident.Name] && renamed[ident.Name] == "" && ident.Pos() > fn.Body.Pos() {
			renamed[ident.Name] = chooseLocal(func(name string) bool { return all[name] }, ident.Name+"2")
			all[renamed[ident.Name]] = true
		}
	}
	for _, ident := range idents {
		if name := renamed[ident.Name]; name != "" && !isType[ident] && !skip[ident] && ident != fn.Name {
			ident.Name = name
		}
	}
}

// hasLocal reports whether a function declares a local with one of the names.
func hasLocal(fn *ast.FuncDecl, declared map[string]string) (found bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		locals(n, func(ident *ast.Ident) {
			_, ok := declared[ident.Name]
			found = found || ok
		})
		return !found
	})
	return found
}

// locals calls do for the names that a node declares in its function. The fields of structs are among them, but nothing here is
// called like one.
func locals(n ast.Node, do func(*ast.Ident)) {
	local := func(expr ast.Expr) {
		if ident, ok := expr.(*ast.Ident); ok && ident.Name != "_" {
			do(ident)
		}
	}
	switch n := n.(type) {
	case *ast.Field: // of the receiver, parameters and results
		for _, name := range n.Names {
			local(name)
		}
	case *ast.ValueSpec:
		for _, name := range n.Names {
			local(name)
		}
	case *ast.AssignStmt:
		for _, left := range n.Lhs {
			if n.Tok == token.DEFINE {
				local(left)
			}
		}
	case *ast.RangeStmt:
		if n.Tok == token.DEFINE {
			local(n.Key)
			local(n.Value)
		}
	}
}
