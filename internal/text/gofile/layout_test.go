package gofile

import (
	"bytes"
	"go/format"
	goparser "go/parser"
	gotoken "go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// ofKind matches the names of generated files of which there is one for each kind, version or group.
var ofKind = regexp.MustCompile(`/crontab-types/generated/(applyconfiguration|clientset/versioned/typed|informers/externalversions)/stable/`)

// commentAfterCode matches a line with a comment after code.
var commentAfterCode = regexp.MustCompile(`(?m)^\s*[^\s/].* // `)

// TestLayOut takes the columns out of the Go files of the examples and checks that layOut restores them, at least for
// files of kinds, of which there may be thousands. Comments after code are removed, because layOut leaves these to
// gofmt; files of kinds have none.
func TestLayOut(t *testing.T) {
	files, known := 0, 0
	err := filepath.WalkDir("../../../examples", func(name string, entry fs.DirEntry, err error) error {
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
		} else if ofKind.MatchString(filepath.ToSlash(name)) {
			t.Errorf("%s is not laid out", name)
		}
		if ofKind.MatchString(filepath.ToSlash(name)) && commentAfterCode.Match(text) {
			t.Errorf("%s has a comment after code: %s", name, commentAfterCode.Find(text))
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

// laysOut takes the columns out of a formatted file and checks that layOut restores them. known is false if layOut
// cannot format the file.
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
	tokens, ok := scan(want, true)
	if !ok {
		t.Errorf("%s: does not scan", name)
		return false
	}
	known = true
	for seed := range uint64(5) {
		known = lays(t, name, unaligned(want, tokens, seed)) && known
	}
	return known
}

// unaligned returns a text without columns and comments after code. Unless seed is 0, its names get random lengths.
func unaligned(text string, tokens []token, seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 0))
	names := map[string]string{}
	var body strings.Builder
	at := int32(0)
	for i, token := range tokens {
		switch gap := text[at:token.start]; {
		case i > 0 && len(gap) > 1 && strings.Trim(gap, " ") == "":
			body.WriteByte(' ')
		case token.kind == comment && !token.first:
			at = token.end
			continue
		default:
			body.WriteString(gap)
		}
		name := text[token.start:token.end]
		if seed > 0 && token.kind == word && !gotoken.IsKeyword(name) {
			if names[name] == "" {
				names[name] = name + strings.Repeat("x", random.IntN(40)*random.IntN(2))
			}
			name = names[name]
		}
		body.WriteString(name)
		at = token.end
	}
	return body.String()
}

// lays checks that layOut formats a body like gofmt. known is false if layOut cannot format the body.
func lays(t *testing.T, name, body string) (known bool) {
	t.Helper()
	want := strings.TrimSpace(string(must(format.Source([]byte("package p\n\n" + body))))[len("package p\n"):])
	f := &File{Name: name, Package: "p", Clean: true}
	f.Body += Code(body)
	s, err := read(f)
	if err != nil {
		t.Error(err)
		return false
	}
	laid, known := s.layOut(nil)
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

// TestLayOutFunctions checks that a function on one line stays there if it is short enough.
func TestLayOutFunctions(t *testing.T) {
	for _, text := range []string{
		"func N() {}", "func N() int { return 1 }", "func (r R) N() {}", "func (r R) N() (a, b int) { return 1, 2 }",
		"var f = func(N int) {}", "var f = func(N int) int { return 1 }", "func f() {\n\tg(func(N int) int { return 1 })\n}",
	} {
		for length := range 30 {
			name := strings.Repeat("N", 105-length-len(text))
			if !lays(t, name, strings.Replace(text, "N", name, 1)) {
				t.Errorf("%s is not known", text)
			}
		}
	}
}

// TestLayOutField checks that a struct with one field on the line of its name stays there if the field is short enough.
func TestLayOutField(t *testing.T) {
	for _, text := range []string{
		"type T struct{ N }", "type T struct{ a N }", "type T struct{ *p.N[a] }", "type T struct{ a []p.N }", "type T[A any] struct{ b map[N]A }",
	} {
		for length := range 25 {
			name := strings.Repeat("N", 1+length)
			if body := strings.Replace(text, "N", name, 1); !lays(t, name, body+"\n\nvar a = 1") {
				t.Errorf("%s is not known", body)
			}
		}
	}
	for _, text := range []string{"type T struct{ a, b int }", "type T struct{ a, b int; c p }", "type T struct{ a int `b` }"} {
		if lays(t, text, text) {
			t.Errorf("%s is known", text)
		}
	}
}

// TestLayOutValues checks the columns of constants and variables with and without types.
func TestLayOutValues(t *testing.T) {
	for text, want := range map[string]bool{
		"const (\n\tA T = \"a\"\n\tLong T = \"b\"\n)": true,
		"const (\n\tA T = \"a\"\n\t// doc\n\tLong Longer = \"b\"\n\n\tC T = \"c\"\n\tDD TTT = \"d\"\n)\n\nvar (\n\ta = 1\n\tbbb = 2\n)": true,
		"const (\n\tA T = iota\n\tB\n\tLong\n)":             true,
		"const (\n\tA, B T = 1, 2\n\tLong p.T = 3\n)":       true,
		"var (\n\ta map[string]int = f(1)\n\tb *T = nil\n)": true,
		"const c T = `a\n b`":                               true,
		"var (\n\ta T = 1\n\tb = 2\n)":                      false,
		"var (\n\ta T = S{\n\t\tx: 1,\n\t}\n\tb = 2\n)":     false,
		"var (\n\ta = S{\n\t\tx: 1,\n\t}\n\tb T = 2\n)":     false,
		"var (\n\ta T\n\tb T = 2\n)":                        false,
	} {
		if lays(t, text, text) != want {
			t.Errorf("%s is known: %v, want %v", text, !want, want)
		}
	}
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}
