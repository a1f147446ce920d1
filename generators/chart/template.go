package chart

import (
	"errors"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// source is a file of a chart. Lines are counted from 0.
type source struct {
	path  string   // absolute
	lines []string // as they are, without line breaks
	// shown are the lines as YAML: an action that prints a constant is replaced by the constant, another one inside a
	// line by a letter, and a line of nothing but other actions is empty.
	shown   []string
	actions []action // that are neither comments nor constants
	depth   []int    // number of blocks of the template, such as {{ if }}, around the beginning of each line
	pieces  []piece  // of a template
}

// action is an action of a template, {{ ... }}.
type action struct {
	line    int
	prints  bool // rather than controls what is printed
	repeats bool // begins a block that is not rendered once, where it is: range, define or block
	indent  int  // of what it prints on lines of its own
}

// piece is an action of a template, or text between actions.
type piece struct {
	line        int
	text        string // as it is rendered: the letter for an action that is not a comment or constant
	word        string // first word of an action, or ""
	left, right bool   // the action removes white space on that side
	isText      bool
}

// Characters that stand for an action while a file is read: on its first line, and on its other lines.
const (
	inAction   = "\x01"
	afterBreak = "\x02"
)

var (
	trimsLeft  = regexp.MustCompile(`^\{\{-\s`)
	trimsRight = regexp.MustCompile(`\s-\}\}$`)

	errOpen    = errors.New("{{ without }}")
	errControl = errors.New("a control character") // that is not YAML
	opensLine  = regexp.MustCompile(afterBreak + "+")
	isAction   = regexp.MustCompile(inAction + "+")
	// firstWord matches the first word of an action.
	firstWord = regexp.MustCompile(`^\{\{-?\s*(\w*)`)
	// setsVariable matches the beginning of an action that prints nothing.
	setsVariable = regexp.MustCompile(`^\{\{-?\s*\$\w*\s*:?=`)
	// indents matches the part of an action that indents what it prints.
	indents = regexp.MustCompile(`\bn?indent\s+(?:\(\s*int\s+)?(\d+)`)
)

// byteOrderMark may be at the beginning of a file. Helm removes it.
const byteOrderMark = "\ufeff"

// readSource reads a file, which is a template or plain YAML. The error is about the last line of the source.
func readSource(path, text string, template bool) (*source, error) {
	text = strings.TrimPrefix(text, byteOrderMark)
	s := &source{path: path, lines: strings.Split(text, "\n")}
	if !template {
		s.shown, s.depth = s.lines, make([]int, len(s.lines)+1)
		return s, nil
	}
	if at := strings.IndexAny(text, inAction+afterBreak); at >= 0 {
		s.lines = s.lines[:strings.Count(text[:at], "\n")+1]
		return s, errControl
	}
	var shown strings.Builder
	line, depth := 0, 0
	put := func(text, as string, p piece) {
		p.line = line
		s.pieces = append(s.pieces, p)
		n := strings.Count(text, "\n")
		for range n {
			s.depth = append(s.depth, depth)
		}
		line += n
		shown.WriteString(as)
	}
	s.depth = append(s.depth, 0)
	for text != "" {
		at := strings.Index(text, "{{")
		if at < 0 {
			put(text, text, piece{text: text, isText: true})
			break
		}
		put(text[:at], text[:at], piece{text: text[:at], isText: true})
		end := endOfAction(text[at:])
		if end < 0 {
			s.lines = s.lines[:line+1]
			return s, errOpen
		}
		written := text[at : at+end]
		text = text[at+end:]
		breaks := strings.Repeat("\n", strings.Count(written, "\n"))
		p := piece{left: trimsLeft.MatchString(written), right: trimsRight.MatchString(written)}
		if isComment(written) {
			put(written, breaks, p)
			continue
		}
		if constant, ok := constantOf(written); ok {
			p.text = constant
			put(written, constant+breaks, p)
			continue
		}
		p.text, p.word = inAction, firstWord.FindStringSubmatch(written)[1]
		a := action{line: line, prints: !setsVariable.MatchString(written)}
		switch p.word {
		case "if", "with", "range", "define", "block":
			depth, a.prints, a.repeats = depth+1, false, p.word != "if" && p.word != "with"
		case "end":
			depth, a.prints = max(depth-1, 0), false
		case "else", "break", "continue":
			a.prints = false
		}
		if a.prints {
			p.left, p.right = false, false
		}
		a.indent = indentOf(s.lines[line])
		if m := indents.FindStringSubmatch(written); m != nil {
			a.indent, _ = strconv.Atoi(m[1])
		}
		s.actions = append(s.actions, a)
		put(written, inAction+strings.ReplaceAll(breaks, "\n", "\n"+afterBreak), p)
	}
	s.depth = append(s.depth, depth)
	for _, text := range strings.Split(shown.String(), "\n") {
		if strings.Trim(text, " \t\r"+inAction+afterBreak) == "" && strings.ContainsAny(text, inAction+afterBreak) {
			text = ""
		}
		s.shown = append(s.shown, isAction.ReplaceAllString(opensLine.ReplaceAllString(text, " "), "x"))
	}
	return s, nil
}

// rendered returns the file as a template renders it: with white space removed by the action with an index, or by all
// actions if it is negative. All blocks are rendered once, and an action on lines of its own prints nothing.
func (s *source) rendered(by int) string {
	var b strings.Builder
	var blocks []int // columns in which they begin
	trims := func(i int, left bool) bool {
		return i >= 0 && i < len(s.pieces) && (by < 0 || by == i) && (left && s.pieces[i].left || !left && s.pieces[i].right)
	}
	for i, p := range s.pieces {
		text, ownLine := p.text, !p.isText && s.shown[p.line] == ""
		if p.isText && trims(i-1, false) {
			text = strings.TrimLeft(text, " \t\r\n")
		}
		if p.isText && trims(i+1, true) {
			text = strings.TrimRight(text, " \t\r\n")
		}
		if ownLine {
			text = ""
		}
		switch p.word {
		case "if", "with", "range", "define", "block":
			blocks = append(blocks, b.Len()-1-strings.LastIndex(b.String(), "\n"))
		case "else":
			if n := len(blocks); ownLine && n > 0 { // the other branch begins where the first one begins
				text = "\n" + strings.Repeat(" ", blocks[n-1])
			}
		case "end":
			blocks = blocks[:max(len(blocks)-1, 0)]
		}
		b.WriteString(text)
	}
	return isAction.ReplaceAllString(b.String(), "x")
}

// at returns the position of a line.
func (s *source) at(line int) token.Position {
	text := ""
	if line < len(s.lines) {
		text = s.lines[line]
	}
	return token.Position{Filename: s.path, Line: line + 1, Column: 1 + len(text) - len(strings.TrimLeft(text, " \t"))}
}

// endOfAction returns the length of the action at the beginning of a text, or -1 if it does not end.
func endOfAction(text string) int {
	if isComment(text) {
		end := strings.Index(text, "*/")
		closed := strings.Index(text[max(end, 0):], "}}")
		if end < 0 || closed < 0 {
			return -1
		}
		return end + closed + len("}}")
	}
	for i := len("{{"); i < len(text); i++ {
		switch c := text[i]; {
		case strings.HasPrefix(text[i:], "}}"):
			return i + len("}}")
		case c == '"' || c == '`' || c == '\'':
			for i++; i < len(text) && text[i] != c; i++ {
				if text[i] == '\\' && c != '`' {
					i++
				}
			}
		}
	}
	return -1
}

// isComment reports whether an action is a comment.
func isComment(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(strings.TrimPrefix(text[len("{{"):], "-"), " \t\r\n"), "/*")
}

// constantOf returns what an action prints, if that is a constant on one line and the action leaves white space alone.
func constantOf(text string) (string, bool) {
	inner := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, "{{"), "}}"))
	if inner == "" || inner[0] != '"' && inner[0] != '`' {
		return "", false
	}
	constant, err := strconv.Unquote(inner)
	return constant, err == nil && !strings.Contains(constant, "\n") && !strings.Contains(text, "\n")
}

// escape makes a template print a text.
func escape(text string) string { return strings.ReplaceAll(text, "{{", `{{ "{{" }}`) }

// textsIn returns the texts in an action or in a line of actions: constants, and the text outside of actions.
func textsIn(line string) (texts []string) {
	for line != "" {
		at := strings.Index(line, "{{")
		end := -1
		if at >= 0 {
			end = endOfAction(line[at:])
		}
		if end < 0 {
			return append(texts, line)
		}
		texts = append(texts, line[:at])
		for _, quoted := range constants.FindAllString(line[at:at+end], -1) {
			if text, err := strconv.Unquote(quoted); err == nil {
				texts = append(texts, text)
			}
		}
		line = line[at+end:]
	}
	return texts
}

var constants = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`")
