package goschema

import (
	"go/ast"
	doccomment "go/doc/comment"
	"strings"

	"github.com/kubegen/kubegen/internal/gofile"
	"github.com/kubegen/kubegen/internal/gotypes"
)

// comment returns the lines of a comment with a text, without comment signs. exact reports whether the description that is read from them is the text.
func comment(text string) (lines []string, exact bool) {
	if text == "" {
		return nil, true
	}
	var group ast.CommentGroup
	lines = gofile.CommentLines(text)
	for _, line := range lines {
		group.List = append(group.List, &ast.Comment{Text: "// " + line})
	}
	return lines, description(gotypes.DocOf(&group)) == text
}

// plain reports whether gofmt leaves lines at the beginning of a line of the file, as those above a type, as they are
// (https://go.dev/doc/comment).
func plain(lines []string) bool {
	return simple(lines) || isFormatted(strings.Join(lines, "\n")+"\n")
}

// isFormatted reports whether gofmt leaves the text of a comment as it is.
func isFormatted(text string) bool {
	var parser doccomment.Parser
	var printer doccomment.Printer
	return string(printer.Comment(parser.Parse(text))) == text
}

// simple reports whether lines are paragraphs and nothing else.
func simple(lines []string) bool {
	for i, line := range lines {
		switch {
		case line == "":
			if i == 0 || i == len(lines)-1 || lines[i-1] == "" || i+2 < len(lines) && lines[i+2] == "" || i+2 == len(lines) {
				return false // what stands alone between blank lines may be a heading
			}
		case !('A' <= line[0] && line[0] <= 'Z' || 'a' <= line[0] && line[0] <= 'z'), strings.Contains(line, "``"), strings.Contains(line, "''"), strings.HasSuffix(line, ":") && strings.HasPrefix(line, "["):
			return false
		}
	}
	return true
}
