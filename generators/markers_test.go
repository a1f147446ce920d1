package generators

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/markers"
)

// TestMarkersAreRead checks that the code names each marker outside its definition. The rows of keywords read their own
// markers.
func TestMarkersAreRead(t *testing.T) {
	var files []*ast.File
	for _, root := range []string{".", "../internal"} {
		err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.Name() == "testdata":
				return fs.SkipDir
			case filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			files = append(files, file)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	named, cases := textsIn(files)
	plain := strings.NewReplacer(markers.Items, markers.Validation, markers.AwareMarker, markers.Validation)
	for _, def := range markers.All {
		short := strings.TrimPrefix(strings.TrimPrefix(def.Name, markers.Validation), "kubebuilder:")
		rule := strings.TrimPrefix(def.Name, "k8s:validation:")
		if !named[def.Name] && !named[rule] && !cases[short] && crdschema.ByMarker(plain.Replace(def.Name)) == nil {
			t.Errorf("nothing reads +%s: only its definition names it", def.Name)
		}
	}
}

// textsIn returns the texts in expressions, including constants by name, and those of cases, except for declarations of
// constants and definitions of markers.
func textsIn(files []*ast.File) (named, cases map[string]bool) {
	constants := map[string][]ast.Expr{} // by name, in all packages
	for _, file := range files {
		for _, decl := range file.Decls {
			if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.CONST {
				for _, spec := range gen.Specs {
					for i, value := range spec.(*ast.ValueSpec).Values {
						name := spec.(*ast.ValueSpec).Names[i].Name
						constants[name] = append(constants[name], value)
					}
				}
			}
		}
	}
	named, cases = map[string]bool{}, map[string]bool{}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GenDecl:
				return n.Tok == token.VAR
			case *ast.CompositeLit:
				list, _ := n.Type.(*ast.ArrayType)
				if list == nil {
					return true
				}
				of, _ := list.Elt.(*ast.Ident)
				return of == nil || of.Name != "Definition"
			case *ast.CaseClause:
				for _, e := range n.List {
					for _, text := range textsOf(e, constants) {
						cases[text] = true
					}
				}
			case ast.Expr:
				for _, text := range textsOf(n, constants) {
					named[text] = true
				}
			}
			return true
		})
	}
	return named, cases
}

// textsOf returns the values that an expression may have if it is a text.
func textsOf(e ast.Expr, constants map[string][]ast.Expr) (texts []string) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return []string{text}
		}
	case *ast.SelectorExpr:
		return textsOf(e.Sel, constants)
	case *ast.Ident:
		for _, value := range constants[e.Name] {
			if same, ok := value.(*ast.SelectorExpr); !ok || same.Sel.Name != e.Name {
				texts = append(texts, textsOf(value, constants)...)
			}
		}
	case *ast.BinaryExpr:
		for _, left := range textsOf(e.X, constants) {
			for _, right := range textsOf(e.Y, constants) {
				texts = append(texts, left+right)
			}
		}
	}
	return texts
}
