package goschema

import (
	"go/ast"
	doccomment "go/doc/comment"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kubegen/kubegen/internal/gotypes"
)

// comment returns the lines of a comment with a text, without comment signs. exact reports whether the description that is read from them is the text. No
// line is a marker or directive, and none has characters that Go source cannot have or that hide what it says.
func comment(text string) (lines []string, exact bool) {
	if text == "" {
		return nil, true
	}
	var group ast.CommentGroup
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		line = harmless(line)
		lines = append(lines, line)
		group.List = append(group.List, &ast.Comment{Text: "// " + line})
	}
	return lines, description(gotypes.DocOf(&group)) == text
}

// harmless returns a line without what would have a meaning in a comment.
func harmless(line string) string {
	line = strings.TrimRight(strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) && r != '\t' {
			return ' '
		}
		return r
	}, line), " \t")
	line = strings.ReplaceAll(line, "/*line ", "/* line ") // a directive of the compiler
	if rest := strings.TrimLeft(line, " \t*/"); strings.HasPrefix(rest, "+") {
		return line[:len(line)-len(rest)] + `\` + rest
	}
	return line
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
