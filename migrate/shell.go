// This file makes statements of shell scripts, which the parser of mvdan.cc/sh reads.

package main

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

var (
	conditional   = regexp.MustCompile(`^\w+(\[[^]]*\])?:?[=?]`) // ${X:=value}, which sets X, or ${X:?error}
	escaped       = regexp.MustCompile(`(?s)\\(.)`)
	escapedQuoted = regexp.MustCompile("(?s)\\\\([$`\"\\\\])")
	negated       = regexp.MustCompile(`((?:^|[;&|({\n]|\b(?:if|then|else|do|while|until))[ \t]*)!\(`)
	declarations  = []string{"export", "local", "readonly", "declare"}
)

// maxDepth is the greatest depth of parentheses and braces: the parser calls itself for each.
const maxDepth = 500

// A reader makes statements of what the parser has read.
type reader struct {
	text  string
	lines []int // their beginnings; nil in a recipe, whose statements get their lines from the Makefile
	refs  word  // the references of make in a recipe; the text has runes from placeholder on in their place
}

const placeholder = '\U000F0000'

// parse returns the statements of a script, and the first line of what cannot be read, with the reason, or "".
func parse(text string) (list []*statement, line int, broken string) {
	known := text
	parsed, at, reason := parseShell(text)
	for tries := 0; reason != "" && known != ""; tries++ { // as far as the last complete statement
		if broken = cmp.Or(broken, reason); tries == maxNesting {
			at = 0
		}
		known = known[:strings.LastIndexByte(known[:min(at, len(known)-1)], '\n')+1]
		parsed, at, reason = parseShell(known)
	}
	r := &reader{text: text}
	at = 0
	for line := range strings.Lines(text) {
		r.lines = append(r.lines, at)
		at += len(line)
	}
	r.lines = append(r.lines, at)
	if broken != "" {
		line = strings.Count(known, "\n")
		for l := range strings.Lines(text[len(known):]) {
			if !isNothing(l) {
				break
			}
			line++
		}
	}
	return r.list(parsed), line, broken
}

// parseShell parses a script. If it cannot, it returns where, and why.
func parseShell(text string) (parsed []*syntax.Stmt, at int, broken string) {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			depth = max(0, depth-1)
		}
		if depth > maxDepth {
			return nil, i, "parentheses or braces nest too deeply"
		}
	}
	text = negated.ReplaceAllString(text, "$1 (") // which the parser takes for a pattern
	err := syntax.NewParser().Stmts(strings.NewReader(text), func(stmt *syntax.Stmt) bool {
		parsed = append(parsed, stmt)
		return true
	})
	var wrong syntax.ParseError
	var foreign syntax.LangError
	switch {
	case errors.As(err, &wrong):
		return nil, offset(wrong.Pos), wrong.Text
	case errors.As(err, &foreign):
		return nil, offset(foreign.Pos), foreign.Feature + " is not of bash"
	}
	return parsed, 0, ""
}

func offset(p syntax.Pos) int { return int(p.Offset()) }

// list returns statements: those on one line are one.
func (r *reader) list(parsed []*syntax.Stmt) []*statement {
	list := []*statement{}
	end := 0
	for _, stmt := range parsed {
		from := offset(stmt.Pos())
		if len(list) == 0 || strings.Contains(r.text[min(end, from):from], "\n") {
			list = append(list, &statement{from: from})
		}
		st := list[len(list)-1]
		st.nodes = append(st.nodes, r.nodes(stmt)...)
		last, to := r.ends(stmt)
		end, st.to = last, max(st.to, to)
	}
	for _, st := range list {
		if len(st.nodes) == 0 {
			st.nodes = []*node{{}}
		}
		r.place(st)
	}
	return list
}

// place sets the lines of a statement.
func (r *reader) place(st *statement) {
	if r.lines == nil {
		return
	}
	lineOf := func(at int) int {
		i, found := slices.BinarySearch(r.lines[:len(r.lines)-1], at)
		if !found {
			i--
		}
		return i
	}
	st.first, st.last = lineOf(st.from), lineOf(max(st.from, st.to-1))
	after := strings.TrimLeft(strings.ReplaceAll(r.text[st.to:max(st.to, r.lines[st.last+1])], "\\\n", ""), "; \t\n")
	st.alone = strings.TrimLeft(r.text[r.lines[st.first]:st.from], " \t") == "" && (after == "" || after[0] == '#')
}

// ends returns where a statement ends, without and with its here-documents.
func (r *reader) ends(stmt *syntax.Stmt) (end, to int) {
	switch cmd := stmt.Cmd.(type) {
	case nil:
	case *syntax.BinaryCmd:
		_, to = r.ends(cmd.X)
		last, all := r.ends(cmd.Y)
		end, to = last, max(to, all)
	default:
		end = offset(cmd.End())
	}
	for _, redirect := range stmt.Redirs {
		if end = max(end, offset(redirect.Word.End())); redirect.Op == syntax.Hdoc || redirect.Op == syntax.DashHdoc {
			at := offset(redirect.Word.End())
			if redirect.Hdoc != nil && len(redirect.Hdoc.Parts) > 0 {
				at = offset(redirect.Hdoc.End())
			}
			name := r.word(redirect.Word).raw()
			for at < len(r.text) {
				line, _, _ := strings.Cut(r.text[at:], "\n")
				if at += len(line); strings.TrimSpace(line) == name && r.text[at-len(line)-1] == '\n' {
					break
				}
				at++
			}
			to = max(to, min(at, len(r.text)))
		}
	}
	return end, max(to, end)
}

// nodes returns the commands, assignments, blocks and redirections of a statement.
func (r *reader) nodes(stmt *syntax.Stmt) (all []*node) {
	if stmt.Negated {
		all = append(all, &node{words: []word{literal("!")}})
	}
	block := func(kind string, lists ...[]*syntax.Stmt) *node {
		n := &node{kind: kind, size: offset(stmt.Cmd.End()) - offset(stmt.Cmd.Pos())}
		for _, list := range lists {
			n.lists = append(n.lists, r.list(list))
		}
		all = append(all, n)
		return n
	}
	switch cmd := stmt.Cmd.(type) {
	case *syntax.BinaryCmd:
		all = append(append(all, r.nodes(cmd.X)...), r.nodes(cmd.Y)...)
	case *syntax.CallExpr:
		n := &node{}
		all = append(all, r.assign(n, cmd.Assigns)...)
		for _, w := range cmd.Args {
			n.words = append(n.words, r.word(w))
		}
		if len(n.words) > 0 {
			all = append(all, n)
		}
	case *syntax.DeclClause:
		n := &node{words: []word{literal(cmd.Variant.Value)}}
		sets := r.assign(n, cmd.Args)
		if all = append(all, sets...); cmd.Variant.Value != "readonly" || len(sets) == 0 {
			all = append(all, n)
		}
	case *syntax.TestClause:
		all = append(all, &node{words: []word{literal("[["), r.mixed(cmd.X, offset(cmd.X.Pos()), offset(cmd.X.End()))}})
	case *syntax.LetClause:
		all = append(all, &node{words: []word{literal("let")}})
	case *syntax.TimeClause:
		if cmd.Stmt != nil {
			all = append(all, r.nodes(cmd.Stmt)...)
		}
	case *syntax.CoprocClause:
		all = append(all, r.nodes(cmd.Stmt)...)
	case *syntax.Block:
		block("{", cmd.Stmts)
	case *syntax.Subshell:
		block("(", cmd.Stmts)
	case *syntax.IfClause:
		var lists [][]*syntax.Stmt
		for part := cmd; part != nil; part = part.Else {
			lists = append(lists, part.Cond, part.Then)
		}
		block("if", lists...)
	case *syntax.WhileClause:
		block(map[bool]string{false: "while", true: "until"}[cmd.Until], cmd.Cond, cmd.Do)
	case *syntax.ForClause:
		n := block(map[bool]string{false: "for", true: "select"}[cmd.Select], cmd.Do)
		if loop, ok := cmd.Loop.(*syntax.WordIter); ok {
			n.name = loop.Name.Value
			for _, w := range loop.Items {
				n.words = append(n.words, r.word(w))
			}
		}
	case *syntax.CaseClause:
		n := block("case")
		n.words = []word{r.word(cmd.Word)}
		for _, item := range cmd.Items {
			n.lists = append(n.lists, r.list(item.Stmts))
		}
	case *syntax.FuncDecl:
		n := block("function")
		n.name = cmd.Name.Value
		body := r.nodes(cmd.Body)
		if n.lists = [][]*statement{r.list([]*syntax.Stmt{cmd.Body})}; len(body) > 0 && (body[0].kind == "{" || body[0].kind == "(") {
			n.lists, body = body[0].lists, body[1:]
			all = append(all, body...)
		}
	}
	for _, redirect := range stmt.Redirs {
		operator := redirect.Op.String()
		all = append(all, &node{words: []word{literal(operator[strings.IndexAny(operator, "<>"):][:1]), r.word(redirect.Word)}})
	}
	return all
}

// assign returns the nodes of assignments, and adds others, as of an element of an array, to the words of a command.
func (r *reader) assign(n *node, assigns []*syntax.Assign) (all []*node) {
	for _, a := range assigns {
		switch {
		case a.Name == nil:
			n.words = append(n.words, r.word(a.Value))
			continue
		case a.Naked || a.Index != nil:
			n.words = append(n.words, r.mixed(a, offset(a.Pos()), offset(a.End())))
			continue
		}
		set := &node{kind: "=", name: a.Name.Value}
		if a.Append {
			set.kind = "+="
		}
		if set.words = []word{r.word(a.Value)}; a.Array != nil {
			set.kind, set.words = set.kind+"(", nil
			for _, element := range a.Array.Elems {
				set.words = append(set.words, r.word(element.Value))
			}
		}
		all = append(all, set)
	}
	return all
}

func literal(text string) word { return word{{text: text}} }

// word returns a word, or nil.
func (r *reader) word(w *syntax.Word) word {
	if w == nil {
		return nil
	}
	return r.parts(nil, w.Parts, false)
}

// parts adds parts to a word.
func (r *reader) parts(w word, parts []syntax.WordPart, quoted bool) word {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			escapes := escaped
			if quoted {
				escapes = escapedQuoted
			}
			w = r.add(w, escapes.ReplaceAllString(p.Value, "$1"), quoted)
		case *syntax.SglQuoted:
			w = w.add(r.source(p.Value), true)
		case *syntax.DblQuoted:
			w = r.parts(w.add("", true), p.Parts, true)
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ArithmExp, *syntax.ProcSubst:
			w = append(w, r.expansion(p, quoted))
		default:
			w = w.add(r.source(r.text[offset(p.Pos()):offset(p.End())]), quoted)
		}
	}
	return w
}

// add adds a text to a word.
func (w word) add(text string, quoted bool) word {
	if last := len(w) - 1; last >= 0 && w[last].reference == "" && w[last].commands == nil {
		w[last].text += text
		w[last].quoted = w[last].quoted || quoted
		return w
	}
	return append(w, part{text: text, quoted: quoted})
}

// add adds a text to a word, with the references of make in it.
func (r *reader) add(w word, text string, quoted bool) word {
	for text != "" {
		i := strings.IndexFunc(text, func(c rune) bool { return c >= placeholder && int(c-placeholder) < len(r.refs) })
		if i < 0 {
			return w.add(text, quoted)
		}
		if i > 0 {
			w = w.add(text[:i], quoted)
		}
		c, size := utf8.DecodeRuneInString(text[i:])
		text = text[i+size:]
		reference := r.refs[c-placeholder]
		reference.quoted = quoted
		w = append(w, reference)
	}
	return w
}

// source returns a part of the text as it is in the file.
func (r *reader) source(text string) string {
	if r.lines != nil {
		return text
	}
	return r.add(nil, strings.ReplaceAll(text, "$", "$$"), false).raw()
}

// mixed returns the text of a node as a word, in which only references are read.
func (r *reader) mixed(n syntax.Node, from, to int) (w word) {
	syntax.Walk(n, func(inner syntax.Node) bool {
		switch inner := inner.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ArithmExp, *syntax.ProcSubst:
			if inner == n {
				return true
			}
			if at := offset(inner.Pos()); at > from {
				w = r.add(w, r.text[from:at], false)
			}
			w = append(w, r.expansion(inner, false))
			from = max(from, offset(inner.End()))
			return false
		}
		return true
	})
	if from < to {
		w = r.add(w, r.text[from:to], false)
	}
	return w
}

// expansion returns a reference to a variable or to the output of commands.
func (r *reader) expansion(n syntax.Node, quoted bool) part {
	from, to := offset(n.Pos()), offset(n.End())
	p := part{text: r.source(r.text[from:to]), quoted: quoted}
	switch n := n.(type) {
	case *syntax.CmdSubst:
		p.commands, p.changes = r.list(n.Stmts), n.Backquotes && strings.Contains(p.text, "\\")
	case *syntax.ProcSubst:
		p.commands, p.changes = r.list(n.Stmts), true
	case *syntax.ParamExp:
		if n.Short {
			p.reference = r.source(r.text[from+1 : to])
			break
		}
		p.reference, p.inner = r.source(r.text[from+2:to-1]), r.mixed(n, from+2, to-1)
		p.changes = conditional.MatchString(p.reference)
	case *syntax.ArithmExp:
		p.reference, p.inner = r.source(r.text[from+2:to-1]), r.mixed(n, from+2, to-1)
	}
	return p
}
