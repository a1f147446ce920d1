// Package yamltext reads YAML like sigs.k8s.io/yaml, and writes it in the same style, byte for byte, because manifests
// are compared with manifests written by tools based on that library: sequences are not indented below their key,
// multi-line text is a literal block, and lines are folded at the first space after column 80.
// It also writes objects into files of manifests, and recognizes such files.
package yamltext

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Writer writes one document, entry by entry. The indent of an entry is the column of its mapping or sequence: 0 for
// the document itself, and two more for each enclosing mapping or sequence. A sequence that is the value of a key has
// the indent of the key. The zero Writer is ready to use.
type Writer struct {
	out    []byte
	column int  // characters on the current line
	inLine bool // a dash was written, and its value will follow on the same line

	Indented bool // sequences are indented below their key
}

// Reset begins a new document, which overwrites the buffer.
func (w *Writer) Reset(buffer []byte) { *w = Writer{out: buffer[:0], Indented: w.Indented} }

// Bytes returns the document, with a line break at the end.
func (w *Writer) Bytes() []byte {
	w.newLine()
	return w.out
}

// Key begins an entry of a mapping. The caller then writes its value.
func (w *Writer) Key(indent int, name string) {
	name = valid(name)
	w.start(indent)
	a := analyze(name)
	if simple := len(name) <= 128 && !a.lineBreak; simple {
		w.scalar(name, a, indent+2, true)
		w.put(":")
		return
	}
	w.put("?")
	w.scalar(name, a, indent+2, false)
	w.inLine = false
	w.start(indent)
	w.put(":")
	w.inLine = true // the value is placed like a value after a dash
}

// Item begins an element of a sequence. The caller then writes its value.
func (w *Writer) Item(indent int) {
	w.start(indent)
	w.put("-")
	w.inLine = true
}

// String writes a string as the value of the current entry, at the same indent.
func (w *Writer) String(indent int, s string) {
	s = valid(s)
	w.scalar(s, analyze(s), indent+2, false)
	w.inLine = false
}

// Number writes a number given as JSON.
func (w *Writer) Number(text string) { w.Plain(number(text)) }

// Bool writes true or false.
func (w *Writer) Bool(b bool) { w.Plain(strconv.FormatBool(b)) }

// Plain writes text without quotes and folding, such as null, {} or [].
func (w *Writer) Plain(text string) {
	w.put(" ")
	w.put(text)
	w.inLine = false
}

// number returns the YAML form of a JSON number: integers of up to 64 bits in full, other numbers in the shortest form.
func number(text string) string {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return strconv.FormatInt(i, 10)
	}
	if u, err := strconv.ParseUint(text, 10, 64); err == nil {
		return strconv.FormatUint(u, 10)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// valid replaces invalid UTF-8, as encoding/json does.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// start advances to the column of an entry.
func (w *Writer) start(indent int) {
	if w.inLine {
		w.inLine = false
	} else {
		w.newLine()
	}
	w.indentTo(indent)
}

func (w *Writer) newLine() {
	if w.column > 0 {
		w.out, w.column = append(w.out, '\n'), 0
	}
}

const blanks = "                                                                "

func (w *Writer) indentTo(column int) {
	for w.column < column {
		n := min(column-w.column, len(blanks))
		w.out, w.column = append(w.out, blanks[:n]...), w.column+n
	}
}

// put writes text without line breaks. Columns are exact for ASCII text only.
func (w *Writer) put(text string) { w.out, w.column = append(w.out, text...), w.column+len(text) }

// putRune writes a character unescaped.
func (w *Writer) putRune(r rune) { w.out, w.column = utf8.AppendRune(w.out, r), w.column+1 }

// width is the column after which a line is folded at the next space.
const width = 80

// scalar writes a string in its style. indent applies to continuation lines.
func (w *Writer) scalar(s string, a analysis, indent int, key bool) {
	if w.column > 0 && !(key && w.atStart()) {
		w.put(" ")
	}
	switch a.style(s, key) {
	case plain:
		w.folded(s, indent, !key, false)
	case single:
		w.put("'")
		w.folded(s, indent, !key, true)
		w.put("'")
	case double:
		w.doubleQuoted(s, indent, !key)
	case literal:
		w.literal(s, indent)
	}
}

// atStart reports whether the line ends in a space, so that a key needs no space before it. The line then only has
// spaces and dashes.
func (w *Writer) atStart() bool { return w.out[len(w.out)-1] == ' ' }

// folded writes plain text, or text in single quotes.
func (w *Writer) folded(s string, indent int, fold, quoted bool) {
	if fold = fold && w.column+len(s) > width; !fold && !strings.ContainsAny(s, "'\u2028\u2029") && isASCII(s) {
		w.put(s)
		return
	}
	afterSpace, afterBreak := false, false
	for i, r := range s {
		switch {
		case r == ' ':
			mayFold := !quoted || i > 0 && i < len(s)-1
			if fold && mayFold && !afterSpace && w.column > width && s[i+1] != ' ' {
				w.newLine()
				w.indentTo(indent)
			} else {
				w.put(" ")
			}
			afterSpace = true
		case isBreak(r):
			w.out, w.column = utf8.AppendRune(w.out, r), 0
			afterBreak = true
		default:
			if afterBreak {
				w.indentTo(indent)
			}
			if r == '\'' && quoted {
				w.put("'")
			}
			w.putRune(r)
			afterSpace, afterBreak = false, false
		}
	}
}

// escapes are the short escape sequences of characters in double quotes.
var escapes = map[rune]string{
	0: `\0`, '\a': `\a`, '\b': `\b`, '\t': `\t`, '\n': `\n`, '\v': `\v`, '\f': `\f`, '\r': `\r`, 0x1b: `\e`, '"': `\"`, '\\': `\\`,
	0x85: `\N`, 0xa0: `\_`, '\u2028': `\L`, '\u2029': `\P`,
}

func (w *Writer) doubleQuoted(s string, indent int, fold bool) {
	w.put(`"`)
	all := strings.HasPrefix(s, "\ufeff") // after a byte order mark, every character is escaped
	afterSpace := false
	for i, r := range s {
		switch {
		case all || !printable(r) || isBreak(r) || r == '"' || r == '\\':
			w.escape(r)
			afterSpace = false
		case r == ' ':
			if fold && !afterSpace && w.column > width && i > 0 && i < len(s)-1 {
				w.newLine()
				w.indentTo(indent)
				if s[i+1] == ' ' {
					w.put(`\`)
				}
			} else {
				w.put(" ")
			}
			afterSpace = true
		default:
			w.putRune(r)
			afterSpace = false
		}
	}
	w.put(`"`)
}

func (w *Writer) escape(r rune) {
	if short, ok := escapes[r]; ok {
		w.put(short)
		return
	}
	digits, letter := 2, `\x`
	switch {
	case r > 0xffff:
		digits, letter = 8, `\U`
	case r > 0xff:
		digits, letter = 4, `\u`
	}
	text := strings.ToUpper(strconv.FormatInt(int64(r), 16))
	w.put(letter + strings.Repeat("0", digits-len(text)) + text)
}

func (w *Writer) literal(s string, indent int) {
	w.put("|")
	if first, _ := utf8.DecodeRuneInString(s); first == ' ' || isBreak(first) {
		w.put("2")
	}
	last, size := utf8.DecodeLastRuneInString(s)
	before, _ := utf8.DecodeLastRuneInString(s[:len(s)-size])
	switch {
	case !isBreak(last):
		w.put("-")
	case size == len(s) || isBreak(before):
		w.put("+")
	}
	w.newLine()
	line := func(text string) {
		if text != "" {
			w.indentTo(indent)
			w.put(text)
		}
	}
	start := 0
	for i, r := range s {
		if isBreak(r) {
			line(s[start:i])
			w.out, w.column, start = utf8.AppendRune(w.out, r), 0, i+utf8.RuneLen(r)
		}
	}
	line(s[start:])
}
