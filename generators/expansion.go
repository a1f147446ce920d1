package generators

import (
	"go/ast"
	"go/parser"
	"go/token"
)

// declares reports whether any of the Go files declares a name in its package. Files that do not parse declare what
// could be read of them.
func declares(files map[string][]byte, name string) bool {
	for file, text := range files {
		parsed, _ := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		if parsed == nil {
			continue
		}
		for _, d := range parsed.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name == name {
					return true
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						if spec.Name.Name == name {
							return true
						}
					case *ast.ValueSpec:
						for _, declared := range spec.Names {
							if declared.Name == name {
								return true
							}
						}
					}
				}
			}
		}
	}
	return false
}
