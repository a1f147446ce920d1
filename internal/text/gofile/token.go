package gofile

import "strings"

// token is a token of Go, given by its offsets in the text.
type token struct {
	start, end int32
	kind       byte // one of the following, or the first byte of an operator
	in         byte // contents of the innermost bracket around it; for a bracket, of the one around it
	first      bool // it begins a line
}

// Kinds of tokens other than operators, whose kind is their first byte.
const (
	word     = 'a' // identifiers and keywords
	number   = '0'
	quoted   = '"' // strings and characters
	comment  = '/'
	newline  = '\n'
	define   = 0x80 // :=
	ellipsis = 0x81 // ...
)

// Contents of brackets.
const (
	inFile      = 0   // outside of all brackets
	inList      = '(' // parameters, arguments, or an expression
	inIndex     = '[' // an index, type parameters, type arguments, or the length of an array
	inBlock     = '{' // statements, or the elements of a literal
	inStruct    = 's' // fields
	inInterface = 'i' // methods
	inValues    = 'v' // the specifications of a var, const or import declaration
	inTypes     = 't' // the specifications of a type declaration
)

// scan splits a text into tokens. If bodies is false, it omits statements of functions and elements of literals. ok is
// false if a string, comment or bracket is not closed; the tokens then end before it.
func scan(text string, bodies bool) (tokens []token, ok bool) {
	if bodies {
		tokens = make([]token, 0, min(len(text)/4, 1<<20)) // a longer text is mostly one literal
	}
	var open []byte
	in, first := byte(inFile), true
	for at := 0; at < len(text); {
		c := text[at]
		if c == ' ' || c == '\t' || c == '\r' {
			at++
			continue
		}
		t := token{start: int32(at), kind: c, in: in, first: first}
		first = false
		switch {
		case letters[c]:
			for at++; at < len(text) && letters[text[at]]; at++ {
			}
			if t.kind = word; c >= '0' && c <= '9' {
				for ; at < len(text) && (letters[text[at]] || text[at] == '.'); at++ {
				}
				t.kind = number
			}
		case c == '\n':
			at++
			t.kind, first = newline, true
		case c == '"' || c == '`' || c == '\'':
			if at = afterQuoted(text, at); at < 0 {
				return tokens, false
			}
			t.kind = quoted
		case c == '/' && at+1 < len(text) && text[at+1] == '*':
			end := strings.Index(text[at+2:], "*/")
			if end < 0 {
				return tokens, false
			}
			at += end + 4
		case c == '/' && at+1 < len(text) && text[at+1] == '/':
			end := strings.IndexByte(text[at:], '\n')
			if end < 0 {
				end = len(text) - at
			}
			at += end
		case c == ':' && at+1 < len(text) && text[at+1] == '=':
			at += 2
			t.kind = define
		case c == '.' && strings.HasPrefix(text[at:], "..."):
			at += 3
			t.kind = ellipsis
		case c == '/':
			at++
			t.kind = '%' // like any other operator
		case c == '(' || c == '[' || c == '{':
			at++
			open = append(open, in)
			in = contents(text, tokens, c)
		case c == ')' || c == ']' || c == '}':
			at++
			if len(open) == 0 {
				return tokens, false
			}
			in, open = open[len(open)-1], open[:len(open)-1]
			t.in = in
		default:
			at++
		}
		if t.end = int32(at); bodies || t.in != inBlock {
			tokens = append(tokens, t)
		}
	}
	return tokens, len(open) == 0
}

// contents returns the kind of the contents of a bracket after the given tokens.
func contents(text string, before []token, bracket byte) byte {
	for len(before) > 0 && (before[len(before)-1].kind == comment || before[len(before)-1].kind == newline) {
		before = before[:len(before)-1]
	}
	if len(before) == 0 || before[len(before)-1].kind != word {
		return bracket
	}
	last := before[len(before)-1]
	begins := last.first || len(before) > 1 && before[len(before)-2].kind == ';'
	switch keyword := text[last.start:last.end]; {
	case bracket == '{' && keyword == "struct":
		return inStruct
	case bracket == '{' && keyword == "interface":
		return inInterface
	case bracket == '(' && begins && (keyword == "var" || keyword == "const" || keyword == "import"):
		return inValues
	case bracket == '(' && begins && keyword == "type":
		return inTypes
	}
	return bracket
}

// afterQuoted returns the end of the string or character literal at an offset, or -1 if it is not closed.
func afterQuoted[T string | []byte](text T, at int) int {
	quote := text[at]
	for i := at + 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote:
			return i + 1
		case c == '\\' && quote != '`':
			i++
		case c == '\n' && quote != '`':
			return -1
		}
	}
	return -1
}

// letters contains the bytes of identifiers, keywords and numbers.
var letters = func() (letters [256]bool) {
	for c := range letters {
		letters[c] = c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
	}
	return letters
}()
