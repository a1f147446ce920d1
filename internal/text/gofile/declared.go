package gofile

// declares calls do with the names that the text declares in its package, except for init and _, and with
// "Receiver.Method" for methods. If members is true, it also calls do with "Type.Member" for the fields of structs and
// the methods of interfaces.
func (s *source) declares(do func(name string), members bool) {
	declare := func(i int) {
		if name := s.text(i); name != "init" && name != "_" {
			do(name)
		}
	}
	for i := 0; i < len(s.tokens); i++ {
		if t := s.tokens[i]; t.in != inFile || t.kind != word || !s.begins(i) {
			continue
		}
		switch s.text(i) {
		case "func":
			s.function(i+1, do)
		case "type":
			s.specs(i+1, inTypes, func(i int) {
				if declare(i); members {
					s.members(i, do)
				}
			})
		case "var", "const":
			s.specs(i+1, inValues, func(i int) {
				for declare(i); s.kind(i+1) == ','; declare(i) {
					i += 2
				}
			})
		}
	}
}

// function calls do with the name of the function or method that is declared after the keyword at i.
func (s *source) function(i int, do func(name string)) {
	receiver := ""
	if s.kind(i) == '(' {
		for i++; i < len(s.tokens) && s.tokens[i].in == inList; i++ {
			if s.kind(i) == word {
				receiver = s.text(i) + "."
			} else if s.kind(i) == '[' { // type parameters
				i = s.after(i) - 1
			}
		}
		i++
	}
	if name := s.text(i); name != "_" && (receiver != "" || name != "init") {
		do(receiver + name)
	}
}

// specs calls do with the index of the first token of each specification in a declaration, whether it is grouped or
// not.
func (s *source) specs(i int, in byte, do func(i int)) {
	if s.kind(i) != '(' {
		do(i)
		return
	}
	end := s.after(i)
	for i++; i < end; i++ {
		if s.tokens[i].in == in && s.kind(i) == word && s.begins(i) {
			do(i)
		}
	}
}

// members calls do with the fields or methods of the type whose name is at i.
func (s *source) members(i int, do func(name string)) {
	name := s.text(i)
	i++
	if s.kind(i) == '[' {
		i = s.after(i)
	}
	if s.kind(i) == '=' {
		i++
	}
	if s.kind(i+1) != '{' || s.text(i) != "struct" && s.text(i) != "interface" {
		return
	}
	isStruct := s.text(i) == "struct"
	end := s.after(i + 1)
	for i += 2; i < end-1; i++ {
		if !s.begins(i) || s.kind(i) == newline || s.kind(i) == comment {
			continue
		}
		switch {
		case !isStruct && s.kind(i+1) == '(':
			do(name + "." + s.text(i))
		case isStruct && s.embeds(i):
			do(name + "." + s.base(i))
		case isStruct:
			for do(name + "." + s.text(i)); s.kind(i+1) == ','; do(name + "." + s.text(i)) {
				i += 2
			}
		}
		for i < end-1 && s.kind(i) != newline && s.kind(i) != ';' { // skip the rest of the field or method
			switch s.kind(i) {
			case '(', '[', '{':
				i = s.after(i)
			default:
				i++
			}
		}
	}
}

// embeds reports whether the struct field that begins at i is embedded.
func (s *source) embeds(i int) bool {
	if s.kind(i) == '*' {
		return true
	}
	switch s.kind(i + 1) {
	case newline, ';', quoted, comment, '.', '}', 0:
		return true
	case '[': // T[A] is embedded, but a []T and a [2]T are not
		next := s.after(i + 1)
		switch s.kind(next) {
		case newline, ';', quoted, comment, '}':
			return true
		}
	}
	return false
}

// base returns the name of the type at i, without package and type arguments.
func (s *source) base(i int) (name string) {
	for ; s.kind(i) == word || s.kind(i) == '.' || s.kind(i) == '*'; i++ {
		if s.kind(i) == word {
			name = s.text(i)
		}
	}
	return name
}
