package gofile

import (
	doccomment "go/doc/comment"
	"strings"
)

// formatDoc formats the lines of a doc comment as gofmt does, which normalizes lists, headings and code blocks
// (https://go.dev/doc/comment). ok is false if the comment contains a directive such as //go:embed.
func formatDoc(lines []string) (formatted []string, ok bool) {
	isPlain := true
	for i, line := range lines {
		text := withoutSlashes(line)
		if len(line) > 2 && line[2] != ' ' && line[2] != '\t' {
			return nil, false
		}
		isPlain = isPlain && (text != "" || i > 0 && i < len(lines)-1 && lines[i-1] != "//") && (text == "" || plainText(text)) &&
			!(text != "" && i > 1 && i < len(lines)-1 && lines[i-1] == "//" && lines[i+1] == "//") // a heading
	}
	if isPlain {
		return lines, true
	}
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(withoutSlashes(line) + "\n")
	}
	var parser doccomment.Parser
	var printer doccomment.Printer
	for line := range strings.Lines(string(printer.Comment(parser.Parse(text.String())))) {
		switch line = strings.TrimSuffix(line, "\n"); {
		case line == "":
			formatted = append(formatted, "//")
		case line[0] == '\t':
			formatted = append(formatted, "//"+line)
		default:
			formatted = append(formatted, "// "+line)
		}
	}
	return formatted, true
}

// plainText reports whether a line is part of a paragraph, so that gofmt does not change it.
func plainText(line string) bool {
	c := line[0]
	return (c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z') && !strings.Contains(line, "``") && !strings.Contains(line, "''")
}

// withoutSlashes returns the text of a comment line.
func withoutSlashes(line string) string {
	return strings.TrimPrefix(strings.TrimPrefix(line, "//"), " ")
}
