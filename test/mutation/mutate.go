package mutation

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// change is what a mutant changes.
type change struct {
	id     int
	file   string
	within string // the function or variable
	what   string // how, and the text of what
}

// String returns what identifies the mutant in code that is generated again: no position.
func (c change) String() string { return c.file + " " + c.within + ": " + c.what }

// mutator writes a file in which every mutant is a choice at run time. Its methods return the text of a node with
// these choices.
type mutator struct {
	*goFile
	fset    *token.FileSet
	pkg     *goPackage
	first   int // the number of the first mutant
	skip    map[int]bool
	mutants []change // with those to skip, which do not compile

	within  string
	results *types.Tuple      // of the innermost function
	tail    map[ast.Stmt]bool // the statements after which a function with results would end without a return
	imports map[string]string // the names of imported packages by their paths, of those that the choices need
}

// mutate returns the text of a file with all mutants, numbered from first.
func (p *program) mutate(pkg *goPackage, file *goFile, helper string, first int, skip map[int]bool) (string, []change) {
	m := &mutator{goFile: file, fset: p.fset, pkg: pkg, first: first, skip: skip, imports: map[string]string{}, tail: map[ast.Stmt]bool{}}
	var body strings.Builder
	at := file.syntax.Name.End()
	for _, decl := range file.syntax.Decls {
		body.WriteString(m.raw(at, decl.Pos()) + m.decl(decl))
		at = decl.End()
	}
	body.WriteString(m.raw(at, file.syntax.FileEnd))
	text := m.raw(file.syntax.FileStart, file.syntax.Name.End())
	if len(m.mutants) > 0 {
		text += fmt.Sprintf("; import mutant_ %q", helper)
		body.WriteString("\nvar _ = mutant_.On\n") // for a file of whose mutants none compiles
	}
	for _, path := range slices.Sorted(maps.Keys(m.imports)) {
		if name := m.imports[path]; strings.Contains(body.String(), name+".") {
			text += fmt.Sprintf("; import %s %q", name, path)
		}
	}
	seen := map[string]int{}
	for i, mutant := range m.mutants {
		if seen[mutant.String()]++; seen[mutant.String()] > 1 {
			m.mutants[i].what += fmt.Sprintf(" (%d)", seen[mutant.String()])
		}
	}
	return text + body.String(), m.mutants
}

// new returns the number of a new mutant, or 0 if it is one to skip.
func (m *mutator) new(how string, node ast.Node) int {
	what := how + " " + strings.Join(strings.Fields(m.raw(node.Pos(), node.End())), " ")
	if runes := []rune(what); len(runes) > 120 {
		what = string(runes[:120]) + "…"
	}
	id := m.first + len(m.mutants)
	m.mutants = append(m.mutants, change{id, m.name, m.within, what})
	if m.skip[id] {
		return 0
	}
	return id
}

// choose returns a text in which format has the number of a new mutant in front of args, or otherwise if that is one
// to skip.
func (m *mutator) choose(how string, node ast.Node, otherwise, format string, args ...any) string {
	if id := m.new(how, node); id > 0 {
		return fmt.Sprintf(format, append([]any{id}, args...)...)
	}
	return otherwise
}

func (m *mutator) raw(from, to token.Pos) string {
	file := m.fset.File(m.syntax.FileStart)
	return string(m.text[file.Offset(from):file.Offset(to)])
}

func (m *mutator) rawOf(node ast.Node) string { return m.raw(node.Pos(), node.End()) }

func (m *mutator) decl(decl ast.Decl) string {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		m.within = decl.Name.Name
		if decl.Recv != nil {
			m.within = strings.TrimLeft(m.rawOf(decl.Recv.List[0].Type), "*") + "." + m.within
		}
		if decl.Body == nil {
			return m.rawOf(decl)
		}
		return m.raw(decl.Pos(), decl.Body.Pos()) + m.function(m.pkg.info.Defs[decl.Name].Type().(*types.Signature), decl.Body)
	case *ast.GenDecl:
		if decl.Tok != token.VAR && decl.Tok != token.CONST {
			break
		}
		keyword, text, at := decl.Tok.String(), "", decl.TokPos+token.Pos(len(decl.Tok.String()))
		isVariable := decl.Tok == token.VAR ||
			!slices.ContainsFunc(decl.Specs, func(spec ast.Spec) bool { return !m.canVary(spec.(*ast.ValueSpec)) })
		for _, spec := range decl.Specs {
			spec := spec.(*ast.ValueSpec)
			m.within = spec.Names[0].Name
			text += m.raw(at, spec.Pos())
			at = spec.End()
			switch {
			case !isVariable:
				text += m.rawOf(spec)
			case decl.Tok == token.CONST:
				t, _ := m.spell(m.constType(spec.Names[0]))
				text += fmt.Sprintf("%s %s = %s", spec.Names[0].Name, t, m.constant(spec.Values[0], m.constType(spec.Names[0])))
			default:
				text += m.spec(spec)
			}
		}
		if isVariable {
			keyword = "var"
		}
		return keyword + text + m.raw(at, decl.End())
	}
	return m.rawOf(decl)
}

// spec returns a specification of variables.
func (m *mutator) spec(spec *ast.ValueSpec) string {
	if len(spec.Values) == 0 {
		return m.rawOf(spec)
	}
	return m.raw(spec.Pos(), spec.Values[0].Pos()) + m.values(spec.Values)
}

// canVary reports whether a constant may as well be a variable.
func (m *mutator) canVary(spec *ast.ValueSpec) bool {
	if len(spec.Names) != 1 || len(spec.Values) != 1 {
		return false
	}
	_, ok := m.spell(m.constType(spec.Names[0]))
	return ok
}

// constType returns the one type that a constant has wherever the package uses it, or nil.
func (m *mutator) constType(name *ast.Ident) (one types.Type) {
	object := m.pkg.info.Defs[name]
	if !isUntyped(object.Type()) {
		return object.Type()
	}
	for ident, used := range m.pkg.info.Uses {
		if used != object {
			continue
		}
		if t := types.Default(m.pkg.info.Types[ident].Type); one == nil {
			one = t
		} else if !types.Identical(one, t) {
			return nil
		}
	}
	if one == nil {
		one = types.Default(object.Type())
	}
	return one
}

func isUntyped(t types.Type) bool {
	basic, ok := t.(*types.Basic)
	return ok && basic.Info()&types.IsUntyped != 0
}

// function returns the body of a function.
func (m *mutator) function(signature *types.Signature, body *ast.BlockStmt) string {
	results := m.results
	defer func() { m.results = results }()
	if m.results = signature.Results(); m.results.Len() > 0 {
		m.markTail(body.List)
	}
	return m.block(body)
}

func (m *mutator) markTail(list []ast.Stmt) {
	if len(list) == 0 {
		return
	}
	last := list[len(list)-1]
	m.tail[last] = true
	switch last := last.(type) {
	case *ast.BlockStmt:
		m.markTail(last.List)
	case *ast.LabeledStmt:
		m.markTail([]ast.Stmt{last.Stmt})
	case *ast.IfStmt:
		m.markTail(last.Body.List)
		if last.Else != nil {
			m.markTail([]ast.Stmt{last.Else})
		}
	case *ast.SwitchStmt:
		m.markTail(last.Body.List)
		for _, clause := range last.Body.List {
			m.markTail(clause.(*ast.CaseClause).Body)
		}
	case *ast.TypeSwitchStmt:
		for _, clause := range last.Body.List {
			m.markTail(clause.(*ast.CaseClause).Body)
		}
	case *ast.SelectStmt:
		for _, clause := range last.Body.List {
			m.markTail(clause.(*ast.CommClause).Body)
		}
	}
}

// typeOf returns the type of an expression, or nil.
func (m *mutator) typeOf(e ast.Expr) types.Type {
	if ident, ok := e.(*ast.Ident); ok {
		if object := m.pkg.info.ObjectOf(ident); object != nil && m.pkg.info.Types[e].Type == nil {
			return object.Type()
		}
	}
	return m.pkg.info.Types[e].Type
}

var foreignPrivate = regexp.MustCompile(`\bmutant_\d+\.[^A-Z]`)

// spell returns the text of a type. It has none if the package cannot name it.
func (m *mutator) spell(t types.Type) (string, bool) {
	if t == nil {
		return "", false
	}
	ok := true
	text := types.TypeString(t, func(pkg *types.Package) string {
		if pkg == m.pkg.types {
			return ""
		}
		if parent, _, internal := strings.Cut(
			pkg.Path(), "/internal",
		); internal && !strings.HasPrefix(m.pkg.path, parent) || strings.HasPrefix(pkg.Path(), "internal/") {
			ok = false
		}
		if m.imports[pkg.Path()] == "" {
			m.imports[pkg.Path()] = fmt.Sprintf("mutant_%d", len(m.imports)+1)
		}
		return m.imports[pkg.Path()]
	})
	return text, ok && !isUntyped(t) && !foreignPrivate.MatchString(text)
}

// isZero reports whether a constant is its type's zero value.
func isZero(v constant.Value) bool {
	switch v.Kind() {
	case constant.Bool:
		return !constant.BoolVal(v)
	case constant.String:
		return constant.StringVal(v) == ""
	}
	return constant.Sign(v) == 0
}
