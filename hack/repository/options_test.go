package repository

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// options matches the names of structs that determine what a function does.
var options = regexp.MustCompile(`(Config|Options|Flags|Command|Conventions|Request|Needs)$`)

// TestOptions finds structs of options with too many fields for a reader to know them all. Fields that belong together
// are a struct of their own.
func TestOptions(t *testing.T) {
	const most = 15
	seen := 0
	for name, text := range files(t) {
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "examples/") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			continue // testdata
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || !options.MatchString(spec.Name.Name) {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				fields := 0
				for _, f := range s.Fields.List {
					fields += max(1, len(f.Names))
				}
				if seen++; fields > most {
					t.Errorf("%s: %s has %d fields, more than %d", fset.Position(spec.Pos()), spec.Name.Name, fields, most)
				}
			}
			return true
		})
	}
	if seen < 10 {
		t.Errorf("found only %d structs of options", seen)
	}
}
