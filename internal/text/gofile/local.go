package gofile

import (
	"go/ast"
	gotoken "go/token"
	"go/types"
	"strconv"
	"strings"
)

// nameLocals chooses names for the placeholders of Local. They differ from all other names in the file and from all
// qualifiers.
func (s *source) nameLocals(qualifiers Imports) {
	var wishes []string
	s.locals = map[string]string{}
	for _, wish, rest, ok := cutLocal(s.Body); ok; _, wish, rest, ok = cutLocal(rest) {
		if _, known := s.locals[wish]; !known {
			s.locals[wish] = ""
			wishes = append(wishes, wish)
		}
	}
	if len(wishes) == 0 {
		return
	}
	used := map[string]bool{}
	for i, t := range s.tokens {
		if t.kind == word && s.kind(i-1) != '.' {
			used[s.text(i)] = true
		}
	}
	taken := func(name string) bool {
		_, qualifies := qualifiers[name]
		return qualifies || used[name]
	}
	for _, wish := range wishes {
		s.locals[wish] = chooseLocal(taken, wish, "obj")
		used[s.locals[wish]] = true
	}
}

var predeclared = types.Universe.Names()

// hidden returns the first predeclared name in the body that hand-written files of the package declare, or "". It may
// denote that declaration there, but nobody would understand the code.
func (s *source) hidden() string {
	declared := map[string]bool{}
	for _, name := range predeclared {
		if s.OtherNames[name] {
			declared[name] = true
		}
	}
	if len(declared) == 0 {
		return ""
	}
	for i, t := range s.tokens {
		if t.kind == word && s.kind(i-1) != '.' && declared[s.text(i)] {
			return s.text(i)
		}
	}
	return ""
}

// hides reports whether a declared function or method declares a local with the name of a declaration of the package.
// If in doubt, it returns true.
func (s *source) hides(declared map[string]string) bool {
	isDeclared := func(i int) bool {
		if s.kind(i) != word {
			return false
		}
		_, ok := declared[s.local(s.text(i))]
		return ok
	}
	decl := "" // the keyword of the declaration around the token
	for i, t := range s.tokens {
		if t.in == inFile && t.first && t.kind == word {
			decl = s.text(i)
		}
		switch {
		case decl != "func": // clearTypes changes nothing
		case t.kind == define: // a, b :=
			for i--; ; i -= 2 {
				if isDeclared(i) {
					return true
				}
				if s.kind(i-1) != ',' {
					break
				}
			}
		case t.kind == word && t.in != inFile && s.text(i) == "var" && isDeclared(i+1):
			return true
		case t.kind == word && t.in == inList && (s.kind(i-1) == '(' || s.kind(i-1) == ','): // of a signature or call
			switch s.kind(i + 1) {
			case ',', word, '*', '[', ellipsis:
				if isDeclared(i) {
					return true
				}
			}
		}
	}
	return false
}

// local returns text with placeholders of Local replaced by the chosen names.
func (s *source) local(text string) string {
	before, wish, rest, ok := cutLocal(text)
	if !ok {
		return text
	}
	var named strings.Builder
	for ; ok; before, wish, rest, ok = cutLocal(rest) {
		named.WriteString(before + s.locals[wish])
	}
	return named.String() + before
}

// cutLocal splits text around the first placeholder of Local, and returns the requested name as wish. If there is no
// placeholder, before is the whole text.
func cutLocal(text string) (before, wish, after string, found bool) {
	before, after, found = strings.Cut(text, localPlaceholder)
	end := strings.IndexFunc(after, notInWord)
	if end < 0 {
		end = len(after)
	}
	return before, after[:end], after[end:], found
}

// chooseLocal returns the first free name. If there is none, it returns the last name with a number.
func chooseLocal(taken func(string) bool, names ...string) string {
	free := func(name string) bool {
		return gotoken.IsIdentifier(name) && types.Universe.Lookup(name) == nil && !taken(name)
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

// clearTypes renames locals of a function that hide a type of the package that the body uses. This happens if an API
// type has the same name as a variable in a template.
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
		case *ast.IndexExpr: // generated code has only pointers as type arguments, and no pointers as indexes
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
		if _, isDeclared := declared[ident.Name]; isDeclared && isType[ident] && names[ident.Name] && renamed[ident.Name] == "" &&
			ident.Pos() > fn.Body.Pos() {
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
	for n := range ast.Preorder(fn) {
		locals(n, func(ident *ast.Ident) {
			_, ok := declared[ident.Name]
			found = found || ok
		})
	}
	return found
}

// locals calls do with the names of the locals that a node declares. It also visits the fields of struct types, which
// does no harm: no field in generated functions has such a name.
func locals(n ast.Node, do func(*ast.Ident)) {
	local := func(expr ast.Expr) {
		if ident, ok := expr.(*ast.Ident); ok && ident.Name != "_" {
			do(ident)
		}
	}
	switch n := n.(type) {
	case *ast.Field: // receiver, parameters and results
		for _, name := range n.Names {
			local(name)
		}
	case *ast.ValueSpec:
		for _, name := range n.Names {
			local(name)
		}
	case *ast.AssignStmt:
		for _, left := range n.Lhs {
			if n.Tok == gotoken.DEFINE {
				local(left)
			}
		}
	case *ast.RangeStmt:
		if n.Tok == gotoken.DEFINE {
			local(n.Key)
			local(n.Value)
		}
	}
}
