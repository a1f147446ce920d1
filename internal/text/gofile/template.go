package gofile

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
)

// guard is the name of the function that receives the value of every action in a template.
const guard = "gofile_guard"

// Guard makes the templates of a set pass every value that they print to the guard, which Templates provides. Templates
// that already do so are unchanged.
func Guard(set *template.Template) {
	for _, t := range set.Templates() {
		if t.Tree != nil {
			guardNodes(t.Root)
		}
	}
}

// guardNodes guards the actions in a list of nodes, and in nested lists.
func guardNodes(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			guardPipe(n.Pipe)
		case *parse.IfNode:
			guardNodes(n.List)
			guardNodes(n.ElseList)
		case *parse.RangeNode:
			guardNodes(n.List)
			guardNodes(n.ElseList)
		case *parse.WithNode:
			guardNodes(n.List)
			guardNodes(n.ElseList)
		}
	}
}

// guardPipe appends the guard to a pipeline that prints a value other than text of the template.
func guardPipe(pipe *parse.PipeNode) {
	last := pipe.Cmds[len(pipe.Cmds)-1]
	if len(pipe.Decl) > 0 {
		return
	}
	switch first := last.Args[0].(type) {
	case *parse.StringNode:
		return
	case *parse.IdentifierNode:
		if first.Ident == guard {
			return
		}
	}
	name := parse.NewIdentifier(guard).SetPos(pipe.Pos)
	pipe.Cmds = append(pipe.Cmds, &parse.CommandNode{NodeType: parse.NodeCommand, Pos: pipe.Pos, Args: []parse.Node{name}})
}

// Templates executes templates, one after the other.
type Templates struct {
	set *template.Template
	out guarded
}

// NewTemplates returns the templates of a set that Guard was applied to. limit is the maximum size of the output of a
// template in bytes.
func NewTemplates(set *template.Template, limit int) (*Templates, error) {
	own, err := set.Clone() // each execution has an output of its own
	if err != nil {
		return nil, err
	}
	t := &Templates{set: own}
	t.out.limit = limit
	own.Funcs(template.FuncMap{guard: t.out.guard})
	return t, nil
}

// Execute returns the output of a template. The text of the template and values of type Code are written unchanged. A
// value of another type becomes part of the comment or literal around it. Elsewhere, it is an error unless it is a word
// or a literal.
func (t *Templates) Execute(name string, view any) (Code, error) {
	t.out = guarded{limited: t.out.limited}
	t.out.text.Reset()
	if err := t.set.ExecuteTemplate(&t.out, name, view); err != nil {
		return "", err
	}
	return Code(t.out.text.String()), nil
}

// ExecuteText returns the output of a template of a set that Guard was applied to, with values unchanged, for text
// that is not in Go. limit is its maximum size in bytes.
func ExecuteText(set *template.Template, name string, data any, limit int) ([]byte, error) {
	own, err := set.Clone()
	if err != nil {
		return nil, err
	}
	own.Funcs(template.FuncMap{guard: func(value any) any { return value }})
	var out limited
	out.limit = limit
	if err := own.ExecuteTemplate(&out, name, data); err != nil {
		return nil, err
	}
	return out.text.Bytes(), nil
}

// Complaint returns the message of an error of the guard, without the name of the guard.
func Complaint(message string) string {
	return strings.ReplaceAll(message, "<"+guard+">: error calling "+guard+": ", "")
}

// limited is the output of a template, of limited size.
type limited struct {
	text  bytes.Buffer
	limit int
}

// Write implements io.Writer.
func (w *limited) Write(text []byte) (int, error) {
	if w.text.Len()+len(text) > w.limit {
		return 0, fmt.Errorf("the template writes more than %d MiB; check that its loops end", w.limit>>20)
	}
	return w.text.Write(text)
}

// guarded is the output of a template, and its lexical state as Go source.
type guarded struct {
	limited
	in    lexical
	blank bool // only spaces and stars precede in the comment
	slash bool // a slash precedes, outside of comments and literals
	star  bool // a star precedes, in a comment of several lines
	after bool // a backslash precedes, in a literal
}

// lexical is the kind of the comment or literal at the end of a text, or inCode.
type lexical byte

const (
	inCode       lexical = 0
	inComment    lexical = '/'
	inLines      lexical = '*' // a comment of several lines
	inString     lexical = '"'
	inCharacter  lexical = '\''
	inRawLiteral lexical = '`'
)

// Write implements io.Writer.
func (w *guarded) Write(text []byte) (int, error) {
	for _, c := range text {
		w.pass(c)
	}
	return w.limited.Write(text)
}

// pass moves past a byte.
func (w *guarded) pass(c byte) {
	slash, star, after := w.slash, w.star, w.after
	w.slash, w.star, w.after = false, false, false
	switch w.in {
	case inCode:
		switch {
		case slash && c == '/':
			w.in, w.blank = inComment, true
		case slash && c == '*':
			w.in = inLines
		case c == '"' || c == '\'' || c == '`':
			w.in = lexical(c)
		default:
			w.slash = c == '/'
		}
	case inComment:
		if c == '\n' {
			w.in = inCode
		}
		w.blank = w.blank && strings.IndexByte(" \t*/", c) >= 0
	case inLines:
		if star && c == '/' {
			w.in = inCode
		}
		w.star = c == '*'
	case inRawLiteral:
		if c == '`' {
			w.in = inCode
		}
	case inString, inCharacter:
		switch {
		case !after && c == byte(w.in), c == '\n':
			w.in = inCode
		default:
			w.after = !after && c == '\\'
		}
	}
}

// guard converts a value so that it can be written at the end of the text.
func (w *guarded) guard(value any) (any, error) {
	code, isCode := value.(Code)
	if isCode && w.in == inCode {
		return code, nil
	}
	text := fmt.Sprint(value)
	switch w.in {
	case inComment:
		if isCode { // it may have placeholders for names
			return strings.ReplaceAll(text, "\n", " "), nil
		}
		return w.comment(text), nil
	case inString:
		quoted := quote(text)
		if isCode {
			quoted = strconv.Quote(text)
		}
		return quoted[1 : len(quoted)-1], nil
	case inRawLiteral:
		if fitsRaw(text) {
			return text, nil
		}
	case inCode:
		switch value.(type) {
		case bool, int, int64, nil:
			return text, nil
		}
		if text == "" || isWord(text) || isLiteral(strings.ReplaceAll(text, localPlaceholder, "")) {
			return text, nil
		}
		return nil, fmt.Errorf("%q is neither a name nor a literal; print it in a comment, or with printf %q", text, "%q")
	}
	if isWord(text) {
		return text, nil
	}
	return nil, fmt.Errorf("%q cannot be printed within %s", text, map[lexical]string{
		inLines: "/* */", inCharacter: "a character", inRawLiteral: "a raw string",
	}[w.in])
}

// comment returns a value as part of a comment on one line.
func (w *guarded) comment(text string) string {
	text = printable(strings.TrimRight(text, "\n"))
	before := w.text.Bytes()
	if bytes.HasSuffix(before, []byte("//")) && text != "" {
		text = " " + text // otherwise it might be a directive
	}
	if w.blank {
		text = harmlessStart(text)
	}
	return strings.ReplaceAll(text, "/*line ", "/* line ")
}

// isWord reports whether a text can be part of an identifier or number.
func isWord(text string) bool {
	return text != "" && !strings.ContainsFunc(text, notInWord) && !strings.Contains(text, placeholder) &&
		!strings.Contains(text, localPlaceholder)
}

// isLiteral reports whether a text is one literal for a string or character.
func isLiteral(text string) bool {
	if text[0] != '"' && text[0] != '\'' && text[0] != '`' {
		return false
	}
	_, err := strconv.Unquote(text)
	return err == nil && !strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && r != reservedRune && hides(r) })
}
