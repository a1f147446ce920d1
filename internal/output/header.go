package output

import (
	"bytes"
	"slices"
	"strings"
)

// preamble returns the lines of content before its package clause (all of them without one), without line ends.
// Lines within /* */ comments are empty in it: what a licence or documentation quotes marks nothing.
func preamble(content []byte) (lines []string) {
	quoted := false
	for raw := range bytes.Lines(bytes.TrimPrefix(content, []byte("\ufeff"))) {
		line := string(bytes.TrimRight(raw, "\r\n"))
		rest := strings.TrimSpace(line)
		for quoted || strings.HasPrefix(rest, "/*") {
			if !quoted {
				rest = rest[len("/*"):]
			}
			_, after, ends := strings.Cut(rest, "*/")
			rest = strings.TrimSpace(after)
			if line, quoted = rest, !ends; quoted {
				break
			}
		}
		if name, ok := strings.CutPrefix(rest, "package"); ok && (name == "" || strings.Contains(" \t/", name[:1])) {
			break
		}
		lines = append(lines, line)
	}
	return lines
}

// HasHeader tells whether content is marked with one of the headers, as Tree.Header says.
func HasHeader(content []byte, headers ...string) bool {
	return slices.ContainsFunc(preamble(content), func(line string) bool {
		return line != "" && slices.Contains(headers, line)
	})
}

// foreignHeader returns the line that marks content as some generator's by Go's convention, "" for hand-written files.
func foreignHeader(content []byte) string {
	for _, line := range preamble(content) {
		if strings.HasPrefix(line, "// Code generated ") && strings.HasSuffix(line, " DO NOT EDIT.") {
			return line
		}
	}
	return ""
}

// sources returns the items of the "// Source: a/b, c/d" line that directly follows header in content, nil without one.
func sources(content []byte, header string) (items []string) {
	lines := preamble(content)
	next := slices.Index(lines, header) + 1
	if next == 0 || next == len(lines) {
		return nil
	}
	if list, ok := strings.CutPrefix(lines[next], "// Source: "); ok {
		for item := range strings.SplitSeq(list, ",") {
			items = append(items, strings.TrimSpace(item))
		}
	}
	return items
}
