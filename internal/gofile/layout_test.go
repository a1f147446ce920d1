package gofile

import (
	"bytes"
	"go/format"
	goparser "go/parser"
	gotoken "go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is formatted but for its columns comes out formatted: the Go files of the examples, without their comments after code,
// which layOut leaves to gofmt.
func TestLayOut(t *testing.T) {
	files, known := 0, 0
	err := filepath.WalkDir("../../examples", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".go" || strings.Contains(name, "testdata") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files++
		if laysOut(t, name, text) {
			known++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if t.Logf("%d of %d files are laid out", known, files); known < files/3 {
		t.Errorf("only %d of %d files are laid out", known, files)
	}
}

// laysOut takes the columns out of a formatted file and checks that layOut restores them; known is false if it does not know what
// the file has.
func laysOut(t *testing.T, name string, text []byte) (known bool) {
	fset := gotoken.NewFileSet()
	parsed, err := goparser.ParseFile(fset, name, text, goparser.ImportsOnly)
	if err != nil || !bytes.Equal(must(format.Source(text)), text) {
		return false
	}
	end := parsed.Name.End()
	if n := len(parsed.Decls); n > 0 {
		end = parsed.Decls[n-1].End()
	}
	want := strings.TrimSpace(string(text[fset.Position(end).Offset:]))
	tokens, ok := scan(want)
	if !ok {
		t.Errorf("%s: does not scan", name)
		return false
	}
	var body strings.Builder
	at := 0
	for i, token := range tokens {
		switch gap := want[at:token.start]; {
		case i > 0 && len(gap) > 1 && strings.Trim(gap, " ") == "":
			body.WriteByte(' ')
		case token.kind == comment && !token.first:
			at = token.end
			continue
		default:
			body.WriteString(gap)
		}
		body.WriteString(want[token.start:token.end])
		at = token.end
	}
	want = strings.TrimSpace(string(must(format.Source([]byte("package p\n\n" + body.String()))))[len("package p\n"):])
	f := &File{Name: name, Package: "p", Clean: true}
	f.Body.WriteString(body.String())
	s, err := read(f)
	if err != nil {
		t.Error(err)
		return false
	}
	laid, known := s.layOut()
	if got := strings.TrimSpace(string(laid)); known && got != want {
		lines := strings.Split(want, "\n")
		for i, line := range strings.Split(got, "\n") {
			if i >= len(lines) || line != lines[i] {
				t.Errorf("%s: line %d of the body is\n%q, want\n%q", name, i+1, line, lines[min(i, len(lines)-1)])
				break
			}
		}
	}
	return known
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}
