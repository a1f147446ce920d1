package gofile

import "strings"

// source is the body of a file, split into tokens.
type source struct {
	*File
	Body   string // of the file
	tokens []token

	locals     map[string]string // chosen names of locals, by the name in the placeholder
	qualifiers map[string]string // chosen names of imports, by the qualifier in the body
}

// text returns the text of token i, or "" if there is no such token.
func (s *source) text(i int) string {
	if i < 0 || i >= len(s.tokens) {
		return ""
	}
	return s.Body[s.tokens[i].start:s.tokens[i].end]
}

// kind returns the kind of token i, or 0 if there is no such token.
func (s *source) kind(i int) byte {
	if i < 0 || i >= len(s.tokens) {
		return 0
	}
	return s.tokens[i].kind
}

// begins reports whether token i begins a line, or follows a semicolon or brace.
func (s *source) begins(i int) bool {
	before := s.kind(i - 1)
	return s.tokens[i].first || before == ';' || before == '{' || before == '('
}

// after returns the index after the token that closes the bracket at i.
func (s *source) after(i int) int {
	depth := 0
	for ; i < len(s.tokens); i++ {
		switch s.kind(i) {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s.tokens)
}

// named returns the body with the chosen names of locals and imports.
func (s *source) named() string {
	var b strings.Builder
	b.Grow(len(s.Body))
	end := int32(0)
	for i, t := range s.tokens {
		b.WriteString(s.Body[end:t.start])
		b.WriteString(s.name(i))
		end = t.end
	}
	return b.String() + s.Body[end:]
}

// name returns the text of token i, or the chosen name if it is a placeholder or qualifier.
func (s *source) name(i int) string {
	text := s.text(i)
	switch s.kind(i) {
	case word:
		if s.kind(i+1) == '.' && s.kind(i-1) != '.' {
			if alias, ok := s.qualifiers[text]; ok {
				return alias
			}
		}
		return s.local(text)
	case quoted, comment:
		return s.local(text)
	}
	return text
}
