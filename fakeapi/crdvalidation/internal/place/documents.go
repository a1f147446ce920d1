package place

import (
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Document is one of those in a file.
type Document struct {
	File string
	Line int    // of the first line, from 1
	Text string // without the spaces before its block

	spaces int // of its block
	first  int // characters before it in its first line
}

// Documents returns the documents in a file of YAML or JSON, or in such blocks of a Markdown file.
func Documents(file, text string) (all []Document) {
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")
	lines := strings.Split(text, "\n")
	if ext := filepath.Ext(file); ext != ".md" && ext != ".markdown" {
		return documents(file, 0, "", lines)
	}
	for begin := 0; begin < len(lines); begin++ {
		fence, language := fenceOf(lines[begin])
		if fence == "" {
			continue
		}
		end := begin + 1
		for end < len(lines) && !closes(lines[end], fence) {
			end++
		}
		if slices.Contains([]string{"yaml", "yml", "json", "jsonl"}, language) {
			all = append(all, documents(file, begin+1, spacesOf(lines[begin]), lines[begin+1:end])...)
		}
		begin = end
	}
	return all
}

// fenceOf returns the fence that begins a block of Markdown in a line, and the block's language, or "".
func fenceOf(line string) (fence, language string) {
	text := strings.TrimSpace(line)
	for _, char := range []string{"`", "~"} {
		info := strings.TrimLeft(text, char)
		if n := len(text) - len(info); n >= 3 && (char == "~" || !strings.Contains(info, char)) {
			words := strings.FieldsFunc(info, func(r rune) bool { return strings.ContainsRune(" \t,{}", r) })
			if len(words) > 0 {
				language = strings.ToLower(strings.TrimPrefix(words[0], "."))
			}
			return text[:n], language
		}
	}
	return "", ""
}

// closes reports whether a line ends the block that a fence has begun.
func closes(line, fence string) bool {
	text := strings.TrimSpace(line)
	return strings.HasPrefix(text, fence) && strings.Trim(text, fence[:1]) == ""
}

// spacesOf returns the spaces and tabs at the beginning of a line.
func spacesOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// documents returns the documents in lines after others of the file, without the spaces before them.
func documents(file string, after int, spaces string, lines []string) (all []Document) {
	var text []string
	for i, line := range append(slices.Clip(lines), "---") {
		line = strings.TrimPrefix(line, spaces)
		if !separates(line) {
			text = append(text, line)
			continue
		}
		if whole := strings.Join(text, "\n"); strings.TrimSpace(whole) != "" {
			all = append(all, Document{File: file, Line: after + i - len(text) + 1, Text: whole, spaces: len(spaces)}.split()...)
		}
		text = nil
	}
	return all
}

// separates reports whether a line separates documents.
func separates(line string) bool {
	rest, ok := strings.CutPrefix(strings.TrimRight(line, " \t"), "---")
	return ok && (rest == "" || strings.HasPrefix(strings.TrimSpace(rest), "#"))
}

// split returns the documents of a document that is a sequence of objects in JSON, or else the document.
func (d Document) split() (all []Document) {
	if !strings.HasPrefix(strings.TrimSpace(d.Text), "{") {
		return []Document{d}
	}
	decoder := json.NewDecoder(strings.NewReader(d.Text))
	next, line, first := 0, d.Line, 0
	for {
		var object json.RawMessage
		if err := decoder.Decode(&object); err == io.EOF {
			return all
		} else if err != nil {
			return []Document{d}
		}
		end := int(decoder.InputOffset())
		for _, part := range []string{d.Text[next : end-len(object)], string(object)} {
			if part != "" && part[0] == '{' {
				all = append(all, Document{File: d.File, Line: line, Text: part, spaces: d.spaces, first: first})
			}
			if n := strings.LastIndexByte(part, '\n'); n >= 0 {
				line, first, part = line+strings.Count(part, "\n"), 0, part[n+1:]
			}
			first += utf8.RuneCountInString(part)
		}
		next = end
	}
}

// Has reports whether a line of the document, which may be malformed, has a key with such a value.
func (d Document) Has(key string, is func(value string) bool) bool {
	for line := range strings.Lines(d.Text) {
		for _, part := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("{},", r) }) {
			name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(part), "- "), ":")
			if bare(name) == key && is(bare(value)) {
				return true
			}
		}
	}
	return false
}

// bare returns a text without spaces and quotes around it.
func bare(text string) string { return strings.Trim(text, " \t\r\n\"'") }
