// Package gofile completes the body of a Go file. It derives the import block from the identifiers that the body uses,
// gives each import a unique name, and formats the result like gofmt. It never guesses an import: an identifier of
// another package either carries its import path (see Ident), or has a qualifier from a given table. It also reads and
// writes the lines at the top of a file that name the tool that generated it.
//
// Imports and names are determined from the tokens of the body. If the body is Clean, its tokens also suffice to format
// it. The parser and printer of the standard library would take most of the time of a run; they are used for other
// bodies only.
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

// Ident is a Go identifier and the import path of its package.
type Ident struct{ Path, Name string }

// File is a Go file under construction. Its zero value is an empty file.
type File struct {
	Name    string // file name, for messages
	Path    string // import path of the package that the file belongs to
	Package string // name of that package
	Header  Code   // text before the package comment, including comment signs
	Doc     string // text of the package comment; may be empty

	Markers []string // markers at the end of the package comment, in the form that Marker expects

	OtherNames map[string]bool // names declared by files of the package that are not passed to Format

	Body Code // everything after the imports
	// Clean reports that Body is formatted by gofmt, except for columns and line breaks that depend on the length of
	// names.
	Clean bool

	refs []string // import paths passed to Ref, in the order of their placeholders
}

// Ref returns the text that refers to an identifier in the body: the bare name if it belongs to the file's own package,
// otherwise the name with a placeholder as its qualifier. Format replaces the placeholder by the name of the import.
func (f *File) Ref(id Ident) Code {
	name := Name(id.Name)
	if id.Path == f.Path {
		return name
	}
	n := slices.Index(f.refs, id.Path)
	if n < 0 {
		n = len(f.refs)
		f.refs = append(f.refs, id.Path)
	}
	return placeholder + Code(strconv.Itoa(n)) + "." + name
}

// Refs returns the import paths of the packages that the body refers to with Ref, in the order of the first calls.
func (f *File) Refs() []string { return f.refs }

// Local returns a placeholder for a local variable, parameter or receiver whose name comes from the input. Format
// replaces it with wish, or with another name if wish is a keyword, predeclared, or taken in the file.
func Local(wish string) Code { return localPlaceholder + partOfName(wish) }

// Indented indents statements, one on each line, by a number of tabs, plus one for each open brace.
func Indented(statements Code, tabs int) Code {
	var b strings.Builder
	for line := range strings.Lines(string(statements)) {
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
	return Code(b.String())
}

// Prefixes of placeholders: placeholder is followed by a number, localPlaceholder by a name. They end with a letter
// that is escaped in literals and replaced in comments. Names that contain them are refused.
const (
	placeholder      = "pkg" + reserved
	localPlaceholder = "local" + reserved

	reserved     = "\u01c3"
	reservedRune = '\u01c3'
)

// Imports maps the qualifiers that bodies may use without Ref to import paths, such as "metav1" to
// "k8s.io/apimachinery/pkg/apis/meta/v1". A body that uses a qualifier must not declare the same name.
type Imports map[string]string

// Mistake is the error for input of which no file can be made.
type Mistake struct {
	Cause Cause
	File  string // name of the file
	Name  string // see Cause
	First string // of a Duplicate, the file with the first declaration
}

// Cause is the format of a message about a file and a name.
type Cause string

const (
	Duplicate    Cause = "%s declares %s twice" // "Type.Member" for a field or method
	Invalid      Cause = "the template for %s does not produce valid Go: %s"
	Unimportable Cause = "%s cannot import %s, which is internal"
	Hidden       Cause = "%s needs Go's %s, which its package declares as something else"
	Refused      Cause = "%s cannot be written: %s" // the external text, and what it must be
)

func (m Mistake) Error() string {
	if m.Cause == Duplicate && m.First != m.File {
		return fmt.Sprintf("%s and %s both declare %s", m.First, m.File, m.Name)
	}
	return fmt.Sprintf(string(m.Cause), m.File, m.Name)
}

// Importable reports whether the package with the path from may import the package with importPath.
func Importable(from, importPath string) bool {
	i := strings.LastIndex("/"+importPath+"/", "/internal/")
	return i < 0 || strings.HasPrefix("/"+from+"/", ("/" + importPath + "/")[:i+1])
}

// Format returns the contents of the files of one package, in the order of files. names maps import paths to Go package
// names, or to "" if they are unknown; packages that are not in names are named after the last element of their path.
// Errors of the input are of type Mistake.
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
		if name := s.hidden(); name != "" {
			return nil, Mistake{Cause: Hidden, File: f.Name, Name: name}
		}
		var duplicate error
		s.declares(func(name string) {
			if first, ok := declared[name]; ok && duplicate == nil {
				duplicate = Mistake{Duplicate, f.Name, name, first}
			}
			declared[name] = f.Name
		}, true)
		if duplicate != nil {
			return nil, duplicate
		}
	}
	contents := make([][]byte, len(files))
	var out []byte
	for i, s := range sources {
		block := s.imports(imports, names, declared)
		for _, imp := range block {
			if !Importable(s.Path, imp.Path) {
				return nil, Mistake{Cause: Unimportable, File: s.Name, Name: imp.Path}
			}
		}
		var err error
		if out, err = s.complete(out[:0], block, declared); err != nil {
			return nil, err
		}
		if contents[i] = out; len(out) < maxCopied {
			contents[i] = bytes.Clone(out) // without free space
		} else {
			out = nil
		}
		sources[i] = nil // its tokens need three times as much memory as the text
	}
	return contents, nil
}

// maxCopied is the size of a file above which free space matters less than a second copy in memory.
const maxCopied = 1 << 20

// read splits the body of a file into tokens.
func read(f *File) (*source, error) {
	for _, part := range []Code{Name(f.Package), f.Header, f.doc(), f.Body} {
		if err := f.refusedIn(part); err != nil {
			return nil, err
		}
	}
	s := &source{File: f, Body: string(f.Body)}
	ok := false
	if s.tokens, ok = scan(s.Body, true); ok && f.Clean {
		return s, nil
	}
	_, err := parser.ParseFile(gotoken.NewFileSet(), f.Name, s.clause()+s.Body, parser.SkipObjectResolution)
	if err != nil {
		return nil, Mistake{Cause: Invalid, File: f.Name, Name: err.Error()}
	}
	return s, nil
}

// clause returns the package clause.
func (f *File) clause() string { return "package " + f.Package + "\n" }

// print formats the body with the parser and printer of the standard library.
func (s *source) print(declared map[string]string) ([]byte, error) {
	fset := gotoken.NewFileSet()
	file, err := parser.ParseFile(fset, s.Name, s.clause()+s.named(), parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, Mistake{Cause: Invalid, File: s.Name, Name: err.Error()}
	}
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			clearTypes(fn, declared)
		}
	}
	var out bytes.Buffer
	out.Grow(len(s.Body) * 9 / 8)
	config := printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8} // like gofmt
	if err := config.Fprint(&out, fset, file); err != nil {
		return nil, fmt.Errorf("format %s: %w", s.Name, err)
	}
	_, decls, _ := bytes.Cut(out.Bytes(), []byte("\n"))
	return decls, nil
}

// doc returns the package comment.
func (f *File) doc() Code {
	doc := Comment("", f.Doc)
	if doc != "" && len(f.Markers) > 0 {
		doc += "//\n"
	}
	for _, m := range f.Markers {
		doc += Marker("", m)
	}
	return doc
}

// complete appends the file to out: header, package clause, imports and declarations.
func (s *source) complete(out []byte, block []Import, declared map[string]string) ([]byte, error) {
	out = slices.Grow(out, len(s.Header)+len(s.Body)*9/8+80*len(block)+200)
	out = append(out, s.Header...)
	out = append(out, s.doc()...)
	out = AppendImports(append(out, s.clause()...), block)
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
