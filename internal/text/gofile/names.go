package gofile

import (
	"go/build/constraint"
	"go/parser"
	gotoken "go/token"
	"maps"
	"slices"
	"strings"
)

// PackageName returns the name in the package clause of a Go file, or "".
func PackageName(text []byte) string {
	if syntax, err := parser.ParseFile(gotoken.NewFileSet(), "", text, parser.PackageClauseOnly); err == nil {
		return syntax.Name.Name
	}
	return ""
}

// PackageIn returns the name of the package that the Go files of a directory form, or "". A file that is built only
// with a tag may belong to another one, such as the program of a //go:generate line, and so does an external test.
func PackageIn(files map[string][]byte) string {
	for _, file := range slices.Sorted(maps.Keys(files)) {
		lines, _ := preamble(files[file])
		needsTag := slices.ContainsFunc(lines, func(line string) bool {
			expr, err := constraint.Parse(line)
			return err == nil && !expr.Eval(func(string) bool { return false })
		})
		name := PackageName(files[file])
		if external := strings.HasSuffix(file, "_test.go") && strings.HasSuffix(name, "_test"); name != "" && !needsTag && !external {
			return name
		}
	}
	return ""
}

// DeclaredNames returns the names that Go files declare in their package, with methods as "Receiver.Method". From
// files with syntax errors, it returns the names that it can read. External test packages are ignored.
func DeclaredNames(files map[string][]byte) map[string]bool {
	names := map[string]bool{}
	for _, text := range files {
		s := &source{File: &File{}, Body: strings.TrimPrefix(string(text), "\ufeff")}
		tokens, _ := scan(s.Body, false)
		if s.tokens = s.statements(tokens); s.text(0) == "package" && !strings.HasSuffix(s.text(1), "_test") {
			s.declares(func(name string) { names[name] = true }, false)
		}
	}
	return names
}

// statements returns tokens without comments and without line breaks that end no statement, as in a file that gofmt has
// not formatted.
func (s *source) statements(tokens []token) []token {
	kept := tokens[:0]
	for _, t := range tokens {
		var last token
		if len(kept) > 0 {
			last = kept[len(kept)-1]
		}
		isBreak := t.kind == newline || t.kind == comment && strings.Contains(s.Body[t.start:t.end], "\n")
		switch {
		case isBreak && strings.IndexByte("a0\")]}", last.kind) >= 0 && !gotoken.IsKeyword(s.Body[last.start:last.end]):
			t.kind = newline
			kept = append(kept, t)
		case !isBreak && t.kind != comment:
			t.first = last.kind == newline || len(kept) == 0
			kept = append(kept, t)
		}
	}
	return kept
}
