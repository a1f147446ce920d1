package crdtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A document is one of those in a file. Its text begins with empty lines, so that the lines of its nodes are those of
// the file, and has none of the spaces before its block.
type document struct {
	file   string
	line   int // of the first line
	spaces int
	text   string
}

// isExcerpt reports whether a line says that something is left out.
func (d document) isExcerpt() bool {
	return slices.ContainsFunc(strings.Split(d.text, "\n"), leftOut.MatchString)
}

// documentsIn returns the documents in a YAML file, or in the blocks of a Markdown file.
func documentsIn(file, text string) (all []document) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if ext := filepath.Ext(file); ext != ".md" && ext != ".markdown" {
		return documentsOf(file, 0, "", lines)
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
		if slices.Contains([]string{"yaml", "yml", "json"}, language) {
			all = append(all, documentsOf(file, begin+1, spacesOf(lines[begin]), lines[begin+1:end])...)
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

// documentsOf returns the documents in lines after others of the file, without the spaces before them.
func documentsOf(file string, after int, spaces string, lines []string) (all []document) {
	var text []string
	for i, line := range append(slices.Clip(lines), "---") {
		line = strings.TrimPrefix(line, spaces)
		if !separates(line) {
			text = append(text, line)
			continue
		}
		begin := after + i - len(text)
		if whole := strings.Join(text, "\n"); strings.TrimSpace(whole) != "" {
			all = append(all, document{file, begin + 1, len(spaces), strings.Repeat("\n", begin) + whole})
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

// isInChart reports whether the document is among the templates of a chart.
func (d document) isInChart() bool {
	for dir := filepath.Dir(d.file); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if filepath.Base(dir) == "templates" {
			_, err := os.Stat(filepath.Join(filepath.Dir(dir), "Chart.yaml"))
			return err == nil
		}
	}
	return false
}
