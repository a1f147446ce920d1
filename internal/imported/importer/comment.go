package importer

import (
	"go/ast"
	doccomment "go/doc/comment"
	"strings"

	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// comment returns the lines of a comment for a description, without comment signs. exact reports whether the same
// description would be read from them.
func comment(text string) (lines []string, exact bool) {
	if text == "" {
		return nil, true
	}
	var group ast.CommentGroup
	lines = gofile.CommentLines(text)
	for _, line := range lines {
		group.List = append(group.List, &ast.Comment{Text: "// " + line})
	}
	return lines, goschema.Description(gotypes.DocOf(&group)) == text
}

// plain reports whether gofmt leaves the lines of a comment above a type unchanged (https://go.dev/doc/comment).
func plain(lines []string) bool {
	if simple(lines) {
		return true
	}
	var parser doccomment.Parser
	var printer doccomment.Printer
	text := strings.Join(lines, "\n") + "\n"
	return string(printer.Comment(parser.Parse(text))) == text
}

// simple reports whether lines consist of paragraphs only.
func simple(lines []string) bool {
	for i, line := range lines {
		switch {
		case line == "":
			if i == 0 || i == len(lines)-1 || lines[i-1] == "" || i+2 < len(lines) && lines[i+2] == "" || i+2 == len(lines) {
				return false // a line between blank lines may be a heading
			}
		case !('A' <= line[0] && line[0] <= 'Z' || 'a' <= line[0] && line[0] <= 'z'), strings.Contains(line, "``"), strings.Contains(line, "''"):
			return false
		}
	}
	return true
}
