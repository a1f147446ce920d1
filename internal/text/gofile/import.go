package gofile

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Import is an import declaration. Alias is "" for the package's own name.
type Import struct{ Alias, Path string }

// imports chooses names for the packages that the file uses, and returns its imports. fixed maps qualifiers to
// packages, names maps import paths to package names, or to "" if they are unknown, and declared contains the names
// that the package declares.
func (s *source) imports(fixed Imports, names map[string]string, declared map[string]string) []Import {
	paths := map[string]string{}  // import paths by the qualifier in the body
	wishes := map[string]string{} // fixed qualifiers by import path; "" for packages without one
	used := map[string]bool{s.Package: true}
	for i, t := range s.tokens {
		if t.kind != word || s.kind(i-1) == '.' { // a selector hides nothing
			continue
		}
		name := s.text(i)
		if s.kind(i+1) == '.' {
			if _, known := paths[name]; known {
				continue
			}
			if number, ok := strings.CutPrefix(name, placeholder); ok {
				ref, _ := strconv.Atoi(number)
				paths[name] = s.refs[ref]
				wishes[s.refs[ref]] += ""
				continue
			}
			if importPath, ok := fixed[name]; ok {
				paths[name] = importPath
				wishes[importPath] = name
				continue
			}
		} else if s.isField(i) {
			continue
		}
		used[s.local(name)] = true
	}
	taken := func(name string) bool {
		_, isDeclared := declared[name]
		return isDeclared || s.OtherNames[name] || used[name]
	}
	aliases := map[string]string{}
	var block []Import
	for _, wished := range []bool{true, false} { // fixed qualifiers have precedence
		for _, importPath := range slices.Sorted(maps.Keys(wishes)) {
			if (wishes[importPath] != "") != wished {
				continue
			}
			alias := chooseAlias(path.Join(path.Dir(importPath), cmp.Or(names[importPath], path.Base(importPath))), wishes[importPath], taken)
			used[alias], aliases[importPath] = true, alias
			if name, listed := names[importPath]; alias == path.Base(importPath) && (!listed || name == alias) {
				alias = ""
			}
			block = append(block, Import{alias, importPath})
		}
	}
	s.qualifiers = map[string]string{}
	for qualifier, importPath := range paths {
		s.qualifiers[qualifier] = aliases[importPath]
	}
	slices.SortFunc(block, func(a, b Import) int { return strings.Compare(a.Path, b.Path) })
	return block
}

// isField reports whether a word is the name of a field, in a struct type or as a key of a literal.
func (s *source) isField(i int) bool {
	before := s.kind(i - 1)
	switch s.tokens[i].in {
	case inStruct:
		return before == ',' || s.begins(i) && !s.embeds(i)
	case inBlock:
		if s.kind(i+1) != ':' || before != ',' && before != '{' && before != newline {
			return false
		}
		for !s.tokens[i].first {
			i--
		}
		return s.text(i) != "case"
	}
	return false
}

// AppendImports appends the import block to out, with the standard library first.
func AppendImports(out []byte, block []Import) []byte {
	if len(block) == 0 {
		return out
	}
	out = append(out, "\nimport (\n"...)
	for i, section := range [][]Import{standard(block, true), standard(block, false)} {
		if i > 0 && len(section) > 0 && len(section) < len(block) {
			out = append(out, '\n')
		}
		for _, imp := range section {
			out = append(out, '\t')
			if imp.Alias != "" {
				out = append(append(out, imp.Alias...), ' ')
			}
			out = append(strconv.AppendQuote(out, imp.Path), '\n')
		}
	}
	return append(out, ")\n"...)
}

// standard returns the imports that belong to the standard library, or if want is false the others. Paths of the
// standard library have no dot in their first element.
func standard(block []Import, want bool) []Import {
	var section []Import
	for _, imp := range block {
		first, _, _ := strings.Cut(imp.Path, "/")
		if strings.Contains(first, ".") != want {
			section = append(section, imp)
		}
	}
	return section
}
