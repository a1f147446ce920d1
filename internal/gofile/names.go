package gofile

import (
	"bytes"
	"strings"
)

// DeclaredNames returns the names that Go files declare in their package, with methods as "Receiver.Method". From files
// with syntax errors, it returns the names that it can read. External test packages are ignored.
//
// Files can be long and only declarations matter, so it skips everything in brackets instead of parsing the files.
func DeclaredNames(files map[string][]byte) map[string]bool {
	names := map[string]bool{}
	for _, text := range files {
		s := declarations{text: bytes.TrimPrefix(text, []byte("\ufeff"))}
		s.next()
		if s.word != "package" {
			continue
		}
		if s.next(); strings.HasSuffix(s.word, "_test") { // an external test package
			continue
		}
		for s.token != 0 {
			switch {
			case s.first && s.word == "func":
				s.function(names)
			case s.first && (s.word == "type" || s.word == "const" || s.word == "var"):
				s.declaration(s.word != "type", names)
			default:
				s.skip()
			}
		}
	}
	return names
}

// declarations reads the tokens of a Go file.
type declarations struct {
	text  []byte
	at    int
	token byte   // first byte of the token; a letter for every word; 0 at the end
	word  string // the token, if it is a word: an identifier, keyword or number
	first bool   // the token begins a declaration or statement

	ends bool // a line break after the token ends a statement
}

// next reads the next token.
func (s *declarations) next() {
	s.first = s.token == 0 || s.token == ';'
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '\n':
			s.first = s.first || s.ends
			s.at++
		case c == ' ' || c == '\t' || c == '\r':
			s.at++
		case c == '/' && s.at+1 < len(s.text) && (s.text[s.at+1] == '/' || s.text[s.at+1] == '*'):
			comment := s.text[s.at:s.afterComment()]
			s.first = s.first || s.ends && bytes.IndexByte(comment, '\n') >= 0
			s.at += len(comment)
		default:
			s.read(c)
			return
		}
	}
	s.token, s.word = 0, ""
}

// read reads the token that begins with c.
func (s *declarations) read(c byte) {
	begin, number := s.at, s.word != "" && s.word[0] <= '9'
	s.token, s.word, s.ends = c, "", true
	switch {
	case letters[c]:
		for s.at < len(s.text) && letters[s.text[s.at]] {
			s.at++
		}
		s.token, s.word = 'a', string(s.text[begin:s.at])
	case c == '"' || c == '`' || c == '\'':
		s.at = s.afterQuoted()
	default:
		s.at++
		s.ends = c == ')' || c == ']' || c == '}' || c == '.' && number
	}
}

// skip moves past the current token. If that is an opening bracket, it moves past the closing one.
func (s *declarations) skip() {
	depth := 0
	if s.token == '(' || s.token == '[' || s.token == '{' {
		depth, s.ends = 1, true
	}
	for depth > 0 && s.at < len(s.text) {
		switch s.text[s.at] {
		case '(', '[', '{':
			depth++
			s.at++
		case ')', ']', '}':
			depth--
			s.at++
		case '"', '`', '\'':
			s.at = s.afterQuoted()
		case '/':
			s.at = max(s.afterComment(), s.at+1)
		default:
			for s.at++; s.at < len(s.text) && plain[s.text[s.at]]; s.at++ {
			}
		}
	}
	s.next()
}

// afterComment returns the end of the comment at the current offset, or the current offset if there is no comment.
func (s *declarations) afterComment() int {
	rest := s.text[s.at:]
	end := 0
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		end = bytes.IndexByte(rest, '\n') // the line break does not belong to the comment
	case bytes.HasPrefix(rest, []byte("/*")):
		if end = bytes.Index(rest[2:], []byte("*/")); end >= 0 {
			end += 4
		}
	}
	if end < 0 {
		return len(s.text)
	}
	return s.at + end
}

// afterQuoted returns the end of the string or character literal at the current offset.
func (s *declarations) afterQuoted() int {
	if end := afterQuoted(s.text, s.at); end > 0 {
		return end
	}
	return len(s.text)
}

// plain contains the bytes that do not begin or end a bracket, literal or comment.
var plain = func() (plain [256]bool) {
	for c := range plain {
		plain[c] = !strings.ContainsRune("()[]{}\"`'/", rune(c))
	}
	return plain
}()

// function adds the name of the function or method whose keyword is the current token, and moves past the name.
func (s *declarations) function(names map[string]bool) {
	receiver, isMethod := "", false
	if s.next(); s.token == '(' {
		isMethod = true
		for s.next(); s.token != 0 && s.token != ')'; s.skip() { // type parameters are in brackets
			if s.word != "" {
				receiver = s.word + "."
			}
		}
		s.next()
	}
	if s.word != "" && (receiver != "" || !isMethod && s.word != "init") {
		names[receiver+s.word] = true
	}
	s.next()
}

// declaration adds the names declared by the var, const or type declaration at the current token, and moves past them.
// It handles grouped declarations. list reports whether a specification can declare several names, separated by commas.
func (s *declarations) declaration(list bool, names map[string]bool) {
	if s.next(); s.token != '(' {
		s.names(list, names)
		return
	}
	s.token = ';' // read the next token as the first one
	s.next()
	for s.token != 0 && s.token != ')' {
		if s.first && s.word != "" {
			s.names(list, names)
		} else {
			s.skip()
		}
	}
	s.next()
}

// names adds the name at the current token, or if list is true all names separated by commas, and moves past them.
func (s *declarations) names(list bool, names map[string]bool) {
	for s.word != "" {
		names[s.word] = true
		if s.next(); !list || s.token != ',' {
			return
		}
		s.next()
	}
}
