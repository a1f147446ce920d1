package mutation

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

func (m *mutator) block(block *ast.BlockStmt) string {
	return "{" + m.list(block.Lbrace+1, block.List, block.Rbrace) + "}"
}

// list returns statements and what is between them.
func (m *mutator) list(at token.Pos, list []ast.Stmt, end token.Pos) string {
	var text strings.Builder
	for _, stmt := range list {
		text.WriteString(m.raw(at, stmt.Pos()))
		text.WriteString(m.removable(stmt))
		at = stmt.End()
	}
	return text.String() + m.raw(at, end)
}

// removable returns a statement of a list, which a mutant leaves out where the code compiles without it.
func (m *mutator) removable(stmt ast.Stmt) string {
	switch s := stmt.(type) {
	case *ast.DeclStmt, *ast.LabeledStmt, *ast.EmptyStmt:
		return m.statement(stmt)
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			return m.statement(stmt)
		}
	case *ast.BranchStmt:
		if s.Tok == token.FALLTHROUGH {
			return m.rawOf(s)
		}
	}
	if m.tail[stmt] {
		return m.statement(stmt)
	}
	id := m.new("remove", stmt)
	text := m.statement(stmt)
	if id == 0 {
		return text
	}
	return fmt.Sprintf("if !mutant_.On(%d) { %s }", id, text)
}

func (m *mutator) statement(stmt ast.Stmt) string {
	switch s := stmt.(type) {
	case *ast.DeclStmt:
		decl, text := s.Decl.(*ast.GenDecl), ""
		at := decl.Pos()
		for _, spec := range decl.Specs {
			if spec, ok := spec.(*ast.ValueSpec); ok && decl.Tok == token.VAR {
				text += m.raw(at, spec.Pos()) + m.spec(spec)
				at = spec.End()
			}
		}
		return text + m.raw(at, decl.End())
	case *ast.LabeledStmt:
		return s.Label.Name + ": " + m.statement(s.Stmt)
	case *ast.ExprStmt:
		return m.expr(s.X)
	case *ast.SendStmt:
		return m.expr(s.Chan) + " <- " + m.value(s.Value)
	case *ast.GoStmt:
		return "go " + m.plainCall(s.Call)
	case *ast.DeferStmt:
		return "defer " + m.plainCall(s.Call)
	case *ast.AssignStmt:
		text, clears := m.assign(s, true)
		return strings.Join(append([]string{text}, clears...), "; ")
	case *ast.ReturnStmt:
		return m.returns(s)
	case *ast.BlockStmt:
		return m.block(s)
	case *ast.IfStmt:
		return m.ifStatement(s)
	case *ast.ForStmt:
		var init, cond, post string
		if s.Init != nil {
			init = m.simple(s.Init)
		}
		if s.Cond != nil {
			cond = m.condition(s.Cond)
		}
		if s.Post != nil {
			post = m.simple(s.Post)
		}
		return fmt.Sprintf("for %s; %s; %s %s", init, cond, post, m.block(s.Body))
	case *ast.RangeStmt:
		return m.raw(s.Pos(), s.X.Pos()) + m.expr(s.X) + " " + m.block(s.Body)
	case *ast.SwitchStmt:
		text := "switch "
		if s.Init != nil {
			text += m.simple(s.Init) + "; "
		}
		if s.Tag != nil {
			text += m.operand(s.Tag)
		}
		return text + " {" + m.clauses(s.Body, s.Tag == nil) + "}"
	case *ast.TypeSwitchStmt:
		return m.raw(s.Pos(), s.Body.Pos()) + "{" + m.clauses(s.Body, false) + "}"
	case *ast.SelectStmt:
		return "select {" + m.clauses(s.Body, false) + "}"
	}
	return m.rawOf(stmt)
}

// simple returns a statement in front of a condition, after which no other can be.
func (m *mutator) simple(stmt ast.Stmt) string {
	if assign, ok := stmt.(*ast.AssignStmt); ok {
		text, _ := m.assign(assign, false)
		return text
	}
	return m.statement(stmt)
}

// assign returns an assignment. If the values come from one expression, and may be changed afterwards, it also
// returns what does so.
func (m *mutator) assign(s *ast.AssignStmt, clear bool) (text string, clears []string) {
	var left []string
	for _, e := range s.Lhs {
		if s.Tok == token.DEFINE {
			left = append(left, m.rawOf(e))
		} else {
			left = append(left, m.expr(e))
		}
	}
	text = strings.Join(left, ", ") + " " + s.Tok.String() + " "
	if len(s.Lhs) == len(s.Rhs) {
		return text + m.values(s.Rhs), nil
	}
	text += m.expr(s.Rhs[0])
	for i, e := range s.Lhs {
		if !clear || left[i] == "_" {
			continue
		}
		call := m.clear(e, left[i], s.Rhs[0])
		if call != "" {
			clears = append(clears, call)
		}
	}
	return text, clears
}

// clear returns what sets a variable to its zero value after an assignment.
func (m *mutator) clear(variable ast.Expr, text string, from ast.Expr) string {
	how, function := "zero "+m.rawOf(variable)+" of", "Clear"
	if isBool(m.typeOf(variable)) {
		how, function = "negate "+m.rawOf(variable)+" of", "Flip"
	}
	return m.choose(how, from, "", "mutant_."+function+"(%d, &%s)", text)
}

func (m *mutator) values(list []ast.Expr) string {
	var texts []string
	for _, e := range list {
		texts = append(texts, m.value(e))
	}
	return strings.Join(texts, ", ")
}

func (m *mutator) returns(s *ast.ReturnStmt) string {
	if len(s.Results) != 1 || m.results.Len() == 1 {
		return "return " + m.values(s.Results)
	}
	var names, values []string // of a call with several results
	call := m.expr(s.Results[0])
	for i := range m.results.Len() {
		name := fmt.Sprintf("mutant_r%d", i)
		how, function := fmt.Sprintf("zero result %d of", i+1), "Zero"
		if isBool(m.results.At(i).Type()) {
			how, function = fmt.Sprintf("negate result %d of", i+1), "Not"
		}
		names = append(names, name)
		values = append(values, m.choose(how, s.Results[0], name, "mutant_."+function+"(%d, %s)", name))
	}
	return fmt.Sprintf("{ %s := %s; return %s }", strings.Join(names, ", "), call, strings.Join(values, ", "))
}

func (m *mutator) ifStatement(s *ast.IfStmt) string {
	text, clears := "if ", []string(nil)
	if assign, ok := s.Init.(*ast.AssignStmt); ok {
		var init string
		init, clears = m.assign(assign, true)
		text += init + "; "
	} else if s.Init != nil {
		text += m.statement(s.Init) + "; "
	}
	text += strings.Join(append(clears, m.condition(s.Cond)), " && ") + " " + m.block(s.Body)
	switch other := s.Else.(type) {
	case *ast.BlockStmt:
		text += " else " + m.block(other)
	case *ast.IfStmt:
		text += " else " + m.ifStatement(other)
	}
	return text
}

// clauses returns the cases of a switch, whose expressions may be conditions, or of a select.
func (m *mutator) clauses(body *ast.BlockStmt, conditions bool) string {
	var text strings.Builder
	for i, clause := range body.List {
		end := body.Rbrace
		if i+1 < len(body.List) {
			end = body.List[i+1].Pos()
		}
		switch c := clause.(type) {
		case *ast.CaseClause:
			var cases []string
			for _, e := range c.List {
				switch {
				case conditions:
					cases = append(cases, m.condition(e))
				case m.pkg.info.Types[e].IsType() || m.pkg.info.Types[e].IsNil():
					cases = append(cases, m.rawOf(e))
				default:
					cases = append(cases, m.operand(e))
				}
			}
			header := "default"
			if cases != nil {
				header = "case " + strings.Join(cases, ", ")
			}
			text.WriteString("\n" + header + ": " + m.list(c.Colon+1, c.Body, end))
		case *ast.CommClause:
			header, clears := "default", []string(nil)
			switch comm := c.Comm.(type) {
			case nil:
			case *ast.AssignStmt:
				header, clears = m.assign(comm, true)
			default:
				header = m.statement(comm)
			}
			if c.Comm != nil {
				header = "case " + header
			}
			text.WriteString("\n" + header + ": " + strings.Join(clears, "; ") + "\n" + m.list(c.Colon+1, c.Body, end))
		}
	}
	return text.String()
}

func isBool(t types.Type) bool {
	basic, ok := t.(*types.Basic)
	return ok && (basic.Kind() == types.Bool || basic.Kind() == types.UntypedBool)
}
