package yamltext

import "unicode/utf8"

// JSONSize returns the size in bytes of the document as compact JSON, as encoding/json writes it.
func (w *Writer) JSONSize() int { return w.size }

// entry counts an entry of a mapping or list with the comma after it. The first entry where a value is expected begins
// a mapping or list, which has two brackets and no comma after its last entry.
func (w *Writer) entry(bytes int) {
	if !w.valued {
		w.size += len("{}") - len(",")
	}
	w.size, w.valued = w.size+bytes+len(","), false
}

// value counts the value of the current entry.
func (w *Writer) value(bytes int) { w.size, w.valued = w.size+bytes, true }

// textSize returns the size in bytes of a string in JSON, as encoding/json writes it.
func textSize(text string) int {
	size := len(text) + len(`""`)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r' || c == '\b' || c == '\f':
			size++
		case c < ' ' || c == '<' || c == '>' || c == '&':
			size += len(`\u0000`) - 1
		case c == 0xE2 && i+2 < len(text) && text[i+1] == 0x80 && text[i+2]&^1 == 0xA8: // separators of lines and paragraphs
			size += len(`\u2028`) - utf8.RuneLen('\u2028')
		}
	}
	return size
}
