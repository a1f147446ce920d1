package templates

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// generated is the code that kubegen generates for an example with all options.
const generated = "../examples/crontab-types/generated"

// uncommented matches methods that are the same for all kinds, which have no comment in client-go either.
var uncommented = regexp.MustCompile(`^(` + strings.Join([]string{
	`Interface\.(Discovery|\w+V1(beta1)?)`, // of the clientset
	`\w+V1(beta1)?Interface\.RESTClient`, `(Fake\w+V1(beta1)?|\w+V1(beta1)?Client)\.\w+`,
	`\w+Getter\.\w+`,
	`Client\[T, L, C\]\.\w+`, // of the fake clients
	`\w+Interface\.(Create|Update|Delete|DeleteCollection|Get|List|Watch|Patch|Apply)`,
	`\w*Informer\.(Informer|TypedInformer|Lister)`,
	`SharedInformerFactory\.(Start|InformerFor|InformerName|Stable)`,
}, "|") + `)$`)

// mostLines limits the generated code of the example, which has three kinds, one of them in two versions.
const mostLines = 4700

// TestStyle checks the generated code of an example: all exported declarations have a comment, consecutive parameters
// of a type share it, no format has an argument that is a constant, and there are at most mostLines lines.
func TestStyle(t *testing.T) {
	lines := 0
	err := filepath.WalkDir(generated, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".go" {
			return err
		}
		positions := token.NewFileSet()
		file, err := parser.ParseFile(positions, name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		lines += positions.File(file.FileStart).LineCount()
		report := func(at ast.Node, format string, args ...any) {
			t.Helper()
			t.Errorf("%s: "+format, append([]any{positions.Position(at.Pos())}, args...)...)
		}
		for _, decl := range file.Decls {
			for name, at := range missing(decl) {
				if !uncommented.MatchString(name) {
					report(at, "%s has no comment", name)
				}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncType:
				for i := 1; i < len(n.Params.List); i++ {
					before, param := n.Params.List[i-1], n.Params.List[i]
					if len(before.Names) > 0 && source(before.Type) == source(param.Type) {
						report(param, "%s has the type of the parameter before it", param.Names[0])
					}
				}
			case *ast.CallExpr:
				if len(n.Args) > 1 && strings.Contains(source(n.Args[0]), "%") {
					for _, arg := range n.Args[1:] {
						if _, ok := arg.(*ast.BasicLit); ok {
							report(arg, "the format takes a constant")
						}
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil || lines == 0 || lines > mostLines {
		t.Errorf("%d lines of generated code, want at most %d (%v)", lines, mostLines, err)
	}
}

// missing returns the exported names without a comment in a declaration. Methods have the names TYPE.METHOD.
func missing(decl ast.Decl) map[string]ast.Node {
	found := map[string]ast.Node{}
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		name := decl.Name.Name
		if decl.Recv != nil {
			name = strings.TrimPrefix(source(decl.Recv.List[0].Type), "*") + "." + name
		}
		if decl.Doc == nil && ast.IsExported(name) && decl.Name.IsExported() {
			found[name] = decl
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if name.IsExported() && decl.Doc == nil && spec.Doc == nil {
						found[name.Name] = name
					}
				}
			case *ast.TypeSpec:
				if spec.Name.IsExported() && decl.Doc == nil && spec.Doc == nil {
					found[spec.Name.Name] = spec
				}
				if body, ok := spec.Type.(*ast.InterfaceType); ok && spec.Name.IsExported() {
					for _, method := range body.Methods.List {
						if len(method.Names) > 0 && method.Doc == nil {
							found[spec.Name.Name+"."+method.Names[0].Name] = method
						}
					}
				}
			}
		}
	}
	return found
}

// source returns the text of an expression.
func source(expr ast.Expr) string {
	var text bytes.Buffer
	if err := printer.Fprint(&text, token.NewFileSet(), expr); err != nil {
		return ""
	}
	return text.String()
}
