// This file determines the capabilities of client-go and apimachinery from their source, and the possible
// client-go releases of generated code from its text. It parses only files that mention the names in question, and does
// not type-check.

package load

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// Evidence is the source of some modules. Packages may be missing, as in a vendor directory.
type Evidence struct {
	dirs  map[string]string
	files map[string][]*file // of packages, by import path
}

// file is a Go file other than a test.
type file struct {
	name   string // "" for generated code
	text   []byte
	syntax *ast.File // nil until it is needed
}

// NewEvidence returns the Source in directories by module path.
func NewEvidence(dirs map[string]string) *Evidence {
	return &Evidence{dirs: dirs, files: map[string][]*file{}}
}

// Shown returns the capabilities that the source has or lacks.
func (s *Evidence) Shown() model.Shown {
	shown := model.Shown{}
	for _, c := range model.Capabilities() {
		if has, known := s.Has(c.Evidence()); known {
			shown[c] = has
		}
	}
	return shown
}

// Missing returns the declarations that all generated code needs and the source lacks.
func (s *Evidence) Missing() (missing []model.Evidence) {
	for _, alternatives := range model.Required() {
		lacks := !slices.ContainsFunc(alternatives, func(e model.Evidence) bool {
			has, known := s.Has(e)
			return has || !known
		})
		if lacks {
			missing = append(missing, alternatives[len(alternatives)-1])
		}
	}
	return missing
}

// Has reports whether the source has a declaration. known is false if the source lacks the whole package.
func (s *Evidence) Has(e model.Evidence) (has, known bool) {
	files := s.read(e.Package)
	for _, f := range files {
		if !f.shows(e) {
			continue
		}
		if built, err := build.Default.MatchFile(filepath.Split(f.name)); err == nil && built {
			return true, true
		}
	}
	return false, len(files) > 0
}

// read returns the Go files of a package, except for tests.
func (s *Evidence) read(importPath string) []*file {
	files, known := s.files[importPath]
	if known {
		return files
	}
	for module, dir := range s.dirs {
		if rel, ok := strings.CutPrefix(importPath, module+"/"); ok {
			for _, name := range GoFiles(filepath.Join(dir, filepath.FromSlash(rel))) {
				if text, err := os.ReadFile(name); err == nil && !strings.HasSuffix(name, "_test.go") {
					files = append(files, &file{name: name, text: text})
				}
			}
		}
	}
	s.files[importPath] = files
	return files
}

// shows reports whether the file has a declaration. It parses the file at most once.
func (f *file) shows(e model.Evidence) bool {
	if !mentions(f.text, e) {
		return false
	}
	if f.syntax == nil {
		f.syntax, _ = parser.ParseFile(token.NewFileSet(), "", f.text, parser.SkipObjectResolution) // as far as it parses
	}
	return f.syntax != nil && isIn(f.syntax, e)
}

// mentions reports whether a file is worth parsing.
func mentions(text []byte, e model.Evidence) bool {
	words := append(strings.FieldsFunc(e.Name, func(r rune) bool { return strings.ContainsRune(".*?", r) }), e.Import, e.Expression)
	return !slices.ContainsFunc(words, func(word string) bool { return !bytes.Contains(text, []byte(word)) })
}

// isIn reports whether a file has a declaration.
func isIn(syntax *ast.File, e model.Evidence) bool {
	switch {
	case e.Import != "":
		return slices.ContainsFunc(syntax.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == strconv.Quote(e.Import) })
	case e.Expression != "":
		return hasExpression(syntax, e.Expression)
	}
	name, member, isMember := strings.Cut(e.Name, ".")
	return slices.ContainsFunc(syntax.Decls, func(decl ast.Decl) bool {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if isMember {
				return decl.Name.Name == member && decl.Recv != nil && matches(name, BaseName(decl.Recv.List[0].Type))
			}
			return matches(name, decl.Name.Name) && decl.Recv == nil
		case *ast.GenDecl:
			return slices.ContainsFunc(decl.Specs, func(spec ast.Spec) bool {
				typ, ok := spec.(*ast.TypeSpec)
				return ok && matches(name, typ.Name.Name) && (!isMember || hasMember(typ.Type, member, e.Tag))
			})
		}
		return false
	})
}

// hasExpression reports whether a file has an identifier or another expression.
func hasExpression(syntax *ast.File, text string) bool {
	isName := token.IsIdentifier(text)
	for expr := range Nodes[ast.Expr](syntax) {
		if ident, ok := expr.(*ast.Ident); ok && ident.Name == text || !ok && !isName && types.ExprString(expr) == text {
			return true
		}
	}
	return false
}

// matches reports whether a name matches a pattern.
func matches(pattern, name string) bool {
	ok, _ := path.Match(pattern, name)
	return ok
}

// hasMember reports whether an interface has a method, or a struct a field. An embedded field has the name of its type.
// If tag is not "", the field must have this key and value among its tags.
func hasMember(typ ast.Expr, name, tag string) bool {
	var fields *ast.FieldList
	switch typ := typ.(type) {
	case *ast.InterfaceType:
		fields = typ.Methods
	case *ast.StructType:
		fields = typ.Fields
	default:
		return false
	}
	return slices.ContainsFunc(fields.List, func(f *ast.Field) bool {
		isName := func(ident *ast.Ident) bool { return ident.Name == name }
		return (slices.ContainsFunc(f.Names, isName) || len(f.Names) == 0 && BaseName(f.Type) == name) &&
			(tag == "" || f.Tag != nil && tagHas(f.Tag.Value, tag))
	})
}

func tagHas(literal, want string) bool {
	text, err := strconv.Unquote(literal)
	key, value, _ := strings.Cut(want, ":")
	value, err2 := strconv.Unquote(value)
	got, ok := reflect.StructTag(text).Lookup(key)
	return err == nil && err2 == nil && ok && got == value
}
