package repository

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documented are methods of interfaces that document them: those of render and of the standard library.
var documented = []string{
	"Info", "Kind", "Package", "Views", "Generate", "Structs", "Companions", "String", "Error", "Unwrap", "Read", "Write",
}

// TestExportedComments finds exported functions without a comment, except for methods of documented interfaces. In
// modules for users, methods of unexported types implement interfaces of client-go.
func TestExportedComments(t *testing.T) {
	seen := 0
	for name, text := range files(t) {
		top, _, _ := strings.Cut(name, "/")
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || slices.Contains([]string{"examples", "test"}, top) {
			continue
		}
		for _, f := range uncommented(t, name, text, &seen) {
			method := f.recv != ""
			adapter := method && !ast.IsExported(f.recv) && slices.Contains([]string{"consistency", "fakeapi"}, top)
			if !adapter && !(method && slices.Contains(documented, f.name)) {
				t.Errorf("%s:%d: %s has no comment", name, f.line, f.name)
			}
		}
	}
	if seen < 1000 {
		t.Errorf("found only %d exported functions", seen)
	}
}

// function is a function, or a method of a type.
type function struct {
	name, recv string
	line       int
}

// uncommented returns the exported functions of a file without a comment, and counts all exported ones. The comment of
// a function counts for those on the lines directly after it that it names.
func uncommented(t *testing.T, name, text string, exported *int) (found []function) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	last, comment := 0, ""
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		line := fset.Position(f.Pos()).Line
		if f.Doc != nil || line != last+1 {
			comment = f.Doc.Text()
		}
		last = fset.Position(f.End()).Line
		if !f.Name.IsExported() {
			continue
		}
		*exported++
		if f.Doc == nil && !regexp.MustCompile(`\b`+f.Name.Name+`\b`).MatchString(comment) {
			recv := ""
			if f.Recv != nil {
				ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok && recv == "" {
						recv = id.Name
					}
					return true
				})
			}
			found = append(found, function{f.Name.Name, recv, line})
		}
	}
	return found
}

func TestUncommented(t *testing.T) {
	const text = `package p

// A and B are the ends.
func A() {}
func B() {}
func C() {}

func A() {}

func (t *set[K]) Has() {}
func hidden()          {}
`
	exported := 0
	found := uncommented(t, "p.go", text, &exported)
	if want := []function{{"C", "", 6}, {"A", "", 8}, {"Has", "set", 10}}; !slices.Equal(found, want) || exported != 5 {
		t.Errorf("got %v of %d, want %v of 5", found, exported, want)
	}
}
