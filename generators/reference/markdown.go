package reference

import (
	"regexp"
	"strings"
	"unicode"
)

// Markdown is a text in Markdown, such as a comment. It has no HTML, and its links lead to pages.
type Markdown string

// markdown returns the text of a comment as Markdown. Outside of code, it shows tags of HTML as text, and does not link
// to anything but pages, since a page may be part of a site.
func markdown(text string) Markdown {
	var b strings.Builder
	fenced, block := false, true // block means that an indented line is code
	for line := range strings.Lines(text) {
		switch trimmed := strings.TrimSpace(line); {
		case strings.HasPrefix(trimmed, "```"):
			fenced = !fenced
		case fenced:
		case trimmed == "":
			block = true
		case !block || !isIndented(line):
			block, line = false, safe(line)
		}
		b.WriteString(line)
	}
	if fenced {
		b.WriteString("\n```")
	}
	return Markdown(strings.TrimSpace(b.String()))
}

func isIndented(line string) bool { return strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ") }

// safe returns a line as Markdown without HTML. A code span ends in its line.
func safe(line string) string {
	var b strings.Builder
	for line != "" {
		before, rest, found := strings.Cut(line, "`")
		b.WriteString(withoutHTML(before))
		if !found {
			break
		}
		ticks := "`"
		for strings.HasPrefix(rest, "`") {
			ticks, rest = ticks+"`", rest[1:]
		}
		if inside, after, closed := strings.Cut(rest, ticks); closed && !strings.HasPrefix(after, "`") {
			b.WriteString(ticks + inside + ticks)
			line = after
			continue
		}
		b.WriteString(strings.Repeat("\\`", len(ticks)))
		line = rest
	}
	return b.String()
}

// target matches the brackets before the target of a link that leads to a page.
var target = regexp.MustCompile(`^\]\((https?://|[#./]|[\w-]+[/#.)])`)

// withoutHTML replaces what begins a tag or an entity of HTML, or a link that does not lead to a page.
func withoutHTML(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '<':
			b.WriteString("&lt;")
		case c == '&':
			b.WriteString("&amp;")
		case c == ']' && (strings.HasPrefix(text[i:], "](") && !target.MatchString(text[i:]) || strings.HasPrefix(text[i:], "]:")):
			b.WriteString(`\]`)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// code returns a text as a code span in one line.
func code(text string) Markdown {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	ticks := "`"
	for strings.Contains(text, ticks) {
		ticks += "`"
	}
	if strings.TrimSpace(text) != text || strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || text == "" {
		text = " " + text + " " // one space at both ends is not shown
	}
	return Markdown(ticks + text + ticks)
}

// link returns a link whose text is a name.
func link(name, to string) Markdown { return "[" + markdown(name) + "](" + Markdown(to) + ")" }

// anchor returns the target of links to a section, as sites make it of the title: lower case, hyphens in place of
// spaces, and no punctuation.
func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}

// item matches a line of a list.
var item = regexp.MustCompile(`^\s*([-*+]|\d+[.)]) `)

// Cell returns the text for a cell of a table: in one line, with tags for new lines where paragraphs, lines of code and
// items of lists begin.
func (m Markdown) Cell() Markdown {
	var b strings.Builder
	fenced, paragraph, previous := false, false, ""
	for line := range strings.Lines(string(m)) {
		indented := isIndented(line)
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			previous = "```"
			continue
		}
		if line == "" {
			paragraph = b.Len() > 0
			continue
		}
		isCode := fenced || indented && paragraph && !item.MatchString(line)
		switch {
		case b.Len() == 0:
		case paragraph:
			b.WriteString("<br><br>")
		case isCode || previous == "```" || item.MatchString(line):
			b.WriteString("<br>")
		default:
			b.WriteString(" ")
		}
		if isCode {
			line = string(code(line))
			previous = "```"
		} else {
			previous = ""
		}
		b.WriteString(line)
		paragraph = false
	}
	return Markdown(strings.ReplaceAll(b.String(), "|", `\|`))
}
