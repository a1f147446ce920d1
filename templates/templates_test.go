package templates

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"text/template"
	"text/template/parse"
)

// TestLiteralsAreQuoted checks that templates write every string literal with printf "%q", so that no text from flags,
// markers or types can end the literal.
func TestLiteralsAreQuoted(t *testing.T) {
	err := fs.WalkDir(FS, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(name, Reference+"/") { // which are not in Go
			return err
		}
		text, err := fs.ReadFile(FS, name)
		if err != nil {
			return err
		}
		for _, place := range unquoted(t, name, string(text)) {
			t.Errorf(`%s: a value within a string literal; write {{printf "%%q" .Value}} for all of the literal`, place)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{
		`x("{{.A}}", "b", 'c')`: 1, "x(`{{.A}}`)": 1, `x("a {{if .B}}b{{end}}")`: 1, `x("\"{{.A}}")`: 1,
		`x({{printf "%q" .A}}, "b")`: 0, "// \"it's {{.A}}\n\tx(\"a\")": 0, `{{if .A}}"a"{{else}}'"'{{end}}, {{.B}}`: 0,
	} {
		if got := unquoted(t, "test", text); len(got) != want {
			t.Errorf("%s: got %q, want %d places", text, got, want)
		}
	}
}

// unquoted returns the places where a template has an action inside a string literal of Go.
func unquoted(t *testing.T, name, text string) (places []string) {
	set, err := template.New(name).Funcs(template.FuncMap{}).Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range set.Templates() {
		inLiteral := false
		var visit func(parse.Node)
		visit = func(n parse.Node) {
			var branch *parse.BranchNode
			switch n := n.(type) {
			case *parse.ListNode:
				for _, child := range n.Nodes {
					visit(child)
				}
				return
			case *parse.TextNode:
				inLiteral = literalOpen(string(n.Text))
				return
			case *parse.IfNode:
				branch = &n.BranchNode
			case *parse.RangeNode:
				branch = &n.BranchNode
			case *parse.WithNode:
				branch = &n.BranchNode
			}
			if inLiteral {
				place, _ := part.ErrorContext(n)
				places = append(places, place)
				inLiteral = false
			}
			if branch != nil {
				visit(branch.List)
				if branch.ElseList != nil {
					visit(branch.ElseList)
				}
			}
		}
		if part.Tree != nil {
			visit(part.Root)
		}
	}
	return places
}

// literalOpen reports whether a piece of Go code ends inside a string literal.
func literalOpen(code string) bool {
	var quote rune
	escaped := false
	for i, r := range code {
		switch {
		case escaped:
			escaped = false
		case quote != 0 && quote != '`' && r == '\\':
			escaped = true
		case quote != 0 && (r == quote || r == '\n' && quote != '`'):
			quote = 0
		case quote == 0 && (r == '"' || r == '`' || r == '\''):
			quote = r
		case quote == 0 && strings.HasPrefix(code[i:], "//"):
			quote = '\n' // a comment ends at the end of the line
		}
	}
	return quote != 0 && quote != '\n'
}

// Templates include only templates that there are: text/template itself finds a missing one only when it gets there.
func TestIncludesExist(t *testing.T) {
	included := regexp.MustCompile(`\{\{-?\s*template "([^"]+)"`)
	found := 0
	err := fs.WalkDir(FS, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(FS, name)
		for _, match := range included.FindAllStringSubmatch(string(text), -1) {
			found++
			if _, err := fs.Stat(FS, match[1]); err != nil {
				t.Errorf("%s includes %s, which is no template", name, match[1])
			}
		}
		return err
	})
	if err != nil || found == 0 {
		t.Errorf("%d included templates, %v", found, err)
	}
}
