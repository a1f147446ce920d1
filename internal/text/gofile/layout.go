package gofile

import (
	"strings"
	"unicode/utf8"
)

// layout formats a clean body like gofmt. It keeps lines and their indentation, and computes only columns and whether a
// function fits on one line, because these depend on the length of names.
type layout struct {
	*source
	out  []byte
	doc  []string // the preceding comment at the left margin
	rows []row    // preceding lines that may be aligned with the next one

	indent       string
	line         []byte // without indentation
	starts, ends []int  // offsets of the tokens in line

	typed, untyped bool // whether specifications of values since the last line outside of brackets have types, or none
}

// row is a line of cells. All cells but the last are padded to the width of their column.
type row struct {
	indent string
	cells  []string
}

// layOut appends the formatted body to out. ok is false if layout cannot format the body.
func (s *source) layOut(out []byte) (text []byte, ok bool) {
	l := &layout{source: s, out: out}
	for i := 0; i < len(s.tokens); i++ {
		begin := i
		for i < len(s.tokens) && s.kind(i) != newline {
			i++
		}
		if !l.add(begin, i) {
			return nil, false
		}
	}
	l.endRows()
	l.endComment(false)
	return l.out, true
}

// add adds the line of the tokens from begin to end-1. It reports whether it can be formatted.
func (l *layout) add(begin, end int) bool {
	if begin == end {
		l.endRows()
		l.endComment(false)
		if n := len(l.out); n > 0 && (n < 2 || l.out[n-2] != '\n') {
			l.out = append(l.out, '\n')
		}
		return true
	}
	start := l.tokens[begin].start
	l.indent = l.Body[strings.LastIndexByte(l.Body[:start], '\n')+1 : start]
	if strings.Trim(l.indent, "\t") != "" {
		return false
	}
	if l.kind(begin) == comment {
		l.endRows()
		text := strings.TrimRight(l.name(begin), " \t")
		if !strings.HasPrefix(text, "//") {
			return false
		}
		if l.indent == "" {
			l.doc = append(l.doc, text)
		} else {
			l.out = append(append(append(l.out, l.indent...), text...), '\n')
		}
		return true
	}
	if !l.endComment(l.indent == "") || !l.read(begin, end) {
		return false
	}
	return l.addCode(begin, end)
}

// read sets line to the text of the tokens. It reports whether they can be formatted.
func (l *layout) read(begin, end int) bool {
	l.line, l.starts, l.ends = l.line[:0], l.starts[:0], l.ends[:0]
	for i := begin; i < end; i++ {
		if i > begin {
			l.line = append(l.line, l.Body[l.tokens[i-1].end:l.tokens[i].start]...)
		}
		l.starts = append(l.starts, len(l.line))
		l.line = append(l.line, l.name(i)...)
		l.ends = append(l.ends, len(l.line))
		switch {
		case l.kind(i) == comment, l.kind(i) == quoted &&
			!(l.tokens[begin].in == inFile && (l.text(begin) == "var" || l.text(begin) == "const")) && strings.Contains(l.text(i), "\n"):
			return false // a comment after code, or a string that spans lines, unless it is the value of a variable or constant
		case l.kind(i) == '{' && (l.text(i-1) == "struct" || l.text(i-1) == "interface"):
			if l.kind(i+1) != '}' && (l.tokens[i].in != inFile || l.kind(i+1) != newline) && l.oneField(begin, end) == 0 {
				return false // a type within an expression, or several fields on one line
			}
		}
	}
	return true
}

// oneField returns the token that opens the struct of a declared type with one field on the same line, or 0 for other
// lines.
func (l *layout) oneField(begin, end int) int {
	if l.tokens[begin].in != inFile || l.text(begin) != "type" {
		return 0
	}
	open := begin + 1
	for open < end && l.kind(open) != '{' {
		open++
	}
	if l.text(open-1) != "struct" || l.kind(open+1) == '}' || l.after(open) != end {
		return 0
	}
	for i := open + 1; i < end-1; i++ {
		switch l.kind(i) {
		case ',', ';', '{', quoted, comment:
			return 0
		}
	}
	return open
}

// addField adds the line set by read, which oneField reports. Like gofmt, it leaves a short field there.
func (l *layout) addField(open, begin, end int) {
	const most = 30 // bytes of the type, and of the blank before it
	field := l.line[l.starts[open+1-begin]:l.ends[end-2-begin]]
	size := len(field)
	if !l.embeds(open + 1) {
		size = 1 + l.ends[end-2-begin] - l.starts[open+2-begin]
	}
	l.endRows()
	l.out = append(append(l.out, l.indent...), l.line[:l.ends[open-1-begin]]...)
	if size <= most {
		l.out = append(append(append(l.out, "{ "...), field...), " }\n"...)
	} else {
		l.out = append(append(append(l.out, " {\n\t"...), field...), "\n}\n"...)
	}
}

// addCode adds the line set by read.
func (l *layout) addCode(begin, end int) bool {
	if open := l.oneField(begin, end); open > 0 {
		l.addField(open, begin, end)
		return true
	}
	open, closing, ok := l.longFunction(begin, end)
	if !ok {
		return false
	}
	if closing > 0 {
		l.endRows()
		open, closing := open-begin, closing-begin
		l.out = append(append(append(l.out, l.indent...), l.line[:l.ends[open]]...), '\n')
		if open+1 < closing {
			l.out = append(append(l.out, l.indent...), '\t')
			l.out = append(append(l.out, l.line[l.starts[open+1]:l.ends[closing-1]]...), '\n')
		}
		l.out = append(append(append(l.out, l.indent...), l.line[l.starts[closing]:]...), '\n')
		return true
	}
	second, third, ok := l.cells(begin, end)
	if !ok {
		return false
	}
	if second == 0 {
		l.endRows()
		l.out = append(append(append(l.out, l.indent...), l.line...), '\n')
		return true
	}
	r := row{indent: l.indent}
	at := 0
	for _, cell := range []int{second, third} {
		if cell > 0 {
			r.cells = append(r.cells, string(l.line[at:l.ends[cell-1-begin]]))
			at = l.starts[cell-begin]
		}
	}
	r.cells = append(r.cells, string(l.line[at:]))
	l.rows = append(l.rows, r)
	if !l.balanced(begin, end) {
		l.endRows()
	}
	return true
}

// balanced reports whether the tokens close exactly the brackets that they open.
func (l *layout) balanced(begin, end int) bool {
	depth := 0
	for i := begin; i < end && depth >= 0; i++ {
		switch l.kind(i) {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
	}
	return depth == 0
}

// cells returns the first tokens of the second and third cell of a line. An index is 0 if there is no such cell. ok is
// false if the line cannot be formatted.
func (l *layout) cells(begin, end int) (second, third int, ok bool) {
	at := begin
	if l.tokens[begin].in == inFile {
		l.typed, l.untyped = false, false
	}
	switch in := l.tokens[begin].in; {
	case l.kind(begin) == '}' || l.kind(begin) == ')':
	case in == inStruct:
		tag := 0
		if l.kind(end-1) == quoted {
			tag = end - 1
		}
		if l.embeds(begin) {
			return tag, 0, true
		}
		for at++; l.kind(at) == ','; at += 2 {
		}
		return at, tag, true
	case in == inValues:
		for at++; l.kind(at) == ','; at += 2 {
		}
		if at < end {
			value := at
			for value < end && l.kind(value) != '=' {
				value++
			}
			l.untyped, l.typed = l.untyped || value == at, l.typed || value > at
			if value == end || l.typed && l.untyped { // gofmt may leave a column for types empty
				return 0, 0, false
			}
			if value > at {
				return at, value, true
			}
			return at, 0, true
		}
	case in == inTypes:
		if at++; l.kind(at) == '[' {
			at = l.after(at)
		}
		return at, 0, true
	case in == inBlock && l.text(begin) != "case":
		for at < end && l.kind(at) != ':' {
			switch l.kind(at) {
			case '(', '[', '{':
				at = l.after(at)
			case ')', ']', '}':
				return 0, 0, true
			default:
				at++
			}
		}
		if at+1 < end && l.balanced(begin, end) { // key and value
			const small = 40 // for longer keys, gofmt compares the lengths of neighbors
			return at + 1, 0, l.ends[at-1-begin] <= small && !l.continues(at, end)
		}
	case in == inFile && l.text(begin) == "func":
		if at = l.functionBody(begin, end); at > 0 && l.after(at) == end {
			return at, 0, true
		}
	}
	return 0, 0, true
}

// continues reports whether the next comma from at on is followed by another element of the literal before end.
func (l *layout) continues(at, end int) bool {
	for ; at < end-1 && l.kind(at) != ','; at++ {
		if kind := l.kind(at); kind == '(' || kind == '[' || kind == '{' {
			at = l.after(at) - 1
		}
	}
	return at < end-1
}

// functionBody returns the token that opens the body of the function at i, or 0 if it is not on this line.
func (l *layout) functionBody(i, end int) int {
	for i++; i < end; i++ {
		switch l.kind(i) {
		case '{':
			if text := l.text(i - 1); text != "struct" && text != "interface" {
				return i
			}
			i = l.after(i) - 1
		case '(', '[':
			i = l.after(i) - 1
		case ',', ';', ')', ']', '}', ':', '=', quoted:
			return 0
		}
	}
	return 0
}

// longFunction looks for a function on one line that gofmt writes on several, and returns the tokens that open and
// close its body. closing is 0 if there is none. ok is false if the line is too complex to be formatted here.
func (l *layout) longFunction(begin, end int) (open, closing int, ok bool) {
	for i := begin; i < end; i++ {
		if l.kind(i) != word || l.text(i) != "func" || l.kind(i-1) == ']' { // after ] it is a type
			continue
		}
		most := 100 // bytes of signature and body, without braces
		if i == begin && l.tokens[i].in == inFile {
			most-- // gofmt counts the blank before the body of a declaration, too
		}
		at := l.functionBody(i, end)
		if at == 0 || l.after(at) > end {
			continue
		}
		last := l.after(at) - 1
		size := l.ends[at-1-begin] - l.starts[i-begin]
		if at+1 < last {
			size += l.ends[last-1-begin] - l.starts[at+1-begin]
		}
		if size <= most {
			continue
		}
		if closing > 0 {
			return 0, 0, false
		}
		for k := at + 1; k < last; k++ {
			if l.kind(k) == ';' || l.text(k) == "func" {
				return 0, 0, false
			}
		}
		open, closing = at, last
	}
	return open, closing, true
}

// endRows writes the collected rows in columns. As in text/tabwriter, a column is a block of adjacent lines that have a
// cell in this place, followed by another cell.
func (l *layout) endRows() {
	if len(l.rows) == 0 {
		return
	}
	widths := make([][2]int, len(l.rows))
	for column := range 2 {
		for i := 0; i < len(l.rows); {
			width, end := 0, i
			for ; end < len(l.rows) && column < len(l.rows[end].cells)-1; end++ {
				width = max(width, utf8.RuneCountInString(l.rows[end].cells[column]))
			}
			for ; i < end; i++ {
				widths[i][column] = width
			}
			i++
		}
	}
	for i, r := range l.rows {
		l.out = append(l.out, r.indent...)
		for column, cell := range r.cells {
			l.out = append(l.out, cell...)
			if column < len(r.cells)-1 {
				for n := utf8.RuneCountInString(cell); n <= widths[i][column]; n++ {
					l.out = append(l.out, ' ')
				}
			}
		}
		l.out = append(l.out, '\n')
	}
	l.rows = l.rows[:0]
}

// endComment writes the collected comment lines. isDoc reports whether a declaration follows, so that gofmt would
// format them as a doc comment. It reports whether they can be formatted.
func (l *layout) endComment(isDoc bool) bool {
	doc := l.doc
	l.doc = l.doc[:0]
	if isDoc {
		var ok bool
		if doc, ok = formatDoc(doc); !ok {
			return false
		}
	}
	for _, line := range doc {
		l.out = append(append(l.out, line...), '\n')
	}
	return true
}
