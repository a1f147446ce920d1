package reference

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// Markdown is a text in Markdown, such as a comment. It has no HTML, and its links lead to pages.
type Markdown string

// markdown returns the text of a comment as Markdown. Outside of code, it shows tags of HTML as text, and does not link
// to anything but pages, since a page may be part of a site. Headings become bold paragraphs: only types have sections.
func markdown(text string) Markdown {
	var b strings.Builder
	ends := false // the paragraph
	open := eachLine(strings.ReplaceAll(text, "\r", "\n"), func(line string, what lineKind) {
		h := heading.FindStringSubmatch(line)
		isHeading := what == ofText && h != nil
		if (ends || isHeading && strings.TrimSpace(h[1]) == "") && strings.TrimSpace(line) != "" && !strings.HasSuffix(b.String(), "\n\n") {
			b.WriteString("\n")
		}
		ends = isHeading
		switch {
		case isHeading && h[2] == "":
			line = h[1] + "\n"
		case isHeading:
			line = h[1] + "**" + safe(h[2]) + "**\n"
		case what == ofText:
			line = safe(underline.ReplaceAllString(line, `$1\$2`))
		}
		b.WriteString(line)
	})
	if open != "" {
		b.WriteString("\n" + open)
	}
	return Markdown(strings.Trim(b.String(), "\n"))
}

// lineKind is what a line of Markdown is part of.
type lineKind int

const (
	ofText lineKind = iota
	ofCode
	fence // begins or ends code
)

var (
	// item matches the beginning of an item of a list, and opening and closing the lines around code.
	item    = regexp.MustCompile(`^\s*([-*+]|\d+[.)])(\s|$)`)
	opening = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})([^`\n]*|[^\n]*)\n?$")
	closing = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})\\s*$")
	// heading matches a heading, which may be in a quotation or list, and underline a line below one.
	heading   = regexp.MustCompile(`^((?:[\s>]|[-*+]\s|\d+[.)]\s)*)#{1,6}(?:[ \t]+(\S|\S.*\S))?\s*$`)
	underline = regexp.MustCompile(`^([\s>]*)((?:=+|-+)\s*)$`)
)

// eachLine calls visit for each line of a text in Markdown, with its end. It returns the fence that the text lacks at
// its end, or "".
func eachLine(text string, visit func(line string, what lineKind)) (open string) {
	blank, inList := true, false // blank means that no paragraph continues
	for line := range strings.Lines(text) {
		indented := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ")
		begins, ends := opening.FindStringSubmatch(line), closing.FindStringSubmatch(line)
		switch {
		case open != "" && ends != nil && strings.HasPrefix(ends[1], open):
			open = ""
			visit(line, fence)
			continue
		case open != "":
			visit(line, ofCode)
			continue
		case begins != nil && !(begins[1][0] == '`' && strings.Contains(begins[2], "`")):
			open = begins[1]
			visit(line, fence)
			blank = true
			continue
		case strings.TrimSpace(line) == "":
			blank = true
			visit(line, ofText)
			continue
		case blank && indented && !inList:
			visit(line, ofCode)
			continue
		case item.MatchString(line):
			inList = true
		case blank && !strings.HasPrefix(line, " "):
			inList = false
		}
		blank = heading.MatchString(line)
		visit(line, ofText)
	}
	return open
}

// safe returns a line as Markdown without HTML. A code span ends in its line.
func safe(line string) string {
	var b strings.Builder
	eachSpan(line, func(text string) {
		b.WriteString(withoutHTML(text))
	}, func(ticks, code string) {
		b.WriteString(ticks + code + ticks)
	})
	return b.String()
}

// eachSpan calls inText and inCode for the parts of a line: texts, and code between ticks. In texts, ticks are escaped.
func eachSpan(line string, inText func(string), inCode func(ticks, code string)) {
	for line != "" {
		at := 0
		for at < len(line) && line[at] != '`' {
			at += escaped(line[at:])
		}
		if at > 0 {
			inText(line[:at])
		}
		rest := strings.TrimLeft(line[at:], "`")
		ticks := line[at : len(line)-len(rest)]
		if inside, after, closed := cutTicks(rest, ticks); closed {
			inCode(ticks, inside)
			line = after
			continue
		}
		if ticks != "" {
			inText(strings.Repeat("\\`", len(ticks)))
		}
		line = rest
	}
}

// cutTicks cuts a text around the first run of ticks of the same length as ticks.
func cutTicks(text, ticks string) (before, after string, found bool) {
	for at := 0; ticks != ""; {
		next := strings.IndexByte(text[at:], '`')
		if next < 0 {
			break
		}
		at += next
		rest := strings.TrimLeft(text[at:], "`")
		if len(text)-at-len(rest) == len(ticks) {
			return text[:at], rest, true
		}
		at = len(text) - len(rest)
	}
	return "", "", false
}

// escaped returns the length of the first character of a text in Markdown, with its backslash.
func escaped(text string) int {
	if len(text) > 1 && text[0] == '\\' && text[1] < unicode.MaxASCII && (unicode.IsPunct(rune(text[1])) || unicode.IsSymbol(rune(text[1]))) {
		return 2
	}
	return 1
}

var (
	// target matches the brackets before the target of a link that leads to a page.
	target = regexp.MustCompile(`^\]\((https?://|[#./]|[\w-]+[/#.)])`)
	// address matches the address of a page as a link.
	address = regexp.MustCompile(`^<https?://[^\s<>|]*>`)
)

// withoutHTML replaces what begins a tag or an entity of HTML, or a link that does not lead to a page.
func withoutHTML(text string) string {
	var b strings.Builder
	for text != "" {
		n := escaped(text)
		found := address.FindString(text)
		switch c := text[n-1]; {
		case found != "":
			n = len(found)
			b.WriteString(found)
		case c == '<':
			b.WriteString("&lt;")
		case c == '&':
			b.WriteString("&amp;")
		case n == 1 && c == ']' && (strings.HasPrefix(text, "](") && !target.MatchString(text) || strings.HasPrefix(text, "]:")):
			b.WriteString(`\]`)
		default:
			b.WriteString(text[:n])
		}
		text = text[n:]
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

// Cell returns the text for a cell of a table: in one line, with tags for new lines where paragraphs, lines of code
// and items of lists begin.
func (m Markdown) Cell() Markdown {
	var b strings.Builder
	paragraph, after := false, ofText
	eachLine(string(m), func(line string, what lineKind) {
		line = strings.TrimSpace(line)
		switch {
		case what == fence:
			after = fence
			return
		case line == "":
			paragraph = b.Len() > 0
			return
		case b.Len() == 0:
		case paragraph:
			b.WriteString("<br><br>")
		case what == ofCode || after != ofText || item.MatchString(line):
			b.WriteString("<br>")
		default:
			b.WriteString(" ")
		}
		if what == ofCode {
			line = string(code(line))
		}
		b.WriteString(line)
		paragraph, after = false, what
	})
	return Markdown(withoutPipes(b.String()))
}

// withoutPipes returns a line in which no pipe ends a cell. In code that has one behind a backslash, which programs
// read in different ways, all punctuation becomes entities.
func withoutPipes(line string) string {
	var b strings.Builder
	eachSpan(line, func(text string) {
		for i, c := range []byte(text) {
			if escapes := len(text[:i]) - len(strings.TrimRight(text[:i], `\`)); c == '|' && escapes%2 == 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		}
	}, func(ticks, code string) {
		if !strings.Contains(code, `\|`) {
			b.WriteString(ticks + strings.ReplaceAll(code, "|", `\|`) + ticks)
			return
		}
		b.WriteString("<code>")
		for _, r := range code {
			if r < unicode.MaxASCII && (unicode.IsPunct(r) || unicode.IsSymbol(r)) {
				fmt.Fprintf(&b, "&#%d;", r)
			} else {
				b.WriteRune(r)
			}
		}
		b.WriteString("</code>")
	})
	return b.String()
}
