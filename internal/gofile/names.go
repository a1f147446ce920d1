package gofile

import (
	"bytes"
	"strings"
)

// DeclaredNames returns the names that Go files declare in their package, those of methods as "receiver.Method". Of
// files that do not parse, it returns the names that could be read.
//
// The files can be very long, and few of the names matter, so it looks only for declarations, and skips what is in brackets.
func DeclaredNames(files map[string][]byte) map[string]bool {
	names := map[string]bool{}
	for _, text := range files {
		s := declarations{text: bytes.TrimPrefix(text, []byte("\ufeff"))}
		s.next()
		if s.word != "package" {
			continue
		}
		if s.next(); strings.HasSuffix(s.word, "_test") { // of another package
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
	token byte   // the first byte of the token; a letter for every word; 0 at the end
	word  string // the token, if that is a word: an identifier, keyword or number
	first bool   // it begins a declaration or statement

	ends bool // a line can end after it
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

// skip moves to the token after the current one, or, if that opens a bracket, after the one that closes it.
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

// afterComment returns where the comment at the current place ends, and that place if there is none.
func (s *declarations) afterComment() int {
	rest := s.text[s.at:]
	end := 0
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		end = bytes.IndexByte(rest, '\n') // which is not part of it
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

// afterQuoted returns where the string or character at the current place ends.
func (s *declarations) afterQuoted() int {
	if end := afterQuoted(s.text, s.at); end > 0 {
		return end
	}
	return len(s.text)
}

// plain are the bytes with which neither a bracket, a text nor a comment begins or ends.
var plain = func() (plain [256]bool) {
	for c := range plain {
		plain[c] = !strings.ContainsRune("()[]{}\"`'/", rune(c))
	}
	return plain
}()

// function adds the name of the function or method after the current token, and moves behind it.
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

// declaration adds the names that the declaration after the current token declares, and moves behind these: one name, with list
// several, and as many times that as there are declarations in brackets.
func (s *declarations) declaration(list bool, names map[string]bool) {
	if s.next(); s.token != '(' {
		s.names(list, names)
		return
	}
	s.token = ';' // what follows is the first token
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

// names adds the names from the current token on, and moves behind them.
func (s *declarations) names(list bool, names map[string]bool) {
	for s.word != "" {
		names[s.word] = true
		if s.next(); !list || s.token != ',' {
			return
		}
		s.next()
	}
}
