// Package gofile completes the body of a Go file: it derives the import block from the identifiers that the body uses,
// gives every import a name without collisions, and formats the result like gofmt. It never guesses imports: an
// identifier of another package either carries its import path (Ident) or has a qualifier from a given table.
//
// Names are determined on the tokens of the body. If the body is Clean, they are all that formatting takes: parser and printer
// of the standard library, which take most of the time of a run, are for other bodies only.
package gofile

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	gotoken "go/token"
	"slices"
	"strconv"
	"strings"
)

// Ident is a Go identifier and the package that it belongs to.
type Ident struct{ Path, Name string }

// File is a Go file under construction. Its zero value is an empty file.
type File struct {
	Name    string // file name, for messages
	Path    string // import path of the package that the file belongs to
	Package string // its name
	Header  string // text before the package comment, including comment markers
	Doc     string // package comment, without comment markers; may be empty

	Beside map[string]bool // names declared by files of the package that are not formatted together with this one

	Body string // everything after the imports
	// Clean says that Body is formatted like gofmt's output, except for columns and what follows from the length of names.
	Clean bool

	refs []string // import paths passed to Ref; placeholders have their indexes
}

// Ref returns the text with which the body refers to an identifier: its bare name if it belongs to this file's package,
// otherwise the name qualified by a placeholder that Format replaces with the import's name.
func (f *File) Ref(id Ident) string {
	if id.Path == f.Path {
		return id.Name
	}
	n := slices.Index(f.refs, id.Path)
	if n < 0 {
		n = len(f.refs)
		f.refs = append(f.refs, id.Path)
	}
	return placeholder + strconv.Itoa(n) + "." + id.Name
}

// Refs returns the import paths of the packages that the body refers to with Ref, in the order of the first calls.
func (f *File) Refs() []string { return f.refs }

// Local returns the text with which the body declares or uses a local variable, parameter or receiver whose name comes
// from the input: a placeholder that Format replaces with wish, or with another name if wish is a keyword, predeclared,
// or taken in the file.
func Local(wish string) string { return localPlaceholder + wish }

// Indented indents statements, each on a line, by a number of tabs and one more for each brace that is open.
func Indented(statements string, tabs int) string {
	var b strings.Builder
	for line := range strings.Lines(statements) {
		if strings.HasPrefix(line, "}") {
			tabs--
		}
		for range tabs {
			b.WriteByte('\t')
		}
		b.WriteString(line)
		if strings.HasSuffix(line, "{\n") {
			tabs++
		}
	}
	return b.String()
}

// placeholder with a number, and localPlaceholder with a name, are identifiers that templates do not use otherwise.
const (
	placeholder      = "pkg__"
	localPlaceholder = "local__"
)

// Imports maps the fixed qualifiers that bodies may use to import paths: {"metav1":
// "k8s.io/apimachinery/pkg/apis/meta/v1"}. Bodies must not declare a name that equals a qualifier, unless they never
// select from it.
type Imports map[string]string

// Duplicate is the error for a package that declares a name twice, or a type with two fields or methods of the same
// name. In the latter case the name is "Type.Member".
type Duplicate struct {
	Name          string
	First, Second string // file names
}

func (d Duplicate) Error() string {
	if d.First == d.Second {
		return fmt.Sprintf("%s declares %s twice", d.First, d.Name)
	}
	return fmt.Sprintf("%s and %s both declare %s", d.First, d.Second, d.Name)
}

// SyntaxError is the error for a body that is not valid Go.
type SyntaxError struct {
	File string // its name
	Err  error
}

func (e SyntaxError) Error() string {
	return fmt.Sprintf("the template for %s does not produce valid Go: %v", e.File, e.Err)
}

// Unimportable is the error for a file that would import a package below a directory named internal that it cannot
// import.
type Unimportable struct {
	File string // its name
	Path string // of the package
}

func (u Unimportable) Error() string {
	return fmt.Sprintf("%s cannot import %s, which is internal", u.File, u.Path)
}

// importable reports whether a package may import another one.
func importable(from, importPath string) bool {
	i := strings.LastIndex("/"+importPath+"/", "/internal/")
	return i < 0 || strings.HasPrefix("/"+from+"/", ("/" + importPath + "/")[:i+1])
}

// Format returns the contents of all files of one package, in order. names maps import paths to Go package names where
// these differ from the last path element.
func Format(files []*File, imports Imports, names map[string]string) ([][]byte, error) {
	sources := make([]*source, len(files))
	declared := map[string]string{} // name -> file
	for i, f := range files {
		s, err := read(f)
		if err != nil {
			return nil, err
		}
		sources[i] = s
		s.nameLocals(imports)
		var duplicate error
		s.declares(func(name string) {
			if first, ok := declared[name]; ok && duplicate == nil {
				duplicate = Duplicate{Name: name, First: first, Second: f.Name}
			}
			declared[name] = f.Name
		})
		if duplicate != nil {
			return nil, duplicate
		}
	}
	contents := make([][]byte, len(files))
	for i, s := range sources {
		block := s.imports(imports, names, declared)
		for _, imp := range block {
			if !importable(s.Path, imp.path) {
				return nil, Unimportable{s.Name, imp.path}
			}
		}
		var err error
		if contents[i], err = s.complete(block, declared); err != nil {
			return nil, err
		}
	}
	return contents, nil
}

// read returns the body of a file with its tokens.
func read(f *File) (*source, error) {
	s := &source{File: f}
	ok := false
	if s.tokens, ok = scan(f.Body); ok && f.Clean {
		return s, nil
	}
	_, err := parser.ParseFile(gotoken.NewFileSet(), f.Name, s.clause()+f.Body, parser.SkipObjectResolution)
	if err != nil {
		return nil, SyntaxError{f.Name, err}
	}
	return s, nil
}

// clause returns the package clause.
func (f *File) clause() string { return "package " + f.Package + "\n" }

// print formats the body as gofmt does.
func (s *source) print(declared map[string]string) ([]byte, error) {
	fset := gotoken.NewFileSet()
	file, err := parser.ParseFile(fset, s.Name, s.clause()+s.named(), parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, SyntaxError{s.Name, err}
	}
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			clearTypes(fn, declared)
		}
	}
	var out bytes.Buffer
	out.Grow(len(s.Body) * 9 / 8)
	config := printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8} // as gofmt
	if err := config.Fprint(&out, fset, file); err != nil {
		return nil, fmt.Errorf("format %s: %w", s.Name, err)
	}
	_, decls, _ := bytes.Cut(out.Bytes(), []byte("\n"))
	return decls, nil
}

// complete returns the file: header, package clause, imports and declarations.
func (s *source) complete(block []imported, declared map[string]string) ([]byte, error) {
	out := make([]byte, 0, len(s.Header)+len(s.Body)*9/8+80*len(block)+200)
	out = append(out, s.Header...)
	for line := range strings.Lines(s.Doc) {
		out = append(append(append(out, "// "...), strings.TrimSuffix(line, "\n")...), '\n')
	}
	out = appendImports(append(out, s.clause()...), block)
	if strings.TrimSpace(s.Body) == "" {
		return out, nil
	}
	out = append(out, '\n')
	text, ok := out, false
	if s.Clean && !s.hides(declared) {
		text, ok = s.layOut(out)
	}
	if !ok {
		decls, err := s.print(declared)
		if err != nil {
			return nil, err
		}
		text = append(out, bytes.TrimSpace(decls)...)
	}
	return append(bytes.TrimRight(text, "\n"), '\n'), nil
}
