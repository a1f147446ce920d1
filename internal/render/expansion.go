package render

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"

	"github.com/kubegen/kubegen/internal/gofile"
	"github.com/kubegen/kubegen/internal/output"
)

// declaredNames returns the names that Go files declare in their package, those of methods as "receiver.Method". Of
// files that do not parse, it returns the names that could be read.
func declaredNames(files map[string][]byte) map[string]bool {
	names := map[string]bool{}
	for file, text := range files {
		if output.IsGenerated(text) {
			addGenerated(names, text)
			continue
		}
		parsed, _ := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		if parsed == nil || strings.HasSuffix(parsed.Name.Name, "_test") { // of another package
			continue
		}
		for _, name := range gofile.Declarations(parsed) {
			names[name] = true
		}
		for _, d := range parsed.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && len(fn.Recv.List) == 1 {
				receiver := fn.Recv.List[0].Type
				if star, ok := receiver.(*ast.StarExpr); ok {
					receiver = star.X
				}
				if ident, ok := receiver.(*ast.Ident); ok {
					names[ident.Name+"."+fn.Name.Name] = true
				}
			}
		}
	}
	return names
}

var (
	declaration = regexp.MustCompile(`^(?:func|type|var|const) ([\pL_][\pL\pN_]*)`)
	method      = regexp.MustCompile(`^func \((?:[\pL_][\pL\pN_]* )?\*?([\pL_][\pL\pN_]*)\) ([\pL_][\pL\pN_]*)\(`)
	inGroup     = regexp.MustCompile(`^\t([\pL_][\pL\pN_]*)`)
)

// addGenerated adds the names that a generated file declares. Such files can be very long, but gofmt has laid them out, so that
// the lines on which declarations begin tell the names.
func addGenerated(names map[string]bool, text []byte) {
	group := false
	for line := range bytes.Lines(text) {
		switch {
		case line[0] == '\t' && group:
			if match := inGroup.FindSubmatch(line); match != nil {
				names[string(match[1])] = true
			}
		case line[0] < 'a' || line[0] > 'z':
			group = group && line[0] != ')'
		case bytes.HasSuffix(bytes.TrimSpace(line), []byte(" (")):
			group = !bytes.HasPrefix(line, []byte("import"))
		default:
			if match := method.FindSubmatch(line); match != nil {
				names[string(match[1])+"."+string(match[2])] = true
			} else if match := declaration.FindSubmatch(line); match != nil {
				names[string(match[1])] = true
			}
		}
	}
}
