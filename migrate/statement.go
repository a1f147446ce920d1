// This file reads scripts and Makefiles into statements.

package main

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// A statement is what has lines of its own: a command with what is beside it, a block, or a rule, variable or another
// logical line of a Makefile.
type statement struct {
	first, last int  // lines, from 0
	alone       bool // nothing else is on its lines
	from, to    int
	nodes       []*node
}

// A node is a command, a redirection, an assignment, a block, or a rule.
type node struct {
	kind  string // the word that begins a block, "function", "rule", the operator of an assignment, such as +=(, or ""
	name  string // of a function or variable, or the target of a rule
	words []word // of a command, or the values of an assignment or loop; a redirection is a command < or >
	lists [][]*statement
	size  int

	colon, help string   // of a rule: what is behind the target, and what a comment beside it says
	needs       []string // of a rule
	head        int      // the last line of the rule above its recipe
}

// A word consists of parts.
type word []part

// A part of a word is a text, or a reference to a variable or to the output of commands.
type part struct {
	text      string // without quotes, but a reference as it is written
	reference string // what is within a reference
	quoted    bool
	changes   bool         // reading it does more than its commands
	inner     word         // what is within braces
	commands  []*statement // not nil for commands
}

var (
	makeDefinition = regexp.MustCompile(`^(?:export +)?([A-Za-z_][A-Za-z0-9_.-]*)[ ]*(?:::?|\?)?=[ ]*(.*?)[ \r]*$`)
	makeRule       = regexp.MustCompile(`^([^:#=\t]+)(::?)(?:[^=]|$)`)
	assignment     = regexp.MustCompile(`^([A-Za-z_]\w*)(\+?=\(?)`)
	functionHead   = regexp.MustCompile(`^(?:function[ \t]+([\w:.-]+)(?:[ \t]*\([ \t]*\))?|([\w:.-]+)[ \t]*\([ \t]*\))`)
	keyword        = regexp.MustCompile(`^(if|then|elif|else|fi|for|select|while|until|do|done|case|esac|[{}])(?:[\s;&|()]|$)`)
	redirection    = regexp.MustCompile(`^(?:\d*|&)([<>])(?:<<|<-?|>|&|\|)?`)
	plainReference = regexp.MustCompile(`^([A-Za-z_]\w*|[0-9@*#?!$<^+%-])`)
	conditional    = regexp.MustCompile(`^\w+(\[[^]]*\])?:?[=?]`) // ${X:=value}, which sets X, or ${X:?error}
	sections       = []string{"then", "elif", "else", "do"}
	closing        = append([]string{"fi", "done", "esac", "}"}, sections...)
	declarations   = []string{"export", "local", "readonly", "declare"}
)

// A reader reads a script, or the recipe of a rule.
type reader struct {
	text   string
	at     int
	isMake bool
	lines  []int      // their beginnings
	docs   []document // that begin on the next line
	depth  int        // of blocks and commands in words
	broken string     // why the last statement does not end, or ""
}

// A document is a here-document.
type document struct {
	end string // the line after it
	of  *statement
}

// parse returns the statements of a script, and the first line of what cannot be read, with the reason, or "".
func parse(text string) (list []*statement, line int, broken string) {
	p := &reader{text: text}
	at := 0
	for line := range strings.Lines(text) {
		p.lines = append(p.lines, at)
		at += len(line)
	}
	p.lines = append(p.lines, at)
	list = p.list(true)
	last := len(list) - 1
	switch {
	case len(p.docs) > 0:
		return list, p.docs[0].of.first, "the text until " + p.docs[0].end + " does not end"
	case p.broken != "" && last >= 0:
		return list[:last], list[last].first, p.broken
	}
	return list, 0, ""
}

// place sets the lines of a statement.
func (p *reader) place(st *statement) {
	if p.lines == nil {
		return
	}
	lineOf := func(at int) int {
		i, found := slices.BinarySearch(p.lines[:len(p.lines)-1], at)
		if !found {
			i--
		}
		return i
	}
	st.first, st.last = lineOf(st.from), lineOf(max(st.from, st.to-1))
	after := strings.TrimLeft(p.text[st.to:max(st.to, p.lines[st.last+1])], "; \t\n")
	st.alone = strings.TrimLeft(p.text[p.lines[st.first]:st.from], " \t") == "" && (after == "" || after[0] == '#')
}

// skip skips a text that is next, or returns false.
func (p *reader) skip(text string) bool {
	ok := strings.HasPrefix(p.text[p.at:], text)
	if ok {
		p.at += len(text)
	}
	return ok
}

// is reports whether one of some characters is next.
func (p *reader) is(characters string) bool {
	return p.at < len(p.text) && strings.IndexByte(characters, p.text[p.at]) >= 0
}

// until skips a text, and returns what is before it.
func (p *reader) until(end string) string {
	before, after, ok := strings.Cut(p.text[p.at:], end)
	if p.at = len(p.text) - len(after); !ok {
		p.fail()
	}
	return before
}

// fail says that something does not end.
func (p *reader) fail() { p.broken, p.at = "quotes or parentheses do not end", len(p.text) }

// expect skips a text that ends something.
func (p *reader) expect(end string) {
	if !p.skip(end) {
		p.fail()
	}
}

// blanks skips spaces and comments.
func (p *reader) blanks() {
	for {
		switch {
		case p.is(" \t"):
			p.at++
		case p.skip("\\\n"):
		case p.is("#") && (p.at == 0 || strings.IndexByte(" \t\n;&|()", p.text[p.at-1]) >= 0):
			if n := strings.IndexByte(p.text[p.at:], '\n'); n >= 0 {
				p.at += n
			} else {
				p.at = len(p.text)
			}
		default:
			return
		}
	}
}

// newlines skips lines without commands, and here-documents.
func (p *reader) newlines() {
	for p.blanks(); p.skip("\n"); p.blanks() {
		for ; len(p.docs) > 0 && p.at < len(p.text); p.skip("\n") {
			line, _, _ := strings.Cut(p.text[p.at:], "\n")
			if p.at += len(line); strings.TrimSpace(line) != p.docs[0].end {
				continue
			}
			if of := p.docs[0].of; of != nil {
				of.to = p.at
			}
			p.docs = p.docs[1:]
		}
	}
}

// keyword returns the keyword that is next, or "".
func (p *reader) keyword() string {
	if m := keyword.FindStringSubmatch(p.text[p.at:min(len(p.text), p.at+10)]); m != nil {
		return m[1]
	}
	return ""
}

// skipKeyword skips one of some keywords, or returns false.
func (p *reader) skipKeyword(names ...string) bool {
	name := p.keyword()
	return slices.Contains(names, name) && p.skip(name)
}

// list reads statements up to a word that ends a block, or all.
func (p *reader) list(all bool) []*statement {
	list := []*statement{}
	if p.depth++; p.depth > maxCalls {
		p.fail()
	}
	end := 0
	for {
		p.newlines()
		ends := slices.Contains(closing, p.keyword()) || p.is(")") || strings.HasPrefix(p.text[p.at:], ";;")
		if p.at == len(p.text) || ends && !all {
			break
		}
		if p.skipKeyword(closing...) {
			continue
		} else if p.is(";&|)") {
			p.at++
			continue
		}
		from, last := p.at, len(list)-1
		if last < 0 || strings.Contains(p.text[end:from], "\n") {
			list, last = append(list, &statement{from: from}), last+1
		}
		st := list[last]
		st.nodes = append(st.nodes, p.command()...)
		for i := range p.docs {
			p.docs[i].of = cmp.Or(p.docs[i].of, st)
		}
		if len(st.nodes) == 0 {
			st.nodes, p.at = []*node{{}}, max(p.at, from+1)
		}
		st.to, end = p.at, p.at
		if p.blanks(); p.skip("&&") || p.skip("||") || p.skip("|&") || p.skip("|") {
			p.newlines()
			end = p.at
		} else if !strings.HasPrefix(p.text[p.at:], ";;") && !p.skip(";") {
			p.skip("&")
		}
	}
	p.depth--
	for _, st := range list {
		p.place(st)
	}
	return list
}

// command reads a block or a command, with its assignments and redirections.
func (p *reader) command() []*node {
	from := p.at
	n := &node{kind: p.keyword()}
	p.at += len(n.kind)
	switch {
	case n.kind == "{" || n.kind == "" && p.is("("):
		if n.kind == "" {
			n.kind = "("
			p.at++
		}
		n.lists = append(n.lists, p.list(false))
		if !p.skipKeyword("}") && n.kind == "(" {
			p.expect(")")
		}
	case n.kind != "":
		if p.blanks(); p.skip("((") {
			p.until("))")
		} else if n.kind == "for" || n.kind == "select" || n.kind == "case" {
			for p.blanks(); p.at < len(p.text) && !p.is("\n;&|()<>"); p.blanks() {
				n.words = append(n.words, p.word(0))
			}
		}
		if raw := n.raw(); len(raw) > 0 && n.kind != "case" {
			n.name, n.words = raw[0], n.words[min(2, len(raw)):] // for name in
		}
		for next := true; next; {
			list := p.list(false)
			if next = n.kind == "case" && p.skip(")"); next {
				continue // list is a pattern
			}
			n.lists = append(n.lists, list)
			next = p.skipKeyword(sections...) || n.kind == "case" && p.skip(";;")
		}
		p.skipKeyword("fi", "done", "esac")
	default:
		m := functionHead.FindStringSubmatch(p.text[p.at:min(len(p.text), p.at+maxPath)])
		if m == nil {
			return p.simple(nil)
		}
		n.kind, n.name, p.at = "function", cmp.Or(m[1], m[2]), p.at+len(m[0])
		if p.newlines(); p.is("({") {
			block := p.command()
			n.lists, n.size = block[0].lists, p.at-from
			return append([]*node{n}, block[1:]...)
		}
	}
	n.size = p.at - from
	return p.simple(n)
}

// simple reads the assignments, words and redirections of a command, or the redirections of a block.
func (p *reader) simple(block *node) (all []*node) {
	n, declares := cmp.Or(block, &node{}), true // assignments may follow
	var files []*node
	for {
		p.blanks()
		rest := p.text[p.at:min(len(p.text), p.at+maxPath)]
		m := assignment.FindStringSubmatch(rest)
		if r := redirection.FindStringSubmatch(rest); r != nil && !p.isFile() {
			p.at += len(r[0])
			p.blanks()
			name := p.word(0)
			files = append(files, &node{words: []word{{{text: r[1]}}, name}})
			if operator := strings.TrimLeft(r[0], "0123456789"); operator == "<<" || operator == "<<-" {
				p.docs = append(p.docs, document{end: name.raw()})
			}
			continue
		}
		switch {
		case rest == "" || p.is("\n;&|)") || block != nil:
			if n.kind != "" || len(n.words) > 0 {
				all = append(all, n)
			}
			return append(all, files...)
		case m != nil && declares:
			p.at += len(m[0])
			set := &node{kind: m[2], name: m[1]}
			for isArray := strings.HasSuffix(m[2], "("); ; {
				if isArray {
					p.newlines()
				}
				from := p.at
				set.words = append(set.words, p.word(0))
				if !isArray || p.at == from {
					break
				}
			}
			if all = append(all, set); strings.HasSuffix(m[2], "(") {
				p.expect(")")
			}
		case p.is("("): // a pattern
			p.at++
		default:
			n.words = append(n.words, p.word(0))
			if first := n.words[0].raw(); len(n.words) == 1 {
				declares = slices.Contains(declarations, first)
				switch first {
				case "[[":
					n.words = append(n.words, (&reader{text: p.until("]]"), isMake: p.isMake}).word('\n'))
				case "readonly":
					n.words = nil
				case "!":
					return append(all, n)
				}
			}
		}
	}
}

// isFile reports whether a file with the output of commands is next, <(command).
func (p *reader) isFile() bool { return p.is("<>") && strings.HasPrefix(p.text[p.at+1:], "(") }

// word reads a word, or what is up to a closing parenthesis or brace.
func (p *reader) word(end byte) (w word) {
	var quote byte
	depth := 0
	add := func(text string) {
		if last := len(w) - 1; last >= 0 && w[last].reference == "" && w[last].commands == nil {
			w[last].text += text
			w[last].quoted = w[last].quoted || quote != 0
			return
		}
		w = append(w, part{text: text, quoted: quote != 0})
	}
	from := p.at
	flush := func() {
		if from < p.at {
			add(p.text[from:p.at])
		}
	}
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case quote == 0 && end != 0 && c == end && depth == 0, quote == 0 && end == 0 && strings.IndexByte(" \t\n;&|()", c) >= 0:
			flush()
			return w
		case quote == 0 && p.isFile() && end == 0:
			flush()
			w = append(w, p.commands(p.at, p.at+2))
			w[len(w)-1].changes = true
			from = p.at
			p.at--
		case quote == 0 && end == 0 && (c == '<' || c == '>'):
			flush()
			return w
		case c == '\\' && quote != '\'' && p.at+1 < len(p.text):
			flush()
			if p.at++; p.text[p.at] != '\n' {
				add(p.text[p.at : p.at+1])
			}
			from = p.at + 1
		case c == quote:
			flush()
			quote, from = 0, p.at+1
		case quote == 0 && (c == '"' || c == '\'') && (end == 0 || !p.isMake):
			flush()
			quote, from = c, p.at+1
			add("")
		case c == '$' && quote != '\'' && p.at+1 < len(p.text), c == '`' && quote != '\'':
			flush()
			r := p.reference()
			r.quoted = quote != 0
			w = append(w, r)
			from = p.at
			p.at--
		case end == ')' && c == '(':
			depth++
		case end == ')' && c == ')':
			depth--
		}
	}
	flush()
	if quote != 0 || end != 0 {
		p.fail()
	}
	return w
}

// commands reads the commands in a part of a word that begins before.
func (p *reader) commands(from, at int) part {
	p.at = at
	list := p.list(false)
	p.expect(")")
	return part{text: p.text[from:p.at], commands: list}
}

// reference reads a reference.
func (p *reader) reference() (r part) {
	from := p.at
	isMake := p.isMake
	if p.at++; isMake && p.skip("$") {
		isMake = false
	}
	switch rest := p.text[p.at:]; {
	case p.text[from] == '`':
		inner := &reader{text: p.until("`")}
		r.commands = inner.list(true)
		r.changes = inner.broken != "" || strings.Contains(inner.text, "\\")
	case isMake && strings.HasPrefix(rest, "(shell "):
		return p.commands(from, p.at+len("(shell "))
	case !isMake && p.skip("(("):
		r.reference = p.until("))")
	case !isMake && p.is("("):
		return p.commands(from, p.at+1)
	case p.is("({"):
		end := byte(')')
		if p.at++; rest[0] == '{' {
			end = '}'
		}
		begin := p.at
		r.inner = p.word(end)
		r.reference = p.text[begin:p.at]
		r.changes = !isMake && conditional.MatchString(r.reference)
		p.expect(string(end))
	default:
		r.reference = plainReference.FindString(rest)
		p.at += len(r.reference)
	}
	r.text = p.text[from:p.at]
	return r
}

// logical is a line of a Makefile, of lines that belong together.
type logical struct {
	first, last int
	text        string
}

// logicalLines returns the logical lines of a Makefile.
func logicalLines(text string) (all []logical) {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		first := i
		for strings.HasSuffix(lines[i], "\\") && i+1 < len(lines) {
			lines[i] = strings.TrimSuffix(lines[i], "\\")
			i++
		}
		all = append(all, logical{first, i, strings.Join(lines[first:i+1], " ")})
	}
	return all
}

// makefile returns the statements of a Makefile. The function replaces the variables in recipes.
func makefile(lines []logical, substitute func(string) string) (list []*statement) {
	var rule *statement // the one before
	for _, line := range lines {
		text := strings.TrimSpace(line.text)
		if text == "" || text[0] == '#' {
			continue
		}
		n := &node{head: line.last}
		st := &statement{first: line.first, last: line.last, alone: true, nodes: []*node{n}}
		definition, head := makeDefinition.FindStringSubmatch(line.text), makeRule.FindStringSubmatch(line.text)
		switch {
		case line.text[0] == '\t':
			p := &reader{text: substitute(strings.TrimLeft(text, "@-+ ")), isMake: true}
			st.nodes = nil
			for _, inner := range p.list(true) {
				st.nodes = append(st.nodes, inner.nodes...)
				walk([]*statement{inner}, 0, func(inner *statement, _ int) bool {
					inner.first, inner.last = line.first, line.last
					return true
				})
			}
			if len(st.nodes) == 0 {
				continue
			}
			if rule != nil {
				rule.nodes[0].lists[0], rule.last = append(rule.nodes[0].lists[0], st), line.last
				continue
			}
		case definition != nil:
			p := &reader{text: definition[2], isMake: true}
			n.kind, n.name, n.words = "=", definition[1], []word{p.word('\n')}
			rule = nil
		case head != nil:
			before, help, _ := strings.Cut(line.text, "#")
			_, needs, _ := strings.Cut(before, ":")
			n.kind, n.lists, n.help, n.needs = "rule", [][]*statement{nil}, help, strings.Fields(strings.TrimPrefix(needs, ":"))
			if n.colon = head[2]; !strings.Contains(strings.TrimSpace(head[1]), " ") {
				n.name = strings.TrimSpace(head[1])
			}
			rule = st
		default:
			rule = nil
		}
		list = append(list, st)
	}
	return list
}

// heading returns the first line of a rule.
func (n *node) heading() string {
	head := strings.Join(append([]string{n.name + n.colon}, n.needs...), " ")
	if n.help != "" {
		head += " #" + n.help
	}
	return head + "\n"
}

// raw returns a word without quotes, and with references as they are.
func (w word) raw() string {
	if len(w) == 1 {
		return w[0].text
	}
	var b strings.Builder
	for _, part := range w {
		b.WriteString(part.text)
	}
	return b.String()
}

// raw returns the words of a command.
func (n *node) raw() (words []string) {
	for _, w := range n.words {
		words = append(words, w.raw())
	}
	return words
}

// walk calls a function for statements with the number of blocks around them. It looks into the blocks of those for
// which this returns true.
func walk(list []*statement, depth int, visit func(st *statement, depth int) bool) {
	for _, st := range list {
		if visit(st, depth) {
			for _, n := range st.nodes {
				for _, inner := range n.lists {
					walk(inner, depth+1, visit)
				}
			}
		}
	}
}

// effect returns a command of statements that is not allowed, or which words run, or "".
func effect(list []*statement, isMake bool, allowed func(words []string) bool) (found string) {
	walk(list, 0, func(st *statement, _ int) bool {
		for _, n := range st.nodes {
			if words := n.raw(); n.kind == "" && !allowed(words) {
				found = cmp.Or(found, strings.Join(words, " "))
			}
		}
		found = cmp.Or(found, st.effect(isMake, allowed))
		return found == ""
	})
	return found
}

// effect returns a command that the words of a statement run, but not its blocks, that is not allowed, or "".
func (st *statement) effect(isMake bool, allowed func(words []string) bool) (found string) {
	for _, n := range st.nodes {
		for _, w := range n.words {
			found = cmp.Or(found, w.effect(isMake, allowed))
		}
	}
	return found
}

// effect returns a command that a word runs and is not allowed, or another text with an effect, or "".
func (w word) effect(isMake bool, allowed func(words []string) bool) (found string) {
	for _, part := range w {
		function, _, isCall := strings.Cut(part.reference, " ")
		switch {
		case found != "":
		case part.changes:
			found = part.text
		case isCall && isMake && !slices.Contains(pureMake, function):
			found = function
		default:
			found = cmp.Or(effect(part.commands, isMake, allowed), part.inner.effect(isMake, allowed))
		}
	}
	return found
}
