// This file makes statements of Makefiles.

package main

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

var (
	makeDefinition = regexp.MustCompile(`^(?:export +)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*(?:::?|\?)?=[ \t]*(.*?)[ \t\r]*$`)
	makeRule       = regexp.MustCompile(`^([^:#=\t]+)(::?)(?:[^=]|$)`)
)

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

// makefile returns the statements of a Makefile, and lines with generators that cannot be read. The function replaces
// the variables in recipes.
func makefile(lines []logical, substitute func(string) string) (list []*statement, unread []Call) {
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
			st.nodes = nil
			inside, broken := recipe(substitute(strings.TrimLeft(text, "@-+ ")), 0)
			if broken != "" {
				st.nodes = []*node{{words: []word{literal(text)}}}
				if slices.ContainsFunc(wordBreaks.Split(text, -1), func(word string) bool { return toolOf(word) != "" }) {
					unread = append(unread, Call{Tool: "the line", first: line.first, last: line.last, unread: broken})
				}
			}
			for _, inner := range inside {
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
			n.kind, n.name, n.words = "=", definition[1], []word{makeWord(definition[2], 0)}
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
	return list, unread
}

// recipe returns the statements of a line of a recipe, or why it cannot be read.
func recipe(text string, depth int) (list []*statement, broken string) {
	if strings.ContainsFunc(text, func(c rune) bool { return c >= placeholder }) {
		return nil, "it has characters for private use"
	}
	r := &reader{}
	var b strings.Builder
	for _, p := range makeWord(text, depth) {
		if p.reference == "" && p.commands == nil {
			b.WriteString(strings.ReplaceAll(p.text, "$$", "$"))
			continue
		}
		b.WriteRune(placeholder + rune(len(r.refs)))
		r.refs = append(r.refs, p)
	}
	r.text = b.String()
	parsed, _, broken := parseShell(r.text)
	return r.list(parsed), broken
}

// makeWord returns a text of a Makefile as a word with the references of make. It has the dollars of the shell as they
// are.
func makeWord(text string, depth int) (w word) {
	for text != "" {
		i := strings.IndexByte(text, '$')
		if i < 0 || i == len(text)-1 || depth == maxNesting {
			return w.add(text, false)
		}
		if i > 0 {
			w = w.add(text[:i], false)
		}
		text = text[i:]
		_, size := utf8.DecodeRuneInString(text[1:])
		size++
		switch open := text[1]; {
		case open == '$':
			w = w.add("$$", false)
		case open == '(' || open == '{':
			closing := map[byte]byte{'(': ')', '{': '}'}[open]
			inside, end := 0, -1
			for i := 1; i < len(text) && end < 0; i++ {
				if text[i] == open {
					inside++
				} else if text[i] == closing {
					if inside--; inside == 0 {
						end = i
					}
				}
			}
			if end < 0 {
				return w.add(text, false)
			}
			p := part{text: text[:end+1], reference: text[2:end]}
			if size = end + 1; strings.HasPrefix(text, "$(shell ") {
				p.reference = ""
				p.commands, _ = recipe(text[len("$(shell "):end], depth+1)
			} else {
				p.inner = makeWord(p.reference, depth+1)
			}
			w = append(w, p)
		default:
			w = append(w, part{text: text[:size], reference: text[1:size]})
		}
		text = text[size:]
	}
	return w
}
