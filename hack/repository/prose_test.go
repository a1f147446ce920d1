// Package repository tests files around the code: prose, workflows and the configuration of Dependabot.
package repository

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// width is the number of columns that comments may have; a tab counts as one column.
const width = 120

// TestDoubledWords finds words that are repeated by mistake, also across the end of a line.
func TestDoubledWords(t *testing.T) {
	for name, text := range files(t) {
		for _, mistake := range doubledWords(prose(t, name, text)) {
			t.Errorf("%s:%s", name, mistake)
		}
	}
}

func TestDoubled(t *testing.T) {
	for text, want := range map[string]string{
		"The file is in in the directory.":      `1: "in" is there twice`,
		"reports reports whether":               "",
		"In the The":                            `1: "the" is there twice`,
		"Write the\n\nthe file.":                "",
		"Write the\nthe file.":                  `2: "the" is there twice`,
		"it had had, had had no effect: no, no": `1: "had" is there twice 1: "had" is there twice`,
		"`of` of, and of `of`":                  "",
	} {
		if got := strings.Join(doubledWords(markdown(text)), " "); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// TestWidth finds lines of comments that are too wide.
func TestWidth(t *testing.T) {
	for name, text := range files(t) {
		if filepath.Ext(name) != ".go" {
			continue
		}
		lines := strings.Split(text, "\n")
		for line, comment := range comments(t, name, text) {
			switch {
			case comment == "", strings.HasPrefix(comment, "go:"), strings.HasPrefix(comment, " +"), strings.Contains(comment, "://"):
				continue // code, directives, markers and addresses cannot be broken
			}
			if columns := utf8.RuneCountInString(lines[line-1]); columns > width {
				t.Errorf("%s:%d: the comment is %d columns wide, more than %d", name, line, columns, width)
			}
		}
	}
}

// TestColumns finds lines of code that are too wide. A literal alone on its line may have any width, and tables in
// tests.
func TestColumns(t *testing.T) {
	const columns = 140
	literal := regexp.MustCompile("^\\s*(\\w+: +)?[`\"].*[`\"][,).]*$")
	for name, text := range files(t) {
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		n := 0
		for line := range strings.Lines(text) {
			n++
			code, _, _ := strings.Cut(strings.TrimRight(line, "\n"), " // ")
			if w := utf8.RuneCountInString(code); w > columns && !literal.MatchString(code) && !strings.HasPrefix(strings.TrimSpace(code), "//") {
				t.Errorf("%s:%d: the code is %d columns wide, more than %d", name, n, w, columns)
			}
		}
	}
}

// files returns the files with prose, by their paths below the root of the repository. Generated Go files are left out.
func files(t *testing.T) map[string]string {
	t.Helper()
	root, found := os.DirFS("../.."), map[string]string{}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			hidden := strings.HasPrefix(base, ".") && base != "." && base != ".github" || strings.HasPrefix(base, "_")
			if hidden || base == "testdata" || base == "bin" || base == "dist" {
				return fs.SkipDir
			}
			return nil
		}
		switch filepath.Ext(base) {
		case ".go", ".tmpl", ".md", ".sh", ".yml":
			text, err := fs.ReadFile(root, name)
			if err != nil {
				return err
			}
			if !generated.Match(text) {
				found[name] = strings.ReplaceAll(string(text), "\r\n", "\n")
			}
		}
		return nil
	})
	if err != nil || len(found) < 100 {
		t.Fatalf("found %d files, %v", len(found), err)
	}
	return found
}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.\r?$`)

// prose returns the prose of a file by its lines, without code.
func prose(t *testing.T, name, text string) map[int]string {
	t.Helper()
	switch filepath.Ext(name) {
	case ".go":
		return comments(t, name, text)
	case ".md":
		return markdown(text)
	case ".tmpl":
		return commentLines(text, "//")
	default:
		return commentLines(text, "#")
	}
}

// comments returns the lines of Go source that consist of a comment, without comment signs.
func comments(t *testing.T, name, text string) map[int]string {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	inComments := map[int]bool{}
	for _, group := range f.Comments {
		for _, comment := range group.List {
			inComments[fset.Position(comment.Pos()).Line] = isLine(comment)
		}
	}
	lines := commentLines(text, "//")
	for line := range lines {
		if !inComments[line] { // in a raw string
			delete(lines, line)
		}
	}
	return lines
}

func isLine(comment *ast.Comment) bool { return strings.HasPrefix(comment.Text, "//") }

// commentLines returns the lines of a file that begin with a comment sign, without this sign. Indented lines of a
// comment are code, and become empty.
func commentLines(text, sign string) map[int]string {
	lines := map[int]string{}
	for i, line := range strings.Split(text, "\n") {
		comment, ok := strings.CutPrefix(strings.TrimSpace(line), sign)
		if !ok {
			continue
		}
		if strings.HasPrefix(comment, "\t") || strings.HasPrefix(comment, "  ") {
			comment = ""
		}
		lines[i+1] = comment
	}
	return lines
}

var inlineCode = regexp.MustCompile("`[^`]*`")

// markdown returns the lines of a page without its code.
func markdown(text string) map[int]string {
	lines, fenced := map[int]string{}, false
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if !fenced {
			lines[i+1] = inlineCode.ReplaceAllString(line, "`")
		}
	}
	return lines
}

var isWord = regexp.MustCompile(`^[A-Za-z]+$`)

// doubledWords returns a message for each word that follows the same word, with nothing but space in between. Comments
// begin with the name of a function, which can also be a verb: these two words may be the same.
func doubledWords(lines map[int]string) (messages []string) {
	last, lastLine, n := "", 0, 0 // n counts the words of a paragraph
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		words := strings.Fields(lines[line])
		if len(words) == 0 || line != lastLine+1 {
			last, n = "", 0
		}
		for _, word := range words {
			core := strings.ToLower(strings.TrimRight(word, ".,;:!?)"))
			if core != "" && core == last && n > 1 {
				messages = append(messages, fmt.Sprintf("%d: %q is there twice", line, core))
			}
			last = ""
			if isWord.MatchString(word) {
				last = core
			}
			n++
		}
		lastLine = line
	}
	return messages
}
