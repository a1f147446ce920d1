package importer

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// FuzzWrite imports any text. It is refused at a line, or the files have the package that it names and declare types,
// lists of kinds and methods, but no variables, and each kind has clients once.
func FuzzWrite(f *testing.F) {
	archives, err := filepath.Glob("../../commands/cli/testdata/golden/*import*.txtar")
	if err != nil || len(archives) == 0 {
		f.Fatalf("%d archives, %v", len(archives), err)
	}
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if ext := filepath.Ext(file.Name); ext == ".yaml" || ext == ".json" {
				f.Add(file.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 10_000 {
			return
		}
		definitions, diags := crd.ReadComplete("crd.yaml", text)
		packages, said := Packages(definitions, Options{
			Path: "example.com/api", Name: func(file string) string { return file }, Earlier: func(string) string { return "" },
		})
		kinds := map[*Package]int{}
		for _, p := range packages {
			kinds[p] = len(p.sources)
		}
		diags = slices.Concat(diags, said, Write(packages, nil))
		if diags.HasErrors() {
			for _, d := range diags {
				if d.Severity == diag.Error && d.Pos.Line == 0 {
					t.Errorf("no line: %s", d.Message)
				}
			}
			return
		}
		for _, p := range packages {
			clients := 0
			for name, content := range p.Files {
				file, err := parser.ParseFile(token.NewFileSet(), name, content, parser.ParseComments|parser.SkipObjectResolution)
				if err != nil {
					t.Fatalf("%v\n%s", err, content)
				}
				if file.Name.Name != p.Name {
					t.Errorf("%s: the package is %s, want %s", name, file.Name.Name, p.Name)
				}
				for _, d := range file.Decls {
					if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.VAR {
						t.Errorf("%s declares a variable\n%s", name, content)
					}
				}
				for _, group := range file.Comments {
					for _, c := range group.List {
						switch line := strings.TrimSpace(strings.TrimPrefix(c.Text, "//")); {
						case line == "+genclient":
							clients++
						case strings.HasPrefix(c.Text, "/*"), strings.HasPrefix(c.Text, "//go:"), strings.HasPrefix(line, "+build"):
							t.Errorf("%s has a comment %s", name, c.Text)
						}
					}
				}
			}
			if clients != kinds[p] {
				t.Errorf("%d types have clients, want %d", clients, kinds[p])
			}
		}
	})
}
