package diag

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Visible escapes characters of a text that control a terminal or hide other characters, as in Go: \u001b, \u202e. Line
// breaks and tabs are kept. Names and contents of files may contain any characters.
func Visible(text string) string {
	if !strings.ContainsFunc(text, IsControl) && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case !IsControl(r):
			b.WriteRune(r)
		default: // valid in JSON as well
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// IsControl reports whether a character controls a terminal or the direction of text, or ends a line in an unusual way.
// Line feeds and tabs do not.
func IsControl(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || 0x7f <= r && r <= 0x9f || r == 0x61c || r == 0x200e || r == 0x200f ||
		0x2028 <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069 || r == 0xfeff
}

// inertStart returns a text to be printed at the start of a line, where GitHub Actions would read :: as a workflow
// command.
func inertStart(path string) string {
	if strings.HasPrefix(strings.TrimSpace(path), "::") {
		return "./" + path
	}
	return path
}

// inert returns a text without workflow commands in the older form, ##[, which GitHub Actions reads anywhere in a line.
func inert(text string) string { return strings.ReplaceAll(text, "##[", "## [") }
