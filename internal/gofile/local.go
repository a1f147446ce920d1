package gofile

import (
	"bytes"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
)

var localName = regexp.MustCompile(localPlaceholder + `[\pL\pN_]+`)

// nameLocals replaces all placeholders of Local with names that are neither used otherwise in the body nor qualifiers.
func nameLocals(body []byte, qualifiers Imports) []byte {
	if !bytes.Contains(body, []byte(localPlaceholder)) {
		return body
	}
	taken := identifiers(body)
	for name := range qualifiers {
		taken[name] = true
	}
	chosen := map[string]string{}
	return localName.ReplaceAllFunc(body, func(match []byte) []byte {
		wish := string(match[len(localPlaceholder):])
		name, ok := chosen[wish]
		if !ok {
			name = chooseLocal(taken, wish, "obj")
			chosen[wish], taken[name] = name, true
		}
		return []byte(name)
	})
}

// chooseLocal returns the first free name, or the last one with a number.
func chooseLocal(taken map[string]bool, names ...string) string {
	free := func(name string) bool {
		return token.IsIdentifier(name) && types.Universe.Lookup(name) == nil && !taken[name]
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
	if fn.Body == nil {
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
	local := func(list ...ast.Expr) {
		for _, expr := range list {
			if ident, ok := expr.(*ast.Ident); ok && ident.Name != "_" {
				names[ident.Name] = true
			}
		}
	}
	var idents []*ast.Ident
	skip := map[*ast.Ident]bool{}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field: // of the receiver, parameters, results; and of structs, whose fields nothing here is called like
			mark(n.Type)
			for _, name := range n.Names {
				local(name)
			}
		case *ast.CompositeLit:
			mark(n.Type)
		case *ast.ValueSpec:
			mark(n.Type)
			for _, name := range n.Names {
				local(name)
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				local(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				local(n.Key, n.Value)
			}
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
			renamed[ident.Name] = chooseLocal(all, ident.Name+"2")
			all[renamed[ident.Name]] = true
		}
	}
	for _, ident := range idents {
		if name := renamed[ident.Name]; name != "" && !isType[ident] && !skip[ident] && ident != fn.Name {
			ident.Name = name
		}
	}
}

// identifiers returns all identifiers in Go code, except the selectors after a dot.
func identifiers(text []byte) map[string]bool {
	found := map[string]bool{}
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", fset.Base(), len(text)), text, nil, 0)
	for before := token.ILLEGAL; ; {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			return found
		}
		if tok == token.IDENT && before != token.PERIOD {
			found[lit] = true
		}
		before = tok
	}
}
