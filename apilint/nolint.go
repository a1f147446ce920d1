package apilint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// suppressions holds the //nolint directives of files by name. They mean what they mean to golangci-lint.
type suppressions map[string][]directive

// directive is a //nolint comment, and the lines for which it holds.
type directive struct {
	linters     []string // nil for all
	first, last int      // lines
	column      int
}

// covers reports whether a directive suppresses a finding.
func (s suppressions) covers(f finding) bool {
	directives, ok := s[f.Pos.Filename]
	if !ok {
		directives = readDirectives(f.Pos.Filename)
		s[f.Pos.Filename] = directives
	}
	return slices.ContainsFunc(directives, func(d directive) bool {
		return d.first <= f.Pos.Line && f.Pos.Line <= d.last && (d.linters == nil || slices.Contains(d.linters, f.linter))
	})
}

// readDirectives returns the directives of a file. One that ends in the line above a node, in the column where the node
// begins, holds for the whole node.
func readDirectives(name string) (found []directive) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if linters, ok := nolint(comment.Text); ok {
				begin, end := fset.Position(group.Pos()), fset.Position(group.End())
				found = append(found, directive{linters, begin.Line, end.Line, begin.Column})
			}
		}
	}
	written := len(found)
	if written == 0 {
		return nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		begin := fset.Position(n.Pos())
		for _, d := range found[:written] {
			if d.last == begin.Line-1 && d.column == begin.Column {
				d.last = max(d.last, fset.Position(n.End()).Line)
				found = append(found, d)
				break
			}
		}
		return true
	})
	return found
}

// nolint returns the linters that a comment names after nolint:, nil for all. ok is false for other comments.
func nolint(comment string) (linters []string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(comment, "/ "), "nolint")
	if !ok || rest != "" && rest[0] != ' ' && rest[0] != ':' {
		return nil, false
	}
	list, ok := strings.CutPrefix(rest, ":")
	if !ok || strings.HasPrefix(list, "all") {
		return nil, true
	}
	list, _, _ = strings.Cut(list, "//")
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.ToLower(strings.TrimSpace(name)); name == "all" {
			return nil, true
		}
		linters = append(linters, name)
	}
	return linters, true
}
